#!/usr/bin/python3
"""JSON: through msgpack and straight into jsonb, the same document.

Generated JSON text of every shape, the files of iso-codes, and the documents
of the benchmarks.  What cannot be kept is refused, and nothing else is.  And
->> of a document is what ->> of its jsonb is.
"""

import glob
import json
import os
import random
import struct
import sys
from decimal import Decimal

from libmpk import Node, Report, connect, documents, load, read, shortest_digits

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
import documents as bench_documents		# noqa: E402

ISO_CODES = "/usr/share/iso-codes/json/iso_*.json"

# A cast or what stopped it.
ATTEMPTS = r"""
CREATE OR REPLACE FUNCTION pg_temp.through_msgpack(t text, OUT result jsonb, OUT state text) AS $$
BEGIN
	result := t::msgpack::jsonb;
EXCEPTION WHEN OTHERS THEN
	state := SQLSTATE;
END $$ LANGUAGE plpgsql;

CREATE OR REPLACE FUNCTION pg_temp.straight(t text, OUT result jsonb, OUT state text) AS $$
BEGIN
	result := t::jsonb;
EXCEPTION WHEN OTHERS THEN
	state := SQLSTATE;
END $$ LANGUAGE plpgsql;

CREATE OR REPLACE FUNCTION pg_temp.there_and_back(j jsonb, OUT result jsonb, OUT state text) AS $$
BEGIN
	result := j::msgpack::jsonb;
EXCEPTION WHEN OTHERS THEN
	state := SQLSTATE;
END $$ LANGUAGE plpgsql;

CREATE OR REPLACE FUNCTION pg_temp.try_jsonb(m msgpack) RETURNS jsonb AS $$
BEGIN
	RETURN m::jsonb;
EXCEPTION WHEN OTHERS THEN
	RETURN NULL;
END $$ LANGUAGE plpgsql;
"""


# ---------------------------------------------------------------------------
# JSON text at random
# ---------------------------------------------------------------------------

class Writer:
    """plain: numbers that a float 64 keeps; else of all sizes."""

    def __init__(self, seed, plain):
        self.r = random.Random(seed)
        self.plain = plain

    def space(self):
        return self.r.choice(["", "", "", " ", "\n", "\t ", "\r\n"])

    def number(self):
        r = self.r
        sign = r.choice(["", "-"])
        if self.plain:
            if r.random() < 0.5:
                return sign + str(r.choice([0, 1, 31, 127, 128, 2**31, 2**53 + 1, 2**63 - 1,
                                            r.getrandbits(r.randint(1, 63))]))
            digits = str(r.randint(1, 10**r.randint(1, 14)))
            point = r.randint(0, len(digits))
            return sign + (digits[:point].lstrip("0") or "0") + "." + (digits[point:] or "0")
        kind = r.randrange(6)
        whole = str(r.getrandbits(r.choice([1, 8, 53, 54, 63, 64, 65, 90])))
        if kind == 0:
            return sign + whole
        if kind == 1:
            return sign + whole + "." + "%0*d" % (r.randint(1, 20), r.randint(0, 10**6))
        if kind == 2:
            return sign + str(r.randint(1, 9)) + "0" * r.randint(15, 40)
        if kind == 3:
            return r.choice(["0", "-0", "0.0", "-0.0", "0e5", "1e400", "1e-400", "5e-324", "2e-324",
                             "1.7976931348623157e308", "1.7976931348623159e308",
                             "18446744073709551615", "18446744073709551616",
                             "-9223372036854775808", "-9223372036854775809"])
        return (sign + str(r.randint(0, 99)) + r.choice(["", ".5", ".125", ".3333333333333333333"])
                + r.choice("eE") + r.choice(["", "+", "-"]) + str(r.randint(0, 320)))

    def string(self):
        r = self.r
        pieces = ["a", "key", "é", "日本語", "😀", r"\u0041", r"\ud83d\ude00", r"\n", r"\"",
                  r"\\", r"\/", r"\u00e9", "x" * 20, " ", r"\u001f", r"\b\f\r\t", "\x7f"]
        return '"' + "".join(r.choice(pieces) for _ in range(r.choice([0, 1, 1, 2, 4, 9]))) + '"'

    def value(self, depth=0):
        r = self.r
        if depth < 5 and r.random() < 0.6 - 0.08 * depth:
            items = []
            is_map = r.random() < 0.6
            for _ in range(r.choice([0, 1, 2, 3, 4, 9, 18])):
                item = self.space() + self.value(depth + 1) + self.space()
                if is_map:
                    item = self.space() + self.string() + self.space() + ":" + item
                items.append(item)
            body = ",".join(items) or self.space()
            return "{" + body + "}" if is_map else "[" + body + "]"
        kind = r.randrange(10)
        if kind < 5:
            return self.number()
        return self.string() if kind < 9 else r.choice(["true", "false", "null"])

    def document(self):
        return self.space() + self.value() + self.space()


# ---------------------------------------------------------------------------
# What becomes of its numbers
# ---------------------------------------------------------------------------

def server_digits(value):
    """The number that the server prints of a finite float."""
    if value == 0:
        return Decimal(0)
    bits = struct.unpack(">Q", struct.pack(">d", value))[0]
    digits, power = shortest_digits(Node("f64", bits, None))
    return Decimal("%s%se%d" % ("-" if value < 0 else "", digits, power - len(digits) + 1))


def is_kept_integer(value):
    """64 bits hold it, or a float 64 whose shortest digits are its own."""
    if -2**63 <= value < 2**64:
        return True
    try:
        nearest = float(value)
    except OverflowError:
        return False
    return server_digits(nearest) == value


