--
-- Containment and existence, beside jsonb's
--

CREATE TABLE documents (id int, doc jsonb);
INSERT INTO documents SELECT row_number() OVER (), d::jsonb FROM unnest(ARRAY[
	'null', 'true', '1', '1.0', '1.5', '"a"', '"b"', '[]', '{}',
	'[1]', '[1, 2]', '[2, 1, 1]', '["a"]', '["a", "b", 1]', '[null]', '[true, false]',
	'[[]]', '[[1]]', '[[1, 2], [3]]', '[[1], [2], [3]]', '[{}]', '[{"a": 1}]',
	'[{"a": 1, "b": 2}, {"a": 2}]', '[{"a": [1, 2]}]', '[[[1]]]', '[1, [1]]',
	'{"a": 1}', '{"a": 2}', '{"a": null}', '{"a": "a"}', '{"a": []}', '{"a": {}}', '{"a": [1]}',
	'{"a": [1, 2]}', '{"a": {"b": 1}}', '{"a": {"b": 1, "c": 2}}', '{"a": 1, "b": 2}',
	'{"b": {"a": 1}}', '{"a": [{"b": 1}, {"c": [1, 2]}]}', '{"a": [{"c": [2]}]}', '{"": 1}'
]) d;

-- every pair, both ways: nothing differs
SELECT count(*) AS pairs, count(*) FILTER (WHERE a.doc @> b.doc) AS contains
FROM documents a, documents b;
SELECT a.doc, b.doc, a.doc @> b.doc AS jsonb, a.doc::msgpack @> b.doc::msgpack AS msgpack
FROM documents a, documents b
WHERE (a.doc @> b.doc) <> (a.doc::msgpack @> b.doc::msgpack)
   OR (a.doc <@ b.doc) <> (a.doc::msgpack <@ b.doc::msgpack);

SELECT doc, k FROM documents, unnest(ARRAY['a', 'b', '', '1', 'null']) k
WHERE (doc ? k) <> (doc::msgpack ? k);
SELECT doc, k FROM documents, (VALUES (ARRAY['a', 'b']), ('{}'), (ARRAY['x', 'b']),
	(ARRAY[NULL, 'a']), (ARRAY[NULL]::text[]), (ARRAY['a', 'a'])) v(k)
WHERE (doc ?| k) <> (doc::msgpack ?| k) OR (doc ?& k) <> (doc::msgpack ?& k);
SELECT count(*) FILTER (WHERE doc ? 'a') AS has_a, count(*) FILTER (WHERE doc ?& '{a,b}') AS has_both,
	count(*) FILTER (WHERE doc ?| '{a,b}') AS has_any FROM documents;
SELECT count(*) FILTER (WHERE doc::msgpack ? 'a') AS has_a,
	count(*) FILTER (WHERE doc::msgpack ?& '{a,b}') AS has_both,
	count(*) FILTER (WHERE doc::msgpack ?| '{a,b}') AS has_any FROM documents;

-- a NULL anywhere is NULL
SELECT '1'::msgpack @> NULL AS contains, NULL::msgpack ? 'a' AS exists, '1'::msgpack ?| NULL AS any;

--
-- What JSON has not
--

SELECT a::msgpack @> b::msgpack AS contains, a, b FROM (VALUES
	('{"a": 1}', '{"a": 1.0}'), ('{"a": 1_u64}', '{"a": 1}'), ('{"a": 1.5_f32}', '{"a": 1.5}'),
	('[18446744073709551615]', '18446744073709551615'),
	('[9007199254740993]', '9007199254740992.0'),
	('[NaN_f32]', 'NaN'), ('[-0.0]', '0'),
	('{1: "x"}', '{1: "x"}'), ('{1: "x"}', '{1.0: "x"}'), ('{1: "x"}', '{"1": "x"}'),
	('{h''61'': 1}', '{h''61'': 1}'), ('{h''61'': 1}', '{"a": 1}'),
	('{[1]: 1, {"a": 2}: 3}', '{{"a": 2}: 3}'), ('{null: 1}', '{null: 1}'),
	('[h''00'']', 'h''00'''), ('[ext(5, h''00'')]', '[ext(5, h''00'')]'),
	('[ext(5, h''00'')]', '[ext(6, h''00'')]'),
	('[DT''2026-11-30T00:00:00Z'']', '[DT''2026-11-30T01:00:00+01:00''_96]')
) v(a, b);

-- the key rule: a bin key and an integer key answer to text, elements do not
SELECT '{"a": 1}'::msgpack ? 'a' AS str, '{h''61'': 1}'::msgpack ? 'a' AS bin, '{5: 1}'::msgpack ? '5' AS integer,
	'{5.0: 1}'::msgpack ? '5' AS float, '{5: 1}'::msgpack ? '05' AS padded,
	'[5]'::msgpack ? '5' AS element, '[h''61'']'::msgpack ? 'a' AS bin_element, '"a"'::msgpack ? 'a' AS scalar;

