--
-- Documents as rows: first where jsonb has the same, side by side; then what
-- only msgpack has: positional rows, keys that are no strings, types of its own.
--
SET DateStyle = 'ISO';
SET TimeZone = 'UTC';
CREATE TYPE rec_small AS (a text, b int, c timestamp);
CREATE DOMAIN rec_not_null AS int NOT NULL;
CREATE DOMAIN rec_positive AS int CHECK (VALUE > 0);
CREATE DOMAIN rec_three AS int[] CHECK (array_length(VALUE, 1) = 3);
CREATE DOMAIN rec_wide AS int[][] CHECK (array_length(VALUE, 2) = 3);
CREATE TYPE rec_pair AS (x int, y int);
CREATE DOMAIN rec_ordered AS rec_pair CHECK ((VALUE).x <= (VALUE).y);
CREATE TYPE rec_mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE rec_all AS (
	i int, si smallint, bi bigint, f4 real, f8 double precision, n numeric, n52 numeric(5, 2), bo boolean,
	t text, vc varchar, vc3 varchar(3), c char(5), ba bytea, d date, ts timestamp, tz timestamptz,
	tz0 timestamptz(0), js json, jsb jsonb, u uuid, m rec_mood, r int4range, p point,
	ia int[], ia2 int[][], ta text[], ca char(3)[], ja jsonb[], na numeric(4, 1)[], three rec_three,
	wide rec_wide, pos rec_positive, rec rec_small, reca rec_small[], pair rec_ordered, paira rec_ordered[]);
CREATE TYPE rec_strict AS (i rec_not_null);

-- what a query gives, or the error that it raises; %1$s is jsonb or msgpack
CREATE FUNCTION pg_temp.outcome(query text, type text, doc text) RETURNS text LANGUAGE plpgsql
	SET max_parallel_workers_per_gather = 0 AS $$  -- thousands of plans: no worker for each
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT coalesce(string_agg(q::text, ''; ''), ''no rows'') FROM ('
				   || query || ') q', type) INTO result USING doc;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate;
END
$$;

-- a value of each kind for a column of each type: jsonb differs only where it
-- raises an error, for 1.0 as an integer and for an array as a row
CREATE TEMP TABLE rec_value (v text);
INSERT INTO rec_value
SELECT unnest(ARRAY['null', 'true', 'false', '0', '1', '-1', '1.0', '1.5', '12.345', '127', '32768',
	'2147483648', '9223372036854775808', '123456', '"1"', '"1.5"', '"abc"', '"abcdef"', '"t"', '""',
	'"2020-01-01 10:20:30.5"', '"2020-01-01T10:20:30Z"', '"\\x00ff"', '"{1,2}"', '"{{1,2,3},{4,5,6}}"',
	'"(abc,42,2003-01-02)"', '"(1,2)"', '"(2,1)"', '"{\"(1,2)\"}"', '"{\"a\": 1}"', '"[1, 2]"',
	'"550e8400-e29b-41d4-a716-446655440000"', '"happy"', '"[1,5)"', '"(1.5,2)"', '[]', '{}', '[1]',
	'[1, 2, 3]', '[1, "2", null, 4]', '["a", "b"]', '["abcd"]', '[1.24, "2.26"]', '[[1, 2], [3, 4]]',
	'[[1, 2, 3], [4, 5, 6]]', '[[1], 2]', '[1, [2]]', '[[1], [2, 3]]', '[[], []]', '[[1, 2], {}]',
	'[[[1, 2]], [[3, 4]]]', '[[[[[[1]]]]]]', '[[[[[[[1]]]]]]]', '[null, null]', '[[null, 1], [2, null]]',
	'{"a": "abc", "b": 42, "c": "2003-01-02", "x": 43.2}', '{"a": [1, {"k": "v"}], "b": "7"}', '{"b": 1.5}',
	'{"c": "not a time"}', '{"x": 1, "y": 2}', '{"x": 2, "y": 1}', '{"x": null}', '{"a": {"b": {"c": [true]}}}',
	'[{"a": "abc", "b": 456}, null, {"c": "2003-01-02", "x": 43.2}]', '["(abc,42,)", {"b": 1}]',
	'[{"x": 1, "y": 2}, {"x": 3, "y": 4}]', '[{"x": 1, "y": 2}, {"x": 4, "y": 3}]',
	'[[{"a": "1"}, {"a": "2"}], [{"a": "3"}, {"a": "4"}]]', '[{"a": "1"}, [2]]', '[true, false]', '[{}]']);
