#!/usr/bin/python3
"""The section "memory" of bench/run: what backends hold that work on documents without end.

The work: a hundred documents are decoded (msgpack from bytea, jsonb from text),
each is edited, printed as text, and read from; the hundred are then aggregated to
one document, and the next hundred begin.  It is done by 1, 2 and 4 backends at once,
and by a query with two parallel workers.  While it runs, the private memory of all
processes that take part is read from /proc (RssAnon; Pss, which also has their
shares of what is shared, such as the server's buffers); before and after, what the
backend's memory contexts hold.  The live working set is what cannot but be there at
one time: the aggregated document, and the largest document with its text.

For the record, where ruby-msgpack is installed, a process that decodes the same
documents with it.
"""

import collections
import json
import os
import shutil
import struct
import subprocess
import threading
import time

import msgpack
import psycopg

import store
from documents import documents

# How many documents of a shape are decoded by each backend, and how many different ones there are.
Plan = collections.namedtuple("Plan", "decoded distinct")
PLANS = {"S": Plan(1_000_000, 16000), "M": Plan(100_000, 1600), "mixed": Plan(100_000, 2000)}
BATCH = 100
BACKENDS = (1, 2, 4)
WORKERS = 2

# What comes between two looks at the memory, in seconds.
INTERVAL = 0.02

INPUTS = {"msgpack": "bytes::msgpack", "jsonb": "form::jsonb"}

# The work on the batches of numbers up to {batches}, and of one batch.
DOCUMENTS = ("SELECT {T}_set(document, '{{edited}}', '1') AS edited, document ->> 'created' AS read "
             "FROM (SELECT {input} AS document FROM docs_{shape} WHERE {batch} OFFSET 0) d OFFSET 0")
WORK = ("SELECT {T}_agg(edited) AS whole, sum(length(edited::text)) AS printed, count(read), "
        "max(length(edited::text)) AS longest, max(pg_column_size(edited)) AS widest FROM ("
        + DOCUMENTS + ") e")
SERIES = ("SELECT sum(printed) FROM generate_series(1, {walks}) walk, LATERAL ("
          + WORK.replace("{batch}", "batch = walk % {batches}") + ") w")
LIVE = ("SELECT max(pg_column_size(whole) + longest + widest) FROM generate_series(0, {batches} - 1) "
        "walk, LATERAL (" + WORK.replace("{batch}", "batch = walk") + ") w")
# in parallel all is decoded, edited and printed, and nothing is put together but sums
PARALLEL = ("SELECT sum(length(edited::text)), count(read) FROM (" +
            DOCUMENTS.replace("docs_{shape}", "many_{shape}").replace("{batch}", "true") + ") e")

CONTEXTS = "SELECT sum(total_bytes) FROM pg_backend_memory_contexts"


def private_and_share(pid):
    """Bytes of private memory, and of it with the share of what is shared; 0 of who has ended."""
    found = {}
    for name in ("status", "smaps_rollup"):
        try:
            with open("/proc/%d/%s" % (pid, name), encoding="ascii") as file:
                for line in file:
                    field, _, rest = line.partition(":")
                    if field in ("RssAnon", "Pss"):
                        found[field] = int(rest.split()[0]) * 1024
        except OSError:
            return 0, 0
    return found["RssAnon"], found.get("Pss", 0)


