#!/usr/bin/python3
"""Taking documents apart: rows, records, casts, text search, streams.

The same query on jsonb and on msgpack, over generated JSON documents and real
ones (each with every container inside it), with keys in jsonb's order: equal
rows or the same SQLSTATE.  Then generated MessagePack documents of every kind:
rows, trees, streams, ext values and casts are what libmpk makes of the bytes.
"""

import glob
import json
import math
import os
import random
import struct
import sys
from decimal import Decimal
from fractions import Fraction

import libmpk
from libmpk import Report, connect, documents, load, print_text, read

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
import documents as bench_documents		# noqa: E402
from json_documents import ISO_CODES, Writer		# noqa: E402

OUTCOME = r"""
CREATE OR REPLACE FUNCTION pg_temp.outcome(query text, type text, j jsonb, m msgpack)
RETURNS text AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT string_agg(r::text, chr(10)) FROM (' || query || ') r', type,
				   CASE type WHEN 'jsonb' THEN '$1' ELSE '$2' END) INTO result USING j, m;
	RETURN coalesce(result, 'no rows');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$ LANGUAGE plpgsql;

CREATE TYPE pg_temp.read_inner AS (a int, b text, c jsonb);
CREATE DOMAIN pg_temp.read_small AS int CHECK (VALUE < 1000);
CREATE TYPE pg_temp.read_row AS (a text, b numeric, c pg_temp.read_inner, d int[], e jsonb,
	f pg_temp.read_inner[], g pg_temp.read_small, h text[]);
"""

# %1$s: the type; %2$s: the document.
ROWS = [
    "SELECT * FROM %1$s_each(%2$s)",
    "SELECT %1$s_each(%2$s)",
    "SELECT * FROM %1$s_each_text(%2$s)",
    "SELECT * FROM %1$s_array_elements(%2$s)",
    "SELECT %1$s_array_elements(%2$s)",
    "SELECT * FROM %1$s_array_elements_text(%2$s)",
    "SELECT %1$s_array_elements_text(%2$s) LIMIT 3",
    "SELECT * FROM %1$s_object_keys(%2$s)",
]
SEARCH = [
    "SELECT to_tsvector('english', %2$s)",
    "SELECT %1$s_to_tsvector('simple', %2$s, '[\"string\", \"key\", \"boolean\", \"numeric\"]')",
    "SELECT ts_headline('english', %2$s, 'key | x | island', 'StartSel=<, StopSel=>')",
]
CASTS = ["SELECT (%%2$s)::%s" % name
         for name in ("bool", "int2", "int4", "int8", "float4", "float8", "numeric")]
ROW = "pg_temp.read_row"
RECORDS = [
    "SELECT %1$s_populate_record(NULL::" + ROW + ", %2$s)",
    "SELECT %1$s_populate_record(('base', 1.5, (7, 'in', NULL), '{1}', NULL, NULL, 5, NULL)::"
    + ROW + ", %2$s)",
    "SELECT * FROM %1$s_populate_recordset(NULL::" + ROW + ", %2$s)",
    "SELECT * FROM %1$s_populate_recordset(('base', 1.5, (7, 'in', NULL), '{1}', NULL, NULL, 5, "
    "NULL)::" + ROW + ", %2$s)",
    "SELECT * FROM %1$s_to_record(%2$s) AS (a jsonb, b json, c text, d numeric[], h int, x bool)",
    "SELECT * FROM %1$s_to_record(%2$s) AS (f text[], e float8, b varchar(3), a char(4), g int[][])",
    "SELECT * FROM %1$s_to_recordset(%2$s) AS (a text, b text, c text, d text, e bool)",
]


# ---------------------------------------------------------------------------
# The same query on jsonb and on msgpack
# ---------------------------------------------------------------------------

