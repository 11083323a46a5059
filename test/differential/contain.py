#!/usr/bin/python3
"""Containment and existence: against jsonb's, against a naive model, and through GIN.

JSON documents of few keys and values, so that much is contained in much: @>,
<@, ?, ?| and ?& on msgpack and on jsonb.  MessagePack documents of every kind,
odd ones too, and parts of them: @> against a model that tries everything.  Both
GIN classes give the rows that a scan gives.
"""

import json
import random

from libmpk import (Generator, Reader, Report, connect, identity, load, read, write_array,
                    write_map)

JSON_DOCUMENTS = 400
MSGPACK_DOCUMENTS = 1500


# ---------------------------------------------------------------------------
# Against jsonb
# ---------------------------------------------------------------------------

class Jsons:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def value(self, depth=0):
        r = self.r
        kind = r.random()
        if depth >= 4 or kind < 0.35:
            return r.choice([None, True, False, 0, 1, 1.0, 1.5, -2, "a", "b", "", "1", "x" * 40])
        count = r.choice([0, 1, 1, 2, 2, 3, 5, 20])
        if kind < 0.65:
            return [self.value(depth + 1) for _ in range(count)]
        return {r.choice("abcdefghij1") * r.choice([1, 1, 1, 9]): self.value(depth + 1)
                for _ in range(count)}

    def part(self, value):
        """Often contained in the value: entries left out, elements in another order."""
        r = self.r
        if isinstance(value, dict):
            return {k: self.part(v) if r.random() < 0.8 else v for k, v in value.items()
                    if r.random() < 0.6}
        if isinstance(value, list):
            items = [self.part(v) for v in value if r.random() < 0.6]
            return r.sample(items, len(items)) + items[:1]
        return value if r.random() < 0.97 else self.value(3)


def against_jsonb(connection, report):
    jsons = Jsons(1)
    rows = []
    for i in range(JSON_DOCUMENTS):
        document = jsons.value()
        rows.append((2 * i, json.dumps(document)))
        rows.append((2 * i + 1, json.dumps(jsons.part(document))))
    load(connection, "texts", "id int4, t text", rows)
    connection.execute("CREATE TEMPORARY TABLE pairs AS SELECT id, t::jsonb AS j, t::msgpack AS m FROM texts")
    tests = {
        "@>": "a.{0} @> b.{0}", "<@": "a.{0} <@ b.{0}",
    }
    for name, test in tests.items():
        got = connection.execute(
            "SELECT count(*), count(*) FILTER (WHERE %s), count(*) FILTER (WHERE (%s) <> (%s)) "
            "FROM pairs a, pairs b" % (test.format("j"), test.format("j"), test.format("m"))
        ).fetchone()
        report.check(got[1] > len(rows), name, "holds too seldom to tell", got)
        report.check(got[2] == 0, name, "differs from jsonb's in", got[2], "of", got[0])
        report.passed += got[0] - got[2]
    keys = ["a", "b", "", "1", "aaaaaaaaa", "nothing"]
    for key in keys:
        differ = connection.execute("SELECT count(*) FROM pairs WHERE (j ? %s) <> (m ? %s)",
                                    (key, key)).fetchone()[0]
        report.equal(differ, 0, "?", key)
        for operator in ("?|", "?&"):
            array = [key, random.Random(key).choice(keys)]
            differ = connection.execute(
                "SELECT count(*) FROM pairs WHERE (j {0} %s) <> (m {0} %s)".format(operator),
                (array, array)).fetchone()[0]
            report.equal(differ, 0, operator, array)


# ---------------------------------------------------------------------------
# Against a naive model
# ---------------------------------------------------------------------------

def is_container(node):
    return node.kind in ("array", "map")


def pairs_of(node):
    """Of equal keys the last one's value."""
    return {identity(key): value for key, value in node.value}


def holds(whole, part):
    """Does a container contain another of the same kind?"""
    if part.kind == "map":
        values = pairs_of(whole)
        return all(key in values and entry_holds(values[key], value)
                   for key, value in pairs_of(part).items())
    return all(any(entry_holds(item, wanted) for item in whole.value) for wanted in part.value)


def entry_holds(whole, part):
    if is_container(part):
        return whole.kind == part.kind and holds(whole, part)
    return not is_container(whole) and identity(whole) == identity(part)


