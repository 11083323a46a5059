"""What the section "growth" measures: a table, a case a row.

{T} stands for the type's name, {d} for the document, {e} for another one that
differs in its last entry alone; {n} for the entries, {last}, {mid} and {tenth}
for the number of the last one, of one in the middle, and of the last one that
has a map inside; {rows} for the table.  "grows" is the exponent that is
expected, 0 for what should take the same time however large the document is.
"""

from collections import namedtuple

# shapes: an expression for each shape of document; "most" entries are as many as are tried
Operation = namedtuple("Operation", "name grows shapes jsonb most", defaults=[True, 1_000_000])

# A statement; "times" is how often it does its work; "before" is not timed.
Statement = namedtuple("Statement", "name grows sql jsonb before times", defaults=[True, (), 1])


def both(name, grows, expression, jsonb=True):
    return Operation(name, grows, {"map": expression, "array": expression}, jsonb)


def on_map(name, grows, expression, jsonb=True):
    return Operation(name, grows, {"map": expression}, jsonb)


def on_array(name, grows, expression, jsonb=True):
    return Operation(name, grows, {"array": expression}, jsonb)


def each(name, grows, in_map, in_array, jsonb=True):
    return Operation(name, grows, {"map": in_map, "array": in_array}, jsonb)


def rows_of(function):
    return "(SELECT count(*) FROM %s)" % function


OPERATIONS = [
    both("text in", 1, "d.t::{T}"),
    both("text out", 1, "{d}::text"),
    both("pretty", 1, "{T}_pretty({d})"),
    both("from bytea", 1, "d.b::msgpack", False),
    both("to bytea", 1, "{d}::bytea", False),
    both("check", 1, "msgpack_check({d})", False),
    both("from jsonb", 1, "d.j::msgpack", False),
    both("to jsonb", 1, "d.m::jsonb", False),
    each("-> first", 0, "{d} -> 'key_0'", "{d} -> 0"),
    each("-> last", 0, "{d} -> 'key_{last}'", "{d} -> -1"),
    each("-> missing", 0, "{d} -> 'missing'", "{d} -> {n}"),
    each("#>> deep", 0, "{d} #>> '{{key_{tenth},x,2,y}}'", "{d} #>> '{{{tenth},x,2,y}}'"),
    on_map("?", 0, "{d} ? 'key_{mid}'"),
    on_array("?", 1, "{d} ? 'missing'"),
    on_array("array_length", 0, "{T}_array_length({d})"),
    each("set", 1, "{T}_set({d}, '{{key_{mid}}}', '7')", "{T}_set({d}, '{{{mid}}}', '7')"),
    each("set deep", 1, "{T}_set({d}, '{{key_{tenth},x,2,y}}', '7')",
         "{T}_set({d}, '{{{tenth},x,2,y}}', '7')"),
    on_array("insert", 1, "{T}_insert({d}, '{{{mid}}}', '7')"),
    each("delete", 1, "{d} - 'key_{mid}'", "{d} - {mid}"),
    each("delete path", 1, "{d} #- '{{key_{tenth},x}}'", "{d} #- '{{{tenth},x}}'"),
    each("|| a small one", 1, "{d} || '{{\"new\": 1}}'", "{d} || '[1]'"),
    both("|| another one", 1, "{d} || {e}"),
    both("merge", 1, "msgpack_merge({d}, {e})", False),
    both("strip nulls", 1, "{T}_strip_nulls({d})"),
    on_map("each", 1, rows_of("{T}_each({d})")),
    on_map("each_text", 1, rows_of("{T}_each_text({d})")),
    on_map("object_keys", 1, rows_of("{T}_object_keys({d})")),
    on_array("array_elements", 1, rows_of("{T}_array_elements({d})")),
    both("tree", 1, rows_of("msgpack_tree({d})"), False),
    on_map("to_record of two keys", 0,
           "(SELECT key_5 FROM {T}_to_record({d}) AS r (key_5 int, missing text))"),
    both("=, the last differs", 1, "{d} = {e}"),
    both("<, the last differs", 1, "{d} < {e}"),
    both("hash", 1, "{T}_hash({d})"),
    both("canonical", 1, "msgpack_canonical({d})", False),
    on_map("@> one", 0, "{d} @> '{{\"key_{mid}\": 5}}'"),
    on_array("@> one", 1, "{d} @> '[\"text {mid}\"]'"),
    on_map("@> itself", 1, "{d} @> {d}"),
    on_array("@> of 100 scalars", 1, "{d} @> (SELECT {T}_agg(i) FROM generate_series(4, 1000, 10) i)"),
    # each of the one's maps is looked for among the other's
    Operation("@> itself", 2, {"array": "{d} @> {d}"}, True, 10_000),
    both("jsonpath $.**", 1, "{T}_path_query_array({d}, '$.**')"),
    each("jsonpath filter", 1, "{T}_path_exists({d}, '$.* ? (@ == -5)')",
         "{T}_path_exists({d}, '$[*] ? (@ == -5)')"),
    each("jsonpath step", 0, "{T}_path_query_first({d}, '$.key_{mid}')",
         "{T}_path_query_first({d}, '$[{mid}]')"),
]

