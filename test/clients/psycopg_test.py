#!/usr/bin/python3
"""psycopg 3 and python3-msgpack: what doc/clients.md shows, and that it keeps every byte."""

import datetime

# [register]
import msgpack
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo


class Msgpack:
    """A parameter that is to be sent as a document: Msgpack({"a": 1})."""

    def __init__(self, value):
        self.value = value


class MsgpackDumper(Dumper):
    format = Format.BINARY

    def dump(self, document):
        return msgpack.packb(document.value, datetime=True)


class MsgpackTextDumper(Dumper):
    """Arrays go as text; a document's text form may be its bytes in hex."""

    def dump(self, document):
        return b"\\x" + msgpack.packb(document.value, datetime=True).hex().encode()


class MsgpackLoader(Loader):
    format = Format.BINARY

    def load(self, data):
        return msgpack.unpackb(data, strict_map_key=False, timestamp=3)


class MsgpackTextLoader(Loader):
    """The text form is no MessagePack: better an error than a string."""

    def load(self, data):
        raise TypeError("read msgpack with cursor(binary=True), or as doc::bytea")


def register_msgpack(connection):
    info = TypeInfo.fetch(connection, "msgpack")
    info.register(connection)
    for dumper in (MsgpackTextDumper, MsgpackDumper):
        connection.adapters.register_dumper(Msgpack, type(dumper.__name__, (dumper,), {"oid": info.oid}))
    connection.adapters.register_loader(info.oid, MsgpackLoader)
    connection.adapters.register_loader(info.oid, MsgpackTextLoader)
# [/register]


import psycopg		# noqa: E402  after what the snippet shows

from libclients import DOCUMENTS, PREPARE, Report		# noqa: E402

EVENT = {"id": 7, "tags": ["a", "b"], "raw": b"\x00\xff", 5: None,
         "at": datetime.datetime(2026, 11, 30, 17, 13, 31, 500000, datetime.timezone.utc)}


def bytes_there_and_back(report, connection):
    # [bytes]
    with connection.cursor() as cursor:
        for number, document in enumerate(DOCUMENTS):
            cursor.execute("INSERT INTO docs VALUES (%s, %s)", (number, document))
        cursor.execute("SELECT doc::bytea FROM docs ORDER BY id")
        found = [row[0] for row in cursor]
    # [/bytes]
    report.equal(found, DOCUMENTS, "bytes as parameters of INSERT")
    with connection.cursor(binary=True) as cursor:
        cursor.execute("SELECT doc::bytea FROM docs ORDER BY id")
        report.equal([row[0] for row in cursor], DOCUMENTS, "binary results")
        for document in DOCUMENTS:
            cursor.execute("SELECT doc @> %s, doc = %s, %s <@ doc, (doc = %s)::text"
                           " FROM docs WHERE doc::bytea = %s", (document,) * 5)
            report.equal(cursor.fetchone(), (True, True, True, "true"), "operators", document.hex())
        cursor.execute("SELECT count(*) FROM docs WHERE doc = ANY (%s::bytea[]::msgpack[])",
                       (DOCUMENTS[4:9],))
        # by meaning: 1 is there in three encodings
        report.equal(cursor.fetchone()[0], 7, "an array of bytes")


def objects_there_and_back(report, connection):
    register_msgpack(connection)
    # [objects]
    with connection.cursor(binary=True) as cursor:
        cursor.execute("INSERT INTO docs VALUES (%s, %s)", (1000, Msgpack(EVENT)))
        cursor.execute("SELECT doc FROM docs WHERE doc @> %s", (Msgpack({"tags": ["b"]}),))
        (event,) = cursor.fetchone()
        cursor.execute("SELECT id FROM docs WHERE doc = ANY (%s)", ([Msgpack(EVENT), Msgpack(7)],))
        (number,) = cursor.fetchone()
    # [/objects]
    report.equal(event, EVENT, "a native object")
    report.equal(number, 1000, "an array of documents")
    with connection.cursor(binary=True) as cursor:
        cursor.execute("SELECT ARRAY[doc, '1'] FROM docs WHERE id = 1000")
        report.equal(cursor.fetchone()[0], [EVENT, 1], "an array of documents comes out")
        cursor.execute("UPDATE docs SET doc = doc || %s WHERE id = 1000 RETURNING doc -> 'x'",
                       (msgpack.packb({"x": [1]}),))
        report.equal(cursor.fetchone()[0], [1], "merged with bytes")
    try:
        connection.execute("SELECT doc FROM docs WHERE id = 1000").fetchone()
        report.check(False, "the text form came out as an object")
    except TypeError as error:
        report.check("binary=True" in str(error), error)


