"""The tables that bench/report.py writes, each from the results of one section.

TABLES is what there is: a name, by which a document asks for the table, the
section, the columns, and which of its results.  A column is its heading, how it
is aligned, and the text of its cell for a result.
"""

from collections import namedtuple

import store

Column = namedtuple("Column", "heading cell align", defaults=["--:"])
Table = namedtuple("Table", "section columns where", defaults=[lambda result: True])


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
                  lambda result: "" if result[name] is None
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


def at_most(result):
    """What was asked for, where less is better."""
    if result["asked"] is None:
        return ""
    return "≤ %g%s" % (result["asked"], "" if result["met"] else " ✗")


RATIO = Column("ratio", lambda result: "" if result["ratio"] is None else "%.2f" % result["ratio"])

MADE = ("S", "M", "L", "XL")

TABLES = {
    "ratios": Table("ratios", [
        key("case"), key("shape", ""), amount("jsonb"), amount("msgpack"), RATIO,
        Column("quartiles", quartiles), Column("asked", asked, "---")],
                    lambda result: result["shape"] in MADE),
    "ratios-real": Table("ratios", [
        key("case"), key("shape", ""), amount("jsonb"), amount("msgpack"), RATIO,
        Column("quartiles", quartiles)], lambda result: result["shape"] not in MADE),
    "ratios-four": Table("ratios", [
        key("case"), key("shape", ""), amount("jsonb"), amount("json"), amount("bytea"),
        amount("msgpack")],
                         lambda result: result["json"] is not None and result["unit"] != "B"
                         and result["shape"] in MADE),
    "sizes": Table("sizes", [
        key("shape", "documents"), key("storage", "stored"), amount("jsonb"), amount("json"),
        amount("bytea"), amount("msgpack"), RATIO]),
    "counts": Table("counts", [
        key("case"), key("shape", ""), plain("jsonb"), plain("msgpack"), RATIO]),
    "codec": Table("codec", [
        key("operation"), key("bytes", align="--:"), plain("mpk", "mpk, ns"),
        plain("mpk, stored", "with index"), plain("msgpuck"), plain("mpack"),
        plain("msgpack-c"), plain("memcpy"), key("fastest", "fastest other"), RATIO,
        Column("quartiles", quartiles), Column("asked", at_most, "---")]),
}


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def origin(content):
    """Where a table comes from, in a sentence."""
    return "`%s`, %s: %s, on %s. Documents: %s.\n\n" % (
        content["command"], content["date"], content["server"], content["machine"],
        content["documents"])


def write(name):
    """The table of that name as Markdown, or None when its section was never measured."""
    table = TABLES[name]
    content = store.load(table.section)
    if content is None:
        return None
    results = [result for result in content["results"] if table.where(result)]
    return (origin(content) + row(column.heading for column in table.columns)
            + row(column.align for column in table.columns)
            + "".join(row(column.cell(result) for column in table.columns) for result in results))