class Watch(threading.Thread):
    """Looks at the memory of processes, and of the workers that they have, until told to stop."""

    def __init__(self, pids, with_workers=False):
        super().__init__()
        self.pids, self.with_workers = pids, with_workers
        self.over = threading.Event()
        self.start_bytes = self.largest = self.peak = self.peak_share = self.processes = 0

    def all_pids(self, connection):
        if connection is None:
            return self.pids
        return self.pids + [row[0] for row in connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE leader_pid = ANY(%s) AND pid <> leader_pid",
            (self.pids,)).fetchall()]

    def run(self):
        connection = psycopg.connect("", autocommit=True) if self.with_workers else None
        while True:
            sizes = [private_and_share(pid) for pid in self.all_pids(connection)]
            private = [size[0] for size in sizes]
            self.processes = max(self.processes, len(sizes))
            self.largest = max(self.largest, *private)
            self.peak = max(self.peak, sum(private))
            self.peak_share = max(self.peak_share, sum(size[1] for size in sizes))
            if self.over.wait(INTERVAL):
                break
        if connection is not None:
            connection.close()

    def __enter__(self):
        self.start_bytes = sum(private_and_share(pid)[0] for pid in self.pids)
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()
        self.end_bytes = sum(private_and_share(pid)[0] for pid in self.pids)


# ---------------------------------------------------------------------------
# Backends
# ---------------------------------------------------------------------------

