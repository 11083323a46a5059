#!/usr/bin/python3
"""Casts between msgpack and jsonb or json, against what they should give.

Generated MessagePack documents: the jsonb and the json, or the SQLSTATE, are
what the rules make of the document, worked out here; the jsonb has the very
bytes that the server itself makes of its text.  Generated and real JSON
documents: text to msgpack to jsonb is text to jsonb.  Generated numbers: what
jsonb to msgpack gives, and where it refuses, by exact arithmetic.
"""

import datetime
import glob
import json
import random
import struct
from decimal import Decimal

import libmpk
from libmpk import (Node, Report, connect, documents, identity, is_utf8, load, print_text, read,
                    shortest_digits, timestamp_of)

ATTEMPT = r"""
CREATE OR REPLACE FUNCTION pg_temp.attempt(doc msgpack, OUT b jsonb, OUT b_state text,
		OUT j json, OUT j_state text, OUT exact jsonb, OUT exact_state text, OUT back msgpack) AS $$
BEGIN
	BEGIN
		b := doc::jsonb;
	EXCEPTION WHEN OTHERS THEN
		b_state := SQLSTATE;
	END;
	BEGIN
		j := doc::json;
	EXCEPTION WHEN OTHERS THEN
		j_state := SQLSTATE;
	END;
	BEGIN
		exact := msgpack_to_jsonb(doc, exact => true);
	EXCEPTION WHEN OTHERS THEN
		exact_state := SQLSTATE;
	END;
	BEGIN
		back := b::msgpack;
	EXCEPTION WHEN numeric_value_out_of_range THEN
		-- the digits of a float 32 that lie half-way between two floats 64
		NULL;
	END;
END $$ LANGUAGE plpgsql;

CREATE OR REPLACE FUNCTION pg_temp.attempt_number(doc jsonb, rule text, OUT m bytea, OUT state text)
AS $$
BEGIN
	m := jsonb_to_msgpack(doc, rule)::bytea;
EXCEPTION WHEN OTHERS THEN
	state := SQLSTATE;
END $$ LANGUAGE plpgsql;
"""


class Number(str):
    """A number of a JSON text, by its digits."""


class Converter:
    """A document as parsed JSON: objects as lists of pairs; and the faults on the way."""

    def __init__(self, kind):
        self.kind = kind
        self.faults = set()

    def string(self, data):
        if b"\0" in data and self.kind == "jsonb":
            self.faults.add("22P05")
        if not is_utf8(data):
            self.faults.add("22021")
            return ""
        return data.decode()

    def value(self, node):
        if node.kind == "nil":
            return None
        if node.kind == "bool":
            return node.value
        if node.kind == "int":
            return Number(node.value)
        if node.kind in ("f32", "f64"):
            text = digits_of(node)
            if text in ("NaN", "Infinity", "-Infinity"):
                return text
            return Number(text if self.kind == "jsonb" else json_float(node))
        if node.kind == "array":
            return [self.value(item) for item in node.value]
        if node.kind == "map":
            return self.object(node)
        return self.text(node)

    def text(self, node):
        return self.string(node.value) if node.kind == "str" else plain_text(node)

    def object(self, node):
        place = {}
        for key, value in node.value:
            place[identity(key)] = (key, value)
        pairs = [(self.text(key), self.value(value)) for key, value in place.values()]
        if len({key for key, _ in pairs}) < len(pairs):
            self.faults.add("22030")
        return ("object", pairs)


def digits_of(node):
    value = libmpk.float_of(node)
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0.0"
    digits, power = shortest_digits(node)
    if power < 0:
        text = "0." + "0" * (-power - 1) + digits
    else:
        digits = digits.ljust(power + 1, "0")
        text = digits[:power + 1] + "." + (digits[power + 1:] or "0")
    return ("-" if value < 0 else "") + text


def json_float(node):
    return libmpk.print_float(node).replace("_f32", "")


def moment_text(seconds, nanoseconds):
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    text = moment.isoformat()
    if nanoseconds:
        text += (".%09d" % nanoseconds).rstrip("0")
    return text + "Z"


def plain_text(node):
    """What ->> gives of a value that is no str."""
    if node.kind == "nil":
        return "null"
    if node.kind == "bool":
        return "true" if node.value else "false"
    if node.kind == "int":
        return str(node.value)
    if node.kind in ("f32", "f64"):
        return digits_of(node)
    if node.kind == "bin":
        return "\\x" + node.value.hex()
    if node.kind == "ext":
        moment = timestamp_of(node)
        if moment and -62135596800 <= moment[0] <= 253402300799:
            return moment_text(*moment)
        return "ext(%d, h'%s')" % (node.value[0], node.value[1].hex())
    # containers: the generator of documents without oddities leaves no mark but this one
    return print_text(node).replace("_f32", "")


def has_container_keys(node):
    if node.kind == "array":
        return any(has_container_keys(item) for item in node.value)
    return node.kind == "map" and any(
        key.kind in ("array", "map") or has_container_keys(value) for key, value in node.value)


