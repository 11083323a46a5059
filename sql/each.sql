--
-- Containers taken apart into rows: first where jsonb has the same, side by
-- side (documents are written as jsonb prints them); then what only msgpack has.
--
CREATE TEMP TABLE each_doc (id serial, j jsonb, m msgpack);
INSERT INTO each_doc (j, m)
SELECT t::jsonb, t::msgpack
  FROM unnest(ARRAY[
	'{"": "empty", "1": "one", "a": 1, "b": [10, 20, {"c": "deep"}], "n": null, "-1": "minus"}',
	'{}', '[]', '[[], {}, [[]]]', 'null', 'true', '5', '-5.25', '"str"', '""',
	'["a", null, {"a": "b"}, [1, 2, [3]], "x y", true, false, 1.5, -7, 18446744073709551615]',
	'{"a": {"b": {"c": {"d": [1, 2, 3]}}}, "b": {"0": "zero"}}',
	'{"é": "ü", "日本": {"語": [true, false]}, "key with \"quotes\"": "\u00e9\n"}',
	'[[[[[[[[[[null]]]]]]]]]]'
	]) AS t;
-- containers of many entries, and some large enough to lie in TOAST
INSERT INTO each_doc (j, m)
SELECT t::jsonb, t::msgpack
  FROM (SELECT '[' || string_agg(format('{"i": %s, "s": "%s"}', i, repeat(md5(i::text), w)), ', '
								 ORDER BY i) || ']'
		  FROM generate_series(1, 300) i, (VALUES (0), (1), (20)) v (w) GROUP BY w
		UNION ALL
		SELECT '{' || string_agg(format('"k%s": {"n": [%s, null]}', to_char(i, 'FM0000'), i), ', '
								 ORDER BY i) || '}'
		  FROM generate_series(1, 2000) i) AS t (t);

-- what a query gives, or the error that it raises
CREATE FUNCTION pg_temp.outcome(query text, doc text) RETURNS text LANGUAGE plpgsql
	SET max_parallel_workers_per_gather = 0 AS $$  -- thousands of plans: no worker for each
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT string_agg(r::text, ''; '') FROM (%s) r', query) INTO result USING doc;
	RETURN coalesce(result, 'no rows');
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate;
END
$$;

-- every function in FROM and in a select list: all of these return no rows
SELECT id, q, jsonb, msgpack
  FROM each_doc,
	   unnest(ARRAY['SELECT * FROM %1$s_each($1::%1$s)',
					'SELECT * FROM %1$s_each_text($1::%1$s)',
					'SELECT * FROM %1$s_array_elements($1::%1$s)',
					'SELECT * FROM %1$s_array_elements_text($1::%1$s)',
					'SELECT * FROM %1$s_object_keys($1::%1$s)',
					'SELECT %1$s_each($1::%1$s)',
					'SELECT %1$s_each_text($1::%1$s)',
					'SELECT %1$s_array_elements($1::%1$s)',
					'SELECT %1$s_array_elements_text($1::%1$s)',
					'SELECT %1$s_object_keys($1::%1$s)',
					'SELECT (%1$s_each($1::%1$s)).*',
					'SELECT * FROM %1$s_each(from_json => $1::%1$s) WITH ORDINALITY',
					'SELECT value, key FROM %1$s_each($1::%1$s) AS e (key, value)',
					'SELECT * FROM ROWS FROM (%1$s_each($1::%1$s), %1$s_object_keys($1::%1$s))',
					'SELECT * FROM %1$s_array_elements($1::%1$s) WITH ORDINALITY AS e (v, n) '
					'ORDER BY n DESC',
					'SELECT %1$s_array_elements($1::%1$s), %1$s_array_elements_text($1::%1$s)',
					'SELECT %1$s_array_elements(%1$s_array_elements($1::%1$s))',
					'SELECT (%1$s_each(%1$s_array_elements($1::%1$s))).*',
					'SELECT %1$s_array_elements($1::%1$s) OFFSET 2 LIMIT 3',
					'SELECT count(*), min(v) FROM %1$s_array_elements_text($1::%1$s) AS e (v)',
					'SELECT x, (SELECT string_agg(y::text, ''|'') FROM %1$s_array_elements(x) y) '
					'FROM %1$s_array_elements($1::%1$s) x'
					]) q,
	   pg_temp.outcome(format(q, 'jsonb'), j::text) AS jsonb,
	   pg_temp.outcome(format(q, 'msgpack'), j::text) AS msgpack
 WHERE jsonb IS DISTINCT FROM msgpack OR jsonb ~ '^(?!22023)[0-9A-Z]{5}$';

