#!/usr/bin/python3
"""Limits: bombs do not allocate, time grows with the size, large values can be cancelled.

Environment: MPK_LARGE, megabytes of the large documents (12; with 500, where
results end at the server's 1 GB, this takes half an hour).
"""

import os
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "differential"))

# pylint: disable=wrong-import-position
import psycopg
from libmpk import Report, connect

LARGE = int(os.environ.get("MPK_LARGE", "12"))

# A query cancel is to be answered within 100 ms.  Of the backend's own time: a busy machine may
# let it wait.
PATIENCE, TRIES = 0.1, 2


def attempt(connection, sql, parameters=None):
    """The SQLSTATE, or None."""
    try:
        connection.execute(sql, parameters)
    except psycopg.Error as error:
        return error.sqlstate
    return None


# ---------------------------------------------------------------------------
# Bombs
# ---------------------------------------------------------------------------

BOMBS = [  # what, SQL, SQLSTATE
    ("length of a bin", r"'\xc6ffffffff'::bytea::msgpack", "22P03"),
    ("length of a str", r"'\xdbffffffff00'::bytea::msgpack", "22P03"),
    ("length of an ext", r"'\xc9ffffffff0100'::bytea::msgpack", "22P03"),
    ("elements", r"'\xddffffffffc0'::bytea::msgpack", "22P03"),
    ("pairs that overflow 32 bits", r"'\xdf80000000c0'::bytea::msgpack", "22P03"),
    ("pairs in pairs", r"decode(repeat('df7fffffff', 1000), 'hex')::msgpack", "22P03"),
    ("elements in hex text", r"'\xddffffffffc0'::msgpack", "22P03"),
    ("elements of a stream", r"msgpack_stream('\xddffffffffc0')", "22P03"),
    ("elements, checked", r"msgpack_check('\xddffffffffc0'::bytea)", None),
    ("arrays, 1,025", "decode(repeat('91', 1025) || 'c0', 'hex')::msgpack", "22P03"),
    ("arrays, a million", "decode(repeat('91', 1000000) || 'c0', 'hex')::msgpack", "22P03"),
    ("maps as keys", "decode(repeat('81', 1000000) || repeat('c0', 1000001), 'hex')::msgpack",
     "22P03"),
    ("brackets", "repeat('[', 1000000)::msgpack", "22P02"),
    ("braces", "repeat('{\"a\":', 1000000)::msgpack", "22P02"),
    ("braces as keys", "repeat('{', 1000000)::msgpack", "22P02"),
    ("brackets in jsonb", "(repeat('[', 1025) || repeat(']', 1025))::jsonb::msgpack", "54001"),
    ("two halves", "jsonb_build_array((repeat('[', 600) || repeat(']', 600))::msgpack)", None),
    ("a value put too deep", "jsonb_build_array(msgpack_set((repeat('[', 600) || '1' || "
     "repeat(']', 600))::msgpack, array_fill('0'::text, ARRAY[600]), "
     "(repeat('[', 600) || repeat(']', 600))::msgpack))", "54000"),
    ("a gap", "(SELECT doc FROM (VALUES ('[]'::msgpack)) v(doc)) || "
     "msgpack_set('[]', '{2147483647}', '1')", None),
    ("an index", "msgpack_extract_path('[]', '2147483647', '-2147483648')", None),
    ("digits", "('1' || repeat('0', 1000000))::msgpack", "22003"),
    ("an exponent", "'1e99999999999999999999'::msgpack", "22003"),
]