class Records:
    """JSON documents whose keys and values have a chance to fit the row types above."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def scalar(self):
        r = self.r
        return r.choice([None, None, True, False, r.randint(-50, 1500), r.randint(-2**63, 2**63),
                         r.randint(-999, 999) + 0.5, "text", "", "12", "1.5", "{1,2}", "(1,x,)",
                         "{\"(1,x,)\"}", "abc ", "a\"b\\c", "{}"])

    def array(self, depth=0):
        r = self.r
        if depth < 3 and r.random() < 0.25:
            return [self.array(depth + 1) for _ in range(r.randint(0, 3))]
        kinds = r.choice([["n"], ["n", "s"], ["s"], ["m"], ["m", "s"], ["n", "a"]])
        return [self.one(r.choice(kinds)) for _ in range(r.choice([0, 1, 2, 2, 3]))]

    def one(self, kind):
        r = self.r
        if kind == "n":
            return r.choice([None, r.randint(-9, 99), str(r.randint(0, 9))])
        return {"s": self.scalar, "m": self.inner, "a": self.array}[kind]()

    def inner(self):
        r = self.r
        return {key: r.choice([r.randint(0, 99), "s", None, self.scalar()])
                for key in "abcx" if r.random() < 0.6}

    def row(self):
        r = self.r
        fitting = {"a": self.scalar, "b": lambda: r.choice([None, 5, -7.25, "1e3"]),
                   "c": self.inner, "d": lambda: [r.randint(0, 9) for _ in range(3)],
                   "e": self.array, "f": lambda: [self.inner() for _ in range(r.randint(0, 3))],
                   "g": lambda: r.choice([1, 999, 1000, None]), "h": self.array,
                   "x": self.scalar, "key": self.array}
        keys = [key for key in fitting if r.random() < 0.5]
        # (an array of arrays for f is an array of rows here, unless maps are in them)
        return {key: fitting[key]() if key == "f" or r.random() < 0.9
                else r.choice([self.scalar, self.array])() for key in keys}

    def document(self):
        r = self.r
        if r.random() < 0.5:
            return self.row()
        return [self.row() if r.random() < 0.97 else self.scalar() for _ in range(r.randint(0, 4))]


def json_texts():
    plain = Writer("read", plain=True)
    texts = [plain.document() for _ in range(1500)]
    texts += [json.dumps(d, ensure_ascii=False) for shape, count in (("S", 100), ("M", 50), ("L", 2))
              for d in bench_documents.documents(shape, count)]
    texts += [open(file, encoding="utf-8").read() for file in sorted(glob.glob(ISO_CODES))]
    return texts


def prepare(connection, texts, parts):
    """
    The table "pair" of documents, and of so many values inside them.  By way of msgpack and back all numbers are ones that print alike.
    """
    load(connection, "texts", "id int4, t text", enumerate(texts))
    connection.execute("DROP TABLE IF EXISTS pair")
    connection.execute("""
CREATE TEMPORARY TABLE pair AS
SELECT j, j::text::msgpack AS m FROM texts, LATERAL (SELECT t::msgpack::jsonb AS j) x""")
    connection.execute("""
INSERT INTO pair
SELECT n.value::jsonb, n.value
FROM (SELECT DISTINCT ON (value::bytea) value
	FROM (SELECT m FROM pair WHERE length(m::bytea) < 20000) p, msgpack_tree(p.m)
	WHERE path <> '{}') n
ORDER BY msgpack_typeof(value) NOT IN ('array', 'map'), md5(value::bytea) LIMIT %d""" % parts)
    connection.execute("ANALYZE pair")


def side_by_side(report, connection, what, queries, share, allowed="false"):
    """
    Every query over every document, equal but where "allowed" says so.
    "share": at least so much of the outcomes is no error.
    """
    load(connection, "query", "q text", [(q,) for q in queries])
    connection.execute("DROP TABLE IF EXISTS outcome")
    connection.execute(r"""
CREATE TEMPORARY TABLE outcome AS
SELECT q, j, pg_temp.outcome(q, 'jsonb', j, m) AS jsonb,
	pg_temp.outcome(q, 'msgpack', j, m) AS msgpack
