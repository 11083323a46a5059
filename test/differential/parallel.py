#!/usr/bin/python3
"""Parallel scans: every function gives the same answers in workers.

Takes all functions, aggregates and operators that the extension has, gives
them arguments out of a table of documents, and compares what a forced parallel
scan answers with what a plain one does.  A type of argument that it does not
know is a failure: add a sample to SAMPLES.
"""

from libmpk import Report, connect, documents, load

# An expression for an argument of a type, over the columns of "docs".
SAMPLES = {
    "msgpack": "doc", "bytea": "bytes", "text": "key", "int8": "place", "int4": "place::int4",
    "bool": "(place > 0)", "jsonb": "j", "json": "j::json", "_text": "ARRAY[key]",
    "_msgpack": "ARRAY[doc]", "anyelement": "doc", "anycompatible": "key", "any": "doc",
    "record": "ROW(key, place)", "timestamptz": "'2026-11-30 12:00+00'::timestamptz",
    "numeric": "place::numeric", "float8": "place::float8", "float4": "place::float4",
    "int2": "place::int2", "_int8": "ARRAY[place]", "jsonpath": "'$.a'::jsonpath",
    "anyarray": "ARRAY[place]", "regconfig": "'simple'::regconfig", "tsquery": "'a'::tsquery",
}

# Not for a query to call, or in need of a column definition list.
INTERNAL = {"internal", "cstring", "planstate"}

# Whole argument lists, by name and number, for functions that are particular.
ARGUMENTS = {
    ("jsonb_to_msgpack", 2): "j, 'round'",
    ("msgpack_regular", 3): "doc, 'last', 'replace'",
    ("msgpack_to_jsonb", 5): "doc, false, 'replace', 'hex', 'last'",
    ("msgpack_build_object", 1): "'k', doc",
    ("msgpack_build_map", 1): "1, doc",
    ("msgpack_object", 1): "ARRAY['k', key]",
    ("msgpack_to_tsvector", 2): """doc, '["all"]'""",
    ("msgpack_to_tsvector", 3): """'simple', doc, '["all"]'""",
    ("ts_headline", 3): "doc, 'a'::tsquery, 'MaxWords=5, MinWords=2'",
    ("ts_headline", 4): "'simple', doc, 'a'::tsquery, 'MaxWords=5, MinWords=2'",
    ("msgpack_path_match", 4): "doc, '$.a > 100', '{}', true",
    ("msgpack_path_match_tz", 4): "doc, '$.a > 100', '{}', true",
    ("msgpack_insert", 4): "msgpack_build_object('k', doc), ARRAY['new'], doc, false",
    ("msgpack_populate_record", 2): "NULL::pair, doc",
    ("msgpack_populate_recordset", 2): "NULL::pair, msgpack_build_array(doc)",
}

# Documents that a function may want; the first kind that it takes without an error serves.
KINDS = ["true", "kind = 'map'", "kind = 'array'", "kind = 'string'", "kind = 'binary'",
         "kind = 'integer'", "kind = 'float'", "kind = 'boolean'", "kind = 'timestamp'",
         "kind = 'extension'", "kind = 'a 1'",
         "kind = 'small number'", "kind = 'plain string'",
         "kind = 'plain array'", "kind = 'ext of values'"]

FORCE = ["SET parallel_leader_participation = off", "SET parallel_setup_cost = 0",
         "SET parallel_tuple_cost = 0",
         "SET min_parallel_table_scan_size = 0", "SET max_parallel_workers_per_gather = 2"]


def functions(connection):
    """What pg_proc says of each; last, whether it is an aggregate that goes by the order of rows."""
    return connection.execute("""
SELECT p.oid, p.oid::regproc::text, ARRAY(SELECT t.typname::text
		FROM unnest(p.proargtypes) WITH ORDINALITY a (oid, n) JOIN pg_type t ON t.oid = a.oid
		ORDER BY n),
	p.prokind, p.proretset, r.typname, p.provariadic <> 0, p.proparallel,
	p.prorettype = 'record'::regtype AND p.proallargtypes IS NULL,
	p.prokind = 'a' AND a.aggcombinefn = 0
FROM pg_proc p JOIN pg_type r ON r.oid = p.prorettype LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid
	JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
	JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'mpk'
ORDER BY 2, 3""").fetchall()


def operators(connection):
    return connection.execute("""
SELECT o.oprname, coalesce(l.typname, ''), r.typname
FROM pg_operator o LEFT JOIN pg_type l ON l.oid = o.oprleft JOIN pg_type r ON r.oid = o.oprright
	JOIN pg_depend d ON d.classid = 'pg_operator'::regclass AND d.objid = o.oid AND d.deptype = 'e'
	JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'mpk' ORDER BY 1, 2, 3""").fetchall()


