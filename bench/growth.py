#!/usr/bin/python3
"""The section "growth" of bench/run: how the time of each operation grows.

Over one document in memory, or in TOAST, of 10 to 1,000,000 entries, a map or
an array; and over tables of 1,000 to 1,000,000 rows of S.  Of every operation
the exponent is told: the slope of a line through the logarithms of size and
time, by least squares, over the sizes from 1,000 on, since below them what a
call costs at all counts for more than the document.  An exponent of 0 is time
that does not grow, 1 is time that grows as the document does.

Expressions are counted w times over and once; the difference is divided by
w - 1, so that what it takes to have the document in memory does not count.
"""

import math
import re
import statistics
import sys
from collections import namedtuple

import psycopg

import store
from operations import AGGREGATES, LOOKUPS, OPERATIONS, TABLES
from server import Server

SIZES = [10 ** i for i in range(1, 7)]
ROWS = [10 ** i for i in range(3, 7)]

# The smallest size that the exponent is about, and by how much it may come out above what it should
# be: of 1,000 entries all lies in the processor's first caches, of 1,000,000 nothing does.
FITTED, SLACK = 1000, 0.25

# Seconds that are worth measuring, and those after which once is enough.
LEAST, ENOUGH = 0.015, 1.0

# An entry of a document, by its number: i-th of n.  Every tenth has something inside.
ENTRY = "CASE WHEN i % 10 = 0 THEN jsonb_build_object('x', jsonb_build_array(1, 'two', " \
        "jsonb_build_object('y', i))) WHEN i % 10 = 1 THEN 'null' WHEN i % 10 = 2 THEN " \
        "to_jsonb('text ' || i) ELSE to_jsonb(i) END"
DOCUMENTS = {
    "map": "SELECT jsonb_object_agg('key_' || i, %s) FROM generate_series(0, {n} - 1) i" % ENTRY,
    "array": "SELECT jsonb_agg(%s) FROM generate_series(0, {n} - 1) i" % ENTRY,
}
# another one that differs in its last entry alone
OTHERS = {"map": "{{\"key_{last}\": -1}}", "array": "[-1]"}


class Growth(Server):
    def __init__(self, rounds):
        super().__init__()
        self.rounds = rounds

    def load_documents(self, shape):
        """A row for each size: the document as text, jsonb, msgpack and bytea, and another one."""
        table = "growth_" + shape
        self.execute("CREATE UNLOGGED TABLE %s (n int, t text, j jsonb, m msgpack, b bytea, "
                     "j2 jsonb, m2 msgpack)" % table)
        for column in ("t", "j", "m", "b", "j2", "m2"):
            self.execute("ALTER TABLE %s ALTER %s SET STORAGE EXTERNAL" % (table, column))
        for n in SIZES:
            other = OTHERS[shape].format(last=n - 1)
            changed = "j || '%s'" % other if shape == "map" else "(j - -1) || '%s'" % other
            # in the order of numbers, not of jsonb's keys
            self.execute("INSERT INTO {0} SELECT {1}, j::text, j, m, m::bytea, {2}, ({2})::msgpack "
                         "FROM (SELECT ({3}) AS j OFFSET 0) d, LATERAL (SELECT j::msgpack AS m "
                         "OFFSET 0) e".format(table, n, changed, DOCUMENTS[shape].format(n=n)))
        self.execute("VACUUM (ANALYZE, FREEZE) " + table)

    def load_rows(self, n):
        """Tables rows_j and rows_m of n rows of S, all different."""
        for letter, kind in (("j", "jsonb"), ("m", "msgpack")):
            self.execute("DROP TABLE IF EXISTS rows_" + letter)
            self.execute("CREATE UNLOGGED TABLE rows_{0} AS SELECT i AS id, doc || "
                         "{1}_build_object('id', i::bigint * 7919 % {2}) AS doc "	# in no order
                         "FROM generate_series(0, {2} - 1) i JOIN doc_{0}_S d ON d.id = i % 16000".format(letter, kind, n))
            self.execute("VACUUM (ANALYZE, FREEZE) rows_" + letter)

    # -- times ----------------------------------------------------------

    def each_time(self, statement):
        """Seconds of what statement(w) does w times."""
        walks, once = 2, self.seconds(statement(1))
        many = self.seconds(statement(walks))
        # more than how fetching the document varies
        least = max(LEAST, once / 2)
        while many - once < least and walks < 1 << 22:
            walks *= 2 if many - once > least / 2 else 8
            many = self.seconds(statement(walks))
        differences = [many - once]
        while len(differences) < self.rounds and many < ENOUGH:
            differences.append(self.seconds(statement(walks)) - self.seconds(statement(1)))
        return max(statistics.median(differences), 1e-9) / (walks - 1)

    def expression_time(self, shape, n, expression):
        columns = sorted(set(re.findall(r"d\.(\w+)", expression)))
        # an array's elements are fetched out of TOAST when it is built; they stay where they are
        # while the series, which depends on them for nothing else, is walked through
        held = ", ".join("(ARRAY[%s])[1] AS %s" % (column, column) for column in columns)

        def statement(walks):
            return ("SELECT count(%s) FROM (SELECT n, %s FROM growth_%s WHERE n = %d OFFSET 0) d, "
                    "LATERAL generate_series(1, %d + 0 * d.n) walk"
                    % (expression, held, shape, n, walks))
        return self.each_time(statement)

    def lookup_time(self, shape, n, expression):
        """Of a query that reads a document in TOAST: a new one each time, which has fetched nothing."""
        def statement(walks):
            return ("DO $$ BEGIN FOR w IN 1 .. %d LOOP PERFORM %s FROM growth_%s d WHERE n = %d; "
                    "END LOOP; END $$" % (walks, expression, shape, n))
        return self.each_time(statement)

    def statement_time(self, before, statement):
        """Of a statement as it is; the first run warms up, when it is short."""
        times = []
        while len(times) <= self.rounds and sum(times) < ENOUGH:
            for sql in before:
                self.execute(sql)
            times.append(self.seconds(statement))
        return statistics.median(times[1:] or times)


