--
-- What is no MessagePack is refused, with a place and, where it is known, a
-- hint; what is legal but unusual is kept to the bit.
--

-- Take bytes: the verdict and, where there is one, all of the error.
CREATE FUNCTION admit(bytes bytea, OUT verdict text, OUT state text, OUT message text,
					  OUT detail text, OUT hint text) AS $$
DECLARE
	doc msgpack;
BEGIN
	doc := bytes::msgpack;
	IF doc::bytea IS DISTINCT FROM bytes THEN
		RAISE EXCEPTION 'bytes % came back as %', bytes, doc::bytea;
	END IF;
	verdict := CASE WHEN msgpack_check(doc) IS NULL THEN 'regular' ELSE 'irregular' END;
EXCEPTION WHEN invalid_binary_representation THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
		detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	verdict := 'invalid';
END $$ LANGUAGE plpgsql;

CREATE TABLE inputs (id int GENERATED ALWAYS AS IDENTITY, bytes bytea, expect text, what text);

INSERT INTO inputs (bytes, expect, what) VALUES
	-- heads without what they announce
	('\x', 'invalid', 'nothing'),
	('\xc1', 'invalid', 'the unused type byte'),
	('\x9201c1', 'invalid', 'the unused type byte as an element'),
	('\x81a161c1', 'invalid', 'the unused type byte as a value'),
	('\xc7', 'invalid', 'ext 8, no length'),
	('\xc705', 'invalid', 'ext 8, no type code'),
	('\xcd01', 'invalid', 'half of a uint 16'),
	('\xcb7ff80000', 'invalid', 'half of a float 64'),
	('\xd8ff00', 'invalid', 'fixext 16 of one byte'),
	('\xd905', 'invalid', 'str 8 of 5 bytes, none there'),
	('\xd90561626364', 'invalid', 'str 8 of 5 bytes, 4 there'),
	('\xa3e282', 'invalid', 'fixstr cut inside a character'),
	('\xc403ffff', 'invalid', 'bin 8 of 3 bytes, 2 there'),
	-- lengths and counts that nothing backs
	('\xdbffffffff5a', 'invalid', 'str 32 of 4 GB, one byte there'),
	('\xc6ffffffff', 'invalid', 'bin 32 of 4 GB'),
	('\xc9ffffffff01', 'invalid', 'ext 32 of 4 GB'),
	('\xddffffffff', 'invalid', 'array 32 of 4,294,967,295 elements'),
	('\xdd7fffffff', 'invalid', 'array 32 of 2,147,483,647 elements'),
	('\xdf40000000', 'invalid', 'map 32 whose doubled count is 2^31'),
	('\xdf80000000', 'invalid', 'map 32 whose doubled count is 2^32'),
	('\xdfffffffff0000', 'invalid', 'map 32 of 4,294,967,295 pairs'),
	('\xdeffff', 'invalid', 'map 16 of 65,535 pairs'),
	('\xde000181a16101', 'invalid', 'map 16 of one pair whose key is a map, no value'),
	('\x81c0', 'invalid', 'a key without its value'),
	('\x92c0', 'invalid', 'an array one element short'),
	-- more than one object
	('\x90c0', 'invalid', 'a byte after an array'),
	('\xc0c0', 'invalid', 'two values'),
	('\x81a16101', 'regular', 'a map'),
	('\x81a1610181a16102', 'invalid', 'two maps'),
	('\x81a16101c1', 'invalid', 'a map and the unused byte'),
	('\x81a1610181a161', 'invalid', 'a map and half of one'),
	-- what known programs send around their objects
	('{"a": 1}', 'invalid', 'JSON text'),
	(E' ["é"]\n', 'invalid', 'JSON text with whitespace around it'),
	('"a"', 'invalid', 'JSON text of a string'),
	('{"a": 1', 'invalid', 'half of such a text, which is a run of integers'),
	('{', 'regular', '123, which is a brace'),
	('\x017b2261223a20317d', 'invalid', 'what jsonb sends'),
	('\x0131', 'invalid', 'what jsonb sends of a number, or two integers'),
	('\xcc8081a16101', 'invalid', 'signature of Rails before a map'),
	('\xcc80', 'regular', '128, which only looks like that signature'),
	('\xd4724092a26964a16101', 'invalid', 'record extension of msgpackr'),
	('\xd472', 'invalid', 'the same, cut'),
	('\x92d4724091a26964014002', 'invalid', 'an array of such records'),
	('\xd47240', 'regular', 'an ext of code 114, which is no record'),
	('\xde0001a16101', 'regular', 'map 16 of one pair: msgpackr writes all objects so'),
	('\x81c4026e64c3', 'regular', 'bin key, from the encoder of numpy arrays'),
	('\x82c0a84461746554696d65c001', 'irregular', 'nil key twice: an object of PHP'),
	('\x81c0a141', 'regular', 'nil key: how PHP names a class'),
	-- keys
	('\x82a16101a16102', 'irregular', 'a str key twice'),
	('\x82a16101d9016102', 'irregular', 'a str key twice, once in a longer head'),
	('\x82cc010a010b', 'irregular', 'an integer key twice, in two widths'),
	('\x8201c0cb3ff0000000000000c0', 'irregular', 'keys 1 and 1.0'),
	('\x8200c0cb8000000000000000c0', 'irregular', 'keys 0 and -0.0'),
	('\x82cb7ff8000000000000c0ca7fc00000c0', 'irregular', 'two NaN keys'),
	('\x8290c090c0', 'irregular', 'an array key twice'),
	('\x829101c0919101c0', 'regular', 'array keys of different depth'),
	('\x82d40501c0c7010501c0', 'irregular', 'an ext key twice, in two heads'),
	('\x82a161c0c40161c0', 'regular', 'a str and a bin key of the same bytes'),
	('\x82a131c001c0', 'regular', 'a str and an integer key of the same digits'),
	('\x82c2c000c0', 'regular', 'false and 0 as keys'),
	('\x81c001', 'regular', 'nil key'),
	('\x8190c0', 'regular', 'array key'),
	('\x8113cca4', 'regular', 'integer key'),
	('\x9182a16101a16102', 'irregular', 'a key twice, deeper'),
	-- strings
	('\xa100', 'regular', 'str of one NUL'),
	('\xa2e280', 'irregular', 'str with a cut character'),
	('\xa2c0af', 'irregular', 'str with an overlong slash'),
	('\xa3eda080', 'irregular', 'str with a lone surrogate'),
	('\xa4f4908080', 'irregular', 'str with a character past U+10FFFF'),
	('\xa180', 'irregular', 'str of one continuation byte'),
	('\xa66f6b20eda0bd', 'irregular', 'str cut inside an emoji, as JavaScript does'),
	('\x81a1ff00', 'irregular', 'a key that is not UTF-8'),
	('\xa4f09f9880', 'regular', 'str of one emoji'),
	('\xa3efbfbf', 'regular', 'str of the noncharacter U+FFFF'),
	('\xc402e280', 'regular', 'bin that is not UTF-8'),
	-- numbers
	('\xcfffffffffffffffff', 'regular', '18446744073709551615'),
	('\xceffffffff', 'regular', '4294967295'),
	('\xd3ffffffffffffffff', 'regular', '-1 as int 64'),
	('\xd10080', 'regular', '128 as int 16'),
	('\xcb7ff8000000000000', 'regular', 'NaN'),
	('\xcb7ff8000000000001', 'regular', 'NaN with a payload, as Go has it'),
	('\xcb7ff4000000000000', 'regular', 'a signalling NaN'),
	('\xca7fc00000', 'regular', 'NaN as float 32'),
	('\xca7f800001', 'regular', 'a signalling NaN as float 32'),
	('\xcb8000000000000000', 'regular', '-0.0'),
	('\xcb3e7ad7f29abcaf48', 'regular', '1e-7'),
	-- ext and timestamps
	('\xd7ffee6b280000000000', 'regular', 'ext -1 with 1,000,000,000 nanoseconds'),
	('\xd4ff00', 'regular', 'ext -1 of one byte'),
	('\xd4ffff', 'regular', 'ext -1 of one byte: an invalid Date of JavaScript'),
	('\xc700ff', 'regular', 'ext -1 of no bytes'),
	('\xc70005', 'regular', 'ext 5 of no bytes'),
	('\xd4fe00', 'regular', 'ext -2, which is reserved'),
	('\xc70cff00000000ffffffffffffffff', 'regular', 'a second before 1970'),
	('\xc70cff20c85580fffffffffffffffd', 'regular', '2.45 seconds before 1970'),
	('\xd7ff0000000400000000', 'regular', 'a nanosecond after 1970'),
	('\xc70cff000000007fffffffffffffff', 'regular', 'the last second that 64 bits count'),
	('\xc704ff00000000', 'regular', 'a timestamp 32 in an ext 8 head');

