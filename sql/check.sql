--
-- Looking at values as a whole: msgpack_check, msgpack_canonical, type, size.
--

-- regular values
SELECT doc, msgpack_check(doc::msgpack) IS NULL AS regular
  FROM unnest(ARRAY['null', '1', '"a"', '[]', '{}', '{"a": 1, "b": {"a": 1}}', '{1: 1, "1": 1, h''31'': 1}',
					'{[1]: 1, [2]: 1}', '{{"a": 1}: 1, {"a": 2}: 1, {"b": 1}: 1}',
					'ext(5, h''00'')', '7_u64', '[_32 1]']) AS doc;

-- the first irregularity, with its place
SELECT doc, msgpack_check(doc::msgpack)
  FROM unnest(ARRAY['{_dup "a": 1, "a": 2}',
					'{_dup 1: 0, 1_u8: 0}', '{_dup 1: 0, 1.0: 0}', '{_dup 0: 0, -0.0_f32: 0}',
					'{_dup NaN: 0, NaN_f32: 0}',
					'{_dup null: 0, null: 1}',
					'{_dup [1, 2]: 0, [1.0, 2_u16]: 0}',
					'{_dup {"a": 1, "b": 2}: 0, {"b": 2, "a": 1}: 0}',
					'{_dup DT''2026-11-30T00:00:00Z'': 0, DT''2026-11-30T00:00:00Z''_96: 0}',
					'{"x": [1, {_dup "b": 0, "a": {_dup 1: 2, 1: 3}, "b": 1}], "y": {_dup 1: 1, 1: 1}}',
					'str''ff''', '["a", {"k": str''c3''}]', '{str''ff'': 1}', '{"a": {str''ff'': 1}}',
					'[{_dup "a": 1, "a": 2}, str''ff'']', '[str''ff'', {_dup "a": 1, "a": 2}]',
					'{_dup str''ff'': 1, str''ff'': 2}']) AS doc;

-- bytes, which may be no MessagePack value
SELECT bytes, msgpack_check(bytes)
  FROM unnest(ARRAY['\x', '\xc1', '\xc0', '\xc0c0', '\xd905', '\xdbffffffff5a', '\xddffffffff',
					'\x92a161', '\x81a161', '\x81a16192c0c1', '\x82a16101a16102', '\xa1ff',
					'\x81a3666f6f81a3626172c1', '\x811381c3c1', '\x8191c1', '\x93010203ff']::bytea[]) AS bytes;

-- deep and long paths are clipped in the middle
SELECT msgpack_check(decode(repeat('81aa' || encode('abcdefghij', 'hex'), 100) || 'a1ff', 'hex'));
SELECT msgpack_check(decode(repeat('91', 1025) || 'c0', 'hex')) LIKE
	'invalid MessagePack: nested more than 1024 deep at byte 1024 of 1026, $...%[0][0]' AS too_deep;
SELECT msgpack_check(decode('81d96e' || encode(repeat('n', 110)::bytea, 'hex') || 'c1', 'hex'));
-- what a path shows of keys
SELECT msgpack_check(decode('81' || key || 'a1ff', 'hex'))
  FROM unnest(ARRAY['a2c3a9', 'a22201', 'a0', 'a1ff', 'a3612d62', 'a25f39', 'a2395f', '07', 'd0f9',
					'c0', 'c3', 'ca3f800000', '90', 'd40100']) AS key;

-- stored values that no version of mpk wrote, or that were damaged since
CREATE FUNCTION check_forge(bytea, bytea DEFAULT '') RETURNS msgpack
	LANGUAGE internal IMMUTABLE STRICT AS 'byteacat';
SELECT stored, msgpack_check(check_forge(stored))
  FROM unnest(ARRAY['\x', '\xc1', '\xc101000008000000', '\xc10100000700000001', '\xc10100000900000001', '\xc1010000ffffffff01',
					'\xc101000008000000c0', '\xc1020000 0a000000 ffff c0', '\xc101020008000000 81a16101', '\xc101040008000000 a161',
					'\x82a16101a16102', '\xc101020008000000 82a16101a16102', '\xc101000008000000 82a16101a16102',
					'\x92c0', '\xc101020008000000 92c0']::bytea[]) AS stored;
