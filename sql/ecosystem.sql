--
-- Documents among JSON: what tools do that speak JSON, and answers in MessagePack
--

CREATE TABLE orders (id int PRIMARY KEY, customer text, doc msgpack);
INSERT INTO orders VALUES
	(1, 'Ana', '{"lines": [{"sku": "A1", "n": 2}], "raw": h''00ff'', 7: "seven", "at": DT''2026-11-30T17:13:31.5Z''}'),
	(2, 'Bo', '["a", 1.0, 1_u64, null]'),
	(3, NULL, NULL),
	(4, 'Cy', '"text"');

-- a document embeds as what it is, not as a string
SELECT row_to_json(o) FROM orders o ORDER BY id;
SELECT to_jsonb(o) FROM orders o ORDER BY id;
SELECT to_json(doc), to_jsonb(doc) FROM orders WHERE id = 1;
SELECT json_agg(doc ORDER BY id), jsonb_agg(doc ORDER BY id) FROM orders;
SELECT json_object_agg(id, doc), jsonb_object_agg(id, doc) FROM (SELECT * FROM orders ORDER BY id) o WHERE id > 1;
SELECT json_build_object('doc', doc), jsonb_build_array(doc, id) FROM orders WHERE id = 1;
SELECT array_to_json(array_agg(doc ORDER BY id)) FROM orders;

-- as PostgREST asks: one JSON array of all rows
WITH pgrst_source AS (
	SELECT o.id, o.doc -> 'lines' AS lines, o.doc ->> 'at' AS at FROM orders o WHERE o.doc ? 'lines')
SELECT coalesce(json_agg(_postgrest_t), '[]')::text AS body FROM (SELECT * FROM pgrst_source) _postgrest_t;

-- as it writes: rows of a JSON body
INSERT INTO orders
SELECT id, customer, doc FROM json_to_recordset(
	'[{"id": 10, "customer": "Di", "doc": {"b": 1, "a": [1.50, "x"]}}, {"id": 11, "doc": [1, 2]}, {"id": 12, "doc": null}]')
	AS body (id int, customer text, doc msgpack);
INSERT INTO orders
SELECT * FROM jsonb_populate_recordset(NULL::orders, '[{"id": 13, "doc": {"b": 1, "a": [1.50, "x"]}}]');
SELECT id, doc FROM orders WHERE id >= 10 ORDER BY id;

-- Such rows are made by each column's text input, which for a JSON string is its characters alone: fine for objects
-- and arrays; a string must be text form itself, and one of digits becomes a number.  json takes them as they are.
SELECT doc FROM json_to_recordset('[{"doc": "\"quoted\""}, {"doc": "123"}]') AS body (doc msgpack);
SELECT doc FROM json_to_recordset('[{"doc": "bare"}]') AS body (doc msgpack);
SELECT doc::msgpack FROM json_to_recordset('[{"doc": "bare"}, {"doc": "123"}, {"doc": 123}, {"doc": {"a": 1}}]')
	AS body (doc json);

-- the same answer in MessagePack: the rows as maps, documents within them as they are
SELECT row_to_msgpack(o) FROM orders o WHERE id < 10 ORDER BY id;
SELECT msgpack_agg(row_to_msgpack(o) ORDER BY id) FROM orders o WHERE id < 3;

-- [response]
CREATE DOMAIN "application/msgpack" AS bytea;
CREATE FUNCTION orders_of(customer text) RETURNS "application/msgpack" LANGUAGE sql STABLE AS $$
	SELECT coalesce(msgpack_agg(row_to_msgpack(o) ORDER BY o.id), '[]')::bytea
	  FROM orders o WHERE o.customer = $1
$$;
-- [/response]
SELECT orders_of('Bo'), orders_of('Bo')::bytea::msgpack, orders_of('nobody')::bytea::msgpack;

-- [stream]
SELECT msgpack_stream_agg(row_to_msgpack(o) ORDER BY o.id) AS objects_in_a_row FROM orders o WHERE id IN (2, 4);
-- [/stream]

-- [aggregate]
CREATE FUNCTION to_response(state msgpack, row_of anyelement) RETURNS msgpack LANGUAGE sql IMMUTABLE AS $$
	SELECT state || msgpack_build_array(to_msgpack(row_of))
$$;
CREATE FUNCTION response_bytes(state msgpack) RETURNS "application/msgpack" LANGUAGE sql IMMUTABLE AS $$
	SELECT state::bytea
$$;
CREATE AGGREGATE response(anyelement) (
	SFUNC = to_response, STYPE = msgpack, INITCOND = '[]', FINALFUNC = response_bytes);
-- [/aggregate]
SELECT response(o ORDER BY id)::bytea::msgpack FROM orders o WHERE id IN (2, 4);

-- the MessagePack answer says what the JSON one does
SELECT msgpack_agg(row_to_msgpack(o) ORDER BY id)::jsonb = jsonb_agg(o ORDER BY id) AS equal FROM orders o;

DROP AGGREGATE response(anyelement);
DROP FUNCTION response_bytes, to_response, orders_of;
DROP DOMAIN "application/msgpack";
DROP TABLE orders;
