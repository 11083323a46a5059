-- The text form: what each kind of value looks like, which bytes it is, and
-- that what is printed parses back to the same bytes.

CREATE FUNCTION pg_temp.shown(VARIADIC forms text[])
RETURNS TABLE (form text, bytes bytea, printed text, readable text, back boolean)
LANGUAGE sql AS $$
  SELECT f, f::msgpack::bytea, f::msgpack::text, msgpack_text(f::msgpack),
         f::msgpack::text::msgpack::bytea = f::msgpack::bytea
  FROM unnest(forms) f
$$;

-- what went wrong, in a line
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

-- every kind
SELECT * FROM pg_temp.shown('null', 'true', 'false', '7', '-5', '1.5', '1.5_f32', '"a"',
  'h''00ff''', 'DT''2026-11-30T17:13:31.5Z''', 'ext(5, h''00ff'')', '[1, 2]',
  '{"a": 1, 2: h''00''}');

-- JSON is a subset, spaced as jsonb spaces it, but in document order
SELECT j::msgpack, j::msgpack::text::jsonb = j::jsonb AS same_as_jsonb
FROM unnest(ARRAY[
  '{"b":[1,2,{"c":null}],"a":{},"d":[]}', '[[],{},[[]]]', ' [ true , false ] ',
  E'{\n\t"x" :\r\n 1 }', '"plain"', '0', '{"long key with spaces": "and a value of forty characters or so"}'
]) j;

-- width marks, where an encoding is not the shortest
SELECT * FROM pg_temp.shown('7_u8', '7_u16', '7_u32', '7_u64', '7_i8', '7_i16', '7_i32', '7_i64',
  '-7_i8', '-7_i64', '"a"_8', '"a"_16', '"a"_32', 'h''''_16', '''text''_32', 'str''ff''_8',
  '[_16]', '[_16 1, 2]', '[_32 [_16 1_u8]]', '{_16}', '{_32 "a": 1}', 'ext(1, h''00'')_8',
  'ext(1, h''00'')_16', 'ext(1, h''000102'')_32');
-- a mark that names the shortest form is accepted, never printed
SELECT * FROM pg_temp.shown('200_u8', '-200_i16', '70000_u32', 'ext(1, h''000102'')_8', 'h''00''_8',
  '"a string of forty characters, no more  "_8');
-- many elements need no mark for the 16-bit head
SELECT ('[_16 ' || string_agg(i::text, ', ') || ']')::msgpack FROM generate_series(1, 16) i;

-- binary: as text where that is printable, else in hex
SELECT * FROM pg_temp.shown('h''''', 'h''616263''', '''abc''', '''naïve café €''', 'h''61 62 0A''',
  'h''27''', 'h''5c''', 'h''c285''', 'h''e2808e''', 'h''ff''', 'b64''AP8=''', 'b64''AP8''',
  'b64`-_-_`', 'h`00ff`');

-- repeated keys: the last value at the first one's place, unless they are marked
SELECT * FROM pg_temp.shown('{"a": 1, "b": 2, "a": 3}', '{_dup "a": 1, "b": 2, "a": 3}',
  '{_16_dup "a": 1, "a": 2}', '{_32_dup "a": 1, "a": 2}', '{_dup "a": 1}', '{"a": {"b": 1, "b": 2}}',
  '{_dup "a": {"b": 1, "b": 2}, "a": 0}', '{"a": str''ff'', "a": 1}');
-- keys of other kinds are kept
SELECT * FROM pg_temp.shown('{1: 1, 1: 2}', '{1: 1, 1.0: 2, 1_u8: 3}', '{null: 1, null: 2}',
  '{''a'': 1, "a": 2}', '{[1]: 1, [1.0]: 2}', '{{"x": 1, "y": 2}: 1, {"y": 2, "x": 1}: 2}');
SELECT '{"a": 1, "a": 2}'::jsonb = '{"a": 1, "a": 2}'::msgpack::text::jsonb AS as_jsonb;

-- the whole value in hex
SELECT * FROM pg_temp.shown('\x93010203', ' \x81 a161 01 ', '\xC0');
SELECT pg_temp.fault('\x'), pg_temp.fault('\xc'), pg_temp.fault('\xc0g'), pg_temp.fault('\xc1');

-- indented as jsonb_pretty does it
SELECT msgpack_pretty(j::msgpack) = jsonb_pretty(j::jsonb) AS same
FROM unnest(ARRAY['{"a": [1, {"b": []}, {}], "c": {"d": 1, "e": "f"}}', '[]', '{}', '[[[1]]]', '1',
  '[1, "a", null, true]']) j;
SELECT msgpack_pretty('{_16_dup 1_u8: [_16 h''00''], 1: "a"_8}');

-- errors say what was expected, at which character, and what is there
SELECT form, pg_temp.fault(form) FROM unnest(ARRAY[
  '', '   ', 'nul', 'nulls', 'True', '1 2', '[1, 2', '[1 2]', '[1,]', '[1}', '{"a" 1}', '{"a": 1,}',
  '{"a"}', '{,}', '"abc', '"é', '["é", x]', '''a', 'h''0''', 'h''0g''', 'h"00"', 'b64''A''', 'b64''AB''',
  'b64''*''', 'ext(1)', 'ext(1, 2)', 'ext(200, h'''')', 'ext(-129, h'''')', '[_8 1]', '[_16_dup 1]',
  '{_dupe}', '"a"_64', 'h''''_u8', '{"key": undefined}'
]) form;
SELECT pg_temp.fault('"' || repeat('x', 256) || '"_8'),
  pg_temp.fault('[_16 ' || repeat('1,', 65535) || '1]') AS too_many;

-- nesting
SELECT octet_length((repeat('[', 1024) || repeat(']', 1024))::msgpack::bytea);
SELECT pg_temp.fault(repeat('[', 1025) || repeat(']', 1025));

-- COPY goes through the text form: what the casts admit comes back
CREATE TEMP TABLE forms (m msgpack);
INSERT INTO forms VALUES
  ('{_dup "a": str''fffe'', "a": float''7ff8000000000001''}'), ('[_32 "a\tb\\c"_8, 1_i64]'), (NULL);
SELECT m, msgpack_text(m) FROM forms;

-- every digit of both base 64 alphabets
SELECT 'b64''ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'''::msgpack::bytea =
    'b64''ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'''::msgpack::bytea AS both,
  msgpack_binary('b64''ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/''') =
    decode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 'base64') AS right;