FROM query, pair""")
    checked, fine, unexpected = connection.execute(r"""
SELECT count(*) FILTER (WHERE NOT (%s)), avg((msgpack !~ '^[0-9A-Z]{5}$')::int),
	string_agg(DISTINCT msgpack, ' ') FILTER (WHERE msgpack ~ '^(XX|42|0A)[0-9A-Z]{3}$')
FROM outcome""" % allowed).fetchone()
    different = connection.execute("""
SELECT q, j::text, jsonb, msgpack FROM outcome
WHERE jsonb IS DISTINCT FROM msgpack AND NOT (%s) ORDER BY length(j::text)""" % allowed).fetchall()
    report.passed += checked - len(different)
    for query, document, theirs, ours in different:
        report.check(False, what, query, document, "\n    jsonb  ", theirs, "\n    msgpack", ours)
    report.equal(unexpected, None, what, "SQLSTATEs that no document should give")
    report.check(fine > share, what, "too many errors", fine)
    print("%s: %d comparisons, %d %% values" % (what, checked, 100 * fine), flush=True)


def against_jsonb(report, connection):
    prepare(connection, json_texts(), 6000)
    side_by_side(report, connection, "rows", ROWS, 0.1)
    side_by_side(report, connection, "text search", SEARCH, 0.99)
    # before PostgreSQL 18 a jsonb null has no cast
    connection.execute("""
INSERT INTO pair SELECT value::jsonb, value
FROM (SELECT DISTINCT ON (value::bytea) value
	FROM (SELECT m FROM pair WHERE length(m::bytea) < 20000) p, msgpack_tree(p.m)
	WHERE type NOT IN ('array', 'map')) n
ORDER BY md5(value::bytea) LIMIT 5000""")
    side_by_side(report, connection, "casts", CASTS, 0.1, "j = 'null' AND msgpack = '()'")
    made = Records("read")
    prepare(connection, [json.dumps(made.document()) for _ in range(3000)] + [
        json.dumps(d) for d in bench_documents.documents("S", 100)], 2000)
    # an array is a row by position here, and an error there
    side_by_side(report, connection, "records", RECORDS, 0.2, "jsonb = '22023' AND j::text ~ '\\['")


# ---------------------------------------------------------------------------
# Rows of MessagePack documents of every kind
# ---------------------------------------------------------------------------

ROWS_OF = r"""
CREATE OR REPLACE FUNCTION pg_temp.rows_of(m msgpack, OUT nodes text[], OUT parts text[],
	OUT bytes bytea, OUT pairs text[], OUT state text) AS $$
BEGIN
	CASE msgpack_typeof(m) WHEN 'array' THEN
		SELECT array_agg(value::text ORDER BY n), string_agg(value::bytea, '' ORDER BY n)
		INTO parts, bytes FROM msgpack_array_elements(m) WITH ORDINALITY AS e (value, n);
	WHEN 'map' THEN
		SELECT array_agg(value::text ORDER BY n) INTO parts
		FROM msgpack_each(m) WITH ORDINALITY AS e (key, value, n);
		SELECT array_agg((e).key || ' ' || (e).value::text) INTO pairs
		FROM (SELECT msgpack_each(m) AS e) e;
	ELSE
		parts := NULL;
	END CASE;
	SELECT array_agg(coalesce(key::text, '') || ' ' || type || ' ' || value::text ORDER BY n)
	INTO nodes FROM msgpack_tree(m) WITH ORDINALITY AS t (path, key, type, value, n);
EXCEPTION WHEN untranslatable_character OR character_not_in_repertoire THEN
	state := 'no text';
