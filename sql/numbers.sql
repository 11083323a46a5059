-- Numbers in text: integers as far as 64 bits go, floats by their shortest digits.

CREATE FUNCTION pg_temp.shown(VARIADIC forms text[])
RETURNS TABLE (form text, bytes bytea, printed text, back boolean)
LANGUAGE sql AS $$
  SELECT f, f::msgpack::bytea, f::msgpack::text,
         f::msgpack::text::msgpack::bytea = f::msgpack::bytea
  FROM unnest(forms) f
$$;

CREATE FUNCTION pg_temp.fault(form text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  message text;
  detail text;
BEGIN
  RETURN 'accepted as ' || form::msgpack::text;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
  RETURN SQLSTATE || ' ' || message || ': ' || detail;
END $$;

-- integers: every border
SELECT * FROM pg_temp.shown('0', '-0', '127', '128', '255', '256', '65535', '65536', '4294967295',
  '4294967296', '9223372036854775807', '9223372036854775808', '18446744073709551615',
  '-1', '-32', '-33', '-128', '-129', '-32768', '-32769', '-2147483648', '-2147483649',
  '-9223372036854775808');
-- beyond 64 bits: a float 64, if that keeps the digits
SELECT * FROM pg_temp.shown('100000000000000000000', '-100000000000000000000', '1e20',
  '123456789012345700000000', '1' || repeat('0', 308));
SELECT form, pg_temp.fault(form) FROM unnest(ARRAY[
  '18446744073709551616', '-9223372036854775809', '123456789012345678901234567890',
  '100000000000000000000001', '100000000000000000000000'  -- the nearest float prints 9.99...e+22
]) form;
SELECT pg_temp.fault('1' || repeat('0', 309));

-- floats
SELECT * FROM pg_temp.shown('1.0', '1e0', '1E+2', '0.1', '-0.0', '100000.0', '123456789012345.0',
  '1234567890123456.0', '1e15', '1e16', '1e300', '1e-7', '0.0001', '0.00001', '3.141592653589793',
  '2.5e-3', '1.7976931348623157e308', '2.2250738585072014e-308', '4.9e-324', '5e-324', '1e23',
  '0.30000000000000004', '9007199254740993.0', '0e400');
SELECT * FROM pg_temp.shown('1.5_f32', '0.1_f32', '16777217_f32', '1e-45_f32', '3.4028235e38_f32',
  '-0.0_f32', '1_f32');
SELECT * FROM pg_temp.shown('NaN', 'Infinity', '-Infinity', 'NaN_f32', 'Infinity_f32',
  '-Infinity_f32', 'float''7ff8000000000001''', 'float''fff8000000000000''', 'float''7fc00001''',
  'float`7ff8000000000000`', 'float''3ff0000000000000''', 'float''7fc00000''');
SELECT msgpack_text('[1.5_f32, NaN_f32, 7_u64, float''7fc00001'']');

-- widths
SELECT form, pg_temp.fault(form) FROM unnest(ARRAY[
  '255_u8', '256_u8', '-1_u8', '65536_u16', '4294967296_u32', '18446744073709551615_u64',
  '18446744073709551616_u64', '127_i8', '128_i8', '-128_i8', '-129_i8', '32768_i16', '-32769_i16',
  '2147483648_i32', '-2147483649_i32', '9223372036854775808_i64', '-9223372036854775808_i64',
  '-9223372036854775809_i64', '1_u7', '1.0_u8', '1_8', '1_'
]) form;

-- out of range, as PostgreSQL's float8 input has it
SELECT form, pg_temp.fault(form) FROM unnest(ARRAY[
  '1e400', '-1e400', '1e-400', '1e39_f32', '1e-46_f32', '1e99999999999999999999'
]) form;

-- no numbers
SELECT form, pg_temp.fault(form) FROM unnest(ARRAY[
  '01', '+1', '.5', '5.', '1e', '1e+', '-', '--1', '0x10', '1.5.5', 'nan', 'inf', '-NaN',
  'float''7ff8''', 'float''7ff800000000000g'''
]) form;

-- the shortest digits whatever the settings
SET extra_float_digits = -5;
SELECT '[0.1, 0.30000000000000004, 0.1_f32]'::msgpack;
RESET extra_float_digits;

-- text and float8 agree both ways over many values: each one's bits, and its digits
CREATE TEMP TABLE floats AS
  SELECT f FROM (
    SELECT (((i * 7919) % 100003)::float8 / 10 ^ (i % 9)) * (CASE WHEN i % 2 = 0 THEN 1 ELSE -1 END) AS f
    FROM generate_series(1, 20000) i
    UNION ALL
    SELECT sqrt(i::float8) * 10::float8 ^ (i % 600 - 300) FROM generate_series(1, 20000) i
  ) s;
SELECT count(*) AS wrong_bits FROM floats
WHERE f <> 0 AND ((f::text || CASE WHEN f::text ~ '[.e]' THEN '' ELSE '.0' END)::msgpack::bytea)
  <> '\xcb'::bytea || float8send(f);
SELECT count(*) AS wrong_digits FROM floats
WHERE ('\xcb'::bytea || float8send(f))::msgpack::text
  <> f::text || CASE WHEN f::text ~ '[.e]' THEN '' ELSE '.0' END;
SELECT count(*) AS wrong_float4 FROM (SELECT (f / 1e260)::float4 AS f FROM floats WHERE abs(f) < 1e290 AND abs(f) > 1e230
  UNION ALL SELECT f::float4 FROM floats WHERE abs(f) < 1e30 AND abs(f) > 1e-30) s
WHERE ('\xca'::bytea || float4send(f))::msgpack::text
  <> f::text || CASE WHEN f::text ~ '[.e]' THEN '' ELSE '.0' END || '_f32';
