"""What is measured: a table, a case a row.

Expression(name, jsonb, msgpack, asked): two expressions, counted over a set of
documents in memory.  {t} stands for a document's JSON as text, {j} as jsonb,
{o} as json, {m} as msgpack, {b} as the bytea of its MessagePack bytes.

Statement(name, jsonb, msgpack, asked): two statements, each of which takes all
documents of a shape once.  The documents are stored, uncompressed, in tables of
the columns (id int, doc), one for each type: {j}, {o}, {m}, {b} and {t} stand
for their names; {out} for an empty table of the statement's own type, {file} for
a file to read or write, which "before" fills.

Size(name, asked, sql): bytes, by default those of a document in memory,
uncompressed; {table} stands for the table's name.

"also" is what the case is for types beside those two, by the type's letter; of
a Statement a pair of what runs before it and of itself.  Look-ups have their own
file, lookups.py.

"asked" is the least ratio by which msgpack must be faster than what stands in
the jsonb column ("asked" of Size: the greatest ratio), for each shape that is
measured; None asks nothing.
"""

from collections import namedtuple

from lookups import lookups
from server import MADE, REAL

Expression = namedtuple("Expression", "name jsonb msgpack asked also", defaults=[{}])
Statement = namedtuple("Statement", "name jsonb msgpack asked before also", defaults=[None, {}])
Size = namedtuple("Size", "name asked sql also",
                  defaults=["SELECT avg(pg_column_size((ARRAY[doc])[1])) FROM {table}", ()])

# Real documents that are rows of a table, not a table of one row
ROWS = REAL[:4]


def every(asked, real=REAL):
    """The same is asked of all documents that are made, nothing of the real ones."""
    return {**dict.fromkeys(MADE, asked), **dict.fromkeys(real)}


def real(asked, shapes=REAL):
    """With real documents, of which nothing is asked."""
    return {**asked, **dict.fromkeys(shapes)}


def also_stored(statement, before=None):
    """The statement over tables of json and bytea; {x} is the table."""
    return {letter: (before and before.replace("{x}", "{%s}" % letter),
                     statement.replace("{x}", "{%s}" % letter)) for letter in "ob"}


def gin_build(table, opclass=""):
    return ("DROP INDEX IF EXISTS {0}_gin; "
            "CREATE INDEX {0}_gin ON {0} USING gin (doc {1})".format(table, opclass))


# Of each shape a document to look for, which a few hold; %s is a number's text.
PROBES = {"S": """{{"country": "IT", "visits": %s}}""",
          "emoji": """{{"category": "Flags", "sheet_x": %s}}""",
          "feature": """{{"status": {{"deprecated": true}}, "description": "%s"}}""",
          "city": """{{"country": "IT", "admin1": "0%s"}}"""}


def gin_lookups(name):
    """Two hundred look-ups, through the index that was built last."""
    def lookup(table, probe):
        return ("SET enable_seqscan = off; SELECT sum(n) FROM generate_series(1, 200) i, LATERAL ("
                "SELECT count(*) AS n FROM {0} WHERE doc @> format('{1}', i * 7)::{2}) s; "
                "RESET enable_seqscan").format(table, probe, "jsonb" if table == "{j}" else "msgpack")
    return [Statement(name, lookup("{j}", probe), lookup("{m}", probe),
                      {shape: 1 if shape == "S" else None}) for shape, probe in PROBES.items()]


def twice(statement):
    """The same statement for jsonb and for msgpack: {type} and, a table, {doc}."""
    return statement.replace("{type}", "jsonb").replace("{doc}", "{j}"), statement.replace(
        "{type}", "msgpack").replace("{doc}", "{m}")


# The records of an L document, and a row of each of them
EVENT = "uid text, at timestamptz, kind text, \"user\" int, ok bool, duration float8, bytes int8"
# An S document
FLAT = ("id int, name text, email text, active bool, score float8, visits int, country text, "
        "created timestamptz, referrer text, balance int")
MAKE_FLAT = "DROP TYPE IF EXISTS bench_flat; CREATE TYPE bench_flat AS (%s)" % FLAT
# An array of an XL document's values, in a table of its own
MAKE_ARRAY = """
DROP TABLE IF EXISTS array_{type};
CREATE UNLOGGED TABLE array_{type} (doc {type});
ALTER TABLE array_{type} ALTER doc SET STORAGE EXTERNAL;
INSERT INTO array_{type} SELECT {type}_agg(value) FROM {doc}, {type}_each(doc) GROUP BY id"""

# jsonpath over documents in memory: what is asked, on which shape, with which path.
def jsonpath(name, function, asked=1.5, **paths):
    return [Expression("jsonpath " + name, function.format(type="jsonb", doc="{j}", path=path),
                       function.format(type="msgpack", doc="{m}", path=path), {shape: asked})
            for shape, path in paths.items()]


