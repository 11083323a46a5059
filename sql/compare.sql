--
-- Equality, order and hash of values by meaning.
--

-- A ladder: groups of equal values in ascending order, every kind among them.
CREATE TABLE compare_rung (rung int, m msgpack);
INSERT INTO compare_rung
SELECT rung, m::msgpack
  FROM unnest(ARRAY[
	'null', 'false', 'true',
	'-Infinity|-Infinity_f32', '-1e300', '-9223372036854777856.0', '-9223372036854775808|-9223372036854775808.0',
	'-9223372036854775807', '-9007199254740993', '-9007199254740992|-9007199254740992.0', '-33|-33_i64', '-32|-32_i8|-32.0_f32',
	'-0.5|-0.5_f32', '-5e-324', '0|0_u8|0_i64|0.0|-0.0|0.0_f32|-0.0_f32', '5e-324',
	'0.1', '0.1_f32', '1|1_u64|1_i16|1.0|1.0_f32', '1.5', '2', '16777216|16777216.0_f32', '16777217|16777217.0',
	'9007199254740991', '9007199254740992|9007199254740992.0', '9007199254740993', '9007199254740994|9007199254740994.0',
	'9223372036854774784.0', '9223372036854775807', '9223372036854775808|9223372036854775808.0', '9223372036854775809',
	'18446744073709549568.0|18446744073709549568', '18446744073709551615', '18446744073709551616.0', '1e300', 'Infinity|Infinity_f32',
	'NaN|NaN_f32|float''fff8000000000000''|float''7ff0000000000001''',
	'""|""_16', '"\u0000"', '"A"', '"a"|"a"_8|"a"_32', '"a\u0000"', '"aa"', '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"', '"b"', '"é"', 'str''ff''',
	'h''''', 'h''00''|h''00''_16', 'h''0000''', 'h''01''', 'h''ff''',
	'DT''0001-01-01T00:00:00Z''', 'DT''1969-12-31T23:59:59.999999999Z''', 'DT''1970-01-01T00:00:00Z''|DT''1970-01-01T00:00:00Z''_64|DT''1970-01-01T00:00:00Z''_96',
	'DT''1970-01-01T00:00:00.000000001Z''|DT''1970-01-01T00:00:00.000000001Z''_96', 'DT''2026-11-30T00:00:00Z''', 'DT''9999-12-31T23:59:59Z''',
	'ext(-128, h''00'')', 'ext(-1, h''00'')', 'ext(0, h'''')|ext(0, h'''')_32', 'ext(0, h''00'')|ext(0, h''00'')_8', 'ext(0, h''0000'')', 'ext(0, h''01'')', 'ext(1, h''00'')', 'ext(127, h'''')',
	'[]|[_16]', '[null]', '[null, null]', '[1]|[1.0]|[_32 1_u8]', '[1, 2]', '[1, 2, 3]', '[1, 3]', '["a"]', '[[]]', '[[1]]', '[[[]]]', '[{}]',
	'{}|{_16}', '{null: 0}', '{1: 0}|{1.0: 0}', '{1: 1}', '{2: 0}', '{"a": 1}|{_16 "a"_8: 1.0}', '{"a": {"b": 1}}', '{"b": 0}', '{"bb": 0}', '{[1]: 0}', '{{}: 0}',
	'{"a": 1, "b": 2}|{"b": 2, "a": 1}|{"b": 2.0, "a": 1_u32}', '{"a": 1, "b": 3}|{"b": 3, "a": 1}', '{"a": 1, "c": 0}|{"c": 0, "a": 1}', '{"a": 2, "b": 0}|{"b": 0, "a": 2}', '{"b": 0, "c": 0}',
	'{{"x": 1, "y": 2}: 1, {"x": 1, "y": 3}: 2}|{{"y": 3, "x": 1}: 2, {"y": 2, "x": 1}: 1}',
	'{"a": 0, "b": 0, "c": 0}|{"c": 0, "b": 0, "a": 0}|{_dup "c": 1, "b": 0, "a": 0, "c": 0}'])
	   WITH ORDINALITY AS t (alike, rung), unnest(string_to_array(alike, '|')) AS m;
SELECT count(*) AS values, count(DISTINCT rung) AS rungs, count(DISTINCT m) AS distinct_values FROM compare_rung;

-- all six operators, the comparison and the hashes, over all pairs
SELECT count(*) AS pairs,
	   count(*) FILTER (WHERE (a.m = b.m) <> (a.rung = b.rung)) AS eq,
	   count(*) FILTER (WHERE (a.m <> b.m) <> (a.rung <> b.rung)) AS ne,
	   count(*) FILTER (WHERE (a.m < b.m) <> (a.rung < b.rung)) AS lt,
	   count(*) FILTER (WHERE (a.m <= b.m) <> (a.rung <= b.rung)) AS le,
	   count(*) FILTER (WHERE (a.m > b.m) <> (a.rung > b.rung)) AS gt,
	   count(*) FILTER (WHERE (a.m >= b.m) <> (a.rung >= b.rung)) AS ge,
	   count(*) FILTER (WHERE msgpack_cmp(a.m, b.m) <> sign(a.rung - b.rung)) AS cmp,
	   count(*) FILTER (WHERE (msgpack_hash_extended(a.m, 0) = msgpack_hash_extended(b.m, 0)) <> (a.rung = b.rung)) AS hash,
	   count(*) FILTER (WHERE a.rung = b.rung AND (msgpack_hash(a.m) <> msgpack_hash(b.m) OR
		  msgpack_hash_extended(a.m, 42) <> msgpack_hash_extended(b.m, 42))) AS hashes,
	   count(*) FILTER (WHERE (msgpack_canonical(a.m)::bytea = msgpack_canonical(b.m)::bytea) <> (a.rung = b.rung)) AS canonical
  FROM compare_rung AS a, compare_rung AS b;
SELECT a.m, b.m, msgpack_cmp(a.m, b.m) FROM compare_rung AS a, compare_rung AS b
 WHERE msgpack_cmp(a.m, b.m) <> sign(a.rung - b.rung) LIMIT 10;
-- the same inside arrays, as values of maps and as keys of maps, in step and out of step
SELECT how, count(*) FILTER (WHERE msgpack_cmp(am, bm) <> sign(a - b)) AS cmp,
	   count(*) FILTER (WHERE (am = bm) <> (a = b)) AS eq,
	   count(*) FILTER (WHERE a = b AND msgpack_hash(am) <> msgpack_hash(bm)) AS hash
  FROM (SELECT how, a.rung AS a, b.rung AS b, format(left_, a.m)::msgpack AS am, format(right_, b.m)::msgpack AS bm
		  FROM compare_rung AS a, compare_rung AS b,
			   (VALUES ('element', '[0, %s, 1]', '[0, %s, 1]'), ('value', '{"k": %s}', '{"k": %s}'), ('key', '{%s: 1}', '{%s: 1}'),
					   ('in step', '{"a": 1, "k": %s, "b": []}', '{"a": 1, "k": %s, "b": []}'),
					   ('out of step', '{"a": 1, "k": %s, "b": []}', '{"b": [], "k": %s, "a": 1}'),
					   ('key out of step', '{{"x": %s, "y": 1}: 1, "z": 2}', '{"z": 2, {"y": 1, "x": %s}: 1}')) AS t (how, left_, right_)
		 WHERE a.rung % 3 = 0 OR a.rung = b.rung) AS pairs
 GROUP BY how ORDER BY how COLLATE "C";

-- numbers, against numeric
SELECT count(*) AS pairs, count(*) FILTER (WHERE msgpack_cmp(a.m, b.m) <> CASE WHEN a.n < b.n THEN -1 WHEN a.n > b.n THEN 1 ELSE 0 END) AS wrong
  FROM (SELECT n, n::text::msgpack AS m
		  FROM (SELECT (power(2::numeric, e) + d)::numeric(30, 0) * s AS n
				  FROM generate_series(0, 63) AS e, generate_series(-2, 2) AS d, unnest(ARRAY[1, -1]) AS s) AS t
		 WHERE n BETWEEN -9223372036854775808 AND 18446744073709551615) AS a,
	   (SELECT n, (n::text || '.0')::msgpack AS m
		  FROM (SELECT (power(2::numeric, e) * (1 + d / 4::numeric))::numeric(30, 0) * s AS n
				  FROM generate_series(2, 66, 3) AS e, generate_series(0, 3) AS d, unnest(ARRAY[1, -1]) AS s) AS t) AS b;

-- documents, against jsonb: equality always, order where both orders are by the same rule
CREATE TEMP TABLE compare_json AS
SELECT j::jsonb AS j, j::msgpack AS m
  FROM unnest(ARRAY['null', 'true', 'false', '0', '1', '-1', '1.5', '1e3', '1000', '""', '"a"', '"b"', '[]', '{}', '[1]', '[1, 2]',
					'[2, 1]', '[[1]]', '{"a": 1}', '{"a": 2}', '{"b": 1}', '{"a": 1, "b": 2}', '{"b": 2, "a": 1}',
					'{"a": [1, {"x": null, "y": []}]}', '{"a": [1, {"y": [], "x": null}]}', '{"a": [1, {"y": [], "x": 0}]}',
					'{"aa": 1, "b": 2}', '{"b": 2, "aa": 1.0}', '[{"a": 1, "b": 1}, {"b": 1, "a": 1}]']) AS j;
SELECT count(*) AS pairs,
	   count(*) FILTER (WHERE (a.m = b.m) <> (a.j = b.j)) AS eq,
	   count(*) FILTER (WHERE (a.m <> b.m) <> (a.j <> b.j)) AS ne,
	   count(*) FILTER (WHERE a.j = b.j AND msgpack_hash(a.m) <> msgpack_hash(b.m)) AS hash,
	   count(*) FILTER (WHERE jsonb_typeof(a.j) = jsonb_typeof(b.j) AND jsonb_typeof(a.j) IN ('number', 'boolean') AND
		  (a.m < b.m, a.m <= b.m, a.m > b.m, a.m >= b.m) <> (a.j < b.j, a.j <= b.j, a.j > b.j, a.j >= b.j)) AS scalars
  FROM compare_json AS a, compare_json AS b;

-- maps as keys of maps, 12 deep: 4,096 at the bottom
CREATE FUNCTION compare_deep(deep int, first_leaf int, swap bool) RETURNS msgpack LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	maps text[];
BEGIN
	SELECT array_agg(n::text) INTO maps FROM generate_series(first_leaf, first_leaf + (1 << deep) - 1) AS n;
	FOR level IN 1 .. deep LOOP
		SELECT array_agg(CASE WHEN swap THEN format('{%s: 1, %s: 0}', maps[2 * i + 2], maps[2 * i + 1])
						 ELSE format('{%s: 0, %s: 1}', maps[2 * i + 1], maps[2 * i + 2]) END ORDER BY i)
		  INTO maps FROM generate_series(0, (1 << (deep - level)) - 1) AS i;
	END LOOP;
	RETURN maps[1]::msgpack;
END $$;
SELECT msgpack_size(a) AS size, a = b AS eq, a = c AS not_eq, msgpack_cmp(a, c), msgpack_hash(a) = msgpack_hash(b) AS hash,
	   msgpack_canonical(a)::bytea = msgpack_canonical(b)::bytea AS canonical
  FROM (SELECT compare_deep(12, 0, false) AS a, compare_deep(12, 0, true) AS b, compare_deep(12, 1, true) AS c) AS t;
DROP FUNCTION compare_deep(int, int, bool);

-- hashes are on disk: doc/format.md has these vectors
SELECT doc, to_hex(msgpack_hash_extended(doc::msgpack, 0)) AS hash, to_hex(msgpack_hash(doc::msgpack)) AS folded,
	   to_hex(msgpack_hash_extended(doc::msgpack, 1)) AS seeded
  FROM unnest(ARRAY['null', '1', '"a"', '[]', '[1]', '[1, 2]', '[2, 1]', '[[]]', '{}', '{"a": 1}', '{"a": 1, "b": [true, null]}',
					'{"b": [true, null], "a": 1.0}', '{1: {}}', '{{}: 1}']) AS doc;

-- min, max, greatest, least
SELECT min(m), max(m), greatest('1'::msgpack, '[]', '"a"'), least('1'::msgpack, '[]', '"a"') FROM compare_rung;
SELECT min(m), max(m) FROM compare_rung WHERE false;
SELECT min(m) AS min, max(m) AS max FROM (VALUES (NULL::msgpack), ('2'), ('1.5'), (NULL)) AS t (m);
-- NULL is not nil
SELECT NULL::msgpack = 'null' AS eq, NULL::msgpack IS DISTINCT FROM 'null' AS is_distinct, NULL::msgpack < 'null' AS lt;

-- a sort agrees with the comparison, with equal values in the order of their tie-break
SELECT bool_and(lag IS NULL OR lag <= m) AS ascending, count(*)
  FROM (SELECT m, lag(m) OVER (ORDER BY m) FROM compare_rung) AS t;
SELECT bool_and(rung >= lag) FILTER (WHERE lag IS NOT NULL) AS same_order
  FROM (SELECT rung, lag(rung) OVER (ORDER BY m, rung) FROM compare_rung) AS t;
DROP TABLE compare_rung;
