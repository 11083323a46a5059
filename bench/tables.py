"""The tables that bench/report.py writes, each from the results of a section, or of more.

TABLES is what there is: a name, by which a document asks for the table, the
sections, the columns, and what becomes of their contents before: the lines of the
table, which are the first section's results unless something else is told.  A
column is its heading, how it is aligned, and the text of its cell for a line.
"""

import statistics
from collections import namedtuple

import store
from groups import MADE, by_group

Column = namedtuple("Column", "heading cell align", defaults=["--:"])
Table = namedtuple("Table", "sections columns lines",
                   defaults=[lambda *contents: contents[0]["results"]])


def number(value):
    """Three digits, or all those before the point, with commas."""
    return "{:,.0f}".format(value) if abs(value) >= 100 else "%.3g" % value


def key(name, heading=None, align="---"):
    """A column that shows a value as it is."""
    return Column(name if heading is None else heading,
                  lambda result: "" if result[name] is None else str(result[name]), align)


def amount(name, heading=None):
    """A column that shows a number in its result's own unit, where there is one."""
    return Column(name if heading is None else heading,
                  lambda result: "" if result.get(name) is None
                  else "%s %s" % (number(result[name]), result["unit"]))


def quartiles(result):
    return "%.2f–%.2f" % (result["low"], result["high"])


def asked(result):
    """What was asked for, with a mark where it is missed."""
    if result["asked"] is None:
        return ""
    sign = "≤" if result["unit"] == "B" else "≥"
    return "%s %g%s" % (sign, result["asked"], "" if result["met"] else " ✗")


def plain(name, heading=None):
    """A column that shows a number, where there is one, whose unit the heading tells."""
    return Column(name if heading is None else heading,
                  lambda result: "" if result[name] is None else number(result[name]))


def two_digits(value):
    return ("%.2f" % value).replace("-0.00", "0.00")


def decimals(name, heading):
    """A column of numbers with two digits after the point, where there is one."""
    return Column(heading, lambda result: "" if result[name] is None else two_digits(result[name]))


def exponent(result):
    """How msgpack's time grows, with a mark where that is faster than it should."""
    value = result["msgpack_exponent"]
    return "" if value is None else two_digits(value) + ("" if result["met"] else " ✗")


def at_most(result):
    """What was asked for, where less is better."""
    if result["asked"] is None:
        return ""
    return "≤ %g%s" % (result["asked"], "" if result["met"] else " ✗")


RATIO = Column("ratio", lambda result: "" if result["ratio"] is None else "%.2f" % result["ratio"])

def of_shapes(made):
    """The results of the documents that are made, or of the real ones."""
    return lambda content: [result for result in content["results"]
                            if (result["shape"] in MADE) == made]


def of_four(ratios):
    """Where json or bytea stands beside the two."""
    return [result for result in of_shapes(True)(ratios)
            if result["unit"] != "B" and any(result.get(name) is not None
                                             for name in ("json", "bytea", *OTHERS))]


def behind(ratios):
    """What is behind what was asked of it."""
    return [result for result in ratios["results"] if not result["met"]]


def group_means(ratios):
    """A line for each group of cases: the geometric means of its ratios, by shape."""
    for name, found in by_group(ratios["results"]).items():
        of = {shape: [ratio for at, ratio in found if at == shape] for shape in MADE}
        yield {"group": name, "cases": len(found),
               **{shape: statistics.geometric_mean(values) if values else None
                  for shape, values in of.items()}}


def times(name):
    """A column of how many times as fast."""
    return Column(name, lambda line: "" if line[name] is None else "%.3g" % line[name])


def floor(ratios):
    return [{"shape": shape, "alone": value, "unit": "µs"}
            for shape, value in ratios["alone"].items()]


# How a column of XL documents may be stored, and what the cases of reading them are called.
STORAGES = [("`EXTERNAL` (not compressed)", "external", "one key, first", ["one key, middle",
                                                                          "one key, last"]),
            ("`EXTENDED`, pglz (the default up to 18)", "pglz", "first key", ["deep key"]),
            ("`EXTENDED`, lz4 (the default from 19)", "lz4", "first key", ["deep key"])]


