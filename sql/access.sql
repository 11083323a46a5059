--
-- Reading by key, index and path: first where jsonb has the same, side by
-- side (documents are written as jsonb prints them); then what only msgpack has.
--
CREATE TEMP TABLE access_doc (id serial, j jsonb, m msgpack);
INSERT INTO access_doc (j, m)
SELECT t::jsonb, t::msgpack
  FROM unnest(ARRAY[
	'{"": "empty", "1": "one", "a": 1, "b": [10, 20, {"c": "deep"}], "n": null, "-1": "minus"}',
	'{}', '[]', '[[], {}, [[]]]', 'null', 'true', '5', '-5.25', '"str"', '""',
	'["a", null, {"a": "b"}, [1, 2, [3]], "x y"]',
	'{"a": {"b": {"c": {"d": [1, 2, 3]}}}, "b": {"0": "zero"}}',
	'{"é": "ü", "日本": {"語": [true, false]}, "key with \"quotes\"": "\u00e9\n"}',
	'[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]',
	'{"k01": 1, "k02": 2, "k03": 3, "k04": 4, "k05": 5, "k06": 6, "k07": 7, "k08": 8, "k09": 9,
	  "k10": 10, "k11": 11, "k12": 12, "k13": 13, "k14": 14, "k15": 15, "k16": 16, "k17": 17}'
	]) AS t;

CREATE TEMP TABLE access_key (k text);
INSERT INTO access_key
SELECT unnest(ARRAY['a', 'b', 'c', '', '0', '1', '-1', 'n', 'é', '日本', 'k01', 'k09', 'k17', 'k18',
					'key with "quotes"', 'str', 'missing']);

CREATE TEMP TABLE access_path (p text[]);
INSERT INTO access_path
SELECT unnest(ARRAY['{}', '{a}', '{b,2,c}', '{b,-1,c}', '{b,-3}', '{b,-4}', '{b,3}', '{0}', '{-1}',
					'{0,0}', '{2,0}', '{3,2,0}', '{" 1"}', '{+1}', '{01}', '{-0}', '{1.0}', '{1 }',
					'{1x}', '{x}', '{2147483648}', '{-2147483648}', '{99999999999999999999}',
					'{a,b,c,d,1}', '{a,b,c,d,e}', '{b,0}', '{日本,語,1}', '{NULL}', '{a,NULL}',
					'{""}', '{n}', '{n,x}', '{{a,b},{c,d}}'])::text[];

-- all of these return no rows
SELECT j, k, j -> k AS jsonb, m -> k AS msgpack FROM access_doc, access_key
 WHERE (j -> k)::text IS DISTINCT FROM (m -> k)::text;
SELECT j, k, j ->> k AS jsonb, m ->> k AS msgpack FROM access_doc, access_key
 WHERE j ->> k IS DISTINCT FROM m ->> k;
SELECT j, i, j -> i AS jsonb, m -> i AS msgpack FROM access_doc, generate_series(-22, 22) i
 WHERE (j -> i)::text IS DISTINCT FROM (m -> i)::text;
SELECT j, i, j ->> i AS jsonb, m ->> i AS msgpack FROM access_doc, generate_series(-22, 22) i
 WHERE j ->> i IS DISTINCT FROM m ->> i;
