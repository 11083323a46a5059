-- Databases that are not UTF-8: text is converted at the border, what is
-- stored is UTF-8, and characters that the encoding lacks print as escapes.
\set original :DBNAME
SET client_min_messages = warning;
\set ON_ERROR_STOP on

CREATE DATABASE mpk_latin1 TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C';
CREATE DATABASE mpk_ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C';
CREATE DATABASE mpk_eucjp TEMPLATE template0 ENCODING 'EUC_JP' LOCALE_PROVIDER libc LOCALE 'C';
\set ON_ERROR_STOP off

\c mpk_latin1
SET client_encoding = 'UTF8';
CREATE EXTENSION mpk;
-- in: Latin 1 becomes UTF-8; out: what Latin 1 has is itself
SELECT '"é"'::msgpack::bytea AS bytes, '"é"'::msgpack AS printed, '''é'''::msgpack AS bin;
-- what it has not is escaped, in keys and values, and binary text becomes hex
SELECT m, m::text::msgpack::bytea = m::bytea AS back
FROM unnest(ARRAY['"\u20ac"', '{"né\u20ac": "\ud83d\ude00\n"}', '["\u20ac"_8, h''c3a9'', h''e282ac'']',
  '"é and many more characters, then a \u20ac sign"']::msgpack[]) m;
SELECT msgpack_text('{"é\u20ac": 1}'), msgpack_pretty('{"é\u20ac": 1}');
SELECT '{"é": "\u20ac"}'::msgpack ->> 'é';
SELECT '{"é": ["\u20ac", "ü"]}'::msgpack ->> 'é';
-- positions count characters
SELECT '["éé", x]'::msgpack;
SELECT '["éé", ü]'::msgpack;
-- everything that takes text or gives it
SELECT '{"é": ["ü", 1]}'::jsonb::msgpack::bytea AS bytes, '{"é": ["ü", 1]}'::msgpack::jsonb AS jsonb,
  '{"é": ["ü", 1]}'::msgpack::json AS json, '{"é": "ü"}'::json::msgpack AS back;
SELECT to_msgpack('é'::text)::bytea AS text, msgpack_build_object('é', 'ü'::text, 'ü', '{"é": "é"}'::json) AS built,
  row_to_msgpack(ROW('é'::varchar, 'ü'::name)) AS row, msgpack_object('{é, ü}') AS object, msgpack_agg('é'::text) AS agg;
SELECT m ? 'é' AS has, m ?| '{ü,é}' AS any, m #>> '{é,1}' AS path, m - 'é' AS less, m['é'][0] AS subscript,
  msgpack_set(m, '{é,ü}', '"é"') AS set, msgpack_text(m, 'é', '1') AS typed, m @> '{"é": ["ü"]}' AS contains
FROM (VALUES ('{"é": {"1": "ü", "0": "é"}}'::msgpack)) v(m);
SELECT k, e, v, t FROM msgpack_each('{"é": "ü"}') a(k, e), msgpack_object_keys('{"é": 1}') v, msgpack_each_text('{"x": "ü"}') b(x, t);
SELECT msgpack_path_query('{"é": ["über", "a"]}', '$."é"[*] ? (@ starts with "ü" || @ like_regex "^Ü" flag "i")');
SELECT msgpack_path_query('["é"]', '$[*] ? (@ == $x)', '{"x": "é"}'), '{"é": 1}'::msgpack @? '$.keyvalue() ? (@.key == "é")';
-- a string with what the encoding lacks is no text, as one with NUL is none
SELECT m, m @? '$[*] ? (@ like_regex "^b")' AS b, m @? '$[*] ? (@ like_regex "^a")' AS a,
  m @@ '($[*] like_regex "^b") is unknown' AS unknown, m @? '$[*].double()' AS double, m @? '$[*].datetime()' AS datetime
