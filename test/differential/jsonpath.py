#!/usr/bin/python3
"""jsonpath: the same path on jsonb and on msgpack.

Generated and real JSON documents (with keys in jsonb's order, since wildcards
follow the document's here), each under hundreds of paths: written ones for
every feature, and ones generated from the grammar.  Equal results, by every
function, or the same SQLSTATE.  Numbers that a path computes are compared as
the floats that msgpack keeps of them, and the identifiers of .keyvalue(), which
are places in the document, not at all.
"""

import glob
import json
import os
import random
import sys

import psycopg

from libmpk import Report, connect, load

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
import documents as bench_documents		# noqa: E402
from json_documents import ISO_CODES, Writer		# noqa: E402

VARS = {"x": 1, "s": "ab", "d": "2017-03-10", "null": None, "list": [1, 2, "ab"],
        "map": {"a": 1, "b": [2, 3]}, "big": 9007199254740993, "f": 2.5}

# How a path is asked, and of how many in a hundred pairs of path and document.
KINDS = [
    ("{t}_path_query_array(d, p, v)", 100),
    ("{t}_path_query_array(d, p, v, true)", 25),
    ("{t}_path_query_array_tz(d, p, v)", 10),
    ("to_{t}({t}_path_exists(d, p, v))", 10),
    ("to_{t}({t}_path_exists(d, p, v, true))", 10),
    ("to_{t}({t}_path_exists_tz(d, p, v, true))", 4),
    ("to_{t}({t}_path_match(d, p, v))", 10),
    ("to_{t}({t}_path_match(d, p, v, true))", 10),
    ("to_{t}({t}_path_match_tz(d, p, v, true))", 4),
    ("{t}_path_query_first(d, p, v)", 10),
    ("{t}_path_query_first(d, p, v, true)", 4),
    ("{t}_path_query_first_tz(d, p, v)", 4),
    ("to_{t}(d @? p)", 10),
    ("to_{t}(d @@ p)", 10),
    ("(SELECT {t}_agg(q) FROM {t}_path_query(d, p, v, true) q)", 6),
    ("(SELECT {t}_agg(q) FROM (SELECT {t}_path_query_tz(d, p, v, true) q) q)", 4),
]

FUNCTION = r"""
CREATE OR REPLACE FUNCTION pg_temp.by_{t}(kind int, d {t}, p jsonpath, v {t}) RETURNS text AS $$
DECLARE
	found {t};
BEGIN
	CASE kind
{cases}
	END CASE;
	RETURN regexp_replace({text}, '"id": \d+', '"id": 0', 'g');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$ LANGUAGE plpgsql"""

IS_PATH = """
CREATE OR REPLACE FUNCTION pg_temp.is_path(p text) RETURNS boolean AS $$
BEGIN
	RETURN p::jsonpath IS NOT NULL;
EXCEPTION WHEN OTHERS THEN
	RETURN false;
END $$ LANGUAGE plpgsql"""

# ---------------------------------------------------------------------------
# Paths
# ---------------------------------------------------------------------------

