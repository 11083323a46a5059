# From jsonb and from bytea to msgpack: the scripts of doc/migration, and what doc/migration.md says.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $doc = abs_path(dirname(__FILE__) . '/../doc');
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION mpk');

# script NAME, TABLE, VARIABLE...: one of the scripts; its status and output.
sub script
{
	my ($name, $table, @variables) = @_;
	my ($out, $err) = run_command([
			'psql', '-X', '-A', '-t', '-d', $node->connstr('postgres'), '-v', "table=$table",
			'-v', 'column=doc', (map { ('-v', $_) } @variables), '-f', "$doc/migration/$name.sql" ]);
	return ($? >> 8, $out, $err);
}

sub script_ok
{
	my ($what, @arguments) = @_;
	my ($status, $out, $err) = script(@arguments);
	is($status, 0, $what) or diag($err);
	return $out;
}

#
# Dependents: all are listed, and each does at ALTER what the list says
#

my $dependents = <<'SQL';
CREATE TABLE held (id int PRIMARY KEY, doc jsonb DEFAULT '{}',
	copied text GENERATED ALWAYS AS (doc ->> 'a') STORED,
	CONSTRAINT held_check CHECK (jsonb_typeof(doc) = 'object'),
	CONSTRAINT held_unique UNIQUE (doc));
CREATE INDEX held_gin ON held USING gin (doc);
CREATE INDEX held_path ON held USING gin (doc jsonb_path_ops);
CREATE INDEX held_expression ON held ((doc ->> 'a')) WHERE doc @> '{"b": 1}';
CREATE INDEX held_function ON held (jsonb_array_length(doc -> 'list'));
CREATE VIEW held_view AS SELECT doc -> 'a' AS a FROM held;
CREATE FUNCTION held_function() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER held_trigger BEFORE UPDATE OF doc ON held FOR EACH ROW EXECUTE FUNCTION held_function();
CREATE POLICY held_policy ON held USING (doc ? 'a');
CREATE FUNCTION held_sql() RETURNS bigint LANGUAGE sql RETURN (SELECT count(doc) FROM held);
CREATE STATISTICS held_statistics ON id, (doc ->> 'a') FROM held;
INSERT INTO held SELECT i, jsonb_build_object('a', i, 'b', 1, 'list', '[]'::jsonb) FROM generate_series(1, 10) i;
SQL

# What is in the way, as the list describes it, and how to take it out of the way.
my %in_the_way = (
	'constraint held_check' => 'ALTER TABLE held DROP CONSTRAINT held_check',
	'index held_path' => 'DROP INDEX held_path',
	'index held_function' => 'DROP INDEX held_function',
	'default value for column copied' => 'ALTER TABLE held DROP COLUMN copied',
	'view held_view' => 'DROP VIEW held_view',
	'trigger held_trigger' => 'DROP TRIGGER held_trigger ON held',
	'policy held_policy' => 'DROP POLICY held_policy ON held',
	'function held_sql()' => 'DROP FUNCTION held_sql()');
my @in_no_way = ('default value for column doc', 'constraint held_unique', 'index held_gin',
	'index held_expression', 'statistics object held_statistics');

$node->safe_psql('postgres', $dependents);
my $list = script_ok('dependents.sql', 'dependents', 'held');
for my $dependent (sort keys %in_the_way, @in_no_way)
{
	like($list, qr/\Q$dependent\E/, "listed: $dependent");
}
my $count = () = $list =~ /\|(?:cast to|made anew|refused:)/g;
is($count, keys(%in_the_way) + @in_no_way, 'nothing else is listed');

my $alter = 'ALTER TABLE held ALTER COLUMN doc TYPE msgpack';
for my $dependent (sort keys %in_the_way)
{
	my $others = join('; ', map { $in_the_way{$_} } grep { $_ ne $dependent } sort keys %in_the_way);
	my ($status) = $node->psql('postgres', "BEGIN; $others; $alter; ROLLBACK", on_error_stop => 1);
	isnt($status, 0, "in the way: $dependent");
}
my $all = join('; ', map { $in_the_way{$_} } sort keys %in_the_way);
$node->safe_psql('postgres', "BEGIN; $all; $alter; COMMIT");
is($node->safe_psql('postgres', "SELECT count(*) FROM held WHERE doc \@> '{\"b\": 1}' AND doc ->> 'a' = '7'"),
	1, 'the others go with the column');
like($node->safe_psql('postgres', "SELECT pg_get_indexdef('held_expression'::regclass)"),
	qr/doc @>/, 'an index over an expression too');

