--
-- Irregular values: kept as they are; of equal keys the last counts.
--

-- bit for bit, in and out, flags or not
SELECT bytes, bytes::msgpack::bytea = bytes AS kept, bytes::msgpack::text::msgpack::bytea = bytes AS text_kept,
	   bytes::msgpack
  FROM unnest(ARRAY['\x82a16101a16102', '\x82cc010a010b', '\x8201010102', '\x82c001c002', '\xa1ff', '\x92a1ffa161',
					'\x829101c0910101', '\x829101c091cb3ff0000000000000c2',
					'\x82820161026203820262016104']::bytea[]) AS bytes;

-- lookups
SELECT m -> 'a' AS a, m -> 'b' AS b, m -> 1 AS one, m #> '{c,x}' AS cx
  FROM (SELECT '{_dup "a": 1, "b": 2, 1: "i", "a": 3, 1.0: "f", "c": {_dup "x": 1, "x": 2}}'::msgpack AS m) AS t;

-- a part of an irregular value is irregular only when it is so itself
SELECT msgpack_check(m -> 'a') AS a, msgpack_check(m -> 'b') AS b, msgpack_check(m -> 'c') AS c,
	   pg_column_size(m -> 'a') < pg_column_size('{"x": 1, "y": 2}'::msgpack) + 8 AS plain
  FROM (SELECT '{_dup "a": {"x": 1, "y": 2}, "b": {_dup "x": 1, "x": 2}, "c": str''ff'', "a": {"x": 1, "y": 3}}'::msgpack AS m) AS t;

-- equality, order and hash: as if the earlier ones were not there
CREATE TEMP TABLE irregular_pair (a msgpack, b msgpack, equal bool);
INSERT INTO irregular_pair VALUES
	('{_dup "a": 1, "a": 2}', '{"a": 2}', true),
	('{_dup "a": 1, "a": 2}', '{"a": 1}', false),
	('{_dup "a": 1, "b": 0, "a": 2}', '{"b": 0, "a": 2}', true),
	('{_dup "a": 1, "b": 0, "a": 2}', '{_dup "a": 5, "a": 2, "b": 0}', true),
	('{_dup 1: 1, 1.0: 2, 1_u8: 3}', '{1_f32: 3.0}', true),
	('[{_dup 1: 1, 1: 2}]', '[{1: 2}]', true),
	('{{_dup 1: 1, 1: 2}: "x"}', '{{1: 2}: "x"}', true),
	('{_dup {_dup 1: 1, 1: 2}: "x", {1: 2}: "y"}', '{{1: 2}: "y"}', true),
	('{_dup "a": {_dup 1: 0, 1: 0}, "a": 2}', '{"a": 2}', true),
	('str''ff''', 'str''ff''_8', true),
	('str''ff''', 'h''ff''', false),
	('["a", str''ff'']', '["a", str''fe'']', false);
SELECT a, b, a = b AS eq, a <> b AS ne, msgpack_cmp(a, b), msgpack_cmp(a, b) = -msgpack_cmp(b, a) AS antisymmetric,
	   msgpack_hash(a) = msgpack_hash(b) AS hash,
	   msgpack_canonical(a)::bytea = msgpack_canonical(b)::bytea AS canonical
  FROM irregular_pair WHERE (a = b) = equal;
SELECT count(*) AS wrong FROM irregular_pair
 WHERE (a = b) <> equal OR (msgpack_regular(a) = msgpack_regular(b)) <> equal AND a::text !~ 'str';

-- repair: the last pair, at the first one's place
SELECT doc, msgpack_regular(doc::msgpack) AS last, msgpack_regular(doc::msgpack, duplicate_key => 'first') AS first,
	   msgpack_check(msgpack_regular(doc::msgpack)) IS NULL AS regular,
	   msgpack_regular(doc::msgpack) = doc::msgpack AS equal
  FROM unnest(ARRAY['{"a": 1}', '{_dup "a": 1, "b": 2, "a": 3, "c": 4, "b": 5}', '{_dup 1: "i", 1.0: "f"}',
					'[0, {_dup "k": {_dup "x": 1, "x": 2}, "l": 3, "k": {_dup "x": 3, "x": 4}}, 5]',
					'{_dup {_dup 1: 1, 1: 2}: "x", {1: 1}: "y", {1: 2}: "z"}',
					'{_16_dup "a": 1, "a": 2}', '{_16 "a": 1, "b": {_dup 1: 1, 1: 2}}']) AS doc;
-- the same by a long way round: keys beyond one machine word's worth
SELECT msgpack_regular(('{_dup ' || string_agg(format('"k%s": %s', i % 1000, i), ', ') || '}')::msgpack) =
	   ('{' || (SELECT string_agg(format('"k%s": %s', i, i + 2000), ', ') FROM generate_series(0, 999) AS i) || '}')::msgpack AS thousand
  FROM generate_series(0, 2999) AS i;
SELECT msgpack_regular('{"b": [1, {_dup "a": 1, "a": 2}]}', duplicate_key => 'error');
SELECT msgpack_regular('{"a": 1}', duplicate_key => 'error');

-- strings that are not UTF-8: bin, or U+FFFD for each piece that is no character
SELECT bytes, msgpack_regular(bytes::msgpack) AS binary,
	   msgpack_regular(bytes::msgpack, invalid_utf8 => 'replace')::bytea AS replaced
  FROM unnest(ARRAY['\xa1ff', '\xa361ff62', '\xa2e280', '\xa4e280e282', '\xa2c0af', '\xa3eda080', '\xa3f09f98', '\xa4f4908080',
					'\xa6f09f98e282ac', '\x81a1ff91a1fe']::bytea[]) AS bytes;
-- a string that needs a longer head when replaced
SELECT left(encode(msgpack_regular(('\xab' || repeat('ff', 11))::bytea::msgpack, invalid_utf8 => 'replace')::bytea, 'hex'), 8) AS head;
-- keys that are equal after it
SELECT msgpack_regular('{str''ff'': 1, h''ff'': 2}') AS binary,
	   msgpack_regular('{str''ff'': 1, str''fe'': 2}', invalid_utf8 => 'replace') AS replaced;
SELECT msgpack_regular('{str''ff'': 1, h''ff'': 2}', duplicate_key => 'error');
SELECT msgpack_regular('["a", {"b": str''ff''}]', invalid_utf8 => 'error');

-- arguments
SELECT msgpack_regular('1', duplicate_key => 'LAST');
SELECT msgpack_regular('1', invalid_utf8 => '');
SELECT msgpack_regular(NULL) IS NULL, msgpack_regular('1', NULL) IS NULL;

-- one mark for each longest piece that could have begun a character
SELECT s, msgpack_regular(('str''' || s || '''')::msgpack, invalid_utf8 => 'replace')
FROM unnest(ARRAY['e080', 'e08041', 'e0a041', 'eda080', 'ed9f41', 'f0808080', 'f0908041', 'f4908080', 'f48f80', 'f5', 'c0af', '80']) s;
