#!/usr/bin/python3
"""Large values through all that takes a msgpack: a result or a clear error, cancelled in time.

Functions and aggregates are found in the catalogs, so that none is forgotten;
operators and casts are calls of them.  What the server calls for itself
(sorting, building indexes, subscripts) is in a list.  Each must end with a
result or an error that is for users, or is cancelled after 20 seconds; a query
cancel must take effect within 100 ms: of the backend's own time, since a busy
machine may let it wait, and with some more allowed to a slow one.  Where
the server copies all of the value, or gives its memory back, that is one step
that cannot be cancelled: what a use takes that does little else is let pass
twice.  What the slowest took by the clock on the wall is told.

Environment: MPK_LONG=1 takes documents of 500 MB, where results end at the
server's 1 GB (8 to 30 minutes each, 8 GB of memory); MPK_LARGE, megabytes (1); MPK_SHAPES
and MPK_USES, regular expressions of the documents and the calls to be tried.
"""

import os
import pathlib
import re
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "differential"))

# pylint: disable=wrong-import-position
import libcatalog
import psycopg
from libmpk import Report, connect, cpu_seconds

LONG = os.environ.get("MPK_LONG", "") not in ("", "0")
SIZE = int(float(os.environ.get("MPK_LARGE", "500" if LONG else "1")) * 1000000)
SHAPES = os.environ.get("MPK_SHAPES", "")
USES = os.environ.get("MPK_USES", "")

# Seconds: what a use may take; within which a cancel is to be answered; when it is sent: at once,
# and at some part of the time that the use takes if that is not little.
TIMEOUT, PATIENCE = 20, 0.25
EARLY, PARTS, LITTLE = 0.01, (0.6,) if LONG else (), 0.3

# The server sorts what an index gets of one document in one step: of tens of millions of keys that
# takes its time, which is not ours.
SORTED = re.compile("USING gin" if LONG else "(?!)")

# A cancel that was answered late is tried again: the machine may be busy.
TRIES = 3

# ---------------------------------------------------------------------------
# Documents, made in the server
# ---------------------------------------------------------------------------

# Expressions of bytes, {n} of them or so.  {last} is an element in one of two encodings, so that
# there are two documents that are equal and not alike.
LAST = (r"'\x07'", r"'\xcd0007'")


def text_of(text):
    return "convert_to(repeat(%s, {n} / 5 * 5), 'UTF8')" % text


def array_of(block, size, elements):
    """Copies of a block, which is an expression of so many bytes and elements."""
    return (r"'\xdd'::bytea || int4send({n} / %d * %d + 1) || (SELECT string_agg(part, '') FROM "
            r"(SELECT %s AS part OFFSET 0) p, generate_series(1, {n} / %d)) || {last}" %
            (size, elements, block, size))


def thousand(element):
    """A block of a thousand different elements; i is the number of one."""
    return "(SELECT string_agg(%s, '') FROM generate_series(1, 1000) i)" % element