WRITTEN = r"""
$
$.a
$.a.b
$.a.b.c
$.*
$.*.*
$[*]
$[*][*]
$[*].a
$.a[*]
$.a[0]
$.a[last]
$.a[last - 1]
$.a[0 to 1]
$.a[1 to last].b
$.a[0, last, 1]
$.a[$.a.size() - 1]
$.a[$x]
$[$.a]
$.a["b"]
$[last ? (@ > 1)]
$[last ? (exists(last))]
$[0].a[last].b[last]
$[$[last - $[last]]]
$.a[1.9]
$.a[-1]
$.a[-0.5]
$.a[1e9]
$.a[1e10]
$.a[1 to 1e10]
$.a[null]
$."a"."b"
$.a ? (@ > 1)
$.a ? (@ > 1 && @ < 100)
$.a ? (@ == 1 || @ == "x")
$.a ? (@.b == 1)
$ ? (@.a == @.b)
$ ? ($.a < @.b)
$[*] ? (@ != null)
$[*] ? (@ == null)
$[*] ? (!(@ == 1))
$[*] ? ((@ > 1) is unknown)
$[*] ? (@.a ? (@ > 0) > 1)
$.* ? (exists(@.a))
$.* ? (exists(@[*] ? (@ > 1)))
$.* ? (!exists(@.a))
$.** ? (@ == 1)
$.**
$.**{0}
$.**{1}
$.**{2}
$.**{0 to 1}
$.**{1 to 2}
$.**{2 to last}
$.**{last}
$.**.a
$.**{1}.a
$.**{1 to 3}.b[0]
$.**[0]
$.**[last].type()
$.**.a ? (@ > 0)
$.** ? (@.type() == "number") + 1
$.**.size()
$.a + 1
$.a - $.b
$.a * $.b
$.a / $.b
$.a % $.b
$.a / 0
$.a % 0
1 / $.a
-$.a
+$.a
-$.a[*]
-(1 + $.a)
- - $.a
$.a[*] + 1
$.a[0] * 2.50
$.a * 1e300
$.a * $.a * $.a * $.a
1 + 2 * 3 - 4 / 5 % 6
$x + $.a
$x / 3
$big + 1
$big * $big
(($.a + 1) * 2).abs()
$.a == 1
$.a == $.b
$.a != $.b
$.a > $.b
$.a < "b"
$.a >= $x
$.a <= null
$.a == null
$.a == true
$.a[*] > $.b[*]
$.a[*] == $list[*]
$ == $
1 == 1
1 == "1"
null == null
$.a > 1 && $.b > 1
$.a > 1 || $.b > 1
!($.a > 1)
($.a > 1) is unknown
($.a > 1 && $.b is unknown)
(($.a > 1) is unknown) || $.b == 1
exists($.a)
exists($.a ? (@ > 1))
exists($.**.b)
($.a > 1).type()
($[*] > 2) ? (@ == true)
$.a starts with "a"
$[*] starts with $s
$.* ? (@ starts with "k")
$[*] ? (@ starts with "")
$[*] ? ((@ starts with "a") is unknown)
$.* ? (@ like_regex "^a")
$.* ? (@ like_regex "^A" flag "i")
$.** ? (@ like_regex "x.*y" flag "s")
$.** ? (@ like_regex "^b" flag "m")
$.** ? (@ like_regex "." flag "q")
$.** ? (@ like_regex "[[:digit:]]+" flag "is")
$.** ? (@ like_regex "\\bkey\\b")
$.** ? (@ like_regex "é|日|😀")
$[*] ? ((@ like_regex "a") is unknown)
$.type()
$.*.type()
$.**.type()
$.size()
$.*.size()
$[*].size()
$.a.size() + 1
$.a.abs()
$.*.abs()
$.*.floor()
$.*.ceiling()
$[*].floor()
$.a.double()
$.*.double()
$[*].double()
$[*] ? (@.double() > 1)
$.a.double().floor().abs().type()
"1.5".double()
"1e400".double()
"nan".double()
" 12 ".double()
"12x".double()
1e1000.double()
$.keyvalue()
$.keyvalue().key
$.keyvalue().value
$.keyvalue() ? (@.key == "a").value
$.keyvalue().keyvalue().key
$.*.keyvalue().key
$[*].keyvalue().value
$.**{0}.keyvalue().id.type()
$map.keyvalue().key
$map.keyvalue()
$map.b[*]
$map.a.keyvalue()
$.a.keyvalue().value ? (@ > 1)
$missing
$.a ? (@ > $missing)
$null
$null == null
$list[*] ? (@ == 1)
$list[$x]
$s.size()
1
"a"
null
true
-1.50
1.50
1e20
123456789012345678901234567890
1e1000
0.1234567890123456789
"a" starts with "a"
(123).type()
"abc".size()
null.type()
true.size()
$.datetime()
$.*.datetime()
$[*].datetime()
$[*].datetime().type()
$[*].datetime() ? (@ < "2017-03-11".datetime())
$[*].datetime() ? (@ == "12:34:56".datetime())
$[*].datetime() ? (@ >= "2017-03-10 12:34:56".datetime())
$[*].datetime() ? (@ > "2017-03-10T12:34:56+03:00".datetime())
$[*].datetime() ? (@ <= "12:34:56+03:00".datetime())
$[*].datetime("yyyy-mm-dd")
$[*].datetime("HH24:MI:SS")
$[*].datetime("yyyy-mm-dd HH24:MI:SS TZH:TZM")
$.** ? (@.datetime() != $d.datetime())
$d.datetime()
$d.datetime().type()
$d.datetime("yyyy-mm-dd") == $d.datetime()
"10-03-2017".datetime("dd-mm-yyyy")
"10-03-2017 12:34".datetime("dd-mm-yyyy HH24:MI")
"12:34 +05:20".datetime("HH24:MI TZH:TZM").type()
"12:34".datetime("aaa")
"2017-03-10T12:34:56.789+3:10".datetime()
"1000000-01-01".datetime() > "2020-01-01 12:00:00".datetime()
"2017-03-10".datetime() + 1
"2017-03-10".datetime().keyvalue()
"2017-03-10".datetime() == "2017-03-10"
"2017-03-10".datetime()[0]
$.bigint()
$[*].bigint()
$.*.bigint()
$.*.integer()
$[*].integer()
$.a.boolean()
$.*.boolean()
$[*].boolean()
"yes".boolean()
"1.5".bigint()
1.5.integer()
2.5.bigint()
12345678901.integer()
$.*.number()
$[*].number()
"1e400".number()
"inf".number()
"x".number()
$.*.decimal()
$.*.decimal(5)
$.*.decimal(7, 2)
$[*].decimal(3, -1)
1234.5678.decimal(6, 2)
1234.5678.decimal(0)
1234.5678.decimal(5, 2)
"12.345".decimal(4, 1)
1.decimal(10000000000)
$.*.string()
$[*].string()
$.string()
1.50.string()
true.string()
$[*].datetime().string()
$[*].date()
$[*].time()
$[*].time(2)
$[*].time_tz()
$[*].time_tz(3)
$[*].timestamp()
$[*].timestamp(1)
$[*].timestamp_tz()
$[*].timestamp_tz(0)
$[*].date().type()
$[*].timestamp() ? (@ > "2017-03-10".date())
"2017-03-10 12:34:56.789".timestamp(2).string()
"2017-03-10 12:34:56.789".timestamp(10000000000)
"2017-03-10 12:34:56.789+03".time()
"12:34:56.789+03".timestamp()
"x".date()
$.*.lower()
$.*.upper()
$.*.initcap()
$.*.ltrim()
$.*.rtrim("x")
$.*.btrim("ab")
$.*.replace("a", "xyz")
$.*.split_part("e", 2)
$.*.split_part("e", -1)
$.*.split_part("e", 0)
"AbC".lower().upper()
"a,b".split_part(",", 10000000000)
5.lower()
""".strip().split("\n")


