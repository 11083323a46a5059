--
-- Operator classes: every plan gives the same answer.
--

CREATE TABLE compare_item (id int PRIMARY KEY, m msgpack);
INSERT INTO compare_item
SELECT i, CASE i % 8
		  WHEN 0 THEN (i % 50)::text
		  WHEN 1 THEN (i % 50) || '.0'
		  WHEN 2 THEN (i % 50) || '.5_f32'
		  WHEN 3 THEN '"s' || i % 60 || '"'
		  WHEN 4 THEN format('{"a": %s, "b": %s}', i % 7, i % 3)
		  WHEN 5 THEN format('{"b": %s, "a": %s_u8}', i % 3, i % 7)
		  WHEN 6 THEN format('{_dup "b": 0, "a": %s, "b": %s}', i % 7, i % 3)
		  ELSE format('[%s, %s]', i % 5, i % 2) END::msgpack
  FROM generate_series(0, 1999) AS i;
INSERT INTO compare_item VALUES (2000, NULL), (2001, '[]'), (2002, '{}'), (2003, 'null'), (2004, NULL), (2005, '""'),
	(2006, ('"' || repeat('long ', 500) || '"')::msgpack), (2007, ('"' || repeat('long ', 500) || 'x"')::msgpack);

-- what each probe finds by a sequential scan
CREATE TEMP TABLE compare_probe AS
SELECT m::msgpack FROM unnest(ARRAY['7', '7.0', '7.5', '-1', '1000', '"s5"', '""', '"zz"', '{"a": 3, "b": 1}', '{"b": 1.0, "a": 3}', '{"a": 3}',
									'{}', '[]', '[3, 1]', '[3]', 'null', 'true', 'h''''', 'ext(1, h''00'')']) AS m;
CREATE FUNCTION compare_answers() RETURNS TABLE (probe msgpack, op text, ids int[]) LANGUAGE plpgsql AS $$
BEGIN
	FOR probe IN SELECT m FROM compare_probe LOOP
		FOREACH op IN ARRAY ARRAY['=', '<', '<=', '>', '>='] LOOP
			EXECUTE format('SELECT array_agg(id ORDER BY id) FROM compare_item WHERE m %s %L', op, probe) INTO ids;
			RETURN NEXT;
		END LOOP;
	END LOOP;
END $$;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SET enable_indexonlyscan = off;
CREATE TEMP TABLE compare_by_scan AS SELECT * FROM compare_answers();
SELECT op, count(*) AS probes, count(ids) AS with_rows, sum(cardinality(ids)) AS rows FROM compare_by_scan GROUP BY op ORDER BY op COLLATE "C";
RESET ALL;

-- btree
CREATE INDEX compare_btree ON compare_item USING btree (m);
ANALYZE compare_item;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM compare_item WHERE m < '7';
SELECT count(*) AS differ FROM compare_answers() AS a JOIN compare_by_scan AS b USING (probe, op) WHERE a.ids IS DISTINCT FROM b.ids;
EXPLAIN (COSTS OFF) SELECT m FROM compare_item ORDER BY m;
SELECT array_agg(m::text || id ORDER BY m, id) =
	   (SELECT array_agg(m::text || id) FROM (SELECT * FROM compare_item ORDER BY m, id) AS t) AS ascending FROM compare_item;
SET enable_sort = off;
SELECT count(*), bool_and(lag <= m) AS ascending FROM (SELECT m, lag(m) OVER (ORDER BY m) FROM compare_item WHERE m IS NOT NULL) AS t WHERE lag IS NOT NULL;
SELECT count(*), bool_and(lag >= m) AS descending FROM (SELECT m, lag(m) OVER (ORDER BY m DESC) FROM compare_item WHERE m IS NOT NULL) AS t WHERE lag IS NOT NULL;
SELECT m, count(*) FROM compare_item WHERE m > '[4, 0]' AND m < '{"a": 0, "b": 0}' GROUP BY m ORDER BY m;
SELECT count(*) FROM compare_item WHERE m IS NULL;
RESET enable_sort;
SELECT min(m), max(m) FROM compare_item;

-- equal values keep their own bytes: the index must not merge them
SELECT count(*) AS functions FROM pg_amproc AS p JOIN pg_opfamily AS f ON f.oid = p.amprocfamily JOIN pg_am AS a ON a.oid = f.opfmethod
 WHERE f.opfname = 'msgpack_ops' AND a.amname = 'btree' AND p.amprocnum = 4;
CREATE TABLE compare_same (m msgpack);
INSERT INTO compare_same SELECT (ARRAY['1', '1.0', '1_u64', '1_i8'])[i % 4 + 1]::msgpack FROM generate_series(1, 4000) AS i;
CREATE INDEX compare_same_btree ON compare_same (m);
VACUUM ANALYZE compare_same;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT m FROM compare_same WHERE m = '1';
SELECT m::text, count(*) FROM (SELECT m FROM compare_same WHERE m = '1' OFFSET 0) AS t GROUP BY 1 ORDER BY m::text COLLATE "C";
RESET ALL;
DROP TABLE compare_same;
DROP INDEX compare_btree;

-- hash
CREATE INDEX compare_hash ON compare_item USING hash (m);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM compare_item WHERE m = '7';
SELECT count(*) AS differ FROM compare_answers() AS a JOIN compare_by_scan AS b USING (probe, op) WHERE op = '=' AND a.ids IS DISTINCT FROM b.ids;
RESET ALL;
DROP INDEX compare_hash;

SELECT opfname, amname, amvalidate(c.oid)
  FROM pg_opclass AS c JOIN pg_opfamily AS f ON f.oid = c.opcfamily JOIN pg_am AS a ON a.oid = c.opcmethod
 WHERE c.opcintype = 'msgpack'::regtype AND amname IN ('btree', 'hash') ORDER BY 1, 2;
-- operators are linked as jsonb's are, with the same estimators
SELECT m.oprname, m.oprcom::regoperator AS commutator, m.oprnegate::regoperator AS negator, m.oprcanmerge AS merges, m.oprcanhash AS hashes,
	   (m.oprrest, m.oprjoin, m.oprcanmerge, m.oprcanhash) = (j.oprrest, j.oprjoin, j.oprcanmerge, j.oprcanhash) AS as_jsonb
  FROM pg_operator AS m JOIN pg_operator AS j USING (oprname)
 WHERE m.oprleft = 'msgpack'::regtype AND m.oprright = 'msgpack'::regtype AND j.oprleft = 'jsonb'::regtype AND j.oprright = 'jsonb'::regtype
   AND m.oprname IN ('=', '<>', '<', '<=', '>', '>=') ORDER BY 1;

-- joins between values that are equal and differ in bytes
SET enable_mergejoin = off; SET enable_hashjoin = off;
CREATE TEMP TABLE compare_joined AS SELECT a.id AS a, b.id AS b FROM compare_item AS a JOIN compare_item AS b ON a.m = b.m WHERE a.id < 400 AND b.id > 1600;
SELECT count(*) FROM compare_joined;
RESET ALL;
SET enable_nestloop = off; SET enable_hashjoin = off;
EXPLAIN (COSTS OFF) SELECT 1 FROM compare_item AS a JOIN compare_item AS b ON a.m = b.m;
SELECT count(*) FROM (SELECT a.id AS a, b.id AS b FROM compare_item AS a JOIN compare_item AS b ON a.m = b.m WHERE a.id < 400 AND b.id > 1600
					  EXCEPT SELECT * FROM compare_joined) AS t;
SELECT count(*) FROM compare_item AS a JOIN compare_item AS b ON a.m = b.m WHERE a.id < 400 AND b.id > 1600;
RESET ALL;
SET enable_nestloop = off; SET enable_mergejoin = off;
EXPLAIN (COSTS OFF) SELECT 1 FROM compare_item AS a JOIN compare_item AS b ON a.m = b.m;
SELECT count(*) FROM (SELECT a.id AS a, b.id AS b FROM compare_item AS a JOIN compare_item AS b ON a.m = b.m WHERE a.id < 400 AND b.id > 1600
					  EXCEPT SELECT * FROM compare_joined) AS t;
SELECT count(*) FROM compare_item AS a JOIN compare_item AS b ON a.m = b.m WHERE a.id < 400 AND b.id > 1600;
RESET ALL;

-- a value with an offset index, and the same as a version without indexes would have stored it
CREATE FUNCTION compare_forge(bytea, bytea DEFAULT '') RETURNS msgpack LANGUAGE internal IMMUTABLE STRICT AS 'byteacat';
CREATE TABLE compare_form AS
SELECT i, ('{' || string_agg(format('"key%s": [%s, %s]', k, i, k), ', ' ORDER BY k) || '}')::msgpack AS indexed
  FROM generate_series(1, 50) AS i, generate_series(1, 30) AS k GROUP BY i;
ALTER TABLE compare_form ADD plain msgpack;
UPDATE compare_form SET plain = compare_forge(indexed::bytea);
SELECT bool_and(pg_column_size(plain) < pg_column_size(indexed)) AS differ, bool_and(plain = indexed) AS equal,
	   bool_and(msgpack_hash(plain) = msgpack_hash(indexed)) AS hash, count(DISTINCT m) AS distinct_values
  FROM compare_form, unnest(ARRAY[plain, indexed]) AS m;
SET enable_nestloop = off; SET enable_mergejoin = off;
SELECT count(*), bool_and(a.i = b.i) AS right_rows FROM compare_form AS a JOIN compare_form AS b ON a.plain = b.indexed;
RESET ALL;
SET enable_nestloop = off; SET enable_hashjoin = off;
SELECT count(*), bool_and(a.i = b.i) AS right_rows FROM compare_form AS a JOIN compare_form AS b ON a.plain = b.indexed;
RESET ALL;
CREATE UNIQUE INDEX compare_form_plain ON compare_form (plain);
\set VERBOSITY terse
INSERT INTO compare_form (plain) SELECT indexed FROM compare_form WHERE i = 7;
\set VERBOSITY default
DROP TABLE compare_form;
DROP FUNCTION compare_forge;

-- DISTINCT and GROUP BY by sort and by hash
SET enable_hashagg = off;
SELECT count(*) AS groups, sum(n) AS rows FROM (SELECT m, count(*) AS n FROM compare_item GROUP BY m) AS t;
SELECT count(*) FROM (SELECT DISTINCT m FROM compare_item) AS t;
RESET ALL;
SET enable_sort = off;
SELECT count(*) AS groups, sum(n) AS rows FROM (SELECT m, count(*) AS n FROM compare_item GROUP BY m) AS t;
SELECT count(*) FROM (SELECT DISTINCT m FROM compare_item) AS t;
RESET ALL;
-- in parallel
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT min(m), max(m) FROM compare_item WHERE id >= 0;
-- of equal values, any
SELECT min(m) = 'null' AS least, max(m) = '{"a": 6, "b": 2}' AS greatest FROM compare_item WHERE id >= 0;
SELECT count(*) FROM (SELECT DISTINCT m FROM compare_item) AS t;
RESET ALL;

-- unique indexes and foreign keys go by meaning
CREATE TABLE compare_unique (m msgpack UNIQUE);
INSERT INTO compare_unique VALUES ('1'), ('{"a": 1, "b": 2}');
INSERT INTO compare_unique VALUES ('1.0');
INSERT INTO compare_unique VALUES ('1_u64');
INSERT INTO compare_unique VALUES ('{"b": 2, "a": 1}');
INSERT INTO compare_unique VALUES ('{_dup "b": 3, "a": 1, "b": 2}');
INSERT INTO compare_unique VALUES ('1.5'), ('"1"');
CREATE TABLE compare_refers (m msgpack REFERENCES compare_unique (m) ON UPDATE CASCADE);
INSERT INTO compare_refers VALUES ('1.0_f32'), ('{"b": 2, "a": 1}');
INSERT INTO compare_refers VALUES ('2');
DELETE FROM compare_unique WHERE m = '1';
UPDATE compare_unique SET m = '{"a": 1, "b": 3}' WHERE m = '{"a": 1, "b": 2}';
SELECT * FROM compare_refers ORDER BY m;
DROP TABLE compare_refers, compare_unique;

-- partitions by hash and by range; equal values meet
CREATE TABLE compare_hashed (m msgpack, n int) PARTITION BY HASH (m);
CREATE TABLE compare_hashed_0 PARTITION OF compare_hashed FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE compare_hashed_1 PARTITION OF compare_hashed FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE compare_hashed_2 PARTITION OF compare_hashed FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO compare_hashed SELECT m, id FROM compare_item;
SELECT count(DISTINCT tableoid) AS used, count(*) FROM compare_hashed;
SELECT count(*) AS scattered FROM (SELECT m FROM compare_hashed GROUP BY m HAVING count(DISTINCT tableoid) > 1) AS t;
EXPLAIN (COSTS OFF) SELECT n FROM compare_hashed WHERE m = '7.0';
SELECT tableoid::regclass, count(*) FROM compare_hashed WHERE m = '7.0' GROUP BY 1;
DROP TABLE compare_hashed;
CREATE TABLE compare_ranged (m msgpack) PARTITION BY RANGE (m);
CREATE TABLE compare_ranged_low PARTITION OF compare_ranged FOR VALUES FROM (MINVALUE) TO ('10');
CREATE TABLE compare_ranged_high PARTITION OF compare_ranged FOR VALUES FROM ('10') TO (MAXVALUE);
INSERT INTO compare_ranged VALUES ('null'), ('9.99'), ('10.0'), ('"a"'), ('{}');
SELECT tableoid::regclass, m FROM compare_ranged ORDER BY m;
DROP TABLE compare_ranged;

-- sorting values that have to be fetched from TOAST
CREATE TABLE compare_toast (id int, m msgpack);
ALTER TABLE compare_toast ALTER m SET STORAGE EXTERNAL;
INSERT INTO compare_toast SELECT i, ('[' || (i * 37) % 100 || ', "' || repeat('x', 3000) || '"]')::msgpack FROM generate_series(1, 100) AS i;
ALTER TABLE compare_toast ALTER m SET STORAGE EXTENDED;
INSERT INTO compare_toast SELECT i, (format('{"b": "%s", "a": %s}', repeat('y', 5000), (i * 37) % 100))::msgpack FROM generate_series(101, 200) AS i;
INSERT INTO compare_toast SELECT i, (format('{_dup "b": "%s", "a": %s, "a": -1}', repeat('y', 5000), (i * 37) % 100))::msgpack FROM generate_series(201, 300) AS i;
INSERT INTO compare_toast SELECT i, i::text::msgpack FROM generate_series(301, 400) AS i;
SELECT count(*), bool_and(lag <= m) AS ascending FROM (SELECT m, lag(m) OVER (ORDER BY m) FROM compare_toast) AS t WHERE lag IS NOT NULL;
SELECT count(DISTINCT m) FROM compare_toast;
DROP TABLE compare_toast;

-- what does not fit an index page says so
CREATE TABLE compare_large (m msgpack PRIMARY KEY);
INSERT INTO compare_large SELECT msgpack(decode('c5' || '1000' || string_agg(md5(i::text) || md5(i::text || 'x'), ''), 'hex')) FROM generate_series(1, 128) AS i;
DROP TABLE compare_large;

-- btrees that grew by random inserts are in order, where amcheck is there to tell
CREATE TABLE compare_grown (m msgpack);
CREATE INDEX compare_grown_btree ON compare_grown (m);
INSERT INTO compare_grown SELECT m FROM compare_item WHERE m IS NOT NULL ORDER BY md5(id::text);
DELETE FROM compare_grown WHERE m > '"s3"' AND m < '[]';
INSERT INTO compare_grown SELECT m FROM compare_item WHERE id % 3 = 0 ORDER BY md5(id::text || 'again');
DO $$
BEGIN
	IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'amcheck') THEN
		SET client_min_messages = warning;
		CREATE EXTENSION IF NOT EXISTS amcheck;
		PERFORM bt_index_parent_check('compare_grown_btree', heapallindexed => true, rootdescend => true);
		DROP EXTENSION amcheck;
	END IF;
END $$;
RESET client_min_messages;
DROP TABLE compare_grown;

DROP FUNCTION compare_answers;
DROP TABLE compare_item;
