#!/usr/bin/python3
"""The section "ratios" of bench/run: the cases of cases.py, timed on a running server.

Every round of a case runs both sides once, the one that goes first changing
from round to round.  A case's ratio is the median of the rounds' ratios, with
their quartiles beside it; the times are medians too.  Time is the backend's
processor time, so that what else the machine does counts less.

Expressions are counted over documents in memory: many distinct ones, S and M
several to a row of a table that holds them uncompressed in line, L and XL in a
materialized CTE, which fetches them out of TOAST once for many walks.  What is
left of the executor in the time of one document is shown in the last lines and
is not subtracted.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections import namedtuple

import msgpack
import psycopg

import store
from cases import ALL, CASES, Expression, Size
from documents import documents
from lookups import Toasted

# Distinct documents in tables; those of them that an expression is counted over, of which so
# many stand in one row; its walks over all of them in one round.
Plan = namedtuple("Plan", "count held packed walks")
PLANS = {"S": Plan(16000, 4000, 16, 20), "M": Plan(1600, 480, 2, 20),
         "L": Plan(96, 24, 1, 20), "XL": Plan(8, 4, 1, 10)}

# How often each document is stored where it is read out of line.
COPIES = 4

TYPES = {"t": "text", "j": "jsonb", "m": "msgpack", "b": "bytea"}

Result = namedtuple("Result", "name shape jsonb msgpack ratio low high asked")


class Bench:
    def __init__(self, folder, rounds):
        self.folder = folder
        self.rounds = rounds
        self.connection = psycopg.connect("", autocommit=True)
        self.schedule = "/proc/%d/schedstat" % self.connection.info.backend_pid
        self.execute("SET client_min_messages = warning")
        self.execute("CREATE EXTENSION IF NOT EXISTS mpk")
        for kind in ("jsonb", "msgpack"):
            # int8up returns its first argument's Datum and does nothing else
            self.execute("CREATE FUNCTION bench_argument(%s, text) RETURNS %s LANGUAGE internal "
                         "IMMUTABLE STRICT PARALLEL SAFE AS 'int8up'" % (kind, kind))

    def execute(self, sql):
        return self.connection.execute(sql)

    def clock(self):
        """Seconds of processor time of the backend; of the wall where that is not told."""
        try:
            with open(self.schedule, encoding="ascii") as times:
                return int(times.read().split()[0]) / 1e9
        except OSError:
            return time.perf_counter()

    def seconds(self, sql):
        start = self.clock()
        self.execute(sql)
        return self.clock() - start

    # -- documents ------------------------------------------------------

    def load(self, shape):
        """Tables doc_t_s, doc_j_s ... (id, doc), and in_t_s ... of an expression's columns."""
        rows = [(i, json.dumps(document, ensure_ascii=False), msgpack.packb(document))
                for i, document in enumerate(documents(shape, PLANS[shape].count))]
        for letter, name in TYPES.items():
            table = self.table(letter, shape)
            self.execute("CREATE UNLOGGED TABLE %s (id int, doc %s)" % (table, name))
            self.execute("ALTER TABLE %s ALTER doc SET STORAGE EXTERNAL" % table)
        for letter, column in (("t", 1), ("b", 2)):
            self.send(self.table(letter, shape), TYPES[letter],
                      [(row[0], row[column]) for row in rows])
        for letter, source in (("j", "t"), ("m", "b")):
            self.execute("INSERT INTO %s SELECT id, doc::%s FROM %s" % (
                self.table(letter, shape), TYPES[letter], self.table(source, shape)))
        for letter in TYPES:
            self.execute("VACUUM (ANALYZE, FREEZE) " + self.table(letter, shape))
            if PLANS[shape].packed > 1:
                self.pack(letter, shape)

    def send(self, table, name, rows):
        with self.connection.cursor().copy("COPY %s FROM STDIN (FORMAT binary)" % table) as copy:
            copy.set_types(["int4", name])
            for row in rows:
                copy.write_row(row)

    def pack(self, letter, shape):
        packed = PLANS[shape].packed
        table = "in_%s_%s" % (letter, shape)
        places = range(packed)
        self.execute("CREATE UNLOGGED TABLE %s (id int, %s)" % (
            table, ", ".join("%s%d %s" % (letter, i, TYPES[letter]) for i in places)))
        for i in places:
            self.execute("ALTER TABLE %s ALTER %s%d SET STORAGE PLAIN" % (table, letter, i))
        self.execute("INSERT INTO %s SELECT id / %d, %s FROM %s WHERE id < %d GROUP BY id / %d" % (
            table, packed, ", ".join("(array_agg(doc ORDER BY id))[%d]" % (i + 1) for i in places),
            self.table(letter, shape), PLANS[shape].held, packed))
        self.execute("VACUUM (ANALYZE, FREEZE) " + table)

    def toasted(self, letter, shape, storage):
        """
        A table of the documents as they lie in TOAST, made when it is first asked for.  Each of
        them is stored four times, so that no query's cache keeps them all until the next walk.
        """
        table = "%s_%s" % (self.table(letter, shape), storage)
        if self.execute("SELECT to_regclass('%s')" % table).fetchone()[0] is None:
            self.execute("CREATE UNLOGGED TABLE %s (id int, doc %s)" % (table, TYPES[letter]))
            self.execute("ALTER TABLE %s ALTER doc SET %s" % (
                table, "STORAGE EXTERNAL" if storage == "external" else "COMPRESSION " + storage))
            # through text, since what is compressed already, or not, is stored as it is
            self.execute("INSERT INTO %s SELECT copy, doc::text::%s FROM generate_series(1, %d) "
                         "copy, %s" % (table, TYPES[letter], COPIES, self.table(letter, shape)))
            self.execute("VACUUM (ANALYZE, FREEZE) " + table)
        return table

    @staticmethod
    def table(letter, shape):
        return "doc_%s_%s" % (letter, shape)

    # -- statements -----------------------------------------------------

    def counting(self, expression, shape):
        """Count an expression over all documents of a shape, several times over."""
        plan = PLANS[shape]
        letter, = set(re.findall(r"\{(\w)\}", expression))	# one kind of document
        if plan.packed > 1:
            held = ""
            source = "in_%s_%s" % (letter, shape)
        else:
            # an array's elements are fetched out of TOAST when it is built
            held = ("WITH held AS MATERIALIZED (SELECT (ARRAY[doc])[1] AS %s0 FROM %s "
                    "WHERE id < %d)\n" % (letter, self.table(letter, shape), plan.held))
            source = "held"
        counts = ", ".join("count(%s)" % expression.format(**{letter: "%s%d" % (letter, i)})
                           for i in range(plan.packed))
        return ("%sSELECT %s FROM generate_series(1, %d) walk, "
                "LATERAL (SELECT * FROM %s WHERE walk > 0 OFFSET 0) d"
                % (held, counts, plan.walks, source))

    def reading(self, case, shape):
        """Count an expression over documents that stay in TOAST until it reads them."""
        sides = []
        walks = PLANS[shape].walks // (2 * COPIES) + 1
        for letter, expression in (("j", case.jsonb), ("m", case.msgpack)):
            sides.append(([], "SELECT count(%s) FROM generate_series(1, %d) walk, "
                          "LATERAL (SELECT * FROM %s WHERE walk > 0 OFFSET 0) d"
                          % (expression.format(**{letter: "doc"}), walks,
                             self.toasted(letter, shape, case.storage))))
        return sides, COPIES * PLANS[shape].count * walks

    def statements(self, case, shape):
        """Both sides, each with what runs before it untimed, and the documents that each takes."""
        if isinstance(case, Toasted):
            return self.reading(case, shape)
        if isinstance(case, Expression):
            sides = [([], self.counting(side, shape)) for side in (case.jsonb, case.msgpack)]
            return sides, PLANS[shape].held * PLANS[shape].walks
        names = {letter: self.table(letter, shape) for letter in TYPES}
        sides = []
        for number, side in enumerate((case.jsonb, case.msgpack)):
            kind = "jm"[number]
            names.update(out="out_%s" % kind, file="%s/%s.copy" % (self.folder, kind))
            before = []
            if case.before:
                self.execute(case.before[number].format(**names))
            if "{out}" in side:
                before = ["DROP TABLE IF EXISTS " + names["out"],
                          "CREATE UNLOGGED TABLE %s (LIKE %s INCLUDING STORAGE)"
                          % (names["out"], names[kind])]
            sides.append((before, side.format(**names)))
        return sides, PLANS[shape].count

    def run(self, side):
        for sql in side[0]:
            self.execute(sql)
        return self.seconds(side[1])

    # -- results --------------------------------------------------------

    def measure(self, case, shape):
        if isinstance(case, Size):
            return self.sizes(case, shape)
        sides, number = self.statements(case, shape)
        times = ([], [])
        for i in range(-1, self.rounds):
            for side in ((0, 1) if i % 2 else (1, 0)):
                seconds = self.run(sides[side])
                if i >= 0:			# the first round warms up
                    times[side].append(seconds)
        ratios = [a / b for a, b in zip(*times)]
        low, ratio, high = statistics.quantiles(ratios, n=4, method="inclusive")
        micro = [statistics.median(side) / number * 1e6 for side in times]
        return Result(case.name, shape, micro[0], micro[1], ratio, low, high, case.asked[shape])

    def sizes(self, case, shape):
        sizes = [float(self.execute(case.sql.format(table=self.table(letter, shape))).fetchone()[0])
                 for letter in "jm"]
        ratio = sizes[1] / sizes[0]
        return Result(case.name, shape, sizes[0], sizes[1], ratio, ratio, ratio,
                      case.asked[shape])

    def share(self, letter, shape):
        """Microseconds of one document for counting it and doing nothing else."""
        sql = self.counting("{%s}" % letter, shape)
        return statistics.median(self.seconds(sql) for _ in range(self.rounds)) / (
            PLANS[shape].held * PLANS[shape].walks) * 1e6


