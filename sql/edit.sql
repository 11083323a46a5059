-- Edits.  How they agree with jsonb's over generated documents is in test/differential/edit.py.

-- msgpack_set
SELECT msgpack_set('{"a": {"b": [1, 2, 3]}}', '{a,b,1}', '"x"');
SELECT msgpack_set('{"a": {"b": [1, 2, 3]}}', '{a,b,9}', '"x"'),
	msgpack_set('{"a": {"b": [1, 2, 3]}}', '{a,b,-9}', '"x"'),
	msgpack_set('{"a": {"b": [1, 2, 3]}}', '{a,b,-1}', '"x"');
SELECT msgpack_set('{"a": {"b": [1, 2, 3]}}', '{a,c}', '"x"'),
	msgpack_set('{"a": {"b": [1, 2, 3]}}', '{a,c}', '"x"', false),
	msgpack_set('{"a": {"b": [1, 2, 3]}}', '{x,c}', '"x"');
SELECT msgpack_set('{"a": 1}', '{a,b}', '2'), msgpack_set('{}', '{a}', '2'), msgpack_set('[]', '{7}', '2'),
	msgpack_set('{"a": 1}', '{}', '2'), msgpack_set('{}', '{NULL}', '1', false);
SELECT msgpack_set('{"a": 1}', NULL, '2'), msgpack_set('{"a": 1}', '{a}', NULL);
SELECT msgpack_set(msgpack_in => '{"a": 1}', path => '{b}', replacement => '2', create_if_missing => true);
SELECT msgpack_set('1', '{a}', '2');
SELECT msgpack_set('{"a": 1}', '{{a,b}}', '2');
SELECT msgpack_set('{"a": [1]}', '{a,x}', '2');
SELECT msgpack_set('{"a": [1]}', '{a,NULL}', '2');
SELECT msgpack_set('{"a": 1}', '{NULL,a}', '2');