END $$ LANGUAGE plpgsql"""

TYPES = {"nil": "nil", "bool": "boolean", "int": "integer", "f32": "float", "f64": "float",
         "str": "string", "bin": "binary", "array": "array", "map": "map"}


def type_of(node):
    if node.kind != "ext":
        return TYPES[node.kind]
    return "extension" if libmpk.timestamp_of(node) is None else "timestamp"


def tree(node, key=""):
    """What msgpack_tree shows, a line for each value."""
    lines = ["%s %s %s" % (key, type_of(node), print_text(node))]
    if node.kind == "array":
        for i, item in enumerate(node.value):
            lines += tree(item, str(i))
    elif node.kind == "map":
        for name, item in node.value:
            lines += tree(item, print_text(name))
    return lines


def keys_are_text(node, deep):
    """Can every key (with "deep" of every map, keys themselves aside) be a PostgreSQL text?"""
    if node.kind == "array":
        return not deep or all(keys_are_text(item, True) for item in node.value)
    if node.kind != "map":
        return True
    return all((key.kind != "str" or libmpk.is_utf8(key.value) and b"\0" not in key.value)
               and (not deep or keys_are_text(value, True)) for key, value in node.value)


def values_of(node):
    if node.kind not in ("array", "map"):
        return None
    items = node.value if node.kind == "array" else [value for _, value in node.value]
    return [print_text(item) for item in items] or None


def rows(report, connection):
    docs = documents("rows", 5000)
    load(connection, "doc", "id int4, bytes bytea", enumerate(docs))
    connection.execute(ROWS_OF)
    told = 0
    for data, nodes, parts, raw, pairs, state in connection.execute("""
SELECT doc.bytes, nodes, parts, r.bytes, pairs, state FROM doc, pg_temp.rows_of(doc.bytes::msgpack) r
ORDER BY id""").fetchall():
        node = read(data)
        report.equal(state is None, keys_are_text(node, True), "keys as text", data.hex())
        if state is not None:
            continue
        told += 1
        report.equal(nodes, tree(node), "tree", data.hex())
        report.equal(parts, values_of(node), "elements or values", data.hex())
        if raw is not None:
            report.check(data.endswith(raw) and len(data) - len(raw) in (1, 3, 5),
                         "the elements' bytes", data.hex(), raw.hex())
        if pairs is not None:
            report.equal([pair.split(" ", 1)[1] if " " not in key else value for pair, value, key in
                          zip(pairs, parts, [print_text(k) for k, _ in node.value])], parts,
                         "pairs, one call each", data.hex())
    report.check(told > len(docs) / 2, "hardly any document's keys are text")


# ---------------------------------------------------------------------------
# Streams and exts
# ---------------------------------------------------------------------------

STREAM = r"""
CREATE OR REPLACE FUNCTION pg_temp.stream(data bytea, OUT objects text[], OUT place text) AS $$
DECLARE
	detail text;
BEGIN
	SELECT array_agg(value::text ORDER BY n) INTO objects
	FROM msgpack_stream(data) WITH ORDINALITY AS s (value, n);
EXCEPTION WHEN invalid_binary_representation THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	place := regexp_replace(detail, '^At byte (\d+) of \d+, .*in object (\d+), which begins at byte (\d+)\.$',
							'\1 \2 \3');
END $$ LANGUAGE plpgsql"""


def stream_of(data):
    """(objects, None) or (None, place) by our own light."""
    objects = []
    start = 0
    while start < len(data):
        reader = libmpk.Reader(data[start:])
        try:
            objects.append(print_text(reader.value()))
        except libmpk.Invalid as invalid:
            return None, "%d %d %d" % (start + invalid.at, len(objects) + 1, start)
        start += reader.at
    return objects or None, None


def streams(report, connection):
    r = random.Random("streams")
    docs = documents("streams", 2000)
    data = [b"".join(r.choice(docs) for _ in range(r.choice([0, 1, 2, 3, 10])))
            for _ in range(1500)]
    for whole in data[:1000]:
        cut = r.randint(0, len(whole))
        data.append(whole[:cut])
        data.append(whole[:cut] + b"\xc1" + whole[cut:])
    load(connection, "stream", "id int4, data bytea", enumerate(data))
    connection.execute(STREAM)
    for bytes_, objects, place in connection.execute("""