def query(call, kind, is_set, result, condition):
    """One row that sums up what the call gives for the documents."""
    docs = "FROM docs WHERE " + condition
    if kind == "a":
        # workers hand in their parts in any order
        parts = "msgpack_stream(a)" if result == "bytea" else (
            "msgpack_array_elements(CASE msgpack_typeof(a) WHEN 'array' THEN a "
            "ELSE msgpack_build_array(msgpack_canonical(a)) END)")
        return ("SELECT md5(string_agg(x::text, ',' ORDER BY x::text)) "
                "FROM (SELECT %s AS a %s OFFSET 0) s, LATERAL %s x" % (call, docs, parts))
    return ("SELECT md5(string_agg(id || ':' || coalesce(x::text, '-'), ',' ORDER BY id%s)) "
            "FROM (SELECT id, %s AS x %s OFFSET 0) s"
            % (", x::text" if is_set else "", call, docs))


def answer(connection, sql):
    """What it gives, or the SQLSTATE with which it ends."""
    try:
        return connection.execute(sql).fetchone()[0] or "nothing"
    except Exception as error:			# both connections must end alike
        return "error " + error.diag.sqlstate


def is_parallel(connection, sql):
    try:
        plan = connection.execute("EXPLAIN (COSTS off) " + sql).fetchall()
    except Exception:					# an error at planning, the same for both
        return True
    return any("Workers Planned" in line for line, in plan)


def arguments(name, types, variadic):
    special = ARGUMENTS.get((name.split(".")[-1], len(types)))
    if special is not None:
        return special
    samples = [SAMPLES[t] for t in types]
    if types == ["any", "any"]:
        samples = ["id", "doc"]			# keys that are distinct
    if variadic and types[-1] != "any":
        samples[-1] = "VARIADIC " + samples[-1]
    return ", ".join(samples)


def compare(report, plain, forced, what, call, kind="f", is_set=False, result=""):
    """False when no kind of document is taken without an error."""
    for condition in KINDS:
        sql = query(call, kind, is_set, result, condition)
        expected = answer(plain, sql)
        got = answer(forced, sql)
        report.check("XX" not in expected[:8] + got[:8], what, "breaks:", expected, got, sql)
        # which of two bad documents is met first is up to the workers
        if not (expected.startswith("error") and got.startswith("error")):
            report.equal(got, expected, what, sql)
        if not expected.startswith("error"):
            report.check(is_parallel(forced, sql), what, "is not run in parallel:", sql)
            return True
    return False


def make_table(connection):
    load(connection, "loaded", "id int4, bytes bytea",
         enumerate(documents("parallel", 1500, odd=False)))
    connection.execute("""
CREATE FUNCTION try_jsonb(m msgpack) RETURNS jsonb AS $$
BEGIN
	RETURN m::jsonb;
EXCEPTION WHEN OTHERS THEN
	RETURN '{"a": [1, 2.5, "x"]}';
END $$ LANGUAGE plpgsql;
CREATE TABLE docs AS
SELECT id, bytes, bytes::msgpack AS doc, try_jsonb(bytes::msgpack) AS j,
	(ARRAY['a', 'key', '0', 'été'])[1 + id % 4] AS key, (id % 3)::int8 - 1 AS place,
	msgpack_typeof(bytes::msgpack) AS kind
FROM loaded
UNION ALL
SELECT 10000 + (row_number() OVER ())::int, m::bytea, m, m::jsonb, 'a', 0, kind
FROM generate_series(1, 500) i,
	LATERAL (VALUES ('a 1', jsonb_build_object('a', i, 'key', ARRAY[i, 2])::msgpack),
		('small number', to_jsonb(i)::msgpack),
		('plain string', to_jsonb('s' || i)::msgpack),
		('plain array', jsonb_build_array(i, 'x')::msgpack),
		('ext of values', msgpack_ext(5, decode('010203', 'hex')))) x (kind, m);
CREATE TYPE pair AS (a int, key text);
ANALYZE docs""")


def main():
    report = Report()
    plain, forced = connect(), connect()
    make_table(plain)
    plain.execute("SET max_parallel_workers_per_gather = 0")
    for setting in FORCE:
        forced.execute(setting)
    called = 0
    for _, name, types, kind, is_set, result, variadic, parallel, untyped, ordered in (
            functions(plain)):
        signature = "%s(%s)" % (name, ", ".join(types))
        report.equal(parallel, "s", signature, "PARALLEL")
        if INTERNAL & ({result} | set(types)) or result == "trigger" or untyped or kind == "p":
            continue
        unknown = [t for t in types if t not in SAMPLES]
        report.check(not unknown, signature, "needs a sample of", unknown)
        if unknown:
            continue
        called += 1
        call = "%s(%s%s)" % (name, arguments(name, types, variadic),
                             " ORDER BY id" if ordered else "")
        report.check(compare(report, plain, forced, signature, call, kind, is_set, result),
                     signature, "takes none of the documents: see ARGUMENTS")
    for name, left, right in operators(plain):
        operands = [SAMPLES[t] for t in (left, right) if t]
        report.check(len(operands) > 0, name)
        call = "(%s OPERATOR(public.%s) %s)" % (operands[0] if left else "", name, operands[-1])
        report.check(compare(report, plain, forced, name, call), call, "takes none")
    for call in ("doc::text", "doc::text::msgpack", "doc::jsonb", "j::msgpack", "doc::bytea",
                 "bytes::msgpack", "msgpack_send(doc)"):
        report.check(compare(report, plain, forced, call, call), call)
    print("%d functions" % called)
    report.finish()


if __name__ == "__main__":
    main()
