#!/usr/bin/python3
"""The section "workloads" of bench/run: the six workloads of msgpack-ruby's own benchmark.

    plain        a map of one key, "message", with a line of an Apache log, 150 bytes
    structured   the same line taken apart: 11 keys
    extended     a map of one key with an ext value of type 0 and one byte

each packed and unpacked, one document over and over, as the gem's benchmark does it.

Implementations: in C, the libraries of the section "codec", by its operations encode and
decode; the gem, by MessagePack.pack and unpack of a hash; SQL, an expression counted over a
table of 1,000 rows, what the executor does for each row included.  In SQL, pack makes the
document of columns, unpack makes columns of the document; jsonb has no extended.  A figure is
nanoseconds of processor time for one document, the median of the rounds.
"""

import os
import statistics
import subprocess
import sys

import codec
import documents
import store
from server import Server

WORKLOADS = ("plain", "structured", "extended")
DIRECTIONS = {"pack": "encode", "unpack": "decode"}
ROWS = 1000
WALKS = 20

COLUMNS = {key: "int4" if isinstance(value, int) else "text"
           for key, value in documents.STRUCTURED.items()}
RECORD = ", ".join("%s %s" % column for column in COLUMNS.items())

# What is counted, and what is joined to the table for it: "unpacked" has the columns, and
# "packed_WORKLOAD_TYPE" the document.
SQL = {
    ("plain", "pack"): ("{0}_build_object('message', message)", ""),
    ("plain", "unpack"): ("doc ->> 'message'", ""),
    ("structured", "pack"): ("to_{0}(structured)", ""),
    ("structured", "unpack"): ("x.agent", ", {0}_to_record(doc) x(%s)" % RECORD),
    ("extended", "pack"): ("{0}_build_object('extended', msgpack_ext(0, payload))", ""),
    ("extended", "unpack"): ("msgpack_ext_data(doc -> 'extended')", ""),
}
TYPES = {"plain": ("jsonb", "msgpack"), "structured": ("jsonb", "msgpack"),
         "extended": ("msgpack",)}


class Tables(Server):
    """The rows that SQL packs and unpacks."""

    def __init__(self):
        super().__init__()
        self.execute("CREATE TYPE structured AS (%s)" % RECORD)
        self.execute("CREATE UNLOGGED TABLE unpacked (message text, structured structured, "
                     "payload bytea)")
        self.connection.execute(
            "INSERT INTO unpacked SELECT %%s, ROW(%s)::structured, '\\x80' "
            "FROM generate_series(1, %d)" % (", ".join(["%s"] * len(COLUMNS)), ROWS),
            [documents.LOG_LINE, *documents.STRUCTURED.values()])
        for workload, names in TYPES.items():
            for name in names:
                self.execute("CREATE UNLOGGED TABLE packed_%s_%s AS SELECT %s AS doc FROM unpacked"
                             % (workload, name, SQL[workload, "pack"][0].format(name)))
        self.execute("VACUUM (ANALYZE, FREEZE)")
        for workload, value in documents.WORKLOADS.items():
            if self.value("SELECT doc::bytea FROM packed_%s_msgpack LIMIT 1"
                          % workload) != documents.packed(value):
                sys.exit("%s is packed to other bytes by SQL" % workload)

    def nanoseconds(self, workload, direction, name):
        expression, joined = (part.format(name) for part in SQL[workload, direction])
        source = "unpacked" if direction == "pack" else "packed_%s_%s" % (workload, name)
        seconds = self.seconds(
            "SELECT count(%s) FROM generate_series(1, %d) walk, LATERAL (SELECT * FROM %s "
            "WHERE walk > 0 OFFSET 0) d%s" % (expression, WALKS, source, joined))
        return seconds / (ROWS * WALKS) * 1e9

    def medians(self, rounds):
        """Nanoseconds by workload, direction and type; the types in turn."""
        found = {(*case, name): [] for case in SQL for name in TYPES[case[0]]}
        for i in range(-1, rounds):
            for case, times in found.items():
                nanoseconds = self.nanoseconds(*case)
                if i >= 0:		# the first round warms up
                    times.append(nanoseconds)
        return {case: statistics.median(times) for case, times in found.items()}


def in_c(rounds):
    """Nanoseconds by workload, operation and library."""
    return {(line["shape"], line["operation"], line["library"]): line["median"]
            for line in codec.measure(WORKLOADS, rounds, ",".join(DIRECTIONS.values()))}


def in_ruby(rounds):
    """Nanoseconds by workload and direction."""
    here = codec.HERE
    output = subprocess.run(
        ["ruby", os.path.join(here, "workloads.rb"), os.path.join(here, codec.BUILD), str(rounds)],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    return {(name, direction): float(nanoseconds)
            for name, direction, nanoseconds in map(str.split, output.splitlines())}


def main():
    options = store.options(rounds=15)
    libraries = in_c(options.rounds)
    gem = in_ruby(options.rounds)
    sql = Tables().medians(options.rounds)
    results = []
    for workload in WORKLOADS:
        for direction, operation in DIRECTIONS.items():
            result = {"workload": workload, "direction": direction,
                      "bytes": len(documents.packed(documents.WORKLOADS[workload]))}
            for library in ("mpk",) + codec.PEERS:
                result[library] = libraries.get((workload, operation, library))
            result["ruby"] = gem[workload, direction]
            for name in ("msgpack", "jsonb"):
                result["SQL, " + name] = sql.get((workload, direction, name))
            results.append(result)
            print(" ".join("%s %s" % (key, value if isinstance(value, (str, int)) else
                                      "-" if value is None else "%.1f" % value)
                           for key, value in result.items()))
    store.save(options, "one of each workload, over and over", results)


if __name__ == "__main__":
    main()