SELECT attname, v, jsonb, btrim(msgpack, '(,)') AS msgpack
  FROM pg_attribute, rec_value,
	   format('SELECT * FROM %%1$s_populate_record(NULL::rec_all, format(''{%%%%s: %%%%s}'', ''"%s"'', $1)::%%1$s)',
			  attname) query,
	   pg_temp.outcome(query, 'jsonb', v) AS jsonb, pg_temp.outcome(query, 'msgpack', v) AS msgpack
 WHERE attrelid = 'rec_all'::regclass AND attnum > 0 AND jsonb IS DISTINCT FROM msgpack
   AND NOT (jsonb = '22023' AND v ~ '^\[' AND attname IN ('rec', 'reca', 'pair', 'paira'))
 ORDER BY attnum, v COLLATE "C";
-- of these many were values and many were errors
SELECT count(*) FILTER (WHERE o ~ '^\(') > 600 AS values, count(*) FILTER (WHERE o !~ '^\(') > 600 AS errors,
	   string_agg(DISTINCT o, ' ' ORDER BY o) FILTER (WHERE o !~ '^\(') AS sqlstates
  FROM pg_attribute, rec_value,
	   pg_temp.outcome(format('SELECT * FROM %%1$s_populate_record(NULL::rec_all, format(''{%%%%s: %%%%s}'', ''"%s"'', $1)::%%1$s)',
							  attname), 'msgpack', v) AS o
 WHERE attrelid = 'rec_all'::regclass AND attnum > 0;

-- whole queries over whole documents; no rows
CREATE TEMP TABLE rec_doc (id serial, doc text);
INSERT INTO rec_doc (doc)
SELECT unnest(ARRAY['null', '5', '"a"', '{}', '[]', '[[]]', '[{}]', '[null]', '[1]', '["a"]', '[{}, 5]',
	'{"a": "blurfl", "x": 43.2}', '{"a": [100, 200, false], "b": 3}', '{"c": [100, 200]}', '{"a": null, "b": null}',
	'{"x": 0, "y": 1}', '{"x": 1, "y": 0}', '{"x": 0}', '{"f1": 7, "f2": "8"}', '{"i": 1}', '{"i": null}',
	'{"r": {"a": "q", "b": 5}, "ra": [{"a": "z"}, null, {"b": 2}], "ia": [[1, 2], [3, 4]]}',
	'{"r": {"b": 5}, "ra": null}', '{"r": {}, "ra": []}', '{"r": "(abc,42,2003-01-02)"}',
	'[{"a": "blurfl", "x": 43.2}, {"b": 3, "c": "2012-01-20 10:42:53"}]', '[{"a": {"z": true}}, {"b": "x"}]',
	'[{"x": 0, "y": 1}, {"x": 2, "y": 1}]', '[{"x": 0}, {"y": 3}, {}]', '[{"f1": "42"}, {"f2": "43"}]',
	'[{"i": 1}, {"i": null}]', '{"a": 1, "A": 2, "b b": 3, "é": 4, "0": 5}', '[{"0": 1}, {"é": 2, "b b": 1}]',
	'{"a": "1", "b": 2, "zz": [1, 2, 3], "c": "2012-01-20", "d": {"a": {"b": {"a": 5}}}}']);