DOCUMENTS = {
    "a str": r"'\xdb'::bytea || int4send({n} / 5 * 5) || " + text_of("'x'"),
    "a str that grows": r"'\xdb'::bytea || int4send({n} / 5 * 5) || " + text_of("chr(1)"),
    "a bin": r"'\xc6'::bytea || int4send({n} / 5 * 5) || " + text_of("chr(1)"),
    "small integers": r"'\xdd'::bytea || int4send({n} / 5 * 5 + 1) || " + text_of("'x'") + " || {last}",
    "integers": array_of(thousand(r"'\xce'::bytea || int4send(i * 7919 % 1000003)"), 5000, 1000),
    "floats": array_of(thousand(r"'\xcb'::bytea || float8send(sin(i))"), 9000, 1000),
    "strs": array_of("decode('d9f0' || repeat('61', 240), 'hex')", 242, 1),
    "small arrays": array_of("decode(repeat('92a5616263646501', 1000), 'hex')", 8000, 1000),
    "deep arrays": array_of("decode(repeat('91', 1000) || 'c0', 'hex')", 1001, 1),
    "records": array_of(thousand(r"'\x83a161ce'::bytea || int4send(i) || "
                                 r"'\xa162c0a16bab736f6d6520737472696e67'"), 24000, 1000),
    "keys": r"'\xdf'::bytea || int4send({n} / 14 + 1) || (SELECT string_agg('\xa8'::bytea || "
            r"convert_to(lpad(to_hex(i), 8, '0'), 'UTF8') || '\xce'::bytea || int4send(i), '') "
            r"FROM generate_series(1, {n} / 14) i) || '\xa46c617374' || {last}",
    "one key": r"'\xdf'::bytea || int4send({n} / 10 * 5) || " +
               text_of("'x'").replace("{n} / 5 * 5", "{n} / 10 * 10"),
    # arrays, maps, binaries and integers for keys, all of them repeated
    "keys of all kinds": r"'\xdf'::bytea || int4send({n} / 10000 * 1000) || (SELECT string_agg(part, '') FROM "
                         r"(SELECT %s AS part OFFSET 0) p, generate_series(1, {n} / 10000))" % thousand(
                             r"(ARRAY['\x92cd', '\x81a16bcd', '\xc402', '\xcd']::bytea[])[1 + i % 4] || "
                             r"int2send(i::int2) || (ARRAY['\xc0a462626262', '\x93c0c0c0', "
                             r"'\xa56262626262', '\xa6626262626262']::bytea[])[1 + i % 4]"),
    # both together, as a row of text, pass 1 GB
    "a long key": r"'\x81db'::bytea || int4send({n} / 5 * 3) || convert_to(repeat('k', {n} / 5 * 3), "
                  r"'UTF8') || '\x91db'::bytea || int4send({n} / 3) || "
                  r"convert_to(repeat(chr(1), {n} / 3), 'UTF8')",
}

# ---------------------------------------------------------------------------
# Calls of everything, with a large document d, and another one, e, that is equal
# ---------------------------------------------------------------------------

ARGUMENTS = {
    "text": "'zz'", "text[]": "ARRAY['5', 'zz']", "bigint": "5", "integer": "5", "boolean": "true",
    "jsonpath": "'$.** ? (@ == \"zz\")'", "bytea": "e::bytea", "jsonb": "d::jsonb", "json": "d::json",
    "cstring": "msgpack_out(d)", "anyelement": "d", '"any"': "d", "record": "ROW(d)",
    "regconfig": "'simple'", "tsquery": "'a & b'",
}

# What is given to functions that take options, or do little with the usual arguments.
GIVEN = {
    "msgpack_regular": ["d, 'last', 'replace'", "d, 'first', 'binary'"],
    "msgpack_to_jsonb": ["d, true, 'replace', 'base64', 'last'"],
    "jsonb_to_msgpack": ["d::jsonb, 'round'"],
    "msgpack_set": ["d, '{zz}', '1'", "d, '{-1}', e", "d, '{5, zz, zz}', '1'"],
    "msgpack_set_lax": ["d, '{zz}', NULL, true, 'delete_key'"],
    "msgpack_insert": ["d, '{5}', '1'", "d, '{-1}', e, true"],
    "msgpack_delete_path": ["d, '{5}'", "d, '{last}'"],
    "msgpack_get": ["d, 'true'", "d, e"],
    "msgpack_has": ["d, 'true'", "d, e"],
    "msgpack_strip_nulls": ["d", "d, true"],
    "msgpack_path_query": ["d, '$.** ? (@ == \"zz\")'", "d, '$.**'", "d, '$[*].a ? (@ > 99999999)'"],
    "msgpack_path_query_array": ["d, '$.**'", "d, '$.keyvalue()'", "d, '$.** ? (@ like_regex \"a$\")'"],
    "msgpack_path_match": ["d, '$.** == \"zz\"'", "d, '$[*] starts with \"zz\"'"],
    "msgpack_populate_record": ["NULL::large_row, d"],
    "msgpack_populate_recordset": ["NULL::large_row, d"],
    "msgpack_build_object": ["'zz', d, 'zzz', e"],
    "msgpack_build_map": ["d, d, e, e"],
    "msgpack_build_array": ["d", "d, e"],
    "msgpack_to_tsvector": ["d, '\"all\"'"],
    "msgpack_object": ["ARRAY[msgpack_text(d), 'zz']"],
    "to_msgpack": ["d", "d::text", "d::bytea", "ARRAY[d, e]", "ROW(d)"],
    "msgpack_merge": ["d, e", "'{\"zz\": 1}', d", "d, '{\"zz\": null}'"],
    "msgpack_concat": ["d, e", "d, '[]'"],
    "ts_headline": ["d, 'xx'::tsquery"],
    "msgpack_delete": ["d, 'zz'::text", "d, 5", "d, VARIADIC ARRAY['y', 'zz']", "d, 'true'::msgpack"],
}

