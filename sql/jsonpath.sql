--
-- jsonpath over MessagePack
--

-- What a query gives, or its SQLSTATE and message.
CREATE FUNCTION outcome(doc msgpack, path jsonpath, vars msgpack DEFAULT '{}') RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
	RETURN msgpack_path_query_array(doc, path, vars)::text;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

CREATE FUNCTION walk(doc msgpack, VARIADIC paths text[]) RETURNS TABLE (path text, found text)
LANGUAGE sql AS 'SELECT p, outcome(doc, p::jsonpath) FROM unnest(paths) p';

-- the functions, on the same path
SELECT msgpack '{"a": [1, 2, 3]}' @? '$.a[*] ? (@ > 2)' AS "@?", msgpack '{"a": [1, 2, 3]}' @@ '$.a[*] > 3' AS "@@";
SELECT msgpack_path_exists('{"a": [1, 2, 3]}', '$.a[*] ? (@ > $n)', '{"n": 2}'),
	msgpack_path_match('{"a": [1, 2, 3]}', 'exists($.a[*] ? (@ > $n))', '{"n": 3}'),
	msgpack_path_query_array('{"a": [1, 2, 3]}', '$.a[*] ? (@ >= $n)', '{"n": 2}'),
	msgpack_path_query_first('{"a": [1, 2, 3]}', '$.a[*] ? (@ >= $n)', '{"n": 2}'),
	msgpack_path_query_first('{"a": [1, 2, 3]}', '$.a[*] ? (@ >= $n)', '{"n": 9}') AS none;
SELECT msgpack_path_query('{"a": [1, 2, 3]}', '$.a[*] ? (@ >= $n)', '{"n": 2}');
SELECT q, o FROM msgpack_path_query('[{"x": 1}, {"x": "b"}, {}]', '$[*].x') WITH ORDINALITY AS f (q, o);
SELECT i, (SELECT msgpack_path_query(('[' || i || ', 7]')::msgpack, '$[*]') LIMIT 1) FROM generate_series(1, 3) i;
SELECT msgpack_path_exists_tz('"12:00:00"', '$.datetime() ? (@ < "13:00:00+00".datetime())') IS NOT NULL,
	msgpack_path_match_tz('true', '$'), msgpack_path_query_array_tz('[1]', '$[*]'),
	msgpack_path_query_first_tz('[1]', '$[*]'), msgpack_path_query_tz('[1]', '$[*]');

-- SQL NULL anywhere is NULL
SELECT msgpack_path_exists(NULL, '$'), msgpack_path_match('true', NULL), msgpack_path_query_first('1', '$', NULL),
	msgpack_path_query_array('1', '$', '{}', NULL), NULL::msgpack @? '$', msgpack '1' @@ NULL;
SELECT * FROM msgpack_path_query(NULL, '$');

-- accessors, lax
SELECT * FROM walk('{"a": 12, "b": {"a": 13}, "c": [{"a": 1}, {"b": 2}, [{"a": 3}], 4]}',
	'$', '$.a', '$.*', '$.*.a', '$.c.a', '$.c[*].a', '$.c[*][*].a', '$.c[0].a', '$.c[last]', '$.c[last - 1][0].a',
	'$.c[0, 2 to 3]', '$.c[1 to 100].b', '$.c[1.7]', '$.c[5]', '$.c[-1]', '$.a[0]', '$.a[last]', '$.a[*]', '$.a[1]',
	'$.nothing', '$.a.nothing', '$."b"."a"', '$.b[0].a', '$.b.*', '$.a.*', '$.c.*');
-- and strict
SELECT * FROM walk('{"a": 12, "b": {"a": 13}, "c": [{"a": 1}, {"b": 2}, [{"a": 3}], 4]}',
	'strict $.a', 'strict $.nothing', 'strict $.*.a', 'strict $.c.a', 'strict $.c[*].a', 'strict $.c[0].a',
	'strict $.c[last]', 'strict $.c[4]', 'strict $.c[3 to 4]', 'strict $.c[2 to 1]', 'strict $.c[-1]', 'strict $.a[0]',
	'strict $.a[*]', 'strict $.a.*', 'strict $.c["a"]', 'strict $.c[1e30]', '$.c[1e30]', 'strict $.c[2][0].a',
	'strict $.c ? (@[*].a > 0)', 'strict $.**.b', 'strict $.**[0].a');