SELECT data, objects, place FROM stream, pg_temp.stream(data) s ORDER BY id""").fetchall():
        report.equal((objects, place), stream_of(bytes_), "stream", bytes_.hex())
    # the same bytes inside an ext
    for data, objects, values in connection.execute("""
SELECT data, (pg_temp.stream(data)).objects,
	(SELECT array_agg(value::text ORDER BY n) FROM msgpack_ext_values(msgpack_ext(9, data))
	 WITH ORDINALITY AS e (value, n))
FROM stream WHERE id < 1500""").fetchall():
        report.equal(values, objects, "ext values", data.hex())


def exts(report, connection, scalars):
    for data, code, body, binary in connection.execute("""
SELECT bytes, msgpack_ext_code(m), msgpack_ext_data(m),
	CASE WHEN msgpack_typeof(m) IN ('string', 'binary') THEN msgpack_binary(m) END
FROM (SELECT bytes, bytes::msgpack AS m FROM scalar) s""").fetchall():
        node = read(data)
        report.equal((code, body), node.value if node.kind == "ext" else (None, None), "ext",
                     data.hex())
        report.equal(binary, node.value if node.kind in ("str", "bin") else None, "bytes",
                     data.hex())


# ---------------------------------------------------------------------------
# Casts, by exact arithmetic
# ---------------------------------------------------------------------------

CAST = r"""
CREATE OR REPLACE FUNCTION pg_temp.cast_to(m msgpack, type text, send text, OUT sent bytea,
	OUT shown text, OUT state text) AS $$
BEGIN
	EXECUTE format('SELECT %s($1::%s), $1::%s::text', send, type, type) INTO sent, shown USING m;
EXCEPTION WHEN OTHERS THEN
	state := SQLSTATE;