SELECT id, q, jsonb, msgpack
  FROM rec_doc,
	   unnest(ARRAY[
		'SELECT * FROM %1$s_populate_record(NULL::rec_small, $1::%1$s)',
		'SELECT %1$s_populate_record(NULL::rec_small, $1::%1$s)',
		'SELECT * FROM %1$s_populate_record(row(''x'', 3, ''2012-12-31 15:30:56'')::rec_small, $1::%1$s)',
		'SELECT (%1$s_populate_record(row(''x'', 3, NULL)::rec_small, $1::%1$s)).b',
		'SELECT %1$s_populate_record(NULL::rec_strict, $1::%1$s)',
		'SELECT %1$s_populate_record(row(6)::rec_strict, $1::%1$s)',
		'SELECT %1$s_populate_record(NULL::rec_ordered, $1::%1$s)',
		'SELECT %1$s_populate_record(row(1, 2)::rec_ordered, $1::%1$s)',
		'SELECT %1$s_populate_record(NULL::record, $1::%1$s)',
		'SELECT %1$s_populate_record(row(1, 2), $1::%1$s)',
		'SELECT * FROM %1$s_populate_record(NULL::record, $1::%1$s) AS (x int, y int)',
		'SELECT * FROM %1$s_populate_record(row(1, ''a''::text), $1::%1$s) AS (f1 int, f2 text)',
		'SELECT * FROM %1$s_populate_record(row(1, 2), $1::%1$s) AS (f1 int, f2 text)',
		'SELECT * FROM %1$s_populate_record(row(1), $1::%1$s) AS (f1 int, f2 text)',
		'SELECT * FROM %1$s_populate_recordset(NULL::rec_small, $1::%1$s)',
		'SELECT %1$s_populate_recordset(NULL::rec_small, $1::%1$s)',
		'SELECT * FROM %1$s_populate_recordset(row(''def'', 99, NULL)::rec_small, $1::%1$s)',
		'SELECT %1$s_populate_recordset(NULL::rec_strict, $1::%1$s)',
		'SELECT %1$s_populate_recordset(NULL::rec_ordered, $1::%1$s)',
		'SELECT %1$s_populate_recordset(row(1, 2)::rec_ordered, $1::%1$s)',
		'SELECT * FROM %1$s_populate_recordset(row(1, 2)::rec_ordered, $1::%1$s)',
		'SELECT %1$s_populate_recordset(NULL::record, $1::%1$s)',
		'SELECT %1$s_populate_recordset(row(1, 2), $1::%1$s)',
		'SELECT i, %1$s_populate_recordset(row(i, 50), $1::%1$s) FROM generate_series(1, 2) i',
		'SELECT i, %1$s_populate_recordset(r, $1::%1$s) FROM (VALUES (1, row(1, 2)), (2, row(3, NULL::int))) v (i, r)',
		'SELECT * FROM %1$s_populate_recordset(NULL::record, $1::%1$s) AS (x int, y int)',
		'SELECT * FROM %1$s_populate_recordset(row(0, 0), $1::%1$s) AS (a text, b text)',
		'SELECT * FROM %1$s_populate_recordset(row(0), $1::%1$s) AS (a int, b int)',
		'SELECT * FROM %1$s_populate_recordset(row(0, 0, 0), $1::%1$s) AS (a int, b int)',
		'SELECT * FROM %1$s_populate_recordset(row(7, 50), $1::%1$s) AS (a int, b int)',
		'SELECT * FROM %1$s_to_record($1::%1$s) AS (a int, b text, d text)',
		'SELECT * FROM %1$s_to_record($1::%1$s) AS (a text, x int, y int, r rec_small, ra rec_small[], ia int[])',
		'SELECT * FROM %1$s_to_record($1::%1$s) AS ("A" int, "b b" int, "é" int, "0" text)',
		'SELECT * FROM %1$s_to_record($1::%1$s) AS (d jsonb, zz text, c date)',
		'SELECT * FROM %1$s_to_recordset($1::%1$s) AS (a text, b int, c timestamp)',
		'SELECT * FROM %1$s_to_recordset($1::%1$s) AS (x int, y int, f1 text)',
		'SELECT * FROM %1$s_to_recordset($1::%1$s) WITH ORDINALITY AS r (a, n)',
		'SELECT * FROM ROWS FROM (%1$s_to_recordset($1::%1$s) AS (a text, "é" int), generate_series(1, 2)) '
		'WITH ORDINALITY',
		'SELECT i, r.* FROM generate_series(1, 2) i, LATERAL %1$s_to_record($1::%1$s) AS r (a text, b text)',
		'SELECT %1$s_to_record($1::%1$s)', 'SELECT %1$s_to_recordset($1::%1$s)',
		'SELECT %1$s_populate_record(5, $1::%1$s)', 'SELECT %1$s_populate_recordset(5, $1::%1$s)',
		'SELECT %1$s_populate_record(NULL::rec_small, NULL)', 'SELECT %1$s_to_record(NULL) FROM (SELECT 1 OFFSET 1) x',
		'SELECT %1$s_populate_record(row(''x'', 3, NULL)::rec_small, NULL)',
		'SELECT %1$s_populate_recordset(row(''x'', 3, NULL)::rec_small, NULL)',
		'SELECT * FROM %1$s_to_recordset(NULL) AS (a int)', 'SELECT * FROM %1$s_to_record(NULL) AS (a int)']) q,
	   pg_temp.outcome(q, 'jsonb', doc) AS jsonb, pg_temp.outcome(q, 'msgpack', doc) AS msgpack
 WHERE jsonb IS DISTINCT FROM msgpack
   -- an array is a positional row
   AND NOT (jsonb = '22023' AND doc ~ '^\[');

