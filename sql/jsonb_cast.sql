-- Casts between msgpack and jsonb or json.

--
-- jsonb to msgpack
--

-- every kind, alone
SELECT j, j::msgpack AS m, msgpack_typeof(j::msgpack), j::msgpack::bytea
FROM unnest(ARRAY['null', 'true', 'false', '0', '-1', '1.5', '""', '"a"', '[]', '{}', '[[]]',
                  '{"": {}}']::jsonb[]) j;

-- scale 0 is an integer, any other a float; trailing zeros say nothing more
SELECT left(j::text, 40) AS j, j::msgpack AS m
FROM unnest(ARRAY['127', '128', '255', '256', '9999', '10000', '65535', '65536', '100000000',
                  '4294967295', '4294967296', '9223372036854775807', '9223372036854775808',
                  '18446744073709551615', '-32', '-33', '-128', '-129', '-32768', '-32769',
                  '-2147483648', '-2147483649', '-9223372036854775808',
                  '1.0', '0.0', '-0.5', '1.50', '100.000', '0.1', '123456789012345.6',
                  '0.30000000000000004', '1e20', '-1e20', '123e18', '1e22', '1e300',
                  '1e-7', '5e-324', '1.7976931348623157e308', '2.2250738585072014e-308']::jsonb[]) j;

-- digits that no float shows: an error that names the place
SELECT '18446744073709551616'::jsonb::msgpack;
SELECT '-9223372036854775809'::jsonb::msgpack;
SELECT '1e23'::jsonb::msgpack, '5e22'::jsonb::msgpack;
SELECT '100000000000000000000000'::float8, '50000000000000000000000'::float8;
SELECT '[1, {"a b": [0.1, 0.1234567890123456789]}]'::jsonb::msgpack;
SELECT '{"a": 1e400}'::jsonb::msgpack;
SELECT '[1e-400]'::jsonb::msgpack;
SELECT '{"pi": 3.14159265358979323846264338327950288419716939937510582097494459230781640628}'::jsonb::msgpack;

-- the choice
SELECT numbers, jsonb_to_msgpack('[0.1234567890123456789, 18446744073709551616, -9223372036854775809, 7, 0.5]', numbers)
FROM unnest(ARRAY['round', 'string']) numbers;
SELECT jsonb_to_msgpack('[1e30, -1e-30, 1e23, 1]', numbers => 'string');
SELECT jsonb_to_msgpack('{"a": [0.1234567890123456789, 1e400]}', numbers => 'round');
SELECT jsonb_to_msgpack('[-1e-400]', numbers => 'round');
SELECT jsonb_to_msgpack('[1e400]', numbers => 'exact');
SELECT jsonb_to_msgpack('[1, 1.5]');
SELECT jsonb_to_msgpack('[1, 1.5]', numbers => 'Exact');
SELECT jsonb_to_msgpack('[1]', NULL) IS NULL AS "null";

