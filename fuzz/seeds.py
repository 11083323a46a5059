#!/usr/bin/python3
"""Seeds and dictionaries for the fuzz targets, out of the project's own test vectors.

usage: seeds.py PROJECT FOLDER

Writes FOLDER/TARGET/ for targets of text ("text") and of documents (all others),
and FOLDER/text.dict and FOLDER/documents.dict.  Vectors are the hex strings and the
quoted literals in sql/*.sql, test/*.c and doc/*.md; documents of every shape that has
an index are made here, since no test writes those out.
"""

import hashlib
import pathlib
import re
import sys

PAIRS = ["compare", "contain", "edit", "merge", "path", "corrupt", "index"]


def vectors(project):
    texts, documents = set(), set()
    for file in sorted(project.glob("sql/*.sql")) + sorted(project.glob("test/*.c")) + \
            sorted(project.glob("doc/*.md")):
        source = file.read_text(encoding="utf-8", errors="replace")
        for hexed in re.findall(r"(?<![0-9a-f])(?:[0-9a-f]{2}){1,400}(?![0-9a-zA-Z_])", source):
            documents.add(bytes.fromhex(hexed))
        if file.suffix == ".sql":
            for literal in re.findall(r"'((?:[^'\n]|''){1,400})'", source):
                texts.add(literal.replace("''", "'").encode())
    return texts, documents


def string(s):
    assert len(s) < 32
    return bytes([0xa0 | len(s)]) + s.encode()


def array(items):
    return b"\xdc" + len(items).to_bytes(2, "big") + b"".join(items)


def mapping(pairs):
    return b"\xde" + len(pairs).to_bytes(2, "big") + b"".join(k + v for k, v in pairs)


def indexed():
    """Documents that have tables of each form, nested too."""
    short = mapping([(string("k%d" % i), bytes([i])) for i in range(12)])
    long = mapping([(string("key%d" % i), string("v%d" % i)) for i in range(90)])
    mixed = mapping([(k, b"\xc0") for k in
                     [string("a"), b"\xc4\x01b", b"\x07", b"\xcb" + bytes(8), b"\x91\x01",
                      b"\x81\xa1a\x01", b"\xc0", b"\xd6\xff" + bytes(4), b"\xd4\x05\x00", b"\xc3"]])
    numbers = array([bytes([0xcd, i // 256, i % 256]) for i in range(400)])
    big = mapping([(string("m"), long), (string("s"), short), (string("n"), numbers),
                   (string("x"), mixed), (string("text"), b"\xda\x04\x00" + b"x" * 1024)] +
                  [(bytes([i]), bytes([i])) for i in range(10)])
    repeated = mapping([(string("k%d" % (i % 9)), bytes([i])) for i in range(20)])
    return [short, long, mixed, numbers, big, repeated, array([big, long] + [short] * 9)]


def write(folder, contents):
    folder.mkdir(parents=True, exist_ok=True)
    for content in contents:
        (folder / hashlib.sha1(content).hexdigest()).write_bytes(content)


def dictionary(words):
    return "".join('"%s"\n' % "".join("\\x%02x" % byte for byte in word) for word in words)


def main():
    project, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    texts, documents = vectors(project)
    assert len(texts) > 500 and len(documents) > 200, "the vectors have moved"
    documents |= set(indexed())
    write(folder / "text", texts)
    for target in ["validate", "layout", "print"] + PAIRS:
        write(folder / target, documents)
    ordered = sorted(documents)
    pairs = [a + b + bytes([i % 7, i % 5, 0, 1, 2, 4, 3, 1]) for i, (a, b) in
             enumerate(zip(ordered, ordered[1:] + ordered[:1]))] + [a + a for a in ordered]
    for target in PAIRS:
        write(folder / target, pairs)
    marks = [b"_u8", b"_u16", b"_u32", b"_u64", b"_i8", b"_i16", b"_i32", b"_i64", b"_f32",
             b"_8", b"_16", b"_32", b"_64", b"_96", b"{_dup ", b"{_16_dup ", b"[_32 ", b"h'",
             b"b64'", b"str'", b"float'", b"DT'2026-11-30T17:13:31.5Z'", b"ext(-1, h'", b"\\u00e9",
             b"\\ud83d\\ude00", b"\\u0000", b"NaN", b"-Infinity", b"1e300", b"null", b"true",
             b"18446744073709551615", b"-9223372036854775808", b"\\x", b"9007199254740993"]
    heads = [bytes([byte]) for byte in range(0x80, 0xe1)] + \
        [b"\xdd\xff\xff\xff\xff", b"\xdf\x80\x00\x00\x00", b"\xdb\xff\xff\xff\xff", b"\xc7\x0c\xff",
         b"\xd7\xff", b"\xd6\xff", b"\x91" * 64, b"\x81\x81", b"\xcb\x7f\xf8" + bytes(6)]
    (folder / "text.dict").write_text(dictionary(marks))
    (folder / "documents.dict").write_text(dictionary(heads))


main()
