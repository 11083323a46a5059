#!/usr/bin/python3
"""The section "ratios" of bench/run: the cases of cases.py, timed on a running server.

Every round of a case runs both sides once, the one that goes first changing
from round to round.  A case's ratio is the median of the rounds' ratios, with
their quartiles beside it; the times are medians too.  Time is the backend's
processor time, so that what else the machine does counts less.

Expressions are counted over documents in memory: many distinct ones, S and M
several to a row of a table that holds them uncompressed in line, L and XL in a
materialized CTE, which fetches them out of TOAST once for many walks; the
largest are fetched from where they are stored, by both sides.  What is left of
the executor in the time of one document is shown in the last lines and is not
subtracted.
"""

import os
import re
import statistics
import subprocess
import sys
from collections import namedtuple

import psycopg

import others
import store
from cases import CASES, Expression, Size
from lookups import Toasted
from server import COPIES, MADE, REAL, Server

# What is compared, by the letter of its documents, and its name in the results.
JSONB, MSGPACK = "j", "m"
NAMES = {JSONB: "jsonb", MSGPACK: "msgpack", "o": "json", "b": "bytea"}

# A side of a case: its letter, what runs before it untimed, and what is timed.
Side = namedtuple("Side", "letter before timed")


class Bench(Server):
    def __init__(self, options):
        super().__init__(options.quick)
        self.names = dict(NAMES)
        self.folder = options.folder
        self.rounds = options.rounds
        for kind in ("jsonb", "msgpack"):
            # int8up returns its first argument's Datum and does nothing else
            self.execute("CREATE FUNCTION bench_argument(%s, text) RETURNS %s LANGUAGE internal "
                         "IMMUTABLE STRICT PARALLEL SAFE AS 'int8up'" % (kind, kind))
        self.execute("CREATE FUNCTION bench_push_jsonb(bytea) RETURNS jsonb AS '%s' "
                     "LANGUAGE C IMMUTABLE STRICT" % build_push())

    # -- statements -----------------------------------------------------

    def counting(self, expression, shape):
        """Count an expression over all documents of a shape, several times over."""
        plan = self.plans[shape]
        letter, = set(re.findall(r"\{(\w)\}", expression))	# one kind of document
        if plan.packed > 1:
            held = ""
            source = self.packed_table(letter, shape)
        elif plan.packed == 0:
            held = ""
            source = "(SELECT doc AS %s0 FROM %s) stored" % (letter, self.table(letter, shape))
        else:
            # an array's elements are fetched out of TOAST when it is built
            held = ("WITH held AS MATERIALIZED (SELECT (ARRAY[doc])[1] AS %s0 FROM %s "
                    "WHERE id < %d)\n" % (letter, self.table(letter, shape), plan.held))
            source = "held"
        counts = ", ".join("count(%s)" % expression.format(**{letter: "%s%d" % (letter, i)})
                           for i in range(plan.packed or 1))
        return ("%sSELECT %s FROM generate_series(1, %d) walk, "
                "LATERAL (SELECT * FROM %s WHERE walk > 0 OFFSET 0) d"
                % (held, counts, plan.walks, source))

    def counted(self, shape):
        """How many documents counting() takes."""
        return min(self.plans[shape].held, self.number[shape]) * self.plans[shape].walks

    def reading(self, case, shape):
        """Count an expression over documents that stay in TOAST until it reads them."""
        walks = self.plans[shape].walks // (2 * COPIES) + 1
        sides = [Side(letter, [], "SELECT count(%s) FROM generate_series(1, %d) walk, "
                      "LATERAL (SELECT * FROM %s WHERE walk > 0 OFFSET 0) d"
                      % (expression.format(**{letter: "doc"}), walks,
                         self.stored(letter, shape, case.storage, COPIES)))
                 for letter, expression in ((JSONB, case.jsonb), (MSGPACK, case.msgpack))]
        return sides, COPIES * self.number[shape] * walks

    def sides(self, case, shape):
        """The sides of a case, and the documents that each of them takes."""
        if isinstance(case, Toasted):
            return self.reading(case, shape)
        both = ((JSONB, case.jsonb), (MSGPACK, case.msgpack))
        if isinstance(case, Expression):
            return ([Side(letter, [], self.counting(expression, shape))
                     for letter, expression in (*both, *case.also.items())], self.counted(shape))
        before = case.before or (None, None)
        return ([self.statement(letter, first, statement, shape)
                 for (letter, statement), first in zip(both, before)]
                + [self.statement(letter, *pair, shape) for letter, pair in case.also.items()],
                self.number[shape])

    def statement(self, letter, first, statement, shape):
        names = {name: self.table(name, shape) for name in self.types}
        names.update(out="out_%s" % letter, file="%s/%s.copy" % (self.folder, letter))
        if first:
            self.execute(first.format(**names))
        before = []
        if "{out}" in statement:
            before = ["DROP TABLE IF EXISTS " + names["out"],
                      "CREATE UNLOGGED TABLE %s (LIKE %s INCLUDING STORAGE)"
                      % (names["out"], names[letter])]
        return Side(letter, before, statement.format(**names))

    def run(self, side):
        for sql in side.before:
            self.execute(sql)
        return self.seconds(side.timed)

    # -- results --------------------------------------------------------

    def measure(self, case, shape):
        """A result as it is stored; see result() below."""
        if isinstance(case, Size):
            values = {letter: float(self.value(case.sql.format(table=self.table(letter, shape))))
                      for letter in (JSONB, MSGPACK, *case.also)}
            ratio = values[MSGPACK] / values[JSONB]
            return self.result(case, shape, values, (ratio, ratio, ratio))
        sides, number = self.sides(case, shape)
        times = {side.letter: [] for side in sides}
        rounds = min(self.rounds, self.plans[shape].rounds or self.rounds)
        for i in range(-1, rounds):
            for side in (sides if i % 2 else reversed(sides)):
                seconds = self.run(side)
                if i >= 0:			# the first round warms up
                    times[side.letter].append(seconds)
        ratios = [a / b for a, b in zip(times[JSONB], times[MSGPACK])]
        micro = {letter: statistics.median(side) / number * 1e6 for letter, side in times.items()}
        return self.result(case, shape, micro, statistics.quantiles(ratios, n=4, method="inclusive"))

    def result(self, case, shape, values, quartiles):
        """A line of the table: one number for each type, by the type's name."""
        low, ratio, high = quartiles
        smaller = isinstance(case, Size)
        asked = case.asked[shape]
        return {"case": case.name, "shape": shape, "unit": "B" if smaller else "µs",
                **{name: values.get(letter) for letter, name in self.names.items()},
                "ratio": ratio, "low": low, "high": high, "asked": asked,
                "met": asked is None or (ratio <= asked if smaller else ratio >= asked)}

    def share(self, letter, shape):
        """Microseconds of one document for counting it and doing nothing else."""
        sql = self.counting("{%s}" % letter, shape)
        return statistics.median(self.seconds(sql) for _ in range(self.rounds)) / (
            self.counted(shape)) * 1e6