SELECT j, p, j #> p AS jsonb, m #> p AS msgpack FROM access_doc, access_path
 WHERE (j #> p)::text IS DISTINCT FROM (m #> p)::text;
SELECT j, p, j #>> p AS jsonb, m #>> p AS msgpack FROM access_doc, access_path
 WHERE j #>> p IS DISTINCT FROM m #>> p;
SELECT j, p FROM access_doc, access_path
 WHERE jsonb_extract_path(j, VARIADIC p)::text
	   IS DISTINCT FROM msgpack_extract_path(m, VARIADIC p)::text
	OR jsonb_extract_path_text(j, VARIADIC p)
	   IS DISTINCT FROM msgpack_extract_path_text(m, VARIADIC p);

-- and that many of them found something
SELECT count(m -> k), count(m ->> k) FROM access_doc, access_key;
SELECT count(m -> i), count(m ->> i) FROM access_doc, generate_series(-22, 22) i;
SELECT count(m #> p), count(m #>> p) FROM access_doc, access_path;

-- counting, and its errors
SELECT j, jsonb_array_length(j), msgpack_array_length(m) FROM access_doc
 WHERE jsonb_typeof(j) = 'array';
SELECT jsonb_array_length('{}');
SELECT msgpack_array_length('{}');
SELECT jsonb_array_length('1');
SELECT msgpack_array_length('1');

-- strict in every argument
SELECT NULL::msgpack -> 'a' AS "->", NULL::msgpack ->> 'a' AS "->>", '{}'::msgpack -> NULL::text AS key,
	   '[1]'::msgpack -> NULL::int8 AS index, '{}'::msgpack #> NULL AS "#>",
	   msgpack_get('{}', NULL) AS get, msgpack_has(NULL, '1') AS has;

-- a literal is a key, a number an index; smaller integers too
SELECT '[1, 2]'::msgpack -> '1' AS key, '[1, 2]'::msgpack -> 1 AS index,
	   '[1, 2]'::msgpack -> 1::int2 AS small, '[1, 2]'::msgpack -> 4294967297 AS large,
	   '[1, 2]'::msgpack -> (-9223372036854775807 - 1) AS smallest;

-- text finds a str key, then a bin key, then an integer key
SELECT '{7: "integer", h`37`: "bin", "7": "str"}'::msgpack ->> '7' AS str,
	   '{7: "integer", h`37`: "bin"}'::msgpack ->> '7' AS bin,
	   '{7: "integer"}'::msgpack ->> '7' AS "integer",
	   '{7_u64: "integer"}'::msgpack #>> '{7}' AS wide,
	   '{7.0: "float"}'::msgpack ->> '7' AS equal;
SELECT k, '{0: "zero", -5: "minus five", 7: "seven", 18446744073709551615: "largest",
			-9223372036854775808: "smallest", 7.5: "float", null: "nil", true: "true"}'::msgpack ->> k
  FROM unnest(ARRAY['0', '-5', '7', '18446744073709551615', '-9223372036854775808',
					'-0', '00', '07', '+7', ' 7', '7 ', '7.0', '7.5', '', '-', 'null', 'true',
					'18446744073709551616', '-9223372036854775809',
					'100000000000000000000000']) AS k;

-- a number finds the key equal to it, never a str; in an array an element
SELECT '{"7": "str", 7: "integer"}'::msgpack ->> 7 AS "integer", '{"7": "str"}'::msgpack ->> 7 AS str,
	   '{7.0: "float"}'::msgpack ->> 7 AS equal, '{-1: "key"}'::msgpack ->> -1 AS negative,
	   '{9007199254740993: "exact", 9007199254740992.0: "float"}'::msgpack ->> 9007199254740992 AS large,
	   '[10, 20]'::msgpack ->> -1 AS element;

-- of equal keys the last counts
SELECT '{_dup "a": 1, "b": 2, "a": 3}'::msgpack -> 'a' AS str,
	   '{_dup 1: "first", 1_u16: "second", 1.0: "third"}'::msgpack -> 1 AS number,
	   '{_dup 1: "first", 1.0: "second"}'::msgpack ->> '1' AS text,
	   '{_dup "x": {_dup "a": 1, "a": {"b": [4]}}, "y": 0, "y": 1}'::msgpack #> '{x,a,b,0}' AS path,
	   '{_dup "a": 1, "b": {"c": 1}, "a": 2}'::msgpack -> 'b' AS fragment;

-- a str that is not UTF-8 is a key like another, and no text
SELECT msgpack_get('{str`ff`: 1}', 'str`ff`') AS get, '{str`ff`: 1, "a": "b"}'::msgpack ->> 'a' AS other;
SELECT '{"a": str`ff`}'::msgpack -> 'a' AS document;
SELECT '{"a": str`ff`}'::msgpack ->> 'a' AS "text";
SELECT '{"a": "\u0000"}'::msgpack -> 'a' AS document;
SELECT '{"a": "\u0000"}'::msgpack ->> 'a' AS "text";

-- what ->> gives of every type
SELECT k, m -> k AS "->", m ->> k AS "->>"
  FROM (SELECT '{"nil": null, "boolean": true, "integer": -5, "float": 1.0, "float32": 1.5_f32,
				 "string": "a\nb", "binary": h`00ff`, "timestamp": DT`2026-11-30T17:13:31.5Z`,
				 "ext": ext(5, h`00ff`), "array": [1_u16, "a"_8], "map": {"a": 1_u64}}'::msgpack) AS d(m),
	   unnest(ARRAY['nil', 'boolean', 'integer', 'float', 'float32', 'string', 'binary', 'timestamp',
					'ext', 'array', 'map']) AS k;

-- encodings are kept
SELECT ('{"a"_16: [_32 7_u32, "x"_8]}'::msgpack -> 'a')::bytea;

-- keys of any type: the key equal to it and no other
SELECT k, msgpack_get(m, k::msgpack), msgpack_has(m, k::msgpack)
  FROM (SELECT '{"a": 1, h`61`: 2, 1: 3, "1": 4, null: 5, true: 6, 1.5: 7, [1, {"x": 2, "y": 3}]: 8,
				 {"p": 1, "q": 2}: 9, DT`2026-11-30T00:00:00Z`: 10, ext(3, h`01`): 11, "nil": null}'
				::msgpack) AS d(m),
	   unnest(ARRAY['"a"', 'h`61`', '1', '1.0', '"1"', 'null', 'true', 'false', '1.5_f32',
					'[1, {"y": 3, "x": 2}]', '[1]', '{"q": 2_u8, "p": 1}', '{"p": 1}',
					'DT`2026-11-30T00:00:00Z`_96', 'ext(3, h`01`)', 'ext(4, h`01`)', '"nil"', '"b"']) AS k;
SELECT msgpack_get('[10, 20, 30]', '1') AS element, msgpack_get('[10, 20, 30]', '-1') AS last,
	   msgpack_get('[10, 20, 30]', '2.0') AS equal, msgpack_get('[10, 20, 30]', '3') AS past,
	   msgpack_get('[10, 20, 30]', '1.5') AS fraction, msgpack_get('[10, 20, 30]', '"1"') AS str,
	   msgpack_has('[10, 20, 30]', '2') AS has, msgpack_has('[10, 20, 30]', '10') AS has_not,
	   msgpack_get('5', '0') AS scalar;

-- more than 1,024 entries, and values of every size
SELECT count(*), count(*) FILTER (WHERE (m -> i)::text = i::text AND m ->> ('k' || i) = repeat('v', i))
  FROM (SELECT ('{' || string_agg(format('%s: %s, "k%s": "%s"', i, i, i, repeat('v', i)), ',')
				|| '}')::msgpack FROM generate_series(0, 1200) i) AS d(m),
	   generate_series(0, 1200) i;
