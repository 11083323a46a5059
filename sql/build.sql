-- Constructors.

-- to_msgpack: every kind of type
SET timezone = 'Europe/Berlin';
SELECT to_msgpack(true), to_msgpack(1::int2), to_msgpack(-1), to_msgpack(9223372036854775807);
SELECT to_msgpack(1.5::float4), to_msgpack(0.1::float8), to_msgpack('NaN'::float8),
	to_msgpack('-Infinity'::float4);
-- a numeric of scale 0 is an integer as far as 64 bits go, all else the nearest float
SELECT n, to_msgpack(n) FROM unnest(ARRAY[0, -5, 5.0, 5.25, 18446744073709551615,
	18446744073709551616, -9223372036854775808, 1e20, 0.1234567890123456789,
	'NaN', 'Infinity', '-Infinity']::numeric[]) n;
SELECT to_msgpack(1e400::numeric);
SELECT to_msgpack('text'::text), to_msgpack('v'::varchar(3)), to_msgpack('c'::char(3)),
	to_msgpack('name'::name), to_msgpack(''::text), to_msgpack('"q"'::text);
SELECT to_msgpack('\x00ff'::bytea), to_msgpack(''::bytea);
SELECT to_msgpack('2026-11-30 17:13:31.5+00'::timestamptz),
	to_msgpack('1969-12-31 23:59:59.999999+00'::timestamptz),
	to_msgpack('4713-01-01 00:00:00+00 BC'::timestamptz);
SELECT bytea(to_msgpack('1970-01-01 00:00:00+00'::timestamptz)),
	bytea(to_msgpack('2200-01-01 00:00:00+00'::timestamptz)),
	bytea(to_msgpack('1969-12-31 23:59:59+00'::timestamptz));
SELECT to_msgpack('infinity'::timestamptz), to_msgpack('-infinity'::timestamptz),
	to_msgpack('infinity'::timestamp), to_msgpack('infinity'::date);
SELECT to_msgpack('2026-11-30'::date), to_msgpack('2026-11-30 17:13:31.5'::timestamp),
	to_msgpack('17:13:31'::time);
SELECT to_msgpack('{"b": [1, 2.5, "x", null], "a": {}}'::jsonb),
	to_msgpack('{"b": [1, 2.5, "x", null], "a": {}, "b": 1}'::json),
	to_msgpack('{1: h''00'', "a": 7_u64}'::msgpack);
SELECT to_msgpack('1e400'::json);
SELECT to_msgpack(NULL::int), to_msgpack('00000000-0000-0000-0000-000000000001'::uuid),
	to_msgpack('[1,5)'::int4range), to_msgpack('1 day'::interval), to_msgpack('1.2.3.4'::inet),
	to_msgpack(1::oid), to_msgpack('pg_class'::regclass);
SELECT to_msgpack('x');

-- arrays
SELECT to_msgpack(ARRAY[1, NULL, 3]), to_msgpack('{}'::int[]), to_msgpack(ARRAY['a', NULL]);
SELECT to_msgpack(ARRAY[[1, 2, 3], [4, 5, 6]]), to_msgpack(ARRAY[[[1], [2]], [[3], [4]], [[5], [6]]]);
SELECT to_msgpack('[5:6]={1,2}'::int[]), to_msgpack(ARRAY['\x01'::bytea]);
SELECT to_msgpack(ARRAY[ROW(1, 'a'), ROW(2, NULL)]), to_msgpack(ARRAY['{"a": 1}'::jsonb]);
SELECT to_msgpack(array_agg(i)) = '[1, 2, 3]' FROM generate_series(1, 3) i;
-- a column of anyarray has arrays of several types
CREATE TABLE sampled (a int, b text);
INSERT INTO sampled SELECT (i % 6) / 3 + (i % 6) / 5, 'b' || (i % 3) / 2 FROM generate_series(0, 59) i;
ANALYZE sampled;
SELECT row_to_msgpack(s)->'stavalues1' AS common FROM pg_statistic s
	WHERE starelid = 'sampled'::regclass ORDER BY staattnum;
DROP TABLE sampled;

-- composites, domains, enums
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN small AS int CHECK (VALUE < 10);
CREATE DOMAIN blob AS bytea;
CREATE TYPE part AS (n small, m mood);
CREATE DOMAIN part_domain AS part;
CREATE TABLE whole (id int, gone text, p part, ps part[], d part_domain, b blob, doc msgpack);
ALTER TABLE whole DROP COLUMN gone;
INSERT INTO whole VALUES (1, (2, 'sad'), ARRAY[(3, 'happy'), NULL]::part[], (4, NULL), '\xff', '[1]'),
	(2, NULL, NULL, NULL, NULL, NULL);
