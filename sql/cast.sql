--
-- Casts to SQL types: where jsonb has the same value, side by side.
--
CREATE FUNCTION pg_temp.outcome(query text, doc text) RETURNS text LANGUAGE plpgsql
	SET max_parallel_workers_per_gather = 0 AS $$  -- thousands of plans: no worker for each
DECLARE
	result text;
BEGIN
	EXECUTE query INTO result USING doc;
	RETURN coalesce(result, 'NULL');
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate;
END
$$;

-- numbers, rounded to integers half away from zero, to the ends of each range: no rows
CREATE TEMP TABLE cast_doc (v text);
INSERT INTO cast_doc
SELECT v FROM unnest(ARRAY['0', '1', '-1', '127', '-128', '255', '32767', '32768', '-32768', '-32769',
	'65535', '2147483647', '2147483648', '-2147483648', '-2147483649', '4294967295',
	'9223372036854775807', '9223372036854775808', '-9223372036854775808', '18446744073709551615',
	'0.5', '-0.5', '1.5', '2.5', '-1.5', '-2.5', '0.4999999999999999', '0.49999999999999994',
	'32767.4', '32767.5', '-32768.5', '-32768.4', '2147483647.4', '2147483647.5', '-2147483648.5',
	'1.25', '3.141592653589793', '1e10', '1.5e300', '-1.5e300', '5e-324', '1e-46', '3.4e38',
	'3.5e38', '1e39', '0.1', '123456789.1234568', '4503599627370495.5',
	'true', 'false', '"1"', '"true"', '""', '[]', '[1]', '{}', '{"a": 1}']) v;
INSERT INTO cast_doc
SELECT ((i * 2654435761) % 200003 - 100000) || '.' || (i * 40503 % 10007) FROM generate_series(1, 500) i;

SELECT v, t, jsonb, msgpack
  FROM cast_doc, unnest(ARRAY['bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric']) t,
	   pg_temp.outcome(format('SELECT $1::jsonb::%s', t), v) AS jsonb,
	   pg_temp.outcome(format('SELECT $1::msgpack::%s', t), v) AS msgpack
 WHERE CASE WHEN t = 'numeric' AND jsonb ~ '^-?[0-9.]+$' THEN jsonb::numeric <> msgpack::numeric
	   ELSE jsonb IS DISTINCT FROM msgpack END;
SELECT t, count(*) FILTER (WHERE o !~ '^22...$') AS values, count(*) FILTER (WHERE o ~ '^22...$') AS errors
  FROM cast_doc, unnest(ARRAY['bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric']) t,
	   pg_temp.outcome(format('SELECT $1::msgpack::%s', t), v) AS o
 GROUP BY t ORDER BY t;
DROP TABLE cast_doc;

-- nil is NULL, whatever the type
SELECT 'null'::msgpack::bool IS NULL AND 'null'::msgpack::int2 IS NULL AND
	   'null'::msgpack::int4 IS NULL AND 'null'::msgpack::int8 IS NULL AND
	   'null'::msgpack::float4 IS NULL AND 'null'::msgpack::float8 IS NULL AND
	   'null'::msgpack::numeric IS NULL AND 'null'::msgpack::timestamptz IS NULL AS all_null,
	   NULL::msgpack::int4 AS null;

-- every encoding of a number
SELECT v, v::msgpack::int4, v::msgpack::float8, v::msgpack::numeric
  FROM unnest(ARRAY['7', '7_u8', '7_u16', '7_u32', '7_u64', '7_i8', '7_i16', '7_i32', '7_i64', '7.0',
					'7.0_f32', '-7', '-7_i16', '-7_i64', '-0.0']) v;

-- integers beyond 64 bits signed, and floats by their exact value
SELECT '18446744073709551615'::msgpack::numeric, '18446744073709551615'::msgpack::float8,
	   '4611686018427387904.0'::msgpack::int8, '-9223372036854775808.0'::msgpack::int8;
