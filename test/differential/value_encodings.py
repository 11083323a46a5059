#!/usr/bin/python3
"""Every encoding of a value is that value.

A table of values, and all the ways in which MessagePack can write each: every
width of integers, of lengths and counts, floats where they are exact,
timestamps in 32, 64 and 96 bits.  All are accepted and kept; all of a value
are equal and hash alike; the canonical form of all is the same, and so is what
they read as; two values that differ are not equal.
"""

import struct
from itertools import product

from libmpk import (BIN_STEPS, COUNT_STEPS, EDGES, INT_FORMS, STR_STEPS, Report, connect, load,
                    shortest_ext, shortest_int, timestamp_width, write_array, write_bin, write_ext,
                    write_f64, write_int, write_map, write_str, write_timestamp)


def int_widths(value):
    """All widths that hold it."""
    fits = []
    for name, (_, form) in INT_FORMS.items():
        try:
            struct.pack(">" + form, value)
            fits.append(name)
        except struct.error:
            pass
    return sorted({shortest_int(value), *fits})


def length_widths(length, steps):
    return [name for name, top in steps if length <= top] + ["32"]


def float_encodings(value):
    """float 64, and float 32 where that is the same number."""
    yield write_f64(value)
    try:
        single = struct.pack(">f", value)
    except OverflowError:
        return
    back, = struct.unpack(">f", single)
    if back == value or value != value:
        yield b"\xca" + single


def number_encodings(value):
    if isinstance(value, int):
        for width in int_widths(value):
            yield write_int(value, width)
        try:
            is_exact = int(float(value)) == value
        except OverflowError:
            is_exact = False
        if is_exact:
            yield from float_encodings(float(value))
    else:
        yield from float_encodings(value)
        if value == value and abs(value) < 2**63 and int(value) == value:
            for width in int_widths(int(value)):
                yield write_int(int(value), width)


def str_encodings(text):
    for width in length_widths(len(text.encode()), STR_STEPS):
        yield write_str(text, width)


def bin_encodings(data):
    for width in length_widths(len(data), BIN_STEPS):
        yield write_bin(data, width)


def ext_encodings(code, data):
    for width in sorted({shortest_ext(len(data)), *length_widths(len(data), BIN_STEPS)}):
        yield write_ext(code, data, width)


def timestamp_encodings(seconds, nanoseconds):
    for size in (4, 8, 12):
        if size >= timestamp_width(seconds, nanoseconds):
            body = write_timestamp(seconds, nanoseconds, size)[-size:]
            yield from ext_encodings(-1, body)


def container_encodings(write, items):
    for width in length_widths(len(items), COUNT_STEPS):
        yield write(items, width)


def values():
    """(name, what ->> gives of it, encodings)"""
    yield "nil", None, [b"\xc0"]
    yield "false", "false", [b"\xc2"]
    yield "true", "true", [b"\xc3"]
    integers = set(EDGES) | {-v for v in EDGES if v <= 2**63} | {-33, -129, -32769, -2**31 - 1}
    for value in sorted(integers):
        yield "int %d" % value, "number", list(number_encodings(value))
    for value in (0.5, -0.5, 1.25, 0.1, 1e300, -1e-300, 5e-324, float("inf"), float("-inf"),
                  float("nan"), 2.0**64, -2.0**70):
        yield "float %r" % value, "number", list(number_encodings(value))
    for text in ("", "a", "1", "ä", "日本語", "😀", "x" * 31, "x" * 32, "x" * 255, "x" * 256,
                 "x" * 65535, "x" * 65536):
        yield "str " + text[:40] + str(len(text)), text, list(str_encodings(text))
    for data in (b"", b"\0", b"a", b"\xff\xfe", b"y" * 255, b"y" * 256, b"y" * 65536):
        yield "bin %r %d" % (data[:20], len(data)), "\\x" + data.hex(), list(bin_encodings(data))
    for length in (0, 1, 2, 3, 4, 8, 15, 16, 17, 255, 256, 65536):
        for code in (-128, -2, 0, 1, 127):
            data = bytes(i % 251 for i in range(length))
            yield ("ext %d %d" % (code, length), "ext(%d, h'%s')" % (code, data.hex()),
                   list(ext_encodings(code, data)))
    for seconds, nanoseconds, text in (
            (0, 0, "1970-01-01T00:00:00Z"), (1, 1, "1970-01-01T00:00:01.000000001Z"),
            (2**32 - 1, 0, "2106-02-07T06:28:15Z"), (2**32, 0, "2106-02-07T06:28:16Z"),
            (2**34 - 1, 999_999_999, "2514-05-30T01:53:03.999999999Z"),
            (2**34, 0, "2514-05-30T01:53:04Z"), (-1, 500_000_000, "1969-12-31T23:59:59.5Z"),
            (-62135596800, 0, "0001-01-01T00:00:00Z"),
            (253402300799, 999_999_999, "9999-12-31T23:59:59.999999999Z")):
        yield "timestamp " + text, text, list(timestamp_encodings(seconds, nanoseconds))
    yield from containers()


