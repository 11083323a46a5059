#!/usr/bin/python3
"""Constructors and aggregates: against jsonb's, and byte for byte.

Rows of random values of many types: to_msgpack, msgpack_build_*, msgpack_object
and the aggregates, cast to jsonb, give what jsonb's functions of those names
give.  Values of the types that MessagePack has: the bytes are the ones that the
codec of libmpk writes.
"""

import datetime
import random
import struct

from libmpk import (Report, connect, load, write_array, write_bin, write_f32_bits, write_f64,
                    write_int, write_map, write_str, write_timestamp)

TYPES = """
DROP TYPE IF EXISTS mood, pair, nest CASCADE;
CREATE TYPE mood AS ENUM ('sad', 'so so', 'happy');
CREATE TYPE pair AS (a int, b text);
CREATE TYPE nest AS (p pair, ps pair[], m mood);
"""

# name: type, and whether jsonb has values of it that are the same through the cast.
COLUMNS = {
    "flag": "bool", "small": "int2", "whole": "int4", "large": "int8", "single": "float4",
    "double": "float8", "exact": "numeric", "words": "text", "short": "varchar", "fixed": "char(5)",
    "bytes": "bytea", "day": "date", "moment": "timestamp", "hours": "time", "id": "uuid",
    "numbers": "int[]", "table_of": "text[]", "mood": "mood", "span": "int4range",
    "pair": "pair", "nest": "nest", "j": "json", "jb": "jsonb", "called": "name",
}


class Values:
    """Random values, as input of their types."""

    WORDS = ["", "a", "b", "key", "é", "日本", "x\"y", "back\\slash", "tab\t", "😀", "w" * 40, "0", "true"]

    def __init__(self, seed):
        self.r = random.Random(seed)

    def text(self):
        return self.r.choice(self.WORDS)

    def integer(self, bits):
        r = self.r
        value = r.choice([0, 1, 31, 32, 127, 128, 255, 256, 2**15 - 1, 2**16, 2**31 - 1, 2**32,
                          r.getrandbits(62)])
        value %= 1 << bits - 1
        return -value - 1 if r.random() < 0.4 else value

    def double(self):
        r = self.r
        return r.choice(["0", "-0", "1", "1.5", "-2.25", "1e300", "5e-324", "NaN", "Infinity",
                         "-Infinity", repr(r.uniform(-1e6, 1e6)), repr(r.uniform(-1, 1) * 10**20)])

    def single(self):
        r = self.r
        return r.choice(["0", "1", "1.5", "-2.25", "1e30", "1e-40", "NaN", "Infinity", "0.1",
                         "%.6g" % r.uniform(-1e6, 1e6)])

    def exact(self):
        r = self.r
        return r.choice(["0", "-7", "7.00", "12.5", "NaN", "Infinity", "18446744073709551615",
                         "-9223372036854775808", "1e20", "%.4f" % r.uniform(-1e6, 1e6),
                         str(r.getrandbits(60))])

    def quote(self, text):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    def array(self, item):
        return "{" + ",".join("NULL" if self.r.random() < 0.2 else item()
                              for _ in range(self.r.choice([0, 1, 3, 20]))) + "}"

    def words_table(self):
        r = self.r
        rows, columns = r.choice([1, 2, 3]), r.choice([1, 2])
        return "{" + ",".join("{" + ",".join(self.quote(self.text()) for _ in range(columns)) + "}"
                              for _ in range(rows)) + "}"

    def pair(self):
        return "(%d,%s)" % (self.integer(32), self.quote(self.text()))

    def nest(self):
        return "(%s,%s,%s)" % (self.quote(self.pair()),
                               self.quote(self.array(lambda: self.quote(self.pair()))),
                               self.r.choice(["sad", "happy", ""]))

    def json(self):
        return self.r.choice(["1", "null", "[]", '{"a": [1, 2.5, {"b": null}], "c": "\\u00e9"}', '"s"',
                              '{"k": 1, "k": 2}', '[[1], true, 1e10]'])

    def row(self):
        r = self.r
        makers = {
            "flag": lambda: r.choice(["t", "f"]), "small": lambda: str(self.integer(16)),
            "whole": lambda: str(self.integer(32)), "large": lambda: str(self.integer(64)),
            "single": self.single, "double": self.double, "exact": self.exact,
            "words": self.text, "short": self.text, "fixed": lambda: self.text()[:5],
            "bytes": lambda: "\\x" + r.getrandbits(64).to_bytes(8, "big").hex()[:r.choice([0, 2, 16])],
            "day": lambda: r.choice(["2026-11-30", "0001-01-01", "infinity", "4000-01-01 BC"]),
            "moment": lambda: r.choice(["2026-11-30 17:13:31.5", "-infinity", "1960-02-29"]),
            "hours": lambda: "17:13:31.25", "id": lambda: "%032x" % r.getrandbits(128),
            "numbers": lambda: self.array(lambda: str(self.integer(32))),
            "table_of": self.words_table, "mood": lambda: r.choice(["sad", "so so", "happy"]),
            "span": lambda: r.choice(["[1,5)", "empty", "(,7]"]), "pair": self.pair,
            "nest": self.nest, "j": self.json, "jb": self.json, "called": lambda: self.text()[:10],
        }
        return [None if r.random() < 0.15 else makers[name]() for name in COLUMNS]


