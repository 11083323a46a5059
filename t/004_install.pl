# Where and by whom the extension is created does not matter: in another schema, by a user who
# is no superuser, beside objects that mean it harm; and it goes without a trace.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\n");
$node->start;

# database NAME: a new one; returns what runs SQL in it, all in one session.
sub database
{
	my ($name) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $name");
	return sub { return $node->safe_psql($name, join(";\n", @_)); };
}

# error DATABASE, SQL: what it says.
sub error
{
	my ($database, $sql) = @_;
	my ($status, $out, $err) = $node->psql($database, $sql);
	return $err =~ s/^psql:<stdin>:\d+: //mgr;
}

# What a user may do with the extension in schema %S, one line of answers.
my $tour = <<'SQL';
CREATE TABLE docs (id int PRIMARY KEY, doc %S.msgpack DEFAULT '{"d": 1}', strict %S.msgpack_strict);
INSERT INTO docs SELECT i, %S.to_msgpack(ROW(i, 'text ' || i % 3)), '[1]' FROM generate_series(1, 200) i;
CREATE INDEX docs_btree ON docs (doc);
CREATE INDEX docs_hash ON docs USING hash (doc);
CREATE INDEX docs_gin ON docs USING gin (doc);
CREATE INDEX docs_path ON docs USING gin (doc %S.msgpack_path_ops);
CREATE INDEX docs_value ON docs (((doc OPERATOR(%S.->) 'f1')::int));
SQL
my $answers = <<'SQL';
SELECT count(*), sum((doc OPERATOR(%S.->) 'f1')::int), max(doc OPERATOR(%S.->>) 'f2') FROM docs;
SELECT count(*) FROM docs WHERE doc OPERATOR(%S.@>) '{"f2": "text 1"}';
SELECT count(*) FROM docs WHERE doc OPERATOR(%S.?) 'f1';
SELECT id FROM docs WHERE (doc OPERATOR(%S.->) 'f1')::int = 77;
SELECT count(DISTINCT doc), %S.max(doc), %S.min(doc) FROM docs;
SELECT doc::jsonb, doc::bytea, doc::text FROM docs WHERE id = 5;
SELECT doc['f2'], doc OPERATOR(%S.#>>) '{f1}' FROM docs WHERE id = 6;
SELECT %S.msgpack_agg(doc OPERATOR(%S.->) 'f1' ORDER BY id) FROM docs WHERE id < 5;
SELECT key, value FROM docs, %S.msgpack_each(doc) WHERE id = 7;
SELECT f1, f2 FROM docs, %S.msgpack_to_record(doc) AS r (f1 int, f2 text) WHERE id = 8;
SELECT %S.msgpack_set(doc, '{f1}', '9') OPERATOR(%S.||) '{"n": null}' FROM docs WHERE id = 9;
SELECT %S.msgpack_check(doc), %S.msgpack_canonical(doc) FROM docs WHERE id = 10;
SELECT a.id FROM docs a JOIN docs b ON a.doc OPERATOR(%S.=) b.doc WHERE b.id = 11;
SELECT %S.to_msgpack(id), %S.row_to_msgpack(docs) FROM docs WHERE id = 12;
SQL

sub in_schema { my ($schema, $sql) = @_; return $sql =~ s/%S/$schema/gr; }

# ---------------------------------------------------------------------------
# Schemas
# ---------------------------------------------------------------------------

my $plain = database('plain');
$plain->('CREATE EXTENSION mpk', in_schema('public', $tour));
my $expected = $plain->(in_schema('public', $answers));
like($expected, qr/^200\|20100\|text 2\n67\n200\n77\n200\|/, 'the answers');

my $other = database('other');
$other->('CREATE SCHEMA "Od d"', 'CREATE EXTENSION mpk SCHEMA "Od d"');
$other->('SET search_path = public', in_schema('"Od d"', $tour));
is($other->('SET search_path = public', in_schema('"Od d"', $answers)), $expected,
	'in another schema');
is($other->("SET search_path = ''", in_schema('"Od d"', $answers) =~ s/\bdocs\b(?!\))/public.docs/gr),
	$expected, 'without a search_path');

# Relocatable: what was stored, indexed and defined goes on.
$other->('CREATE VIEW names AS SELECT id, doc OPERATOR("Od d".->>) \'f2\' AS name FROM docs');
$other->('CREATE SCHEMA moved', 'ALTER EXTENSION mpk SET SCHEMA moved');
is($other->('SET search_path = public', in_schema('moved', $answers)), $expected, 'moved');
is($other->('SELECT name FROM names WHERE id = 1'), 'text 1', 'a view after the move');

# ---------------------------------------------------------------------------
# Hostile objects
# ---------------------------------------------------------------------------

