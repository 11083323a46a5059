--
-- jsonpath and the GIN classes: every condition with the index and without; calls that use an index
--

CREATE TABLE documents (id int PRIMARY KEY, doc msgpack);
INSERT INTO documents SELECT i, jsonb_build_object('n', i % 37, 'name', 'name' || i % 101, 'flag', i % 3 = 0,
	'tags', jsonb_build_array('t' || i % 7, 't' || i % 11, i % 5), 'none', CASE WHEN i % 50 = 0 THEN NULL ELSE 1 END,
	'sub', jsonb_build_object('k' || i % 13, i % 3, 'list', jsonb_build_array(jsonb_build_object('x', i % 17))))
FROM generate_series(1, 2000) i;
INSERT INTO documents SELECT 10000 + i, d::msgpack FROM unnest(ARRAY[
	'1', '"t1"', '["t1", 5]', '[]', '{}', 'null', '{5: "five"}', '{h''6e'': 5}', '{"n": 5.0}', '[{"n": 5}]', '[[{"n": 5}]]',
	'{"n": 5_u64}', '{"n": 5.5_f32}', '{"n": 0.1_f32}', '{"n": 0.1}', '{"n": NaN}', '{"b": h''00ff''}', '{"n": [5, "t1"]}', '{"n": {"n": 5}}',
	'{_dup "n": 5, "n": 6}', '{"s": str''ff''}', '{7: {8: {h''39'': "deep"}}}', '{"n": "5"}', '{"n": 18446744073709551615}', '{"a": 2, "b": 2}', '{"a": 1, "b": 3}'
]) WITH ORDINALITY u(d, i);