class Grammar:
    """Paths by jsonpath's grammar, over the keys and values that the documents have."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def choice(self, *items):
        return self.r.choice(items)

    def scalar(self):
        return self.choice("1", "2", "0", "1.5", "-3", "100", '"a"', '"ab"', '"key"', '"1"', "true",
                           "false", "null", "$x", "$s", "$f", '"2017-03-10"')

    def key(self):
        return self.choice(".a", ".b", ".c", '."key"', ".d", '."x y"', '."é"')

    def subscript(self, depth):
        return self.choice("*", "*", "0", "1", "last", "0 to 1", "last - 1 to last", "1, 0", "5",
                           "1.7", self.expression(depth + 2))

    def method(self):
        return self.choice(".type()", ".size()", ".abs()", ".floor()", ".ceiling()", ".double()",
                           ".keyvalue()", ".keyvalue().value", ".keyvalue().key", ".datetime()",
                           ".string()", ".number()", ".bigint()", ".boolean()", ".date()")

    def level(self):
        return self.choice(".**", ".**{1}", ".**{0 to 1}", ".**{last}", ".**{1 to last}")

    def step(self, depth):
        kind = self.r.random()
        if kind < 0.45:
            return self.key()
        if kind < 0.55:
            return ".*"
        if kind < 0.75:
            return "[%s]" % self.subscript(depth)
        if kind < 0.8:
            return self.level()
        if kind < 0.9 and depth < 3:
            return " ? (%s)" % self.predicate(depth + 1, "@")
        return self.method()

    def path(self, depth, head):
        return head + "".join(self.step(depth) for _ in range(self.r.choice([0, 1, 1, 2, 3])))

    def expression(self, depth, head="$"):
        kind = self.r.random()
        if depth > 3 or kind < 0.6:
            return self.path(depth, self.choice(head, head, head, "$"))
        if kind < 0.75:
            return self.scalar()
        if kind < 0.8:
            return self.choice("-", "+") + "(%s)" % self.expression(depth + 1, head)
        return "(%s %s %s)" % (self.expression(depth + 1, head), self.choice(*"+-*/%"),
                               self.expression(depth + 1, head))

    def predicate(self, depth, head):
        kind = self.r.random()
        if depth < 4 and kind < 0.2:
            return "(%s %s %s)" % (self.predicate(depth + 1, head), self.choice("&&", "||"),
                                   self.predicate(depth + 1, head))
        if depth < 4 and kind < 0.3:
            return "!(%s)" % self.predicate(depth + 1, head)
        if depth < 4 and kind < 0.4:
            return "((%s) is unknown)" % self.predicate(depth + 1, head)
        if kind < 0.5:
            return "exists (%s)" % self.path(depth + 1, head)
        if kind < 0.57:
            return "%s starts with %s" % (self.path(depth + 1, head), self.choice('"a"', "$s", '""'))
        if kind < 0.64:
            return "%s like_regex %s" % (self.path(depth + 1, head),
                                         self.choice('"a.*"', '"^A" flag "i"', '"[0-9]"'))
        return "%s %s %s" % (self.expression(depth + 1, head),
                             self.choice("==", "!=", "<", ">", "<=", ">="),
                             self.choice(self.scalar(), self.scalar(),
                                         self.expression(depth + 1, head)))

    def whole(self):
        mode = self.choice("", "", "lax ", "strict ", "strict ")
        return mode + (self.predicate(0, "$") if self.r.random() < 0.3 else self.expression(0))


def written_paths():
    return WRITTEN + ["strict " + path for path in WRITTEN]


def load_paths(connection, texts):
    """The table "paths", of those texts that are paths."""
    texts = list(dict.fromkeys(texts))
    connection.execute(IS_PATH)
    load(connection, "path_texts", "id int4, t text", enumerate(texts))
    connection.execute("DROP TABLE IF EXISTS paths")
    connection.execute("""