-- the same silently
SELECT msgpack_path_query_array('[1]', 'strict $.a', silent => true), msgpack_path_query_array('[1]', 'strict $[0, 3]', silent => true),
	msgpack_path_exists('[1]', 'strict $.a', silent => true), msgpack_path_exists('[1]', 'strict $[0]', silent => true),
	msgpack '[1]' @? 'strict $.a', msgpack '[1]' @@ '$[*]', msgpack_path_match('[1]', '$[*]', silent => true);
SELECT msgpack_path_match('[1]', '$[*]');
SELECT msgpack_path_match('[]', '$[*]');
SELECT msgpack_path_match('null', '$');

-- levels
SELECT * FROM walk('{"a": {"b": [1, {"c": 2}]}, "d": []}',
	'$.**', '$.**{0}', '$.**{1}', '$.**{2 to 3}', '$.**{last}', '$.**{4 to last}', '$.**.c', '$.** ? (@.c > 1)', '$.**{0}.a.**{2}');

-- filters and three-valued logic
SELECT * FROM walk('[true, false, null, 1, "1", [1], {"a": 1}]',
	'$[*] ? (@ == 1)', '$[*] ? (@ != 1)', '$[*] ? ((@ == 1) is unknown)', '$[*] ? (!(@ == 1))', '$[*] ? (@ == null)', '$[*] ? (@ != null)',
	'$[*] ? (@ == "1" || @ == true)', '$[*] ? (@ == 1 && (@ < "x") is unknown)', '$[*] ? (exists (@.a))', '$[*] ? (@.a == 1 || @ > 0)',
	'$[*] ? (@ < 2) ? (@ == 1)', '$ ? (@[*] == 1)', 'strict $ ? (@[*] == 1)', 'strict $[*] ? (exists (@.a))', 'strict $[*] ? ((exists (@.a)) is unknown)');
SELECT * FROM walk('[]', '$[*] == 1', '$ == $', 'exists($)', 'exists($[*])', '($[*] == 1) is unknown', '!($[*] == 1)', '1 == "1"',
	'(1 == "1").type()', '(1 == 1).type()', 'null == null', '$[last]', '$[last ? (exists (last))]');

-- arithmetic
SELECT * FROM walk('{"i": 7, "j": -2, "f": 2.5, "a": [1, 2, 3], "one": [4], "s": "x", "z": 0, "max": 9223372036854775807, "u": 18446744073709551615, "n": -9223372036854775808}',
	'$.i + 3', '$.i - $.j', '$.i * $.f', '$.i / 2', '$.i % 4', '$.j % 4', '$.f % 2', '-$.a', '+$.a[*]', '-$.s', '+$.s', '$.one * 2', '$.a * 2', '$.s + 1', '1 + $.s',
	'$.i / $.z', '$.i % $.z', '$.f / $.z', '1 - -$.i', '2 * 3 + 4 * -$.f', '-($.i - 10)', '$.max + 0', '$.max + 1', '$.max * 2', '$.n - 1', '-$.n', '-$.u', '$.u + 1', '$.u - $.u',
	'$.n % -1', '$.n.abs()', '$.i * 1.50', '(1e300 * 1e300)', '$.max / 1', '$.i.abs()', '$.j.abs()', '$.f.floor()', '(-$.f).ceiling()', '$.a.abs()', '$.s.abs()', 'strict $.a.floor()');
SELECT msgpack_path_query_array('[1, 0]', '$[*] ? (2 / @ > 0)'), msgpack_path_query_array('[1, 0]', '$[*] ? ((2 / @ > 0) is unknown)'),
	msgpack '["1", 2]' @? '-$[*]', msgpack '["1"]' @? '-$[*]', msgpack '["1", 2]' @? 'strict -$[*]', msgpack '[0]' @? '1 / $[0]';