def has_negative_zero(node):
    if node.kind in ("f32", "f64"):
        return str(libmpk.float_of(node)) == "-0.0"
    if node.kind == "array":
        return any(has_negative_zero(item) for item in node.value)
    return node.kind == "map" and any(has_negative_zero(value) for _, value in node.value)


def parse(text):
    return json.loads(text, parse_int=Number, parse_float=Number,
                      object_pairs_hook=lambda pairs: ("object", pairs))


def in_jsonb_order(value):
    if isinstance(value, list):
        return [in_jsonb_order(item) for item in value]
    if isinstance(value, tuple):
        pairs = [(key, in_jsonb_order(item)) for key, item in value[1]]
        return ("object", sorted(pairs, key=lambda pair: (len(pair[0].encode()), pair[0].encode())))
    return value


def check_cast(report, what, kind, node, text, state):
    converter = Converter(kind)
    want = converter.value(node)
    if converter.faults:
        report.check(state in converter.faults, what, kind, print_text(node), state or text,
                     converter.faults)
    else:
        want = in_jsonb_order(want) if kind == "jsonb" else want
        report.equal(parse(text) if text else state, want, what, kind, print_text(node))
    return not converter.faults


def run_documents(connection, report, what, inputs, odd):
    inputs = [data for data in inputs if not (odd and has_container_keys(read(data)))]
    load(connection, "inputs", "id int4, bytes bytea", enumerate(inputs))
    rows = connection.execute("""
        SELECT id, b::text, b_state, j::text, j_state, exact_state, exact = b,
               (SELECT x *= y FROM (SELECT b) x, (SELECT b::text::jsonb) y),
               CASE WHEN b IS NOT NULL THEN j::jsonb = b END,
               coalesce(back = bytes::msgpack, false)
        FROM inputs, pg_temp.attempt(bytes::msgpack)""").fetchall()
    report.equal(len(rows), len(inputs), what, "rows")
    good = 0
    for number, b, b_state, j, j_state, exact_state, exact_same, image, agree, back in rows:
        node = read(inputs[number])
        good += check_cast(report, what, "jsonb", node, b, b_state)
        check_cast(report, what, "json", node, j, j_state)
        report.check(image, what, "image", print_text(node))
        report.check(agree is not False, what, "json and jsonb differ", print_text(node))
        if exact_state is None:
            report.check(exact_same and back, what, "exact", print_text(node))
        else:
            report.check(b is None or not back or has_negative_zero(node), what,
                         "exact refuses", print_text(node), exact_state)
    print("%s: %d documents, %d become jsonb" % (what, len(inputs), good), flush=True)
    report.check(0 < good < len(inputs), what, "too one-sided")


# ---------------------------------------------------------------------------
# JSON documents
# ---------------------------------------------------------------------------

def random_json(r, depth=0):
    kind = r.random()
    if depth >= 5 or kind < 0.5:
        return r.choice([
            lambda: None, lambda: r.random() < 0.5, lambda: r.randint(-10, 300),
            lambda: r.choice([1, -1]) * r.getrandbits(r.randint(1, 63)),
            lambda: round(r.uniform(-1e6, 1e6), r.randint(0, 6)),
            lambda: r.uniform(-1, 1),
            lambda: "".join(r.choice('ab"\\/\n\té€😀 ') for _ in range(r.randint(0, 40)))])()
    count = r.choice([0, 1, 2, 3, 5, 31, 32, 33, 70] if depth < 2 else [0, 1, 2, 3])
    if kind < 0.75:
        return [random_json(r, depth + 1) for _ in range(count)]
    return {"".join(r.choice("abcé") for _ in range(r.randint(0, 6))): random_json(r, depth + 1)
            for _ in range(count)}


def run_json(connection, report, what, texts):
    load(connection, "texts", "id int4, t text", enumerate(texts))
    rows = connection.execute("""
        SELECT id, (SELECT x *= y FROM (SELECT t::jsonb) x, (SELECT t::msgpack::jsonb) y),
               (SELECT x *= y FROM (SELECT t::jsonb) x, (SELECT t::jsonb::msgpack::jsonb) y),
               (SELECT x *= y FROM (SELECT t::jsonb) x, (SELECT t::msgpack::json::jsonb) y),
               t::json::msgpack::bytea = t::msgpack::bytea,
               msgpack_check(t::jsonb::msgpack) IS NULL, jsonb_msgpack_check(t::jsonb) IS NULL
        FROM texts""").fetchall()
    report.equal(len(rows), len(texts), what, "rows")
    for number, *verdicts in rows:
        report.equal(verdicts, [True] * len(verdicts), what, texts[number])
    print("%s: %d documents" % (what, len(texts)), flush=True)


