-- Input errors reported softly, from PostgreSQL 16 on.
SELECT current_setting('server_version_num')::int < 160000 AS skip \gset
\if :skip
\quit
\endif
SELECT left(form, 16) AS form, pg_input_is_valid(form, 'msgpack') AS valid, e.*
FROM unnest(ARRAY['{"a": [1, 2]}', '{"a": }', '1e400', '256_u8', '\xc1', '\xc0', '\x0', '"\ud800"',
  repeat('[', 1025)]) WITH ORDINALITY AS f (form, i),
  LATERAL pg_input_error_info(form, 'msgpack') e
ORDER BY i;
