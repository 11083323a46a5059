// Two codecs for codecs.py, the first argument says which: lines in, lines out.
// encode: JSON to hex; decode: hex to JSON.
const { readFileSync } = require("fs");
const [library, action] = process.argv.slice(2);

const { Packr, unpack } = library === "msgpackr" ? require("msgpackr") : {};
const { encode, decode } = library === "msgpackr" ? {} : require("@msgpack/msgpack");
const pack = library === "msgpackr" ? value => new Packr({ useRecords: false }).pack(value)
  : encode;
const hex = bytes => Buffer.from(bytes).toString("hex");

const samples = {
  "mixed": { a: [1.5, 0.1, 1e10, -1, 2 ** 32, NaN, null, -0] },
  "date": new Date(1800000000500),
  "bytes": new Uint8Array([0, 255]),
  "half an emoji": "a\ud83d",
  "invalid date": new Date(NaN),
  "bigint": 123456789012345678n,
};

if (action === "samples") {
  for (const [name, value] of Object.entries(samples)) {
    try {
      console.log(name + "\t" + hex(pack(value)));
    } catch (error) {
      // one of the two takes no BigInt
    }
  }
  if (library === "msgpackr") {
    console.log("record\t" + hex(new Packr().pack({ id: 1, a: "x" })));
    console.log("record in an array\t" + hex(new Packr().pack([{ id: 1 }, { id: 2 }])));
  }
} else {
  for (const line of readFileSync(0, "utf8").split("\n").slice(0, -1)) {
    console.log(action === "encode" ? hex(pack(JSON.parse(line)))
      : JSON.stringify(library === "msgpackr" ? unpack(Buffer.from(line, "hex"))
        : decode(Buffer.from(line, "hex"))));
  }
}