def is_met(case, result):
    if result.asked is None:
        return True
    return result.ratio <= result.asked if isinstance(case, Size) else result.ratio >= result.asked


def number(value):
    return "%.0f" % value if value >= 1000 else "%.3g" % value


COLUMNS = ("case", "", "jsonb", "msgpack", "ratio", "quartiles", "asked")


def row(case, result):
    asked = "" if result.asked is None else "%s %g" % (
        "≤" if isinstance(case, Size) else "≥", result.asked)
    unit = " B" if isinstance(case, Size) else " µs"
    return (result.name, result.shape, number(result.jsonb) + unit, number(result.msgpack) + unit,
            "%.2f" % result.ratio, "%.2f–%.2f" % (result.low, result.high),
            asked if is_met(case, result) else asked + " MISSED")


def show(cells):
    print("%-44s %-3s %11s %11s %7s %13s  %s" % cells)


def stored(case, result):
    return {"case": result.name, "shape": result.shape,
            "unit": "B" if isinstance(case, Size) else "µs",
            "jsonb": result.jsonb, "msgpack": result.msgpack, "ratio": result.ratio,
            "low": result.low, "high": result.high, "asked": result.asked,
            "met": is_met(case, result)}


def build_push():
    """The module with bench_push_jsonb; its path."""
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run(["make", "-s", "-C", here, "push", "PG_CONFIG=" + os.environ["PG_CONFIG"]],
                   check=True)
    return os.path.join(here, "..", "build", "bench", "push.so")


def main():
    options = store.options(rounds=11)
    shapes = options.shapes or ALL
    bench = Bench(options.folder, options.rounds)
    bench.execute("CREATE FUNCTION bench_push_jsonb(bytea) RETURNS jsonb AS '%s' "
                  "LANGUAGE C IMMUTABLE STRICT" % build_push())
    for shape in shapes:
        bench.load(shape)
    show(COLUMNS)
    results = []
    for case in CASES:
        for shape in shapes:
            if shape in case.asked and re.search(options.cases, case.name):
                try:
                    result = bench.measure(case, shape)
                except psycopg.Error as error:
                    sys.exit("%s, %s: %s" % (case.name, shape, error))
                results.append(stored(case, result))
                show(row(case, result))
    alone = {shape: bench.share("m", shape) for shape in shapes}
    print("Counting a document alone:",
          ", ".join("%s %s µs" % (shape, number(alone[shape])) for shape in shapes))
    print("Slower or larger than asked: %d" % sum(not result["met"] for result in results))
    store.save(options, "S, M, L and XL of bench/documents.py", results,
               alone=store.rounded(alone))


if __name__ == "__main__":
    sys.exit(main())