-- strings
SELECT * FROM walk('["", "a", "abc", "aBC", "abcabc", "x\nabc", null, 5, ["abd"]]',
	'$[*] ? (@ starts with "ab")', 'strict $[*] ? (@ starts with "ab")', '$[*] ? (@ starts with "")', '$[*] ? (@ like_regex "^ab")',
	'$[*] ? (@ like_regex "^AB" flag "i")', '$[*] ? (@ like_regex "^a" flag "m")', '$[*] ? (@ like_regex "x.a" flag "s")', '$[*] ? (@ like_regex "x.a")',
	'$[*] ? (@ like_regex "." flag "q")', '$[*] ? ((@ like_regex "a") is unknown)', '$[*] ? (@ > "a")', '$[*] ? (@ <= "abc")');

-- variables
SELECT outcome('{"a": 10}', '$ ? (@.a < $value)', '{"value": 13}'), outcome('{"a": 10}', '$x.y + $.a', '{"x": {"y": 1}}'),
	outcome('[1, 2, 3]', '$[$i to last]', '{"i": 1}'), outcome('1', '$v.type()', '{"v": h''00''}');
SELECT outcome('{"a": 10}', '$missing');
SELECT outcome('{"a": 10}', '$ ? (@.a < $missing)');
SELECT outcome('1', '$', '1'), outcome('1', '$', '[{"a": 1}]');

-- methods
SELECT * FROM walk('[null, 1, 2.5, true, "x", [1, 2], {"a": 1}]', '$.type()', '$[*].type()', '$.size()', '$[*].size()', 'strict $[*].size()', '$[*] ? (@.type() == "number").type()');
SELECT * FROM walk('["1.5", "x", "1e400", "NaN", "inf", 7, 1.25, true, [2], null]', '$[0].double()', '$[1].double()', '$[2].double()', '$[3].double()', '$[4].double()',
	'$[5].double()', '$[6].double()', '$[7].double()', '$[8].double()', '$[9].double()', 'strict $[8].double()', '$[*] ? (@.double() > 1)', '1e1000.double()', '"1e-1000".double()');
SELECT * FROM walk('{"a": 1, "b": [1, 2], "c": {"a": "x"}}', '$.keyvalue().key', '$.keyvalue().value', '$.keyvalue() ? (@.key == "b").value[1]', '$.c.keyvalue()', '$.b.keyvalue()',
	'$.keyvalue().keyvalue().key', 'strict $.b[0].keyvalue()', '$.**.keyvalue().id.type()');
-- an identifier tells which object a pair is of
SELECT outcome('[{"a": 1, "b": 2}, {"c": 3}]', '$[*].keyvalue()'), outcome('[{"a": 1}]', '$[*].keyvalue().keyvalue().id', '{}'),
	outcome('1', '$v.keyvalue()', '{"v": {"k": 1}}'), outcome('1', '$v.keyvalue().keyvalue().id', '{"v": {"k": 1}}');

-- datetimes
SET timezone = 'UTC';
SELECT * FROM walk('["2017-03-10", "12:34:56", "12:34:56+03", "2017-03-10 12:34:56", "2017-03-10T12:34:56+03:00", "x", 5]',
	'$[0 to 4].datetime()', '$[0 to 4].datetime().type()', '$[5].datetime()', '$[6].datetime()', '$[*].datetime() ? (@ == "2017-03-10".datetime())',
	'$[1].datetime("HH24:MI:SS")', '$[0].datetime("dd.mm.yyyy")', '$[0].datetime("yyyy-mm-dd") > "2017-03-09".datetime()',
	'$[0].datetime() == $[3].datetime()', '$[0].datetime() < $[3].datetime()', '$[1].datetime() == $[0].datetime()', '$[1].datetime() == $[2].datetime()', '$[3].datetime() < $[4].datetime()');
SELECT msgpack_path_query_tz('["12:34:56", "12:34:56+03"]', '$[0].datetime() > $[1].datetime()'),
	msgpack_path_match_tz('["2017-03-10", "2017-03-10T00:00:00+00"]', '$[0].datetime() == $[1].datetime()');

--
-- MessagePack's own
--