-- what would fail: a path that #> takes
SELECT left(j::text, 60) AS j, jsonb_msgpack_check(j), left((j #> jsonb_msgpack_check(j))::text, 30) AS value
FROM unnest(ARRAY['{"a": [1, {"b c": 1e20}]}', '{"a": [1, {"b c": 1e400}]}',
                  '{"z": 0.1234567890123456789, "a": [1, 2, 18446744073709551616]}',
                  '18446744073709551616', '[[[0.1], 0.12345678901234567]]', '"1e400"', '[]']::jsonb[]) j;

-- order is jsonb's; casting is exact, so the text of strings stays as it is
SELECT '{"bb": 1, "a": 2, "aa": "\u00e9\ud83d\ude00\"\\\n", "b": null}'::jsonb::msgpack;

-- implicit: where a msgpack is wanted
CREATE TEMP TABLE kept (m msgpack);
INSERT INTO kept VALUES ('{"from": "jsonb"}'::jsonb), ('{"from": "json"}'::json);
SELECT m FROM kept;
SELECT msgpack_typeof('{}'::jsonb);

-- entries with offsets and with lengths; strings of each width; numerics of each form
WITH docs(j) AS (
  SELECT jsonb_agg(i) FROM generate_series(0, 100) i
  UNION ALL SELECT jsonb_object_agg('key ' || i, i) FROM generate_series(0, 100) i
  UNION ALL SELECT jsonb_object_agg('key ' || i, jsonb_build_array(i, 'x', NULL, i / 8.0::float8))
            FROM generate_series(1000, 1300) i
  UNION ALL SELECT jsonb_agg(repeat('x', n)) FROM unnest(ARRAY[0, 1, 31, 32, 33, 255, 256, 65535, 65536, 200000]) n
  UNION ALL SELECT jsonb_agg((10::numeric ^ n)::bigint * s) FROM generate_series(0, 18) n, unnest(ARRAY[1, -1]) s
  UNION ALL SELECT jsonb_agg(('1e' || n)::float8) FROM generate_series(-300, 300, 7) n
  UNION ALL SELECT jsonb_build_object('a', jsonb_build_object('b', jsonb_build_object('c', 'abc', 'd', 1)))
)
SELECT row_number() OVER () AS n, a = b AS equal, msgpack_check(j::msgpack) IS NULL AS regular
FROM docs, LATERAL (SELECT j AS a, j::msgpack::jsonb AS b) x;

-- depth
SELECT length((repeat('[', 1024) || repeat(']', 1024))::jsonb::msgpack::bytea);
SELECT (repeat('[', 1025) || repeat(']', 1025))::jsonb::msgpack;
SELECT cardinality(jsonb_msgpack_check((repeat('[', 1025) || repeat(']', 1025))::jsonb));

--
-- msgpack to jsonb
--

-- every kind
SELECT m, left(m::jsonb::text, 40) AS j, jsonb_typeof(m::jsonb), length(m::jsonb::text)
FROM unnest(ARRAY['null', 'true', 'false', '0', '-1', '18446744073709551615', '-9223372036854775808',
                  '1.0', '-0.0', '1.5', '1e+300', '5e-324', '0.1', '100.0', '12345.6789', 'NaN', 'Infinity', '-Infinity',
                  '1.5_f32', '0.1_f32', 'NaN_f32', '-Infinity_f32', '1e+38_f32', '7_u32', '-7_i64',
                  '"a"', '""', 'h''00ff''', 'h''''', '''text''',
                  'DT''2026-11-30T17:13:31.5Z''', 'ext(5, h''00ff'')', 'ext(-1, h''00'')',
                  '[]', '{}', '[_16 1]', '[{}, [], ""]']::msgpack[]) m;

-- bytes as the server itself would write them, in document order or not
WITH docs(t) AS (
  SELECT '{"bb": 1, "a": [1, "x", 2.5, null, true], "ccc": {"z": {}, "y": []}, "b": "y"}'
  UNION ALL SELECT json_object_agg('key ' || i * 7919 % 1000, json_build_array(i, 'x' || i, NULL, i * 1000))::text
            FROM generate_series(1, 300) i
  UNION ALL SELECT json_object_agg(repeat('k', 40 - i), i)::text FROM generate_series(0, 40) i
  UNION ALL SELECT repeat('{"ab": [1, ', 200) || '0' || repeat(', "x"], "a": 1}', 200)
  UNION ALL SELECT '"scalar"'
  UNION ALL SELECT '-12345678.875'
  UNION ALL SELECT json_agg(repeat('x', n))::text FROM unnest(ARRAY[0, 1, 31, 32, 33, 255, 256, 65535, 65536]) n
)
SELECT row_number() OVER () AS n, a *= b AS same
FROM docs d, LATERAL (SELECT d.t::jsonb AS v) a, LATERAL (SELECT d.t::msgpack::jsonb AS v) b;

-- keys that are not strings
SELECT '{7: 1, -7: 2, null: 3, true: 4, 1.5: 5, 0.1_f32: 6, h''00ff'': 7, DT''2026-11-30T00:00:00Z'': 8, ext(1, h''00''): 9, [1_u8, "a\"b"]: 10, {"a": 1}: 11, NaN: 12, 1e+21: 13}'::msgpack::jsonb;

-- which may become the same
SELECT '{"a": [{"1": "string", 1: "integer"}]}'::msgpack::jsonb;
SELECT '{0.1: 1, 0.1_f32: 2}'::msgpack::jsonb;
SELECT msgpack_to_jsonb('{"1": "string", 1: "integer", "2": 0}', key_clash => 'last');
SELECT msgpack_to_jsonb('{null: 1, "null": 2, "n": 3}', key_clash => 'last');
SELECT msgpack_to_jsonb('{}', key_clash => 'first');

-- keys that are repeated are no clash: the last one counts
SELECT '{_dup "a": 1, "b": 2, "a": 3}'::msgpack::jsonb;
SELECT '{_dup 1: "a", 1.0: "b"}'::msgpack::jsonb;
SELECT '[{_dup "a": 1, "a": {"b": NaN}}]'::msgpack::jsonb;

-- NUL
SELECT '{"a": ["b", "c\u0000d"]}'::msgpack::jsonb;
SELECT '{"a\u0000": 1}'::msgpack::jsonb;
SELECT '{"a string that is longer than thirty-two bytes\u0000": 1}'::msgpack::jsonb;
SELECT '["a string that is longer than thirty-two bytes\u0000"]'::msgpack::jsonb;
SELECT msgpack_to_jsonb('{"a\u0000": ["\u0000", "b\u0000\u0000c", "no"]}', nul => 'replace');
SELECT msgpack_to_jsonb('["\u0000"]', nul => 'error');
SELECT msgpack_to_jsonb('[]', nul => '');

-- str that is not UTF-8
SELECT '{"a": [1, str''61ff'']}'::msgpack::jsonb;
SELECT '{str''ff'': 1}'::msgpack::jsonb;
SELECT '{"a": "é"}'::msgpack::jsonb;
SELECT '[h''ff'', {[str''ff'']: 1}]'::msgpack::jsonb;

-- binary
SELECT msgpack_to_jsonb('[h'''', h''00'', h''0001'', h''000102'', h''fbff'']', "binary" => 'hex');
SELECT msgpack_to_jsonb('[h'''', h''00'', h''0001'', h''000102'', h''fbff'', {h''00'': 1}]', "binary" => 'base64');
SELECT msgpack_to_jsonb('[]', "binary" => 'base32');

-- exact: what comes back equal, or an error
SELECT m, msgpack_to_jsonb(m, exact => true)
FROM unnest(ARRAY['null', 'true', '18446744073709551615', '1.0', '0.0', '0.1', '1.5_f32', '7_u32',
                  '{"b": [1, 2.5, null, {}], "a": "x"}', '{_dup "a": 1, "a": 2}']::msgpack[]) m;
SELECT msgpack_to_jsonb('[1, h''00'']', exact => true);
SELECT msgpack_to_jsonb('{"a": DT''2026-11-30T17:13:31.5Z''}', exact => true);
SELECT msgpack_to_jsonb('[ext(5, h''00'')]', exact => true);
SELECT msgpack_to_jsonb('[NaN]', exact => true);
SELECT msgpack_to_jsonb('[-Infinity]', exact => true);
SELECT msgpack_to_jsonb('[-0.0]', exact => true);
SELECT msgpack_to_jsonb('[0.1_f32]', exact => true);
SELECT msgpack_to_jsonb('[{"a": {7: 1}}]', exact => true);
SELECT msgpack_to_jsonb('["\u0000"]', exact => true, nul => 'replace');

-- depth, and a map's values out of order, deep inside
SELECT (repeat('[', 1024) || repeat(']', 1024))::msgpack::jsonb = (repeat('[', 1024) || repeat(']', 1024))::jsonb AS deep;
SELECT a *= b AS same
FROM (SELECT repeat('{"bb": {"z": [1]}, "a": ', 500) || '0' || repeat(', "aa": [[], {}, "x"]}', 500)) d(t),
     LATERAL (SELECT d.t::jsonb AS v) a, LATERAL (SELECT d.t::msgpack::jsonb AS v) b;

-- assignment, not implicit
CREATE TEMP TABLE as_jsonb (j jsonb);
INSERT INTO as_jsonb SELECT m FROM kept;
SELECT j FROM as_jsonb;
\set VERBOSITY terse
SELECT jsonb_typeof('{}'::msgpack);  -- terse: the hint is another from 19 on
\set VERBOSITY default

-- toasted values
CREATE TEMP TABLE toasted (j jsonb, m msgpack);
ALTER TABLE toasted ALTER j SET STORAGE EXTERNAL, ALTER m SET STORAGE EXTERNAL;
INSERT INTO toasted SELECT j, j FROM (SELECT jsonb_object_agg('key ' || i, repeat('v', i)) AS j FROM generate_series(1, 300) i) x;
INSERT INTO toasted SELECT jsonb_agg(repeat('v', i)), jsonb_agg(repeat('v', i)) FROM generate_series(1, 3) i;
SELECT m::jsonb = j AS there, j::msgpack = m AS back FROM toasted;

--
-- json
--

-- document order, and what JSON has not as in jsonb
SELECT '{"z": [1, 2.5, -0.0, 1e+300, 1.5_f32, "q\"\\\u0000\u001f\né"], "a": {}, "n": [], "f": [NaN, Infinity, -Infinity_f32], "b": h''00ff'', 7: DT''2026-11-30T17:13:31.5Z'', [1, "x"]: ext(5, h''00''), null: true}'::msgpack::json;
SELECT m::json::jsonb = m::jsonb AS same
FROM unnest(ARRAY['[1, [2, {"a": 3}], {}, [[]], null, true, "x"]',
                  '{7: 1, h''00ff'': 7, DT''2026-11-30T00:00:00Z'': 8, ext(1, h''00''): 9, [1_u8, "a\"b"]: 10, NaN: 12, 1e+21: 13}',
                  '{_dup "a": 1, "b": 2, "a": 3}', '5', '"é"', '[0.1_f32, 1e-7]']::msgpack[]) m;
SELECT '{"a": {"1": "string", 1: "integer"}}'::msgpack::json;
SELECT '{[0.1]: 1, [0.1_f32]: 2}'::msgpack::json;
SELECT '{1: {"x": {2: 3}}, 2: [{"1": {1: 1}}], "3": 1}'::msgpack::json;
SELECT '{"a": [1, str''61ff'']}'::msgpack::json;
SELECT '{"a": {str''ff'': 1}}'::msgpack::json;

SELECT '{"z": 1, "a": 1.0, "z": [2, {"c": 1, "b": "\u00e9\u0000"}]}'::json::msgpack;
SELECT '[18446744073709551616]'::json::msgpack;
SELECT ' {"a" : 1e400 } '::json::msgpack;

-- PostgreSQL's functions embed the document, not a string of it
SELECT to_json('{"z": 1, "a": h''00''}'::msgpack), to_jsonb('{"z": 1, "a": h''00''}'::msgpack);
SELECT row_to_json(r) FROM (SELECT 1 AS id, '{"z": [1.5], "a": null}'::msgpack AS doc) r;
SELECT json_agg(m), jsonb_agg(m), json_build_object('doc', min(m::text)::msgpack) FROM kept;
SELECT json_object_agg(1, m) FROM kept LIMIT 1;
SELECT array_to_json(ARRAY['[1]', '{"a": 2}']::msgpack[]);

DROP TABLE kept, as_jsonb, toasted;

-- Beside jsonb: where a jsonb is, it stays one, if it has the operator; what has no type has two to choose from.
SELECT pg_typeof(j -> 'a'), pg_typeof(j - 'a'), pg_typeof(j || '{}'), pg_typeof('{}' || j), pg_typeof(j #- '{a}'), j ? 'a', j @? '$.a'
FROM (VALUES ('{"a": 1}'::jsonb)) v (j);
SELECT pg_typeof(max(j)), pg_typeof(min(j - 1::bigint)), bool_and(j = '\x81a16101'::bytea) FROM (VALUES ('{"a": 1}'::jsonb)) v (j);
\set VERBOSITY sqlstate
SELECT '{"a": 1}' ? 'a';
SELECT '{"a": 1}' @? '$.a';
SELECT '{"a": 1}' #- '{a}';
\set VERBOSITY default
SELECT '{"a": 1}'::jsonb ? 'a' AS jsonb, '{"a": 1}'::msgpack ? 'a' AS msgpack;
