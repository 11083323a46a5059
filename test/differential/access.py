#!/usr/bin/python3
"""Reading by key, index and path: against a naive model, byte for byte.

Generated documents of every kind, and shapes that the offset index has cases
for: wide and deep ones, keys that share affixes, keys of one hash, sizes about
every width boundary, irregular ones.  Each is read in memory and out of line,
uncompressed and compressed, by text, integer, path and key of any type; what
is found are the very bytes that scanning the document finds, stored as the
same bytes from outside are.  Then large values, and what keys of one hash cost.
"""

import random
import sys
from collections import namedtuple

import psycopg

from libmpk import (Generator, Reader, Report, connect, cpu_seconds, identity, load, write_array,
                    write_bin, write_f64, write_int, write_map, write_str)

sys.setrecursionlimit(20000)

Place = namedtuple("Place", "kind value mark start end")

# A question: how it is asked, the step or path, and the bytes that it finds.
Question = namedtuple("Question", "document how name number key path expected")


class PlaceReader(Reader):
    """Nodes that know their bytes."""

    def value(self, depth=0):
        start = self.at
        return Place(*super().value(depth), start, self.at)


# ---------------------------------------------------------------------------
# The model
# ---------------------------------------------------------------------------

def plain_integer(text):
    """The integer whose digits these are, as it would be printed."""
    try:
        value = int(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None
    if value is None or str(value) != text or not -2**63 <= value < 2**64:
        return None
    return value


def last(pairs, wanted):
    found = [value for key, value in pairs if identity(key) == wanted]
    return found[-1] if found else None


def step_text(place, text, in_path):
    if place.kind == "map":
        number = plain_integer(text)
        for wanted in (("str", text.encode()), ("bin", text.encode()), ("number", number)):
            found = last(place.value, wanted)
            if found is not None and wanted[1] is not None:
                return found
        return None
    if place.kind == "array" and in_path:
        try:
            index = int(text.lstrip(" \t\n\r\v\f"))
        except ValueError:
            return None
        # int() takes blanks behind and underscores, which strtol does not
        if not text or text[-1] not in "0123456789" or "_" in text:
            return None
        return element(place.value, index)
    return None


def element(items, index):
    return items[index] if -len(items) <= index < len(items) else None


def step_number(place, number):
    if place.kind == "map":
        return last(place.value, ("number", number))
    if place.kind == "array":
        return element(place.value, number)
    return place if number in (0, -1) else None


def step_key(place, key):
    if place.kind == "map":
        return last(place.value, identity(key))
    wanted = identity(key)
    if place.kind == "array" and wanted[0] == "number" and wanted[1] != "NaN" and (
            wanted[1] == wanted[1] // 1 if abs(wanted[1]) != float("inf") else False):
        return element(place.value, int(wanted[1]))
    return None


# ---------------------------------------------------------------------------
# Questions
# ---------------------------------------------------------------------------

TEXTS = ["", "a", "0", "-1", "7", "1.5", "00", "-0", "+1", " 1", "missing", "null",
         "18446744073709551615"]


def text_of(node, r):
    """A text step that may lead to a key."""
    if node.kind in ("str", "bin"):
        try:
            text = node.value.decode()
        except UnicodeDecodeError:
            return r.choice(TEXTS)
        return text if "\0" not in text else r.choice(TEXTS)
    if node.kind == "int":
        return str(node.value)
    return r.choice(TEXTS)


def questions(number, data, r, count):
    root = PlaceReader(data).value()

    def bytes_of(place):
        return None if place is None else data[place.start:place.end]

    def some_key(place):
        return r.choice(place.value)[0] if place.kind == "map" and place.value else None

    for _ in range(count):
        key = some_key(root)
        text = text_of(key, r) if key is not None and r.random() < 0.8 else r.choice(TEXTS)
        size = len(root.value) if root.kind == "array" else 3
        index = (key.value if key is not None and key.kind == "int" and key.value < 2**63
                 and r.random() < 0.5 else r.randint(-size - 1, size + 1))
        yield Question(number, "text", text, None, None, None,
                       bytes_of(step_text(root, text, False)))
        yield Question(number, "number", None, index, None, None,
                       bytes_of(step_number(root, index)))
        wanted = data[key.start:key.end] if key is not None else write_int(r.randint(0, size))
        yield Question(number, "key", None, None, wanted, None,
                       bytes_of(step_key(root, PlaceReader(wanted).value())))
        path, place = [], root
        for _ in range(r.randint(0, 5)):
            if place is None:
                break
            below = some_key(place)
            if below is not None and r.random() < 0.9:
                path.append(text_of(below, r))
            elif place.kind == "array" and place.value and r.random() < 0.9:
                path.append(str(r.randint(-len(place.value), len(place.value) - 1)))
            else:
                path.append(r.choice(TEXTS))
            place = step_text(place, path[-1], True)
        yield Question(number, "path", None, None, None, path, bytes_of(place))


# ---------------------------------------------------------------------------
# Documents
# ---------------------------------------------------------------------------

KEYS = {
    "short": lambda i: write_str("k%d" % i),
    "affixes": lambda i: write_str("sensor_%06d_temperature_in_degrees_celsius" % i),
    "integers": lambda i: write_int(i * 7 - 50),
    "binaries": lambda i: write_bin(b"key %d" % i),
    "mixed": lambda i: (write_str("k%d" % i), write_int(i), write_bin(b"%d" % -i),
                        write_f64(i + 0.5), write_array([write_int(i)]),
                        write_map([(write_int(i), b"\xc0")]), write_str("%d" % (i * 3)))[i % 7],
}


def rotate_right(v, bits):
    return (v >> bits | v << 64 - bits) & 2**64 - 1


def one_hash(count, r):
    """ASCII strs of 16 bytes that all have one hash: the second word undoes the first."""
    mask = 2**64 - 1
    k1, k2, k3 = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03, 0xAEF17502108EF2D9
    start = (0x737472 + 16) * k1 & mask
    target = 0x0123456789ABCDEF
    before = rotate_right((target - k1) * pow(k3, -1, 2**64) & mask, 29)
    keys = set()
    while len(keys) < count:
        first = bytes(r.choice(b"abcdefghijklmnopqrstuvwxyz0123456789_-") for _ in range(8))
        h = (start ^ int.from_bytes(first, "little") * k2) & mask
        h = ((h << 29 | h >> 35) * k3 + k1) & mask
        second = ((h ^ before) * pow(k2, -1, 2**64) & mask).to_bytes(8, "little")
        if max(second) < 128 and 0 not in second:
            keys.add((first + second).decode("ascii"))
    return sorted(keys)


def shapes(r):
    for style, key in KEYS.items():
        for n in (1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 66, 128, 129, 255, 256, 257, 1000, 5000):
            yield write_map([(key(i), write_int(i)) for i in range(n)])
    # about the width boundaries of places, of maps with and without others inside
    for total in (250, 251, 252, 253, 254, 255, 256, 257, 65530, 65534, 65535, 65536, 65540):
        filler = write_str("x" * max(0, total - 60))
        yield write_map([(write_str("a%d" % i), write_int(i)) for i in range(8)]
                        + [(write_str("f"), filler), (write_str("last"), write_int(7))])
        yield write_map([(write_str("f"), filler),
                         (write_str("m"), write_map([(write_int(i), write_int(i))
                                                     for i in range(16)]))])
    yield write_map([(write_str("f"), write_str("x" * 2**24))]
                    + [(write_str("a%d" % i), write_int(i)) for i in range(9)])
    for n in (1, 100, 255, 256, 300, 1000, 70000):
        yield write_array([write_int(i % 300) for i in range(n)])
        yield write_array([write_str("y" * (i % 200)) for i in range(n // 10 + 1)])
        yield write_array([write_map([(write_str("id"), write_int(i)), (write_str("v"), write_map(
            [(write_str("k%d" % j), write_int(j)) for j in range(i % 20)]))]) for i in range(n // 50)])
    deep = write_map([(write_int(i), write_str("end")) for i in range(20)])
    for i in range(1000):
        deep = write_array([deep]) if i % 2 else write_map([(write_str("d"), deep)])
        if i in (3, 100, 999):
            yield deep
    yield write_map([(write_str(key), write_int(i)) for i, key in enumerate(one_hash(300, r))])
    yield write_map([(write_str(key), write_int(i)) for i, key in enumerate(one_hash(60, r))])
    # irregular: every key twice, in maps short and long
    for n in (5, 20, 200):
        yield write_map([(write_str("k%d" % (i % n)), write_int(i)) for i in range(2 * n)])
        yield write_map([((write_int, write_f64)[i // n](i % n), write_int(i)) for i in range(2 * n)])
    yield write_map([(write_str(b"\xff%d" % i), write_str(b"\xfe")) for i in range(100)])
    for empty in (write_map([]), write_array([]), b"\xc0", write_str("scalar"),
                  write_str("s" * 100000)):
        yield empty
        yield write_array([empty] * 1000)


# ---------------------------------------------------------------------------
# Asking
# ---------------------------------------------------------------------------

STORAGE = {"memory": "PLAIN", "external": "EXTERNAL", "pglz": "EXTENDED", "lz4": "EXTENDED"}

ASK = """
SELECT q.*, f.found::bytea FROM question q JOIN held d ON d.id = q.document, LATERAL (
	SELECT CASE how WHEN 'text' THEN doc -> name WHEN 'number' THEN doc -> number
				WHEN 'key' THEN msgpack_get(doc, key::msgpack) ELSE doc #> path END AS found) f
 WHERE f.found::bytea IS DISTINCT FROM expected
	OR msgpack_storage(f.found)::text IS DISTINCT FROM msgpack_storage(expected::msgpack)::text
	OR msgpack_check(f.found) IS DISTINCT FROM msgpack_check(expected)
	OR how = 'key' AND msgpack_has(doc, key::msgpack) <> (expected IS NOT NULL)"""


def ask(report, connection, storage, documents, asked):
    connection.execute("DROP TABLE IF EXISTS held")
    connection.execute("CREATE TEMPORARY TABLE held (id int, doc msgpack)")
    if storage in ("pglz", "lz4"):
        try:
            connection.execute("ALTER TABLE held ALTER doc SET COMPRESSION " + storage)
        except psycopg.errors.FeatureNotSupported:
            report.skip("this server has no " + storage)
            return
    if storage == "external":
        connection.execute("ALTER TABLE held ALTER doc SET STORAGE EXTERNAL")
    connection.execute("INSERT INTO held SELECT id, bytes::msgpack FROM loaded")
    connection.execute("ANALYZE held")
    query = ASK
    if storage == "memory":
        query = "WITH held AS MATERIALIZED (SELECT id, (ARRAY[doc])[1] AS doc FROM held) " + ASK
    wrong = connection.execute(query).fetchall()
    for row in wrong:
        report.check(False, storage, documents[row[0]][:100].hex(), row[1:])
    report.passed += asked - len(wrong)
    print("%s: %d questions of %d documents" % (storage, asked, len(documents)), flush=True)


def compare_with_model(report, connection):
    r = random.Random("access")
    generator = Generator("access")
    documents = [generator.value() for _ in range(1500)]
    documents += list(shapes(r))
    load(connection, "loaded", "id int4, bytes bytea", list(enumerate(documents)))
    asked = [question for i, data in enumerate(documents)
             for question in questions(i, data, r, 4 if len(data) < 2**20 else 1)]
    load(connection, "question", "document int4, how text, name text, number int8, key bytea, "
         "path text[], expected bytea", asked)
    unsound = connection.execute(
        "SELECT id, msgpack_check(bytes::msgpack) FROM loaded "
        "WHERE msgpack_check(bytes::msgpack) IS DISTINCT FROM msgpack_check(bytes)").fetchall()
    report.equal(unsound, [], "documents whose index is not right")
    for storage in STORAGE:
        ask(report, connection, storage, documents, len(asked))


# ---------------------------------------------------------------------------
# What it costs
# ---------------------------------------------------------------------------

def seconds(connection, sql):
    start = cpu_seconds(connection)
    connection.execute(sql)
    return cpu_seconds(connection) - start


def keys_of_one_hash(report, connection):
    """At most three times as slow as jsonb, in memory and out of line."""
    keys = one_hash(3000, random.Random("hash"))
    data = write_map([(write_str(key), write_int(i)) for i, key in enumerate(keys)])
    connection.execute("DROP TABLE IF EXISTS collide")
    connection.execute("CREATE TEMPORARY TABLE collide (m msgpack, j jsonb)")
    connection.execute("ALTER TABLE collide ALTER m SET STORAGE EXTERNAL, "
                       "ALTER j SET STORAGE EXTERNAL")
    connection.execute("INSERT INTO collide SELECT m, m::jsonb FROM (SELECT %s::bytea::msgpack AS m) "
                       "AS d", (data,))
    connection.execute("CREATE TEMPORARY TABLE collide_key AS SELECT jsonb_object_keys(j) AS k "
                       "FROM collide")
    wrong = connection.execute("SELECT count(*) FROM collide, collide_key "
                               "WHERE m ->> k IS DISTINCT FROM j ->> k").fetchone()[0]
    report.equal(wrong, 0, "keys of one hash")
    for name, source in (("in memory", "(SELECT (ARRAY[{0}])[1] AS {0} FROM collide OFFSET 0)"),
                         ("out of line", "collide")):
        sql = "SELECT count({0} ->> k) FROM collide_key, " + source + " AS d"
        if name == "in memory":
            sql = ("WITH d AS MATERIALIZED (SELECT (ARRAY[{0}])[1] AS {0} FROM collide) "
                   "SELECT count({0} ->> k) FROM collide_key, d")
        times = [(seconds(connection, sql.format("m")), seconds(connection, sql.format("j")))
                 for _ in range(9)]
        ratio = min(m for m, _ in times) / min(j for _, j in times)
        print("keys of one hash, %s: %.2f of jsonb's time" % (name, ratio), flush=True)
        report.check(ratio < 3, "keys of one hash", name, ratio)


def blocks(connection, query):
    """How many blocks of temporary tables a query takes."""
    plan = connection.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + query).fetchone()[0]
    return plan[0]["Plan"]["Local Hit Blocks"] + plan[0]["Plan"]["Local Read Blocks"]


def large_values(report, connection):
    """A hundred megabytes: a map of a million pairs, an array; and a query that is cancelled."""
    connection.execute("DROP TABLE IF EXISTS large")
    connection.execute("CREATE TEMPORARY TABLE large (how text, m msgpack)")
    connection.execute("ALTER TABLE large ALTER m SET STORAGE EXTERNAL")
    pairs = b"".join(write_str("key %d" % i) + write_str("v" * 90) for i in range(1_000_000))
    connection.execute("INSERT INTO large VALUES ('map', %b::bytea::msgpack)",
                       (b"\xdf" + (1_000_000).to_bytes(4, "big") + pairs,))
    items = b"".join(write_int(i) for i in range(2_000_000))
    connection.execute("INSERT INTO large VALUES ('array', %b::bytea::msgpack)",
                       (b"\xdd" + (20_000_000).to_bytes(4, "big") + items * 10,))
    for where in ("m", "(ARRAY[m])[1]"):
        got = connection.execute(
            "SELECT m ->> 'key 0', m ->> 'key 999999', m ->> 'key 1000000', m -> 'x' FROM "
            "(SELECT %s AS m FROM large WHERE how = 'map' OFFSET 0) AS d" % where).fetchone()
        report.equal(got, ("v" * 90, "v" * 90, None, None), "a large map", where)
        got = connection.execute(
            "SELECT m ->> 0, m ->> 1999999, m ->> 12345678, m ->> -1, m ->> 20000000, "
            "msgpack_array_length(m) FROM (SELECT %s AS m FROM large WHERE how = 'array' OFFSET 0) "
            "AS d" % where).fetchone()
        report.equal(got, ("0", "1999999", "345678", "1999999", None, 20_000_000), "a large array",
                     where)
    one, whole = (blocks(connection, "SELECT %s FROM large WHERE how = 'map'" % expression)
                  for expression in ("m ->> 'key 777777'", "m::bytea"))
    report.check(0 < one < whole / 4, "blocks for one key of a large map, and for all of it:", one, whole)
    connection.execute("SET statement_timeout = '50ms'")
    try:
        connection.execute("SELECT sum(length((m::bytea::msgpack)::text)) FROM large")
        report.check(False, "a long query was not cancelled")
    except psycopg.errors.QueryCanceled:
        report.check(True, "a long query was cancelled")
    connection.execute("RESET statement_timeout")
    connection.execute("DROP TABLE large")


def main():
    report = Report()
    connection = connect()
    compare_with_model(report, connection)
    keys_of_one_hash(report, connection)
    large_values(report, connection)
    report.finish()


if __name__ == "__main__":
    main()