-- The verdicts that are not the expected ones: none.
SELECT i.id, bytes, expect, verdict, what
FROM inputs i, admit(bytes)
WHERE verdict IS DISTINCT FROM expect ORDER BY i.id;

SELECT verdict, count(*) FROM inputs, admit(bytes) GROUP BY verdict ORDER BY verdict;

-- Every error whole: one code, the fault, the place, a hint where one is known.
SELECT bytes, state, message, detail, hint
FROM inputs i, admit(bytes)
WHERE verdict = 'invalid' ORDER BY i.id;

-- The place is told by offset and path.
SELECT detail FROM admit('\x82a16101a16292c0c1');
SELECT detail FROM admit('\x82a16101a1629282a17800a179c1c0');
SELECT detail FROM admit('\x81a361206293010203c1');
SELECT detail FROM admit('\x8205c1c0c0');
SELECT detail FROM admit('\x82a0c1c0c0');
SELECT detail FROM admit('\x81a2e280c1');
-- a long path is clipped
SELECT detail FROM admit(('\x' || repeat('81a8706f736974696f6e', 40) || 'c1')::bytea);
SELECT detail FROM admit(('\x' || repeat('91', 200) || 'c1')::bytea);

-- Nesting: 1,024 containers in each other, and not one more.
SELECT depth, verdict, message, left(detail, 60) AS detail
FROM (VALUES (1), (2), (1023), (1024), (1025), (5000), (1000000)) d (depth),
	admit(('\x' || repeat('91', depth - 1) || '90')::bytea);
