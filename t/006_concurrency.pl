# Readers and writers at once: every answer is one that some order of the writes could give,
# nothing is lost, and the indexes are sound afterwards.
#
# MPK_SECONDS sets how long it runs: 8 unless it is set.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use FindBin;
use lib $FindBin::RealBin;
use MpkTest;

my $seconds = $ENV{MPK_SECONDS} || 8;
my $accounts = 200;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
fsync = off
max_connections = 50
log_statement = none
jit = off
autovacuum_naptime = 1s
CONF
$node->start;

# Accounts hold their balance in documents, padded so that some live in TOAST; each transfer
# leaves an entry.  Documents in "sealed" carry the hash of their own contents.
$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION mpk;
CREATE EXTENSION amcheck;
CREATE TABLE accounts (id int PRIMARY KEY, doc msgpack NOT NULL) WITH (fillfactor = 60);
INSERT INTO accounts SELECT i, msgpack_build_object('id', i, 'balance', 1000, 'moves', 0,
	'tags', ARRAY['t' || i % 10, 'all'],
	'pad', (SELECT string_agg(md5((i * k)::text), '') FROM generate_series(1, i % 4 * 60) k))
FROM generate_series(1, $accounts) i;
CREATE TABLE entries (id bigserial PRIMARY KEY, doc msgpack NOT NULL);
CREATE TABLE sealed (id int PRIMARY KEY, doc msgpack NOT NULL);
INSERT INTO sealed SELECT i, msgpack_build_object('body', '', 'seal', md5(''))
FROM generate_series(1, 20) i;
CREATE TABLE passing (id bigserial, doc msgpack);
CREATE INDEX ON accounts USING gin (doc);
CREATE INDEX accounts_id ON accounts (((doc -> 'id')::int));
CREATE INDEX entries_doc ON entries (doc);
CREATE INDEX entries_hash ON entries USING hash (doc);
CREATE INDEX entries_gin ON entries USING gin (doc msgpack_path_ops);
CREATE INDEX passing_doc ON passing (doc);
CREATE INDEX passing_gin ON passing USING gin (doc);
CREATE FUNCTION must(condition bool, what text) RETURNS void LANGUAGE plpgsql AS
	\$\$ BEGIN IF condition IS NOT TRUE THEN RAISE EXCEPTION 'WRONG: %', what; END IF; END \$\$;
SQL

my %scripts = (
	# lower id first, so that no two transfers deadlock
	'transfer@4' => <<"SQL",
\\set one random(1, @{[ $accounts / 2 ]})
\\set two random(@{[ $accounts / 2 + 1 ]}, $accounts)
\\set amount random(-50, 50)
BEGIN;
UPDATE accounts SET doc = msgpack_set(msgpack_set(doc, '{balance}',
	to_msgpack(msgpack_int8(doc, 'balance') - :amount)),
	'{moves}', to_msgpack((doc ->> 'moves')::int + 1)) WHERE (doc -> 'id')::int = :one;
UPDATE accounts SET doc['balance'] = to_msgpack((doc -> 'balance')::int8 + :amount),
	doc['moves'] = to_msgpack((doc -> 'moves')::int + 1) WHERE id = :two;
INSERT INTO entries (doc) VALUES (msgpack_build_object('from', :one, 'to', :two, 'amount', :amount));
COMMIT;
SQL
	'sum@2' => <<"SQL",
SELECT must(sum(msgpack_int8(doc, 'balance')) = @{[ 1000 * $accounts ]}, 'sum of balances'),
	must(count(*) = $accounts, 'number of accounts') FROM accounts;
SQL
	'books@1' => <<'SQL',
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT must((SELECT sum((doc -> 'moves')::int) FROM accounts) = 2 * (SELECT count(*) FROM entries),
	'moves and entries');
COMMIT;
SQL
	'index@3' => <<"SQL",
\\set one random(1, $accounts)
SET enable_seqscan = off;
SELECT must(count(*) = 1 AND min((doc -> 'id')::int) = :one, 'account by GIN')
FROM accounts WHERE doc \@> msgpack_build_object('id', :one);
SELECT must(count(*) = @{[ $accounts / 10 ]}, 'accounts by tag') FROM accounts
WHERE doc \@> '{"tags": ["t3"]}';
SELECT must(count(*) = 1, 'account by expression') FROM accounts WHERE (doc -> 'id')::int = :one;
SELECT must(bool_and(msgpack_check(doc) IS NULL), 'sound documents') FROM accounts WHERE id <= :one;
SQL
	'seal@2' => <<'SQL',
\set one random(1, 20)
\set length random(0, 9000)
UPDATE sealed SET doc = doc || msgpack_build_object('body', s, 'seal', md5(s))
FROM (SELECT substr(repeat(md5(:length::text), 300), 1, :length) AS s) b WHERE id = :one;
SQL
	'unseal@2' => <<'SQL',
SELECT must(bool_and(md5(doc ->> 'body') = doc ->> 'seal'), 'seals') FROM sealed;
SQL
	'passing@2' => <<'SQL',
\set one random(1, 1000)
BEGIN;
INSERT INTO passing (doc) SELECT to_msgpack(:one + i) FROM generate_series(1, 20) i;
SAVEPOINT before;
INSERT INTO passing (doc) VALUES ('"rolled back"');
ROLLBACK TO before;
SELECT must(count(*) >= 20, 'rows of this transaction')
FROM passing WHERE doc BETWEEN to_msgpack(:one) AND to_msgpack(:one + 20);
COMMIT;
DELETE FROM passing WHERE ctid IN (SELECT ctid FROM passing
	WHERE doc BETWEEN to_msgpack(:one - 200) AND to_msgpack(:one - 50) LIMIT 100 FOR UPDATE SKIP LOCKED);
SELECT must(NOT EXISTS (SELECT FROM passing WHERE doc = '"rolled back"'), 'rolled back');
SQL
	'vacuum@1' => <<'SQL');
