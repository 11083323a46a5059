#!/usr/bin/python3
"""PL/Python: a function of documents inside the server, as doc/clients.md shows it."""

import msgpack
import psycopg

from libclients import DOCUMENTS, PREPARE, Report

FUNCTION = r"""
-- [function]
CREATE FUNCTION shouted(document bytea) RETURNS bytea LANGUAGE plpython3u IMMUTABLE STRICT AS $$
import msgpack
value = msgpack.unpackb(document, strict_map_key=False, timestamp=3)
value["name"] = value["name"].upper()
return msgpack.packb(value, datetime=True)
$$;
-- [/function]
"""

USE = """
-- [use]
UPDATE docs SET doc = shouted(doc::bytea) WHERE doc ? 'name';
-- [/use]
"""


def main():
    report = Report()
    with psycopg.connect(autocommit=True) as connection:
        connection.execute(PREPARE)
        connection.execute("CREATE EXTENSION IF NOT EXISTS plpython3u")
        connection.execute("DROP FUNCTION IF EXISTS shouted, itself, as_dict")
        connection.execute(FUNCTION)
        document = {"name": "x", "raw": b"\x00\xff", 7: [None, 1.5]}
        connection.execute("INSERT INTO docs VALUES (1, %s), (2, %s)",
                           (msgpack.packb(document), msgpack.packb([1, 2])))
        connection.execute(USE)
        found = connection.execute("SELECT doc::bytea FROM docs ORDER BY id").fetchall()
        report.equal([row[0] for row in found],
                     [msgpack.packb({**document, "name": "X"}), msgpack.packb([1, 2])],
                     "a function of bytes")
        # what a function of msgpack gets and may return: text
        connection.execute("CREATE FUNCTION itself(m msgpack) RETURNS msgpack LANGUAGE plpython3u AS "
                           "'assert isinstance(m, str); return m'")
        for document in DOCUMENTS:
            report.equal(connection.execute("SELECT itself(%s::msgpack)::bytea", (document,)).fetchone()[0],
                         document, "the text form, there and back")
        connection.execute("CREATE FUNCTION as_dict() RETURNS msgpack LANGUAGE plpython3u AS "
                           "$$ return {'x': 1} $$")
        report.equal(connection.execute("SELECT as_dict()::bytea").fetchone()[0],
                     b"\x81\xc4\x01x\x01", "str() of a dict: its strings are read as binary")
    report.finish("PL/Python with msgpack %d.%d.%d" % msgpack.version)


main()