-- the outcomes that were compared are not all alike
SELECT count(DISTINCT pg_temp.outcome('SELECT * FROM msgpack_each($1::msgpack)', j::text)) AS each,
	   count(DISTINCT pg_temp.outcome('SELECT * FROM msgpack_array_elements($1::msgpack)',
									  j::text)) AS elements
  FROM each_doc;

-- NULL gives no rows
SELECT * FROM msgpack_each(NULL);
SELECT msgpack_array_elements(NULL), msgpack_each_text(NULL);

-- each function is marked as jsonb's is, and its arguments and columns are called alike
SELECT j.proname, j.prosrc
  FROM pg_proc j LEFT JOIN pg_proc m ON m.proname = replace(j.proname, 'jsonb', 'msgpack')
   AND (m.provolatile, m.proparallel, m.proisstrict, m.proretset, m.prokind) =
	   (j.provolatile, j.proparallel, j.proisstrict, j.proretset, j.prokind)
   AND m.proargnames IS NOT DISTINCT FROM j.proargnames
   AND m.proargmodes IS NOT DISTINCT FROM j.proargmodes
   AND replace(pg_get_function_result(m.oid), 'msgpack', 'jsonb') = pg_get_function_result(j.oid)
   AND replace(pg_get_function_identity_arguments(m.oid), 'msgpack', 'jsonb') =
	   pg_get_function_identity_arguments(j.oid)
 WHERE j.proname IN ('jsonb_each', 'jsonb_each_text', 'jsonb_array_elements',
					 'jsonb_array_elements_text', 'jsonb_object_keys')
   AND j.pronamespace = 'pg_catalog'::regnamespace AND m.oid IS NULL;

-- errors name what is wrong
SELECT msgpack_each('[1]');
SELECT * FROM msgpack_each_text('1');
SELECT msgpack_object_keys('[]');
SELECT * FROM msgpack_object_keys('null');
SELECT msgpack_array_elements('{"a": 1}');
SELECT * FROM msgpack_array_elements_text('DT`2020-01-01T00:00:00Z`');

-- rows come one at a time in a select list: LIMIT stops before the value that is no text
SELECT msgpack_array_elements_text('["a", "b", "\u0000"]') LIMIT 2;
SELECT msgpack_array_elements_text('["a", "b", "\u0000"]');
SELECT * FROM msgpack_array_elements_text('["a", "b", "\u0000"]') LIMIT 2;

-- a part of a document is the very datum that its bytes give by any other route: no rows
CREATE TEMP TABLE each_part AS
SELECT m, s FROM (SELECT m FROM each_doc
	 UNION ALL SELECT msgpack_build_array(msgpack_agg(m), 1, msgpack_agg(m)) FROM each_doc
	 UNION ALL SELECT msgpack_build_object('a', 1, 'b', msgpack_agg(m), repeat('k', 100), msgpack_object_agg(id, m)) FROM each_doc
	 UNION ALL SELECT msgpack_agg(o) FROM generate_series(1, 40) n, LATERAL (
		SELECT msgpack_object_agg('key' || k, repeat('x', n * k)) AS o FROM generate_series(1, n) k) x
	 UNION ALL SELECT msgpack_agg(v::msgpack)
	   FROM unnest(ARRAY['{_dup "a": 1, "a": [2, {_dup "b": 3, "b": str`ff`}]}', '[str`ff`, "a"]', '"a"']) v) d,
	   unnest(ARRAY['external', 'main']) s;
ALTER TABLE each_part ALTER m SET STORAGE EXTERNAL;
UPDATE each_part SET m = m::bytea::msgpack WHERE s = 'external';
INSERT INTO each_part SELECT msgpack_build_map(m, 1, 'x', m, '{"k": 1}'::msgpack, m), s
  FROM each_part WHERE s = 'external' AND length(m::bytea) BETWEEN 10000 AND 100000;