SELECT to_msgpack(w) FROM whole w ORDER BY id;
SELECT row_to_msgpack(w) = to_msgpack(w) AS same FROM whole w;
SELECT row_to_msgpack(ROW(1, 'x', ROW(2, NULL), NULL)), row_to_msgpack(ROW());
SELECT row_to_msgpack(t) FROM (SELECT 1 AS a, 2 AS b, 3 AS a) t;
SELECT to_msgpack(r) FROM (SELECT ROW(1) UNION ALL SELECT ROW(1, 2) UNION ALL SELECT ROW('x')) s(r);
SELECT to_msgpack(ARRAY[ROW(1, 2)::record, ROW('a')::record, ROW(3, 4)::record]);
-- a row type that changes while the call site lives
DO $$
BEGIN
	FOR i IN 1 .. 2 LOOP
		RAISE NOTICE '%', (SELECT string_agg(to_msgpack(w)::text, ' ' ORDER BY id) FROM whole w);
		ALTER TABLE whole ADD COLUMN extra int DEFAULT 7;
		ALTER TABLE whole DROP COLUMN doc;
		EXIT WHEN i = 1;
	END LOOP;
	RAISE NOTICE '%', (SELECT string_agg(to_msgpack(w)::text, ' ' ORDER BY id) FROM whole w);
END
$$;

-- types with a cast to msgpack, or to json
CREATE TYPE pt AS (x int, y int);
CREATE FUNCTION pt_to_msgpack(pt) RETURNS msgpack LANGUAGE sql IMMUTABLE
	AS $$SELECT CASE WHEN $1.x <> 0 THEN msgpack_build_array($1.x, $1.y) END$$;
SELECT to_msgpack((1, 2)::pt);
CREATE CAST (pt AS msgpack) WITH FUNCTION pt_to_msgpack(pt);
SELECT to_msgpack((1, 2)::pt), to_msgpack(ARRAY[(1, 2), (0, 2), NULL]::pt[]);
CREATE TYPE level AS ENUM ('low', 'high');
CREATE FUNCTION level_to_json(level) RETURNS json LANGUAGE sql IMMUTABLE
	AS $$SELECT json_build_object('level', $1::text)$$;
CREATE CAST (level AS json) WITH FUNCTION level_to_json(level);
SELECT to_msgpack('low'::level), to_jsonb('low'::level);
DROP TYPE pt, level CASCADE;

-- msgpack_build_array
SELECT msgpack_build_array(), msgpack_build_array(NULL), msgpack_build_array(1, 'a', NULL, ARRAY[1]);
SELECT msgpack_build_array(VARIADIC ARRAY['a', NULL]), msgpack_build_array(VARIADIC '{}'::int[]),
	msgpack_build_array(VARIADIC NULL::int[]);
SELECT msgpack_build_array(VARIADIC a) FROM (VALUES (ARRAY[1]), (ARRAY[1, 2, 3]), ('{}')) v(a);

-- msgpack_build_object
SELECT msgpack_build_object(), msgpack_build_object('a', 1, 'b', NULL, 'c', ARRAY[1]);
SELECT msgpack_build_object(1, 2, true, 3, 1.5, 4, '2026-11-30'::date, 5, 'x'::name, 6,
	'2026-11-30 12:00:00+00'::timestamptz, 7, '\x00'::bytea, 8);
SELECT msgpack_build_object('a', 1, 'b', 2, 'a', 3);
SELECT msgpack_build_object(VARIADIC ARRAY['a', 'b', 'c', NULL]),
	msgpack_build_object(VARIADIC NULL::text[]);
SELECT msgpack_build_object('a');
SELECT msgpack_build_object('a', 1, NULL, 2);
SELECT msgpack_build_object(ARRAY[1], 2);
SELECT msgpack_build_object(ROW(1), 2);
SELECT msgpack_build_object('1'::json, 2);
SELECT msgpack_build_object('1'::jsonb, 2);
SELECT msgpack_build_object('1'::msgpack, 2);

-- msgpack_build_map
SELECT msgpack_build_map(), msgpack_build_map(1, 'a', '\x00'::bytea, 'b', true, 'c', 's', 'd');
SELECT msgpack_build_map(1.5, 1, '2026-11-30 12:00:00+00'::timestamptz, 2, 'null'::msgpack, 3,
	'{"k": [1]}'::msgpack, 4, ARRAY[1, 2], 5);
