--
-- Folding: what the planner makes of chains of steps gives what the chains
-- give.  An OFFSET 0 between two steps keeps them apart.
--
CREATE TEMP TABLE fold_doc (id int, m msgpack);
INSERT INTO fold_doc VALUES
	(1, '{"a": {"b": [1, 2.5, {"c": "x"}], "n": 7, "t": true, "at": DT`2026-11-30T17:13:31.5Z`}, "g": 1}'),
	(2, '{"a": {"b": [], "n": null, "t": false}, "g": 1}'),
	(3, '{"a": {"b": "scalar", "n": 1e10, "0": "zero", 0: "number"}, "g": 2}'),
	(4, '{"a": [10, [20, 30], {"b": 40}], "g": 2}'),
	(5, '{"a": 5, "g": null}'),
	(6, '{"g": "3"}'),
	(7, '[{"a": 1}, {"b": 2}]'),
	(8, '"scalar"'),
	(9, NULL),
	(10, '{_dup "a": {"n": 1}, "a": {"n": 2, "b": [3]}, "g": 3}');

-- what becomes of a chain
EXPLAIN (VERBOSE, COSTS OFF)
SELECT m->'a'->'b', m->'a'->'b'->0, m->'a'->'b'->>-1, m#>'{a}'->'b'#>>'{2,c}', (m->'a'->'n')::int,
	   (m#>'{a,n}')::numeric, (m->0->'a')::int8, (m->'a'->'t')::bool, (m->'a'->'at')::timestamptz,
	   (m->'a'->'n')::int2, (m->'a'->'n')::float4, (m->'a'->'n')::float8,
	   msgpack_array_element(msgpack_object_field(m, 'a'), 1)
  FROM fold_doc;

-- and what is left alone: one step, steps that are no constants, paths with a NULL
EXPLAIN (VERBOSE, COSTS OFF)
SELECT m->'a', m->>'a', m#>'{a,b}', m->'a'->id, m->id::text->'b', m->'a'#>'{b,NULL}', m::text, (m->id)::int
  FROM fold_doc;

-- the same results and NULLs
SELECT id, m->'a'->'b' AS folded, x->'b' AS apart
  FROM (SELECT id, m, m->'a' AS x FROM fold_doc OFFSET 0) d
 WHERE (m->'a'->'b')::text IS DISTINCT FROM (x->'b')::text;
SELECT id, s, p, folded, apart
  FROM (SELECT id, m, m->'a' AS x FROM fold_doc OFFSET 0) d,
	   LATERAL (VALUES ('0', '{0}', m->'a'->0->>0, x->0->>0),
					   ('text 0', '{}', m->'a'->'0'->>0, (SELECT y->>0 FROM (SELECT x->'0' AS y OFFSET 0) _)),
					   ('path', '{b,2}', m->'a'#>'{b,2}'->>'c', (SELECT y->>'c' FROM (SELECT x#>'{b,2}' AS y OFFSET 0) _)),
					   ('empty', '{}', m#>'{}'->'a'#>>'{}', x#>>'{}'),
					   ('scalar', '{}', m->'g'->0->>-1, (SELECT y->>-1 FROM (SELECT m->'g' AS y OFFSET 0) _)),
					   ('path in scalar', '{0}', m->'g'#>>'{0}', (SELECT y#>>'{0}' FROM (SELECT m->'g' AS y OFFSET 0) _)),
					   ('deep', '{1,0}', m->'a'->1->>0, (SELECT z->>0 FROM (SELECT x->1 AS z OFFSET 0) _)))
	   AS v (s, p, folded, apart)
 WHERE folded IS DISTINCT FROM apart;
SELECT id, m->'a'->'n', (m->'a'->'n')::numeric, m->'a'->'b'->2->>'c', m->'a'->0, m->'a'->'0',
	   m->'a'#>'{0}', m->'g'->0
  FROM fold_doc ORDER BY id;

-- the same errors
SELECT (m->'a'->'n')::int FROM fold_doc WHERE id = 3;
SELECT x::int FROM (SELECT m->'a'->'n' AS x FROM fold_doc WHERE id = 3 OFFSET 0) _;
SELECT (m->'a'->'b')::int FROM fold_doc WHERE id = 1;
SELECT x::int FROM (SELECT m->'a'->'b' AS x FROM fold_doc WHERE id = 1 OFFSET 0) _;
SELECT (m->'a'->'t')::timestamptz FROM fold_doc WHERE id = 1;
SELECT x::timestamptz FROM (SELECT m->'a'->'t' AS x FROM fold_doc WHERE id = 1 OFFSET 0) _;

-- grouping: by a chain, by a part of a chain, with grouping sets
SELECT m->'a'->'n', count(*) FROM fold_doc GROUP BY m->'a'->'n' ORDER BY 1;
SELECT (m->'g')::text, (m->'g')::text || '!', count(*) FROM fold_doc
 WHERE m->'g' IS NOT NULL GROUP BY m->'g' HAVING m->'g' <> 'null' ORDER BY m->'g';
SELECT m->'a'->'n' AS n, (m->'a'->'n')::numeric AS cast, count(*) FROM fold_doc
 WHERE id IN (1, 2, 10) GROUP BY ROLLUP (m->'a'->'n') ORDER BY 1, 3;
SELECT m->'a' AS a, m->'a'->'n' AS n, m->'a'->>'n' AS "text", count(*) FROM fold_doc
 WHERE id IN (1, 2, 10) GROUP BY CUBE (m->'a') ORDER BY count(*), 1;
SELECT (m->'a'->'n')::int AS n, grouping(m->'a'->'n'), count(*) FROM fold_doc
 WHERE id IN (1, 2, 10) GROUP BY GROUPING SETS ((m->'a'->'n'), ()) ORDER BY 2, 1;
-- grouping sets of columns alone do not keep an expression's index from being used
CREATE INDEX fold_grouped ON fold_doc (((m->'a'->'n')::numeric)) WHERE id IN (1, 2);
SET enable_seqscan = off;
SET enable_hashagg = off;
EXPLAIN (COSTS OFF) SELECT id, count(*) FROM fold_doc
 WHERE id IN (1, 2) AND (m->'a'->'n')::numeric = 7 GROUP BY ROLLUP (id);
RESET enable_hashagg;
RESET enable_seqscan;
DROP INDEX fold_grouped;
SELECT id, m->'a'->>'n' AS "text", count(*) FROM fold_doc
 WHERE id IN (1, 2) GROUP BY CUBE (id, m) ORDER BY 3, 1, 2;
SELECT x->'n' AS n, count(*) FROM
 ((SELECT m->'a' AS x FROM fold_doc WHERE id IN (1, 2)) f CROSS JOIN (VALUES (1)) v) AS j
 GROUP BY ROLLUP (x) ORDER BY 2, 1;
SELECT max((m->'a'->'n')::int) FROM fold_doc WHERE id IN (1, 2, 10)
HAVING max((m->'a'->'n')::int) > 6;

-- outer joins: the chain over the missing side is NULL
SELECT f.id, o.id, o.m->'a'->>'n' AS "text", (o.m->'a'->'n')::int AS n
  FROM fold_doc f LEFT JOIN fold_doc o ON (o.m->'a'->'n')::int8 = f.id
 WHERE f.id IN (2, 7, 8) AND (o.id IS NULL OR o.id <> 3) ORDER BY 1;
SELECT f.id, x.n FROM fold_doc f
  LEFT JOIN (SELECT id, (m->'a'->'n')::numeric AS n FROM fold_doc WHERE id = 10) x ON x.id = f.id
 WHERE f.id > 8 ORDER BY 1;

-- an index on a chain serves the chain
CREATE TABLE fold_index (m msgpack);
INSERT INTO fold_index SELECT format('{"a": {"n": %s}}', i)::msgpack FROM generate_series(1, 2000) i;
CREATE INDEX fold_index_n ON fold_index (((m->'a'->'n')::int));
CREATE INDEX fold_index_getter ON fold_index (msgpack_int8(m, 'a', 'n'));
ANALYZE fold_index;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT m FROM fold_index WHERE (m->'a'->'n')::int = 77;
SELECT m FROM fold_index WHERE (m->'a'->'n')::int = 77;
EXPLAIN (COSTS OFF) SELECT m FROM fold_index WHERE msgpack_int8(m, 'a', 'n') = 78;
SELECT m FROM fold_index WHERE msgpack_int8(m, 'a', 'n') = 78;
RESET enable_seqscan;
DROP TABLE fold_index;

-- prepared statements, with parameters where constants would be
PREPARE fold_plan(text, int) AS SELECT m->$1->>'n', m->'a'->$2 FROM fold_doc WHERE id IN (1, 4) ORDER BY id;
SET plan_cache_mode = force_generic_plan;
EXECUTE fold_plan('a', 1);
EXECUTE fold_plan('g', 0);
SET plan_cache_mode = force_custom_plan;
EXECUTE fold_plan('a', 1);
EXECUTE fold_plan('g', 0);
RESET plan_cache_mode;

-- a function's variables are parameters too, and change from call to call
DO $$
DECLARE
	doc msgpack := '{"a": 1, "b": 2, "c": [3, 4]}';
	k text;
	i int;
	result text := '';
BEGIN
	FOREACH k IN ARRAY ARRAY['a', 'b', 'missing', 'c'] LOOP
		result := result || coalesce(doc->>k, 'NULL') || ' ' || coalesce(doc#>>ARRAY[k], 'NULL') || ' ';
	END LOOP;
	FOR i IN -1 .. 2 LOOP
		result := result || coalesce(doc->'c'->>i, 'NULL') || ' ';
	END LOOP;
	RAISE NOTICE '%', result;
END $$;

-- functions of the same name elsewhere are nobody's business, in front of the search path or not
CREATE SCHEMA fold_hostile;
CREATE FUNCTION fold_hostile.msgpack_follow(msgpack, msgpack) RETURNS msgpack
	LANGUAGE sql IMMUTABLE AS $$ SELECT '"hostile"'::public.msgpack $$;
CREATE FUNCTION fold_hostile.msgpack_follow_int4(msgpack, msgpack) RETURNS int4
	LANGUAGE sql IMMUTABLE AS $$ SELECT 666 $$;
CREATE FUNCTION fold_hostile.msgpack_object_field(msgpack, text) RETURNS msgpack
	LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN '{"n": 999}'::public.msgpack; END $$;
SET search_path = fold_hostile, public;
SELECT m->'a'->'n', (m->'a'->'n')::int FROM fold_doc WHERE id = 1;
SELECT (fold_hostile.msgpack_object_field(m, 'a')->'n')::int FROM fold_doc WHERE id = 1;
RESET search_path;

-- the functions themselves say what they do not understand
SELECT msgpack_follow('{"a": [1]}', '["a", 0]'), msgpack_follow('{"a": [1]}', '[]'),
	   msgpack_follow_text('{"a": [1]}', '["a", ''0'']'), msgpack_follow_int4('{"a": [1]}', '["a", "0"]');
SELECT msgpack_follow('{"a": 1}', '"a"');
SELECT msgpack_follow('{"a": 1}', '[null]');

DROP SCHEMA fold_hostile CASCADE;