def contains(whole, part):
    if is_container(part):
        return whole.kind == part.kind and holds(whole, part)
    if whole.kind == "array":
        return any(entry_holds(item, part) for item in whole.value)
    return entry_holds(whole, part)


class Parts(Generator):
    """Documents, and parts that they often contain."""

    def part(self, data, depth=0):
        node, bounds = read(data), entries(data)
        r = self.r
        if node.kind == "array":
            items = [self.part(data[a:b], depth + 1) for a, b in bounds if r.random() < 0.6]
            return write_array(r.sample(items, len(items)))
        if node.kind == "map":
            pairs = [(data[bounds[i][0]:bounds[i][1]],
                      self.part(data[bounds[i + 1][0]:bounds[i + 1][1]], depth + 1))
                     for i in range(0, len(bounds), 2) if r.random() < 0.6]
            return write_map(pairs)
        return data if r.random() < 0.98 else self.scalar()


def entries(data):
    """Where the elements, or keys and values, of a container lie."""
    node = read(data)
    if not is_container(node):
        return []
    count = len(node.value) * (2 if node.kind == "map" else 1)
    at = 1 if data[0] < 0xa0 else 3 if data[0] in (0xdc, 0xde) else 5
    bounds = []
    for _ in range(count):
        reader = Reader(data[at:])
        reader.value()
        bounds.append((at, at + reader.at))
        at += reader.at
    return bounds


def against_model(connection, report):
    generator = Parts(7)
    rows = []
    for i in range(MSGPACK_DOCUMENTS):
        whole = generator.value()
        for part in (generator.part(whole), generator.part(whole), generator.value()):
            rows.append((len(rows), whole, part))
    load(connection, "parts", "id int4, whole bytea, part bytea", rows)
    answers = dict(connection.execute(
        "SELECT id, ARRAY[whole::msgpack @> part::msgpack, part::msgpack <@ whole::msgpack,"
        " part::msgpack @> whole::msgpack] FROM parts").fetchall())
    held = 0
    for number, whole, part in rows:
        a, b = read(whole), read(part)
        wanted = contains(a, b)
        held += wanted
        report.equal(answers[number], [wanted, wanted, contains(b, a)], whole.hex(), part.hex())
    report.check(held > len(rows) // 4, "the model holds too seldom to tell", held, len(rows))


# ---------------------------------------------------------------------------
# Through GIN
# ---------------------------------------------------------------------------

def through_gin(connection, report):
    connection.execute("CREATE TABLE gin_documents AS "
                       "SELECT DISTINCT ON (whole) id, whole::msgpack AS doc FROM parts")
    # a column is asked as it comes, a constant is made ready once for all documents
    asked = connection.execute(
        "SELECT part::msgpack::text, (SELECT coalesce(array_agg(d.id ORDER BY d.id), '{}')"
        " FROM gin_documents d WHERE doc @> part::msgpack) FROM parts WHERE id % 7 = 0").fetchall()
    queries = [(text,) for text, _ in asked]
    sql = ("SELECT coalesce(array_agg(id ORDER BY id), '{}') FROM gin_documents "
           "WHERE doc @> %s::msgpack")
    connection.execute("SET enable_indexscan = off")
    scanned = [connection.execute(sql, row).fetchone()[0] for row in queries]
    for (text, wanted), found in zip(asked, scanned):
        report.equal(found, wanted, "constant", text)
        report.equal(connection.execute(sql.replace("doc @> %s::msgpack", "%s::msgpack <@ doc"),
                                        (text,)).fetchone()[0], wanted, "constant <@", text)
    for opclass in ("msgpack_ops", "msgpack_path_ops"):
        connection.execute("DROP INDEX IF EXISTS gin_documents_doc")
        connection.execute("CREATE INDEX gin_documents_doc ON gin_documents USING gin (doc %s)"
                           % opclass)
        connection.execute("SET enable_seqscan = off")
        for row, wanted in zip(queries, scanned):
            report.equal(connection.execute(sql, row).fetchone()[0], wanted, opclass, row[0])
        connection.execute("RESET enable_seqscan")
    connection.execute("DROP TABLE gin_documents")


def main():
    report = Report()
    connection = connect()
    against_jsonb(connection, report)
    against_model(connection, report)
    through_gin(connection, report)
    report.finish()


if __name__ == "__main__":
    main()