CREATE TEMPORARY TABLE paths AS
SELECT id, t::jsonpath AS p FROM path_texts WHERE pg_temp.is_path(t)""")
    count, = connection.execute("SELECT count(*) FROM paths").fetchone()
    print("%d paths of %d" % (count, len(texts)), flush=True)


# ---------------------------------------------------------------------------
# Documents
# ---------------------------------------------------------------------------

class Fitting:
    """JSON documents in which those paths find something."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def scalar(self):
        r = self.r
        return r.choice([None, True, False, 0, 1, 2, 3, -3, 100, 1.5, -2.5, 0.1, 2**53 + 1, 2**63 - 1,
                         "a", "ab", "abc", "key", "Aé", "x\ny", "b key", "", "1", "12", "1.5", "1e3",
                         "true", "2017-03-10", "12:34:56", "12:34:56+03", "2017-03-10 12:34:56",
                         "2017-03-10T12:34:56+03:00", "2017-03-10 12:34:56.789", "日本"])

    def value(self, depth=0):
        r = self.r
        if depth < 4 and r.random() < 0.6 - 0.1 * depth:
            if r.random() < 0.5:
                return [self.value(depth + 1) for _ in range(r.choice([0, 1, 2, 2, 3, 5]))]
            keys = ["a", "b", "c", "key", "d", "x y", "é"] + ["k%d" % i for i in range(20)]
            return {key: self.value(depth + 1)
                    for key in r.sample(keys[:7], r.randint(0, 5)) + r.sample(keys, r.choice([0, 0, 12]))}
        return self.scalar()

    def document(self):
        return self.value(0 if self.r.random() < 0.9 else 3)


