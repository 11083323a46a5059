#!/usr/bin/python3
"""Bytes from outside: who is let in, and that it comes out as it went in.

All inputs of one and of two bytes; some hundred documents, each cut at every
byte and with every single bit flipped; some thousand more as they are.  The
verdict, the place of the fault and the text form are those of libmpk; the text
form parses back to the same bytes.
"""

import libmpk
from libmpk import Invalid, Report, connect, documents, load, print_text, read

# Verdict: "at N" for invalid bytes, else the text form; or what went wrong.
ATTEMPT = r"""
CREATE OR REPLACE FUNCTION pg_temp.attempt(bytes bytea, OUT place int, OUT regular boolean,
										   OUT form text, OUT fault text) AS $$
DECLARE
	doc msgpack;
	state text;
	message text;
	detail text;
BEGIN
	doc := bytes::msgpack;
	IF doc::bytea IS DISTINCT FROM bytes THEN
		fault := 'came back as ' || doc::bytea::text;
		RETURN;
	END IF;
	IF msgpack_check(bytes) IS DISTINCT FROM msgpack_check(doc) THEN
		fault := 'the two msgpack_check disagree';
		RETURN;
	END IF;
	regular := msgpack_check(doc) IS NULL;
	form := doc::text;
	IF form::msgpack::bytea IS DISTINCT FROM bytes THEN
		fault := 'through text as ' || form::msgpack::bytea::text;
	END IF;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
		detail = PG_EXCEPTION_DETAIL;
	IF state = '22P03' THEN
		place := substring(detail FROM '^At byte (\d+)');
		IF msgpack_check(bytes) IS NULL THEN
			fault := 'msgpack_check of the bytes finds nothing';
		END IF;
	ELSE
		fault := state || ' ' || message || ' ' || detail;
	END IF;
END $$ LANGUAGE plpgsql
"""


def judge(data):
    """(place, regular, form) by our own light."""
    try:
        node = read(data)
    except Invalid as invalid:
        return invalid.at, None, None
    return None, libmpk.is_regular(node), print_text(node)


def run(connection, report, what, inputs):
    load(connection, "inputs", "id int4, bytes bytea", enumerate(inputs))
    rows = connection.execute(
        "SELECT id, place, regular, form, fault FROM inputs, pg_temp.attempt(bytes)").fetchall()
    report.equal(len(rows), len(inputs), what, "rows")
    accepted = 0
    for number, place, regular, form, fault in rows:
        data = inputs[number]
        accepted += form is not None
        report.check(fault is None, what, data.hex(), fault)
        if fault is None:
            report.equal((place, regular, form), judge(data), what, data.hex())
    print("%s: %d inputs, %d accepted" % (what, len(inputs), accepted), flush=True)
    report.check(0 < accepted, what, "nothing is accepted")


def truncations(data):
    return [data[:length] for length in range(len(data))]


def flips(data):
    return [data[:i] + bytes([data[i] ^ 1 << bit]) + data[i + 1:]
            for i in range(len(data)) for bit in range(8)]


def main():
    report = Report()
    connection = connect()
    connection.execute(ATTEMPT)
    run(connection, report, "one byte", [bytes([a]) for a in range(256)])
    run(connection, report, "two bytes", [bytes([a, b]) for a in range(256) for b in range(256)])
    run(connection, report, "documents", documents("whole", 5000))
    small = [data for data in documents("small", 900) if 2 < len(data) <= 120][:300]
    report.equal(len(small), 300, "enough small documents")
    # a truncation of a valid object is never one, but for the empty start of a run
    cut = [piece for data in small for piece in truncations(data)]
    run(connection, report, "truncated", cut + [b"\xc0"])
    run(connection, report, "one bit flipped", [piece for data in small for piece in flips(data)])
    report.finish()


if __name__ == "__main__":
    main()
