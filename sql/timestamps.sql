-- Timestamps in text: DT'...', its offsets, fractions and widths.

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

-- the shortest of three widths
SELECT * FROM pg_temp.shown('DT''1970-01-01T00:00:00Z''', 'DT''2106-02-07T06:28:15Z''',
  'DT''2106-02-07T06:28:16Z''', 'DT''1970-01-01T00:00:00.000000001Z''', 'DT''2514-05-30T01:53:03Z''',
  'DT''2514-05-30T01:53:04Z''', 'DT''1969-12-31T23:59:59Z''', 'DT''1969-12-31T23:59:57.55Z''',
  'DT''0001-01-01T00:00:00Z''', 'DT''9999-12-31T23:59:59.999999999Z''', 'DT''2024-02-29T12:00:00Z''',
  'DT''2000-02-29T12:00:00Z''');
-- fractions of one to nine digits; printed without trailing zeros
SELECT * FROM pg_temp.shown('DT''2026-11-30T17:13:31.5Z''', 'DT''2026-11-30T17:13:31.500Z''',
  'DT''2026-11-30T17:13:31.000000000Z''', 'DT''2026-11-30T17:13:31.123456789Z''',
  'DT''2026-11-30T17:13:31.000001Z''');
-- offsets
SELECT * FROM pg_temp.shown('DT''2026-11-30T17:13:31+02:00''', 'DT''2026-11-30T17:13:31-05:30''',
  'DT`2026-12-31T23:30:00-01:00`', 'DT''1970-01-01T00:00:00+00:01''', 'DT''2026-11-30T17:13:31+00:00''');
-- widths
SELECT * FROM pg_temp.shown('DT''1970-01-01T00:00:00Z''_32', 'DT''1970-01-01T00:00:00Z''_64',
  'DT''1970-01-01T00:00:00Z''_96', 'DT''2026-11-30T17:13:31.5Z''_64', 'DT''2026-11-30T17:13:31.5Z''_96',
  'DT''1969-12-31T23:59:59Z''_96');
-- what DT cannot say: longer headers, years outside 1 to 9999, improper bodies
SELECT * FROM pg_temp.shown('ext(-1, h''00000000'')', 'ext(-1, h''00000000'')_8',
  'ext(-1, h''00000000'')_32', 'ext(-1, h''0000000000000000'')_16',
  'ext(-1, h''000000000000000000000000'')_16', 'ext(-1, h''000000000000003afff44180'')',
  'ext(-1, h''00000000fffffff1886e08ff'')', 'ext(-1, h''000000007fffffffffffffff'')',
  'ext(-1, h''ee6b280000000000'')', 'ext(-1, h''00'')', 'ext(-1, h'''')',
  'DT''9999-12-31T23:59:59-00:01''', 'DT''0001-01-01T00:00:00+00:01''');
SELECT msgpack_text('[DT''1970-01-01T00:00:00Z''_96, ext(-1, h''00000000'')_8]');

-- the calendar against PostgreSQL's, a day in every month and then some
SELECT count(*) AS wrong
FROM generate_series('0001-01-01 00:00:00+00'::timestamptz, '9999-12-31', '100 days 01:02:03') t
WHERE ('DT''' || to_char(t AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || '''')::msgpack::bytea
  <> CASE WHEN extract(epoch FROM t) BETWEEN 0 AND 4294967295
       THEN '\xd6ff'::bytea || substr(int8send(extract(epoch FROM t)::int8), 5)
     WHEN extract(epoch FROM t) BETWEEN 0 AND 17179869183
       THEN '\xd7ff'::bytea || int8send(extract(epoch FROM t)::int8)
     ELSE '\xc70cff00000000'::bytea || int8send(extract(epoch FROM t)::int8) END
  OR ('DT''' || to_char(t AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || '''')::msgpack::text
  <> 'DT''' || to_char(t AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || '''';

-- errors
SELECT form, pg_temp.fault(form) FROM unnest(ARRAY[
  'DT''''', 'DT''2026''', 'DT''2026-11-30''', 'DT''2026-11-30 17:13:31Z''', 'DT''2026-11-30T17:13Z''',
  'DT''2026-11-30T17:13:31''', 'DT''2026-11-30T17:13:31z''', 'DT''2026-11-30T17:13:31.Z''',
  'DT''2026-11-30T17:13:31.1234567890Z''', 'DT''2026-11-30T17:13:31+02''', 'DT''2026-11-30T17:13:31+24:00''',
  'DT''2026-11-30T17:13:60Z''', 'DT''2026-11-30T17:60:00Z''', 'DT''2026-11-30T24:00:00Z''',
  'DT''2026-11-31T00:00:00Z''', 'DT''2025-02-29T00:00:00Z''', 'DT''1900-02-29T00:00:00Z''',
  'DT''2026-00-01T00:00:00Z''', 'DT''2026-13-01T00:00:00Z''', 'DT''0000-01-01T00:00:00Z''',
  'DT''10000-01-01T00:00:00Z''', 'DT''2026-11-30T17:13:31Z', 'DT''2026-11-30T17:13:31Z`',
  'DT''2026-11-30T17:13:31.5Z''_32', 'DT''1969-12-31T23:59:59Z''_64', 'DT''2026-11-30T17:13:31Z''_8',
  'DT''2026-11-30T17:13:31Z''_64_8'
]) form;
