#!/usr/bin/python3
"""Random calls of everything that the extension has.

Functions, operators, casts and aggregates are found in the catalogs, so new ones
are covered as they come.  Arguments are random, from TOAST in every storage, NULL
and extreme.  No call may end the backend, leak, take long, or raise an SQLSTATE
that is not for users; what is returned as msgpack must be valid and stored exactly
as the same bytes from outside are.  A tenth as many calls go to a database of each
other kind of encoding.

Environment: MPK_CALLS, how many statements (6000); MPK_SEED.
"""

import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "differential"))

# pylint: disable=wrong-import-position
import libcatalog
import psycopg
from libmpk import Report, connect, documents, load, write_array, write_map, write_str

# Where strings are not stored as they are sent, beside the database that is given.
ENCODINGS = ["LATIN1", "EUC_JP", "SQL_ASCII"]

CALLS = int(os.environ.get("MPK_CALLS", "6000"))
SEED = os.environ.get("MPK_SEED", "calls")

# What a user may be told.  All else is a fault, XX000 above all.
EXPECTED = {
    "22P02", "22P03", "22P05",      # not the text, not the bytes of a value; NUL
    "22003", "22007", "22008",      # out of range, also of dates
    "22021",                        # not in the encoding
    "22023", "22004", "2202E",      # arguments: invalid, NULL, arrays of odd shape
    "22030",                        # keys clash
    "54000", "54001",               # limits
    "42804",                        # populate_record of what is no row
    "42601",                        # options of ts_headline, jsonpath
    "2201B", "22012", "22031", "22033", "22034", "22035", "22036", "22037", "22038", "22039",
    "2203A", "2203B", "2203C", "2203D", "2203E", "2203F", "2203G", "0A000", "42704",  # jsonpath
}

TEXTS = ["a", "key", "0", "-1", "1", "é", "", "x y", "k3", "99999999999999999999", "$.a", "last",
         "error", "first", "binary", "replace", "hex", "delete_key", "use_json_null", "\U0001f600",
         "raise_exception", "return_target", "exact", "round", "string", "[1, {\"a\": null}]",
         "{\"a\": {\"a\": [1, 2.5, h'00ff']}}", "NaN", "1e400", "h'0", "\\x81a16101", "\\xc1",
         "ext(5, h'00')", "DT'2026-11-30T17:13:31.5Z'", "[\"string\", \"all\"]", "a" * 3000]

PATHS = ["$", "$.a", "$.*", "$[*]", "$.**", "$[0 to last]", "strict $.a.b", "lax $.a[*].size()",
         "$.a ? (@ > 1)", "$[*] ? (@.k3 == \"x\" || exists(@.a))", "$.a.type()", "$ == $",
         "$.** ? (@ like_regex \"^a\" flag \"i\")", "$.a + $.b * 2", "-$.a", "$.keyvalue()",
         "$.a.double().ceiling()", "$x + $.a", "$.a starts with \"v\"", "$[last - 1]", "$.a.datetime()"]


