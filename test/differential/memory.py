#!/usr/bin/python3
"""Memory: a million documents later, a backend holds what it held after a thousand.

One query a function, over documents of every kind.  While it runs it looks at
its own memory contexts, after the first thousand documents and after the last;
the process's size as the system sees it, which includes what is not palloc's,
must not grow by more from a thousand to a million documents.

Environment: MPK_DOCUMENTS, how many documents there are (1,000,000).
"""

import os

from libmpk import Report, connect, documents, load

FIRST, ALL = 1000, int(os.environ.get("MPK_DOCUMENTS", "1000000"))

# The smallest leak there is, 16 bytes a document, would be 16 MB.  Less is the executor's own: the
# largest document that it happened to hold, the slack of the heap.
CONTEXT_SLACK = 1024 * 1024
PROCESS_SLACK = 2 * 1024 * 1024

# Expressions over doc (msgpack), bytes, form (text) and j (jsonb).
EXPRESSIONS = [
    "bytes::msgpack", "doc::bytea", "doc::text", "form::msgpack", "j::msgpack", "plain::jsonb",
    "doc -> 'a'", "plain ->> 'key'", "doc #> '{a,0}'", "msgpack_check(doc)", "msgpack_check(bytes)",
    "msgpack_canonical(doc)", "msgpack_hash(doc)", "doc = other", "doc < other",
    "msgpack_size(doc)", "msgpack_pretty(doc)", "msgpack_regular(doc, 'last', 'replace')",
    # what is kept from call to call: a constant, and what changes from one to the next
    "doc @> '{\"a\": {_dup 1: 2, 1: 3}}'", "doc @> other", "other <@ doc", "doc @> plain",
    "doc ? 'a'", "doc ? (i || 'a')", "doc ?| '{a, b, 1}'", "doc ?& ARRAY[i::text, 'a']",
    "doc -> (i % 3)", "doc ->> (i || '')", "doc #>> ARRAY['a', i::text]", "msgpack_get(doc, other)",
    "plain @? '$.a[*]'", "plain @@ '$.n == 7'",
    "plain @? (CASE i % 2 WHEN 0 THEN '$.a' ELSE '$.n' END)::jsonpath",
    "msgpack_path_query_array(plain, '$.a[*] ? (@ > $n)', msgpack_build_object('n', i))",
    "msgpack_populate_record(NULL::part, plain)", "msgpack_populate_record(NULL::part_domain, plain)",
    "msgpack_populate_record(CASE i % 2 WHEN 0 THEN ROW(1, 'a'::text) ELSE ROW('a'::text, 1) END,"
    " msgpack_build_object('f1', i, 'f2', '5'))",
    "msgpack_set(plain, '{a}', other)", "plain - 'a'", "plain - ARRAY[i::text]", "plain || plain",
    "msgpack_merge(doc, other)", "to_msgpack(r)",
    "to_msgpack(CASE i % 2 WHEN 0 THEN ROW(1, 'a'::text) ELSE ROW('a'::text, 1) END)",
    "msgpack_build_object('a', doc, 'b', i)", "to_tsvector('simple', plain)", "msgpack_strip_nulls(doc)",
]

QUERY = """
SELECT count(%s), max(CASE WHEN i = %d THEN (
		SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE i > 0) END),
	max(CASE WHEN i = %d THEN (
		SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE i > 0) END)
FROM (SELECT row_number() OVER () AS i, d.* FROM generate_series(1, %d) n, docs d) r
"""


def resident(pid):
    """(now, at most so far) in bytes; None where the system does not tell."""
    try:
        with open("/proc/%d/status" % pid, encoding="ascii") as status:
            fields = dict(line.split(":", 1) for line in status)
        return tuple(int(fields[name].split()[0]) * 1024 for name in ("VmRSS", "VmHWM"))
    except OSError:
        return None


def make_table(connection):
    rows = documents("memory", 1000, odd=True)
    rows = [data for data in rows if len(data) < 2000][:500]
    rows += rows[:500 - len(rows)]
    load(connection, "loaded", "id int4, bytes bytea", enumerate(rows))
    connection.execute("""
CREATE TABLE docs AS
SELECT id, bytes, bytes::msgpack AS doc, bytes::msgpack::text AS form,
	('{"a": [1, 2.5, "x"], "key": "value", "n": ' || id || '}')::jsonb AS j,
	('{"a": [1, 2.5, "x"], "key": "value", "n": ' || id || '}')::msgpack AS plain,
	lead(bytes::msgpack, 1, '1') OVER (ORDER BY id) AS other
FROM loaded ORDER BY id""")
    connection.execute("CREATE TYPE part AS (a text[], key varchar, n numeric)")
    connection.execute("CREATE DOMAIN part_domain AS part CHECK ((VALUE).n > -1)")
    connection.execute("VACUUM ANALYZE docs")
    return connection.execute("SELECT count(*) FROM docs").fetchone()[0]


def measure(report, expression, count):
    """Bytes by which the contexts and the process grew."""
    with connect() as connection:
        connection.execute("SET max_parallel_workers_per_gather = 0")
        connection.execute("SET work_mem = '64MB'")
        connection.execute("SET jit = off")		# loading LLVM takes 80 MB
        pid = connection.info.backend_pid
        connection.execute(QUERY % (expression, FIRST, FIRST, FIRST // count + 1))
        before = resident(pid)
        _, first, last = connection.execute(
            QUERY % (expression, FIRST, ALL, ALL // count + 1)).fetchone()
        after = resident(pid)
    report.check(last - first <= CONTEXT_SLACK, expression, "contexts grew from", first, "to", last)
    if before is not None:
        report.check(after[1] - before[1] <= PROCESS_SLACK, expression, "the process grew from",
                     before[1], "to", after[1])
    return last - first, 0 if before is None else after[1] - before[1]


def main():
    report = Report()
    count = make_table(connect())
    grown = [measure(report, expression, count) for expression in EXPRESSIONS]
    print("%d documents by each of %d expressions: contexts grew by %d bytes at most, a process by %d"
          % (ALL, len(EXPRESSIONS), *(max(column) for column in zip(*grown))))
    report.finish()


if __name__ == "__main__":
    main()