-- what is not on the path keeps its bytes; a head on the path that counts anew is the shortest
SELECT bytea(msgpack_set('{_32 "a"_8: [_16 1_u64], "b": {_16}}', '{b,c}', '1')),
	bytea(msgpack_set('{_32 "a"_8: [_16 1_u64], "b": {_16}}', '{a,0}', '7_u16')),
	bytea('{_32 "a"_8: [_16 1_u64], "b": {_16}}'::msgpack #- '{a}');
-- heads widen and narrow
SELECT msgpack_set(to_msgpack(ARRAY(SELECT generate_series(1, 15))), '{15}', '16') =
	to_msgpack(ARRAY(SELECT generate_series(1, 16))) AS wider,
	bytea(to_msgpack(ARRAY(SELECT generate_series(1, 16))) - 15) =
	bytea(to_msgpack(ARRAY(SELECT generate_series(1, 15)))) AS narrower;

-- the key rule: a str key, else a bin key, else an integer's digits; what is created is a str
SELECT msgpack_set('{7: 1, h''37'': 2, "7": 3}', '{7}', '"x"'), msgpack_set('{7: 1, h''37'': 2}', '{7}', '"x"'),
	msgpack_set('{7.0: 1}', '{7}', '"x"'), msgpack_set('{7: 1}', '{07}', '"x"');
SELECT '{7: 1, h''37'': 2, "7": 3}'::msgpack - '7', '{7: 1, h''37'': 2}'::msgpack #- '{7}',
	'{7: 1, h''37'': 2, "7": 3}'::msgpack - 7, '{7: 1, "a": 2}'::msgpack - '{7,a}'::text[];
-- keys of any type
SELECT msgpack_delete('{[1]: 1, 2.0: 2, null: 3, "a": 4}', key => '[1]'::msgpack),
	msgpack_delete('{[1]: 1, 2.0: 2, null: 3, "a": 4}', '2'::msgpack),
	msgpack_delete('{[1]: 1, 2.0: 2, null: 3, "a": 4}', 'null'::msgpack),
	msgpack_delete('[10, 20]', '1'::msgpack), msgpack_delete('[10, 20]', '"a"'::msgpack);
-- repeated keys: the one that counts is edited, none of them is left
SELECT msgpack_set('{_dup "a": 1, "b": 2, "a": 3}', '{a}', '"x"'),
	msgpack_set('{_dup "a": {"k": 1}, "a": {"k": 2}}', '{a,k}', '"x"'),
	'{_dup "a": 1, "b": 2, "a": 3}'::msgpack #- '{a}', '{_dup "a": 1, "b": 2, "a": 3}'::msgpack - 'a';
-- an edit can make a document regular
SELECT msgpack_check('[{_dup "a": 1, "a": 2}]'::msgpack) IS NULL AS before,
	msgpack_check('[{_dup "a": 1, "a": 2}]'::msgpack - 0) IS NULL AS after,
	msgpack_check(msgpack_set('[1]', '{0}', '{_dup "a": 1, "a": 2}')) IS NULL AS put_in;

-- msgpack_set_lax
SELECT msgpack_set_lax('{"a": 1, "b": 2}', '{b}', NULL),
	msgpack_set_lax('{"a": 1, "b": 2}', '{b}', NULL, null_value_treatment => 'use_json_null'),
	msgpack_set_lax('{"a": 1, "b": 2}', '{b}', NULL, null_value_treatment => 'delete_key'),
	msgpack_set_lax('{"a": 1, "b": 2}', '{b}', NULL, null_value_treatment => 'return_target'),
	msgpack_set_lax('{"a": 1, "b": 2}', '{b}', '3', null_value_treatment => 'raise_exception');
SELECT msgpack_set_lax(NULL, '{b}', NULL), msgpack_set_lax('{}', NULL, NULL), msgpack_set_lax('{}', '{b}', NULL, NULL);
SELECT msgpack_set_lax('{"a": 1}', '{a}', NULL, null_value_treatment => 'raise_exception');
SELECT msgpack_set_lax('{"a": 1}', '{a}', NULL, null_value_treatment => 'no such');
SELECT msgpack_set_lax('{"a": 1}', '{a}', '2', null_value_treatment => NULL);

-- msgpack_insert
SELECT msgpack_insert('{"a": [0, 1, 2]}', '{a,1}', '"x"'), msgpack_insert('{"a": [0, 1, 2]}', '{a,1}', '"x"', true),
	msgpack_insert('{"a": [0, 1, 2]}', '{a,-1}', '"x"', true), msgpack_insert('{"a": [0, 1, 2]}', '{a,9}', '"x"'),
	msgpack_insert('{"a": 1}', '{b}', '"x"'), msgpack_insert('{"a": 1}', '{b,c}', '"x"');
SELECT msgpack_insert('{"a": 1}', '{a}', '"x"', insert_after => true);
SELECT msgpack_insert('1', '{a}', '"x"');

-- #- and -
SELECT '{"a": [1, {"b": 2}]}'::msgpack #- '{a,1,b}', '{"a": 1}'::msgpack #- '{b}', '{"a": 1}'::msgpack #- '{}',
	'[1, 2, 3]'::msgpack #- '{-1}', '[1, 2, 3]'::msgpack #- '{-9}';
SELECT '1'::msgpack #- '{a}';
SELECT '{"a": 1, "b": 2}'::msgpack - 'a', '["a", "b", "a", ["a"], h''61'']'::msgpack - 'a', '{}'::msgpack - 'a',
	'{"a": 1, "b": 2, "c": 3}'::msgpack - ARRAY['a', NULL, 'c', 'a'], '["a", "b", "c"]'::msgpack - ARRAY['a', 'c'];
SELECT '1'::msgpack - 'a';
SELECT '1'::msgpack - ARRAY['a'];
SELECT '{}'::msgpack - ARRAY[['a'], ['b']];
SELECT '[1, 2, 3]'::msgpack - 0, '[1, 2, 3]'::msgpack - -1, '[1, 2, 3]'::msgpack - 3, '[1, 2, 3]'::msgpack - -4,
	'{"a": 1, 5: 2}'::msgpack - 5, '{"a": 1, 5: 2}'::msgpack - 6;
SELECT '1'::msgpack - 0;

-- ||
SELECT '{"a": 1, "b": 2}'::msgpack || '{"b": 3, "c": 4}', '[1]'::msgpack || '[2, [3]]', '1'::msgpack || '2',
	'null'::msgpack || '[1]', '{"a": 1}'::msgpack || '[1]', '[1]'::msgpack || '{"a": 1}', '{"a": 1}'::msgpack || '5';
SELECT '{}'::msgpack || '{_16 "a": 1}', '[_16 1]'::msgpack || '[]', '{}'::msgpack || '[]', '1'::msgpack || '[]',
	'{"a": 1}'::msgpack || NULL;
SELECT '{1: 1, "a": 2}'::msgpack || '{1.0: 3, h''61'': 4}', '{_dup "a": 1, "a": 2}'::msgpack || '{"b": {_dup 1: 1, 1: 2}}';
SELECT bytea('{_16 "a"_8: 1}'::msgpack || '{"a": 2}'), bytea('{_16 "a"_8: 1}'::msgpack || '{"b": 2_u16}');

-- msgpack_strip_nulls
SELECT msgpack_strip_nulls('{"a": null, "b": [1, null, {"c": null, "d": {"e": null}}], null: 1}'),
	msgpack_strip_nulls('{"a": null, "b": [1, null, {"c": null, "d": {"e": null}}]}', strip_in_arrays => true),
	msgpack_strip_nulls('null'), msgpack_strip_nulls('[null]'), msgpack_strip_nulls('[_16 null, [_16]]', true);
-- a key that is a container is left alone; of repeated keys the last counts
SELECT msgpack_strip_nulls('{{"a": null}: {"a": null}}'), msgpack_strip_nulls('{_dup "a": null, "b": 1, "a": 2}'),
	msgpack_strip_nulls('{_dup "a": 1, "b": 1, "a": null}');

-- msgpack_merge: the examples of RFC 7396, appendix A
SELECT target, patch, msgpack_merge(target::msgpack, patch::msgpack)::text = result AS as_told FROM (VALUES
	('{"a": "b"}', '{"a": "c"}', '{"a": "c"}'),
	('{"a": "b"}', '{"b": "c"}', '{"a": "b", "b": "c"}'),
	('{"a": "b"}', '{"a": null}', '{}'),
	('{"a": "b", "b": "c"}', '{"a": null}', '{"b": "c"}'),
	('{"a": ["b"]}', '{"a": "c"}', '{"a": "c"}'),
	('{"a": "c"}', '{"a": ["b"]}', '{"a": ["b"]}'),
	('{"a": {"b": "c"}}', '{"a": {"b": "d", "c": null}}', '{"a": {"b": "d"}}'),
	('{"a": [{"b": "c"}]}', '{"a": [1]}', '{"a": [1]}'),
	('["a", "b"]', '["c", "d"]', '["c", "d"]'),
	('{"a": "b"}', '["c"]', '["c"]'),
	('{"a": "foo"}', 'null', 'null'),
	('{"a": "foo"}', '"bar"', '"bar"'),
	('{"e": null}', '{"a": 1}', '{"e": null, "a": 1}'),
	('[1, 2]', '{"a": "b", "c": null}', '{"a": "b"}'),
	('{}', '{"a": {"bb": {"ccc": null}}}', '{"a": {"bb": {}}}')) v(target, patch, result);
SELECT msgpack_merge('{1: {"a": 1, "b": h''00''}, "x": [null]}', '{1.0: {"a": 2, "c": {"d": null, "e": DT''2026-11-30T00:00:00Z''}}}');
SELECT msgpack_merge(target => '{"a": 1}', patch => NULL);

-- msgpack_merge_agg: in turn
SELECT msgpack_merge_agg(d::msgpack ORDER BY o), msgpack_merge_agg(d::msgpack ORDER BY o DESC)
	FROM (VALUES (1, '{"a": {"x": 1}, "b": 2}'), (2, '{"a": {"y": 2}, "b": null}'), (3, NULL),
		(4, '{"a": {"x": null}, "b": 3}')) v(o, d);
SELECT msgpack_merge_agg(d::msgpack) FROM (VALUES (NULL)) v(d);
SELECT o, msgpack_merge_agg(msgpack_build_object(o, o)) OVER (ORDER BY o) FROM generate_series(1, 3) o;
-- whichever document comes last decides: not in parallel
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
CREATE TABLE patches AS SELECT msgpack_build_object('k' || i % 10, i) AS d FROM generate_series(1, 1000) i;
ALTER TABLE patches SET (parallel_workers = 2);
ANALYZE patches;
EXPLAIN (COSTS OFF) SELECT msgpack_merge_agg(d) FROM patches;
DROP TABLE patches;

-- depth: 1,024 containers and no more
CREATE FUNCTION nested(depth int) RETURNS msgpack LANGUAGE sql IMMUTABLE
	AS $$SELECT msgpack(decode(repeat('91', depth) || '01', 'hex'))$$;
CREATE FUNCTION nested_maps(depth int) RETURNS msgpack LANGUAGE sql IMMUTABLE
	AS $$SELECT msgpack(decode(repeat('81a161', depth) || '01', 'hex'))$$;
SELECT msgpack_size(msgpack_set('{"a": [1]}', '{a,0}', nested(1022)));
SELECT msgpack_set('{"a": [1]}', '{a,0}', nested(1023));
SELECT msgpack_size('{"a": 1}' || nested(1)), msgpack_size(nested(1024) || nested(1024)),
	msgpack_size(nested_maps(1023) || nested(1));
SELECT nested_maps(1024) || '1';
SELECT msgpack_merge(nested_maps(1024), nested_maps(1024)) = nested_maps(1024) AS same,
	msgpack_strip_nulls(nested_maps(1024)) = nested_maps(1024) AS same_too;
DROP FUNCTION nested, nested_maps;

-- paths that go on where the deepest value was reached, and such of millions of steps
SELECT msgpack_set(d, path, '1') = d AS set, msgpack_insert(d, path, '1') = d AS inserted,
	d #- path = d AS deleted, d #> path AS value
	FROM (SELECT ('{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "z": ' ||
		repeat('[', 1023) || '5' || repeat(']', 1023) || '}')::msgpack) t(d),
	(VALUES (array_fill('0'::text, ARRAY[1024])), (array_fill('0'::text, ARRAY[7000000]))) s(steps),
	LATERAL (SELECT array_prepend('z', steps)) p(path);

-- values in TOAST
CREATE TABLE big (id int, d msgpack);
INSERT INTO big SELECT 1, msgpack_object_agg('k' || i, repeat(md5(i::text), 20)) FROM generate_series(1, 200) i;
SELECT length(bytea(msgpack_set(d, '{k100}', '1'))) - length(bytea(d)) AS set,
	length(bytea(d - 'k100')) - length(bytea(d)) AS deleted,
	length(bytea(d || '{"new": 1}')) - length(bytea(d)) AS added,
	msgpack_set(d, '{k100}', d->'k100') = d AS same FROM big;
UPDATE big SET d = d || '{"new": 1}';
SELECT d->>'new', d->'k7' = to_msgpack(repeat(md5('7'), 20)) FROM big;
DROP TABLE big;