def some_documents(shape, count):
    if shape != "mixed":
        return list(documents(shape, count))
    # of S, M and L in turn, most of them small
    each = [list(documents("S", count * 7 // 10)), list(documents("M", count * 29 // 100)),
            list(documents("L", count // 100))]
    return [document for part in each for document in part]


def load(connection, shape, found):
    """docs_SHAPE in batches, in no order of sizes; many_SHAPE, as much of it as workers are to do."""
    table = "docs_" + shape
    connection.execute("CREATE UNLOGGED TABLE %s (batch int, form text, bytes bytea)" % table)
    batches = len(found) // BATCH
    with connection.cursor().copy("COPY %s FROM STDIN (FORMAT binary)" % table) as copy:
        copy.set_types(["int4", "text", "bytea"])
        for i, document in enumerate(found):
            copy.write_row((i % batches, json.dumps(document, ensure_ascii=False),
                            msgpack.packb(document)))
    connection.execute("CREATE INDEX ON %s (batch)" % table)
    connection.execute("CREATE UNLOGGED TABLE many_%s (LIKE %s) WITH (parallel_workers = %d)" % (
        shape, table, WORKERS))
    connection.execute("INSERT INTO many_%s SELECT d.* FROM %s d, generate_series(1, %d)" % (
        shape, table, max(PLANS[shape].decoded // len(found) // 10, 1)))
    for name in (table, "many_" + shape):
        connection.execute("VACUUM (ANALYZE, FREEZE) " + name)
    return batches


def new_session(workers):
    connection = psycopg.connect("", autocommit=True)
    connection.execute("SET work_mem = '4MB'")
    connection.execute("SET max_parallel_workers_per_gather = %d" % workers)
    connection.execute("SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
                       "SET parallel_leader_participation = off")
    return connection


def contexts(connection):
    return int(connection.execute(CONTEXTS).fetchone()[0])


def measure(shape, kind, backends, workers, batches, decoded):
    """One line of the table."""
    names = {"T": kind, "input": INPUTS[kind], "shape": shape, "batches": batches}
    sessions = [new_session(workers) for _ in range(backends)]
    # what every session has once it has done such a thing at all
    warm = SERIES.format(walks=min(batches, 10), **names)
    work = (PARALLEL if workers else SERIES).format(walks=decoded // BATCH, **names)
    for session in sessions:
        session.execute(warm)
        contexts(session)
    live = int(sessions[0].execute(LIVE.format(**names)).fetchone()[0])
    before = sum(contexts(session) for session in sessions)
    with Watch([session.info.backend_pid for session in sessions], workers > 0) as watch:
        threads = [threading.Thread(target=session.execute, args=(work,)) for session in sessions]
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.perf_counter() - started
    after = sum(contexts(session) for session in sessions)
    for session in sessions:
        session.close()
    return line(shape, kind, backends, workers, watch, live, decoded * backends, seconds,
                after - before)


def line(shape, kind, backends, workers, watch, live, decoded, seconds, contexts_grown):
    grown = watch.peak - watch.start_bytes
    return {"shape": shape, "kind": kind, "backends": backends, "workers": workers, "unit": "MiB",
            "documents": decoded, "seconds": seconds, "start": watch.start_bytes / 2**20,
            "peak": watch.peak / 2**20, "end": watch.end_bytes / 2**20,
            "largest_process": watch.largest / 2**20, "peak_with_shared": watch.peak_share / 2**20,
            "live": live / 2**20, "processes": watch.processes,
            "peak_over_live": None if workers else grown / (live * backends),
            "contexts_grown": contexts_grown / 2**20}


def show(found):
    print("%-6s %-8s %d backends, %d workers: %9d documents in %5.1f s; private MiB at the start "
          "%6.2f, peak %6.2f, end %6.2f; live %5.2f%s; contexts grew by %.2f" % (
              found["shape"], found["kind"], found["backends"], found["workers"],
              found["documents"], found["seconds"], found["start"], found["peak"], found["end"],
              found["live"], "" if found["peak_over_live"] is None else
              ", grown by %.1f times that" % found["peak_over_live"], found["contexts_grown"]))


# ---------------------------------------------------------------------------
# Ruby
# ---------------------------------------------------------------------------

RUBY = """
require 'msgpack'
data, documents, until_count = File.binread(ARGV[0]), [], ARGV[1].to_i
while data.bytesize > 0
  size = data.unpack1('N')
  documents << data.byteslice(4, size)
  data = data.byteslice(4 + size, data.bytesize)
end
data = nil
documents.first(100).each { |document| MessagePack.unpack(document) }
puts 'ready'; $stdout.flush; $stdin.gets
done = 0
until done >= until_count
  documents.each { |document| MessagePack.unpack(document) }
  done += documents.size
end
puts 'done'; $stdout.flush; $stdin.gets
"""


def ruby(folder, shape, found, decoded):
    """The same documents decoded, and dropped, by ruby-msgpack; None without it."""
    if shutil.which("ruby") is None or subprocess.run(
            ["ruby", "-e", "require 'msgpack'"], capture_output=True, check=False).returncode != 0:
        return None
    path = os.path.join(folder, "ruby.documents")
    with open(path, "wb") as file:
        for document in found:
            packed = msgpack.packb(document)
            file.write(struct.pack(">I", len(packed)) + packed)
    with subprocess.Popen(["ruby", "-e", RUBY, path, str(decoded)], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        with Watch([process.pid]) as watch:
            started = time.perf_counter()
            process.stdin.write("go\n")
            process.stdin.flush()
            process.stdout.readline()
            seconds = time.perf_counter() - started
        process.communicate("end\n")
    os.remove(path)
    live = max(len(msgpack.packb(document)) for document in found)
    # its live set is more than bytes: what objects of ruby take is not told
    return {**line(shape, "ruby-msgpack", 1, 0, watch, live, decoded, seconds, 0),
            "peak_over_live": None}


# ---------------------------------------------------------------------------

def main():
    options = store.options(rounds=2)
    shapes = options.shapes or list(PLANS)
    results = []
    with psycopg.connect("", autocommit=True) as connection:
        connection.execute("CREATE EXTENSION mpk")
        for shape in shapes:
            plan = PLANS[shape]
            decoded = plan.decoded // 10 if options.quick else plan.decoded
            found = some_documents(shape, plan.distinct)
            batches = load(connection, shape, found)
            runs = [(backends, 0) for backends in BACKENDS] + [(1, WORKERS)]
            for backends, workers in runs:
                for kind in INPUTS:
                    results.append(measure(shape, kind, backends, workers, batches, decoded))
                    show(results[-1])
            by_ruby = ruby(options.folder, shape, found, decoded)
            if by_ruby is not None:
                results.append(by_ruby)
                show(by_ruby)
    store.save(options, "S, M and a mixture of S, M and L of bench/documents.py", results)


if __name__ == "__main__":
    main()