VACUUM accounts, sealed, passing;
\sleep 200 ms
SQL

my @files;
for my $name (sort keys %scripts)
{
	my ($plain, $weight) = split /@/, $name;
	my $file = $node->basedir . "/$plain.sql";
	open(my $handle, '>', $file) or die "$file: $!";
	print $handle $scripts{$name};
	close $handle;
	push @files, '-f', "$file\@$weight";
}
my $log = '';
# one thread: several add to the figures of a script without a lock
my $ok = IPC::Run::run([
	'pgbench', '-n', '-c', '12', '-j', '1', '-T', $seconds, @files,
	$node->connstr . ' dbname=postgres' ],
	'>', \$log, '2>&1');
ok($ok, 'pgbench ends well') or diag $log;
unlike($log, qr/WRONG|ERROR|aborted/, 'no wrong answer') or diag $log;
my ($transactions) = $log =~ /transactions actually processed: (\d+)/;
my ($transfers) = $log =~ m{transfer\.sql.*?\n.*?- (\d+) transactions}s;
cmp_ok($transfers, '>', 10, "transfers were made ($transfers of $transactions transactions)");

is($node->safe_psql('postgres', 'SELECT count(*) FROM entries'), $transfers, 'no entry is lost');
is($node->safe_psql('postgres', "SELECT sum((doc -> 'balance')::int8) FROM accounts"),
	1000 * $accounts, 'nor an amount');
is($node->safe_psql('postgres', <<'SQL'), '0', 'every balance is what its entries make it');
SELECT count(*) FROM accounts a WHERE (doc -> 'balance')::int8 <> 1000
	- (SELECT coalesce(sum((e.doc -> 'amount')::int8), 0) FROM entries e
		WHERE (e.doc -> 'from')::int = a.id)
	+ (SELECT coalesce(sum((e.doc -> 'amount')::int8), 0) FROM entries e
		WHERE (e.doc -> 'to')::int = a.id)
SQL
my $entries = <<'SQL';
SELECT count(*), sum(id) FROM entries e WHERE doc = (SELECT doc FROM entries ORDER BY id LIMIT 1);
SELECT count(*), sum(id) FROM entries WHERE doc @> '{"from": 7}';
SELECT count(*), sum(id) FROM entries WHERE doc > '{"to": 1, "from": 50, "amount": -10}';
SELECT count(*), sum(id) FROM passing WHERE doc BETWEEN '100' AND '900';
SQL
is($node->safe_psql('postgres', "SET enable_seqscan = off; $entries"),
	$node->safe_psql('postgres', "SET enable_indexscan = off; SET enable_bitmapscan = off;
		SET enable_indexonlyscan = off; $entries"), 'indexes answer as scans do');
my $checks = "SELECT bt_index_parent_check(c.oid, true, true)
	FROM pg_class c JOIN pg_am a ON a.oid = relam
	WHERE amname = 'btree' AND relnamespace = 'public'::regnamespace;
	SELECT v.* FROM pg_class c, LATERAL verify_heapam(c.oid, check_toast => true) v
	WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace;";
$checks .= "SELECT gin_index_check(c.oid) FROM pg_class c JOIN pg_am a ON a.oid = relam
	WHERE amname = 'gin'"
  if $node->safe_psql('postgres', 'SHOW server_version_num') >= 180000;
is($node->safe_psql('postgres', $checks) =~ s/\n//gr, '', 'amcheck finds nothing');

$node->stop;
done_testing();