FROM unnest('{"[\"a\", \"\\u20ac\"]", "[\"a\", \"\\u0000\"]"}'::msgpack[]) m;
SELECT msgpack_path_query('["\u20ac"]', '$[*].double()');
SELECT to_tsvector('simple', '{"é": "über é"}'::msgpack), ts_headline('simple', '["über"]'::msgpack, 'über');
SELECT * FROM msgpack_to_record('{"é": "ü", "n": {"é": 1}}') AS r("é" text, n jsonb);
SELECT min(m), max(m), msgpack_typeof(msgpack_tree.value) FROM unnest('{"\"é\"","\"z\""}'::msgpack[]) m, msgpack_tree('"é"') GROUP BY 3;
-- what cannot be said in Latin 1
SELECT '"\u20ac"'::msgpack::jsonb;
SELECT '{"\u20ac": 1}'::msgpack::jsonb;
SELECT '"\u20ac"'::msgpack::json;
SELECT msgpack_text('["\u20ac", "é"]', '0') AS none, msgpack_text('["\u20ac", "é"]', '1') AS some;
SELECT msgpack_object_keys('{"\u20ac": 1}');
SELECT * FROM msgpack_each('{"\u20ac": 1}');
SELECT msgpack_path_query('["\u20ac", "é"]', '$[*] ? (@ like_regex "é")');
SELECT to_tsvector('simple', '["\u20ac"]'::msgpack);
SELECT * FROM msgpack_to_record('{"a": "\u20ac"}') AS r(a text);
SELECT '{"a": "\u20ac"}'::msgpack ->> 'a' IS NULL;
SELECT msgpack_check('{_dup "\u20ac": 1, "\u20ac": 2}'::msgpack);

\c mpk_eucjp
SET client_encoding = 'UTF8';
CREATE EXTENSION mpk;
SELECT '"日本"'::msgpack::bytea AS bytes, '{"日本": "é"}'::msgpack AS printed,
  '"日本 \u00ff \ud83d\ude00"'::msgpack AS escaped;
SELECT '["日本", x]'::msgpack;
SELECT '{"日本": "東"}'::jsonb::msgpack::bytea AS bytes, '{"日本": "東"}'::msgpack::jsonb AS jsonb,
  to_msgpack('東'::text)::bytea AS text, '{"日本": "東"}'::msgpack ->> '日本' AS field,
  msgpack_text('{"日本": "東"}', '日本') AS typed, msgpack_text('["\ud83d\ude00"]', '0') AS none,
  msgpack_path_query('["東京"]', '$[*] ? (@ starts with "東")') AS path;
SELECT '"\ud83d\ude00"'::msgpack::jsonb;

\c mpk_ascii
CREATE EXTENSION mpk;
-- bytes pass as they are, if they are UTF-8
SELECT '"é"'::msgpack::bytea AS bytes, '{"é": ''é''}'::msgpack AS printed, '{"é": "ü"}'::msgpack ->> 'é';
SELECT E'"\xe9"'::msgpack;
SELECT E'["é", ''\xc0\xaf'']'::msgpack;
SELECT E'"\xed\xa0\x80 and more text that follows"'::msgpack;
SELECT E'[\xe9]'::msgpack;
SELECT '"\ud83d\ude00"'::msgpack::bytea;
SELECT '{"é": "ü"}'::jsonb::msgpack::bytea AS bytes, '{"é": "ü"}'::msgpack::jsonb AS jsonb,
  to_msgpack('é'::text)::bytea AS text, msgpack_text('["é"]', '0') AS typed,
  msgpack_path_query('["é"]', '$[*] ? (@ starts with "é")') AS path;
SELECT E'"\xe9"'::jsonb::msgpack;
SELECT to_msgpack(E'\xe9'::text);
SELECT msgpack_build_object(E'\xe9', 1);
SELECT '["é"]'::msgpack @> to_msgpack(E'\xe9'::text);
SELECT '["é"]'::msgpack ? E'\xe9';
SELECT '{"é": 1}'::msgpack - E'\xe9' AS less, '{"é": 1}'::msgpack #>> E'{\xe9}' AS path;
-- a key that cannot be UTF-8 is no error before a row is looked at
CREATE TABLE rows (doc msgpack);
SELECT doc -> E'\xe9' -> 'b' AS chain, doc #>> E'{a,\xe9}' AS path FROM rows;
SELECT doc -> 'é' -> 'b' AS chain, (doc -> 'é' -> 'b')::int AS cast FROM (VALUES ('{"é": {"b": 1}}'::msgpack)) v(doc);

\c :original
DROP DATABASE mpk_latin1;
DROP DATABASE mpk_eucjp;
DROP DATABASE mpk_ascii;
