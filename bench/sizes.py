#!/usr/bin/python3
"""The section "sizes" of bench/run: bytes of a document in memory and on disk.

In memory is the value as it is worked on, uncompressed.  On disk is all that a
table of the documents takes, divided by their number: pages, the TOAST table and
its index; the documents in line where they fit (a table of STORAGE PLAIN), out of
line (EXTERNAL), and compressed by pglz and lz4 (EXTENDED).
"""

import sys

import psycopg

import store
from server import MADE, REAL, Server

NAMES = {"j": "jsonb", "o": "json", "b": "bytea", "m": "msgpack"}

IN_MEMORY = "SELECT avg(pg_column_size((ARRAY[doc])[1]))::float8 FROM {table}"
ON_DISK = """SELECT (pg_relation_size(oid)
	+ CASE WHEN reltoastrelid = 0 THEN 0 ELSE pg_total_relation_size(reltoastrelid) END)::float8
	/ (SELECT count(*) FROM {table}) FROM pg_class WHERE oid = '{table}'::regclass"""

STORAGES = ("plain", "external", "pglz", "lz4")


def on_disk(server, shape, storage):
    """Bytes of a document in tables of that storage, by type; None where it does not fit a page."""
    try:
        return {name: server.value(ON_DISK.format(table=server.stored(letter, shape, storage)))
                for letter, name in NAMES.items()}
    except psycopg.errors.ProgramLimitExceeded:		# row is too big
        return None
    except psycopg.errors.FeatureNotSupported:
        print("    skipped: the server has no %s" % storage)
        return None


def result(shape, storage, sizes):
    return {"shape": shape, "storage": storage, "unit": "B", **sizes,
            "ratio": sizes["msgpack"] / sizes["jsonb"]}


def measure(server, shape):
    """The lines of a shape."""
    sizes = {name: server.value(IN_MEMORY.format(table=server.table(letter, shape)))
             for letter, name in NAMES.items()}
    results = [result(shape, "in memory", sizes)]
    for storage in STORAGES:
        sizes = on_disk(server, shape, storage)
        if sizes:
            results.append(result(shape, storage, sizes))
    return results


def main():
    options = store.options(rounds=2)
    server = Server(options.quick)
    shapes = server.load_shapes(options.shapes or MADE + REAL)
    results = []
    for shape in shapes:
        for line in measure(server, shape):
            print("%-8s %-10s" % (shape, line["storage"])
                  + "".join("%14.0f %s" % (line[name], name) for name in NAMES.values())
                  + "%8.2f" % line["ratio"])
            results.append(line)
    store.save(options, "S, M, L and XL of bench/documents.py, and those of bench/real.py", results)


if __name__ == "__main__":
    sys.exit(main())