ROW_TYPE = "zz msgpack, last int, a int, b text, k text"

# What the server calls.
STATEMENTS = [
    "SELECT d['zz'] INTO held", "SELECT d[5] INTO held", "c := d; c['zz'] := '1'", "c := d; c[5]['zz'] := '1'",
    "SELECT count(*) INTO held FROM (SELECT x FROM (VALUES (d), (e), (d)) v(x) ORDER BY x) s",
    "SELECT count(*) INTO held FROM (SELECT x FROM (VALUES (d), (e), (d)) v(x) GROUP BY x) s",
    "SELECT count(DISTINCT x) INTO held FROM (VALUES (d), (e), (d)) v(x)",
    "CREATE INDEX large_index ON large USING gin (doc); DROP INDEX large_index",
    "CREATE INDEX large_index ON large USING gin (doc msgpack_path_ops); DROP INDEX large_index",
    "CREATE INDEX large_index ON large USING btree (doc); DROP INDEX large_index",
    "CREATE INDEX large_index ON large USING hash (doc); DROP INDEX large_index",
    "CREATE TEMPORARY TABLE copied AS SELECT doc || '[]'::msgpack AS doc FROM large; DROP TABLE copied",
    "SELECT json_build_array(d) INTO held", "SELECT json_agg(x) INTO held FROM (VALUES (d)) v(x)",
    "SELECT (d -> 5 -> 'zz' -> 'zz')::int INTO held", "SELECT d::text::msgpack INTO held",
]

# What a user may be told of a large value.
ALLOWED = {
    "54000",                            # too large a result
    "57014",                            # cancelled, in time
    "22023", "22004", "22003", "22P02", "22P03", "22P05", "22021", "22030",  # not of this kind
    "22032", "22033", "22034", "22038", "2203A", "2203C", "42804", "0A000",
    "53400",                            # the server's limits of tsvectors and the like
}


def given(name, types, defaults):
    """The argument lists that a function is called with."""
    if name.split(".")[-1] in GIVEN:
        return GIVEN[name.split(".")[-1]]
    needed = types[:len(types) - defaults]
    arguments = []
    for kind in needed:
        if kind == "msgpack":
            arguments.append("e" if "d" in arguments else "d")
        else:
            arguments.append(ARGUMENTS[kind])
    if name.startswith("msgpack_follow"):
        arguments[1] = "'[\"zz\"]'"
    return [", ".join(arguments)]


def call(function, arguments):
    """A PL/pgSQL statement that makes the call."""
    name, kind, many, result, types, variadic, _ = function
    if kind == "a":
        columns = "k, x" if len(types) == 2 else "x"
        rows = "(%s), (%s)" % (("'k', d", "'l', e") if len(types) == 2 else ("d", "e"))
        return "SELECT %s(%s) INTO held FROM (VALUES %s) v(%s)" % (name, columns, rows, columns)
    if variadic and types[-1] == "text[]":
        arguments = re.sub("(?<!VARIADIC )(?=ARRAY)", "VARIADIC ", arguments)
    text = "%s(%s)" % (name, arguments)
    if name.startswith("msgpack_to_record"):
        text += " AS t(%s)" % ROW_TYPE
    if many and not name.startswith("msgpack_to_record"):
        # row by row: in FROM they would be stored, in files, which take their time to be removed
        return "SELECT count(x) INTO held FROM (SELECT %s AS x OFFSET 0) s" % text
    if result == "record":
        return "SELECT count(*) INTO held FROM " + text
    return "SELECT %s INTO held" % ("textin(%s)" % text if result == "cstring" else text)