def fill(connection):
    values = Values(71)
    rows = [[number, str(number % 40), *values.row()] for number in range(3000)]
    load(connection, "inputs", "n int4, k text, " + ", ".join("%s text" % name for name in COLUMNS),
         rows)
    connection.execute("CREATE TEMPORARY TABLE facts AS SELECT n, k, %s FROM inputs" % ", ".join(
        "%s::%s" % item for item in COLUMNS.items()))


def compare(connection, report, what, ours, theirs, source="facts"):
    """Two expressions, row by row."""
    count, same, example = connection.execute("""
SELECT count(*), count(*) FILTER (WHERE same),
	(array_agg(ours::text || ' / ' || theirs::text) FILTER (WHERE NOT same))[1]
	FROM (SELECT ours, theirs, ours::jsonb IS NOT DISTINCT FROM theirs AS same
		FROM (SELECT %s AS ours, %s AS theirs FROM %s) AS pair_of) AS compared""" % (
            ours, theirs, source)).fetchone()
    report.check(count > 0 and count == same, what, count, same, example)


def against_jsonb(connection, report):
    for name in COLUMNS:
        compare(connection, report, name, "to_msgpack(%s)" % name, "to_jsonb(%s)" % name)
        compare(connection, report, name + " in an array",
                "msgpack_build_array(%s, n)" % name, "jsonb_build_array(%s, n)" % name)
    compare(connection, report, "rows", "to_msgpack(facts)", "to_jsonb(facts)")
    compare(connection, report, "rows of rows", "row_to_msgpack(ROW(facts, n))",
            "row_to_json(ROW(facts, n))::jsonb")
    for name in ("flag", "whole", "exact", "words", "bytes", "day", "moment", "mood", "double"):
        compare(connection, report, name + " as a key",
                "msgpack_build_object(%s, n, k, words)" % name,
                "jsonb_build_object(%s, n, k, words)" % name,
                "facts WHERE %s IS NOT NULL" % name)
    compare(connection, report, "msgpack_object", "msgpack_object(ARRAY[k, words, '7', k, k, called])",
            "jsonb_object(ARRAY[k, words, '7', k, k, called])")
    compare(connection, report, "msgpack_object of two", "msgpack_object(ARRAY[k, '7'], ARRAY[words, k])",
            "jsonb_object(ARRAY[k, '7'], ARRAY[words, k])")