class Maker:
    """Random SQL expressions of a type."""

    def __init__(self, seed, documents_there):
        self.r = random.Random(seed)
        self.documents_there = documents_there

    def quoted(self, text):
        return "'" + text.replace("'", "''") + "'"

    def document(self):
        r = self.r
        choice = r.random()
        if choice < 0.45:
            return "d.doc"
        if choice < 0.85:
            return "(SELECT doc FROM odd_docs WHERE id = %d)" % r.randrange(self.documents_there)
        return r.choice([
            "'null'::msgpack", "'[]'::msgpack", "'{}'::msgpack", "'\"a\"'::msgpack",
            "'0'::msgpack", "'{\"a\": null}'::msgpack", "'[1, \"a\", null]'::msgpack",
            "'18446744073709551615'::msgpack", "'NaN_f32'::msgpack", "'[[], [[1]]]'::msgpack",
            "'{_dup \"a\": 1, \"a\": [2]}'::msgpack", "'{\"a\": {\"k3\": [1]}}'::msgpack",
            "'ext(-1, h''ff'')'::msgpack", "'ext(5, h''0102'')'::msgpack", "'str''ff'''::msgpack"])

    def number(self, low, high):
        r = self.r
        return str(r.choice([0, 1, -1, 2, 3, low, high, low + 1, high - 1, r.randint(-5, 12),
                             r.randint(low, high)]))

    def text(self):
        return self.quoted(self.r.choice(TEXTS)) + "::text"

    def array(self):
        r = self.r
        if r.random() < 0.1:
            return r.choice(["'{}'::text[]", "'{{a,b},{c,d}}'::text[]", "'[2:3]={a,b}'::text[]",
                             "array_fill('a'::text, ARRAY[500])", "'{{{a}}}'::text[]"])
        items = [r.choice(["NULL", self.quoted(r.choice(TEXTS[:12]))])
                 if r.random() < 0.2 else self.quoted(r.choice(TEXTS[:12]))
                 for _ in range(r.randrange(1, 5))]
        return "ARRAY[%s]::text[]" % ", ".join(items)

    def bytes(self):
        r = self.r
        return r.choice([
            "'\\x'::bytea", "d.doc::bytea", "(d.doc::bytea || d.doc::bytea)",
            "substr(d.doc::bytea, %d)" % r.randrange(1, 20), "decode(repeat('91', 1100), 'hex')",
            "substr(d.doc::bytea, 1, %d)" % r.randrange(1, 300), "'\\xddffffffff'::bytea",
            "decode(repeat('81', 1024) || 'c0', 'hex')", "set_byte(d.doc::bytea, 0, %d)" %
            r.randrange(256), "'\\xdf80000000c0'::bytea", "'\\xc6ffffffff'::bytea",
            "'\\x%s'::bytea" % r.randbytes(r.randrange(1, 24)).hex()])

    def any(self):
        return self.of(self.r.choice([
            "msgpack", "integer", "text", "bytea", "jsonb", "json", "text[]", "numeric", "bigint",
            "double precision", "real", "boolean", "timestamp with time zone", "smallint", "oid",
            "record", "regconfig", "interval", "date", "timestamp", "int4range", "uuid", "calls_row",
            "calls_enum", "calls_domain", "int4[]", "msgpack[]", "xid8", "inet", "name", "point"]))

    CONSTANTS = {
        "boolean": ["true", "false"],
        "numeric": ["0", "'NaN'", "'Infinity'", "'-Infinity'", "1e131000", "1e-16383", "-0.5",
                    "18446744073709551616", "12345678901234567890.123456789"],
        "double precision": ["'NaN'", "'Infinity'", "'-0'", "1e308", "5e-324", "0.1"],
        "real": ["'NaN'", "'-Infinity'", "3.4e38", "1e-45", "0.1"],
        "timestamp with time zone": ["'infinity'", "'-infinity'", "'4713-01-01 BC'",
                                     "'294276-12-31'", "'2026-11-30 17:13:31.5+00'"],
        "timestamp": ["'infinity'", "'2026-11-30'"], "date": ["'infinity'", "'0001-01-01'"],
        "interval": ["'1 year 2 days'"], "int4range": ["'[1,5)'", "'empty'"], "name": ["'n'"],
        "uuid": ["'00000000-0000-0000-0000-000000000000'"], "xid8": ["'7'"], "inet": ["'::1/3'"],
        "calls_row": ["ROW(1, 'x', NULL, NULL)", "NULL", "ROW(NULL, NULL, '[1]', '{1}')"],
        "calls_enum": ["'one'"], "calls_domain": ["3"], "int4[]": ["'{1,NULL}'", "'{{1},{2}}'"],
        "regconfig": ["'english'", "'simple'"], "tsquery": ["'a & b'", "''", "'a:*'"],
        "oid": ["0", "4294967295"], "point": ["'(1,2)'"], "json": [
            "'[1, {\"a\":  \"b\"}]'", "'{\"a\":1,\"a\":2}'", "'1e400'", "'\"\\u0000\"'"],
        "jsonb": ["'null'", "'[1, 2.5, {\"a\": \"b\"}]'", "'{\"a\": {\"k3\": [1, null]}, \"key\": 1}'",
                  "'18446744073709551616'", "'0.1000000000000000000001'", "'1e400'", "'[]'", "'{}'"],
        "jsonpath": ["'%s'" % path.replace("'", "''") for path in PATHS],
        "char": ["'a'"], '"char"': ["'a'"], "cstring": ["'[1, 2]'", "'{'", "'\\xc1'"],
    }

    def of(self, kind):
        """An expression of the type; NULL now and then."""
        r = self.r
        if r.random() < 0.06:
            return "NULL::" + (kind if kind not in ("any", "anyelement", "record") else
                               "calls_row" if kind == "record" else "text")
        if kind in self.CONSTANTS:
            return "(%s)::%s" % (r.choice(self.CONSTANTS[kind]), kind)
        limits = {"smallint": 15, "integer": 31, "bigint": 63}
        if kind in limits:
            top = 2 ** limits[kind]
            return "(%s)::%s" % (self.number(-top, top - 1), kind)
        makers = {"msgpack": self.document, "text": self.text, "text[]": self.array,
                  "bytea": self.bytes, "any": self.any, "anyelement": self.any,
                  "anynonarray": self.any}
        if kind in makers:
            return makers[kind]()
        if kind == "record":
            return "ROW(%s)" % ", ".join(self.any() for _ in range(r.randrange(1, 4)))
        if kind == "msgpack[]":
            return "ARRAY[%s, NULL]" % self.document()
        raise KeyError("calls.py has no arguments of type " + kind)