CREATE FUNCTION matches(condition text) RETURNS TABLE (rows bigint, ids text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format(
		'SELECT count(*), coalesce(md5(string_agg(id::text, '','' ORDER BY id)), '''') FROM documents WHERE %s', condition);
END $$;

CREATE FUNCTION uses_index(condition text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result boolean := false;
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) SELECT id FROM documents WHERE %s', condition) LOOP
		result := result OR line LIKE '%Index Cond: %';
	END LOOP;
	RETURN result;
END $$;

CREATE TABLE conditions (id serial, condition text, scanned bigint, scanned_ids text);
INSERT INTO conditions (condition) SELECT * FROM unnest(ARRAY[
	$$doc @? '$.n ? (@ == 5)'$$, $$doc @? '$ ? (@.n == 5)'$$, $$doc @? '$.n ? (5 == @)'$$, $$doc @? 'strict $.n ? (@ == 5)'$$, $$doc @? '$.n ? (@ == 5.0)'$$,
	$$doc @? '$.n ? (@ == 0.1)'$$, $$doc @? '$.n ? (@ == 0.10000000000000000000001)'$$, $$doc @? '$.n ? (@ == 18446744073709551615)'$$, $$doc @? '$.n ? (@ == 99)'$$,
	$$doc @? '$.n ? (@ > 35)'$$, $$doc @? '$.n ? (@ == 5 || @ == 6)'$$, $$doc @? '$ ? (@.n == 5 && @.name == "name5")'$$, $$doc @? '$ ? (@.n == 5 && @.name > "name5")'$$,
	$$doc @? '$ ? (@.n == 5 || @.name > "name5")'$$, $$doc @? '$ ? (!(@.n == 5))'$$, $$doc @? '$ ? (!(!(@.n == 5)))'$$, $$doc @? '$ ? (!(!(@.n == 5) || !(@.name == "name5")))'$$,
	$$doc @? '$ ? (!(@.a == 1 && !(@.b == 2)))'$$, $$doc @? '$ ? (!(!(@.a == 1) && !(@.b == 2)))'$$,
	$$doc @? '$.tags ? (@ == "t1")'$$, $$doc @? '$.tags[*] ? (@ == "t1")'$$, $$doc @? 'strict $.tags[*] ? (@ == "t1")'$$, $$doc @? '$.tags[0 to 1] ? (@ == "t6")'$$, $$doc @? '$.tags[2] ? (@ == 4)'$$,
	$$doc @? '$.sub.list.x ? (@ == 16)'$$, $$doc @? '$.sub.list[*] ? (@.x == 16)'$$, $$doc @? '$.sub ? (exists (@.list ? (@.x == 3)))'$$, $$doc @? '$.sub ? ($.n == 5)'$$,
	$$doc @? '$.** ? (@ == 16)'$$, $$doc @? '$.**.x ? (@ == 16)'$$, $$doc @? '$.* ? (@ == "name7")'$$, $$doc @? '$.*.*.x ? (@ == 3)'$$, $$doc @? '$.sub.*[*].x ? (@ == 3)'$$,
	$$doc @? '$.none ? (@ == null)'$$, $$doc @? '$.flag ? (@ == true)'$$, $$doc @? '$.flag ? (@ == false)'$$, $$doc @? '$'$$, $$doc @? '$.n'$$, $$doc @? '$.nothing'$$, $$doc @? '1'$$,
	$$doc @? '$.n.abs() ? (@ == 5)'$$, $$doc @? '$.n ? (@ == 5).abs()'$$, $$doc @? '$.n.size() ? (@ == 2)'$$, $$doc @? '$.n ? (@ + 1 == 6)'$$, $$doc @? '$ ? (@.n == @.n)'$$,
	$$doc @? '$."5" ? (@ == "five")'$$, $$doc @? '$."7"."8"."9" ? (@ == "deep")'$$, $$doc @? '$.n.n ? (@ == 5)'$$, $$doc @? '$ ? (@ == "t1")'$$, $$doc @? 'strict $ ? (@ == "t1")'$$, $$doc @? '$ ? (@ == null)'$$,
	$$doc @? '$."1"."2"."3"."4"."5"."6" ? (@ == 1)'$$, $$doc @? '$.name ? (@ starts with "name10")'$$, $$doc @? '$.name ? (@ like_regex "7$")'$$,
	$$doc @@ '$.n == 5'$$, $$doc @@ '5 == $.n'$$, $$doc @@ 'strict $.n == 5'$$, $$doc @@ '$.n == 5 && $.name == "name5"'$$, $$doc @@ '$.n == 5 || $.sub.list.x == 3'$$, $$doc @@ '!($.n == 5)'$$,
	$$doc @@ '($.n == 5) is unknown'$$, $$doc @@ 'exists($.n ? (@ == 5))'$$, $$doc @@ 'exists($.n)'$$, $$doc @@ '$.n != 5'$$, $$doc @@ '$.flag'$$, $$doc @@ '($.n == 5).type() == "boolean"'$$, $$doc @@ '$.** == 16'$$, $$doc @@ '$ == 1'$$, $$doc @@ '$.tags[*] == "t3"'$$,
	$$NOT doc @@ '$.n == 5'$$, $$doc @@ '$.n == 5' AND doc @? '$.name ? (@ == "name5")'$$, $$doc @@ '$.n == 5' OR doc @? '$.name ? (@ == "name5")'$$,
	$$msgpack_path_exists(doc, '$.n ? (@ == 5)')$$, $$msgpack_path_exists(doc, 'strict $.n ? (@ == 5)', silent => true)$$, $$msgpack_path_exists(doc, '$.n ? (@ == $x)', '{"x": 5}')$$, $$msgpack_path_match(doc, '$.n == 5')$$, $$msgpack_path_match(doc, '$.n == $x', '{"x": 5}')$$,
	$$msgpack_path_exists_opr(doc, '$.n ? (@ == 5)')$$, $$msgpack_path_match_opr(doc, '$.n == 5')$$, $$msgpack_contains(doc, '{"n": 5}')$$, $$msgpack_contains('{"n": 5, "x": 1}', doc)$$,
	$$msgpack_path_exists_tz(doc, '$.n ? (@ == 5)')$$, $$msgpack_contains(doc, doc)$$
]);
UPDATE conditions SET (scanned, scanned_ids) = (SELECT m.rows, m.ids FROM matches(condition) m);

CREATE INDEX documents_doc ON documents USING gin (doc);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM documents WHERE doc @? '$.n ? (@ == 5)';
EXPLAIN (COSTS OFF) SELECT * FROM documents WHERE msgpack_path_match(doc, '$.n == 5');
SELECT condition, scanned, uses_index(condition) AS index FROM conditions ORDER BY id;
SELECT condition, scanned, m.rows FROM conditions, matches(condition) m
WHERE m.rows <> scanned OR m.ids <> scanned_ids;

DROP INDEX documents_doc;
CREATE INDEX documents_path ON documents USING gin (doc msgpack_path_ops);
EXPLAIN (COSTS OFF) SELECT * FROM documents WHERE doc @? '$.n ? (@ == 5)';
SELECT condition, scanned, m.rows FROM conditions, matches(condition) m
WHERE m.rows <> scanned OR m.ids <> scanned_ids;
-- ? is none of this class's operators
SELECT uses_index($$msgpack_exists(doc, 'n')$$), uses_index($$msgpack_contains(doc, '{"n": 5}')$$);

-- how far an index narrows down what must be looked at: rows that it finds, and those that match
CREATE FUNCTION narrowed(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
	node json;
BEGIN
	EXECUTE format('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF, FORMAT JSON) SELECT id FROM documents WHERE %s', condition) INTO plan;
	node := plan->0->'Plan';
	RETURN round((node->'Plans'->0->>'Actual Rows')::numeric) || ' to ' || round((node->>'Actual Rows')::numeric);
END $$;
SELECT c, narrowed(c) FROM unnest(ARRAY[$$doc @? '$.sub.list.x ? (@ == 16)'$$, $$doc @? '$ ? (@.n == 5 && @.name == "name5")'$$, $$doc @? '$.n ? (@ > 35)'$$, $$doc @@ '$.sub.list[*].x == 3 || $.name == "name7"'$$]) c;

-- the operator is found by its place in the index's family, wherever the extension lies
CREATE SCHEMA elsewhere;
CREATE OPERATOR elsewhere.@? (LEFTARG = msgpack, RIGHTARG = jsonpath, FUNCTION = msgpack_path_match_opr);
SET search_path = elsewhere, public;
SELECT uses_index($$msgpack_path_exists(doc, '$.n ? (@ == 5)')$$), m.rows FROM matches($$msgpack_path_exists(doc, '$.n ? (@ == 5)')$$) m;
RESET search_path;

-- joined, and prepared
EXPLAIN (COSTS OFF) SELECT d.id FROM (VALUES (msgpack '{"n": 5}'), ('{"n": 7}')) v (c), documents d WHERE msgpack_contains(d.doc, v.c);
SELECT count(*) FROM (VALUES (msgpack '{"n": 5}'), ('{"n": 7}')) v (c), documents d WHERE msgpack_contains(d.doc, v.c);
SET plan_cache_mode = force_generic_plan;
PREPARE by_path(jsonpath) AS SELECT count(*) FROM documents WHERE doc @? $1;
EXPLAIN (COSTS OFF) EXECUTE by_path('$.n ? (@ == 5)');
EXECUTE by_path('$.n ? (@ == 5)');
-- (a condition that no index answers)
RESET enable_seqscan;
PREPARE by_call(jsonpath) AS SELECT count(*) FROM documents WHERE msgpack_path_exists(doc, $1, '{"x": 5}');
SET enable_seqscan = on;  -- a plan shows from 18 on what is off and used all the same
EXPLAIN (COSTS OFF) EXECUTE by_call('$.n ? (@ == $x)');
EXECUTE by_call('$.n ? (@ == $x)');

RESET plan_cache_mode;
DROP SCHEMA elsewhere CASCADE;
DROP TABLE documents, conditions;
DROP FUNCTION matches, uses_index, narrowed;
