"""
What README.md shows is what happens.

    readme_test.py README.md

Runs each ```sql block, in order, through psql, in the database that libpq's environment names.  A
```text block after it is what psql must print; without one it must succeed.  Then it takes the rows
of the table of text forms at their word.  Prints "N passed, N failed".
"""
import re
import subprocess
import sys

PSQL = ["psql", "-X", "-q"]
BLOCK = re.compile(r"^```sql\n(.*?)^```$(?:\s*^```text\n(.*?)^```$)?", re.M | re.S)
ROW = re.compile(r"^\| *`([^|]*)` *\| *`([^|]*)` *\| *`?([^|]*?)`? *\| *`([^|]*)` *\|$", re.M)


class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, good, *story):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print("FAILED", *story, sep="\n", flush=True)


def psql(arguments, script):
    """Status and output of a psql that reads the script."""
    done = subprocess.run(PSQL + arguments, input=script, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8")
    return done.returncode, done.stdout


def lines(text):
    """The lines of psql's output, without blanks at their ends and between results."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def check_blocks(readme, report):
    for sql, expected in BLOCK.findall(readme):
        status, output = psql(["-v", "ON_ERROR_STOP=" + ("0" if expected else "1")], sql)
        if expected:
            report.check(lines(output) == lines(expected), sql, "shows:", expected, "gives:", output)
        else:
            report.check(status == 0, sql, "gives:", output)


def quote(text):
    return "'" + text.replace("'", "''") + "'"


def check_table(readme, report):
    """Rows of: MessagePack bytes, text form, ->>, jsonb."""
    section = readme.split("## The text form", 1)[1].split("\n## ", 1)[0]
    rows = ROW.findall(section)
    report.check(len(rows) >= 20, "the table of text forms has %d rows" % len(rows))
    for data, form, text, jsonb in rows:
        # as the only element of an array, so that ->> has something to read
        array = "('\\x91' || decode(%s, 'hex'))::msgpack" % quote(data.replace(" ", ""))
        given = [form, "NULL" if text == "SQL NULL" else text, jsonb]
        query = ("SELECT (%s -> 0)::text, coalesce(%s ->> 0, 'NULL'), (%s::jsonb -> 0)::text,"
                 " (%s::msgpack)::bytea = decode(%s, 'hex')"
                 % (array, array, array, quote(form), quote(data.replace(" ", ""))))
        status, output = psql(["-A", "-t", "-F", "\t"], query)
        found = output.rstrip("\n").split("\t")
        report.check(status == 0 and found == given + ["t"],
                     data, "shows: %r" % given, "gives: %r" % found)


def main(path):
    with open(path, encoding="utf-8") as file:
        readme = file.read()
    report = Report()
    check_blocks(readme, report)
    check_table(readme, report)
    print("%d passed, %d failed" % (report.passed, report.failed))
    sys.exit(report.failed > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