-- marked as jsonb's functions are: no rows
SELECT j.oid::regprocedure
  FROM pg_proc j
 WHERE j.pronamespace = 'pg_catalog'::regnamespace
   AND j.proname IN ('jsonb_populate_record', 'jsonb_populate_recordset', 'jsonb_to_record', 'jsonb_to_recordset')
   AND NOT EXISTS (
		SELECT FROM pg_proc m
		 WHERE m.proname = replace(j.proname, 'jsonb', 'msgpack')
		   AND (m.provolatile, m.proparallel, m.proisstrict, m.proretset) =
			   (j.provolatile, j.proparallel, j.proisstrict, j.proretset)
		   AND replace(pg_get_function_result(m.oid), 'msgpack', 'jsonb') = pg_get_function_result(j.oid));

-- errors
SELECT msgpack_populate_record(NULL::rec_small, '5');
SELECT * FROM msgpack_to_record('"a"') AS (a int);
SELECT * FROM msgpack_to_recordset('{}') AS (a int);
SELECT * FROM msgpack_populate_recordset(NULL::rec_small, '[{}, 1]');
SELECT msgpack_populate_record(1, '{}');
SELECT msgpack_to_record('{}');
SELECT msgpack_populate_recordset(NULL::record, '[]');
SELECT * FROM msgpack_populate_recordset(row(0), '[{}]') AS (a int, b int);
-- rows of the first call's type are expected of all; jsonb's function lets a number be read as a pointer
SELECT msgpack_populate_recordset(r, '[{}]') FROM (VALUES (row('abc'::text)), (row(12345678))) v (r);
SELECT f.* FROM (VALUES (row('abc'::text)), (row(12345678))) v (r), msgpack_populate_recordset(r, '[{}]') AS f (a text);
SELECT msgpack_populate_record(NULL::rec_all, '{"ia": 5}');
SELECT msgpack_populate_record(NULL::rec_all, '{"ia": [[1], 2]}');
SELECT msgpack_populate_record(NULL::rec_all, '{"ia2": [[1, 2], [3]]}');
SELECT msgpack_populate_record(NULL::rec_all, '{"paira": [{"x": 2, "y": 1}]}');
SELECT msgpack_populate_record(NULL::rec_strict, '{}');
SELECT * FROM msgpack_to_record('{"a": [[[[[[[1]]]]]]]}') AS (a int[]);
SELECT * FROM msgpack_to_record('{"a": 1.5}') AS (a int);
SELECT * FROM msgpack_to_record('{"a": 1e10}') AS (a int);

-- types that MessagePack has, from the bytes
SELECT * FROM msgpack_to_record('{"i": 5_u64, "n": 1.10, "f": 0.1_f32, "d": 0.1_f32, "b": h`00ff`, "m": {1: h`00`_16},
	"t": DT`2026-11-30T17:13:31.123456789Z`, "j": {2: [h`00`]}, "k": "s", "x": 18446744073709551615, "nan": NaN}')
	AS (i int, n numeric, f real, d double precision, b bytea, m msgpack, t timestamptz, j jsonb, k json, x numeric,
		nan double precision);
