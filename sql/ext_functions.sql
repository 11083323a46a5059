--
-- What MessagePack has and JSON has not: ext values, and the bytes of strings and binaries
--
SELECT msgpack_ext(5, '\x0102'), msgpack_ext(5, '\x0102')::bytea;
SELECT msgpack_ext(code => -128, data => ''), msgpack_ext(127, '\x00');
SELECT msgpack_ext(128, '\x00');
SELECT msgpack_ext(-129, '\x00');
SELECT msgpack_ext(5, NULL), msgpack_ext(NULL, '\x00');

-- the shortest header for each length, and the way back
SELECT n, substr(m::bytea, 1, 6) AS head, length(m::bytea) - n AS header,
	   msgpack_ext_code(m) AS code, msgpack_ext_data(m) = data AS same, m = m::bytea::msgpack AS valid
  FROM unnest(ARRAY[0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 255, 256, 65535, 65536]) n,
	   LATERAL (SELECT decode(repeat('ab', n), 'hex')) d (data),
	   LATERAL (SELECT msgpack_ext(-42, data)) e (m);

-- a timestamp is the ext of code -1, when it is a proper one
SELECT msgpack_ext(-1, '\x00000001'), msgpack_typeof(msgpack_ext(-1, '\x00000001')),
	   msgpack_ext(-1, '\x0001'), msgpack_typeof(msgpack_ext(-1, '\x0001'));
SELECT msgpack_ext_code('DT`1970-01-01T00:00:01Z`'), msgpack_ext_data('DT`1970-01-01T00:00:01Z`'),
	   msgpack_ext_data('DT`1970-01-01T00:00:01.5Z`'), msgpack_ext_data('ext(-1, h``)');

-- of what is no ext, code and data are NULL
SELECT v, msgpack_ext_code(v::msgpack), msgpack_ext_data(v::msgpack)
  FROM unnest(ARRAY['null', '1', '"a"', 'h`00`', '[]', '{}', 'true', 'ext(0, h``)']) v;

-- an ext whose bytes are MessagePack objects
SELECT msgpack_ext_values('ext(7, h`01a16192c0c3`)');
SELECT * FROM msgpack_ext_values('ext(7, h``)');
SELECT * FROM msgpack_ext_values(msgpack_ext(1, '{"a": [1]}'::msgpack::bytea || '2'::msgpack::bytea));
SELECT * FROM msgpack_ext_values('ext(7, h`0192`)');
SELECT * FROM msgpack_ext_values('[1]');
SELECT * FROM msgpack_ext_values(NULL);

-- bytes of strings and binaries
SELECT v, msgpack_binary(v::msgpack)
  FROM unnest(ARRAY['"abc"', '"é"', '"a\u0000b"', '""', 'h`00ff`', 'h``', 'str`fffe`', '"a"_32',
					'null']) v;
SELECT msgpack_binary('1');
SELECT msgpack_binary('["a"]');
SELECT msgpack_binary('ext(1, h`00`)');

-- text of strings and of binaries that are UTF-8
SELECT v, msgpack_utf8(v::msgpack)
  FROM unnest(ARRAY['"abc"', '"é"', 'h`c3a9`', '''plain''', '""', 'h``', 'null']) v;
SELECT msgpack_utf8('h`fffe`');
SELECT msgpack_utf8('str`fffe`');
SELECT msgpack_utf8('h`6100`');
SELECT msgpack_utf8('1.5');
SELECT msgpack_utf8('DT`2020-01-01T00:00:00Z`');
