#!/usr/bin/python3
"""Rounds of random inputs through what needs the server: the jsonb writer and reader, jsonpath.

Each round has a seed of its own, and does to mutated documents, JSON texts, numbers
and paths what test/differential does to fixed ones: casts of MessagePack to jsonb and
json and back are what the rules make of the document, worked out in Python; text to
jsonb is the same straight and by way of msgpack; a path gives the same on jsonb and on
msgpack, by every function; bytes are let in or not as the reader in Python says.

Environment: MPK_ROUND_SECONDS, for how long (20); MPK_SEED, where the seeds begin (1).
"""

import json
import os
import pathlib
import random
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "differential"))

# pylint: disable=wrong-import-position
import bytes as any_bytes
import json_documents
import jsonb
import jsonpath
from libmpk import Invalid, MAX_DEPTH, Report, connect, documents, read

SECONDS = float(os.environ.get("MPK_ROUND_SECONDS", "20"))
SEED = int(os.environ.get("MPK_SEED", "1"))


# ---------------------------------------------------------------------------
# Mutations
# ---------------------------------------------------------------------------

# Bytes that begin a value, with sizes about which encodings change.
HEADS = [bytes([byte]) for byte in range(0x80, 0xe1)] + \
    [b"\xdc\x00\x11", b"\xde\x00\x08", b"\xd9\x20", b"\xda\x00\x03", b"\xc4\x02", b"\xc7\x0c\xff",
     b"\xd7\xff", b"\xd6\xff", b"\xca\x7f\xc0\x00\x01", b"\xcb\x80" + bytes(7), b"\xa3\xed\xa0\x80",
     b"\x91" * 40, b"\x81\xa1a" * 20, b"\xcf" + b"\xff" * 8, b"\xd3\x80" + bytes(7)]


def mutated(r, data, other):
    """A few changes at random places: bits, bytes and pieces, of itself and of another."""
    for _ in range(r.choice([0, 1, 1, 2, 4])):
        at = r.randrange(len(data) + 1)
        until = min(len(data), at + r.choice([0, 1, 1, 2, 9, 40]))
        begin = r.randrange(len(other) + 1)
        piece = r.choice([b"", bytes([r.randrange(256)]), r.choice(HEADS), data[at:until] * 2,
                          other[begin:begin + r.choice([1, 2, 5, 30])]])
        data = data[:at] + piece + data[until:]
    return data


