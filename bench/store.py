"""What the sections of bench/run share: their options, and how they keep what they measured.

To add a section NAME, write bench/NAME.py, name it in "sections" at the head of
bench/run (with the Debian packages that it needs), and give its figures a table
in bench/tables.py, and a chart in bench/charts.py if one says more.

bench/run starts the program as an unprivileged user, in a built copy of the
project, so that it may write there and call make.  libpq's environment leads to
an empty database of a private server in which mpk can be created; each section
has a database of its own.  The program says what it does while it does it, on
standard output, and ends with

    store.save(options, documents, results)

"results" is a list of flat dictionaries, one for each line of a table, all with
the same keys; "documents" one sentence about what was measured on.  bench/run
copies the file to bench/results/NAME.json when all of the section was measured.
bench/report.py makes tables and charts of these files, and of nothing else.
"""

import argparse
import datetime
import json
import os
import platform
import re
import sys

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")


def options(rounds):
    """What bench/run was called with.  "rounds" is the section's own number of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", required=True, help="the file for the results")
    parser.add_argument("--folder", required=True, help="a folder that the server may write to")
    parser.add_argument("--cases", default="", help="a regular expression for the cases' names")
    parser.add_argument("--shapes", type=lambda names: names.split(","),
                        help="these shapes of documents alone; None is all")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--quick", action="store_true",
                        help="see that it works: few rounds, small documents")
    found = parser.parse_args()
    if found.rounds < 2:
        parser.error("quartiles need two rounds at least")
    if found.quick:
        found.rounds = min(found.rounds, 3)
    return found


def save(given, documents, results, **more):
    """Write a section's file; "more" are its other facts, by name."""
    if not results:
        sys.exit("nothing was measured: do --cases and --shapes name any?")
    section = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    content = {
        "section": section,
        "command": command(section),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": machine(),
        "server": os.environ["MPK_BENCH_SERVER"],
        "documents": documents,
        **more,
    }
    with open(given.output, "w", encoding="utf-8") as file:
        head = json.dumps(content, ensure_ascii=False, indent=1)
        # a result a line, so that a change of one figure is a change of one line
        lines = ",\n  ".join(json.dumps(rounded(result), ensure_ascii=False) for result in results)
        file.write('%s,\n "results": [\n  %s\n ]\n}\n' % (head[:-2], lines))


def command(section):
    """What bench/run was called with; the first four arguments are its own."""
    return " ".join(["bench/run", section] + sys.argv[5:])


def load(section):
    """A section's file, or None when it was never measured."""
    try:
        with open(os.path.join(RESULTS, section + ".json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def rounded(result):
    """With six digits: what is beyond them was not measured."""
    return {key: float("%.6g" % value) if isinstance(value, float) else value
            for key, value in result.items()}


def machine():
    """One line about the machine, and how busy it is."""
    return "%s, %d cores, Linux %s; load %.1f at the end" % (
        processor(), os.cpu_count(), platform.release().split("-")[0], os.getloadavg()[0])


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"^model name\s*:\s*(.+)$", file.read(), re.M)
    return found[1] if found else platform.machine()
