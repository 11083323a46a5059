--
-- Reading values in TOAST piece by piece: the same answers as from memory and
-- as from jsonb, however the value is stored, and whatever else goes on.
--
CREATE FUNCTION toast_json(entries int, prefix text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT '{' || string_agg(format('"%s%s": %s', prefix, i, CASE i % 6
		WHEN 0 THEN i::text
		WHEN 1 THEN '"' || repeat(md5(i::text), i % 40) || '"'
		WHEN 2 THEN (SELECT '{' || string_agg(format('"k%s": "%s"', g, md5((g * i)::text)), ', ') || '}'
					   FROM generate_series(1, 1 + i % 70) g)
		WHEN 3 THEN '[' || repeat('[1, 2], ', i % 300) || '7]'
		WHEN 4 THEN '{"deep": {"deeper": [' || repeat('{"a": [1, 2, {"b": "' || i || '"}]}, ', i % 50) || '5]}}'
		ELSE (SELECT '[' || string_agg('"' || md5((g + i)::text) || '"', ', ') || ']'
				FROM generate_series(1, 1 + i % 200) g)
		END), ', ') || '}'
	  FROM generate_series(1, entries) i
$$;

CREATE TABLE toast_json (id int, j jsonb);
INSERT INTO toast_json
SELECT n, toast_json(n, 'key_')::jsonb FROM unnest(ARRAY[1, 7, 8, 9, 15, 16, 17, 40, 64, 65, 200, 700]) n;

CREATE TABLE toast_doc (id int, how text, m msgpack);
CREATE FUNCTION toast_fill(how text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO toast_doc SELECT n, how, toast_json(n, 'key_')::msgpack
	  FROM unnest(ARRAY[1, 7, 8, 9, 15, 16, 17, 40, 64, 65, 200, 700]) n
$$;
ALTER TABLE toast_doc ALTER m SET STORAGE EXTERNAL;
SELECT toast_fill('external');
ALTER TABLE toast_doc ALTER m SET STORAGE EXTENDED, ALTER m SET COMPRESSION pglz;
SELECT toast_fill('pglz');
ALTER TABLE toast_doc ALTER m SET STORAGE MAIN;
SELECT toast_fill('main');
ALTER TABLE toast_doc ALTER m SET STORAGE EXTENDED;
-- a server may be built without lz4
DO $$
BEGIN
	ALTER TABLE toast_doc ALTER m SET COMPRESSION lz4;
	PERFORM toast_fill('lz4');
EXCEPTION WHEN feature_not_supported THEN
	INSERT INTO toast_doc SELECT id, 'lz4', m FROM toast_doc WHERE how = 'pglz';
END $$;
-- compressed in line: ever the same bytes
INSERT INTO toast_doc SELECT n, 'in line', ('{' || string_agg(format('"key_%s": "%s"', i, repeat('x', n * 20)), ', ') || '}')::msgpack
  FROM unnest(ARRAY[16, 64]) n, generate_series(1, n) i GROUP BY n;
SELECT how, count(*), bool_or(pg_column_size(m) < 100) AS short, bool_or(pg_column_size(m) > 8000) AS long,
	   bool_or(pg_column_size(m) < msgpack_size(m) / 2) AS compressed, bool_and(msgpack_check(m) IS NULL) AS sound
  FROM toast_doc GROUP BY how ORDER BY how;

-- every key, of every document, however stored: no rows
CREATE VIEW toast_pair AS
	SELECT d.id, d.how, d.m, j.j, e.key, e.value
	  FROM toast_doc d JOIN toast_json j USING (id), LATERAL jsonb_each(j.j) e
	 WHERE how <> 'in line' AND (id < 700 OR e.key ~ '[1257]$');
SELECT id, how, key FROM toast_pair WHERE (m -> key)::jsonb IS DISTINCT FROM value;
SELECT id, how, key FROM toast_pair
 WHERE CASE WHEN jsonb_typeof(value) IN ('object', 'array') THEN (m ->> key)::jsonb IS DISTINCT FROM value
			ELSE m ->> key IS DISTINCT FROM j ->> key END;
SELECT id, how, key, k FROM toast_pair, unnest(ARRAY['0', '-1', '5', '199', 'k1', 'k16', 'k70', 'deep']) k
 WHERE id < 200 AND (m #> ARRAY[key, k])::jsonb IS DISTINCT FROM value #> ARRAY[k];
SELECT id, how, key FROM toast_pair
 WHERE m #>> ARRAY[key, 'deep', 'deeper', '-2', 'a', '2', 'b'] IS DISTINCT FROM
	   value #>> '{deep, deeper, -2, a, 2, b}';
SELECT id, how, i FROM toast_doc, generate_series(1, 40) i WHERE m -> ('missing_' || i) IS NOT NULL;
-- a fragment is stored as the same bytes from outside are
SELECT id, how, key FROM toast_pair
 WHERE msgpack_check(m -> key) IS NOT NULL OR
	   pg_column_size(m -> key) <> pg_column_size((m -> key)::bytea::msgpack);

-- many keys of one row, of two rows at once, in calls inside of calls
SELECT how, count(*) FROM (
	SELECT how, m ->> 'key_6' AS a, m ->> 'key_696' AS b, m #>> '{key_692,k1}' AS c, m ->> 'key_6' AS d,
		   m -> 'key_8' ->> 'k1' AS e, (m -> 'key_600')::int AS f, msgpack_int8(m, 'key_660') AS g
	  FROM toast_doc WHERE id = 700) s
 WHERE (a, b, c, d, e, f, g) = ('6', '696', md5('692'), '6', md5('8'), 600, 660) GROUP BY how ORDER BY how;
SELECT count(*) FROM toast_doc a JOIN toast_doc b ON a.id = 700 AND b.id IN (200, 700)
 WHERE a.m ->> 'key_6' = b.m ->> 'key_6' AND a.m ->> 'key_12' = b.m ->> 'key_12' AND
	   a.m -> 'key_2' = b.m -> 'key_2' AND b.m ->> 'key_198' = a.m ->> 'key_198';
CREATE TEMP TABLE toast_key AS SELECT format('{"%s": "value"}', repeat('long key ', 5000))::msgpack AS m,
	format('"%s"', repeat('long key ', 5000))::msgpack AS k;
SELECT msgpack_get(m, k), msgpack_has(m, k), msgpack_get(m, m -> 'x'), m ->> repeat('long key ', 5000) AS "text"
  FROM toast_key;

-- little memory to keep things in
SET work_mem = '64kB';
SELECT how, count(*) FROM (
	SELECT how, m ->> 'key_6' AS a, m ->> 'key_696' AS b, m #>> '{key_692,k1}' AS c, m ->> 'key_6' AS d
	  FROM toast_doc WHERE id IN (64, 65, 200, 700)) s
 WHERE a = '6' AND d = '6' AND b IS NOT DISTINCT FROM CASE WHEN c IS NULL THEN NULL ELSE '696' END
 GROUP BY how ORDER BY how;
RESET work_mem;

-- a row that is changed and read again, in one transaction and over commits
CREATE TABLE toast_change (id int PRIMARY KEY, m msgpack);
ALTER TABLE toast_change ALTER m SET STORAGE EXTERNAL;
CREATE FUNCTION toast_version(v int) RETURNS msgpack LANGUAGE sql AS $$
	SELECT format('{"version": %s, "filler": "%s", "last": [%s]}', v, repeat(md5(v::text), 1000), v)::msgpack
$$;
INSERT INTO toast_change SELECT i, toast_version(0) FROM generate_series(1, 3) i;
DO $$
DECLARE
	doc msgpack;
	read int[];
BEGIN
	FOR v IN 1 .. 20 LOOP
		UPDATE toast_change SET m = toast_version(v) WHERE id = 1;
		SELECT m INTO doc FROM toast_change WHERE id = 1;
		read := ARRAY[doc ->> 'version', doc #>> '{last,0}', doc -> 'last' ->> -1]::int[];
		IF read <> ARRAY[v, v, v] THEN
			RAISE EXCEPTION 'read % at version %', read, v;
		END IF;
		SELECT ARRAY[m ->> 'version', m #>> '{last,0}']::int[] INTO read FROM toast_change WHERE id = 1;
		IF read <> ARRAY[v, v] THEN
			RAISE EXCEPTION 'read % at version %', read, v;
		END IF;
	END LOOP;
END $$;
CREATE PROCEDURE toast_commit() LANGUAGE plpgsql AS $$
DECLARE
	doc msgpack;
BEGIN
	FOR v IN 1 .. 20 LOOP
		UPDATE toast_change SET m = toast_version(v) WHERE id = 2;
		SELECT m INTO doc FROM toast_change WHERE id = 2;
		COMMIT;
		IF doc ->> 'version' <> v::text OR doc #>> '{last,0}' <> v::text THEN
			RAISE EXCEPTION 'read % at version %', doc ->> 'version', v;
		END IF;
	END LOOP;
END $$;
CALL toast_commit();

-- a cursor held over commits, while its rows are changed
BEGIN;
DECLARE toast_held CURSOR WITH HOLD FOR
	SELECT id, m ->> 'version' AS version, m FROM toast_change ORDER BY id;
FETCH 1 FROM toast_held \gset first_
SELECT :first_id AS id, :'first_version' AS version;
COMMIT;
UPDATE toast_change SET m = toast_version(99);
VACUUM toast_change;
CREATE TEMP TABLE toast_seen (id int, version text, last text);
DO $$
DECLARE
	c refcursor := 'toast_held';
	r record;
BEGIN
	FOR i IN 1 .. 2 LOOP
		FETCH NEXT FROM c INTO r;
		INSERT INTO toast_seen VALUES (r.id, r.version, r.m #>> '{last,0}');
	END LOOP;
END $$;
SELECT * FROM toast_seen ORDER BY id;
CLOSE toast_held;

-- the same call site before and after a commit
DO $$
DECLARE
	r record;
	seen text := '';
BEGIN
	FOR r IN SELECT id, m FROM toast_change ORDER BY id LOOP
		seen := seen || (r.m ->> 'version') || ' ';
		UPDATE toast_change SET m = toast_version(100 + r.id) WHERE id = r.id;
		COMMIT;
		seen := seen || (SELECT m ->> 'version' FROM toast_change WHERE id = r.id) || ' ';
	END LOOP;
	RAISE NOTICE '%', seen;
END $$;

-- errors in the middle of a query, caught, and the same calls afterwards
CREATE FUNCTION toast_careful(doc msgpack, k text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (doc -> k)::int::text;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || (doc ->> 'key_6');
END $$;
SELECT how, toast_careful(m, 'key_6'), toast_careful(m, 'key_7'), toast_careful(m, 'key_696'),
	   m ->> 'key_12' AS after
  FROM toast_doc WHERE id = 700 ORDER BY how;

-- parallel workers keep what they read for themselves
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT count(*), count(m ->> 'key_6'), count(m -> 'key_8' ->> 'k1'), sum((m -> 'key_12')::int),
	   sum(msgpack_int8(m, 'key_6')) FROM toast_doc WHERE how <> 'in line';
SET max_parallel_workers_per_gather = 0;
SELECT count(*), count(m ->> 'key_6'), count(m -> 'key_8' ->> 'k1'), sum((m -> 'key_12')::int),
	   sum(msgpack_int8(m, 'key_6')) FROM toast_doc WHERE how <> 'in line';
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- an index in front does not make pglz give up: it adds its own bytes at most
CREATE TABLE toast_size (n int, m msgpack, b bytea);
ALTER TABLE toast_size ALTER m SET COMPRESSION pglz, ALTER b SET COMPRESSION pglz;
INSERT INTO toast_size SELECT n, doc, doc::bytea
  FROM unnest(ARRAY[100, 300, 1000, 5000]) n,
	   LATERAL (SELECT ('{' || string_agg(format('"%s": "the same words again and again in %s"', md5(i::text), i % 10), ', ')
						|| '}')::msgpack AS doc FROM generate_series(1, n) i) d;
SELECT n, pg_column_size(b) < msgpack_size(m) * 9 / 10 AS compresses,
	   (msgpack_storage(m)).index_bytes > 512 AS indexed,
	   pg_column_size(m) < 1.02 * pg_column_size(b) + (msgpack_storage(m)).index_bytes + 64 AS compresses_too
  FROM toast_size ORDER BY n;

-- of a compressed value no more is inflated than is asked for: a number at its very end (for valgrind to see)
CREATE TABLE toast_prefix (m msgpack);
ALTER TABLE toast_prefix ALTER m SET COMPRESSION pglz;
INSERT INTO toast_prefix SELECT msgpack_agg(1000000 + i % 7) FROM generate_series(1, 400000) i;
SELECT k, (SELECT (m -> k)::int8 = 1000000 + (k + 1) % 7 FROM toast_prefix) AS same
  FROM unnest(ARRAY[0, 10000, 200000, 399999]) k;
SELECT (m -> 200000)::int8 = 1000000 + 200001 % 7 AS same FROM toast_prefix;
DROP TABLE toast_prefix;

-- what the index may cost
SELECT n, round(100.0 * (msgpack_storage(m)).index_bytes / (msgpack_storage(m)).payload_bytes) < 10 AS within_a_tenth
  FROM toast_size ORDER BY n;
SELECT (msgpack_storage(m)).header_bytes * 16 <= (msgpack_storage(m)).payload_bytes + 1024 AS within_a_sixteenth
  FROM (SELECT ('[' || string_agg(repeat('1', 1 + i % 9), ', ') || ']')::msgpack AS m FROM generate_series(1, 20000) i) a;

DROP TABLE toast_json, toast_doc, toast_change, toast_size CASCADE;
DROP FUNCTION toast_json, toast_fill, toast_version, toast_careful;
DROP PROCEDURE toast_commit;

-- a damaged index: an error, or an answer, never anything else
CREATE FUNCTION toast_forge(bytea, bytea DEFAULT '') RETURNS msgpack
	LANGUAGE internal IMMUTABLE STRICT AS 'byteacat';
CREATE FUNCTION toast_stored(msgpack, msgpack) RETURNS bytea
	LANGUAGE internal IMMUTABLE STRICT AS 'byteacat';
CREATE FUNCTION toast_damage(doc msgpack, keys text[], OUT damages int, OUT errors int, OUT wrong text)
LANGUAGE plpgsql
	SET max_parallel_workers_per_gather = 0 AS $$  -- thousands of plans: no worker for each
DECLARE
	-- byteacat joins the stored bytes with those of a nil, which are one byte
	stored bytea := substr(toast_stored(doc, 'null'), 1, octet_length(toast_stored(doc, 'null')) - 1);
	header int := (msgpack_storage(doc)).header_bytes;
	damaged msgpack;
	k text;
	state text;
	message text;
BEGIN
	damages := 0;
	errors := 0;
	FOR i IN 2 .. header - 1 LOOP
		FOR b IN 0 .. 7 LOOP
			damages := damages + 1;
			damaged := toast_forge(set_bit(stored, i * 8 + b, 1 - get_bit(stored, i * 8 + b)));
			FOREACH k IN ARRAY keys LOOP
				BEGIN
					PERFORM damaged ->> k, damaged -> k, damaged #>> ARRAY[k, '0'], damaged #>> ARRAY[k, '-1', 'k3'],
							damaged -> 3, damaged -> k -> 'k7', msgpack_int8(damaged, k, 'k1'),
							msgpack_has(damaged, '"key_1"');
				EXCEPTION WHEN OTHERS THEN
					GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
					errors := errors + 1;
					IF state <> 'XX001' THEN
						wrong := concat_ws(', ', wrong, format('byte %s bit %s: %s %s', i, b, state, message));
					END IF;
				END;
			END LOOP;
		END LOOP;
	END LOOP;
END $$;
SELECT kind, damages > 100 AS many, errors > 10 AS noticed, wrong
  FROM (VALUES ('short map', (SELECT '{' || string_agg(format('"key_%s": %s', i, i), ', ') || '}' FROM generate_series(1, 20) i),
				ARRAY['key_1', 'key_20', 'missing']),
			   ('long map', (SELECT '{' || string_agg(format('"key_%s": %s', i, i), ', ') || '}' FROM generate_series(1, 70) i),
				ARRAY['key_1', 'key_70', 'missing']),
			   ('children', (SELECT '{' || string_agg(format('"key_%s": %s', i,
						(SELECT '{' || string_agg(format('"k%s": %s', g, g), ', ') || '}' FROM generate_series(1, 16) g)), ', ') || '}'
								FROM generate_series(1, 5) i),
				ARRAY['key_1', 'key_3', 'key_5']),
			   ('array', (SELECT '[' || string_agg(i::text, ', ') || ']' FROM generate_series(1, 2000) i),
				ARRAY['0', '1999'])) AS v (kind, doc, keys),
	   LATERAL toast_damage(doc::msgpack, keys) d;
DROP FUNCTION toast_forge, toast_stored, toast_damage;

-- many values read one after another, more of them than are kept
CREATE TABLE toast_many (id int, m msgpack);
ALTER TABLE toast_many ALTER m SET STORAGE EXTERNAL;
INSERT INTO toast_many SELECT i, (SELECT '{' || string_agg(format('"section_%s": {"title": "%s", "n": %s}',
		g, repeat('x', 80 + (g + i) % 40), g * i), ', ') || '}' FROM generate_series(1, 3000) g)::msgpack
  FROM generate_series(1, 20) i;
SET work_mem = '1MB';
SELECT count(*), bool_and((m #>> '{section_1,n}')::int = id AND (m #>> '{section_3000,n}')::int = id * 3000 AND
		  length(m #>> '{section_1500,title}') = 80 + (1500 + id) % 40 AND
		  length((m #>> '{section_600,title}') || (m #>> '{section_900,title}')) = 160 + (600 + id) % 40 + (900 + id) % 40 AND
		  m -> 'section_2000' ->> 'n' = (2000 * id)::text AND (m -> 'section_700' -> 'n')::int8 = id * 700)
  FROM toast_many, generate_series(1, 5);
RESET work_mem;
DROP TABLE toast_many;

-- the check of a domain over rows, in a variable that outlives transactions, forgets what it
-- has fetched in another one
CREATE TABLE far (id int PRIMARY KEY, doc msgpack);
ALTER TABLE far ALTER doc SET STORAGE EXTERNAL;
INSERT INTO far
SELECT i, msgpack_object_agg('k' || j, repeat('v' || i, 100)) || msgpack_build_object('n', i)
FROM generate_series(1, 3) i, generate_series(1, 100) j GROUP BY i;
CREATE TYPE holder AS (id int, doc msgpack);
CREATE DOMAIN held AS holder
  CHECK ((VALUE).doc IS NULL OR ((VALUE).doc -> 'n')::int = (VALUE).id);
CREATE PROCEDURE hold() LANGUAGE plpgsql AS $$
DECLARE
	h held;
BEGIN
	FOR i IN 1..3 LOOP
		h.doc := NULL;
		h.id := i;
		h.doc := (SELECT doc FROM far WHERE id = i);
		RAISE NOTICE '%: %', i, h.doc -> 'n';
		COMMIT;
	END LOOP;
	BEGIN
		h.doc := (SELECT doc FROM far WHERE id = 1);
	EXCEPTION
		WHEN check_violation THEN
			RAISE NOTICE '%', SQLERRM;
	END;
END $$;
CALL hold();
DROP PROCEDURE hold();
DROP DOMAIN held;
DROP TYPE holder;
DROP TABLE far;