SELECT check_forge('\xc102000009000000 ff c0') IS NOT NULL AS newer, check_forge('\xc102000009000000 ff c0');
SELECT msgpack_typeof(check_forge('\xc10100000900000001'));
SELECT msgpack_size(check_forge('\x'));
SELECT check_forge('\xc1') = 'null';
DROP FUNCTION check_forge;

-- the domain
SELECT '{"a": 1}'::msgpack_strict;
SELECT '{_dup "a": 1, "a": 2}'::msgpack_strict;
SELECT '["a", str''ff'']'::msgpack::msgpack_strict;

-- the canonical form
SELECT doc, msgpack_canonical(doc::msgpack), msgpack_is_canonical(doc::msgpack) AS was,
	   msgpack_is_canonical(msgpack_canonical(doc::msgpack)) AS is
  FROM unnest(ARRAY['7_u64', '-7_i64', '7.0', '-0.0', '1.5', '1.5_f32', '0.1_f32', '18446744073709551615',
					'1e19', '1.8446744073709552e19', '-9.223372036854775808e18', '-1e19', 'NaN_f32',
					'float''7ff8000000000001''', '"a"_32', 'h''00''_16', '[_16 1_u8, 2]',
					'DT''2026-11-30T00:00:00Z''_96', 'ext(-1, h''00'')', 'ext(5, h''00'')_8',
					'{"b": 1, "a": 2}', '{"a": 2, "b": 1}', '{"bb": 1, "a": 2, 10: 3, 9: 4, null: 5}',
					'{_dup "a": 1, "b": 2, "a": 3}', '{{"b": 1, "a": 1.0}: 1, {"a": 1}: 2}',
					'[str''ff'']']) AS doc;
SELECT msgpack_canonical('{"a": 1, 2: 3.0}'::msgpack)::bytea = msgpack_canonical('{2_u8: 3, "a": 1_i64}'::msgpack)::bytea AS same,
	   '{"a": 1, 2: 3.0}'::msgpack::bytea = '{2_u8: 3, "a": 1_i64}'::msgpack::bytea AS as_sent;

-- type and size, of values in every kind of storage
SELECT doc, msgpack_typeof(doc::msgpack), msgpack_size(doc::msgpack)
  FROM unnest(ARRAY['null', 'true', '1', '-1', '1.5', '1.5_f32', '"a"', 'h''00''', 'DT''2026-11-30T00:00:00Z''',
					'ext(-1, h''00'')', 'ext(1, h''00'')', '[]', '{}', '{_dup 1: 1, 1: 2}']) AS doc;
CREATE TABLE check_stored (how text, plain msgpack, headed msgpack);
ALTER TABLE check_stored ALTER plain SET STORAGE EXTERNAL, ALTER headed SET STORAGE EXTERNAL;
INSERT INTO check_stored
SELECT 'external', ('["' || repeat('x', 20000) || '"]')::msgpack, ('{_dup 1: "' || repeat('x', 20000) || '", 1: 2}')::msgpack;
ALTER TABLE check_stored ALTER plain SET STORAGE EXTENDED, ALTER headed SET STORAGE EXTENDED;
INSERT INTO check_stored
SELECT 'compressed', ('["' || repeat('x', 20000) || '"]')::msgpack, ('{_dup 1: "' || repeat('x', 20000) || '", 1: 2}')::msgpack;
SELECT how, msgpack_typeof(plain) AS plain, msgpack_size(plain) AS size, msgpack_typeof(headed) AS headed, msgpack_size(headed) AS size,
	   msgpack_size(plain) = length(plain::bytea) AND msgpack_size(headed) = length(headed::bytea) AS true_size,
	   pg_column_size(plain) < 1000 AS small
  FROM check_stored;
DROP TABLE check_stored;