def text_number_fits(token):
    """Does text input take this number?"""
    if token.lstrip("-").isdigit():
        return is_kept_integer(int(token))
    nearest = float(token)
    return abs(nearest) != float("inf") and (nearest != 0 or Decimal(token) == 0)


def jsonb_number_fits(value):
    """Does the exact cast from jsonb take this number, which is a Decimal?"""
    if value == value.to_integral_value() and -value.as_tuple().exponent <= 0:
        return is_kept_integer(int(value))
    nearest = float(value)
    return abs(nearest) != float("inf") and server_digits(nearest) == value


def numbers(text, take):
    """All numbers of a JSON text as take() makes them."""
    found = []

    def note(token):
        found.append(take(token))
        return 0
    json.loads(text, parse_int=note, parse_float=note)
    return found


def same(a, b):
    """Equal, numbers as float 64 sees them."""
    if isinstance(a, Decimal) and isinstance(b, Decimal):
        return a == b or float(a) == float(b)
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return a == b


def exact(text):
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


# ---------------------------------------------------------------------------
# The tests
# ---------------------------------------------------------------------------

def through_text(report, connection, what, texts, plain):
    load(connection, "texts", "id int4, t text", enumerate(texts))
    rows = connection.execute("""
SELECT t, j.result::text, j.state, m.result::text, m.state, m.result = j.result
FROM texts, pg_temp.straight(t) j, pg_temp.through_msgpack(t) m ORDER BY id""").fetchall()
    report.equal(len(rows), len(texts), what, "rows")
    kept = 0
    for text, straight, straight_state, through, through_state, equal in rows:
        fits = plain or all(numbers(text, text_number_fits))
        report.check(straight_state is None, what, "jsonb refuses", text, straight_state)
        report.equal(through_state, None if fits else "22003", what, text)
        if through is not None and straight is not None:
            kept += 1
            report.check(equal if plain else same(exact(straight), exact(through)), what, text,
                         straight, through)
    print("%s: %d documents, %d kept" % (what, len(texts), kept), flush=True)
    report.check(kept > len(texts) / 10, what, "hardly any is kept")


def from_jsonb(report, connection, what):
    """jsonb to msgpack and back, of the texts that are loaded."""
    rows = connection.execute("""
SELECT j.result::text, m.state, m.result = j.result
FROM texts, pg_temp.straight(t) j, pg_temp.there_and_back(j.result) m
WHERE j.state IS NULL ORDER BY id""").fetchall()
    for text, state, equal in rows:
        fits = all(numbers(text, lambda token: jsonb_number_fits(Decimal(token))))
        report.equal(state, None if fits else "22003", what, "from jsonb", text)
        if state is None:
            report.check(equal, what, "from jsonb and back", text)


def steps(data):
    """The keys and indexes at the top of a document that lead to scalars and that jsonb has too."""
    node = read(data)
    if node.kind == "array":
        return [(None, i) for i, item in enumerate(node.value) if item.kind not in ("array", "map")]
    if node.kind != "map":
        return []
    found = []
    for key, value in node.value:
        if value.kind in ("array", "map"):
            continue
        if key.kind == "int":
            found.append((str(key.value), None))
        elif key.kind in ("str", "bin"):
            try:
                name = key.value.decode("utf-8")
            except UnicodeDecodeError:
                continue
            if "\0" not in name:
                found.append((name, None))
    return found


def arrows(report, connection):
    docs = documents("arrows", 6000) + documents("plain arrows", 6000, odd=False)
    rows = [(i, data, key, index) for i, data in enumerate(docs) for key, index in steps(data)]
    load(connection, "steps", "id int4, doc bytea, key text, index int8", rows)
    # a bin key reads as text in jsonb's ->> only where it is shown as text: \x... otherwise
    for right, missing, data, key, index, ours, theirs in connection.execute("""
SELECT ours IS NOT DISTINCT FROM theirs, theirs IS NULL AND NOT coalesce(j ? key, true), doc, key,
	index, ours, theirs
FROM (SELECT doc, key, index, j,
		CASE WHEN key IS NULL THEN m ->> index ELSE m ->> key END AS ours,
		CASE WHEN key IS NULL THEN j ->> index::int ELSE j ->> key END AS theirs
	FROM (SELECT *, doc::msgpack AS m, pg_temp.try_jsonb(doc::msgpack) AS j FROM steps) a
	WHERE j IS NOT NULL OFFSET 0) b""").fetchall():
        if not missing:
            report.check(right, "->>", data.hex(), key, index, ours, theirs)


def main():
    report = Report()
    connection = connect()
    connection.execute(ATTEMPTS)
    plain, wild = Writer("plain", True), Writer("wild", False)
    through_text(report, connection, "plain numbers", [plain.document() for _ in range(4000)], True)
    from_jsonb(report, connection, "plain numbers")
    through_text(report, connection, "all numbers", [wild.document() for _ in range(4000)], False)
    from_jsonb(report, connection, "all numbers")
    through_text(report, connection, "single numbers", [wild.number() for _ in range(4000)], False)
    from_jsonb(report, connection, "single numbers")
    files = [open(file, encoding="utf-8").read() for file in sorted(glob.glob(ISO_CODES))]
    report.check(len(files) > 4, "iso-codes are not there")
    entries = [json.dumps(entry) for text in files for group in json.loads(text).values()
               for entry in group]
    through_text(report, connection, "iso-codes", files + entries, True)
    made = [json.dumps(document) for shape, count in (("S", 500), ("M", 200), ("L", 5), ("XL", 1))
            for document in bench_documents.documents(shape, count)]
    through_text(report, connection, "records", made, True)
    from_jsonb(report, connection, "records")
    arrows(report, connection)
    report.finish()


if __name__ == "__main__":
    main()