JSONPATH = (
    jsonpath("@?", "{doc} @? '{path}'", S="$.visits", M="$.payment.amount")
    + jsonpath("@? with a filter", "{doc} @? '{path}'", S="$.visits ? (@ > 2500)",
               M="$.items[*] ? (@.quantity > 8 && @.price < 100)")
    + jsonpath("@@", "{doc} @@ '{path}'", S="$.country == \"IT\"",
               M="$.customer.address.city == \"Oslo\" || $.payment.captured == false")
    + jsonpath("_query_first", "{type}_path_query_first({doc}, '{path}')", S="$.balance",
               M="$.items[last].title")
    + jsonpath("_query_array", "{type}_path_query_array({doc}, '{path}')",
               S="$.* ? (@.type() == \"number\")", M="$.items[*].tags")
    + jsonpath("arithmetic", "{doc} @@ '{path}'", S="$.visits * 2 + 1 > $.balance",
               M="$.items[*].quantity % 2 == 1")
    # the server's machine for regular expressions is most of both
    + jsonpath("like_regex", "{doc} @@ '{path}'", None, S="$.email like_regex \"^a\"",
               M="$.items[*].title like_regex \"amber\"")
    + jsonpath(".**", "{doc} @? '{path}'", M="$.**.postcode ? (@ == \"x\")"))

# Of documents in TOAST.  Twenty statements, none of which finds what another has fetched.
STORED_PATH = twice("DO $do$ BEGIN FOR i IN 1 .. 20 LOOP PERFORM count(*) FROM {doc} "
                    "WHERE doc @? '$.section_0500.weight ? (@ > 5)'; END LOOP; END $do$")

COPY_IN = "COPY {out} FROM '{file}'"
BINARY = " (FORMAT binary)"

# A key of each shape that lies in the middle.
SET_KEY = [Expression("set one key", "jsonb_set({j}, ARRAY[%s], '1')" % path,
                      "msgpack_set({m}, ARRAY[%s], '1')" % path, {shape: asked})
           for shape, path, asked in (("S", "'score'", 2), ("M", "'payment', 'amount'", 4),
                                      ("L", "'records', '75', 'user'", 8),
                                      ("XL", "'section_0500', 'weight'", 8),
                                      ("country", "'region'", None), ("emoji", "'sheet_y'", None),
                                      ("feature", "'status', 'deprecated'", None),
                                      ("city", "'lng'", None),
                                      ("mdn", "'html', 'elements', 'a', '__compat'", None),
                                      ("cities", "'85000', 'name'", None))]

CONTAINS_REAL = [Expression("@>", "{j} @> '%s'" % part, "{m} @> '%s'" % part, {shape: None})
                 for shape, part in (("country", """{{"region": "Europe"}}"""),
                                     ("emoji", """{{"category": "Objects"}}"""),
                                     ("feature", """{{"status": {{"deprecated": true}}}}"""),
                                     ("city", """{{"country": "IT"}}"""))]

CONCAT = "doc || '{{\"id\": 1, \"extra\": [true, \"x\"]}}'"

# Rows of ten columns for the constructors and aggregates.
FACTS = """CREATE UNLOGGED TABLE IF NOT EXISTS facts AS
SELECT i AS id, 'name ' || i AS name, i %% 2 = 0 AS active, i * 0.25::float8 AS score,
	NULL::int AS missing, 'street ' || i %% 97 AS street, i::int8 * 1000000007 AS number,
	CASE WHEN i %% 3 = 0 THEN 'x' || i END AS maybe, i %% 7 AS small, repeat('text ', i %% 9) AS note
FROM generate_series(1, 16000) i""".replace("%%", "%")

PAIRS = "'id', id, 'name', name, 'active', active, 'score', score, 'note', note"


def in_parallel(query, workers):
    return ("SET max_parallel_workers_per_gather = %d; SET parallel_setup_cost = 0; "
            "SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; %s; "
            "SET max_parallel_workers_per_gather = 0" % (workers, query))


def workers_against_none(query):
    return in_parallel(query, 0), in_parallel(query, 2)


