# postgres_fdw: what is sent to the other server, and a table partitioned over three of them.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# start NAME: a server with the extension.
sub start
{
	my ($name) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init;
	$node->append_conf('postgresql.conf', "fsync = off\nshared_buffers = 16MB\nmax_connections = 20\n");
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION mpk');
	return $node;
}

my $main = start('main');
my @others = map { start("shard$_") } 0 .. 2;

$main->safe_psql('postgres', 'CREATE EXTENSION postgres_fdw;
	CREATE TABLE docs (id int, shard int, doc msgpack) PARTITION BY LIST (shard)');
for my $i (0 .. 2)
{
	my ($host, $port) = ($others[$i]->host, $others[$i]->port);
	$others[$i]->safe_psql('postgres', 'CREATE TABLE docs (id int, shard int, doc msgpack)');
	$main->safe_psql('postgres', <<"SQL");
CREATE SERVER shard$i FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host '$host', port '$port', dbname 'postgres', extensions 'mpk', async_capable 'true');
CREATE USER MAPPING FOR CURRENT_USER SERVER shard$i;
CREATE FOREIGN TABLE docs_$i PARTITION OF docs FOR VALUES IN ($i) SERVER shard$i OPTIONS (table_name 'docs');
SQL
}

# Documents of every kind go by INSERT, as text, and come back as they were.
$main->safe_psql('postgres', <<'SQL');
CREATE TABLE origin AS
SELECT i AS id, i % 3 AS shard, CASE
	WHEN i % 10 = 0 THEN ('{_dup "a": ' || i || ', "a": ' || i % 7 || '}')::msgpack
	WHEN i % 10 = 1 THEN ('[' || i || '_u64, str''fffe'', 1.5_f32, ext(5, h''00ff''), float''7ff8000000000001'']')::msgpack
	WHEN i % 10 = 2 THEN msgpack_build_object('a', i, 'text', (SELECT string_agg(md5((i * 100 + k)::text), '')
		FROM generate_series(1, 300) k))
	ELSE msgpack_build_object('a', i % 7, 'tags', ARRAY['t' || i % 5, 't' || i % 3], 'raw', decode(md5(i::text), 'hex'),
		'at', '2026-11-30 00:00Z'::timestamptz + i * '1 s'::interval, 'n', i * 1.5) END AS doc
FROM generate_series(1, 3000) i;
INSERT INTO docs SELECT * FROM origin;
SQL
my $sum = "SELECT count(*), md5(string_agg(id || ':' || encode(doc::bytea, 'hex'), ',' ORDER BY id)) FROM";
my $expected = $main->safe_psql('postgres', "$sum origin");
like($expected, qr/^3000\|/, 'documents are there');
is($main->safe_psql('postgres', "$sum docs"), $expected, 'bit for bit through three servers');
is(join(' ', map { $_->safe_psql('postgres', 'SELECT count(*) FROM docs') } @others), '1000 1000 1000',
	'a third on each');

# Conditions that are sent, as the remote query must have them; each gives what the local table does.
my @sent = (
	[ q{doc @> '{"tags": ["t1"]}'}, 'OPERATOR(public.@>)' ],
	[ q{doc <@ '{"a": 1, "b": 2}'}, 'OPERATOR(public.<@)' ],
	[ q{msgpack_has(doc, '"tags"')}, 'public.msgpack_has' ],
	[ q{msgpack_get(doc, '"a"') = '3'}, 'public.msgpack_get' ],
	[ q{(doc -> 'a')::int > 5}, 'public.msgpack_follow_int4' ],
	[ q{(doc -> 'tags' -> 0) = '"t3"'}, 'public.msgpack_follow(' ],
	[ q{doc -> 0 > '5'}, 'OPERATOR(public.->)' ],
	[ q{doc = '{"a": 1}' OR doc > '{"a": 1, "b": 1, "c": 1}'}, 'OPERATOR(public.=)' ],
	[ q{doc @> '\x81a16103'::bytea}, 'OPERATOR(public.@>)' ],
	[ q{doc @? '$.tags[*] ? (@ == "t4")'}, 'OPERATOR(public.@?)' ],
	[ q{msgpack_check(doc) IS NOT NULL}, 'public.msgpack_check' ],
	[ q{doc || '{"x": 1}' @> '{"x": 1, "a": 2}' AND id > 100}, 'OPERATOR(public.||)' ]);