def uses(connection):
    found = []
    for function in libcatalog.functions(connection):
        for arguments in given(function[0], function[4], function[6]):
            found.append(call(function, arguments))
    return [use for use in dict.fromkeys(found + STATEMENTS) if re.search(USES, use)]


# ---------------------------------------------------------------------------
# Running, and cancelling
# ---------------------------------------------------------------------------

# d and e stay in memory from one use to the next: assignment fetches them out of TOAST.
BLOCK = """
DO $block$
DECLARE
	d msgpack;
	e msgpack;
	c msgpack;
	held record;
BEGIN
	d := (SELECT doc FROM large);
	e := (SELECT twin FROM large);
	%s
END $block$"""

SECTION = """
	BEGIN
		RAISE NOTICE 'ready';
		%s;
		RAISE NOTICE 'done';
	EXCEPTION WHEN query_canceled OR OTHERS THEN
		RAISE NOTICE 'done %%', SQLSTATE;
	END;
	held := NULL;
	c := NULL;"""


# mpk copies the bytes, PL/pgSQL the result.
COPYING = "SELECT d::bytea INTO held"


class Case:
    """A use, to be cancelled after so many seconds, and what came of it."""

    def __init__(self, use, delay=TIMEOUT):
        self.use = use
        self.delay = delay
        self.state = None               # its SQLSTATE; "": no error
        self.ready = self.sent = self.ended = None

    def took(self):
        """Seconds by the wall and of the backend, or None for a crash."""
        return self.ended and tuple(b - a for a, b in zip(self.ready, self.ended))

    def late(self):
        """The same from the cancel to the end, or None where it ended by itself."""
        if self.sent is None or self.state != "57014":
            return None
        return tuple(b - a for a, b in zip(self.sent, self.ended))


class Session:
    """Runs cases in one block that says when each begins and how it ends; cancels them in between."""

    def __init__(self):
        self.patience = PATIENCE
        self.timer = self.coming = self.case = None
        self.open()

    def open(self):
        self.connection = connect()
        self.connection.add_notice_handler(self.notice)

    def now(self):
        """By the clock on the wall, and of the backend's own."""
        return time.monotonic(), cpu_seconds(self.connection)

    def notice(self, diagnostic):
        word, _, state = diagnostic.message_primary.partition(" ")
        if word == "ready":
            self.case = self.coming.pop(0)
            self.case.ready = self.now()
            self.timer = threading.Timer(self.case.delay, self.cancel, [self.case])
            self.timer.start()
        elif word == "done":
            self.case.ended = self.now()
            self.case.state = state
            self.timer.cancel()

    def cancel(self, case):
        case.sent = self.now()
        self.connection.cancel()

    def run(self, cases):
        """
        Fill in what came of the cases.  A cancel that comes too late meets the next one, which is
        not counted as cancelled then, or ends the block in between: it is gone on with.
        """
        self.coming = list(cases)
        while self.coming:
            block = BLOCK % "".join(SECTION % case.use for case in self.coming)
            self.case = None
            try:
                self.connection.execute(block)
            except psycopg.errors.QueryCanceled:
                pass
            except psycopg.Error as error:
                self.failed(error)
            finally:
                if self.timer is not None:
                    self.timer.cancel()
                    self.timer.join()
        return cases

    def failed(self, error):
        """The block ended by what no use may end with."""
        broken = self.connection.closed or self.connection.broken
        (self.case or self.coming.pop(0)).state = "crash" if broken else error.sqlstate
        if broken:
            self.open()


