-- Aggregates.

CREATE TABLE fact (id int, k text, v int, d msgpack);
INSERT INTO fact VALUES (1, 'a', 10, '{"n": 1}'), (2, 'b', NULL, NULL), (3, 'c', 30, '[1_u16]'),
	(4, 'd', 40, 'null');

-- msgpack_agg
SELECT msgpack_agg(v ORDER BY id), msgpack_agg(d ORDER BY id), msgpack_agg(f ORDER BY id)
	FROM fact f WHERE id < 4;
SELECT msgpack_agg_strict(v ORDER BY id), msgpack_agg_strict(d ORDER BY id) FROM fact;
SELECT msgpack_agg(v), msgpack_agg_strict(v) FROM fact WHERE id > 4;
SELECT msgpack_agg(v), msgpack_agg_strict(v) FROM fact WHERE v IS NULL;
SELECT v IS NULL AS missing, msgpack_agg(k ORDER BY k DESC) FROM fact GROUP BY 1 ORDER BY 1;
SELECT msgpack_agg(DISTINCT v % 20) FILTER (WHERE id <> 2) FROM fact;
SELECT msgpack_agg(ARRAY[id, v] ORDER BY id) FROM fact;
SELECT msgpack_agg('x');

-- msgpack_object_agg: of equal keys the last value, at the first one's place
SELECT msgpack_object_agg(k, v ORDER BY id), msgpack_object_agg(id, d ORDER BY id) FROM fact;
SELECT msgpack_object_agg(id % 2, v ORDER BY id) FROM fact;
SELECT msgpack_object_agg_strict(k, v ORDER BY id), msgpack_object_agg_strict(id % 2, v ORDER BY id)
	FROM fact;
SELECT msgpack_object_agg(k, v), msgpack_object_agg_strict(k, v), msgpack_object_agg_unique(k, v),
	msgpack_object_agg_unique_strict(k, v) FROM fact WHERE id > 4;
SELECT msgpack_object_agg_strict(k, v), msgpack_object_agg_unique_strict(k, v) FROM fact WHERE v IS NULL;
SELECT msgpack_object_agg_unique(k, v ORDER BY id), msgpack_object_agg_unique_strict(k, v ORDER BY id),
	msgpack_object_agg_unique_strict(k, d ORDER BY id) FROM fact;
SELECT msgpack_object_agg_unique(id % 2, v) FROM fact;
-- a pair that is left out still takes its key
SELECT msgpack_object_agg_unique_strict(id / 2, v) FROM fact WHERE id IN (2, 3);
SELECT msgpack_object_agg_unique(repeat('long key ', 20), 1) FROM fact;
SELECT msgpack_object_agg(nullif(k, 'b'), v) FROM fact;
SELECT msgpack_object_agg_unique_strict(nullif(k, 'b'), v) FROM fact;
SELECT msgpack_object_agg(ARRAY[k], v) FROM fact;

-- irregular values
SELECT a, msgpack_check(a) IS NOT NULL AS irregular FROM (
	SELECT msgpack_agg(d ORDER BY o) FROM (VALUES (1, '{_dup "a": 1, "a": 2}'::msgpack), (2, '1')) v(o, d)) s(a);
SELECT a, msgpack_check(a) IS NOT NULL AS irregular FROM (
	SELECT msgpack_object_agg('k', d ORDER BY o)
	FROM (VALUES (1, '{_dup "a": 1, "a": 2}'::msgpack), (2, '1')) v(o, d)) s(a);
SELECT a, msgpack_check(a) IS NOT NULL AS irregular FROM (
	SELECT msgpack_object_agg_unique(o, d ORDER BY o)
	FROM (VALUES (1, '{_dup "a": 1, "a": 2}'::msgpack), (2, '1')) v(o, d)) s(a);

-- msgpack_stream_agg
SELECT msgpack_stream_agg(d ORDER BY id), msgpack_stream_agg(NULL::msgpack) FROM fact;
SELECT msgpack_stream_agg(d) FROM fact WHERE id > 4;

-- windows: a state goes on after it was looked at
SELECT id, msgpack_agg(id) OVER w, msgpack_object_agg(id % 2, id) OVER w,
	msgpack_stream_agg(to_msgpack(id)) OVER w, msgpack_object_agg_unique(id, 1) OVER w
	FROM fact WINDOW w AS (ORDER BY id);
SELECT id, msgpack_agg(id) OVER (ORDER BY id ROWS 1 PRECEDING) FROM fact;

-- in parallel, where order and overwriting do not matter
CREATE TABLE many AS SELECT i AS id, 'k' || i AS k, i % 7 = 0 AS odd FROM generate_series(1, 5000) i;
ALTER TABLE many SET (parallel_workers = 2);
ANALYZE many;
CREATE TABLE answer AS SELECT
	(SELECT msgpack_agg(e ORDER BY e) FROM msgpack_array_elements(msgpack_agg(m)) e) AS agg,
	(SELECT msgpack_agg(e ORDER BY e) FROM msgpack_array_elements(msgpack_agg_strict(nullif(id, 9))) e)
		AS agg_strict,
	msgpack_canonical(msgpack_object_agg_unique(k, id)) AS object_unique,
	msgpack_canonical(msgpack_object_agg_unique_strict(k, nullif(odd, true))) AS object_unique_strict,
	length(msgpack_stream_agg(to_msgpack(id))) AS stream
	FROM many m;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT msgpack_agg(id), msgpack_agg_strict(id), msgpack_object_agg_unique(k, id),
	msgpack_object_agg_unique_strict(k, id), msgpack_stream_agg(to_msgpack(id)) FROM many;
CREATE TABLE parallel_answer AS SELECT
	msgpack_agg(m) AS agg, msgpack_agg_strict(nullif(id, 9)) AS agg_strict,
	msgpack_object_agg_unique(k, id) AS object_unique,
	msgpack_object_agg_unique_strict(k, nullif(odd, true)) AS object_unique_strict,
	msgpack_stream_agg(to_msgpack(id)) AS stream
	FROM many m;
SELECT (SELECT msgpack_agg(e ORDER BY e) FROM msgpack_array_elements(p.agg) e) = a.agg AS agg,
	(SELECT msgpack_agg(e ORDER BY e) FROM msgpack_array_elements(p.agg_strict) e) = a.agg_strict AS agg_strict,
	p.object_unique = a.object_unique AS object_unique,
	p.object_unique_strict = a.object_unique_strict AS object_unique_strict,
	length(p.stream) = a.stream AS stream
	FROM answer a, parallel_answer p;
\set VERBOSITY sqlstate
SELECT msgpack_object_agg_unique(id % 4000, id) FROM many;
\set VERBOSITY default
-- irregular values keep their flag on the way
SELECT msgpack_check(msgpack_agg('{_dup "a": 1, "a": 2}'::msgpack)) IS NOT NULL AS irregular FROM many;
-- no rows in any worker, none at all
SELECT msgpack_agg(id), msgpack_object_agg_unique(id, 1) FROM many WHERE id = 17;
SELECT msgpack_agg(id), msgpack_object_agg_unique(id, 1), msgpack_stream_agg(to_msgpack(id))
	FROM many WHERE id < 0;
-- of equal keys the last must count: not in parallel
EXPLAIN (COSTS OFF) SELECT msgpack_object_agg(k, id) FROM many;
EXPLAIN (COSTS OFF) SELECT msgpack_object_agg_strict(k, id) FROM many;

DROP TABLE fact, many, answer, parallel_answer;