class Mender:
    """Makes a document of any bytes: sizes are cut to what there is, what is missing is nil."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        piece = self.data[self.at:self.at + count]
        self.at += len(piece)
        return piece

    def number(self, count):
        return int.from_bytes(self.take(count).rjust(count, b"\0"), "big")

    def body(self, head, size, is_ext):
        length = self.number(size)
        code = self.take(1).ljust(1, b"\0") if is_ext else b""
        piece = self.take(length)
        return head + len(piece).to_bytes(size, "big") + code + piece

    def container(self, head, depth):
        byte = head[0]
        size = 0 if byte < 0xa0 else 4 if byte & 1 else 2
        is_map = byte < 0x90 or byte >= 0xde
        wanted = self.number(size) if size else byte & 0x0f
        items = []
        while len(items) < wanted and self.at < len(self.data):
            items.append(b"".join(self.value(depth + 1) for _ in range(1 + is_map)))
        count = len(items).to_bytes(size, "big") if size else b""
        return (head if size else bytes([byte & 0xf0 | len(items)])) + count + b"".join(items)

    def value(self, depth=0):
        head = self.take(1) or b"\xc0"
        byte = head[0]
        if 0x80 <= byte < 0xa0 or 0xdc <= byte < 0xe0:
            return self.container(head, depth) if depth < min(MAX_DEPTH, 60) else b"\xc0"
        if 0xa0 <= byte < 0xc0:
            piece = self.take(byte & 0x1f)
            return bytes([0xa0 | len(piece)]) + piece
        if byte == 0xc1:
            return b"\xc0"
        if 0xc4 <= byte <= 0xc6:
            return self.body(head, 1 << byte - 0xc4, False)
        if 0xc7 <= byte <= 0xc9:
            return self.body(head, 1 << byte - 0xc7, True)
        if 0xd9 <= byte <= 0xdb:
            return self.body(head, 1 << byte - 0xd9, False)
        if 0xca <= byte <= 0xd8:
            size = (4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17)[byte - 0xca]
            return head + self.take(size).ljust(size, b"\0")
        return head


def mutated_text(r, text, other, pieces):
    """The same for text, by its characters, with pieces of the language."""
    for _ in range(r.choice([0, 0, 1, 2])):
        at = r.randrange(len(text) + 1)
        until = min(len(text), at + r.choice([0, 0, 1, 3]))
        begin = r.randrange(len(other) + 1)
        piece = r.choice(["", r.choice(pieces), text[at:until] * 2, other[begin:begin + 8]])
        text = text[:at] + piece + text[until:]
    return text


PATH_PIECES = [".a", "[*]", "[last]", "[0 to 1]", ".**", ".*", " ? (@ > 1)", " ? (exists(@.b))", "$",
               "@", "(", ")", " && ", " || ", "!", " is unknown", " == ", " + ", "-", ".type()",
               ".size()", ".double()", ".keyvalue()", ".datetime()", "strict ", "lax ", "$x", "$s",
               "1e3", "0.5", "null", "true", '"a"', " starts with ", ' like_regex "a"', ", ", "last"]


def shows_places(path):
    """Whether it may come to the identifiers of .keyvalue(), which are places in the document."""
    return re.search(r"keyvalue\(\)(?!\.key\b|\.value\b|$)", path) is not None


# ---------------------------------------------------------------------------
# One round
# ---------------------------------------------------------------------------

def of_documents(connection, report, seed, r):
    found = documents(seed, 300)
    raw = [mutated(r, data, r.choice(found)) for data in found]
    any_bytes.run(connection, report, seed + " bytes", raw + found)
    mended = [Mender(data).value() for data in raw]
    jsonb.run_documents(connection, report, seed + " documents", mended, odd=True)
    for data in mended:
        try:
            read(data)
        except Invalid as invalid:
            report.check(False, "not mended", data.hex(), invalid)


def of_json(connection, report, seed, r):
    plain = json_documents.Writer(seed, plain=True)
    wild = json_documents.Writer(seed, plain=False)
    json_documents.through_text(report, connection, seed + " plain numbers",
                                [plain.document() for _ in range(150)], True)
    json_documents.from_jsonb(report, connection, seed + " plain numbers")
    json_documents.through_text(report, connection, seed + " all numbers",
                                [wild.document() for _ in range(150)], False)
    json_documents.from_jsonb(report, connection, seed + " all numbers")
    jsonb.run_json(connection, report, seed + " generated",
                   [jsonb.dump(jsonb.random_json(r)) for _ in range(100)])
    jsonb.run_numbers(connection, report, list(jsonb.random_numbers(r, 100)))


def of_paths(connection, report, seed, r):
    grammar, fitting = jsonpath.Grammar(seed), jsonpath.Fitting(seed)
    jsonpath.load_documents(connection, [json.dumps(fitting.document()) for _ in range(60)])
    known = jsonpath.written_paths() + [grammar.whole() for _ in range(300)]
    paths = [mutated_text(r, r.choice(known), r.choice(known), PATH_PIECES) for _ in range(240)]
    jsonpath.load_paths(connection, [path for path in paths if not shows_places(path)])
    jsonpath.compare(report, connection)


def main():
    report = Report()
    connection = connect()
    # a path may double what it finds at each step
    connection.execute("SET statement_timeout = '60s'")
    for functions in (any_bytes.ATTEMPT, jsonb.ATTEMPT, json_documents.ATTEMPTS):
        connection.execute(functions)
    jsonpath.functions(connection)
    end = time.monotonic() + SECONDS
    rounds = 0
    while rounds == 0 or time.monotonic() < end:
        seed = "round %d" % (SEED + rounds)
        r = random.Random(seed)
        of_documents(connection, report, seed, r)
        of_json(connection, report, seed, r)
        of_paths(connection, report, seed, r)
        rounds += 1
    print("%d rounds" % rounds)
    report.finish()


main()