-- typmods apply
SELECT * FROM msgpack_to_record('{"n": 1.256, "t": DT`2026-11-30T17:13:31.6Z`, "v": "ab ", "c": "ab", "na": [1.26]}')
	AS (n numeric(4, 2), t timestamptz(0), v varchar(2), c char(4), na numeric(2, 1)[]);
SELECT * FROM msgpack_to_record('{"n": 123.4}') AS (n numeric(4, 2));
-- a float that is an integer is one, whatever the column
SELECT * FROM msgpack_to_record('{"a": 7.0, "b": -7.0_f32, "c": 9223372036854774784.0, "d": 7.0}')
	AS (a smallint, b int, c bigint, d text);
-- moments as strings are what timestamptz makes of them, whatever the settings: no rows
CREATE TEMP VIEW rec_moment AS
SELECT v, jsonb, msgpack
  FROM unnest(ARRAY['2026-11-30T17:13:31Z', '2026-11-30T17:13:31.5Z', '2026-11-30T17:13:31.123456Z', '0001-01-01T00:00:00Z',
		'2026-11-30T17:13:31.1234565Z', '2026-11-30T17:13:31.1234564Z', '2026-11-30T17:13:31.123456789Z', '9999-12-31T23:59:59Z',
		'2026-11-30T17:13:31+02:00', '2026-11-30T17:13:31.25-05:30', '2026-11-30T17:13:31+15:59', '2026-11-30T17:13:31+16:00',
		'2026-11-30T17:13:31-23:00', '2024-02-29T00:00:00Z', '2023-02-29T00:00:00Z', '2026-13-01T00:00:00Z', '2026-11-30T24:00:00Z',
		'2026-11-30T17:13:60Z', '2026-11-30T17:13:31z', '2026-11-30T17:13:31', '2026-11-30 17:13:31Z', '2026-11-30T17:13:31 Z',
		'2026-11-30T17:13:31Z ', '2026-11-30T17:13Z', '20261130T171331Z', '2026-11-30T17:13:31.Z', '2026-11-30T17:13:31+0200',
		'0000-01-01T00:00:00Z', '10000-01-01T00:00:00Z', '2026-11-30T17:13:31+02', 'infinity', '2026-11-30T17:13:31-00:00']) v,
	   pg_temp.outcome('SELECT * FROM %1$s_to_record(format(''{"a": "%%s"}'', $1)::%1$s) AS (a timestamptz)', 'jsonb', v) AS jsonb,
	   pg_temp.outcome('SELECT * FROM %1$s_to_record(format(''{"a": "%%s"}'', $1)::%1$s) AS (a timestamptz)', 'msgpack', v) AS msgpack
 WHERE jsonb IS DISTINCT FROM msgpack;
SELECT * FROM rec_moment;
SET DateStyle = 'German';
SELECT * FROM rec_moment;
SET TimeZone = 'America/New_York';
SET DateStyle = 'ISO, DMY';
SELECT * FROM rec_moment;
DROP VIEW rec_moment;
SET DateStyle = 'ISO';
SET TimeZone = 'UTC';

-- what PostgreSQL has no type for is text, as ->> gives it
SELECT * FROM msgpack_to_record('{"a": DT`2026-11-30T17:13:31.5Z`, "b": DT`2026-11-30T17:13:31.5Z`, "c": ext(5, h`00`),
	"d": h`00ff`, "e": {1: 2_u16}, "f": "\u00e9"}') AS (a text, b timestamp, c text, d text, e text, f varchar);
SELECT * FROM msgpack_to_record('{"a": "\u0000"}') AS (a text);
SELECT * FROM msgpack_to_record('{"a": str`ff`}') AS (a text);
SELECT * FROM msgpack_to_record('{"a": str`ff`, "b": 1}') AS (a msgpack, b int);

-- keys: a string first, then a binary, then an integer, of the column's name; of equal ones the last
SELECT * FROM msgpack_to_record('{''a'': 1, 7: 2, -5: 3, 1.5: 4, null: 5, true: 6, [1]: 7, 8.0: 8}')
	AS (a int, "7" int, "-5" int, "1.5" int, "null" int, "true" int, "[1]" int, "8" int, "07" int);
