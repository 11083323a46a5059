#!/usr/bin/python3
"""asyncpg and python3-msgpack: what doc/clients.md shows, and that it keeps every byte."""

import asyncio
import datetime

import asyncpg
import msgpack

from libclients import DOCUMENTS, PREPARE, Report

EVENT = {"id": 7, "tags": ["a", "b"], "raw": b"\x00\xff", 5: None,
         "at": datetime.datetime(2026, 11, 30, 17, 13, 31, 500000, datetime.timezone.utc)}


# [register]
async def register_msgpack(connection, schema="public"):
    await connection.set_type_codec(
        "msgpack", schema=schema, format="binary",
        encoder=lambda value: msgpack.packb(value, datetime=True),
        decoder=lambda data: msgpack.unpackb(data, strict_map_key=False, timestamp=3))
# [/register]


async def bytes_there_and_back(report, connection):
    # [bytes]
    await connection.executemany("INSERT INTO docs VALUES ($1, $2::bytea)", list(enumerate(DOCUMENTS)))
    rows = await connection.fetch("SELECT doc::bytea FROM docs ORDER BY id")
    found = [row["doc"] for row in rows]
    # [/bytes]
    report.equal(found, DOCUMENTS, "bytes as parameters of INSERT")
    for document in DOCUMENTS:
        row = await connection.fetchrow(
            "SELECT doc @> $1::bytea AS a, doc = $1::bytea AS b FROM docs WHERE doc::bytea = $1", document)
        report.equal(tuple(row), (True, True), "operators", document.hex())
    count = await connection.fetchval(
        "SELECT count(*) FROM docs WHERE doc = ANY ($1::bytea[]::msgpack[])", DOCUMENTS[4:9])
    report.equal(count, 7, "an array of bytes, 1 in three encodings")


async def objects_there_and_back(report, connection):
    await register_msgpack(connection)
    # [objects]
    await connection.execute("INSERT INTO docs VALUES ($1, $2)", 1000, EVENT)
    event = await connection.fetchval("SELECT doc FROM docs WHERE doc @> $1", {"tags": ["b"]})
    number = await connection.fetchval("SELECT id FROM docs WHERE doc = ANY ($1)", [EVENT, 7])
    # [/objects]
    report.equal(event, EVENT, "a native object")
    report.equal(number, 1000, "an array of documents")
    await connection.execute("TRUNCATE docs")
    # [copy]
    await connection.copy_records_to_table("docs", records=[(1, EVENT), (2, [1, 2])])
    # [/copy]
    rows = await connection.fetch("SELECT doc FROM docs ORDER BY id")
    report.equal([row["doc"] for row in rows], [EVENT, [1, 2]], "COPY of native objects")


async def one_bad_row(report, connection):
    await connection.execute("TRUNCATE docs; CREATE TEMPORARY TABLE staged (id int, bytes bytea)")
    sent = list(enumerate([b"\x81\xa1a\x01", b"\x81\xa1a", b"\x01"]))
    await connection.copy_records_to_table("staged", records=sent)
    await connection.execute(
        "INSERT INTO docs SELECT id, bytes FROM staged WHERE msgpack_check(bytes) IS NULL")
    rows = await connection.fetch("SELECT id FROM docs ORDER BY id")
    report.equal([row["id"] for row in rows], [0, 2], "good rows of a staged COPY")


async def traps(report, connection):
    text = await connection.fetchval("SELECT '{\"a\": 1}'::msgpack")
    report.equal(text, '{"a": 1}', "without a codec the column is its text form")
    try:
        await connection.execute("INSERT INTO docs VALUES (1, $1)", b"\x81\xa1a\x01")
        report.check(False, "bytes were taken without a codec")
    except asyncpg.DataError:
        report.check(True)
    await connection.execute("INSERT INTO docs VALUES (1, $1)", "1")
    report.equal(await connection.fetchval("SELECT doc::bytea FROM docs"), b"\x01",
                 "without a codec a str is the text form")


async def main():
    report = Report()
    connection = await asyncpg.connect()
    await connection.execute(PREPARE)
    await traps(report, connection)
    await connection.execute("TRUNCATE docs")
    await bytes_there_and_back(report, connection)
    await one_bad_row(report, connection)
    await connection.execute("TRUNCATE docs")
    await objects_there_and_back(report, connection)
    await connection.close()
    report.finish("asyncpg " + asyncpg.__version__)


asyncio.run(main())
