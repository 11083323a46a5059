#!/usr/bin/python3
"""The section "codec" of bench/run: mpk's lower layers beside other libraries of C.

The program in bench/codec/ measures, in one process; its codec.h tells what each
operation is, and what each library does for it.  A line of the table is an operation
on the documents of a shape: nanoseconds of processor time for one document, for each
library, and how many times as long as the fastest of the others mpk takes.
"""

import os
import subprocess
import sys

import store

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join("..", "build", "bench")

SHAPES = ("S", "M", "L2")
OPERATIONS = ("validate", "skip", "encode", "decode", "keys", "path")

# The most that mpk may take, times the fastest of the others.
ASKED = {"validate": {"S": 1.8, "M": 1.1, "L2": 1.1},
         "encode": dict.fromkeys(SHAPES, 1.0),
         "keys": dict.fromkeys(SHAPES, 1.0),
         "path": dict.fromkeys(SHAPES, 1.0)}

PEERS = ("msgpuck", "mpack", "msgpack-c")

FIELDS = ("shape", "bytes", "count", "operation", "library",
          "low", "median", "high", "ratio_low", "ratio", "ratio_high")


def measure(shapes, rounds, operations=None):
    """Build the program and its documents, and run it; yields a dictionary of FIELDS a line."""
    program = os.path.join(BUILD, "codec", "codec")
    files = [os.path.join(BUILD, shape + ".documents") for shape in shapes]
    subprocess.run(["make", "-s", "-C", HERE, "PG_CONFIG=" + os.environ["PG_CONFIG"],
                    program] + files, check=True)
    command = [program, "-r", str(rounds)] + (["-o", operations] if operations else []) + files
    with subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            cells = line.rstrip("\n").split("\t")
            yield {field: cell if field in ("shape", "operation", "library") else float(cell)
                   for field, cell in zip(FIELDS, cells)}
    if process.returncode != 0:
        sys.exit("bench/codec failed")


def grouped(lines):
    """The lines of each operation on a shape, by library."""
    group, key = {}, None
    for line in lines:
        if key not in (None, (line["shape"], line["operation"])):
            yield group
            group = {}
        key = line["shape"], line["operation"]
        group[line["library"]] = line
    yield group


def result(group):
    """One line of the table."""
    mpk = group["mpk"]
    best = max((group[peer] for peer in PEERS if peer in group), key=lambda line: line["ratio"])
    asked = ASKED.get(mpk["operation"], {}).get(mpk["shape"])
    found = {"operation": mpk["operation"], "shape": mpk["shape"], "bytes": int(mpk["bytes"])}
    for library in ("mpk", "mpk, stored") + PEERS + ("memcpy",):
        found[library] = group[library]["median"] if library in group else None
    found.update(fastest=best["library"], ratio=best["ratio"], low=best["ratio_low"],
                 high=best["ratio_high"], asked=asked,
                 met=asked is None or best["ratio"] <= asked)
    return found


def main():
    options = store.options(rounds=25)
    shapes = [shape for shape in options.shapes or SHAPES if shape in SHAPES]
    results = []
    for group in grouped(measure(shapes, options.rounds)):
        results.append(result(group))
        print("%(operation)-9s %(shape)-3s mpk %(mpk)9.1f ns, %(ratio)5.2f times %(fastest)s's"
              % results[-1], "" if results[-1]["met"] else "MISSED")
    results.sort(key=lambda line: OPERATIONS.index(line["operation"]))
    store.save(options, "S, M and L2 of bench/documents.py, some 8 MB of each, all distinct",
               results)


if __name__ == "__main__":
    main()