-- every kind has a type
SELECT * FROM walk('[null, true, 1, -1, 1.5, 1.5_f32, "s", h''00'', DT''2026-11-30T17:13:31.5Z'', ext(5, h''00''), [], {}, NaN, 18446744073709551615]', '$[*].type()');
-- what is found comes out as it is, widths and all
SELECT * FROM walk('{"a": [5_u64, -1_i32, 1.5_f32, "x"_16, h''00ff''_32, ext(7, h''01'')_16, DT''2026-11-30T00:00:00Z''_96, [_16 1], {_32 "k": 1}]}', '$.a[*]', '$.a[0 to 2] ? (@ > 0)', '$.a[8].k');
-- numbers: exactly, whatever they are
SELECT * FROM walk('[9007199254740993, 9007199254740992.0, 1, 1.0, 1_u64, 0.1, 0.1_f32, NaN, Infinity, -Infinity, 18446744073709551615, -0.0]',
	'$[*] ? (@ == 1)', '$[*] ? (@ > 9007199254740992)', '$[*] ? (@ == 9007199254740992)', '$[*] ? (@ == 0.1)', '$[6] == $[5]', '$[6] + 0 == $[5]', '$[7] == $[7]', '$[*] ? (@ > 1e308)', '$[*] ? (@ < -1e308)',
	'$[10] + 1', '$[10] - 1', '$[*] ? (@ == 18446744073709551615)', '$[7].double()', '$[8].abs()', '$[9] + $[8]', '$[11] == 0', '-$[11]', '$[*] ? (@ == 0.10000000000000000000000001)', '$[*] ? (@ < 0.10000000000000000000000001 && @ >= 0)');
-- timestamps are moments, to the nanosecond
SELECT * FROM walk('[DT''2026-11-30T17:13:31.123456789Z'', DT''2026-11-30T17:13:31.123456Z'', "2026-11-30 17:13:31.123456+00", "2026-11-30 18:13:31.123457+01", ext(-1, h''000000007fffffffffffffff''), "2026-12-01", "17:13:31"]',
	'$[0] > $[1]', '$[1] == $[2].datetime()', '$[0] == $[2].datetime()', '$[0] > $[2].datetime()', '$[0] < $[3].datetime()', '$[2].datetime() < $[0]', '$[0].datetime()', '$[0].datetime("yyyy")', '$[0].datetime().type()',
	'$[4] > $[3].datetime()', '$[3].datetime() < $[4]', '$[0] == "2026-11-30"', '$[0] == null', '$[0] != null', '$[0] < $[6].datetime()', '$[*] ? (@.type() like_regex "zone")');
SELECT outcome('[DT''2026-11-30T17:13:31Z'']', '$[0] < "2026-12-01".datetime()');
SELECT msgpack_path_query_array_tz('[DT''2026-11-30T17:13:31Z'', ext(-1, h''000000007fffffffffffffff'')]', '$[*] ? (@ < "2026-12-01".datetime())');
-- binaries and exts compare with their like alone
SELECT outcome('[h''00ff'', h''00ff01'', ext(5, h''00''), ext(6, h''00''), "x", 1]', '$[*] ? (@ == $b)', '{"b": h''00ff''}'),
	outcome('[h''00ff'', h''00ff01'', ext(5, h''00''), ext(6, h''00''), "x", 1]', '$[*] ? (@ > $b)', '{"b": h''00ff''}'),
	outcome('[h''00ff'', ext(5, h''00''), ext(6, h''00''), "x", 1]', '$[*] ? (@ >= $e)', '{"e": ext(6, h''00'')}'),
	outcome('[h''00ff'', ext(5, h''00''), "x"]', '$[*] ? ((@ == "x") is unknown)');
SELECT * FROM walk('[h''616263'', ext(5, h''00'')]', '$[*] ? (@ like_regex "a")', '$[*] ? ((@ starts with "a") is unknown)', '$[0].double()', '$[0] + 1', '$[1].size()', '$[1].datetime()', '$[1].keyvalue()');
-- keys by the key rule
SELECT * FROM walk('{"5": "str", h''35'': "bin", 5: "int", h''62'': "bin b", 7: "seven", -3: "minus", "": "empty", [1]: "array", null: "nil", 2.0: "two"}',
	'$."5"', '$.b', '$."7"', '$."-3"', '$."07"', '$.""', '$."2"', '$."null"', '$.*', '$.keyvalue().key', '$[0]."7"', '$[7]', '$[5]', 'strict $[5]');
