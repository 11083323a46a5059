-- Subscripting.  How it agrees with jsonb's over generated documents is in test/differential/edit.py.

-- reading
SELECT ('{"a": [1, {"b": 2}]}'::msgpack)['a'], ('{"a": [1, {"b": 2}]}'::msgpack)['a'][1]['b'],
	('{"a": [1, {"b": 2}]}'::msgpack)['a'][-1], ('{"a": [1, {"b": 2}]}'::msgpack)['a']['1'],
	('{"a": [1, {"b": 2}]}'::msgpack)['x'], ('{"a": [1, {"b": 2}]}'::msgpack)['a'][5];
SELECT ('5'::msgpack)[0], ('5'::msgpack)['a'], ('{"a": 1}'::msgpack)[NULL], (NULL::msgpack)['a'];
-- a number is the key equal to it, a text the str key first
SELECT ('{7: 1, "7": 2}'::msgpack)[7], ('{7: 1, "7": 2}'::msgpack)['7'], ('{7: 1}'::msgpack)['7'],
	('{7.0: 1}'::msgpack)[7::int2], ('{9223372036854775807: 1}'::msgpack)[9223372036854775807];
SELECT ('{"a": 1}'::msgpack)['a'::varchar], ('{"a": 1}'::msgpack)['a'::name];
SELECT ('{"a": 1}'::msgpack)[1:2];
SELECT ('{"a": 1}'::msgpack)[:2];
SELECT ('{"a": 1}'::msgpack)[:];
SELECT ('{"a": 1}'::msgpack)[1.0];
SELECT ('{"a": 1}'::msgpack)['{"a": 1}'::jsonb];

-- assigning
CREATE TABLE doc (id int, d msgpack);
INSERT INTO doc VALUES (1, '{}'), (2, NULL), (3, '[1]'), (4, '{7: 1}'), (5, '5');
UPDATE doc SET d['a'] = '1' WHERE id IN (1, 2, 4) RETURNING id, d, d['a'];
UPDATE doc SET d['a'] = NULL WHERE id = 1 RETURNING d;
UPDATE doc SET d['b']['c'][2]['e'] = '"deep"' WHERE id = 1 RETURNING d;
UPDATE doc SET d[7] = '2', d[8]['x'] = '3' WHERE id = 4 RETURNING d;
UPDATE doc SET d[3] = '4' WHERE id = 3 RETURNING d;
UPDATE doc SET d[-1] = '"last"' WHERE id = 3 RETURNING d;
UPDATE doc SET d = NULL WHERE id = 2;
UPDATE doc SET d[1] = '"one"' WHERE id = 2 RETURNING d;
UPDATE doc SET d['b']['c'][0] = d['b']['c'][2], d['b']['n'] = to_msgpack(id) WHERE id = 1 RETURNING d;
INSERT INTO doc (id, d['a'], d['b'][1]) VALUES (6, '1', '2') RETURNING d;
-- errors leave the row as it was
UPDATE doc SET d['a'] = '1' WHERE id = 5;
UPDATE doc SET d['a']['b'] = '1' WHERE id = 4;
UPDATE doc SET d['x'] = '1' WHERE id = 3;
UPDATE doc SET d[-9] = '1' WHERE id = 3;
UPDATE doc SET d[NULL] = '1' WHERE id = 3;
UPDATE doc SET d[1:2] = '1' WHERE id = 3;
UPDATE doc SET d[2000000000] = '1' WHERE id = 3;
UPDATE doc SET d[9000000000000000000]['a'] = '1' WHERE id = 3;
UPDATE doc SET d['q'][9000000000000000000] = '1' WHERE id = 4;
SELECT * FROM doc ORDER BY id;
DROP TABLE doc;

-- in PL/pgSQL
DO $$
DECLARE
	m msgpack;
	i int;
BEGIN
	m['list'][2] = '1';
	FOR i IN 0 .. 2 LOOP
		m['list'][i] = to_msgpack(i * 10);
	END LOOP;
	m[7] = '"seven"';
	m['copy'] = m['list'];
	RAISE NOTICE '% %', m, m['list'][1];
END $$;
-- a domain, and a composite with a document in it
CREATE DOMAIN object AS msgpack CHECK (msgpack_typeof(VALUE) = 'map');
CREATE TYPE holder AS (id int, d msgpack);
CREATE TABLE holders (h holder, o object);
INSERT INTO holders VALUES ((1, '{"a": [1]}'), '{"a": 1}');
UPDATE holders SET h.d['a'][1] = '2', o['b'] = '3' RETURNING *;
SELECT (h).d['a'][1], o['a'] FROM holders;
DROP TABLE holders;
DROP TYPE holder;
DROP DOMAIN object;

-- in a view, an index and a constraint
CREATE TABLE doc (d msgpack CHECK (d['n'] IS NOT NULL));
CREATE INDEX ON doc ((d['n']));
CREATE VIEW numbers AS SELECT d['n'] AS n, d['list'][0] AS first FROM doc;
INSERT INTO doc VALUES ('{"n": 1, "list": [5]}');
INSERT INTO doc VALUES ('{"list": [5]}');
SELECT * FROM numbers;
DROP VIEW numbers;
DROP TABLE doc;

-- keys below zero, made by a step
CREATE TABLE below (m msgpack);
INSERT INTO below VALUES ('{}');
UPDATE below SET m[-5] = '1', m[-2147483649]['a'] = '2', m['b'][1] = '3' RETURNING m, m::bytea;
SELECT ('{-5: 1}'::msgpack)[-5], '{-5: 1}'::msgpack -> -5, '{-5: 1}'::msgpack -> '-5';
DROP TABLE below;