# ---------------------------------------------------------------------------
# Exponents
# ---------------------------------------------------------------------------

def exponent(points):
    """The slope of log(time) over log(size) from FITTED on; None of less than two such points."""
    logs = [(math.log(n), math.log(seconds)) for n, seconds in points.items()
            if n >= FITTED and seconds is not None]
    if len(logs) < 2:
        return None
    mean_x, mean_y = (statistics.fmean(axis) for axis in zip(*logs))
    return (sum((x - mean_x) * (y - mean_y) for x, y in logs) /
            sum((x - mean_x) ** 2 for x, _ in logs))


Result = namedtuple("Result", "case over grows sizes jsonb msgpack")


def stored(result):
    """As it is kept: times in µs, those of all sizes in one string, and at the largest size."""
    line = {"case": result.case, "over": result.over, "grows": result.grows, "unit": "µs"}
    for side in ("jsonb", "msgpack"):
        points = dict(zip(result.sizes, getattr(result, side)))
        micro = [None if point is None else point * 1e6 for point in points.values()]
        line[side] = micro[-1]
        line[side + "_times"] = " ".join("-" if t is None else "%.4g" % t for t in micro)
        line[side + "_exponent"] = exponent(points)
    line["largest"] = result.sizes[-1]
    line["met"] = (line["msgpack_exponent"] is None or
                   line["msgpack_exponent"] <= result.grows + SLACK)
    ratios = [a / b for a, b in zip(result.jsonb, result.msgpack) if a is not None]
    line["ratio_least"], line["ratio_largest"] = (
        (min(ratios), ratios[-1]) if ratios else (None, None))
    return line


def show(line):
    def tell(value, form):
        return "" if value is None else form % value
    print("%-34s %-14s %10s %10s µs  exponent %5s %5s%s  ratio at least %5s, at the end %5s" % (
        line["case"], line["over"], tell(line["jsonb"], "%.4g"), tell(line["msgpack"], "%.4g"),
        tell(line["jsonb_exponent"], "%.2f"), tell(line["msgpack_exponent"], "%.2f"),
        "" if line["met"] else " MORE THAN %g" % line["grows"],
        tell(line["ratio_least"], "%.2f"), tell(line["ratio_largest"], "%.2f")))


# ---------------------------------------------------------------------------
# The three kinds of cases
# ---------------------------------------------------------------------------

SIDES = (("jsonb", "j"), ("msgpack", "m"))


def written(template, side, letter, n=0):
    return template.format(T=side, d="d." + letter, e="d.%s2" % letter, n=n, last=n - 1,
                           mid=n // 2, tenth=(n - 1) // 10 * 10, rows="rows_" + letter)


def over_documents(cases, time, where, sizes):
    for case in cases:
        for shape, template in case.shapes.items():
            times = {}
            for side, letter in SIDES:
                times[side] = [
                    time(shape, n, written(template, side, letter, n))
                    if side == "msgpack" or case.jsonb else None
                    for n in sizes if n <= case.most]
            yield Result(case.name, shape + where, case.grows,
                         [n for n in sizes if n <= case.most], **times)


def over_rows(bench, cases, sizes):
    times = {case.name: {"jsonb": [], "msgpack": []} for case in cases}
    for n in sizes:
        bench.load_rows(n)
        print("    %d rows" % n)
        for case in cases:
            for side, letter in SIDES:
                before = [written(sql, side, letter, n) for sql in case.before]
                times[case.name][side].append(
                    bench.statement_time(before, written(case.sql, side, letter, n)) / case.times)
    for case in cases:
        yield Result(case.name, "rows", case.grows, sizes, **times[case.name])


def over_aggregates(bench, cases, sizes):
    for case in cases:
        times = {side: [bench.statement_time([], written(case.sql, side, letter, n))
                        if side == "msgpack" or case.jsonb else None for n in sizes]
                 for side, letter in SIDES}
        yield Result(case.name, "rows to one", case.grows, sizes, **times)


def main():
    options = store.options(rounds=3)
    sizes, rows = (SIZES[:4], ROWS[:2]) if options.quick else (SIZES, ROWS)
    bench = Growth(options.rounds)
    bench.load("S")
    for shape in DOCUMENTS:
        bench.load_documents(shape)
    chosen = [[case for case in cases if re.search(options.cases, case.name)]
              for cases in (OPERATIONS, LOOKUPS, AGGREGATES, TABLES)]
    results = []
    try:
        for part in (over_documents(chosen[0], bench.expression_time, "", sizes),
                     over_documents(chosen[1], bench.lookup_time, " in TOAST", sizes),
                     over_aggregates(bench, chosen[2], sizes),
                     over_rows(bench, chosen[3], rows) if chosen[3] else ()):
            for result in part:
                results.append(stored(result))
                show(results[-1])
    except psycopg.Error as error:
        sys.exit("%s after %s" % (error, results[-1]["case"] if results else "nothing"))
    print("Growing faster than they should: %d" % sum(not line["met"] for line in results))
    store.save(options, "maps and arrays of 10 to 1,000,000 entries, every tenth with a map inside; "
               "tables of S of bench/documents.py", results)


if __name__ == "__main__":
    main()
