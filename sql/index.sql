--
-- The offset index: a value with it and the same value without it, which an
-- older or a larger one may be, read alike; and what msgpack_storage tells.
--
CREATE FUNCTION index_forge(bytea, bytea DEFAULT '') RETURNS msgpack
	LANGUAGE internal IMMUTABLE STRICT AS 'byteacat';
CREATE TEMP TABLE index_doc AS
SELECT id, doc::msgpack AS headed, index_forge(doc::msgpack::bytea) AS plain
  FROM (VALUES
	(1, (SELECT '{' || string_agg(format('"k%s": %s', i, i), ', ') || '}' FROM generate_series(1, 8) i)),
	(2, (SELECT '{' || string_agg(format('"k%s": {"a": [%s, {"b": "%s"}]}', i, i, i), ', ') || '}' FROM generate_series(1, 64) i)),
	(3, (SELECT '{' || string_agg(format('"k%s": "%s"', i, repeat('v', i)), ', ') || '}' FROM generate_series(1, 65) i)),
	(4, (SELECT '{' || string_agg(format('%s: %s', i, i), ', ') || '}' FROM generate_series(-10, 40) i)),
	(5, (SELECT '{' || string_agg(format('%s: %s', i, i), ', ') || '}' FROM generate_series(-100, 400) i)),
	(6, (SELECT '{' || string_agg(format('h`%s`: %s', lpad(to_hex(i), 4, '0'), i), ', ') || '}' FROM generate_series(1, 300) i)),
	(7, (SELECT '[' || string_agg(i::text, ', ') || ']' FROM generate_series(0, 500) i)),
	(8, (SELECT '[' || string_agg(format('{"id": %s, "k1": "%s"}', i, repeat('x', i % 200)), ', ') || ']' FROM generate_series(0, 100) i)),
	(9, '{"k1": {"k1": {"k1": {"k1": "' || repeat('deep', 1000) || '"}}}}'),
	(10, (SELECT '{_dup ' || string_agg(format('"k%s": %s', i % 10, i), ', ') || '}' FROM generate_series(1, 30) i)),
	(11, (SELECT '{_dup ' || string_agg(format('"k%s": %s', i % 70, i), ', ') || '}' FROM generate_series(1, 200) i)),
	(12, (SELECT '{' || string_agg(format('"k%s": str`ff`', i), ', ') || '}' FROM generate_series(1, 20) i)),
	(13, (SELECT '{' || string_agg(format('"k%s": 1, [%s]: 2, {"m": %s}: 3', i, i, i), ', ') || '}' FROM generate_series(1, 40) i)),
	(14, '{}'), (15, '[]'), (16, '"' || repeat('scalar', 1000) || '"'), (17, '{"k1": 1}')) AS v (id, doc);

SELECT id, (s).form, (s).repeated_keys AS repeated, (s).invalid_utf8 AS invalid, (s).header_bytes, (s).index_bytes,
	   (s).payload_bytes, (s).containers, (msgpack_storage(plain)).form AS plain, msgpack_check(headed), msgpack_size(headed)
  FROM index_doc, LATERAL msgpack_storage(headed) s ORDER BY id;

-- no rows (what is irregular cannot be read right by way of a header that does not say so)
CREATE TEMP TABLE index_key AS
SELECT 'k' || i AS k, i - 12 AS n FROM generate_series(0, 120) i
UNION ALL SELECT unnest(ARRAY['', '0', '7', '-3', '399', E'\x01', 'id', 'missing']), unnest(ARRAY[399, 400, -101, 500, -501, 501, 250, 300]);
SELECT id, k FROM index_doc, index_key
 WHERE (headed -> k)::text IS DISTINCT FROM (plain -> k)::text AND id NOT IN (10, 11, 12);
SELECT id, k FROM index_doc, index_key WHERE headed ->> k IS DISTINCT FROM plain ->> k AND id NOT IN (10, 11, 12);
SELECT id, n FROM index_doc, index_key WHERE (headed -> n)::text IS DISTINCT FROM (plain -> n)::text;
SELECT id, n FROM index_doc, index_key WHERE headed ->> n IS DISTINCT FROM plain ->> n AND id <> 12;
SELECT id, k, p FROM index_doc, index_key, LATERAL (VALUES (ARRAY[k, 'a', '1', 'b']), (ARRAY[k, 'k1', 'k1']), (ARRAY[n::text, 'id']), (ARRAY[n::text, k])) v (p)
 WHERE (headed #> p)::text IS DISTINCT FROM (plain #> p)::text OR headed #>> p IS DISTINCT FROM plain #>> p;
SELECT id, key FROM index_doc, LATERAL (SELECT to_msgpack(k) FROM index_key UNION ALL SELECT ('[' || n || ']')::msgpack FROM index_key
	UNION ALL SELECT ('{"m": ' || n || '.0}')::msgpack FROM index_key UNION ALL SELECT n::text::msgpack FROM index_key) v (key)
 WHERE id NOT IN (10, 11, 12) AND (msgpack_get(headed, key)::text IS DISTINCT FROM msgpack_get(plain, key)::text OR
							   msgpack_has(headed, key) <> msgpack_has(plain, key));
SELECT id, k FROM index_doc, index_key WHERE msgpack_int8(headed, k) IS DISTINCT FROM msgpack_int8(plain, k) AND id NOT IN (10, 11);
SELECT id FROM index_doc WHERE id IN (7, 8, 15) AND msgpack_array_length(headed) <> msgpack_array_length(plain);
SELECT id FROM index_doc WHERE id NOT IN (10, 11, 12) AND (headed::text <> plain::text OR headed <> plain OR headed::bytea <> plain::bytea OR
	msgpack_hash(headed) <> msgpack_hash(plain));
-- the last of equal keys counts
SELECT id, headed -> 'k3' AS k3, headed -> 'k9' AS k9, headed -> 'k69' AS k69, headed -> 'k70' AS k70 FROM index_doc WHERE id IN (10, 11) ORDER BY id;

-- a fragment is stored as the same bytes from outside are, with the index or without
SELECT id, k FROM index_doc, index_key
 WHERE msgpack_storage(headed -> k) IS DISTINCT FROM msgpack_storage((headed -> k)::bytea::msgpack) OR
	   (id NOT IN (10, 11, 12) AND msgpack_storage(headed -> k) IS DISTINCT FROM msgpack_storage(plain -> k));
DROP FUNCTION index_forge;

-- a short array of long strings has tables, however it came in
SELECT msgpack_check(m) IS NULL AS right, record_image_eq(ROW(m), ROW(m::text::msgpack)) AS same, containers
FROM (SELECT ('\x82a16192d9ff'::bytea || decode(repeat('73', 255), 'hex') || '\xd9ff' ||
  decode(repeat('74', 255), 'hex') || '\xa16201')::msgpack AS m) d, msgpack_storage(m);