SELECT length(m::bytea), value FROM each_part, msgpack_array_elements(CASE WHEN msgpack_typeof(m) = 'array' THEN m END)
 WHERE NOT record_image_eq(row(value), row(value::bytea::msgpack));
SELECT length(m::bytea), value
  FROM (SELECT m, msgpack_array_elements(CASE WHEN msgpack_typeof(m) = 'array' THEN m END) AS value FROM each_part) e
 WHERE NOT record_image_eq(row(value), row(value::bytea::msgpack));
SELECT length(m::bytea), key, value FROM each_part, msgpack_each(CASE WHEN msgpack_typeof(m) = 'map' THEN m END)
 WHERE NOT record_image_eq(row(value), row(value::bytea::msgpack));
SELECT length(m::bytea), e FROM (SELECT m, msgpack_each(CASE WHEN msgpack_typeof(m) = 'map' THEN m END) AS e FROM each_part) e
 WHERE NOT record_image_eq(row((e).value), row((e).value::bytea::msgpack));
SELECT length(m::bytea), path, value FROM each_part, msgpack_tree(m) WHERE NOT record_image_eq(row(value), row(value::bytea::msgpack));
SELECT (SELECT string_agg(k, ',') FROM msgpack_object_keys(m) k) = (SELECT string_agg(key, ',') FROM msgpack_each(m)) AS same_keys,
	   (SELECT string_agg(k, ',') FROM (SELECT msgpack_object_keys(m)) e (k)) = (SELECT string_agg(key, ',') FROM msgpack_each(m)) AS same_one_by_one,
	   count(*)
  FROM each_part WHERE msgpack_typeof(m) = 'map' AND m <> '{}' GROUP BY 1, 2;
SELECT count(*) > 50 AS many FROM each_part, msgpack_tree(m) WHERE (msgpack_storage(value)).index_bytes > 0;
DROP TABLE each_part;

-- a series that is left unfinished is taken up from the start for the next row
SELECT id, v FROM (VALUES (1, '[1, 2, 3]'::msgpack), (2, '[4, 5]'), (3, '[]'), (4, '[6]')) d (id, m),
	   LATERAL (SELECT msgpack_array_elements(m) AS v LIMIT 2) e;
SELECT i, msgpack_array_elements(m) FROM generate_series(1, 2) i,
	   (VALUES ('[1, 2]'::msgpack), ('[]'), ('[3]')) d (m);

-- a cursor over a document in TOAST reads on after the row is gone
BEGIN;
CREATE TEMP TABLE each_gone (m msgpack);
ALTER TABLE each_gone ALTER m SET STORAGE EXTERNAL;
INSERT INTO each_gone SELECT m FROM each_doc WHERE length(m::bytea) > 100000;
DECLARE elements SCROLL CURSOR WITH HOLD FOR
	SELECT left(msgpack_array_elements(m)::text, 20) FROM each_gone;
FETCH 2 FROM elements;
DELETE FROM each_gone;
FETCH 1 FROM elements;
COMMIT;
VACUUM each_gone;
FETCH ABSOLUTE 299 FROM elements;
FETCH ABSOLUTE 3 FROM elements;
CLOSE elements;
DROP TABLE each_gone;

-- more rows than work_mem holds
SET work_mem = '64kB';
SELECT count(*), sum(length(v::text)) FROM each_doc, msgpack_array_elements(m) v WHERE m ->> 0 <> ''
   AND msgpack_typeof(m) = 'array';
SELECT count(*), sum(length(v::text)) FROM each_doc, jsonb_array_elements(j) v WHERE j ->> 0 <> ''
   AND jsonb_typeof(j) = 'array';
RESET work_mem;