SELECT * FROM walk('[{"5": "str", h''35'': "bin", 5: "int", h''62'': "bin b", 7: "seven"}]', '$[*]."5"', '$.b', '$[0]."7"', '$[*]."07"');
-- of repeated keys the last counts
SELECT * FROM walk('{_dup "a": 1, "b": {_dup "x": 1, "x": 2}, "a": 3}', '$.a', '$.*', '$.b.*', '$.**', '$.keyvalue().value', '$.b');
SELECT outcome('1', '$v.a', '{"v": {_dup "a": 1, "a": 2}}'), outcome('1', '$v', '{_dup "v": 1, "v": 2}');
-- strings that are no text
SELECT * FROM walk('["a\u0000b", str''61ff'', "ab"]', '$[*] ? (@ starts with "a")', '$[*] ? (@ == "ab")', '$[*] ? (@ > "a")', '$[*] ? (@ like_regex "a")', '$[*] ? ((@ like_regex "a") is unknown)',
	'$[0].double()', '$[1].datetime()', '$[0 to 1]');
-- results that MessagePack has no number for
SELECT outcome('1', '1e1000'), outcome('1', '123456789012345678901234567890'), outcome('1', '0.1234567890123456789');

-- as deep as documents go
SELECT outcome((repeat('[', 1024) || repeat(']', 1024))::msgpack, '$[0].type()');
SELECT outcome((repeat('[', 1024) || repeat(']', 1024))::msgpack, '$');
SELECT length(outcome((repeat('[', 1024) || repeat(']', 1024))::msgpack, '$[0]'));
SELECT msgpack_path_query_first((repeat('[', 1024) || '7' || repeat(']', 1024))::msgpack, '$.**{1024}');

-- documents with an index, in line and in TOAST, compressed or not
CREATE TABLE stored (kind text, doc msgpack);
ALTER TABLE stored ALTER doc SET STORAGE EXTERNAL;
INSERT INTO stored SELECT 'external', jsonb_build_object('head', 1, 'list', jsonb_agg(jsonb_build_object('i', i, 'name', 'name ' || i, 'pad', repeat(md5(i::text), 20))),
	'map', jsonb_object_agg('key' || i, i), 'tail', 'end') FROM generate_series(1, 300) i;
INSERT INTO stored SELECT 'inline', '{"head": 1, "list": [{"i": 1}], "map": {"key7": 7}, "tail": "end", "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}';
ALTER TABLE stored ALTER doc SET STORAGE EXTENDED;
INSERT INTO stored SELECT 'compressed', jsonb_build_object('head', 1, 'list', jsonb_agg(jsonb_build_object('i', i, 'name', 'name ' || i, 'pad', repeat('x', 200))),
	'map', jsonb_object_agg('key' || i, i), 'tail', 'end') FROM generate_series(1, 300) i;
SELECT kind, p, msgpack_path_query_array(doc, p::jsonpath) FROM stored, unnest(ARRAY['$.head', '$.tail', '$.map.key7', '$.list[last].i', '$.list[250].i', '$.list[250].name.size()', '$.missing', '$.list[1000]',
	'$.map.missing', '$.head[0]', '$.list.i ? (@ == 17 || @ == 299)', '$.map.*.size() ? (@ > 1)', '$.head.type()', '$ ? (@.tail == "end").map.key7']) WITH ORDINALITY u (p, n) ORDER BY kind, n;
SELECT kind, doc @? '$.map.key7', doc @? '$.map.key7 ? (@ > 7)', doc @@ '$.list[*].i == 1', doc @@ 'strict $.map.nothing == 1', doc @? 'strict $.list[299]' FROM stored ORDER BY kind;

-- one call site, many paths
SELECT p, msgpack_path_query_first(d, p::jsonpath) FROM (VALUES (msgpack '{"a": 1, "b": 2}', '$.a'), ('{"a": 3}', '$.a'), ('{"a": 4, "b": 5}', '$.b'), ('{"a": 6}', '$.a'), ('[7]', '$[0]')) v (d, p);
PREPARE site(msgpack, jsonpath) AS SELECT msgpack_path_query_first($1, $2);
EXECUTE site('{"a": 1}', '$.a');
EXECUTE site('{"a": 1, "b": 2}', '$.b');

DROP TABLE stored;
DROP FUNCTION walk, outcome;