def number(value):
    return "%.0f" % value if value >= 1000 else "%.3g" % value


COLUMNS = ("jsonb", "msgpack", "json", "bytea")
LINE = "%-44s %-7s" + len(COLUMNS) * " %10s" + " %7s %13s  %s"


def show(result):
    asked = "" if result["asked"] is None else "%s %g%s" % (
        "≤" if result["unit"] == "B" else "≥", result["asked"], "" if result["met"] else " MISSED")
    cells = ["" if result[name] is None else "%s %s" % (number(result[name]), result["unit"])
             for name in COLUMNS]
    print(LINE % (result["case"], result["shape"], *cells, "%.2f" % result["ratio"],
                  "%.2f–%.2f" % (result["low"], result["high"]), asked))


def build_push():
    """The module with bench_push_jsonb; its path."""
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run(["make", "-s", "-C", here, "push", "PG_CONFIG=" + os.environ["PG_CONFIG"]],
                   check=True)
    return os.path.join(here, "..", "build", "bench", "push.so")


def measure_all(bench, cases, shapes):
    """The results, shown as they come."""
    print(LINE % ("case", "", *COLUMNS, "ratio", "quartiles", "asked"))
    results = []
    for case in cases:
        for shape in shapes:
            if shape in case.asked:
                try:
                    results.append(bench.measure(case, shape))
                except psycopg.Error as error:
                    sys.exit("%s, %s: %s" % (case.name, shape, error))
                show(results[-1])
    return results


def main():
    options = store.options(rounds=11)
    bench = Bench(options)
    cases = [case for case in others.beside(bench, CASES) if re.search(options.cases, case.name)]
    shapes = bench.load_shapes(options.shapes or MADE + REAL)
    results = measure_all(bench, cases, shapes)
    alone = {shape: bench.share(MSGPACK, shape) for shape in shapes if shape in MADE}
    print("Counting a document alone:",
          ", ".join("%s %s µs" % (shape, number(alone[shape])) for shape in alone))
    print("Slower or larger than asked: %d" % sum(not result["met"] for result in results))
    store.save(options, "S, M, L and XL of bench/documents.py, and those of bench/real.py", results,
               alone=store.rounded(alone))


if __name__ == "__main__":
    sys.exit(main())
