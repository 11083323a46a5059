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

\c mpk_eucjp
SET client_encoding = 'UTF8';
CREATE EXTENSION mpk;
SELECT '"日本"'::msgpack::bytea AS bytes, '{"日本": "é"}'::msgpack AS printed,
  '"日本 \u00ff \ud83d\ude00"'::msgpack AS escaped;
SELECT '["日本", x]'::msgpack;

\c mpk_ascii
CREATE EXTENSION mpk;
-- bytes pass as they are, if they are UTF-8
SELECT '"é"'::msgpack::bytea AS bytes, '{"é": ''é''}'::msgpack AS printed, '{"é": "ü"}'::msgpack ->> 'é';
SELECT E'"\xe9"'::msgpack;
SELECT E'["é", ''\xc0\xaf'']'::msgpack;
SELECT E'"\xed\xa0\x80 and more text that follows"'::msgpack;
SELECT E'[\xe9]'::msgpack;
SELECT '"\ud83d\ude00"'::msgpack::bytea;
-- a key that cannot be UTF-8 is no error before a row is looked at
CREATE TABLE rows (doc msgpack);
SELECT doc -> E'\xe9' -> 'b' AS chain, doc #>> E'{a,\xe9}' AS path FROM rows;
SELECT doc -> 'é' -> 'b' AS chain, (doc -> 'é' -> 'b')::int AS cast FROM (VALUES ('{"é": {"b": 1}}'::msgpack)) v(doc);

\c :original
DROP DATABASE mpk_latin1;
DROP DATABASE mpk_eucjp;
DROP DATABASE mpk_ascii;
