-- Strings in text: escapes, lengths around every head, and what is no UTF-8.

CREATE FUNCTION pg_temp.fault(form text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  message text;
  detail text;
BEGIN
  RETURN 'accepted as ' || form::msgpack::text;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
  RETURN SQLSTATE || ' ' || message || ': ' || detail;
END $$;

-- escapes; the printed form has jsonb's
SELECT f AS form, f::msgpack::bytea AS bytes, f::msgpack::text AS printed
FROM unnest(ARRAY['""', '"a"', '"\"\\\/\b\f\n\r\t"', '"\u0041\u00e9\u20ac"', '"\ud83d\ude00"',
  '"\u0000"', '"a\u0000b"', '"\u001f\u007f"', '"tab\tin the middle of a longer string"',
  '"0123456789abcde\""', '"0123456789abcdef\""', '"\\0123456789abcdef0123456789abcdef"']) f;
SELECT count(*) AS differ_from_jsonb
FROM generate_series(1, 2000) i,
  LATERAL (SELECT '"' || repeat('x', i % 40) || CASE WHEN i BETWEEN 55296 AND 57343 THEN ''
    ELSE '\u' || lpad(to_hex(i), 4, '0') END || repeat('y', i % 23) || '"' AS j) s
WHERE j::msgpack::text <> j::jsonb::text;

-- one escape at every place of strings of every length
SELECT count(*) AS wrong
FROM generate_series(0, 70) before, generate_series(0, 70) after,
  LATERAL (SELECT repeat('b', before) AS b, repeat('a', after) AS a) s
WHERE ('"' || b || '\n' || a || '"')::msgpack::bytea
    <> CASE WHEN before + after + 1 < 32 THEN set_byte('\x00', 0, 160 + before + after + 1)
       ELSE '\xd9'::bytea || set_byte('\x00', 0, before + after + 1) END
       || convert_to(b || E'\n' || a, 'UTF8')
  OR ('"' || b || '\n' || a || '"')::msgpack::text <> '"' || b || '\n' || a || '"';

-- lengths around every head
SELECT n, substr(s::msgpack::bytea, 1, 5) AS head, octet_length(s::msgpack::bytea) - n AS head_length,
  s::msgpack::text = s AS prints
FROM unnest(ARRAY[0, 1, 15, 16, 17, 31, 32, 33, 255, 256, 65535, 65536]) n,
  LATERAL (SELECT '"' || repeat('x', n) || '"' AS s) t;

-- characters of every length, at every place of a block of 16
SELECT count(*) AS wrong
FROM generate_series(0, 40) n, unnest(ARRAY['é', '€', '😀']) c,
  LATERAL (SELECT '"' || repeat('x', n) || c || repeat('y', 7) || '"' AS s) t
WHERE s::msgpack::text <> s OR s::jsonb::text <> s;

-- bytes that are not UTF-8
SELECT f AS form, f::msgpack::bytea AS bytes, f::msgpack::text AS printed
FROM unnest(ARRAY['str''fffe''', 'str`FFFE`', 'str''61''', 'str''''', 'str''c0af''', 'str''eda080''',
  'str''e282''', '{str''ff'': str''fe''_16}']) f;

-- errors
SELECT form, pg_temp.fault(form) FROM unnest(ARRAY[
  '"', '"a', '"a\', '"\x"', '"\u12"', '"\u12g4"', '"\ud800"', '"\ud800x"', '"\ud800\n"', '"\ud800\u0041"',
  '"\udc00"', '"é\q"', E'"a\tb"', E'"0123456789abcdef\n"', 'str''f''', 'str"ff"'
]) form;

-- a long string with much to escape
SELECT length(m::text), m::text::msgpack::bytea = m::bytea AS back
FROM (SELECT ('"' || repeat('\u0001\n', 100000) || '"')::msgpack AS m) s;
