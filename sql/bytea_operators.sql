--
-- Operators with bytea: what drivers send as bytea is a document's bytes
--

CREATE TABLE sent (id int, doc msgpack);
INSERT INTO sent VALUES
	(1, '{"a": 1, "b": [1, 2]}'), (2, '{"b": [1.0, 2], "a": 1_u64}'), (3, '{"a": 2}'),
	(4, '"a"'), (5, NULL);

-- each beside the same on msgpack; all columns by twos are equal
SELECT id, doc @> b AS "@>", doc @> b::msgpack AS "@>", b <@ doc AS "<@", b::msgpack <@ doc AS "<@"
  FROM sent, (VALUES ('\x81a16101'::bytea)) AS v (b) ORDER BY id;
SELECT id, doc <@ b AS "<@", doc <@ b::msgpack AS "<@", b @> doc AS "@>", b::msgpack @> doc AS "@>"
  FROM sent, (VALUES ('\x83a16101a162920201a16300'::bytea)) AS v (b) ORDER BY id;
SELECT id, doc = b AS "=", doc = b::msgpack AS "=", b = doc AS "=", b::msgpack = doc AS "=",
	   doc <> b AS "<>", doc <> b::msgpack AS "<>", b <> doc AS "<>", b::msgpack <> doc AS "<>"
  FROM sent, (VALUES ('\x82a162920102a16101'::bytea)) AS v (b) ORDER BY id;
SELECT id, doc || b AS "||", doc || b::msgpack AS "||"
  FROM sent, (VALUES ('\x81a16300'::bytea)) AS v (b) WHERE id <> 4 ORDER BY id;
SELECT id, doc || NULL::bytea AS "||", doc @> NULL::bytea AS "@>" FROM sent WHERE id = 1;
UPDATE sent SET doc = doc || '\x81a16300'::bytea WHERE id = 3 RETURNING doc;
SELECT id FROM sent WHERE doc = ANY (ARRAY['\xa161', '\x82a162920102a16101']::bytea[]) ORDER BY id;

-- the bytes are a document, not a binary value, and are checked
SELECT doc @> '\x61'::bytea AS "the integer 97" FROM sent WHERE id = 4;
SELECT doc @> '\x81a161'::bytea FROM sent;
SELECT doc = ''::bytea FROM sent;

-- a bare literal or parameter is msgpack, as before
SELECT id FROM sent WHERE doc @> '{"a": 1}' ORDER BY id;
SELECT id FROM sent WHERE doc = '{"a": 1, "b": [1, 2]}' ORDER BY id;
PREPARE bare AS SELECT doc @> $1, doc = $2, doc || $3, $4 <@ doc FROM sent;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'bare';
DEALLOCATE bare;

-- indexes are used, with constants and with parameters
CREATE INDEX sent_gin ON sent USING gin (doc);
CREATE INDEX sent_btree ON sent (doc);
SET enable_seqscan = off;
SET plan_cache_mode = force_generic_plan;
PREPARE containing (bytea) AS SELECT id FROM sent WHERE doc @> $1 ORDER BY id;
EXPLAIN (COSTS OFF) EXECUTE containing('\x81a16101');
EXECUTE containing('\x81a16101');
PREPARE contained_in (bytea) AS SELECT id FROM sent WHERE $1 <@ doc ORDER BY id;
EXPLAIN (COSTS OFF) EXECUTE contained_in('\x81a16101');
EXECUTE contained_in('\x81a16101');
PREPARE equal (bytea) AS SELECT id FROM sent WHERE $1 = doc ORDER BY id;
EXPLAIN (COSTS OFF) EXECUTE equal('\xa161');
EXECUTE equal('\xa161');
DEALLOCATE ALL;
RESET plan_cache_mode;
RESET enable_seqscan;

-- the functions are found whatever the search path
SET search_path = pg_catalog;
SELECT doc OPERATOR(public.@>) '\x81a16101'::bytea AS found FROM public.sent WHERE id = 1;
RESET search_path;
DROP TABLE sent;
