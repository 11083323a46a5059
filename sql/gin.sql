--
-- The GIN classes: every operator with the index and without
--

SELECT opcname, amvalidate(oid) FROM pg_opclass
WHERE opcname LIKE 'msgpack%' AND opcmethod = (SELECT oid FROM pg_am WHERE amname = 'gin') ORDER BY 1;

CREATE TABLE documents (id int PRIMARY KEY, doc msgpack);
INSERT INTO documents SELECT i, jsonb_build_object('n', i % 37, 'name', 'name' || i % 101,
	'tags', jsonb_build_array('t' || i % 7, 't' || i % 11, i % 5),
	'sub', jsonb_build_object('k' || i % 13, i % 3, 'list', jsonb_build_array(jsonb_build_object('x', i % 17))))
FROM generate_series(1, 3000) i;
INSERT INTO documents SELECT 10000 + i, d::msgpack FROM unnest(ARRAY[
	'1', '"t1"', '["t1", 5]', '[]', '{}', 'null', '{5: "five"}', '{h''6e'': 1}', '{"n": 5.0}',
	'{"n": 5_u64}', '{"n": 5.5_f32}', '{"n": NaN}', '{"b": h''00ff''}', '{"e": ext(5, h''00'')}',
	'{"at": DT''2026-11-30T00:00:00Z''}', '{"at": DT''2026-11-30T00:00:00Z''_96}',
	'{_dup "n": 5, "n": 6}', '{"s": str''ff''}', '{[1]: {"deep": [[["t1"]]]}}'
]) WITH ORDINALITY u(d, i);

CREATE FUNCTION matches(condition text) RETURNS TABLE (rows bigint, ids text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format(
		'SELECT count(*), coalesce(md5(string_agg(id::text, '','' ORDER BY id)), '''') FROM documents WHERE %s', condition);
END $$;

CREATE TABLE conditions (id serial, condition text, scanned bigint, scanned_ids text);
INSERT INTO conditions (condition) SELECT * FROM unnest(ARRAY[
	$$doc @> '{"n": 5}'$$, $$doc @> '{"n": 5.0}'$$, $$doc @> '{"n": 6}'$$, $$doc @> '{"n": 99}'$$,
	$$doc @> '{"n": 5.5}'$$, $$doc @> '{"n": NaN_f32}'$$,
	$$doc @> '{"tags": ["t1"]}'$$, $$doc @> '{"tags": ["t1", "t3", 2]}'$$, $$doc @> '{"tags": [9]}'$$,
	$$doc @> '{"tags": []}'$$, $$doc @> '{"sub": {"list": [{"x": 16}]}}'$$, $$doc @> '{"sub": {}}'$$,
	$$doc @> '{"n": 5, "name": "name5"}'$$, $$doc @> '{}'$$, $$doc @> '[]'$$, $$doc @> '"t1"'$$, $$doc @> '["t1"]'$$,
	$$doc @> '1'$$, $$doc @> 'null'$$, $$doc @> '{"b": h`00ff`}'$$, $$doc @> '{"e": ext(5, h`00`)}'$$,
	$$doc @> '{"at": DT`2026-11-30T00:00:00Z`}'$$, $$doc @> '{5: "five"}'$$, $$doc @> '{5.0: "five"}'$$,
	$$doc @> '{_dup "n": 6, "n": 5}'$$, $$doc @> '{"s": str`ff`}'$$, $$doc @> '{[1]: {}}'$$, $$doc @> '{[1]: {"deep": []}}'$$,
	$$doc ? 'n'$$, $$doc ? 't1'$$, $$doc ? 'nothing'$$, $$doc ? ''$$, $$doc ? '5'$$, $$doc ? 'k3'$$,
	$$doc ?| '{n,t1,5}'$$, $$doc ?| '{}'$$, $$doc ?| '{NULL,t1}'$$, $$doc ?| '{nothing,none}'$$,
	$$doc ?& '{n,name}'$$, $$doc ?& '{n,nothing}'$$, $$doc ?& '{}'$$, $$doc ?& '{NULL}'$$, $$doc ?& '{n,n,NULL}'$$,
	$$doc @> '{"n": 5}' AND doc ? 'name'$$, $$doc @> '{"n": 5}' OR doc ? 't1'$$, $$NOT doc ? 'n'$$,
	$$doc <@ '{"n": 5, "x": 1}'$$
]);
UPDATE conditions SET (scanned, scanned_ids) = (SELECT m.rows, m.ids FROM matches(condition) m);
SELECT condition, scanned FROM conditions ORDER BY id;

SET enable_seqscan = off;
CREATE INDEX documents_doc ON documents USING gin (doc);
EXPLAIN (COSTS OFF) SELECT * FROM documents WHERE doc @> '{"n": 5}';
EXPLAIN (COSTS OFF) SELECT * FROM documents WHERE doc ?& '{n,name}';
SELECT condition, scanned, m.rows FROM conditions, matches(condition) m
WHERE m.rows <> scanned OR m.ids <> scanned_ids;

-- rows that come and go while the index is there
DELETE FROM documents WHERE id % 3 = 0;
UPDATE documents SET doc = msgpack_set(doc, '{n}', '5') WHERE id % 5 = 0 AND doc ? 'name';
VACUUM documents;
SET enable_bitmapscan = off;
SET enable_seqscan = on;
UPDATE conditions SET (scanned, scanned_ids) = (SELECT m.rows, m.ids FROM matches(condition) m);
SET enable_bitmapscan = on;
SET enable_seqscan = off;
SELECT condition, scanned, m.rows FROM conditions, matches(condition) m
WHERE m.rows <> scanned OR m.ids <> scanned_ids;

DROP INDEX documents_doc;
CREATE INDEX documents_path ON documents USING gin (doc msgpack_path_ops);
EXPLAIN (COSTS OFF) SELECT * FROM documents WHERE doc @> '{"n": 5}';
SELECT condition, scanned, m.rows FROM conditions, matches(condition) m
WHERE m.rows <> scanned OR m.ids <> scanned_ids;

DROP TABLE documents, conditions;
DROP FUNCTION matches;
RESET enable_seqscan;