def aggregates(connection, report):
    source = "facts GROUP BY n %% %d"
    for size in (1, 7, 500):
        groups = source % size
        for value in ("whole", "words", "nest", "j", "facts", "numbers"):
            compare(connection, report, "agg of " + value, "msgpack_agg(%s ORDER BY n)" % value,
                    "jsonb_agg(%s ORDER BY n)" % value, groups)
            compare(connection, report, "object_agg of " + value,
                    "msgpack_object_agg(k, %s ORDER BY n)" % value,
                    "jsonb_object_agg(k, %s ORDER BY n)" % value, groups)
        compare(connection, report, "agg_strict",
                "msgpack_agg_strict(words ORDER BY n)",
                "coalesce(jsonb_agg(words ORDER BY n) FILTER (WHERE words IS NOT NULL), '[]')", groups)
        compare(connection, report, "object_agg_strict",
                "msgpack_object_agg_strict(k, words ORDER BY n)",
                "coalesce(jsonb_object_agg(k, words ORDER BY n) FILTER (WHERE words IS NOT NULL), '{}')",
                groups)
        compare(connection, report, "object_agg_unique",
                "msgpack_object_agg_unique(n, words ORDER BY n)",
                "jsonb_object_agg(n, words ORDER BY n)", groups)
        compare(connection, report, "object_agg_unique_strict",
                "msgpack_object_agg_unique_strict(n, words ORDER BY n)",
                "coalesce(jsonb_object_agg(n, words ORDER BY n) FILTER (WHERE words IS NOT NULL), '{}')",
                groups)
    answer = connection.execute("""
SELECT msgpack_stream_agg(to_msgpack(f) ORDER BY n) = string_agg(to_msgpack(f)::bytea, '' ORDER BY n),
	(SELECT msgpack_agg(d) FROM msgpack_stream(msgpack_stream_agg(to_msgpack(f) ORDER BY n)) d)
		= msgpack_agg(f ORDER BY n)
	FROM facts f""").fetchone()
    report.equal(answer, (True, True), "stream_agg")


def single_bits(value):
    return struct.unpack(">I", struct.pack(">f", value))[0]


def byte_for_byte(connection, report):
    r = random.Random(72)
    values = Values(73)
    rows = []
    for number in range(4000):
        seconds = r.choice([0, -1, 1_800_000_000, 2**32 - 1, 2**32, r.randint(-2**35, 2**35)])
        micro = r.choice([0, 0, 1, 500_000, 999_999])
        moment = (datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) +
                  datetime.timedelta(seconds=seconds, microseconds=micro))
        whole, double, data = values.integer(64), r.uniform(-1e9, 1e9), r.randbytes(r.choice([0, 1, 300]))
        single = struct.unpack(">f", struct.pack(">f", r.uniform(-1e6, 1e6)))[0]
        text = values.text() * r.choice([1, 1, 10, 9000])
        numbers = [values.integer(32) for _ in range(r.choice([0, 1, 15, 16, 70000 if number == 7 else 3]))]
        parts = [write_int(whole), write_f64(double), write_f32_bits(single_bits(single)),
                 write_str(text), write_bin(data), write_timestamp(seconds, micro * 1000),
                 write_array([write_int(n) for n in numbers])]
        names = ["whole", "double", "single", "words", "data", "moment", "numbers"]
        expected = write_map([(write_str(name), part) for name, part in zip(names, parts)])
        rows.append((whole, double, single, text, data, moment, numbers, expected))
    load(connection, "samples", "whole int8, double float8, single float4, words text, data bytea, "
         "moment timestamptz, numbers int4[], expected bytea", rows)
    count, same = connection.execute("""
SELECT count(*), count(*) FILTER (WHERE expected = (SELECT to_msgpack(x)::bytea
	FROM (SELECT whole, double, single, words, data, moment, numbers) x)) FROM samples""").fetchone()
    report.equal((count, same), (len(rows), len(rows)), "bytes of rows")
    answer = connection.execute("""
SELECT count(*), bool_and(to_msgpack(moment)::timestamptz = moment), bool_and(
	record_image_eq(ROW(to_msgpack(numbers)), ROW(to_msgpack(numbers)::bytea::msgpack)))
	FROM samples""").fetchone()
    report.equal(answer, (len(rows), True, True), "timestamps there and back, stored form")


def main():
    report = Report()
    with connect() as connection:
        connection.execute("SET client_min_messages = warning")
        connection.execute(TYPES)
        fill(connection)
        against_jsonb(connection, report)
        aggregates(connection, report)
        byte_for_byte(connection, report)
    report.finish()


if __name__ == "__main__":
    main()
