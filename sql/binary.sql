--
-- The binary protocol and the casts with bytea: the very bytes, in and out.
--

-- Documents of every kind and width, long ones and irregular ones among them.
CREATE TABLE raw (id int, bytes bytea);
INSERT INTO raw VALUES
	(1, '\xc0'), (2, '\xc3'), (3, '\x07'), (4, '\xe0'), (5, '\xd3ffffffffffffffff'),
	(6, '\xcfffffffffffffffff'), (7, '\xca3fc00000'), (8, '\xcb7ff8000000000001'),
	(9, '\xcb8000000000000000'), (10, '\xa0'), (11, '\xd900'), (12, '\xa100'), (13, '\xa2c0af'),
	(14, '\xc400'), (15, '\xc6000000021234'), (16, '\xd4ffff'), (17, '\xd6ff5c300000'),
	(18, '\x90'), (19, '\xdd00000001c0'), (20, '\x80'), (21, '\xdf00000000'),
	(22, '\x82a16101a16102'), (23, '\x82c0a84461746554696d65c001'), (24, NULL),
	-- 40,000 bytes of one character: compressed when it is stored
	(25, '\xdb00009c40'::bytea || repeat('x', 40000)::bytea),
	-- 64,000 bytes that do not compress, irregular ones as well
	(26, '\xc50000fa00'::bytea),
	(27, '\x92a2e280'::bytea || '\xdb00009c40'::bytea || repeat('y', 40000)::bytea);
UPDATE raw SET bytes = '\xc60000fa00'::bytea || noise.bytes
FROM (SELECT string_agg(decode(md5(i::text), 'hex'), '' ORDER BY i) AS bytes
	  FROM generate_series(1, 4000) i) noise
WHERE id = 26;

-- bytea to msgpack by assignment, and back.
CREATE TABLE docs (id int, doc msgpack);
INSERT INTO docs SELECT id, bytes FROM raw;
CREATE TABLE back (id int, bytes bytea);
INSERT INTO back SELECT id, doc FROM docs;
SELECT count(*) AS changed FROM raw JOIN back USING (id)
WHERE raw.bytes IS DISTINCT FROM back.bytes;
SELECT id, octet_length(doc::bytea) AS length, md5(doc::bytea) AS sum
FROM docs WHERE id >= 24 ORDER BY id;

-- Assignment only: nothing turns bytes into documents unasked.
SELECT castsource::regtype, casttarget::regtype, castcontext FROM pg_cast
WHERE 'bytea'::regtype IN (castsource, casttarget) AND
	'msgpack'::regtype IN (castsource, casttarget)
ORDER BY castsource::regtype::text;

-- send gives what the cast gives, of stored values too; of the wrapper nothing shows.
SELECT count(*) AS differ FROM docs WHERE msgpack_send(doc) IS DISTINCT FROM doc::bytea;
SELECT msgpack_send('\x82a16101a16102'::bytea::msgpack);
SELECT octet_length(array_send(ARRAY['\xc0'::bytea::msgpack, '\x07'::bytea::msgpack, NULL]));
SELECT encode(record_send(ROW('\x0102'::bytea, '\x93010203'::bytea::msgpack)), 'hex') LIKE
	'%0000000493010203' AS in_a_record;

-- COPY in the binary format: a column of msgpack and one of bytea are the same on the wire.
\copy docs TO 'results/binary_docs.copy' (FORMAT binary)
\copy raw TO 'results/binary_raw.copy' (FORMAT binary)
CREATE TABLE docs_again (LIKE docs);
CREATE TABLE raw_again (LIKE raw);
\copy docs_again FROM 'results/binary_raw.copy' (FORMAT binary)
\copy raw_again FROM 'results/binary_docs.copy' (FORMAT binary)
SELECT count(*) AS documents, count(doc) AS not_null FROM docs_again;
SELECT count(*) AS changed FROM raw JOIN docs_again USING (id) JOIN raw_again USING (id)
WHERE raw.bytes IS DISTINCT FROM doc::bytea OR raw.bytes IS DISTINCT FROM raw_again.bytes;

-- recv checks what it is sent: nothing of the failed COPY stays.
TRUNCATE raw, docs_again;
INSERT INTO raw VALUES (1, '\x01'), (2, '\x9201c1');
\copy raw TO 'results/binary_raw.copy' (FORMAT binary)
\copy docs_again FROM 'results/binary_raw.copy' (FORMAT binary)
UPDATE raw SET bytes = '\xd4724092a26964a16101' WHERE id = 2;
\copy raw TO 'results/binary_raw.copy' (FORMAT binary)
\copy docs_again FROM 'results/binary_raw.copy' (FORMAT binary)
UPDATE raw SET bytes = '' WHERE id = 2;
\copy raw TO 'results/binary_raw.copy' (FORMAT binary)
\copy docs_again FROM 'results/binary_raw.copy' (FORMAT binary)
SELECT count(*) FROM docs_again;

-- The bytes are the document's, however it is stored.
CREATE TABLE stored (how text, doc msgpack);
ALTER TABLE stored ALTER doc SET STORAGE plain;
INSERT INTO stored SELECT 'plain', doc FROM docs WHERE id = 22;
ALTER TABLE stored ALTER doc SET STORAGE external;
INSERT INTO stored SELECT 'external', ('\x82a16101a161'::bytea || '\xc60000fa00' ||
	substr(doc::bytea, 6))::msgpack FROM docs WHERE id = 26;
ALTER TABLE stored ALTER doc SET STORAGE extended;
INSERT INTO stored SELECT 'compressed', doc FROM docs WHERE id = 27;
ALTER TABLE stored ALTER doc SET STORAGE main;
INSERT INTO stored SELECT 'short', doc FROM docs WHERE id = 3;
SELECT how, octet_length(doc::bytea) AS length,
	md5(doc::bytea) = md5(msgpack_send(doc)) AS same,
	pg_column_size(doc) < octet_length(doc::bytea) / 2 AS is_compressed
FROM stored ORDER BY how;
-- short headers leave values at odd addresses
CREATE TABLE odd (a "char", d1 msgpack, b "char", d2 msgpack, c "char", d3 msgpack);
INSERT INTO odd VALUES ('a', '\x82a16101a16102'::bytea, 'b', '\xcfffffffffffffffff'::bytea, 'c',
						'\xa2c0af'::bytea);
SELECT d1::bytea, d2::bytea, d3::bytea FROM odd;

-- Parameters of prepared statements.
PREPARE take(msgpack) AS SELECT $1::bytea;
EXECUTE take('\x93010203'::bytea);
EXECUTE take(NULL);
DEALLOCATE take;

DROP TABLE raw, docs, back, docs_again, raw_again, stored, odd;

-- copied in steps: 20 MB of bytes that differ from one step to the next
SELECT doc::bytea = bytes AS bytes, msgpack_send(doc) = bytes AS sent, doc->>0 = body AS text,
	msgpack_text(doc) = '["' || body || '"]' AS printed
FROM (SELECT body, '\x91db'::bytea || int4send(length(body)) || convert_to(body, 'UTF8') AS bytes
	FROM (SELECT string_agg(lpad(i::text, 8, '0'), '') AS body FROM generate_series(1, 2500000) i) b) d,
	LATERAL (SELECT bytes::msgpack AS doc OFFSET 0) m;