def peak(connection):
    """The most memory that the backend has had, in kilobytes."""
    pid = connection.info.backend_pid
    with open("/proc/%d/status" % pid, encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def bombs(report):
    for what, sql, state in BOMBS:
        connection = connect()
        attempt(connection, "SELECT '{}'::msgpack::text, '{}'::jsonb::msgpack, repeat('a', 2000000)")
        before = peak(connection)
        report.equal(attempt(connection, "SELECT " + sql), state, "bomb:", what)
        grown = peak(connection) - before
        report.check(grown < 24 * 1024, "bomb, kilobytes:", what, grown)
        connection.close()


# ---------------------------------------------------------------------------
# Time grows with the size
# ---------------------------------------------------------------------------

def number(i):
    return b"\xce" + i.to_bytes(4, "big")


def array(items, count):
    return b"\xdd" + count.to_bytes(4, "big") + items


def mapping(items, count):
    return b"\xdf" + count.to_bytes(4, "big") + items


PAIRS = b"".join(bytes([i, 0xc0]) for i in range(20))

# Shapes of n: each is a document in whose size, not in whose square, everything must go.
SHAPES = {
    "keys in keys": lambda n: (b"\xde\x00\x15" * 1000 + array(number(1) * n, n) +
                               (b"\xc0" + PAIRS) * 1000),
    "values in values": lambda n: ((b"\xde\x00\x15" + PAIRS + b"\xa1k") * 1000 +
                                   array(number(1) * n, n)),
    "arrays in arrays": lambda n: (b"\xdc\x00\x14" * 1000 + array(number(1) * n, n) +
                                   b"\xc0" * 19 * 1000),
    "one key": lambda n: mapping((b"\xa1a" + number(7)) * n, n),
    "keys": lambda n: mapping(b"".join(number(i) + b"\xc0" for i in range(n)), n),
    "keys downwards": lambda n: mapping(b"".join(number(n - i) + b"\xc0" for i in range(n)), n),
    "arrays as keys": lambda n: mapping(b"".join(b"\x91" + number(i * 7919 % n) + b"\xc0"
                                                 for i in range(n)), n),
    "empty maps": lambda n: array(b"\x80" * n, n),
    "one long str": lambda n: b"\xdb" + (5 * n).to_bytes(4, "big") + b"a\"\\\x01\xff" * n,
    "small maps": lambda n: array((b"\x83\xa1a\x01\xa1b\x02\xa1a" + number(3)) * n, n),
}

USES = ["msgpack_hash(d)", "d::text", "msgpack_text(d)::msgpack", "d::text::msgpack",
        "msgpack_canonical(d)", "d = d", "msgpack_check(d)", "msgpack_regular(d, 'last', 'replace')",
        "d || d", "msgpack_merge(d, d)", "msgpack_strip_nulls(d)", "msgpack_set(d, '{x}', '1')",
        "msgpack_to_jsonb(d, nul => 'replace', key_clash => 'last')", "msgpack_pretty(d)",
        "msgpack_get(d, 'true')", "d - 'x'", "d - ARRAY['x', 'y']", "d->'k'", "d->-1",
        "(SELECT count(*) FROM msgpack_tree(d))"]

# Seconds under which a difference says nothing; and twice what four times as much may take.
NOISE, GROWTH, SMALL = 0.15, 10, 6000


def timed(connection, use, data):
    best = None
    for _ in range(2):
        started = time.monotonic()
        state = attempt(connection, "SELECT count(y) FROM (SELECT %s AS y FROM grown OFFSET 0) x" % use, data)
        spent = time.monotonic() - started
        if state == "57014":
            return 60.0
        best = spent if best is None else min(best, spent)
        if best < NOISE:
            break
    return best


def growth(report):
    connection = connect()
    connection.execute("SET statement_timeout = '60s'")
    for name, shape in SHAPES.items():
        times = {}
        for n in (SMALL, 4 * SMALL):
            connection.execute("DROP TABLE IF EXISTS grown")
            connection.execute("CREATE TABLE grown (d msgpack)")
            times[n, "bytea"] = timed_insert(connection, shape(n))
            for use in USES:
                times[n, use] = timed(connection, use, None)
        for use in USES + ["bytea"]:
            small, large = times[SMALL, use], times[4 * SMALL, use]
            # a row's path is as long as the value is deep
            limit = 5 if "tree" not in use else 60
            report.check(large < max(NOISE, GROWTH * small) and large < limit, "time grows:", name, use,
                         "%.3f s, %.3f s" % (small, large))
    connection.close()


def timed_insert(connection, data):
    started = time.monotonic()
    attempt(connection, "INSERT INTO grown VALUES (%b::bytea::msgpack)", (data,))
    return time.monotonic() - started


# ---------------------------------------------------------------------------
# Large values: a clear error where the server ends, and cancelled in time
# ---------------------------------------------------------------------------

# Bytes of each large document, made in the server: a maker of n bytes.
LARGE_DOCUMENTS = {
    "a str": r"'\xdb'::bytea || int4send({n}) || convert_to(repeat('x', {n}), 'UTF8')",
    "integers": r"'\xdd'::bytea || int4send({n}) || convert_to(repeat('x', {n}), 'UTF8')",
    "small arrays": r"'\xdd'::bytea || int4send({n} / 8) || "
                    r"(SELECT string_agg(part, '') FROM (SELECT decode(repeat('92a5616263646501', "
                    r"{n} / 32), 'hex') AS part FROM generate_series(1, 4)) p)",
    "keys": r"'\xdf'::bytea || int4send({n} / 48) || (SELECT string_agg('\xce'::bytea || int4send(i) || "
            r"decode('d929' || repeat('61', 41), 'hex'), '') FROM generate_series(1, {n} / 48) i)",
    "one key": r"'\xdf'::bytea || int4send({n} / 2) || convert_to(repeat('x', {n}), 'UTF8')",
}

# Everything that reads or makes much of a document d; e is another one that is equal.
LARGE_USES = USES + [
    "d::bytea", "d::bytea::msgpack", "msgpack_send(d)", "d < e", "d @> e", "d ? 'zz'",
    "d ?| ARRAY['y', 'z']", "d::json", "json(d)", "msgpack_array_length(d)", "msgpack_size(d)",
    "msgpack_typeof(d)", "msgpack_is_canonical(d)", "d #>> '{}'", "d ->> 5", "d #- '{5}'",
    "msgpack_insert(d, '{5}', '1')", "msgpack_build_array(d, d)", "to_msgpack(ARRAY[d])",
    "msgpack_build_object('a', d)", "msgpack_has(d, 'null')", "msgpack_delete(d, 'null'::msgpack)",
    "(SELECT count(*) FROM msgpack_each_text(d))", "(SELECT count(*) FROM msgpack_object_keys(d))",
    "(SELECT count(*) FROM msgpack_array_elements(d))", "(SELECT msgpack_agg(x) FROM (VALUES (d)) v(x))",
    "(SELECT msgpack_object_agg(x, y) FROM (VALUES ('a', d)) v(x, y))",
    "(SELECT msgpack_merge_agg(x) FROM (VALUES (d), (e)) v(x))", "msgpack_utf8(d)", "msgpack_binary(d)",
    "(SELECT max(x) FROM (VALUES (d), (e)) v(x))", "msgpack_to_tsvector(d, '\"all\"')",
    "msgpack_ext(5, d::bytea)", "(SELECT count(*) FROM msgpack_stream(d::bytea))",
    "(SELECT msgpack_stream_agg(x) FROM (VALUES (d), (e)) v(x))", "msgpack_storage(d)",
    "msgpack_to_jsonb(d, true, 'replace', 'base64', 'last')",
]

ALLOWED = {None, "54000", "22023", "22P02", "22P05", "22021", "22003", "22030", "57014", "22004"}

BLOCK = """
DO $block$
DECLARE
	d msgpack;
	e msgpack;
	held record;
BEGIN
	SELECT doc, doc INTO d, e FROM large;
	d := d || '[]'::msgpack;
	RAISE NOTICE 'ready';
	BEGIN
		SELECT %s INTO held;
		RAISE NOTICE 'done';
	EXCEPTION WHEN query_canceled THEN
		RAISE NOTICE 'cancelled';
	END;
END $block$"""


def cpu_seconds(pid):
    """Seconds for which a process has run."""
    with open("/proc/%d/schedstat" % pid, encoding="ascii") as line:
        return int(line.read().split()[0]) / 1e9


class Canceller:
    """Runs a use in a block that says when it begins; cancels it then."""

    def __init__(self):
        self.connection = connect()
        self.connection.add_notice_handler(self.notice)
        self.delay = None
        self.sent = self.caught = None
        self.done = False

    def notice(self, diagnostic):
        text = diagnostic.message_primary
        if text == "ready" and self.delay is not None:
            threading.Timer(self.delay, self.cancel).start()
        elif text == "done":
            self.done = True
        elif text == "cancelled":
            self.caught = cpu_seconds(self.connection.info.backend_pid)

    def cancel(self):
        self.sent = cpu_seconds(self.connection.info.backend_pid)
        self.connection.cancel()

    def run(self, use, delay):
        """Seconds from the cancel to its effect; None when it ended before."""
        self.delay, self.sent, self.caught, self.done = delay, None, None, False
        state = attempt(self.connection, BLOCK % use)
        while delay is not None and state is None and self.sent is None:
            time.sleep(0.005)
        if delay is not None:
            attempt(self.connection, "SELECT pg_sleep(0.05)")   # a late one is for this
        return state, (self.caught - self.sent if self.caught else None)


def latency(canceller, use):
    """The shortest of some tries, if none is short: the machine may be busy."""
    best = None
    for _ in range(TRIES):
        _, seconds = canceller.run(use, 0.02)
        if seconds is None:
            return None
        best = seconds if best is None else min(best, seconds)
        if best < PATIENCE:
            break
    return best


def large(report):
    canceller = Canceller()
    canceller.connection.execute("SET statement_timeout = '100s'")
    cancelled = 0
    slowest = (0, "")
    for name, maker in LARGE_DOCUMENTS.items():
        connection = canceller.connection
        connection.execute("DROP TABLE IF EXISTS large")
        connection.execute("CREATE UNLOGGED TABLE large (doc msgpack)")
        connection.execute("ALTER TABLE large ALTER doc SET STORAGE external")
        maker = maker.format(n=LARGE * 1000000)
        report.equal(attempt(connection, "INSERT INTO large SELECT (%s)::msgpack" % maker), None,
                     "large:", name)
        for use in LARGE_USES:
            seconds = latency(canceller, use)
            cancelled += seconds is not None
            slowest = max(slowest, (seconds or 0, name + ": " + use))
            report.check((seconds or 0) < PATIENCE, "cancelled late:", name, use, seconds)
            if LARGE >= 400:
                state, _ = canceller.run(use, None)
                report.check(state in ALLOWED, "large:", name, use, state)
        connection.execute("DROP TABLE large")
    report.check(cancelled > len(LARGE_USES) // 2, "hardly anything took long enough:", cancelled)
    print("cancelled %d statements, the slowest in %.0f ms (%s)" %
          (cancelled, slowest[0] * 1000, slowest[1]), flush=True)


def main():
    report = Report()
    for part in (bombs, growth, large):
        started = time.monotonic()
        part(report)
        print("%s: %.0f s" % (part.__name__, time.monotonic() - started), flush=True)
    report.finish()


main()