def some_texts():
    fitting = Fitting("documents")
    plain = Writer("jsonpath", plain=True)
    texts = [json.dumps(fitting.document(), ensure_ascii=False) for _ in range(1800)]
    texts += [plain.document() for _ in range(150)]
    texts += [json.dumps(d, ensure_ascii=False) for shape, count in (("S", 40), ("M", 15), ("L", 1))
              for d in bench_documents.documents(shape, count)]
    texts += [text for text in (open(file, encoding="utf-8").read()
                                for file in sorted(glob.glob(ISO_CODES))) if len(text) < 20000]
    return texts


def load_documents(connection, texts):
    """The table "documents"."""
    load(connection, "texts", "id int4, t text", enumerate(texts))
    connection.execute("DROP TABLE IF EXISTS documents")
    # by way of msgpack all numbers are ones that it keeps
    connection.execute("""
CREATE TEMPORARY TABLE documents AS
SELECT id, j, j::text::msgpack AS m FROM texts, LATERAL (SELECT t::msgpack::jsonb AS j) x""")
    print("%d documents" % len(texts), flush=True)


# ---------------------------------------------------------------------------
# Side by side
# ---------------------------------------------------------------------------

def functions(connection):
    for t, text in (("jsonb", "jsonb_to_msgpack(found, numbers => 'round')::jsonb::text"),
                    ("msgpack", "found::jsonb::text")):
        cases = "\n".join("\tWHEN %d THEN found := %s;" % (i, kind.format(t=t))
                          for i, (kind, _) in enumerate(KINDS))
        connection.execute(FUNCTION.format(t=t, cases=cases, text=text))


def refuses_missing_variables(connection):
    """Does jsonb's @? refuse a variable?  Older minor releases took it for null."""
    try:
        connection.execute("SELECT jsonb '1' @? '$x'")
    except psycopg.errors.UndefinedObject:
        return True
    return False


def compare(report, connection):
    without_variables = "" if refuses_missing_variables(connection) else " AND p::text !~ '[$]\"'"
    connection.execute("SET timezone = 'America/New_York'")
    connection.execute("SET work_mem = '256MB'")
    for i, (kind, share) in enumerate(KINDS):
        connection.execute("DROP TABLE IF EXISTS outcome")
        connection.execute("""
CREATE TEMPORARY TABLE outcome AS
SELECT p, j, pg_temp.by_jsonb(%(kind)s, j, p, %(vars)s::jsonb) AS jsonb,
	pg_temp.by_msgpack(%(kind)s, m, p, %(vars)s::msgpack) AS msgpack
FROM paths, documents
WHERE hashint4(paths.id * 100003 + documents.id * 7 + %(kind)s) %% 1000 BETWEEN %(low)s AND %(high)s
""" + (without_variables if "@" in kind else "") + " ORDER BY paths.id", {
    "kind": i, "vars": json.dumps(VARS), "low": -share * 4, "high": share * 4})
        count, errors, nothing = connection.execute("""
SELECT count(*), count(*) FILTER (WHERE jsonb ~ '^[0-9A-Z]{5}$'),
	count(*) FILTER (WHERE jsonb IN ('[]', 'false') OR jsonb IS NULL) FROM outcome""").fetchone()
        different = connection.execute("""
SELECT p::text, j::text, jsonb, msgpack FROM outcome
WHERE jsonb IS DISTINCT FROM msgpack ORDER BY length(j::text) + length(p::text)""").fetchall()
        report.passed += count - len(different)
        for path, document, theirs, ours in different:
            report.check(False, kind.format(t="msgpack"), path, document, "\n    jsonb  ", theirs, "\n    msgpack", ours)
        print("%-70s %7d, errors %d %%, nothing %d %%" % (
            kind.format(t="msgpack"), count, 100 * errors / count, 100 * nothing / count), flush=True)


def main():
    report = Report()
    connection = connect()
    load_documents(connection, some_texts())
    grammar = Grammar("paths")
    load_paths(connection, written_paths() + [grammar.whole() for _ in range(900)])
    functions(connection)
    compare(report, connection)
    report.finish()


if __name__ == "__main__":
    main()