# Of a document that lies in TOAST, uncompressed.
LOOKUPS = [
    each("-> first", 0, "{d} -> 'key_0'", "{d} -> 0"),
    each("-> last", 0, "{d} -> 'key_{last}'", "{d} -> -1"),
    each("-> missing", 0, "{d} -> 'missing'", "{d} -> {n}"),
    each("#>> deep", 0, "{d} #>> '{{key_{tenth},x,2,y}}'", "{d} #>> '{{{tenth},x,2,y}}'"),
]

SERIES = " FROM generate_series(1, {n}) i"

AGGREGATES = [
    Statement("agg", 1, "SELECT {T}_agg(i)" + SERIES),
    Statement("object_agg", 1, "SELECT {T}_object_agg('key_' || i, i)" + SERIES),
    Statement("object_agg, one key again and again", 1, "SELECT {T}_object_agg('key', i)" + SERIES),
    Statement("object_agg_unique", 1, "SELECT msgpack_object_agg_unique('key_' || i, i)" + SERIES,
              False),
    Statement("merge_agg", 1, "SELECT msgpack_merge_agg(msgpack_build_object('key_' || i, i))" + SERIES,
              False),
    Statement("stream_agg", 1, "SELECT msgpack_stream_agg(to_msgpack(i))" + SERIES, False),
    Statement("object of an array", 1, "SELECT {T}_object(array_agg(k)) FROM (SELECT unnest("
              "ARRAY['key_' || i, i::text]) AS k" + SERIES + ") s"),
]

# From 1,000 to 1,000,000.
N_LOG_N = 1.15

DROP = "DROP INDEX IF EXISTS {rows}_index"
SCAN = ("SET enable_indexscan = off", "SET enable_bitmapscan = off")
INDEX = ("RESET enable_indexscan", "RESET enable_bitmapscan")
LOOK_UP = ("DO $$ BEGIN FOR w IN 1 .. 200 LOOP PERFORM FROM {rows} WHERE doc %s "
           "{T}_build_object('id', w * 7 %% {n}); END LOOP; END $$")

TABLES = [
    Statement("scan, ->>", 1, "SELECT count(doc ->> 'country') FROM {rows}"),
    Statement("scan, @>", 1, "SELECT count(*) FROM {rows} WHERE doc @> '{{\"country\": \"PT\"}}'",
              before=SCAN),
    Statement("sum of a typed read", 1, "SELECT sum((doc -> 'visits')::int) FROM {rows}"),
    Statement("sort", N_LOG_N, "SELECT count(*) FROM (SELECT FROM {rows} ORDER BY doc OFFSET 0) s",
              before=SCAN),
    Statement("hash aggregate", 1, "SELECT count(*) FROM (SELECT FROM {rows} GROUP BY doc OFFSET 0) s"),
    Statement("group by ->>", 1, "SELECT count(*) FROM (SELECT FROM {rows} GROUP BY doc ->> 'name') s"),
    Statement("rows to an array", 1, "SELECT {T}_agg(doc) FROM {rows}"),
    Statement("btree build", N_LOG_N, "CREATE INDEX {rows}_index ON {rows} (doc)", before=(DROP,)),
    Statement("btree look-up", 0, "DO $$ BEGIN FOR w IN 1 .. 200 LOOP PERFORM FROM {rows} WHERE doc = "
              "(SELECT r.doc FROM {rows} r LIMIT 1); END LOOP; END $$", before=INDEX, times=200),
    Statement("GIN build", 1, "CREATE INDEX {rows}_index ON {rows} USING gin (doc)", before=(DROP,)),
    # the key is in every row: its list of rows is read with the value's
    Statement("GIN look-up", 1, LOOK_UP % "@>", before=INDEX, times=200),
    Statement("GIN build, path_ops", 1, "CREATE INDEX {rows}_index ON {rows} USING gin (doc "
              "{T}_path_ops)", before=(DROP,)),
    Statement("GIN look-up, path_ops", 0, LOOK_UP % "@>", before=INDEX, times=200),
]