SELECT '9223372036854775808.0'::msgpack::int8;
SELECT '18446744073709551615'::msgpack::int8;
-- rounded once: this is just above halfway between two reals, but its double precision is halfway
-- (beside bigint's own cast, which valgrind rounds twice)
SELECT '9007199791611905'::msgpack::float4 = 9007199791611905::float4 AS once, '9007199791611905'::msgpack::float8::float4 AS twice;

-- a float 32 is widened exactly, and is a numeric by its own shortest digits
SELECT '0.1_f32'::msgpack::float4, '0.1_f32'::msgpack::float8, '0.1_f32'::msgpack::numeric,
	   '0.1'::msgpack::numeric, '1e22'::msgpack::numeric, '1.0'::msgpack::numeric;

-- what no integer is
SELECT v, v::msgpack::float4, v::msgpack::float8, v::msgpack::numeric
  FROM unnest(ARRAY['NaN', 'Infinity', '-Infinity', 'NaN_f32', '-Infinity_f32',
					'float`fff8000000000001`']) v;
SELECT 'NaN'::msgpack::int2;
SELECT 'Infinity'::msgpack::int8;
SELECT '-1e300'::msgpack::float4;
SELECT '1e-300'::msgpack::float4;

-- timestamps, to the nearest microsecond
SET TimeZone = 'UTC';
SELECT v, v::msgpack::timestamptz
  FROM unnest(ARRAY['DT`1970-01-01T00:00:00Z`', 'DT`1969-12-31T23:59:59.9999995Z`',
					'DT`2026-11-30T17:13:31.5+02:00`', 'DT`2026-11-30T17:13:31.123456499Z`',
					'DT`2026-11-30T17:13:31.1234565Z`', 'DT`2026-11-30T23:59:59.999999999Z`',
					'DT`0001-01-01T00:00:00Z`', 'DT`9999-12-31T23:59:59Z`',
					'DT`2000-01-01T00:00:00Z`_96']) v;
-- before year 1 and after 9999 too
SELECT s, msgpack_ext(-1, '\x00000000' || int8send(s))::timestamptz,
	   msgpack_ext(-1, '\x00000000' || int8send(s))::timestamptz = to_timestamp(s) AS right
  FROM unnest(ARRAY[-63517824000, -62135596801, -1, 0, 253402300800, 9124000000000]) s;
-- the first and the last moment that PostgreSQL has, and beyond
SELECT msgpack_ext(-1, '\x00000000' || int8send(-210866803200))::timestamptz;
SELECT msgpack_ext(-1, '\x00000000' || int8send(-210866803201))::timestamptz;
SELECT msgpack_ext(-1, '\x3b9ac618' || int8send(9224318015999))::timestamptz;
SELECT msgpack_ext(-1, '\x3b9ac9ff' || int8send(9224318015999))::timestamptz;
SELECT msgpack_ext(-1, '\x00000000' || int8send(9223372036854775807))::timestamptz;
SELECT msgpack_ext(-1, '\x00000000' || int8send(-9223372036854775808))::timestamptz;
RESET TimeZone;

-- errors name the type that was found
SELECT 'true'::msgpack::int4;
SELECT '1'::msgpack::bool;
SELECT '1.5'::msgpack::bool;
SELECT '"1"'::msgpack::numeric;
SELECT 'h`00`'::msgpack::float8;
SELECT 'DT`2020-01-01T00:00:00Z`'::msgpack::int8;
SELECT 'ext(5, h`00`)'::msgpack::timestamptz;
SELECT '[1]'::msgpack::int2;
SELECT '{"a": 1}'::msgpack::float4;
SELECT '"2020-01-01"'::msgpack::timestamptz;
SELECT '40000'::msgpack::int2;
SELECT '3e9'::msgpack::int4;

-- not one of these casts happens by itself
\set VERBOSITY terse
SELECT '5'::msgpack + 1;  -- terse: the hint is another from 19 on
\set VERBOSITY default
CREATE TEMP TABLE cast_target (i int);
INSERT INTO cast_target VALUES ('5'::msgpack);
DROP TABLE cast_target;

-- and they fold and index as immutable
CREATE TEMP TABLE cast_index (m msgpack);
INSERT INTO cast_index SELECT i::text::msgpack FROM generate_series(1, 100) i;
CREATE INDEX ON cast_index ((m::int8));
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT m FROM cast_index WHERE m::int8 = 42;
SELECT m FROM cast_index WHERE m::int8 = 42;
RESET enable_seqscan;
DROP TABLE cast_index;
