#!/usr/bin/python3
"""The section "counts" of bench/run: instructions of one document, by callgrind.

A single-user backend runs the statements of the kernels under valgrind.  What
is told is the instructions from a C function's beginning to its end, all that
it calls included, divided by its calls: what else the machine does changes
nothing in it.
"""

import collections
import os
import re
import shutil
import subprocess
import sys

import store
from server import MADE, Server

# Documents of which the mean is taken.
NUMBERS = {"S": 200, "M": 50, "L": 6, "XL": 2}

# A kernel: a statement for jsonb and one for msgpack, and the C function of each that is
# counted.  Without a statement for jsonb it is a part of what msgpack does: of text in, mostly.
Kernel = collections.namedtuple("Kernel", "name jsonb msgpack functions shapes", defaults=[MADE])


def counted(expression, letter):
    """Count an expression over the documents of a type, all of them in memory before."""
    return ("WITH held AS MATERIALIZED (SELECT (ARRAY[doc])[1] AS doc FROM doc_%s) "
            "SELECT count(%s) FROM held" % (letter, expression))


def beside(function, letter):
    """A function of every document and the one before it."""
    return counted("%s(doc, before)" % function, letter).replace(
        "FROM held", "FROM (SELECT doc, lag(doc) OVER () AS before FROM held) AS pairs")


def alike(name, expression, functions, shapes=MADE):
    """The same for both types, but for {type}."""
    return Kernel(name, counted(expression.replace("{type}", "jsonb"), "j"),
                  counted(expression.replace("{type}", "msgpack"), "m"), functions, shapes)


def reading(name, expression, function, shape):
    return alike(name, expression, ("jsonb_" + function, "msgpack_" + function), (shape,))


# A group is a run: no statement of the first has constants that are read as documents are.
GROUPS = [
    [
        Kernel("text in", counted("doc::jsonb", "t"), counted("doc::msgpack", "t"),
               ("jsonb_in", "msgpack_in")),
        alike("text out", "doc::text", ("jsonb_out", "msgpack_out")),
        Kernel("binary in", "COPY out_j FROM '{folder}/j.copy' (FORMAT binary)",
               "COPY out_m FROM '{folder}/m.copy' (FORMAT binary)", ("jsonb_recv", "msgpack_recv")),
        Kernel("of it, validation", None, None, (None, "mpk_validate_layout")),
        alike("binary out", "{type}_send(doc)", ("jsonb_send", "msgpack_send")),
        Kernel("jsonb to msgpack, against text to jsonb", None, counted("doc::msgpack", "j"),
               ("jsonb_in", "msgpack_from_jsonb")),
        Kernel("msgpack to jsonb, against text to jsonb", None, counted("doc::jsonb", "m"),
               ("jsonb_in", "msgpack_to_jsonb")),
    ],
    [
        Kernel("index alone", None, counted("doc::msgpack", "b"), (None, "mpk_index_build")),
        reading("->> first key", "doc->>'id'", "object_field_text", "S"),
        reading("#>> three deep", "doc#>>'{customer,address,city}'", "extract_path_text", "M"),
        reading("#>> records,75,uid", "doc#>>'{records,75,uid}'", "extract_path_text", "L"),
        reading("#>> middle section", "doc#>>'{section_0500,title}'", "extract_path_text", "XL"),
        reading("@> two keys", "doc @> '{\"country\": \"IT\", \"active\": true}'", "contains", "S"),
        reading("@> nested", "doc @> '{\"customer\": {\"address\": {\"country\": \"BE\"}}}'",
                "contains", "M"),
        alike("hash", "{type}_hash(doc)", ("jsonb_hash", "msgpack_hash")),
        Kernel("compare with the one before", beside("jsonb_cmp", "j"), beside("msgpack_cmp", "m"),
               ("jsonb_cmp", "msgpack_cmp")),
        reading("set one key", "{type}_set(doc, '{score}', '1')", "set", "S"),
        reading("set one key", "{type}_set(doc, '{payment,amount}', '1')", "set", "M"),
        reading("set one key", "{type}_set(doc, '{records,75,user}', '1')", "set", "L"),
        reading("set one key", "{type}_set(doc, '{section_0500,weight}', '1')", "set", "XL"),
        Kernel("GIN entries", "CREATE INDEX ON doc_j USING gin (doc)",
               "CREATE INDEX ON doc_m USING gin (doc)", ("gin_extract_jsonb", "gin_extract_msgpack"),
               ("S", "M")),
    ],
]

TYPES = {"t": "text", "j": "jsonb", "m": "msgpack", "b": "bytea"}

# Only what finds the extension is taken over from bench/run's server.
SETTINGS = ("extension_destdir", "extension_control_path", "dynamic_library_path")


