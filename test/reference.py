#!/usr/bin/python3
"""
doc/reference.md: every example gives what stands beside it.

The last two cells of a table's row are the example, in backquotes, and its
rows, each in backquotes.  Where the row has a cell with a number alone, that
is the major version of PostgreSQL that the example needs.
"""

import os
import re
import subprocess
import sys

REFERENCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "doc", "reference.md")
PSQL = ["psql", "-X", "-q", "-A", "-t", "-F", ", ", "-P", "null=∅", "-v", "ON_ERROR_STOP=1"]


def run(sql):
    done = subprocess.run(PSQL + ["-c", "SET TimeZone = 'UTC'", "-c", sql], encoding="utf-8",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=dict(os.environ, PGCLIENTENCODING="UTF8"))
    return done.stdout.rstrip("\n")


def code(cell):
    """The pieces in backquotes of a cell that is nothing else; else None."""
    pieces = re.fullmatch(r"`[^`]*`(<br>`[^`]*`)*", cell)
    return [piece.replace(r"\|", "|") for piece in re.findall(r"`([^`]*)`", cell)] if pieces else None


def examples(text):
    """(major, SQL, rows) of each row of a table that has an example."""
    for line in text.splitlines():
        if not line.startswith("|"):
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) < 3 or code(cells[-1]) is None or code(cells[-2]) is None:
            continue
        majors = [int(cell) for cell in cells if cell.isdigit()]
        yield max(majors, default=0), code(cells[-2])[0], code(cells[-1])


def main():
    run("CREATE EXTENSION IF NOT EXISTS mpk")
    major = int(run("SELECT current_setting('server_version_num')::int / 10000"))
    passed = failed = skipped = 0
    with open(REFERENCE, encoding="utf-8") as file:
        for needs, sql, rows in examples(file.read()):
            if needs > major:
                skipped += 1
                continue
            if not re.match(r"SELECT\b", sql):
                sql = "SELECT " + sql
            got = run(sql)
            if got == "\n".join(rows):
                passed += 1
            else:
                failed += 1
                print("failed:", sql, "\ngives:\n" + got, "\nnot:\n" + "\n".join(rows), flush=True)
    if passed < 20:
        failed += 1
        print("failed: only %d examples were found" % passed)
    print("%d passed, %d failed%s" % (passed, failed,
                                      ", %d skipped" % skipped if skipped else ""))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
