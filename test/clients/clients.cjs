// What the JavaScript clients' tests share.
const { readFileSync } = require("fs");
const { isDeepStrictEqual, inspect } = require("util");
const { join } = require("path");

const DOCUMENTS = readFileSync(join(__dirname, "documents.hex"), "ascii").trim().split("\n")
  .map(line => Buffer.from(line, "hex"));
const PREPARE = "DROP TABLE IF EXISTS docs; CREATE TABLE docs (id int, doc msgpack)";

const same = isDeepStrictEqual;

class Report {
  passed = 0;
  failed = 0;

  check(good, ...what) {
    if (good) {
      this.passed++;
    } else {
      this.failed++;
      console.log("FAILED:", ...what);
    }
  }

  equal(got, want, ...what) {
    this.check(same(got, want), ...what, "\n    got ", inspect(got), "\n    want", inspect(want));
  }

  // The promise is rejected with such a message; then also look at the error.
  async rejects(promise, message, what, look = () => {}) {
    let error = null;
    try {
      await promise;
    } catch (caught) {
      error = caught;
    }
    this.check(error && message.test(error.message), what, error && error.message);
    if (error) {
      look(error);
    }
  }

  finish(...modules) {
    const version = name => JSON.parse(readFileSync(join(__dirname, "node_modules", name, "package.json"))).version;
    console.log(["node " + process.version, ...modules.map(name => name + " " + version(name))].join(", "));
    console.log(`${this.passed} passed, ${this.failed} failed`);
    process.exitCode = this.failed || !this.passed ? 1 : 0;
  }
}

module.exports = { DOCUMENTS, PREPARE, Report, same };