-- keys are equal by value: the last value at the first one's place
SELECT msgpack_build_map(1, 'a', 's', 'b', 1.0::float8, 'c', '1_u16'::msgpack, 'd');
SELECT msgpack_build_map('[1, {"a": 1, "b": 2}]'::msgpack, 'a', '[1]'::msgpack, 'b',
	'[1.0, {"b": 2, "a": 1}]'::msgpack, 'c');
SELECT msgpack_build_map('a');
SELECT msgpack_build_map(NULL, 1);
SELECT msgpack_build_map(VARIADIC ARRAY[1, 2, 3]);
SELECT msgpack_build_map(VARIADIC ARRAY[1, 2, 3, NULL]), msgpack_build_map(VARIADIC NULL::int[]);

-- msgpack_object
SELECT msgpack_object('{a,1,b,NULL,"c d",""}'), msgpack_object('{}'), msgpack_object('{{a,1},{b,2}}');
SELECT msgpack_object('{a,1,b,2,a,3}');
SELECT msgpack_object('{a,b}', '{1,NULL}'), msgpack_object('{}', '{}');
SELECT msgpack_object('{a}');
SELECT msgpack_object('{{a,b,c}}');
SELECT msgpack_object('{{{a,b},{c,d}}}');
SELECT msgpack_object('{NULL,1}');
SELECT msgpack_object('{a,b}', '{1}');
SELECT msgpack_object('{{a,b}}', '{{1,2}}');
SELECT msgpack_object('{a}', '{}');
SELECT msgpack_object('{NULL}', '{1}');

-- many keys, and many that repeat
SELECT msgpack_size(msgpack_object(array_agg(i::text), array_agg(i::text))) FROM generate_series(1, 1000) i;
SELECT msgpack_object(array_agg((i % 20)::text), array_agg(i::text)) FROM generate_series(1, 1000) i;

-- what is irregular stays irregular, what drops out of sight does not count
SELECT msgpack_check(msgpack_build_array('{_dup "a": 1, "a": 2}'::msgpack)) IS NOT NULL AS irregular,
	msgpack_check(msgpack_build_object('k', msgpack(bytea '\xa1ff'))) IS NOT NULL AS irregular,
	msgpack_check(msgpack_build_object('k', msgpack(bytea '\xa1ff'), 'k', 1)) IS NOT NULL AS irregular,
	msgpack_check(msgpack_build_map('[1]'::msgpack, 1, '[1]'::msgpack, 2)) IS NOT NULL AS irregular;
SELECT msgpack_build_array('{_dup "a": 1, "a": 2}'::msgpack, msgpack(bytea '\xa1ff'));

-- depth: 1,024 containers and no more
CREATE FUNCTION nested(depth int) RETURNS msgpack LANGUAGE sql IMMUTABLE
	AS $$SELECT msgpack(decode(repeat('91', depth) || '01', 'hex'))$$;
SELECT msgpack_size(msgpack_build_array(nested(1023)));
SELECT msgpack_build_array(nested(1024));
SELECT msgpack_size(to_msgpack(ARRAY[[nested(1022)]]));
SELECT to_msgpack(ARRAY[[nested(1023)]]);
SELECT msgpack_build_object('a', ROW(nested(1023)));
SELECT msgpack_build_array((repeat('[', 1100) || repeat(']', 1100))::json);
SELECT msgpack_build_array((repeat('[', 1024) || repeat(']', 1024))::json);

DROP FUNCTION nested;
DROP TABLE whole;
DROP DOMAIN part_domain, blob;
DROP TYPE part, mood;
DROP DOMAIN small;
RESET timezone;

-- a type whose values are those of msgpack, by a cast without a function
SET client_min_messages = warning;
CREATE TYPE raw;
CREATE FUNCTION raw_in(cstring) RETURNS raw IMMUTABLE STRICT LANGUAGE internal AS 'byteain';
CREATE FUNCTION raw_out(raw) RETURNS cstring IMMUTABLE STRICT LANGUAGE internal AS 'byteaout';
CREATE TYPE raw (INPUT = raw_in, OUTPUT = raw_out, STORAGE = extended);
CREATE CAST (raw AS msgpack) WITHOUT FUNCTION;
SELECT to_msgpack('\x93010203'::raw), msgpack_agg(r), to_msgpack(array_agg(r))
FROM (VALUES ('\x81a16101'::raw)) v(r);
DROP TYPE raw CASCADE;
RESET client_min_messages;

-- the type is found by its name
BEGIN;
ALTER TYPE msgpack RENAME TO renamed;
SELECT to_msgpack(1);
ROLLBACK;