class Tally:
    """What the whole run has to tell."""

    def __init__(self):
        self.calls = self.cancelled = self.timed_out = 0
        self.late, self.long = [], []
        self.states = {}

    def tell(self):
        print("%d calls, %d cancelled, %d ended after %d s; errors: %s" % (
            self.calls, self.cancelled, self.timed_out, TIMEOUT,
            ", ".join("%s %d" % pair for pair in sorted(self.states.items()))))
        print("longest calls:")
        for took, what in sorted(self.long, reverse=True)[:10]:
            print("    %6.2f s  %s" % (took, what))
        for title, at in (("the wall", 1), ("the backend's own", 0)):
            self.late.sort(key=lambda entry, at=at: -entry[at])
            print("slowest to be cancelled, by the clock of %s:" % title)
            for cpu, wall, what in self.late[:3]:
                print("    %4.0f ms (%.0f)  %s" % (
                    1000 * (wall if at else cpu), 1000 * (cpu if at else wall), what), flush=True)


def try_all(report, session, tally, shape, all_uses):
    """Every use once.  Returns the cases to be cancelled earlier."""
    left = []
    for case in session.run([Case(use) for use in all_uses]):
        took = case.took()
        tally.calls += 1
        report.check(case.state == "" or case.state in ALLOWED, "large:", shape, case.use, case.state)
        if took is None:
            continue
        tally.long.append((took[1], "%s: %s" % (shape, case.use)))
        if case.state:
            tally.states[case.state] = tally.states.get(case.state, 0) + 1
        if case.late():
            tally.timed_out += 1
            judge(report, session, tally, shape, case, case.late())
        if SORTED.search(case.use):
            continue
        delays = [EARLY] if took[1] > 2 * EARLY else []
        delays += [part * took[0] for part in PARTS if took[1] > LITTLE]
        left += [Case(case.use, delay) for delay in delays]
    return left


def judge(report, session, tally, shape, case, late):
    """Was it cancelled in time?"""
    tally.cancelled += 1
    tally.late.append((late[1], late[0], "%s: %s" % (shape, case.use)))
    report.check(late[1] < session.patience, "cancelled late:", shape, case.use, case.delay, late)


def cancel_all(report, session, tally, shape, cases):
    """The cases cancelled; of some tries, if none is short, the shortest counts."""
    best = {}
    for _ in range(TRIES):
        late = []
        for case in session.run(cases):
            key = (case.use, case.delay)
            if case.late() is None:
                continue
            best[key] = min(best.get(key, case.late()), case.late(), key=lambda pair: pair[1])
            if best[key][1] >= session.patience:
                late.append(Case(case.use, case.delay))
        cases = late
    for (use, delay), late in best.items():
        judge(report, session, tally, shape, Case(use, delay), late)


def make(connection, maker):
    connection.execute("DROP TABLE IF EXISTS large")
    connection.execute("CREATE UNLOGGED TABLE large (doc msgpack, twin msgpack)")
    for column in ("doc", "twin"):
        connection.execute("ALTER TABLE large ALTER %s SET STORAGE external" % column)
    first, second = (maker.replace("{n}", str(SIZE)).replace("{last}", last) for last in LAST)
    connection.execute("INSERT INTO large SELECT (%s)::msgpack" % first)
    connection.execute("UPDATE large SET twin = (%s)::msgpack" % second)


def main():
    report, tally = Report(), Tally()
    connection = connect()
    connection.execute("SET work_mem = '64MB'")
    connection.execute("CREATE TYPE large_row AS (%s)" % ROW_TYPE)
    session = Session()
    all_uses = uses(connection)
    for shape, maker in DOCUMENTS.items():
        if not re.search(SHAPES, shape):
            continue
        started = time.monotonic()
        make(connection, maker)
        session.patience = PATIENCE + 2 * session.run([Case(COPYING)])[0].took()[1]
        cancel_all(report, session, tally, shape, try_all(report, session, tally, shape, all_uses))
        if LONG:
            print("%s: %.0f s" % (shape, time.monotonic() - started), flush=True)
    connection.execute("DROP TABLE large")
    connection.execute("DROP TYPE large_row")
    report.check(tally.cancelled > 20 or USES or SHAPES, "hardly anything took long enough:",
                 tally.cancelled)
    tally.tell()
    report.finish()


main()