class Calls:
    """All that can be called, as makers of (expression, result type, set, aggregate)."""

    def __init__(self, connection, maker):
        self.maker = maker
        self.functions = libcatalog.functions(connection)
        self.operators = libcatalog.operators(connection)
        self.casts = libcatalog.casts(connection)
        self.names = ["function %s(%s)" % (f[0], ",".join(f[4])) for f in self.functions] + \
            ["operator %s %s %s" % (o[1], o[0], o[2]) for o in self.operators] + \
            ["cast %s to %s" % c for c in self.casts]

    def function(self, name, kind, many, result, types, variadic, defaults):
        maker, r = self.maker, self.maker.r
        full = len(types)
        if defaults and r.random() < 0.5:
            types = types[:len(types) - r.randint(0, defaults)]
        arguments = [maker.of(t.replace('"any"', "any")) for t in types]
        if "populate" in name and r.random() < 0.8:
            arguments[0] = maker.of("calls_row")
        if "follow" in name and r.random() < 0.8:
            arguments[1] = r.choice(["'[\"a\"]'", "'[\"k3\"]'", "'[0]'", "'[\"a\", 0, -1]'",
                                     "'[[\"a\"], [\"key\"]]'", "'[]'", "'[null]'"]) + "::msgpack"
        if variadic and len(types) == full:
            if types[-1] == '"any"' and r.random() < 0.8:
                arguments += [maker.any() for _ in range(r.randrange(4))]
            elif types[-1] == '"any"':
                arguments[-1] = "VARIADIC " + maker.array()
            else:
                arguments[-1] = "VARIADIC " + arguments[-1]
        expression = "%s(%s)" % (name, ", ".join(arguments))
        if kind == "a" and r.random() < 0.3:
            expression = expression[:-1] + " ORDER BY d.id DESC)"
        return expression, result, many, kind == "a"

    def draw(self):
        """One of all, each as likely: its name, and an expression."""
        maker, r = self.maker, self.maker.r
        at = r.randrange(len(self.names))
        name = self.names[at]
        if at < len(self.functions):
            return (name,) + self.function(*self.functions[at])
        at -= len(self.functions)
        if at < len(self.operators):
            op, left, right, result = self.operators[at]
            text = "(%s OPERATOR(%s) %s)" % (maker.of(left) if left else "", op, maker.of(right))
            return name, text, result, False, False
        source, target = self.casts[at - len(self.operators)]
        return name, "(%s)::%s" % (maker.of(source), target), target, False, False


def statement(call, maker):
    """A SELECT of the call, over some rows; what is msgpack is looked at closely."""
    _, expression, result, many, aggregate = call
    r = maker.r
    rows = "(SELECT * FROM odd_docs WHERE id BETWEEN %d AND %d) d" % (
        (lambda at: (at, at + r.choice([0, 0, 0, 3, 30])))(r.randrange(maker.documents_there)))
    if many and result == "record" and "to_record" in expression:
        expression += " AS t(a int, key text, k3 msgpack)"
        return "SELECT count(*) FROM %s, %s" % (rows, expression)
    if "to_record" in expression:
        return "SELECT count(*) FROM %s, %s AS t(a int, key text, k3 msgpack)" % (rows, expression)
    if result == "msgpack":
        shown = ("bool_and(x IS NULL OR pg_temp.raw(x, '') = pg_temp.raw(x::bytea::msgpack, ''))")
        if aggregate:
            return "SELECT %s FROM (SELECT %s AS x FROM %s) s" % (shown, expression, rows)
        return "SELECT %s FROM (SELECT %s AS x FROM %s OFFSET 0) s" % (shown, expression, rows)
    if aggregate:
        over = r.random() < 0.2 and "ORDER BY" not in expression
        return "SELECT %s%s FROM %s" % (expression, " OVER (ORDER BY d.id ROWS 2 PRECEDING)" if over
                                        else "", rows)
    if result == "cstring":
        return "SELECT textin(%s) FROM %s" % (expression, rows)
    return "SELECT count(x::text) FROM (SELECT %s AS x FROM %s OFFSET 0) s" % (expression, rows)