def dump(value):
    """JSON whose floats jsonb shows as float's shortest digits: without exponents."""
    if isinstance(value, float):
        node = Node("f64", struct.unpack(">Q", struct.pack(">d", value))[0], None)
        return digits_of(node)
    if isinstance(value, list):
        return "[%s]" % ",".join(map(dump, value))
    if isinstance(value, dict):
        return "{%s}" % ",".join("%s:%s" % (json.dumps(k, ensure_ascii=False), dump(v))
                                 for k, v in value.items())
    return json.dumps(value, ensure_ascii=False)


# ---------------------------------------------------------------------------
# Numbers
# ---------------------------------------------------------------------------

def random_numbers(r, count):
    edges = [2**53, 2**63, 2**64, 10**15, 10**16, 10**22, 10**23, 9999, 10**4, 10**8]
    for edge in edges:
        for sign in ("", "-"):
            for delta in range(-3, 4):
                yield sign + str(edge + delta)
                yield sign + str(edge + delta) + ".0"
    for _ in range(count):
        sign = r.choice(["", "-"])
        digits = str(r.randint(1, 10 ** r.randint(1, 25)))
        if r.random() < 0.3:
            digits = digits.rstrip("0").ljust(r.randint(1, 30), "0")
        point = r.randint(0, len(digits) - 1) if r.random() < 0.6 else 0
        text = digits[:-point] + "." + digits[-point:] if point else digits
        text = text.lstrip("0") if not text.startswith("0.") else text
        if not text or text[0] == ".":
            text = "0" + text
        if r.random() < 0.4:
            text += "e%d" % r.randint(-340, 330)
        yield sign + text
        # shortest digits of any float, and the same with a digit more
        value = struct.unpack(">d", struct.pack(">Q", r.getrandbits(64)))[0]
        if value - value == 0:
            short = repr(value)
            yield short
            mantissa, _, exponent = short.partition("e")
            mantissa = mantissa if "." in mantissa else mantissa + ".0"
            yield mantissa + str(r.randint(0, 9)) + ("e" + exponent if exponent else "")


def expected_number(text):
    """(exact, rounded): encoded, each None where it is refused."""
    number = Decimal(text)
    sign, digits, exponent = number.as_tuple()
    if exponent >= 0 and -2**63 <= int(number) < 2**64:
        return (libmpk.write_int(int(number)),) * 2
    if number == 0:
        return (libmpk.write_f64(0.0),) * 2
    value = float(text)
    if value == 0 or value in (float("inf"), float("-inf")):
        return None, None
    data = libmpk.write_f64(value)
    short, power = shortest_digits(read(data))
    mine = "".join(map(str, digits)).lstrip("0")
    exact = mine.rstrip("0") == short and number.adjusted() == power
    return data if exact else None, data


def run_numbers(connection, report, texts):
    load(connection, "numbers", "id int4, t text", enumerate(texts))
    rows = connection.execute("""
        SELECT id, e.m, e.state, r.m, r.state, s.m,
               jsonb_msgpack_check(j), convert_to(j->>'n', 'UTF8')
        FROM numbers, LATERAL (SELECT ('{"n": ' || t || '}')::jsonb AS j) x,
             pg_temp.attempt_number(j, 'exact') e, pg_temp.attempt_number(j, 'round') r,
             pg_temp.attempt_number(j, 'string') s""").fetchall()
    report.equal(len(rows), len(texts), "numbers", "rows")
    refused = 0
    head = b"\x81\xa1n"
    for number, exact, exact_state, rounded, rounded_state, string, path, digits in rows:
        text = texts[number]
        want_exact, want_rounded = expected_number(text)
        refused += want_exact is None
        report.equal((exact, exact_state),
                     (head + want_exact, None) if want_exact else (None, "22003"), "exact", text)
        report.equal((rounded, rounded_state),
                     (head + want_rounded, None) if want_rounded else (None, "22003"),
                     "round", text)
        report.equal(string, head + (want_exact or libmpk.write_str(digits)), "string", text)
        report.equal(path, None if want_exact else ["n"], "check", text)
    print("numbers: %d, %d refused" % (len(texts), refused), flush=True)
    report.check(0 < refused < len(texts), "numbers", "too one-sided")


def main():
    report = Report()
    connection = connect()
    connection.execute(ATTEMPT)
    run_documents(connection, report, "regular", documents("jsonb", 4000, odd=False), odd=False)
    run_documents(connection, report, "irregular", documents("odd", 4000), odd=True)
    r = random.Random("json")
    run_json(connection, report, "generated", [dump(random_json(r)) for _ in range(3000)])
    real = []
    for name in sorted(glob.glob("/usr/share/iso-codes/json/*.json")):
        with open(name, encoding="utf-8") as file:
            document = json.load(file)
        real.append(dump(document))
        real += [dump(item) for items in document.values() if isinstance(items, list)
                 for item in items]
    if real:
        run_json(connection, report, "iso-codes", real)
    else:
        report.skip("iso-codes is not installed")
    run_numbers(connection, report, list(random_numbers(random.Random("numbers"), 10000)))
    report.finish()


if __name__ == "__main__":
    main()
