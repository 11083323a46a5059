--
-- Streams: MessagePack objects in a row, as log files and sockets carry them
--
SELECT * FROM msgpack_stream('\x01a16192c001');
SELECT * FROM msgpack_stream('');
SELECT * FROM msgpack_stream(NULL);
SELECT msgpack_stream('\x81a1610181a16102') ->> 'a' AS a;
SELECT value, n FROM msgpack_stream(data => '\xc0c2c3') WITH ORDINALITY AS s (value, n);

-- objects keep their bytes, and what is irregular is known to be
SELECT value, value::bytea, msgpack_check(value)
  FROM msgpack_stream('\xcd0001'::bytea || '\xa1ff' || '\x82a16101a16102' ||
					   '\x829101c091cc01c0');

-- the first bad object ends it; the error says where
SELECT * FROM msgpack_stream('\x01a16192c0c1');
SELECT * FROM msgpack_stream('\x0102cd01');
SELECT * FROM msgpack_stream('\xc1');
SELECT * FROM msgpack_stream('\x0181a178930102dd7fffffff');
SELECT * FROM msgpack_stream('\x02' || decode(repeat('91', 1025), 'hex') || '\xc0');
-- objects before it come one at a time in a select list
SELECT msgpack_stream('\x01a16192c0c1') LIMIT 2;
SELECT msgpack_stream('\x01a16192c0c1') LIMIT 3;

-- as the cast sees it, a stream is too much
SELECT '\x0102'::bytea::msgpack;

-- many objects, more than work_mem: what comes out is what went in
CREATE TEMP TABLE stream_object AS
SELECT i, format('{"id": %s, "name": "%s", "tags": [%s, null, {"x": %s.5}]}',
				 i, md5(i::text), i % 7, i)::msgpack AS m
  FROM generate_series(1, 5000) i;
SET work_mem = '64kB';
SELECT count(*), bool_and(o.m::bytea = s.value::bytea)
  FROM (SELECT string_agg(m::bytea, '' ORDER BY i) AS data FROM stream_object) d,
	   msgpack_stream(data) WITH ORDINALITY AS s (value, n)
	   FULL JOIN stream_object o ON o.i = n;
RESET work_mem;

-- from a file: the digits of the version and the end of the line
SELECT count(*), min(msgpack_typeof(value)), max(msgpack_typeof(value))
  FROM msgpack_stream(pg_read_binary_file('PG_VERSION')) s;
DROP TABLE stream_object;
