#!/usr/bin/python3
"""Write what bench/results/ holds into the documents: tables, and charts in doc/charts/.

    report.py           writes them
    report.py --check   fails where a document or a chart shows other figures than the stored ones

A table stands in a document between the lines

    <!-- bench/report.py writes NAME -->
    <!-- the end of NAME -->

where NAME is one of tables.py.  What the stored results do not have yet is left as it is.
"""

import os
import re
import sys

import charts
import store
import tables

PROJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
DOCUMENTS = ("README.md", "doc/performance.md")
MARKED = re.compile(r"^(<!-- bench/report.py writes ([\w-]+) -->\n)(.*?)^(<!-- the end of \2 -->)$",
                    re.M | re.S)


def filled(name, text):
    """A document's text with the stored results in it."""
    found = MARKED.findall(text)
    if len(found) != text.count("<!-- bench/report.py writes "):
        sys.exit(name + ": the beginning of a table without its end")

    def replaced(match):
        table = tables.write(match[2])
        return match[0] if table is None else match[1] + "\n" + table + "\n" + match[4]
    return MARKED.sub(replaced, text)


def documents(check):
    """The documents that are not as they should be; writes them unless told to check."""
    wrong = []
    for name in DOCUMENTS:
        path = os.path.join(PROJECT, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        right = filled(name, text)
        if right != text:
            wrong.append(name)
            if not check:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(right)
    return wrong


def main(arguments):
    check = arguments == ["--check"]
    if arguments and not check:
        sys.exit(__doc__)
    wrong = documents(check) + charts.draw(os.path.join(PROJECT, "doc", "charts"), check)
    if not check:
        print("written: " + (", ".join(wrong) or "nothing, all is as stored"))
    elif wrong:
        print("these show other figures than bench/results/: " + ", ".join(wrong)
              + "; bench/run --report writes them")
    return 1 if check and wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