def special(maker):
    """What is no call by name: subscripts, assignments, searches by each kind of index."""
    r = maker.r
    step = lambda: r.choice([maker.text(), maker.number(-3, 5), "'a'::text", "'k3'::text"])
    subscripts = "".join("[%s]" % step() for _ in range(r.randrange(1, 4)))
    choice = r.randrange(6)
    if choice == 0:
        return "SELECT count((d.doc)%s::text) FROM odd_docs d WHERE id < 40" % subscripts
    if choice == 1:
        return ("UPDATE scratch d SET doc%s = %s WHERE id = %d RETURNING "
                "pg_temp.raw(doc, '') = pg_temp.raw(doc::bytea::msgpack, '')" %
                (subscripts, maker.document(), r.randrange(maker.documents_there)))
    if choice == 2:
        op = r.choice(["<", "<=", "=", ">=", ">", "<>"])
        where = "doc %s %s" % (op, maker.document().replace("d.doc", "'[]'::msgpack"))
    elif choice == 3:
        where = "doc @> %s" % maker.document().replace("d.doc", "'{\"a\": {}}'::msgpack")
    elif choice == 4:
        where = "doc %s %s" % (r.choice(["?|", "?&"]), maker.array())
    else:
        where = "doc ? %s" % maker.text()
    # the same answer by index and by scan
    return ("SELECT pg_temp.counted($q$SELECT count(*) FROM odd_docs WHERE %s$q$, true) = "
            "pg_temp.counted($q$SELECT count(*) FROM odd_docs WHERE %s$q$, false)" % (where, where))


COUNTED = """
CREATE FUNCTION pg_temp.counted(query text, by_index boolean) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	result bigint;
BEGIN
	PERFORM set_config('enable_seqscan', (NOT by_index)::text, false),
		set_config('enable_indexscan', by_index::text, false),
		set_config('enable_bitmapscan', by_index::text, false);
	EXECUTE query INTO result;
	RETURN result;
END $$"""


def make_documents(connection):
    """A table of documents in every storage: short, inline, compressed both ways, outside."""
    wide = write_map([(write_str("k%d" % i), write_str("value %d" % i * 20)) for i in range(200)])
    deep = b"\x81\xa1a" * 200 + b"\x01"
    long = write_array([write_str("x" * 90)] * 400)
    rows = [b"\xc0", b"\x80", b"\x90", wide, deep, long, b"\x81\xa1a" + wide,
            b"\x91" * 1024 + b"", write_map([(write_str("a"), wide), (write_str("key"), long)])]
    rows[7] = b"\x91" * 1023 + b"\x90"
    rows += [data for data in documents("calls", 120, odd=True) if len(data) < 5000]
    load(connection, "loaded", "id int4, bytes bytea", list(enumerate(rows)))
    connection.execute("CREATE TABLE odd_docs (id int PRIMARY KEY, doc msgpack)")
    for n, (storage, compression) in enumerate([
            ("extended", "pglz"), ("external", "pglz"), ("main", "pglz"), ("extended", "default"),
            ("plain", "pglz")]):
        connection.execute("ALTER TABLE odd_docs ALTER doc SET STORAGE %s" % storage)
        connection.execute("ALTER TABLE odd_docs ALTER doc SET COMPRESSION %s" % compression)
        limit = "length(bytes) < 500" if storage == "plain" else "true"
        connection.execute("INSERT INTO odd_docs SELECT id * 5 + %d, bytes::msgpack FROM loaded "
                           "WHERE %s" % (n, limit))
    connection.execute("CREATE TABLE scratch AS SELECT * FROM odd_docs")
    # a value too large for a page of the index cannot be in it
    connection.execute("CREATE INDEX ON odd_docs USING hash (doc)")
    connection.execute("CREATE INDEX ON odd_docs USING gin (doc)")
    connection.execute("CREATE INDEX ON odd_docs USING gin (doc msgpack_path_ops)")
    connection.execute("CREATE INDEX ON odd_docs (doc) WHERE msgpack_size(doc) < 1000")
    connection.execute("VACUUM ANALYZE odd_docs")
    connection.execute("CREATE TYPE calls_row AS (a int, key text, k3 msgpack, list int[])")
    connection.execute("CREATE TYPE calls_enum AS ENUM ('one', 'two')")
    connection.execute("CREATE DOMAIN calls_domain AS int CHECK (VALUE < 10)")
    return len(rows) * 5


