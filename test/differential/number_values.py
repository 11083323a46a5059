#!/usr/bin/python3
"""Numbers, by the hundred thousand, against the server's own.

The text form of a million random float 64 and float 32 against float8out and
float4out; what ->> gives against numeric; numbers as text against float8in
and float4in, the points half way between two floats among them; integers
and floats in order against exact arithmetic.
"""

import random
import struct
from fractions import Fraction

from libmpk import (EDGES, FLOATS, INT_FORMS, Report, connect, load, shortest_int, write_f32_bits,
                    write_f64, write_f64_bits, write_int)

PATTERNS = 500_000


def bits64(r):
    """Random bits, and exponents near 1, where numbers live, more often."""
    if r.random() < 0.5:
        return r.getrandbits(64)
    return r.getrandbits(1) << 63 | (1023 + r.randint(-60, 80)) << 52 | r.getrandbits(52)


def bits32(r):
    if r.random() < 0.5:
        return r.getrandbits(32)
    return r.getrandbits(1) << 31 | (127 + r.randint(-30, 40)) << 23 | r.getrandbits(23)


def short_decimals(r, count):
    """Floats of few digits, as people write them."""
    for _ in range(count):
        yield round(r.uniform(-1, 1) * 10 ** r.randint(-3, 12), r.randint(0, 6))


def printed(report, connection, what, table, form, mark):
    """Text of both ways, digits by ->>; the columns are bytes and the same float by itself."""
    wrong = connection.execute("""
SELECT count(*), count(*) FILTER (WHERE NOT out_right), count(*) FILTER (WHERE NOT in_right),
	count(*) FILTER (WHERE NOT digits_right), min(encode(bytes, 'hex')) FILTER (WHERE NOT out_right),
	min(encode(bytes, 'hex')) FILTER (WHERE NOT in_right),
	min(encode(bytes, 'hex')) FILTER (WHERE NOT digits_right)
FROM (SELECT bytes, m::text = want AS out_right, want::msgpack::bytea = bytes AS in_right,
		is_nan OR is_infinite OR
		('\\x91'::bytea || bytes)::msgpack ->> 0 =
		CASE WHEN scale(f::text::numeric) = 0 THEN trim_scale(f::text::numeric) || '.0'
			ELSE f::text::numeric::text END AS digits_right
	FROM (SELECT bytes, bytes::msgpack AS m, f, f = 'NaN' AS is_nan,
			f IN ('Infinity', '-Infinity') AS is_infinite,
			CASE WHEN f::text ~ '[.eNI]' THEN f::text ELSE f::text || '.0' END || '%s' AS want
		FROM %s WHERE f <> 'NaN') a) b""" % (mark, table)).fetchone()
    for count, example, way in zip(wrong[1:4], wrong[4:7], ("out", "in", "digits")):
        report.check(count == 0, what, way, count, "wrong, as", example)
    report.passed += wrong[0] - 1
    print("%s: %d, %s" % (what, wrong[0], form), flush=True)


def load_floats(connection, table, name, size, rows):
    """rows: encoded floats; the body alone is the binary form of the server's type."""
    cursor = connection.cursor()
    cursor.execute("CREATE TEMPORARY TABLE %s (bytes bytea, f %s)" % (table, name))
    with cursor.copy("COPY %s FROM STDIN (FORMAT binary)" % table) as copy:
        copy.set_types(["bytea", "bytea"])
        for row in rows:
            copy.write_row((row, row[-size:]))


def out_and_in(report, connection):
    r = random.Random("floats")
    doubles = [write_f64_bits(bits64(r)) for _ in range(PATTERNS)]
    doubles += [write_f64(v) for v in FLOATS] + [write_f64(v) for v in short_decimals(r, 100_000)]
    doubles += [write_f64(s * 2.0 ** e) for e in range(-1074, 1024) for s in (1, -1)]
    doubles += [write_f64(float("1e%d" % e)) for e in range(-323, 309)]
    load_floats(connection, "doubles", "float8", 8, doubles)
    printed(report, connection, "float 64", "doubles", "float8out", "")
    singles = [write_f32_bits(bits32(r)) for _ in range(PATTERNS)]
    singles += [write_f32_bits(bits) for e in range(255) for bits in (e << 23, (e << 23) + 1,
                                                                      (e << 23) + 0x7fffff)]
    load_floats(connection, "singles", "float4", 4, singles)
    printed(report, connection, "float 32", "singles", "float4out", "_f32")


def decimal_of(fraction):
    """All digits of a fraction whose denominator is a power of two."""
    places = fraction.denominator.bit_length() - 1
    digits = str(abs(fraction.numerator) * 5 ** places).rjust(places + 1, "0")
    text = digits[:len(digits) - places] + "." + (digits[len(digits) - places:] or "0")
    return ("-" if fraction < 0 else "") + text


def halfway(bits, word, form):
    """All digits of the middle between the float of these bits and the next."""
    low, high = (Fraction(struct.unpack(form, struct.pack(word, b))[0]) for b in (bits, bits + 1))
    return decimal_of((low + high) / 2)