# A function with the name and arguments of every one of ours and of many of pg_catalog's, and
# operators that fit better than pg_catalog's, ahead of all others in the search path.
my $hostile = database('hostile');
$hostile->(<<'SQL');
CREATE EXTENSION mpk;
CREATE SCHEMA evil;
CREATE FUNCTION evil.trap() RETURNS int LANGUAGE plpgsql AS
	$$ BEGIN RAISE EXCEPTION 'a hostile function was called'; END $$;
DO $$
DECLARE
	f record;
	made int := 0;
BEGIN
	FOR f IN
		SELECT proname, pg_get_function_identity_arguments(oid) AS arguments,
			prorettype::regtype AS result, pronamespace = 'pg_catalog'::regnamespace AS system
		FROM pg_proc
		WHERE prokind = 'f' AND NOT proretset AND prorettype <> 'trigger'::regtype
			AND NOT ('internal'::regtype = ANY (proargtypes::oid[])) AND provariadic = 0
			AND proname NOT IN ('msgpack_in', 'msgpack_recv')
			AND prorettype NOT IN ('internal'::regtype, 'cstring'::regtype)
			AND NOT ('cstring'::regtype = ANY (proargtypes::oid[]))
			AND (probin ~ 'mpk$' OR proname IN ('length', 'convert_to', 'convert_from', 'textcat',
				'int4eq', 'int8eq', 'texteq', 'byteaeq', 'numeric_eq', 'numeric_int8', 'int8', 'int4',
				'jsonb_typeof', 'to_jsonb', 'jsonb_in', 'timestamptz_eq', 'btint4cmp', 'array_eq'))
	LOOP
		BEGIN
			EXECUTE format('CREATE FUNCTION evil.%I(%s) RETURNS %s LANGUAGE plpgsql AS
				''BEGIN PERFORM evil.trap(); END''', f.proname, f.arguments, f.result);
			made := made + 1;
		EXCEPTION WHEN invalid_function_definition OR feature_not_supported THEN
			NULL;
		END;
	END LOOP;
	IF made < 60 THEN
		RAISE EXCEPTION 'only % hostile functions', made;
	END IF;
END $$;
CREATE FUNCTION evil.never(int, int) RETURNS bool LANGUAGE plpgsql AS
	$$ BEGIN PERFORM evil.trap(); END $$;
CREATE FUNCTION evil.never(text, text) RETURNS bool LANGUAGE plpgsql AS
	$$ BEGIN PERFORM evil.trap(); END $$;
CREATE FUNCTION evil.never(msgpack, msgpack) RETURNS bool LANGUAGE plpgsql AS
	$$ BEGIN PERFORM evil.trap(); END $$;
CREATE OPERATOR evil.= (LEFTARG = int, RIGHTARG = int, FUNCTION = evil.never);
CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = text, FUNCTION = evil.never);
CREATE OPERATOR evil.= (LEFTARG = msgpack, RIGHTARG = msgpack, FUNCTION = evil.never);
CREATE OPERATOR evil.< (LEFTARG = msgpack, RIGHTARG = msgpack, FUNCTION = evil.never);
CREATE OPERATOR evil.@> (LEFTARG = msgpack, RIGHTARG = msgpack, FUNCTION = evil.never);
CREATE TYPE evil.msgpack AS ENUM ('hostile');
CREATE DOMAIN evil.int4 AS pg_catalog.int4 CHECK (evil.trap() > 0);
SQL
like(error('hostile', 'SELECT evil.trap()'), qr/hostile function/, 'the trap works');
like(error('hostile', "SET search_path = evil, pg_catalog, public;
	SELECT msgpack_check('[]'::public.msgpack)"),
	qr/hostile function/, 'and would be called by a careless query');

# The queries name what they mean in full (as what a dump restores does), so that only what the
# extension itself looks up by name could fall into the trap.
my $full = $answers;
$full =~ s/(\)::int) = 77/$1 OPERATOR(pg_catalog.=) 77/;
$full =~ s/::int\b/::pg_catalog.int4/g;
$full =~ s/\bid = (\d+)/id OPERATOR(pg_catalog.=) $1/g;
$full =~ s/\bid < 5/id OPERATOR(pg_catalog.<) 5/;
$full =~ s/r \(f1 int,/r (f1 pg_catalog.int4,/;
$hostile->(in_schema('public', $tour));
for my $path ('evil, pg_catalog, public', 'pg_temp, evil, pg_catalog, public')
{
	is($hostile->("SET search_path = $path", in_schema('public', $full)), $expected,
		"hostile search_path ($path)");
}

# Created in a schema that others have prepared, it takes nothing of theirs.
my $prepared = database('prepared');
$prepared->(<<'SQL');
CREATE SCHEMA prepared;
CREATE FUNCTION prepared.length(bytea) RETURNS int LANGUAGE sql AS 'SELECT 1/0';
CREATE FUNCTION prepared.contsel(internal, oid, internal, integer) RETURNS float8
	LANGUAGE internal AS 'neqsel';
CREATE FUNCTION prepared.eqsel(internal, oid, internal, integer) RETURNS float8
	LANGUAGE internal AS 'neqsel';
CREATE FUNCTION prepared.generate_series(int, int) RETURNS SETOF int LANGUAGE sql AS 'SELECT 1/0';
CREATE OPERATOR CLASS prepared.int4_ops FOR TYPE int4 USING gin AS STORAGE int4;
CREATE EXTENSION mpk SCHEMA prepared;
SQL
is($prepared->(<<'SQL'), '', 'no member uses what it found in its schema');
WITH members AS (
	SELECT classid, objid FROM pg_depend
	WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'mpk'))
SELECT pg_describe_object(d.classid, d.objid, 0), pg_describe_object(refclassid, refobjid, 0)
FROM members JOIN pg_depend d USING (classid, objid)
WHERE refclassid = 'pg_proc'::regclass AND refobjid >= 16384
	AND NOT EXISTS (SELECT FROM members m WHERE m.classid = refclassid AND m.objid = refobjid)
UNION ALL
SELECT oprname, oprrest::text FROM pg_operator
WHERE oprnamespace = 'prepared'::regnamespace
	AND (oprrest::oid >= 16384 OR oprjoin::oid >= 16384)
SQL

# ---------------------------------------------------------------------------
# Users
# ---------------------------------------------------------------------------

my $users = database('users');
$users->(<<'SQL');
CREATE ROLE maker LOGIN;
CREATE ROLE guest LOGIN;
CREATE SCHEMA work AUTHORIZATION maker;
GRANT USAGE, CREATE ON SCHEMA work TO guest;
GRANT CREATE ON DATABASE users TO maker;
SQL
like(error('users', 'SET ROLE guest; CREATE EXTENSION mpk SCHEMA work'),
	qr/permission denied to create extension "mpk"/, 'who may create nothing cannot create it');
$users->('SET ROLE maker', 'CREATE EXTENSION mpk SCHEMA work');
is($users->("SELECT extowner::regrole FROM pg_extension WHERE extname = 'mpk'"), 'maker',
	'trusted: no superuser is needed');
for my $role ('maker', 'guest')
{
	$users->("SET ROLE $role", 'SET search_path = work', in_schema('work', $tour));
	is($users->("SET ROLE $role", 'SET search_path = work', in_schema('work', $answers)),
		$expected, "used by $role");
	$users->("SET ROLE $role", 'DROP TABLE work.docs');
}
like(error('users', 'SET ROLE guest; DROP EXTENSION mpk'), qr/must be owner of extension mpk/,
	'not dropped by others');
$users->('SET ROLE maker', 'DROP EXTENSION mpk');
is($users->("SELECT count(*) FROM pg_proc WHERE probin ~ 'mpk\$'"), '0', 'dropped by its owner');

# ---------------------------------------------------------------------------
# Dropping
# ---------------------------------------------------------------------------

like(error('plain', 'DROP EXTENSION mpk'), qr/cannot drop extension mpk because other objects/,
	'not dropped while it is used');
$plain->(<<'SQL');
CREATE VIEW uses AS SELECT doc -> 'f1' AS f1 FROM docs;
CREATE FUNCTION takes(msgpack) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE TABLE arrays (a msgpack[], n int);
CREATE TABLE parted (doc msgpack) PARTITION BY HASH (doc);
CREATE TABLE part PARTITION OF parted FOR VALUES WITH (MODULUS 1, REMAINDER 0);
INSERT INTO parted SELECT doc FROM docs;
SQL
$plain->('DROP EXTENSION mpk CASCADE');
is($plain->(<<'SQL'), "docs.id\narrays.n", 'CASCADE leaves the tables and their other columns');
SELECT relname || '.' || attname FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
WHERE relkind IN ('r', 'v', 'p') AND relnamespace = 'public'::regnamespace
	AND attnum > 0 AND NOT attisdropped ORDER BY relname DESC;
SQL
is($plain->('SELECT count(*), sum(id) FROM docs'), '200|20100', 'with their rows');
is($plain->(<<'SQL'), '', 'and no object of ours');
SELECT typname FROM pg_type WHERE typname ~ 'msgpack'
UNION ALL SELECT proname FROM pg_proc WHERE proname ~ 'msgpack' OR probin ~ 'mpk$'
UNION ALL SELECT opcname FROM pg_opclass WHERE opcname ~ 'msgpack'
UNION ALL SELECT relname FROM pg_class WHERE relname ~ '^docs_[^p]'
UNION ALL SELECT oprname FROM pg_operator WHERE oid >= 16384
UNION ALL SELECT 'cast' FROM pg_cast WHERE oid >= 16384;
SQL
$plain->('CREATE EXTENSION mpk', 'DROP TABLE docs', in_schema('public', $tour));
is($plain->(in_schema('public', $answers)), $expected, 'created again');

$node->stop;
done_testing();