def open_session(database=None):
    connection = connect() if database is None else psycopg.connect(
        dbname=database, client_encoding="UTF8", autocommit=True)
    connection.execute("CREATE EXTENSION IF NOT EXISTS mpk")
    connection.execute("SET statement_timeout = '20s'")
    # bytes as they are stored: byteacat does not know what it joins
    connection.execute("CREATE FUNCTION pg_temp.raw(msgpack, bytea) RETURNS bytea "
                       "LANGUAGE internal IMMUTABLE STRICT AS 'byteacat'")
    connection.execute(COUNTED)
    return connection


def context_bytes(connection):
    """What lives longer than a statement, without what the catalogs' caches hold."""
    return connection.execute("""
SELECT sum(used_bytes) FROM pg_backend_memory_contexts
WHERE name NOT IN ('CacheMemoryContext', 'index info', 'relation rules', 'MessageContext',
	'ExprContext', 'ExecutorState', 'PortalContext', 'ErrorContext') AND
	name NOT LIKE '%cache%' AND name NOT LIKE '%hash%' AND name NOT LIKE 'CachedPlan%'
""").fetchone()[0]


def judge(report, connection, sql, seen):
    """Run it; False when the session is gone."""
    try:
        row = connection.execute(sql).fetchone()
    except psycopg.OperationalError as error:
        if connection.closed or connection.broken:
            report.check(False, "the backend died:", sql, error)
            return False
        seen["error"] = error.sqlstate
        report.check(error.sqlstate in EXPECTED, error.sqlstate, error, sql)
        return True
    except psycopg.Error as error:
        seen["error"] = error.sqlstate
        report.check(error.sqlstate in EXPECTED, error.sqlstate, error, sql)
        return True
    except UnicodeDecodeError as error:
        report.check(False, "output is not in the client's encoding:", sql, error)
        return True
    report.check(row is None or row[0] is not False, "not valid, or stored in another way:", sql)
    return True


def run(report, maker, database, count):
    connection = open_session(database)
    calls = Calls(connection, maker)
    succeeded = {name: False for name in calls.names + ["specials"]}
    warm = None
    errors = 0
    for number in range(count):
        call = calls.draw()
        sql = statement(call, maker)
        if maker.r.random() < 0.08:
            call, sql = ("specials",), special(maker)
        seen = {}
        if not judge(report, connection, sql, seen):
            connection = open_session(database)
            warm = None
        if seen:
            errors += 1
        else:
            succeeded[call[0]] = True
        if number == count // 2:
            warm = context_bytes(connection)
    if warm is not None:
        grown = context_bytes(connection) - warm
        report.check(grown < 256 * 1024, "the session holds so many bytes more:", grown)
    never = [name for name, ok in succeeded.items() if not ok]
    report.check(not never or count < 60 * len(succeeded), "never once succeeded:", never)
    print("%d things called, %d statements, %d of them errors" %
          (len(succeeded), count, errors), flush=True)


def in_encoding(report, encoding, count):
    """The same in a database of its own."""
    database = "mpk_calls_" + encoding.lower()
    with connect() as server:
        server.execute("DROP DATABASE IF EXISTS " + database)
        server.execute("CREATE DATABASE %s TEMPLATE template0 ENCODING '%s' LOCALE 'C'" %
                       (database, encoding))
    with open_session(database) as connection:
        maker = Maker(SEED + encoding, make_documents(connection))
    print(encoding, end=": ")
    run(report, maker, database, count)
    with connect() as server:
        server.execute("DROP DATABASE %s WITH (FORCE)" % database)


def main():
    report = Report()
    with open_session() as connection:
        maker = Maker(SEED, make_documents(connection))
    run(report, maker, None, CALLS)
    for encoding in ENCODINGS:
        in_encoding(report, encoding, CALLS // 10)
    report.finish()


main()