SELECT verdict, message FROM admit(('\x' || repeat('8101', 1024) || 'c0')::bytea);
SELECT verdict, message FROM admit(('\x' || repeat('8101', 1025) || 'c0')::bytea);
SELECT verdict, message FROM admit(('\x' || repeat('81', 1024) || repeat('c0', 1025))::bytea);
SELECT verdict, message FROM admit(('\x' || repeat('81', 1025) || repeat('c0', 1026))::bytea);
-- a deep value beside another one: depth is counted, not summed
SELECT verdict FROM admit(('\x92' || repeat('91', 1022) || '90' || repeat('91', 1022) || '90')::bytea);

-- All ways in take the same decision.
SELECT msgpack('\xc1'::bytea);
SELECT '\x9201c1'::bytea::msgpack;
SELECT '\x90c0'::bytea::msgpack;
SELECT '\xcc8081a16101'::bytea::msgpack;
SELECT '\xd4724092a26964a16101'::bytea::msgpack;
INSERT INTO inputs (bytes) VALUES ('\xc1');
DELETE FROM inputs WHERE what IS NULL;
CREATE TABLE documents (doc msgpack);
INSERT INTO documents VALUES ('\xc0c0'::bytea);
INSERT INTO documents VALUES ('\x90'::bytea);
SELECT doc::bytea FROM documents;

-- NULL stays NULL.
SELECT NULL::bytea::msgpack IS NULL AS in_is_null, NULL::msgpack::bytea IS NULL AS out_is_null;

DROP TABLE documents, inputs;
DROP FUNCTION admit;

-- an array parameter that a client sent as PostgreSQL's array literal
SELECT '{"a","b"}'::msgpack;
SELECT '{"a"}'::msgpack;
SELECT '{1,2}'::msgpack;
SELECT '{"a": 1,}'::msgpack;