def storages(ratios, sizes):
    """Reading a key of an XL document as it is stored, and the bytes that it takes."""
    ratio = {result["case"]: result["ratio"] for result in ratios["results"]
             if result["shape"] == "XL"}
    size = {result["storage"]: result for result in sizes["results"] if result["shape"] == "XL"}
    for heading, storage, first, further in STORAGES:
        def of(*cases):
            found = sorted(ratio[name] for name in ("%s, %s" % (case, storage) for case in cases)
                           if name in ratio)
            return " to ".join(dict.fromkeys("%.2g" % value if value < 10 else "%.0f" % value
                                             for value in found))
        yield {"storage": heading, "the first key": of(first), "a key further back": of(*further),
               "a missing key": of("missing key"), "ten keys": of("ten keys"),
               **{"on disk, " + name: "%s kB" % number(size[storage][name] / 1000)
                  for name in ("msgpack", "jsonb")}}


# Other extensions, which most servers have not
OTHERS = ("documentdb_core", "pgbson", "pg_zerialize")

TABLES = {
    "groups": Table("ratios", [key("group", "times as fast"), key("cases", align="--:"),
                               *map(times, MADE)], group_means),
    "ratios": Table("ratios", [
        key("case"), key("shape", ""), amount("jsonb"), amount("msgpack"), RATIO,
        Column("quartiles", quartiles), Column("asked", asked, "---")], of_shapes(True)),
    "behind": Table("ratios", [key("case"), key("shape", ""), RATIO, Column("quartiles", quartiles),
                               Column("asked", asked, "---")], behind),
    "ratios-real": Table("ratios", [
        key("case"), key("shape", ""), amount("jsonb"), amount("msgpack"), RATIO,
        Column("quartiles", quartiles)], of_shapes(False)),
    "ratios-four": Table("ratios", [
        key("case"), key("shape", ""), amount("jsonb"), amount("json"), amount("bytea"),
        amount("msgpack"), *map(amount, OTHERS)], of_four),
    "floor": Table("ratios", [key("shape", "documents"), amount("alone", "a document alone")],
                   floor),
    "storages": Table("ratios sizes", [
        key("storage"), *(key(name) for name in (
            "the first key", "a key further back", "a missing key", "ten keys",
            "on disk, msgpack", "on disk, jsonb"))], storages),
    "sizes": Table("sizes", [
        key("shape", "documents"), key("storage", "stored"), amount("jsonb"), amount("json"),
        amount("bytea"), amount("msgpack"), RATIO]),
    "counts": Table("counts", [
        key("case"), key("shape", ""), plain("jsonb"), plain("msgpack"), RATIO]),
    "growth": Table("growth", [
        key("case"), key("over"), plain("largest", "up to"), amount("jsonb"), amount("msgpack"),
        decimals("ratio_largest", "ratio"), decimals("ratio_least", "least ratio"),
        decimals("jsonb_exponent", "exponent, jsonb"), Column("msgpack", exponent)]),
    "memory": Table("memory", [
        key("shape", "documents"), key("kind", "of"), key("backends", align="--:"),
        key("workers", align="--:"), plain("documents", "decoded"), plain("seconds", "seconds"),
        plain("start", "at the start, MiB"), plain("peak", "peak"), plain("end", "at the end"),
        plain("live", "live"), decimals("peak_over_live", "grown / live"),
        plain("contexts_grown", "contexts grew by")]),
    "codec": Table("codec", [
        key("operation"), key("bytes", align="--:"), plain("mpk", "mpk, ns"),
        plain("mpk, stored", "with index"), plain("msgpuck"), plain("mpack"),
        plain("msgpack-c"), plain("memcpy"), key("fastest", "fastest other"), RATIO,
        Column("quartiles", quartiles), Column("asked", at_most, "---")]),
    "workloads": Table("workloads", [
        key("workload"), key("direction", ""), plain("mpk", "mpk, ns"), plain("msgpuck"),
        plain("mpack"), plain("msgpack-c"), plain("ruby", "ruby gem"),
        plain("SQL, msgpack"), plain("SQL, jsonb")]),
}


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def origin(content):
    """Where a table comes from, in a sentence."""
    return "`%s`, %s: %s, on %s. Documents: %s.\n\n" % (
        content["command"], content["date"], content["server"], content["machine"],
        content["documents"])


def written(columns, lines):
    """A table as Markdown, without the columns in which nothing stands."""
    texts = [[column.cell(line) for column in columns] for line in lines]
    shown = [i for i in range(len(columns)) if any(cells[i] for cells in texts)]
    return "".join(row(cells[i] for i in shown)
                   for cells in ([column.heading for column in columns],
                                 [column.align for column in columns], *texts))


def write(name):
    """The table of that name as Markdown, or None when a section was never measured."""
    table = TABLES[name]
    contents = [store.load(section) for section in table.sections.split()]
    if None in contents:
        return None
    return "".join(map(origin, contents)) + written(table.columns, table.lines(*contents))