END $$ LANGUAGE plpgsql"""

WRONG = "22023"
RANGE = "22003"


def half_away(value):
    whole = math.floor(abs(value) + Fraction(1, 2))
    return whole if value >= 0 else -whole


def number_of(node):
    """An int or a Fraction; a float that is neither as it is."""
    if node.kind == "int":
        return node.value
    value = libmpk.float_of(node)
    return Fraction(value) if math.isfinite(value) else value


def to_integer(node, size):
    value = number_of(node)
    if isinstance(value, float):
        return RANGE
    value = half_away(value)
    if not -2**(8 * size - 1) <= value < 2**(8 * size - 1):
        return RANGE
    return value.to_bytes(size, "big", signed=True)


def to_float8(node):
    value = float(node.value) if node.kind == "int" else libmpk.float_of(node)
    return struct.pack(">d", value)


def nearest_float32(value):
    """Of a Fraction, ties to even; None beyond the range."""
    magnitude = abs(value)
    if magnitude == 0:
        return 0.0
    if magnitude >= 2**128:
        return None
    exponent = max(math.floor(math.log2(magnitude)) - 1, -126)
    while Fraction(2) ** (exponent + 1) <= magnitude:
        exponent += 1
    unit = Fraction(2) ** (exponent - 23)
    steps = round(magnitude / unit)		# rounds half to even
    result = float(steps * unit)
    return None if result >= 2.0**128 else math.copysign(result, value)


def to_float4(node):
    if node.kind == "f32":
        return struct.pack(">f", libmpk.float_of(node))
    value = number_of(node)
    if isinstance(value, float):
        return struct.pack(">f", value)
    result = nearest_float32(Fraction(value))
    if result is None or result == 0 != value:
        return RANGE
    # a zero keeps its sign
    return struct.pack(">f", libmpk.float_of(node) if value == 0 and node.kind != "int" else result)


def to_numeric(node):
    if node.kind == "int":
        return Decimal(node.value)
    value = libmpk.float_of(node)
    if not math.isfinite(value):
        return Decimal(value)
    if value == 0:
        return Decimal(0)
    unsigned = (1 << (31 if node.kind == "f32" else 63)) - 1
    digits, power = libmpk.shortest_digits(libmpk.Node(node.kind, node.value & unsigned, None))
    return Decimal("%s%se%d" % ("-" if value < 0 else "", digits, power - len(digits) + 1))


# Microseconds from 2000-01-01 to 1970-01-01, and the ends of timestamptz.
EPOCH = 946_684_800 * 10**6
FIRST, END = -211_813_488_000_000_000, 9_223_371_331_200_000_000


def to_timestamptz(node):
    seconds, nanoseconds = libmpk.timestamp_of(node)
    micro = seconds * 10**6 + (nanoseconds + 500) // 1000 - EPOCH
    return struct.pack(">q", micro) if FIRST <= micro < END else "22008"


TARGETS = {
    "bool": ("boolsend", lambda n: b"\1" if n.value else b"\0"),
    "int2": ("int2send", lambda n: to_integer(n, 2)),
    "int4": ("int4send", lambda n: to_integer(n, 4)),
    "int8": ("int8send", lambda n: to_integer(n, 8)),
    "float4": ("float4send", to_float4),
    "float8": ("float8send", to_float8),
    "numeric": ("numeric_send", to_numeric),
    "timestamptz": ("timestamptz_send", to_timestamptz),
}


def expected_cast(node, target):
    if node.kind == "nil":
        return None
    kinds = {"bool": ("boolean",), "timestamptz": ("timestamp",)}.get(target, ("integer", "float"))
    return TARGETS[target][1](node) if type_of(node) in kinds else WRONG


def got_cast(target, sent, shown, state):
    if state is not None:
        return state
    if target == "numeric" and shown is not None:
        return Decimal(shown)
    return sent


def same_cast(got, want):
    if isinstance(got, Decimal) and isinstance(want, Decimal):
        return got == want or got.is_nan() and want.is_nan()
    if isinstance(got, bytes) and isinstance(want, bytes) and got != want and len(got) in (4, 8):
        # one NaN is as good as another
        form = ">f" if len(got) == 4 else ">d"
        return all(math.isnan(struct.unpack(form, side)[0]) for side in (got, want))
    return got == want


def casts(report, connection):
    connection.execute(CAST)
    for target, (send, _) in TARGETS.items():
        for data, sent, shown, state in connection.execute("""
SELECT bytes, sent, shown, state FROM scalar, pg_temp.cast_to(bytes::msgpack, %s, %s)""",
                                                           (target, send)).fetchall():
            got = got_cast(target, sent, shown, state)
            want = expected_cast(read(data), target)
            report.check(same_cast(got, want), "cast to", target, data.hex(), got, want)


def load_scalars(connection):
    generator = libmpk.Generator("scalars")
    scalars = {generator.scalar() for _ in range(20000)}
    r = random.Random("scalars")
    for _ in range(6000):
        half = r.choice([0, 127, 32767, 2**31 - 1, 2**24, 2**52, r.randint(0, 2**33)]) + 0.5
        scalars.add(libmpk.write_f64(r.choice([half, -half, math.nextafter(half, 0) if hasattr(
            math, "nextafter") else half, half - 1, r.uniform(-2**63, 2**63)])))
        scalars.add(libmpk.write_int(r.choice([1, -1]) * (
            (r.getrandbits(24) << r.randint(1, 39)) + r.choice([-1, 0, 1]))))
    load(connection, "scalar", "bytes bytea", [(data,) for data in sorted(scalars)])
    return scalars


def main():
    report = Report()
    connection = connect()
    connection.execute("SET TimeZone = 'UTC'")
    for statement in OUTCOME.split(";\n\n"):
        connection.execute(statement)
    against_jsonb(report, connection)
    rows(report, connection)
    streams(report, connection)
    exts(report, connection, load_scalars(connection))
    casts(report, connection)
    report.finish()


if __name__ == "__main__":
    main()