-- of repeated keys the last counts, on both sides
SELECT '{_dup "a": 1, "a": 2}'::msgpack @> '{"a": 1}' AS first, '{_dup "a": 1, "a": 2}'::msgpack @> '{"a": 2}' AS last,
	'{"a": 2}'::msgpack @> '{_dup "a": 1, "a": 2}' AS wanted_last,
	'{"b": {_dup 1: 1, 1.0: 2}}'::msgpack @> '{"b": {1: 2}}' AS nested,
	'{_dup "a": 1, "a": 2}'::msgpack ? 'a' AS exists;
-- bytes that are not UTF-8 are compared as they are
SELECT '["a", str''ff'']'::msgpack @> '[str''ff'']' AS same, '[str''ff'']'::msgpack @> '[str''fe'']' AS other,
	'[str''ff'']'::msgpack @> '[h''ff'']' AS bin;

-- an array of many elements, both ways about: n log n, not n times n
SELECT a @> b AS contains, b @> a AS contained, a @> c AS one_more
FROM (SELECT jsonb_agg(i)::msgpack AS a FROM generate_series(1, 100000) i) x,
	(SELECT jsonb_agg(i * 2)::msgpack AS b FROM generate_series(1, 50000) i) y,
	(SELECT jsonb_agg(i * 2)::msgpack AS c FROM generate_series(1, 50001) i) z;
-- a map of many keys, plain inside an array and by itself
SELECT a @> a AS map, ('[' || msgpack_text(a) || ']')::msgpack @> ('[' || msgpack_text(a) || ']')::msgpack AS inside
FROM (SELECT jsonb_object_agg('key' || i, i)::msgpack AS a FROM generate_series(1, 20000) i) x;

-- containers in an array, wanted in its order, from its middle on, the other way around, and twice
CREATE TEMPORARY TABLE orders AS SELECT size, key, jsonb_agg(element ORDER BY i) AS j
	FROM generate_series(1, 7) i, (VALUES (0), (20), (3000)) sizes(size), (VALUES ('a'), ('b')) keys(key),
		LATERAL (SELECT CASE WHEN i = 4 AND size = 3000 THEN '[[], [4, [4]]]'
			WHEN i % 2 = 0 THEN jsonb_build_object(key, i, 't', repeat('x', size))
			ELSE jsonb_build_array(i, repeat(key, size)) END AS element) elements
	GROUP BY size, key;
SELECT count(*), count(*) FILTER (WHERE j @> wanted) AS contained,
	count(*) FILTER (WHERE (j @> wanted) <> (j::msgpack @> wanted::msgpack)) AS differ
FROM orders, LATERAL (SELECT jsonb_agg(CASE WHEN i = k THEN j->i WHEN i % 2 = 0 THEN '[]' ELSE '{}'::jsonb END
		ORDER BY CASE way WHEN 0 THEN i WHEN 1 THEN -i WHEN 2 THEN (i + k) % 7 ELSE i / 2 END)
		|| CASE WHEN way > 2 THEN '[{"b": 2}, [1]]'::jsonb ELSE '[]'::jsonb END AS wanted
	FROM generate_series(0, 6) i, generate_series(0, 6) k, generate_series(0, 3) way GROUP BY k, way) w;
SELECT count(*), count(*) FILTER (WHERE j @> wanted) AS contained,
	count(*) FILTER (WHERE (j @> wanted) <> (j::msgpack @> wanted::msgpack)) AS differ
FROM orders, LATERAL (SELECT jsonb_build_array(j->a, j->b, j->c, j->a) AS wanted
	FROM generate_series(0, 6) a, generate_series(0, 6) b, generate_series(0, 7) c) w;
DROP TABLE orders;
-- so many that each against each would take longer
SET statement_timeout = '20s';
SELECT a @> a AS contains FROM (SELECT msgpack_agg(msgpack_build_object('id', i)) AS a
	FROM generate_series(1, 30000) i) x;
RESET statement_timeout;

-- as deep as documents go
SELECT d @> d AS same, d @> e AS other FROM (SELECT
	(repeat('[', 1024) || repeat(']', 1024))::msgpack AS d,
	(repeat('[', 1023) || '1' || repeat(']', 1023))::msgpack AS e) x;
SELECT d @> d AS same FROM (SELECT
	(repeat('{"a":', 1024) || '{}' || repeat('}', 1024))::msgpack AS d) x;
SELECT d @> d AS same FROM (SELECT
	(repeat('{"a":', 1023) || '{}' || repeat('}', 1023))::msgpack AS d) x;

DROP TABLE documents;

-- a condition on another column is looked at first
CREATE TABLE costs (doc msgpack, id int);
EXPLAIN (COSTS OFF) SELECT FROM costs WHERE doc @> '{"a": 1}' AND doc ? 'a' AND id = 5;
DROP TABLE costs;
