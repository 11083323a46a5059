#!/usr/bin/python3
"""Limits: bombs do not allocate, the server's tables end with an error, time grows with the size."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "differential"))

# pylint: disable=wrong-import-position
import psycopg
from libmpk import Report, connect, cpu_seconds


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
# Where the server's own tables end
# ---------------------------------------------------------------------------

# More than fit into one allocation; jsonb's functions show an internal error.
# A word takes less room from PostgreSQL 17 on.
WORDS = "to_msgpack(repeat('x ', CASE WHEN current_setting('server_version_num')::int < 170000 " \
        "THEN 17000000 ELSE 34000000 END))"
LONG = "to_msgpack(repeat('x', 268435456))"


def tables(report):
    connection = connect()
    for use in ("to_tsvector('simple', %s)", "ts_headline('simple', %s, 'x'::tsquery)"):
        report.equal(attempt(connection, "SELECT " + use % WORDS), "54000", use)
    for use in ("to_tsvector('simple', %s)", "ts_headline('simple', %s, 'x'::tsquery)",
                "msgpack_path_exists(%s, '$ ? (@ like_regex \"^xy\")')"):
        report.equal(attempt(connection, "SELECT " + use % LONG), "54000", use, "a long string")
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

# Seconds of the backend under which a difference says nothing; and twice what four times as much may take.
NOISE, GROWTH, SMALL = 0.15, 10, 6000


def timed(connection, use, data):
    best = None
    for _ in range(2):
        started = cpu_seconds(connection)
        state = attempt(connection, "SELECT count(y) FROM (SELECT %s AS y FROM grown OFFSET 0) x" % use, data)
        spent = cpu_seconds(connection) - started
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
    started = cpu_seconds(connection)
    attempt(connection, "INSERT INTO grown VALUES (%b::bytea::msgpack)", (data,))
    return cpu_seconds(connection) - started


def main():
    report = Report()
    for part in (bombs, tables, growth):
        started = time.monotonic()
        part(report)
        print("%s: %.0f s" % (part.__name__, time.monotonic() - started), flush=True)
    report.finish()


main()