def copy(report, connection):
    # [copy]
    with connection.cursor() as cursor:
        with cursor.copy("COPY docs FROM STDIN (FORMAT binary)") as rows:
            rows.set_types(["int4", "bytea"])
            for number, document in enumerate(DOCUMENTS):
                rows.write_row((number, document))
    # [/copy]
    found = [row[0] for row in connection.execute("SELECT doc::bytea FROM docs ORDER BY id")]
    report.equal(found, DOCUMENTS, "binary COPY in")
    for form in ("binary", "text"):
        with connection.cursor() as cursor:
            with cursor.copy("COPY (SELECT id, doc::bytea FROM docs ORDER BY id) TO STDOUT"
                             " (FORMAT %s)" % form) as rows:
                rows.set_types(["int4", "bytea"])
                found = [row[1] for row in rows.rows()]
        report.equal(found, DOCUMENTS, form, "COPY out")
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE docs")
        with cursor.copy("COPY docs FROM STDIN") as rows:
            for number, document in enumerate(DOCUMENTS):
                rows.write_row((number, document))
        cursor.execute("SELECT doc::bytea FROM docs ORDER BY id")
        report.equal([row[0] for row in cursor], DOCUMENTS, "text COPY in")


def one_bad_row(report, connection):
    sent = [(1, b"\x81\xa1a\x01"), (2, b"\x81\xa1a"), (3, b"\x01"), (4, b"\x82\xa1a\x01\xa1a\x02")]

    def copy_into(table):
        with connection.cursor() as cursor:
            with cursor.copy("COPY " + table + " FROM STDIN (FORMAT binary)") as rows:
                rows.set_types(["int4", "bytea"])
                for row in sent:
                    rows.write_row(row)

    connection.execute("TRUNCATE docs")
    try:
        copy_into("docs")
        report.check(False, "a bad row was taken")
    except psycopg.errors.InvalidBinaryRepresentation as error:
        report.check("$.a" in error.diag.message_detail, error.diag.message_detail)
    report.equal(connection.execute("SELECT count(*) FROM docs").fetchone(), (0,), "all or nothing")
    connection.execute("""
        -- [stage-table]
        CREATE TEMPORARY TABLE staged (id int, bytes bytea);
        -- [/stage-table]
        """)
    copy_into("staged")
    connection.execute("""
        -- [stage]
        INSERT INTO docs SELECT id, bytes FROM staged WHERE msgpack_check(bytes) IS NULL;
        -- [/stage]
        """)
    rejected = connection.execute("""
        -- [stage-rejected]
        SELECT id, msgpack_check(bytes) AS reason FROM staged WHERE msgpack_check(bytes) IS NOT NULL;
        -- [/stage-rejected]
        """).fetchall()
    report.equal(connection.execute("SELECT array_agg(id ORDER BY id) FROM docs").fetchone()[0],
                 [1, 3], "the good rows")
    report.equal([row[0] for row in rejected], [2, 4], "the others, with the reason")


def traps(report, connection):
    text = connection.execute("SELECT '{\"a\": 1}'::msgpack").fetchone()[0]
    report.equal(text, '{"a": 1}', "without a loader the column is its text form")
    connection.execute("TRUNCATE docs")
    connection.execute("INSERT INTO docs VALUES (1, %s)", ("1",))
    connection.execute("INSERT INTO docs VALUES (2, %s)", (b"1",))
    report.equal(connection.execute("SELECT array_agg(doc::text ORDER BY id) FROM docs").fetchone()[0],
                 ["1", "49"], "str is the text form, bytes the encoded document")
    values = connection.execute(
        "SELECT msgpack_typeof(to_msgpack(%(b)b::bytea)), msgpack_typeof(%(b)b::bytea::msgpack)",
        {"b": b"\x80"}).fetchone()
    report.equal(values, ("binary", "map"), "to_msgpack(bytea) makes a binary value of bytes")


def main():
    report = Report()
    with psycopg.connect("", autocommit=True) as connection:
        connection.execute(PREPARE)
        traps(report, connection)
        connection.execute("TRUNCATE docs")
        bytes_there_and_back(report, connection)
        connection.execute("TRUNCATE docs")
        copy(report, connection)
        one_bad_row(report, connection)
        connection.execute("TRUNCATE docs")
        objects_there_and_back(report, connection)
    report.finish("psycopg " + psycopg.__version__)


main()