#
# The single statement: storage is reset unless it is said, and cannot be mended later
#

sub storage_of
{
	my ($table) = @_;
	return $node->safe_psql('postgres', "SELECT attstorage FROM pg_attribute
		WHERE attrelid = '$table'::regclass AND attname = 'doc'");
}

# How many values are compressed.
sub compressed
{
	my ($table) = @_;
	return $node->safe_psql('postgres', "SELECT count(pg_column_compression(doc)) FROM $table");
}

my $fill = q{SELECT i, jsonb_build_object('id', i, 'f', i + 0.5, 'text', repeat(md5(i::text), 200))
	FROM generate_series(1, 500) i};
for my $form ('bare', 'complete')
{
	$node->safe_psql('postgres', <<"SQL");
CREATE TABLE $form (id int PRIMARY KEY, doc jsonb);
ALTER TABLE $form ALTER COLUMN doc SET STORAGE EXTERNAL;
INSERT INTO $form $fill;
SQL
}
is(compressed('bare'), 0, 'EXTERNAL, not compressed');
$node->safe_psql('postgres', 'ALTER TABLE bare ALTER COLUMN doc TYPE msgpack');
is(storage_of('bare'), 'x', 'changing the type resets storage');
is(compressed('bare'), 500, 'and so the values are compressed');
$node->safe_psql('postgres', 'ALTER TABLE bare ALTER COLUMN doc SET STORAGE EXTERNAL; VACUUM FULL bare');
is(compressed('bare'), 500, 'neither SET STORAGE nor VACUUM FULL changes values that are there');
$node->safe_psql('postgres', 'UPDATE bare SET doc = doc');
is(compressed('bare'), 500, 'nor does an UPDATE that keeps them');
$node->safe_psql('postgres', 'UPDATE bare SET doc = doc::bytea::msgpack');
is(compressed('bare'), 0, 'an UPDATE through bytea does');

my $single = slurp_file("$doc/migration/single.sql");
$node->safe_psql('postgres', $single =~ s/\bevents\b/complete/gr);
is(storage_of('complete'), 'e', 'the complete statement keeps storage');
is(compressed('complete'), 0, 'and the values as they should be');
is($node->safe_psql('postgres', 'SELECT count(*) FROM complete JOIN bare USING (id) WHERE complete.doc = bare.doc'),
	500, 'both have the same documents');

#
# Online, while others write
#

# The sum of all documents, by meaning; and the writers, of both kinds of source.
my %sources = (
	'jsonb' => [ q{jsonb_build_object('n', $1::int, 'f', 0.5, 'pad', repeat('x', $1::int % 3000))}, '::jsonb' ],
	'bytea' => [ q{msgpack_build_object('n', $1::int, 'f', 0.5, 'pad', repeat('x', $1::int % 3000))::bytea}, '::bytea' ]);

for my $type (sort keys %sources)
{
	my ($make, $cast) = @{ $sources{$type} };
	my $table = "online_$type";
	$node->safe_psql('postgres', <<"SQL");
CREATE FUNCTION make_$type(int) RETURNS $type LANGUAGE sql AS \$f\$ SELECT $make \$f\$;
CREATE TABLE $table (id serial PRIMARY KEY, n int, doc $type NOT NULL DEFAULT make_$type(0));
INSERT INTO $table (n, doc) SELECT i, make_$type(i) FROM generate_series(1, 3000) i;
SQL

	# As an application that knows the old type alone, until it is stopped.
	my $file = $node->basedir . "/$type.pgbench";
	append_to_file($file, <<"SQL");
\\set id random(1, 3000)
\\set n random(1, 100000)
UPDATE $table SET n = :n, doc = make_$type(:n)$cast WHERE id = :id;
INSERT INTO $table (n, doc) VALUES (:n, make_$type(:n)$cast);
DELETE FROM $table WHERE id = :id + 3000;
SQL
	my ($out, $err) = ('', '');
	my $writers = IPC::Run::start(
		[ 'pgbench', '-n', '-c', '2', '-T', '600', '-R', '200', '-f', $file, $node->connstr('postgres') ],
		'<', \undef, '>', \$out, '2>', \$err);
	$node->poll_query_until('postgres', "SELECT max(id) > 3010 FROM $table") or die 'no writers';

	script_ok("$type: prepare.sql", 'prepare', $table, 'storage=external');
	my $progress = (script('backfill', $table, 'blocks=25'))[2];
	my $left = script_ok("$type: backfill.sql again", 'backfill', $table, 'blocks=1000');
	like($progress, qr/25 of \d+ blocks, \d+ rows/, "$type: progress is told");
	like($left, qr/^0$/m, "$type: no row is left");
	my $before = $node->safe_psql('postgres', "SELECT max(id) FROM $table");
	$node->poll_query_until('postgres', "SELECT max(id) > $before + 20 FROM $table") or die 'writers stopped';
	is($node->safe_psql('postgres', "SELECT count(*) FROM $table WHERE doc_new IS DISTINCT FROM doc::msgpack
			OR (doc_new ->> 'n')::int <> n"), 0, "$type: both columns agree while others write");
	$node->safe_psql('postgres', "CREATE INDEX CONCURRENTLY ${table}_doc ON $table USING gin (doc_new)");
	$node->safe_psql('postgres', "ALTER TABLE $table ADD CONSTRAINT ${table}_doc_set CHECK (doc_new IS NOT NULL) NOT VALID;
		ALTER TABLE $table VALIDATE CONSTRAINT ${table}_doc_set");

	# The application goes on with the same statements: the casts in them are to msgpack by assignment.
	script_ok("$type: swap.sql", 'swap', $table);
	my $at_swap = $node->safe_psql('postgres', "SELECT max(id) FROM $table");
	$node->poll_query_until('postgres', "SELECT max(id) > $at_swap + 20 FROM $table") or die 'writers stopped';
	is($node->safe_psql('postgres', "SELECT count(*) FROM $table WHERE doc IS DISTINCT FROM doc_old::msgpack
			OR (doc ->> 'n')::int <> n"), 0, "$type: after the swap both agree");
	is($node->safe_psql('postgres', "SELECT attstorage::text || attnotnull::text FROM pg_attribute
			WHERE attrelid = '$table'::regclass AND attname = 'doc'"), 'etrue', "$type: storage and NOT NULL");
	like($node->safe_psql('postgres', "SET enable_seqscan = off;
			EXPLAIN SELECT FROM $table WHERE doc \@> '{\"n\": 1}'"), qr/${table}_doc/, "$type: the index serves");
	is($node->safe_psql('postgres', "INSERT INTO $table (id, n) VALUES (-1, 0) RETURNING doc ->> 'n' || (doc_old$cast IS NOT NULL)"),
		'0true', "$type: the default");

	script_ok("$type: back.sql", 'back', $table);
	is($node->safe_psql('postgres', "SELECT count(*) FROM $table WHERE (doc::msgpack ->> 'n')::int <> n"),
		0, "$type: the way back has what was written since");
	script_ok("$type: prepare.sql, again", 'prepare', $table, 'storage=external');
	script_ok("$type: backfill.sql, again", 'backfill', $table, 'blocks=1000');
	script_ok("$type: swap.sql, again", 'swap', $table);
	script_ok("$type: finish.sql", 'finish', $table);
	$writers->signal('TERM');	# INT is ignored by what a shell started in the background
	$writers->finish;
	unlike($err, qr/ERROR|aborted/, "$type: no writer had an error");
	is($node->safe_psql('postgres', "SELECT string_agg(attname || ' ' || atttypid::regtype, ', ' ORDER BY attnum)
			FROM pg_attribute WHERE attrelid = '$table'::regclass AND attnum > 0 AND NOT attisdropped"),
		'id integer, n integer, doc msgpack', "$type: one column is left");
	is($node->safe_psql('postgres', "SELECT count(*) FROM $table WHERE (doc ->> 'n')::int <> n"), 0, "$type: its documents");
	is($node->safe_psql('postgres', "SELECT count(*) FROM pg_proc WHERE proname ~ '^doc_to_'"), 0, "$type: no function is left");
}

#
# What doc/migration.md shows
#

my $text = slurp_file("$doc/migration.md");
my $shown = 0;
while ($text =~ /^```sql\n((?:(?!```).)*)^```\s*^```text\n((?:(?!```).)*)^```$/msg)
{
	my ($sql, $expected) = ($1, $2);
	my ($out) = run_command([ 'psql', '-X', '-q', '-d', $node->connstr('postgres'), '-c', $sql ]);
	s/[ \t]+$//mg, s/\n+/\n/g, s/\n\z// for $out, $expected;
	$shown++;
	is($out, $expected, "doc/migration.md, example $shown");
}
cmp_ok($shown, '>=', 4, 'the document shows what changes');

$node->stop;
done_testing();
