#!/usr/bin/python3
"""Other codecs: what they write is read, what is written they read, values equal.

python3-msgpack on values of every kind; php-msgpack, ruby-msgpack and, where
npm can fetch them, msgpackr and @msgpack/msgpack on JSON documents both ways
and on what is peculiar to each by default.
"""

import glob
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

import msgpack

from libmpk import EDGES, FLOATS, STRINGS, Node, Report, connect, load, print_text

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "bench"))
import documents		# noqa: E402  the benchmarks' documents serve here too

ISO_CODES = "/usr/share/iso-codes/json/iso_*.json"


# ---------------------------------------------------------------------------
# python3-msgpack
# ---------------------------------------------------------------------------

def random_value(r, depth=0):
    if depth < 4 and r.random() < 0.5:
        count = r.choice([0, 1, 2, 3, 5, 16, 20])
        if r.random() < 0.5:
            return [random_value(r, depth + 1) for _ in range(count)]
        keys = [r.choice(STRINGS + [b"k", None, 1, -7, True, 2.5]) for _ in range(count)]
        return {key: random_value(r, depth + 1) for key in keys}
    kind = r.randrange(8)
    if kind == 0:
        return r.choice([None, True, False])
    if kind <= 2:
        value = r.choice(EDGES + [r.getrandbits(r.randint(1, 63))])
        return -value if r.random() < 0.4 and value <= 2**63 else value
    if kind == 3:
        return r.choice(FLOATS + [r.uniform(-1e6, 1e6), r.random()])
    if kind <= 5:
        return r.choice(STRINGS + ["long " * 20])
    if kind == 6:
        return r.choice([b"", b"\x00\xff", b"text", b"y" * 300,
                         msgpack.ExtType(5, b"abc"), msgpack.ExtType(100, b"12345678")])
    return msgpack.Timestamp(r.choice([0, 1_800_000_000, 2**33, -5]), r.choice([0, 1, 999_999_999]))


def node_of(value):
    """As libmpk reads it; everything in its shortest encoding."""
    if value is None:
        return Node("nil", None, None)
    if isinstance(value, bool):
        return Node("bool", value, None)
    if isinstance(value, int):
        return Node("int", value, None)
    if isinstance(value, float):
        return Node("f64", struct.unpack(">Q", struct.pack(">d", value))[0], None)
    if isinstance(value, str):
        return Node("str", value.encode(), None)
    if isinstance(value, bytes):
        return Node("bin", value, None)
    if isinstance(value, msgpack.ExtType):
        return Node("ext", tuple(value), None)
    if isinstance(value, msgpack.Timestamp):
        return Node("ext", (-1, value.to_bytes()), None)
    if isinstance(value, list):
        return Node("array", [node_of(item) for item in value], None)
    return Node("map", [(node_of(k), node_of(v)) for k, v in value.items()], None)


def python_codec(report, connection):
    r = random.Random("python")
    values = [random_value(r) for _ in range(3000)]
    values += ["x" * 70000, b"x" * 70000, list(range(70000)), {i: None for i in range(70000)}]
    values += [json.load(open(file)) for file in sorted(glob.glob(ISO_CODES))]
    report.check(len(values) > 3005, "iso-codes are not there")
    packed = [msgpack.packb(value) for value in values]
    forms = [print_text(node_of(value)) for value in values]
    load(connection, "exchanged", "id int4, bytes bytea, form text",
         zip(range(len(values)), packed, forms))
    rows = connection.execute("""
SELECT id, bytes::msgpack::text = form, form::msgpack::bytea, bytes::msgpack::bytea = bytes
FROM exchanged ORDER BY id""").fetchall()
    for (number, read_well, written, kept), value in zip(rows, values):
        report.check(read_well, "python writes, mpk reads", forms[number])
        report.check(kept, "not bit for bit", packed[number].hex())
        # a NaN is not equal to itself, its text is
        back = msgpack.unpackb(written, strict_map_key=False)
        report.check(back == value or repr(back) == repr(value),
                     "mpk writes, python reads", written.hex(), forms[number])


# ---------------------------------------------------------------------------
# Others: programs that encode and decode line by line
# ---------------------------------------------------------------------------

def json_lines():
    """Documents that all of them can hold: no empty object, no integer past 2^53."""
    entries = [entry for file in sorted(glob.glob(ISO_CODES))
               for group in json.load(open(file)).values() for entry in group]
    made = [d for shape, count in (("S", 200), ("M", 100), ("L", 5))
            for d in documents.documents(shape, count)]
    return [json.dumps(d, ensure_ascii=i % 2 == 0) for i, d in enumerate(entries[::20] + made)]


def run(command, lines=()):
    out = subprocess.run(command, input="".join(line + "\n" for line in lines), text=True,
                         stdout=subprocess.PIPE, check=True, encoding="utf-8")
    return out.stdout.splitlines()


def exchange(report, connection, name, command):
    lines = json_lines()
    encoded = run(command + ["encode"], lines)
    report.equal(len(encoded), len(lines), name, "lines encoded")
    load(connection, "exchanged", "id int4, line text, bytes bytea",
         ((i, line, bytes.fromhex(code)) for i, (line, code) in enumerate(zip(lines, encoded))))
    rows = connection.execute("""
SELECT line, bytes::msgpack::jsonb = line::jsonb, bytes::msgpack::text::msgpack::bytea = bytes,
	line::msgpack::bytea
FROM exchanged ORDER BY id""").fetchall()
    for line, equal, kept, _ in rows:
        report.check(equal, name, "writes, mpk reads", line)
        report.check(kept, name, "not bit for bit through text", line)
    decoded = run(command + ["decode"], [row[3].hex() for row in rows])
    report.equal(len(decoded), len(lines), name, "lines decoded")
    load(connection, "exchanged", "line text, back text", zip(lines, decoded))
    for line, back, equal in connection.execute(
            "SELECT line, back, back::jsonb = line::jsonb FROM exchanged").fetchall():
        report.check(equal, "mpk writes,", name, "reads", line, back)
    print(name + ": %d documents there and back" % len(lines), flush=True)