-- the planner knows the rows of a constant, and of a parameter
CREATE FUNCTION pg_temp.planned_rows(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan #>> '{0,Plan,Plan Rows}';
END
$$;
SELECT q, pg_temp.planned_rows(q)
  FROM unnest(ARRAY['SELECT * FROM msgpack_array_elements(''[1, 2, 3]'')',
					'SELECT * FROM msgpack_array_elements_text((''{"a": [1, 2]}''::msgpack) -> ''a'')',
					'SELECT * FROM msgpack_each(''{"a": 1, "b": [1, 2, 3]}'')',
					'SELECT * FROM msgpack_object_keys(''{}'')',
					'SELECT msgpack_each_text(''{"a": 1, "b": [1, 2, 3]}'')',
					'SELECT * FROM msgpack_tree(''{"a": 1, "b": [1, {"c": 2}, 3]}'')',
					'SELECT * FROM msgpack_to_recordset(''[[1], [2], [3], [4]]'') AS r (a int)',
					'SELECT * FROM msgpack_array_elements(NULL)',
					'SELECT * FROM msgpack_array_elements((SELECT ''[]''::msgpack))',
					'SELECT * FROM msgpack_array_elements(''5'')']) q;

-- keys that are not strings are shown by their ->> text
SELECT * FROM msgpack_each('{1: "a", -5: "b", 1.5: "c", null: "d", true: "e", h`00ff`: "f",
	DT`2020-01-01T00:00:00Z`: "g", [1, 2]: "h", {"x": 1}: "i", ext(5, h`01`): "j", "s": "k"}');
SELECT * FROM msgpack_object_keys('{1: 0, null: 0, [1_u16]: 0, "s": 0}');
-- the keys of a long map are found by its table, and come as they lie for all that: odd and repeated ones too
SELECT repeated, count(*) AS maps, bool_and(keys = each_keys) AS same, min(cardinality(keys)), max(cardinality(keys))
  FROM unnest(ARRAY[false, true]) repeated, unnest(ARRAY[64, 65, 100, 3000]) n,
	   LATERAL (SELECT format('{%s}', CASE WHEN repeated THEN '_dup ' ELSE '' END || string_agg(CASE k % 4
					WHEN 0 THEN k::text WHEN 1 THEN format('"s%s"', k) WHEN 2 THEN format('h`%s`', lpad(k::text, 6, '0'))
					ELSE format('[%s, {1: 2}]', k) END || ': ' || i, ', ' ORDER BY i))::msgpack AS m
				FROM (SELECT i, CASE WHEN repeated THEN i % 60 ELSE i END AS k FROM generate_series(1, n) i) keys) d,
	   LATERAL (SELECT array_agg(k ORDER BY o) AS keys FROM msgpack_object_keys(m) WITH ORDINALITY t (k, o)) a,
	   LATERAL (SELECT array_agg(key ORDER BY o) AS each_keys FROM msgpack_each(m) WITH ORDINALITY t (key, value, o)) b
 GROUP BY repeated ORDER BY repeated;
-- a value keeps its bytes; ->> of it is text
SELECT * FROM msgpack_each('{"a": 1_u64, "b": {_16 "c"_8: [_32]}, "d": 1.5_f32, "e": h`00`}');
SELECT * FROM msgpack_each_text('{"a": 1_u64, "b": {_16 "c"_8: [_32]}, "d": 1.5_f32, "e": h`00`}');

-- repeated keys are all shown; a part of an irregular document is irregular only if it is so itself
SELECT key, value, msgpack_check(value) FROM msgpack_each('{_dup "a": {_dup 1: 2, 1.0: 3}, "a": [4]}');
SELECT value, msgpack_check(value) FROM msgpack_array_elements('["a", str`ff`, {"a": str`fe`}]');
SELECT * FROM msgpack_each_text('{"a": str`ff`}');
SELECT * FROM msgpack_each('{str`ff`: 1}');

-- the tree
SELECT * FROM msgpack_tree('{"a": [1, {"b": null}, []], 7: {[1]: "x"}, "": h`00`}');
SELECT * FROM msgpack_tree('5');
SELECT * FROM msgpack_tree(NULL);
SELECT path, value FROM (SELECT (msgpack_tree('[[1, 2], 3]')).*) t LIMIT 3;
-- every path leads to its value, and every node is there
SELECT id, path, value FROM each_doc, msgpack_tree(m)
 WHERE (m #> path)::bytea <> value::bytea OR msgpack_typeof(value) <> type;
SELECT id, nodes, expected
  FROM each_doc, LATERAL (SELECT count(*) AS nodes FROM msgpack_tree(m)) t,
	   LATERAL (WITH RECURSIVE n (j) AS (
			SELECT each_doc.j
			UNION ALL
			SELECT e.v FROM n, LATERAL (
				SELECT value FROM jsonb_each(CASE WHEN jsonb_typeof(n.j) = 'object' THEN n.j END)
				UNION ALL
				SELECT value FROM jsonb_array_elements(CASE WHEN jsonb_typeof(n.j) = 'array'
															THEN n.j END)) e (v))
			SELECT count(*) AS expected FROM n) x
 WHERE nodes <> expected;
-- as deep as it goes
SELECT count(*), max(cardinality(path))
  FROM msgpack_tree((repeat('[', 1024) || repeat(']', 1024))::msgpack);
SELECT count(*), max(cardinality(path))
  FROM msgpack_tree((repeat('{"a":', 1023) || '{}' || repeat('}', 1023))::msgpack);

DROP TABLE each_doc;

-- a damaged index: XX001, or the rows, never anything else
CREATE FUNCTION each_forge(bytea, bytea DEFAULT '') RETURNS msgpack
	LANGUAGE internal IMMUTABLE STRICT AS 'byteacat';
CREATE FUNCTION each_stored(msgpack, msgpack) RETURNS bytea
	LANGUAGE internal IMMUTABLE STRICT AS 'byteacat';
CREATE FUNCTION each_rows(m msgpack) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' ',
		(SELECT md5(string_agg(v::text, '')) FROM msgpack_array_elements(CASE WHEN msgpack_typeof(m) = 'array' THEN m END) v),
		(SELECT md5(string_agg(v::text, '')) FROM (
			SELECT msgpack_array_elements(CASE WHEN msgpack_typeof(m) = 'array' THEN m END)) e (v)),
		(SELECT md5(string_agg(v::text, '')) FROM msgpack_each_text(CASE WHEN msgpack_typeof(m) = 'map' THEN m END) v),
		(SELECT md5(string_agg(v::text, '')) FROM (
			SELECT msgpack_each(CASE WHEN msgpack_typeof(m) = 'map' THEN m END)) e (v)),
		(SELECT md5(string_agg(v, '')) FROM msgpack_object_keys(CASE WHEN msgpack_typeof(m) = 'map' THEN m END) v))
$$;
CREATE FUNCTION each_damage(doc msgpack, OUT damages int, OUT errors int, OUT wrong text)
LANGUAGE plpgsql AS $$
DECLARE
	-- byteacat joins the stored bytes with those of a nil, which are one byte
	stored bytea := substr(each_stored(doc, 'null'), 1, octet_length(each_stored(doc, 'null')) - 1);
	rows text := each_rows(doc);
BEGIN
	damages := 0;
	errors := 0;
	FOR i IN 8 .. (msgpack_storage(doc)).header_bytes - 1 LOOP
		FOR b IN 0 .. 7 LOOP
			damages := damages + 1;
			BEGIN
				IF each_rows(each_forge(set_bit(stored, i * 8 + b, 1 - get_bit(stored, i * 8 + b)))) <> rows THEN
					wrong := concat_ws(', ', wrong, format('byte %s bit %s: other rows', i, b));
				END IF;
			EXCEPTION WHEN data_corrupted THEN
				errors := errors + 1;
			END;
		END LOOP;
	END LOOP;
END $$;
SELECT kind, damages > 100 AS many, errors > 10 AS noticed, wrong
  FROM (VALUES ('map', (SELECT '{' || string_agg(format('"key_%s": %s', i,
						(SELECT '{' || string_agg(format('"k%s": %s', g, g), ', ') || '}' FROM generate_series(1, 16) g)), ', ') || '}'
						  FROM generate_series(1, 5) i)),
			   ('array', (SELECT '[' || string_agg(format('["a", {%s}]',
						(SELECT string_agg(format('"k%s": %s', g, g), ', ') FROM generate_series(1, 16) g)), ', ') || ']'
							FROM generate_series(1, 5) i))) AS v (kind, doc),
	   LATERAL each_damage(doc::msgpack) d;
DROP FUNCTION each_damage, each_rows, each_forge, each_stored;
