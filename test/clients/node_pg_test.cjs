// node-postgres with @msgpack/msgpack and msgpackr: what doc/clients.md shows, and that it keeps every byte.
const { Client, types } = require("pg");
const copyStreams = require("pg-copy-streams");
const { pipeline } = require("stream/promises");
const { Readable } = require("stream");
const { encode, decode } = require("@msgpack/msgpack");
const { Packr, Unpackr } = require("msgpackr");
const { DOCUMENTS, PREPARE, Report, same } = require("./clients.cjs");

const event = { id: 7, tags: ["a", "b"], raw: Buffer.from([0, 255]), at: new Date(1800000000500) };

async function bytesThereAndBack(report, client) {
  // [bytes]
  for (const [id, bytes] of DOCUMENTS.entries()) {
    await client.query("INSERT INTO docs VALUES ($1, $2)", [id, bytes]);
  }
  const { rows } = await client.query("SELECT doc::bytea FROM docs ORDER BY id");
  const found = rows.map(row => row.doc);
  // [/bytes]
  report.equal(found, DOCUMENTS, "bytes as parameters of INSERT");
  for (const bytes of DOCUMENTS) {
    const answer = await client.query(
      "SELECT doc @> $1::msgpack AS a, $1::msgpack <@ doc AS b, doc = $1 AS c, doc @> $1 AS d"
      + " FROM docs WHERE doc::bytea = $2", [bytes, bytes]);
    report.equal(answer.rows, [{ a: true, b: true, c: true, d: true }], "operators", bytes.toString("hex"));
  }
  // [array]
  const answer = await client.query(
    "SELECT count(*)::int FROM docs WHERE doc = ANY ($1::bytea[]::msgpack[])", [DOCUMENTS.slice(4, 9)]);
  // [/array]
  report.equal(answer.rows, [{ count: 7 }], "an array of bytes, 1 in three encodings");
}

// [register]
// The text form is no MessagePack: better an error than a string.
async function registerMsgpack(client) {
  const { rows } = await client.query("SELECT 'msgpack'::regtype::oid::int AS oid");
  client.setTypeParser(rows[0].oid, () => {
    throw new TypeError("read msgpack as doc::bytea");
  });
}

// For queries whose bytea columns are documents: queryDocuments(client, "SELECT doc::bytea FROM …").
function queryDocuments(client, text, values) {
  const getTypeParser = (oid, format) => oid === types.builtins.BYTEA
    ? hex => decode(Buffer.from(hex.slice(2), "hex"))
    : client.getTypeParser(oid, format);
  return client.query({ text, values, types: { getTypeParser } });
}
// [/register]

async function objectsThereAndBack(report, client) {
  await registerMsgpack(client);
  // [objects]
  await client.query("INSERT INTO docs VALUES ($1, $2)", [1000, encode(event)]);
  const { rows } = await queryDocuments(client,
    "SELECT id, doc::bytea FROM docs WHERE doc @> $1", [encode({ tags: ["b"] })]);
  // [/objects]
  report.equal(rows, [{ id: 1000, doc: event }], "a native object");
  await report.rejects(client.query("SELECT doc FROM docs WHERE id = 1000"), /doc::bytea/,
    "the text form came out as an object");
}

async function copy(report, client) {
  // [copy]
  const lines = DOCUMENTS.map((bytes, id) => `${id}\t\\\\x${bytes.toString("hex")}\n`);
  await pipeline(Readable.from(lines), client.query(copyStreams.from("COPY docs FROM STDIN")));
  // [/copy]
  const { rows } = await client.query("SELECT doc::bytea FROM docs ORDER BY id");
  report.equal(rows.map(row => row.doc), DOCUMENTS, "COPY, the bytes in hex");
}

async function trapOfBinaryResults(report) {
  // In binary results node-postgres reads all that it does not know as UTF-8, bytea among it.
  const client = new Client({ binary: true });
  await client.connect();
  const bytes = Buffer.from(encode({ raw: new Uint8Array([0, 255]) }));
  const { rows } = await client.query("SELECT $1::msgpack AS doc, $1::msgpack::bytea AS bytes", [bytes]);
  report.check(!same(Buffer.from(rows[0].doc), bytes), "binary: true now keeps the bytes of unknown types");
  report.check(String(rows[0].doc).includes("\ufffd"), "binary: true", rows[0].doc);
  report.check(!same(rows[0].bytes, bytes), "binary: true now keeps bytea");
  const safe = await client.query("SELECT encode($1::msgpack::bytea, 'hex') AS hex", [bytes]);
  report.equal(safe.rows[0].hex, bytes.toString("hex"), "binary: true, hex");
  await client.end();
}

async function trapOfObjectsAndArrays(report, client) {
  const literal = async value =>
    (await client.query("SELECT $1::msgpack::text AS text", [value])).rows[0].text;
  report.equal(await literal({ a: [1, new Date(0)] }), '{"a": [1, "1970-01-01T00:00:00.000Z"]}',
    "an object goes as JSON, in which a Date is a string");
  await report.rejects(literal([1, 2]), /msgpack/, "an array goes as an array literal", error =>
    report.check(/array/.test(error.hint), error.hint));
  report.equal(await literal([]), "{}", "and an empty array as an empty map");
  report.equal(await literal(encode([1, 2])), "[1, 2]", "encode(array)");
  report.equal((await client.query("SELECT '{\"a\": 1}'::msgpack AS doc")).rows[0].doc, '{"a": 1}',
    "the column is its text form");
}

async function msgpackrOptions(report, client) {
  const put = async bytes => (await client.query("SELECT $1::msgpack::text AS text", [bytes])).rows[0].text;
  await report.rejects(put(new Packr().pack({ a: 1 })), /./, "a record of msgpackr", error =>
    report.check(/useRecords: false/.test(error.hint), error.hint));
  const long = [{ name: "a string that is long enough", other: "another long string" }];
  const bundled = new Packr({ useRecords: false, bundleStrings: true }).pack(long);
  await report.rejects(put(bundled), /invalid MessagePack/, "bundled strings");
  // [msgpackr]
  const packr = new Packr({ useRecords: false, variableMapSize: true });
  const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: "auto" });
  const answer = await client.query("SELECT $1::msgpack::bytea AS doc", [packr.pack(event)]);
  const back = unpackr.unpack(answer.rows[0].doc);
  // [/msgpackr]
  report.equal({ ...back, raw: Buffer.from(back.raw) }, event, "msgpackr");
  report.check(answer.rows[0].doc.equals(packr.pack(event)), "msgpackr, bit for bit");
}

async function main() {
  const report = new Report();
  const client = new Client();
  await client.connect();
  await client.query(PREPARE);
  await bytesThereAndBack(report, client);
  await client.query("TRUNCATE docs");
  await copy(report, client);
  await trapOfBinaryResults(report);
  await trapOfObjectsAndArrays(report, client);
  await msgpackrOptions(report, client);
  await objectsThereAndBack(report, client);
  await client.end();
  report.finish("pg", "@msgpack/msgpack", "msgpackr", "pg-copy-streams");
}

main();
