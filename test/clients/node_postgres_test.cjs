// postgres (porsager's) with @msgpack/msgpack: what doc/clients.md shows, and that it keeps every byte.
const postgres = require("postgres");
const { encode, decode } = require("@msgpack/msgpack");
const { DOCUMENTS, PREPARE, Report } = require("./clients.cjs");

const event = { id: 7, tags: ["a", "b"], raw: Buffer.from([0, 255]), at: new Date(1800000000500) };

async function main() {
  const report = new Report();
  const host = { host: process.env.PGHOST, onnotice: () => {} };
  let sql = postgres(host);
  await sql.unsafe(PREPARE);

  // [bytes]
  for (const [id, bytes] of DOCUMENTS.entries()) {
    await sql`INSERT INTO docs VALUES (${id}, ${bytes})`;
  }
  const found = (await sql`SELECT doc::bytea FROM docs ORDER BY id`).map(row => row.doc);
  // [/bytes]
  report.equal(found, DOCUMENTS, "bytes as parameters of INSERT");
  for (const bytes of DOCUMENTS) {
    const rows = await sql`
      SELECT doc @> ${bytes} AS a, ${bytes} <@ doc AS b, doc = ${bytes} AS c FROM docs WHERE doc::bytea = ${bytes}`;
    report.equal([...rows], [{ a: true, b: true, c: true }], "operators", bytes.toString("hex"));
  }
  const some = DOCUMENTS.slice(4, 9);
  const [{ count }] = await sql`
    SELECT count(*)::int FROM docs WHERE doc = ANY (${sql.array(some, 17)}::bytea[]::msgpack[])`;
  report.equal(count, 7, "an array of bytes, 1 in three encodings");
  const [{ doc }] = await sql`SELECT '{"a": 1}'::msgpack AS doc`;
  report.equal(doc, '{"a": 1}', "without a type the column is its text form");
  await report.rejects(sql`SELECT ${[1, 2]}::msgpack`, /./, "a JavaScript array");

  // [register]
  const [{ oid }] = await sql`SELECT 'msgpack'::regtype::oid::int AS oid`;
  await sql.end();
  sql = postgres({
    ...host,
    types: {
      msgpack: {
        to: oid,
        from: [oid],
        serialize: value => "\\x" + Buffer.from(encode(value)).toString("hex"),
        parse: () => { throw new TypeError("read msgpack as doc::bytea"); },
      },
    },
  });
  // [/register]
  // [objects]
  await sql`INSERT INTO docs VALUES (1000, ${sql.typed.msgpack(event)})`;
  const rows = await sql`SELECT doc::bytea FROM docs WHERE doc @> ${sql.typed.msgpack({ tags: ["b"] })}`;
  const back = rows.map(row => decode(row.doc));
  // [/objects]
  report.equal(back, [event], "a native object");
  await sql.end();
  report.finish("postgres", "@msgpack/msgpack");
}

main();