# What has text in it is not: postgres_fdw sends no collation that is not a foreign column's.
my @kept = (
	q{doc ? 'tags'}, q{doc ?& '{a,raw}'}, q{doc ?| '{text,raw}'}, q{doc ->> 'a' = '3'},
	q{doc -> 'tags' ->> 0 = 't3'}, q{doc #>> '{tags,1}' = 't2'});

for my $case (@sent)
{
	my ($condition, $remote) = @$case;
	my $plan = $main->safe_psql('postgres', "EXPLAIN (VERBOSE, COSTS OFF) SELECT id FROM docs_1 WHERE $condition");
	my ($sql) = $plan =~ /Remote SQL: (.*)/;
	ok($sql =~ /WHERE.*\Q$remote\E/ && $plan !~ /Filter:/, "sent: $condition") or diag($plan);
	answers_alike($condition);
}

$others[1]->safe_psql('postgres', 'CREATE VIEW docs_jsonb AS
	SELECT id, doc::jsonb FROM docs WHERE msgpack_check(doc) IS NULL');
$main->safe_psql('postgres', "CREATE FOREIGN TABLE docs_jsonb (id int, doc jsonb) SERVER shard1");
for my $condition (@kept)
{
	for my $table ('docs_1', 'docs_jsonb')
	{
		like($main->safe_psql('postgres', "EXPLAIN (VERBOSE, COSTS OFF) SELECT id FROM $table WHERE $condition"),
			qr/Filter: /, "kept, $table: $condition");
	}
	answers_alike($condition);
}

# answers_alike CONDITION: the foreign tables give what the local one does.
sub answers_alike
{
	my ($condition) = @_;
	my $query = "SELECT count(*), sum(id) FROM %s WHERE $condition";
	my $local = $main->safe_psql('postgres', sprintf($query, 'origin'));
	is($main->safe_psql('postgres', sprintf($query, 'docs')), $local, "the same rows: $condition");
	unlike($local, qr/^0\|/, "some rows: $condition");
	return;
}

# What depends on settings is not sent.
my $stable = $main->safe_psql('postgres',
	q{EXPLAIN (VERBOSE, COSTS OFF) SELECT id FROM docs_1 WHERE msgpack_path_exists_tz(doc, '$.at')});
like($stable, qr/Filter: /, 'a stable function stays here');
# Without the option nothing is.
$main->safe_psql('postgres', 'ALTER SERVER shard1 OPTIONS (DROP extensions)');
like($main->safe_psql('postgres', q{EXPLAIN (VERBOSE, COSTS OFF) SELECT id FROM docs_1 WHERE doc ? 'a'}),
	qr/Filter: /, 'nothing is sent without the option');
$main->safe_psql('postgres', "ALTER SERVER shard1 OPTIONS (ADD extensions 'mpk')");

# Async append, aggregates, joins, sorts.
my $async = $main->safe_psql('postgres', "EXPLAIN (COSTS OFF) SELECT id FROM docs WHERE doc \@> '{\"a\": 1}'");
is(scalar(() = $async =~ /Async Foreign Scan/g), 3, 'three servers work at once');
my $one = $main->safe_psql('postgres', "EXPLAIN (VERBOSE, COSTS OFF)
	SELECT msgpack_get(doc, '\"a\"'), count(*), max(doc) FROM docs_1 GROUP BY 1");
like($one, qr/Remote SQL: SELECT.*count\(\*\).*public\.max\(.*GROUP BY/, 'an aggregate is sent');
for my $query (
	"SELECT doc -> 'a' AS a, count(*), max(doc -> 'n') FROM %s GROUP BY 1 ORDER BY 1",
	"SELECT md5(msgpack_agg(doc ORDER BY id)::text) FROM %s WHERE id < 100",
	"SELECT count(DISTINCT doc), min(doc) = '{\"a\": 0}', max(doc)::text FROM %s WHERE msgpack_typeof(doc) = 'map' AND NOT doc ? 'text'",
	"SELECT count(*) FROM %1\$s x JOIN %1\$s y ON x.doc = y.doc AND x.id < 200",
	"SELECT id FROM %s WHERE doc ? 'tags' ORDER BY doc -> 'n' DESC, id LIMIT 10")
{
	for my $partitionwise ('off', 'on')
	{
		my $set = "SET enable_partitionwise_aggregate = $partitionwise; SET enable_partitionwise_join = $partitionwise; ";
		is($main->safe_psql('postgres', $set . sprintf($query, 'docs')),
			$main->safe_psql('postgres', sprintf($query, 'origin')), "partitionwise $partitionwise: $query");
	}
}

# Updates are sent whole; documents go as parameters, as text.
my $update = q{UPDATE docs SET doc = doc || '{"seen": true}' WHERE doc @> '{"a": 4}'};
my $direct = $main->safe_psql('postgres', 'EXPLAIN (VERBOSE, COSTS OFF) ' . $update);
like($direct, qr/Foreign Update on public\.docs_0.*Remote SQL: UPDATE public\.docs SET doc = .*\|\|/s, 'an update is sent');
$main->safe_psql('postgres', $update);
$main->safe_psql('postgres', $update =~ s/docs/origin/r);
$expected = $main->safe_psql('postgres', "$sum origin");
is($main->safe_psql('postgres', "$sum docs"), $expected, 'the same documents after an update');

# A document that moves to another server.
$main->safe_psql('postgres', 'UPDATE origin SET shard = (shard + 1) % 3 WHERE id = 5;
	DELETE FROM docs WHERE id = 5; INSERT INTO docs SELECT * FROM origin WHERE id = 5');
is($main->safe_psql('postgres', "$sum docs"), $expected, 'moved');

# Binary COPY from server to server: the bytes, no more.
my $file = $main->basedir . '/documents.copy';
for my $i (0 .. 2)
{
	$others[$i]->safe_psql('postgres', 'CREATE TABLE copied (LIKE docs)');
}
for my $i (0 .. 2)
{
	my $next = $others[ ($i + 1) % 3 ];
	$others[$i]->safe_psql('postgres', "\\copy docs TO '$file' (FORMAT binary)");
	$next->safe_psql('postgres', "\\copy copied FROM '$file' (FORMAT binary)");
	is($next->safe_psql('postgres', "$sum copied"), $others[$i]->safe_psql('postgres', "$sum docs"),
		"binary COPY from server $i");
}

# Hash partitions: the same document lies in the same one everywhere.
my $hash = "SELECT md5(string_agg(hashes, ',' ORDER BY id)) FROM (SELECT id,
	msgpack_hash_extended(doc, 8816678312871386365)::text AS hashes FROM %s) x";
is($main->safe_psql('postgres', sprintf($hash, 'docs')), $main->safe_psql('postgres', sprintf($hash, 'origin')),
	'hashes agree');

$_->stop for @others, $main;
done_testing();