def number_texts(r):
    for _ in range(100_000):
        digits = str(r.getrandbits(r.choice([10, 30, 53, 54, 60, 64, 70, 90])))
        point = r.randint(0, len(digits))
        yield (r.choice(["", "-"]) + (digits[:point].lstrip("0") or "0") + "." +
               (digits[point:] or "0") + r.choice(["", "", "e%d" % r.randint(-300, 280)]))
    # half way between two floats, and a hair beside it
    for _ in range(3000):
        bits = r.getrandbits(62) | r.choice([0, 1 << 62]) if r.random() < 0.3 else (
            (1023 + r.randint(-70, 100)) << 52 | r.getrandbits(52))
        if bits >> 52 & 0x7ff >= 0x7fe:
            continue
        middle = halfway(bits, ">Q", ">d")
        yield middle
        yield middle + "0000001"
        yield middle.rstrip("05") + "49999"


def halfway_singles(r):
    for _ in range(3000):
        bits = bits32(r) & 0x7f7fffff
        if bits >= 0x7f7fffff:
            continue
        middle = halfway(bits, ">I", ">f")
        yield middle
        yield middle + "00000000000000000001"


def read_texts(report, connection):
    r = random.Random("texts")
    texts = [t for t in number_texts(r) if t[-1].isdigit() and "." in t]
    singles = list(halfway_singles(r)) + ["%.*f" % (r.randint(1, 12), r.uniform(-1e6, 1e6))
                                          for _ in range(30_000)]
    # zero from other digits is out of range for both
    for name, first, mark, items in (("float8", "\\xcb", "", texts),
                                     ("float4", "\\xca", "_f32", singles)):
        fits = [t for t in items if name == "float4" or 0 < abs(float(t)) < float("inf")]
        if name == "float4":
            fits = [t for t in fits if 1.5e-45 < abs(float(t)) < 3.4028235e38]
        load(connection, "texts", "t text", [(t,) for t in fits])
        count, right, example = connection.execute("""
SELECT count(*), count(*) FILTER (WHERE ok), min(t) FILTER (WHERE NOT ok)
FROM (SELECT t, (t || '%s')::msgpack::bytea = '%s'::bytea || %ssend(t::%s) AS ok
	FROM texts) x""" % (mark, first, name, name)).fetchone()
        report.check(right == count, name, "from text:", count - right, "wrong, as", example)
        report.passed += count - 1
        print("%s from text: %d" % (name, count), flush=True)


def exact_order(a, b):
    """-1, 0, 1; NaN equals itself and is above all others."""
    if a != a or b != b:
        return (a != a) - (b != b)
    return (a > b) - (a < b)


def order(report, connection):
    """Integers and floats of all widths, most of them close to each other."""
    r = random.Random("order")
    values = list(FLOATS) + EDGES + [-v for v in EDGES if v <= 2**63]
    for edge in EDGES:
        near = float(edge)
        values += [struct.unpack(">d", struct.pack(
            ">q", struct.unpack(">q", struct.pack(">d", near))[0] + step))[0] for step in (-1, 0, 1)
            if near > 0]
        values += [v for v in (edge - 1, edge + 1) if 0 <= v < 2**64]
    values += [r.getrandbits(64) for _ in range(300)]
    values += [r.uniform(-2**65, 2**65) for _ in range(300)]
    rows = []
    for _ in range(100_000):
        a, b = r.choice(values), r.choice(values)
        if r.random() < 0.3:
            b = a + r.choice([-1, 0, 1]) if isinstance(a, int) else a
        if isinstance(a, int) and r.random() < 0.3:
            b = float(a)
        if isinstance(b, int) and not -2**63 <= b < 2**64:
            continue
        rows.append((encoded(r, a), encoded(r, b), exact_order(a, b)))
    load(connection, "pairs", "a bytea, b bytea, want int4", rows)
    for wrong in connection.execute("""
SELECT a, b, want, msgpack_cmp(a::msgpack, b::msgpack) FROM pairs
WHERE sign(msgpack_cmp(a::msgpack, b::msgpack)) <> want
	OR (a::msgpack = b::msgpack) <> (want = 0) OR (a::msgpack <> b::msgpack) <> (want <> 0)
	OR (a::msgpack < b::msgpack) <> (want < 0) OR (a::msgpack > b::msgpack) <> (want > 0)
	OR (a::msgpack <= b::msgpack) <> (want <= 0) OR (a::msgpack >= b::msgpack) <> (want >= 0)
	OR (want = 0 AND msgpack_hash(a::msgpack) <> msgpack_hash(b::msgpack))""").fetchall():
        report.check(False, "order of", wrong[0].hex(), wrong[1].hex(),
                     "is", wrong[2], "not", wrong[3])
    report.passed += len(rows)
    print("order: %d pairs" % len(rows), flush=True)


def encoded(r, value):
    if isinstance(value, int):
        widths = [shortest_int(value)] + (["u64"] if value >= 0 else []) + (
            ["i64"] if value < 2**63 else [])
        return write_int(value, r.choice([w for w in widths if w == "" or w in INT_FORMS]))
    if value == value and abs(value) < 1e38:
        single = struct.pack(">f", value)
        if struct.unpack(">f", single)[0] == value and r.random() < 0.5:
            return b"\xca" + single
    return write_f64(value)


def main():
    report = Report()
    connection = connect()
    out_and_in(report, connection)
    read_texts(report, connection)
    order(report, connection)
    report.finish()


if __name__ == "__main__":
    main()