class Backend:
    """A data directory of its own, for backends without a server."""

    def __init__(self, server, folder):
        self.folder = os.path.join(folder, "counts")
        self.data = os.path.join(self.folder, "data")
        config = os.environ["PG_CONFIG"]
        self.bin = subprocess.run([config, "--bindir"], check=True, capture_output=True,
                                  text=True).stdout.strip()
        os.makedirs(self.folder)
        subprocess.run([os.path.join(self.bin, "initdb"), "-D", self.data, "-U", "postgres",
                        "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
                       check=True, stdout=subprocess.DEVNULL)
        self.options = ["-c", "fsync=off", "-c", "jit=off", "-c", "work_mem=1GB"]
        for name, value in server.execute(
                "SELECT name, setting FROM pg_settings WHERE name = ANY ('{%s}')"
                % ",".join(SETTINGS)):
            self.options += ["-c", "%s=%s" % (name, value)]

    def run(self, statements, *wrapper):
        """Run statements, each in a line; as under wrapper."""
        done = subprocess.run(
            [*wrapper, os.path.join(self.bin, "postgres"), "--single", "-D", self.data,
             *self.options, "postgres"],
            input="".join(" ".join(sql.split()) + "\n" for sql in statements), check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0 or re.search(r"\b(ERROR|FATAL|PANIC):", done.stderr):
            sys.exit("a backend without a server failed:\n" + done.stderr[-2000:])

    def load(self, server, shape):
        """The documents of a shape as doc_t, doc_j ...; whole files of them, and empty tables."""
        statements = ["DROP TABLE IF EXISTS doc_%s, out_%s" % (letter, letter) for letter in TYPES]
        for letter, name in TYPES.items():
            path = os.path.join(self.folder, letter + ".copy")
            server.execute("COPY (SELECT doc FROM %s WHERE id < %d) TO '%s' (FORMAT binary)" % (
                server.table(letter, shape), NUMBERS[shape], path))
            statements += ["CREATE UNLOGGED TABLE %s_%s (doc %s)" % (table, letter, name)
                           for table in ("doc", "out")]
            statements.append("COPY doc_%s FROM '%s' (FORMAT binary)" % (letter, path))
        self.run(statements)

    def profile(self, kernels):
        """The instructions and the calls of every function, by its name."""
        path = os.path.join(self.folder, "profile")
        self.run([sql.replace("{folder}", self.folder) for kernel in kernels
                  for sql in (kernel.jsonb, kernel.msgpack) if sql],
                 "valgrind", "--tool=callgrind", "--callgrind-out-file=" + path, "-q")
        return read_profile(path)


def read_profile(path):
    """
    Of a callgrind profile what each function was called for.  A name stands in full where it is
    first used, "(7) jsonb_in", and as "(7)" after that; the line after "calls=" ends in the
    instructions of those calls, all that they call included.
    """
    names, instructions, calls = {}, collections.Counter(), collections.Counter()
    callee = number = None
    with open(path, encoding="utf-8") as file:
        for line in file:
            if number is not None:
                instructions[callee] += int(line.split()[-1])
                calls[callee] += number
                number = None
            elif line.startswith(("fn=", "cfn=")):
                found = re.match(r"c?fn=\((\d+)\)(?: (.+))?", line)
                if found[2]:
                    names[found[1]] = found[2]
                if line.startswith("cfn="):
                    callee = names[found[1]]
            elif line.startswith("calls="):
                number = int(line[6:].split()[0])
    return {name: instructions[name] / calls[name] for name in calls}


def measure(backend, shape, wanted):
    """The lines of a shape."""
    per_call = {}
    for group in GROUPS:
        kernels = [kernel for kernel in group if shape in kernel.shapes]
        profile = backend.profile(kernels)
        for kernel in kernels:
            for function in kernel.functions:
                if function is not None and function not in profile:
                    sys.exit("%s is not called by the statements of \"%s\"" % (function, kernel.name))
                per_call.setdefault(function, profile.get(function))
    for kernel in (kernel for group in GROUPS for kernel in group):
        if shape in kernel.shapes and re.search(wanted, kernel.name):
            jsonb, msgpack = (per_call[function] for function in kernel.functions)
            yield {"case": kernel.name, "shape": shape, "unit": "instructions", "jsonb": jsonb,
                   "msgpack": msgpack, "ratio": jsonb / msgpack if jsonb else None}


def main():
    options = store.options(rounds=2)
    server = Server(options.quick)
    shapes = server.load_shapes(options.shapes or (MADE[:2] if options.quick else MADE))
    backend = Backend(server, options.folder)
    backend.run(["CREATE EXTENSION mpk"])
    results = []
    for shape in shapes:
        backend.load(server, shape)
        for line in measure(backend, shape, options.cases):
            print("%-40s %-3s %14s %14.0f  %s" % (
                line["case"], shape, "" if line["jsonb"] is None else "%.0f" % line["jsonb"],
                line["msgpack"], "" if line["ratio"] is None else "%.2f" % line["ratio"]))
            results.append(line)
    shutil.rmtree(backend.folder)
    store.save(options, "%s of bench/documents.py" % ", ".join(
        "%d %s" % (NUMBERS[shape], shape) for shape in shapes), results)


if __name__ == "__main__":
    sys.exit(main())