CASES = [
    Expression("text in", "{t}::jsonb", "{t}::msgpack",
               real({"S": 6, "M": 8, "L": 12, "XL": 12}), {"o": "{t}::json"}),
    Expression("text out", "{j}::text", "{m}::text",
               real({"S": 4.5, "M": 5.5, "L": 6.5, "XL": 6.5}),
               {"o": "{o}::text", "b": "{b}::text"}),
    Statement("COPY text in", COPY_IN, COPY_IN, every(3.5),
              ("COPY {j} TO '{file}'", "COPY {m} TO '{file}'"),
              also_stored(COPY_IN, "COPY {x} TO '{file}'")),
    Statement("COPY text out", "COPY {j} TO '/dev/null'", "COPY {m} TO '/dev/null'", every(3.2),
              also=also_stored("COPY {x} TO '/dev/null'")),
    Statement("COPY binary in", COPY_IN + BINARY, COPY_IN + BINARY, every(5),
              ("COPY {j} TO '{file}'" + BINARY, "COPY {m} TO '{file}'" + BINARY),
              also_stored(COPY_IN + BINARY, "COPY {x} TO '{file}'" + BINARY)),
    Statement("COPY binary out", "COPY {j} TO '/dev/null'" + BINARY,
              "COPY {m} TO '/dev/null'" + BINARY, real({"S": 7, "M": 18, "L": 18, "XL": 18}),
              also=also_stored("COPY {x} TO '/dev/null'" + BINARY)),
    Statement("COPY binary out, bytea's time", "COPY {b} TO '/dev/null'" + BINARY,
              "COPY {m} TO '/dev/null'" + BINARY, every(0.95, ())),
    Expression("jsonb to msgpack, against text to jsonb", "{t}::jsonb", "{j}::msgpack",
               real({"S": 5.4, "M": 13, "L": 20, "XL": None})),
    # bench/push.c
    Expression("msgpack to jsonb, against pushJsonbValue", "bench_push_jsonb({b})", "{m}::jsonb",
               every(3.3)),
    Expression("bytea to msgpack, against text to jsonb", "{t}::jsonb", "{b}::msgpack",
               every(None)),
    Statement("sort", "SELECT count(*) FROM (SELECT doc FROM {j} ORDER BY doc OFFSET 0) AS s",
              "SELECT count(*) FROM (SELECT doc FROM {m} ORDER BY doc OFFSET 0) AS s",
              real({"S": 2, "M": 2, "L": None, "XL": None}, ROWS)),
    # every document eight times; with distinct ones the executor's own work is most of both
    Statement("hash aggregate",
              "SELECT count(*) FROM (SELECT FROM {j}, generate_series(1, 8) GROUP BY doc) AS s",
              "SELECT count(*) FROM (SELECT FROM {m}, generate_series(1, 8) GROUP BY doc) AS s",
              real({"S": 2, "M": 2, "L": None, "XL": None}, ROWS)),
    Expression("@> one key", """{j} @> '{{"active": true}}'""", """{m} @> '{{"active": true}}'""",
               {"S": 2}),
    Expression("@> two keys", """{j} @> '{{"country": "IT", "active": true}}'""",
               """{m} @> '{{"country": "IT", "active": true}}'""", {"S": 2}),
    Expression("@> nested", """{j} @> '{{"customer": {{"address": {{"country": "BE"}}}}}}'""",
               """{m} @> '{{"customer": {{"address": {{"country": "BE"}}}}}}'""", {"M": 2}),
    Expression("@> array of maps", """{j} @> '{{"items": [{{"quantity": 2}}]}}'""",
               """{m} @> '{{"items": [{{"quantity": 2}}]}}'""", {"M": 2}),
    *CONTAINS_REAL,
    Expression("?", "{j} ? 'visits'", "{m} ? 'visits'", {"S": 1.5}),
    *JSONPATH,
    Statement("jsonpath, stored documents", *STORED_PATH, {"XL": 20}),
    Statement("GIN build", gin_build("{j}"), gin_build("{m}"),
              real({"S": 1.2, "M": 1.2}, ROWS)),
    Size("GIN size", real({"S": 1, "M": 1}, ROWS), "SELECT pg_relation_size('{table}_gin')"),
    *gin_lookups("GIN @>"),
    Statement("GIN build, path_ops", gin_build("{j}", "jsonb_path_ops"),
              gin_build("{m}", "msgpack_path_ops"), real({"S": 1.2, "M": 1.2}, ROWS)),
    Size("GIN size, path_ops", real({"S": 1, "M": 1}, ROWS),
         "SELECT pg_relation_size('{table}_gin')"),
    *gin_lookups("GIN @>, path_ops"),
    Statement("each", *twice("SELECT count(value) FROM {doc}, {type}_each(doc)"),
              real(dict.fromkeys(MADE, 2), ("country", "emoji", "feature", "city", "mdn"))),
    Statement("each_text", *twice("SELECT count(value) FROM {doc}, {type}_each_text(doc)"),
              every(None, ())),
    Statement("object_keys", *twice("SELECT count(key) FROM {doc}, {type}_object_keys(doc) key"),
              every(None, ())),
    Statement("array_elements of records", *twice(
        "SELECT count(value) FROM {doc}, {type}_array_elements(doc -> 'records') value"),
        {"L": 2}),
    Statement("array_elements in a select list", *twice(
        "SELECT count(value) FROM (SELECT {type}_array_elements(doc -> 'items') value FROM {doc}) e"),
        {"M": 2}),
    # a hundred times, lest planning be most of it (the limit keeps it from being done once)
    Statement("array_elements ... limit 10, 100 times", *twice(
        "SELECT count(value) FROM generate_series(1, 100) i, array_{type}, LATERAL ("
        "SELECT {type}_array_elements(doc) value LIMIT 10 + i * 0) e"), {"XL": 20},
        before=twice(MAKE_ARRAY)),
    Statement("to_recordset", *twice(
        "SELECT count(uid) FROM {doc}, {type}_to_recordset(doc -> 'records') AS r (%s)" % EVENT),
        {"L": 2}),
    Statement("to_record", *twice("SELECT count(name) FROM {doc}, {type}_to_record(doc) AS r (%s)" % FLAT),
              {"S": None}),
    Statement("to_record of three keys", *twice(
        "SELECT count(section_0700) FROM {doc}, {type}_to_record(doc) AS r "
        "(section_0001 {type}, section_0700 {type}, section_1500 {type})"), {"XL": None}),
    Statement("populate_record", *twice(
        "SELECT count({type}_populate_record(NULL::bench_flat, doc)) FROM {doc}"), {"S": 2},
        before=(MAKE_FLAT, MAKE_FLAT)),
    *SET_KEY,
    Expression("append an array element, set", "jsonb_set({j}, ARRAY['records', '999'], '1')",
               "msgpack_set({m}, ARRAY['records', '999'], '1')", {"L": 6}),
    Expression("delete a key", "{j} - 'id'", "{m} - 'id'", {"S": 1.5}),
    Expression("strip nulls", "jsonb_strip_nulls({j})", "msgpack_strip_nulls({m})",
               {"S": None, "M": None, "L": 3, "XL": 3}),
    Expression("concatenate", CONCAT.replace("doc", "{j}"), CONCAT.replace("doc", "{m}"), every(3, ())),
    Statement("row to document", "SELECT count(to_jsonb(r)) FROM facts r",
              "SELECT count(to_msgpack(r)) FROM facts r", {"S": 2}, before=(FACTS, FACTS)),
    Statement("build object", "SELECT count(jsonb_build_object(" + PAIRS + ")) FROM facts",
              "SELECT count(msgpack_build_object(" + PAIRS + ")) FROM facts", {"S": 2},
              before=(FACTS, FACTS)),
    Statement("aggregate rows to an array", "SELECT jsonb_agg(r) FROM facts r",
              "SELECT msgpack_agg(r) FROM facts r", {"S": 2}, before=(FACTS, FACTS)),
    Statement("aggregate numbers to an array", "SELECT jsonb_agg(id) FROM facts r",
              "SELECT msgpack_agg(id) FROM facts r", {"S": 2}, before=(FACTS, FACTS)),
    Statement("aggregate pairs to a map", "SELECT jsonb_object_agg(name, id) FROM facts",
              "SELECT msgpack_object_agg(name, id) FROM facts", {"S": 2}, before=(FACTS, FACTS)),
    Statement("aggregate rows by group", "SELECT count(a) FROM (SELECT jsonb_agg(r) AS a FROM facts r "
              "GROUP BY id / 8) AS s", "SELECT count(a) FROM (SELECT msgpack_agg(r) AS a FROM facts r "
              "GROUP BY id / 8) AS s", {"S": 2}, before=(FACTS, FACTS)),
    Statement("assign to a key in PL/pgSQL, map of 1,000", *twice(
        "DO $$ DECLARE d {type} := (SELECT {type}_object_agg('k' || i, i) "
        "FROM generate_series(1, 1000) i); BEGIN FOR i IN 1 .. 16000 LOOP "
        "d['k' || i % 1000] = to_{type}(i); END LOOP; END $$"), {"S": 2}),
    # what the leader does alone is copying: the larger the result, the less is there to gain
    Statement("aggregate rows times ten, two workers against none",
              *workers_against_none("SELECT msgpack_agg(r) FROM facts r, generate_series(1, 10)"),
              {"S": None}, before=(FACTS, FACTS)),
    Statement("aggregate parts of documents times ten, two workers against none",
              *workers_against_none("SELECT msgpack_agg(msgpack_set(doc - 'items', '{{id}}', '1') "
                                    "-> 'customer') FROM {m}, generate_series(1, 10)"),
              {"M": 1.3}),
    Size("size in memory", real({"S": None, "M": 0.65, "L": 0.65, "XL": 0.65}), also="ob"),
] + lookups(Expression)