def text_of(connection, code):
    """(text form, regular) of a document that comes back bit for bit, or the error's hint."""
    try:
        return connection.execute("""
SELECT d::text, msgpack_check(d) IS NULL, d::bytea = b AND d::text::msgpack::bytea = b
FROM (SELECT decode(%s, 'hex') AS b, decode(%s, 'hex')::msgpack AS d) x""", (code, code)).fetchone()
    except Exception as error:		# the caller compares what it says
        return error.diag.message_hint


def check_samples(report, connection, name, command, expected):
    """Each sample's text form and regularity, or the hint with which it is refused."""
    samples = dict(line.split("\t") for line in run(command + ["samples"]))
    for sample, want in expected.items():
        got = text_of(connection, samples.get(sample, ""))
        if isinstance(want, tuple):
            want += (True,)
        report.equal(got, want, name, sample, samples.get(sample))


PHP_SAMPLES = {
    "holes": ('{3: "x", 7: "y"}', True),
    "bytes in a str": ("str'fffe'", False),
    "half a character": ("str'6e61c3'", False),
    "object": ('{null: "Account", "id": 7, "\\u0000*\\u0000owner": "Ana", '
               '"\\u0000Account\\u0000secret": null, "self": null}', True),
    "object in itself": ('{null: "Account", "id": 7, "\\u0000*\\u0000owner": "Ana", '
                         '"\\u0000Account\\u0000secret": null, "self": {null: 4, 0: 1}}', True),
    "date": ('{_dup null: "DateTime", null: {"date": "2026-11-30 12:00:00.000000", '
             '"timezone_type": 3, "timezone": "UTC"}}', False),
    "list object": ('{_dup null: "ArrayObject", null: [0, [1, 2], [], null]}', False),
    "stdClass": ('{null: "stdClass", "a": 1}', True),
    "extremes": ("[9223372036854775807, -9223372036854775808, 0.1, -0.0, true, null, []]", True),
}

RUBY_SAMPLES = {
    "symbols": ('{"a": 1, "b": "sym"}', True),
    "nil key": ('{null: 3, "a": 1}', True),
    "keys of many types": ('{1: 2, 1.5: null, true: "t", [1]: [2], {"k": 1}: "map"}', True),
    "bytes": ("h'fffe'", True),
    "bytes in a str": ("str'ff'", False),
    "extremes": ("[18446744073709551615, -9223372036854775808, 0.1, -0.0, NaN, Infinity, null, "
                 "{}, []]", True),
    "time": ("DT'2027-01-15T08:00:00.123456789Z'", True),
    "whole time": ("DT'2027-01-15T08:00:00Z'", True),
    "old time": ("DT'1969-12-31T23:59:59.000000005Z'", True),
}

RECORD_HINT = ("The bytes hold a record of the JavaScript library msgpackr: "
               "encode with the option useRecords: false.")

MSGPACKR_SAMPLES = {
    "mixed": ('{_16 "a": [1.5, 0.1, 10000000000.0, -1, 4294967296.0, NaN, null, 0]}', True),
    "date": ("DT'2027-01-15T08:00:00.5Z'", True),
    "bytes": ("h'00ff'", True),
    "half an emoji": ('"a\ufffd"', True),
    "invalid date": ("ext(-1, h'ff')", True),
    "bigint": ("123456789012345678_i64", True),
    "record": RECORD_HINT,
    "record in an array": RECORD_HINT,
}

MSGPACK_JS_SAMPLES = {
    "mixed": ('{"a": [1.5, 0.1, 10000000000, -1, 4294967296, NaN, null, 0]}', True),
    "date": ("DT'2027-01-15T08:00:00.5Z'", True),
    "bytes": ("h'00ff'", True),
    "half an emoji": ("str'61eda0bd'", False),
}


def javascript(report, connection, folder):
    """False when npm cannot fetch the two."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return False
    install = subprocess.run(
        ["npm", "install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund",
         "--cache", os.path.join(folder, "cache"), "msgpackr", "@msgpack/msgpack"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False)
    if install.returncode != 0:
        return False
    shutil.copy(os.path.join(HERE, "codec.cjs"), folder)
    for library, samples in (("msgpackr", MSGPACKR_SAMPLES),
                             ("@msgpack/msgpack", MSGPACK_JS_SAMPLES)):
        command = ["node", os.path.join(folder, "codec.cjs"), library]
        exchange(report, connection, library, command)
        check_samples(report, connection, library, command, samples)
    return True


def main():
    report = Report()
    connection = connect()
    python_codec(report, connection)
    for name, program, suffix, samples in (("php", "php", "php", PHP_SAMPLES),
                                           ("ruby", "ruby", "rb", RUBY_SAMPLES)):
        if shutil.which(program) is None:
            report.skip("no " + program)
            continue
        command = [program, os.path.join(HERE, "codec." + suffix)]
        exchange(report, connection, name, command)
        check_samples(report, connection, name, command, samples)
    with tempfile.TemporaryDirectory() as folder:
        if not javascript(report, connection, folder):
            report.skip("npm cannot fetch msgpackr and @msgpack/msgpack")
    report.finish()


if __name__ == "__main__":
    main()