def containers():
    one = list(number_encodings(1))
    for count in (0, 1, 15, 16, 300, 65535, 65536):
        items = [b"\x01"] * count
        yield "array of %d" % count, "array", list(container_encodings(write_array, items))
        if count <= 300:
            pairs = [(write_int(i), b"\xc0") for i in range(count)]
            turned = pairs[::-1]
            yield ("map of %d" % count, "map", list(container_encodings(write_map, pairs)) +
                   list(container_encodings(write_map, turned)))
    # inner encodings differ too
    yield "[1, [1]]", "array", [write_array([a, write_array([b], w)])
                                for a, b in product(one, one) for w in ("", "16", "32")]
    key = list(str_encodings("k"))
    yield '{"k": 1, 1: "k"}', "map", [
        write_map(pairs) for k, i, s in product(key, one, key)
        for pairs in ([(k, i), (i, s)], [(i, s), (k, i)])]


def main():
    report = Report()
    connection = connect()
    table = list(values())
    rows = [(number, name, reads, encoding) for number, (name, reads, encodings) in enumerate(table)
            for encoding in encodings]
    load(connection, "encodings", "value int4, name text, reads text, bytes bytea", rows)
    connection.execute("""
CREATE TEMPORARY TABLE docs AS
SELECT value, name, reads, bytes, bytes::msgpack AS doc,
	('\\x91'::bytea || bytes)::msgpack ->> 0 AS got FROM encodings""")
    report.passed += len(rows)
    print("%d encodings of %d values" % (len(rows), len(table)), flush=True)
    for condition in (
            "doc::bytea IS DISTINCT FROM bytes",
            "doc::text::msgpack::bytea IS DISTINCT FROM bytes",
            # without its mark a float 32 reads as the float 64 of its digits
            "msgpack_text(doc)::msgpack <> doc AND get_byte(bytes, 0) <> 202",
            "msgpack_check(doc) IS NOT NULL",
            "msgpack_canonical(doc) <> doc",
            "NOT msgpack_is_canonical(msgpack_canonical(doc))",
            "octet_length(msgpack_canonical(doc)::bytea) > octet_length(bytes) "
            "AND msgpack_typeof(doc) <> 'float'",
            "reads IS DISTINCT FROM got AND reads NOT IN ('number', 'array', 'map')",
            "reads = 'number' AND msgpack_typeof(doc) NOT IN ('integer', 'float')",
            "reads IN ('array', 'map') AND msgpack_typeof(doc) <> reads"):
        wrong = connection.execute("SELECT count(*), min(name), "
                                   "min(encode(substr(bytes, 1, 40), 'hex')) "
                                   "FROM docs WHERE " + condition).fetchone()
        report.check(wrong[0] == 0, condition, wrong)
        report.passed += len(rows) - 1
    # each encoding with every other
    wrong = connection.execute("""
SELECT count(*), min(a.name || ' and ' || b.name)
FROM docs a, docs b
WHERE (a.doc = b.doc) <> (a.value = b.value)
	OR a.value = b.value AND (msgpack_hash(a.doc) <> msgpack_hash(b.doc)
		OR msgpack_hash_extended(a.doc, 7) <> msgpack_hash_extended(b.doc, 7)
		OR msgpack_canonical(a.doc)::bytea <> msgpack_canonical(b.doc)::bytea)
	OR sign(msgpack_cmp(a.doc, b.doc)) <> -sign(msgpack_cmp(b.doc, a.doc))""").fetchone()
    report.check(wrong[0] == 0, "pairs", wrong)
    report.passed += len(rows) - 1
    report.finish()


if __name__ == "__main__":
    main()
