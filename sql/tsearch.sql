--
-- Text search: the same as jsonb's, in document order
-- (documents are written as jsonb prints them).
--
CREATE TEMP TABLE ts_doc (id serial, j jsonb, m msgpack);
INSERT INTO ts_doc (j, m)
SELECT t::jsonb, t::msgpack
  FROM unnest(ARRAY[
	'{"a": "aaa bbb ddd ccc", "b": ["eee fff ggg"], "c": {"d": "hhh iii jjj"}}',
	'["The cats ran", "after the fat rats", {"a": "running", "b": null, "c": 12.5}, [], true, 7]',
	'"just one string of words"', '""', '{}', '[]', 'null', '5', 'true',
	'{"a": "", "b": "the of a", "c": ["stop", "words", ["only here", {"deep": "deeper words"}]]}',
	'{"x": [-1.5, 1000, 0, false], "né": "l''été à Paris", "key words": "value words"}',
	'{"a": "first http://example.com/page?x=1 last", "b": "one-two-three <b>tag</b> a@b.org"}'
	]) AS t;

-- all of these return no rows
SELECT id, c, to_tsvector(c, j), to_tsvector(c, m) FROM ts_doc,
	   unnest(ARRAY['english', 'simple', 'french']::regconfig[]) c
 WHERE to_tsvector(c, j) <> to_tsvector(c, m);
SELECT id, f, jsonb_to_tsvector('english', j, f::jsonb), msgpack_to_tsvector('english', m, f::msgpack)
  FROM ts_doc, unnest(ARRAY['"string"', '"numeric"', '"boolean"', '"key"', '"all"', '[]',
							'["string", "key"]', '["numeric", "boolean"]', '["String", "ALL"]',
							'["key", "key"]']) f
 WHERE jsonb_to_tsvector('english', j, f::jsonb) <> msgpack_to_tsvector('english', m, f::msgpack);
SELECT id, o, ts_headline('english', j, q, o), ts_headline('english', m, q, o)
  FROM ts_doc, unnest(ARRAY['words', 'cat & rat', 'run', 'bbb', 'tag']::tsquery[]) q,
	   unnest(ARRAY['', 'StartSel=<, StopSel=>', 'MaxWords=3, MinWords=1',
					'MaxFragments=2, FragmentDelimiter=...', 'HighlightAll=true']) o
 WHERE ts_headline('english', j, q, o)::text <> ts_headline('english', m, q, o)::text;
SELECT id FROM ts_doc WHERE ts_headline('simple', j, 'words')::text <> ts_headline('simple', m, 'words')::text;

-- without a configuration, the session's
SET default_text_search_config = 'simple';
SELECT to_tsvector('{"a": "The cats"}'::msgpack), msgpack_to_tsvector('{"a": "The cats"}', '"all"'),
	   ts_headline('["The cats"]'::msgpack, 'cats'), ts_headline('["cats"]'::msgpack, 'cats', 'StartSel=*');
SET default_text_search_config = 'english';
SELECT to_tsvector('{"a": "The cats"}'::msgpack), msgpack_to_tsvector('{"a": "The cats"}', '"all"'),
	   ts_headline('["The cats"]'::msgpack, 'cat'), ts_headline('["cats"]'::msgpack, 'cat', 'StartSel=*');
RESET default_text_search_config;

-- positions follow document order, and no phrase goes on from one value to the next
SELECT to_tsvector('simple', '{"z": "one two", "a": "three"}'::msgpack),
	   to_tsvector('simple', '{"z": "one two", "a": "three"}'::jsonb);
SELECT to_tsvector('simple', '["one two", "three"]'::msgpack) @@ 'two <-> three' AS across,
	   to_tsvector('simple', '["one two", "three"]'::msgpack) @@ 'one <-> two' AS inside;

-- binaries, timestamps and exts are no text; keys that are numbers are
SELECT msgpack_to_tsvector('simple', '{"b": ''bytes'', "t": DT`2020-01-01T00:00:00Z`, "e": ext(5, h`61`),
	"f": 1.5_f32, 7: "seven", -2.5: "x", true: "y", null: "z", [1, "in key"]: "k", {"a": "b"}: {1: 2}}',
	'"all"');
SELECT to_tsvector('simple', '{"b": ''bytes'', "s": "string"}'::msgpack);

-- a headline leaves all else as it is, byte for byte
SELECT ts_headline('simple', '{_16 "cat"_8: [_32 "a cat", 1_u64, h`00`_16], "s": {"n": "cat"_16, [1, "cat"]: null},
	"b": ''cat''}'::msgpack, 'cat', 'StartSel=<,StopSel=>');
SELECT ts_headline('simple', '{_dup "a": "cat", "a": "dog cat"}'::msgpack, 'cat', 'StartSel=<,StopSel=>');
SELECT ts_headline('simple', '"cat"'::msgpack, 'cat'), ts_headline('simple', '5'::msgpack, 'cat');
-- a longer string has a longer header
SELECT length(h::bytea), msgpack_check(h), h ->> 'a' = repeat('<b>cat</b> ', 200) || 'end'
  FROM ts_headline('simple', format('{"a": "%s"}', repeat('cat ', 200) || 'end')::msgpack, 'cat',
				   'HighlightAll=true') h;

-- what is no text in PostgreSQL raises an error
SELECT to_tsvector('simple', '["a\u0000b"]'::msgpack);
SELECT to_tsvector('simple', '[str`ff`]'::msgpack);
SELECT ts_headline('simple', '[str`ff`]'::msgpack, 'a');
-- as do wrong filters
SELECT msgpack_to_tsvector('simple', '[]', '"strings"');
SELECT msgpack_to_tsvector('simple', '[]', '[1]');
SELECT msgpack_to_tsvector('simple', '[]', 'null');
SELECT msgpack_to_tsvector('simple', '[]', '["string", []]');
SELECT msgpack_to_tsvector('simple', '[]', '{}');

-- marked as jsonb's functions are: no rows
SELECT j.oid::regprocedure
  FROM pg_proc j
 WHERE j.pronamespace = 'pg_catalog'::regnamespace AND 'jsonb'::regtype = ANY (j.proargtypes)
   AND j.proname IN ('to_tsvector', 'jsonb_to_tsvector', 'ts_headline')
   AND NOT EXISTS (
		SELECT FROM pg_proc m
		 WHERE m.proname = replace(j.proname, 'jsonb', 'msgpack')
		   AND (m.provolatile, m.proparallel, m.proisstrict) = (j.provolatile, j.proparallel, j.proisstrict)
		   AND replace(pg_get_function_identity_arguments(m.oid), 'msgpack', 'jsonb') =
			   pg_get_function_identity_arguments(j.oid)
		   AND replace(pg_get_function_result(m.oid), 'msgpack', 'jsonb') = pg_get_function_result(j.oid));

-- an index
CREATE INDEX ON ts_doc USING gin (to_tsvector('english', m));
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM ts_doc WHERE to_tsvector('english', m) @@ 'rat & cat'::tsquery;
SELECT id FROM ts_doc WHERE to_tsvector('english', m) @@ 'rat & cat'::tsquery;
RESET enable_seqscan;
DROP TABLE ts_doc;