SELECT * FROM msgpack_to_record('{7: "integer", "7": "string", ''7'': "binary"}') AS ("7" text);
SELECT * FROM msgpack_to_record('{"7": "string", ''7'': "binary", 7: "integer"}') AS ("7" text);
SELECT * FROM msgpack_to_record('{7: "integer", ''7'': "binary"}') AS ("7" text);
SELECT * FROM msgpack_to_record('{_dup "a": 1, "b": 2, "a": 3, "r": {_dup "a": "x", "a": "y"}}')
	AS (a int, b int, r rec_small);
-- keys in another order in each row, more of them than columns, and long ones
SELECT * FROM msgpack_to_recordset(('[{"a": 1, "b": 2, "c": 3}, {"c": 3, "b": 2, "a": 1}, {"x": 0, "a": 1, "y": 0, "c": 3},
	{"b": 2}, {"x1": 0, "x2": 0, "x3": 0, "x4": 0, "x5": 0, "x6": 0, "x7": 0, "c": 3, "b": 2, "a": 1},
	{"' || repeat('a', 100) || '": 0, "a": 1}]')::msgpack) AS (a int, b int, c int);

-- positional rows: the elements are the columns in order
SELECT * FROM msgpack_to_record('[1, "x", null, 2.5]') AS (a int, b text, c text, d numeric);
SELECT * FROM msgpack_to_record('[1]') AS (a int, b text);
SELECT * FROM msgpack_to_record('[1, 2, 3]') AS (a int);
SELECT msgpack_populate_record(row('x', 3, '2012-12-31')::rec_small, '["y"]'),
	   msgpack_populate_record(row('x', 3, '2012-12-31')::rec_small, '["y", null, null]'),
	   msgpack_populate_record(row('x', 3, '2012-12-31')::rec_small, '[]');
SELECT * FROM msgpack_to_recordset('[[1, "a"], {"b": "b", "a": 2}, [3]]') AS (a int, b text);
SELECT * FROM msgpack_to_record('[["x", 1], [["y", 2], ["z", 3], {"a": "w"}, null, "(v,4,)"], [[1, 2], [3, 4]]]')
	AS (r rec_small, ra rec_small[], ia int[]);
SELECT msgpack_populate_record(NULL::rec_ordered, '[2, 1]');
SELECT msgpack_populate_record(NULL::rec_strict, '[]');

-- a base row shines through, at every depth
CREATE TYPE rec_outer AS (n int, r rec_small, o rec_ordered);
SELECT msgpack_populate_record(row(1, row('x', 2, '2012-12-31'), row(1, 2))::rec_outer, '{"r": {"b": 7}, "o": {"y": 5}}'),
	   jsonb_populate_record(row(1, row('x', 2, '2012-12-31'), row(1, 2))::rec_outer, '{"r": {"b": 7}, "o": {"y": 5}}');
SELECT msgpack_populate_record(row(1, row('x', 2, '2012-12-31'), row(1, 2))::rec_outer, '{"o": {"x": 5}}');

-- dropped and added columns
CREATE TABLE rec_table (a int, b text, c rec_positive, d text);
ALTER TABLE rec_table DROP COLUMN b;
SELECT * FROM msgpack_populate_record(NULL::rec_table, '{"a": 1, "b": "gone", "c": 2, "d": "x"}');
SELECT * FROM msgpack_populate_recordset(NULL::rec_table, '[[1, 2, "x"], {"d": "y"}]');
SELECT msgpack_populate_record(t, '{"a": 5}') FROM (VALUES (1, 2, 'x')) v (a, c, d), LATERAL (SELECT (a, c, d)::rec_table t) w;
-- a plan that lives on sees the type change
CREATE FUNCTION pg_temp.rec_last(m msgpack) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	r rec_table;
BEGIN
	r := msgpack_populate_record(NULL::rec_table, m);
	RETURN r::text;
END
$$;
SELECT pg_temp.rec_last('{"a": 1, "d": "x", "e": "new"}');
ALTER TABLE rec_table ADD COLUMN e text;
SELECT pg_temp.rec_last('{"a": 1, "d": "x", "e": "new"}');
ALTER TABLE rec_table DROP COLUMN a;
SELECT pg_temp.rec_last('{"a": 1, "d": "x", "e": "new"}');
DROP FUNCTION pg_temp.rec_last(msgpack);
DROP TABLE rec_table;

-- type information is kept between calls, and gives way when the row's type changes
CREATE TEMP TABLE rec_rows AS SELECT i, ('{"f1": ' || i || ', "f2": "' || i || '", "r": {"a": ' || i || '}}')::msgpack AS m
  FROM generate_series(1, 6) i;
SELECT i, msgpack_populate_record(CASE i % 3 WHEN 0 THEN row(0, 0) WHEN 1 THEN row(''::text, 0, 0) ELSE row(0.5::float8) END, m)
  FROM rec_rows ORDER BY i;
SELECT i, r.* FROM rec_rows, msgpack_to_record(m) AS r (f1 numeric, f2 int, r rec_small) ORDER BY i;

-- a long map is not read but looked into, also where it lies in TOAST: the same rows
CREATE TABLE rec_long (id serial, m msgpack, j jsonb);
ALTER TABLE rec_long ALTER m SET STORAGE EXTERNAL;
INSERT INTO rec_long (m, j)
SELECT d::msgpack, d::jsonb
  FROM (SELECT '{' || string_agg(format('"key%s": %s', i, v), ', ') || ', "r": {"a": "x", "b": 5}, "ra": [{"b": 1}, null]}'
		  FROM generate_series(1, 1000) i, (VALUES ('1'), ('"' || repeat('text ', 20) || '"'), ('[1, null, 3]')) v (v)
		 GROUP BY v ORDER BY v COLLATE "C") d (d);
INSERT INTO rec_long (m, j) SELECT ('{_dup "key7": 0, ' || substr(m::text, 2))::msgpack, j FROM rec_long;
ALTER TABLE rec_long ALTER m SET STORAGE EXTENDED;
INSERT INTO rec_long (m, j) SELECT m::bytea::msgpack, j FROM rec_long;
SELECT id, m.*, j.*
  FROM rec_long, msgpack_to_record(m) AS m (key7 text, key1000 jsonb, r rec_small, ra rec_small[], nothing int),
	   jsonb_to_record(j) AS j (key7 text, key1000 jsonb, r rec_small, ra rec_small[], nothing int)
 WHERE m IS DISTINCT FROM j;
SELECT id FROM rec_long
 WHERE msgpack_populate_record(row(NULL, row('base', 1, '2020-01-01'), row(1, 2))::rec_outer, m)::text <>
	   jsonb_populate_record(row(NULL, row('base', 1, '2020-01-01'), row(1, 2))::rec_outer, j)::text;
SELECT id, count(*), count(DISTINCT key1) FROM rec_long, generate_series(1, 3), msgpack_to_record(m) AS r (key1 text, key2 text)
 GROUP BY id ORDER BY id LIMIT 2;
SELECT r.* FROM rec_long, msgpack_to_record(m) AS r (nothing rec_not_null) WHERE id = 1;
SELECT key500, m ->> 'key501' = key501 AS same FROM rec_long, msgpack_to_record(m) AS r (key500 int, key501 text, "7" int)
 WHERE m -> 'key1' = '1' ORDER BY id;
DROP TABLE rec_long;

-- many columns, many rows, more than work_mem
SET work_mem = '64kB';
SELECT count(*), sum(a), sum(length(t)), count(m), sum(cardinality(l))
  FROM (SELECT msgpack_agg(format('{"a": %s, "t": "%s", "m": {"x": [%s]}, "l": [1, 2, %s]}', i, repeat('x', i % 50), i, i)::msgpack)
		  FROM generate_series(1, 5000) i) d (doc), msgpack_to_recordset(doc) AS (a int, t text, m msgpack, l int[]);
RESET work_mem;

DROP TABLE rec_rows, rec_doc, rec_value;
DROP TYPE rec_outer, rec_strict, rec_all, rec_mood;
DROP DOMAIN rec_ordered, rec_wide, rec_three, rec_positive, rec_not_null;
DROP TYPE rec_pair, rec_small;
RESET DateStyle;
RESET TimeZone;
