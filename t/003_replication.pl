# Replication: a standby has the same bytes and indexes; a logical subscriber has the same
# bytes in text and in binary mode; and what is said in doc/replication.md is so.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use FindBin;
use lib $FindBin::RealBin;
use MpkTest;

my $conf = "fsync = off\nmax_worker_processes = 20\nmax_logical_replication_workers = 16\n"
  . "max_sync_workers_per_subscription = 4\nmax_replication_slots = 20\n"
  . "wal_retrieve_retry_interval = '200ms'\n";

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 'logical');
$primary->append_conf('postgresql.conf', $conf);
$primary->append_conf('postgresql.conf',
	"max_wal_senders = 20\nwal_consistency_checking = 'btree,hash,gin'\n");
$primary->start;
$primary->safe_psql('postgres', <<'SQL');
CREATE EXTENSION mpk;
CREATE TABLE docs (id int PRIMARY KEY, doc msgpack);
SQL
load_documents($primary, 'postgres', 'docs', 1, 1000);
add_indexes($primary, 'postgres', 'docs');

# ---------------------------------------------------------------------------
# Streaming
# ---------------------------------------------------------------------------

$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;

sub change_documents
{
	my ($first) = @_;
	load_documents($primary, 'postgres', 'docs', $first, $first + 999);
	$primary->safe_psql('postgres', <<"SQL");
UPDATE docs SET doc['changed'] = '[1, 1.0, 1_u64]' WHERE msgpack_typeof(doc) = 'map' AND id % 3 = 0;
DELETE FROM docs WHERE id % 17 = 0;
VACUUM docs;
SQL
}

change_documents(1001);
$primary->wait_for_catchup($standby);
is(bytes_sum($standby, 'postgres', 'docs'), bytes_sum($primary, 'postgres', 'docs'),
	'standby: the same bytes');
indexes_answer($standby, 'postgres', 'docs', 'standby');
indexes_are_sound($standby, 'postgres', 'docs', 'standby');
$standby->promote;
$standby->safe_psql('postgres', "UPDATE docs SET doc = msgpack_set(doc, '{p}', '1') WHERE doc ? 'id'");
indexes_answer($standby, 'postgres', 'docs', 'promoted standby');
indexes_are_sound($standby, 'postgres', 'docs', 'promoted standby');
$standby->stop;

# ---------------------------------------------------------------------------
# Logical
# ---------------------------------------------------------------------------

my $subscriber = PostgreSQL::Test::Cluster->new('subscriber');
$subscriber->init;
$subscriber->append_conf('postgresql.conf', $conf);
$subscriber->start;
my $pg_major = int($subscriber->safe_psql('postgres', 'SHOW server_version_num') / 10000);
my $connection = $primary->connstr . ' dbname=postgres';

# "full" has no key; "keyed" is found by a unique msgpack column; "wide" has values that an
# update leaves in TOAST and does not send.
my $tables = <<'SQL';
CREATE TABLE docs (id int PRIMARY KEY, doc msgpack);
CREATE TABLE full_rows (doc msgpack, note text);
CREATE TABLE keyed (doc msgpack NOT NULL, note text);
CREATE UNIQUE INDEX keyed_doc ON keyed (doc);
CREATE TABLE wide (id int PRIMARY KEY, doc msgpack, note text);
ALTER TABLE full_rows REPLICA IDENTITY FULL;
ALTER TABLE keyed REPLICA IDENTITY USING INDEX keyed_doc;
SQL
$primary->safe_psql('postgres', $tables =~ s/^CREATE TABLE docs.*\n//r);
$primary->safe_psql('postgres', <<'SQL');
CREATE PUBLICATION pub FOR TABLE docs, full_rows, keyed, wide;
INSERT INTO wide SELECT id, doc, 'old' FROM docs WHERE id % 100 = 0;
SQL

my %modes = ('text_mode' => 'false', 'binary_mode' => 'true');
for my $mode (sort keys %modes)
{
	$subscriber->safe_psql('postgres', "CREATE DATABASE $mode");
	$subscriber->safe_psql($mode, "CREATE EXTENSION mpk;\n$tables");
	add_indexes($subscriber, $mode, 'docs');
	$subscriber->safe_psql($mode, "CREATE SUBSCRIPTION $mode CONNECTION '$connection'
		PUBLICATION pub WITH (binary = $modes{$mode})");
}
$subscriber->wait_for_subscription_sync($primary, $_, $_) for sort keys %modes;

# Values equal but not identical, in rows without a key: which of the equal rows goes is open,
# that as many stay is not; and another column tells rows apart.
$primary->safe_psql('postgres', <<'SQL');
INSERT INTO full_rows VALUES ('1', 'a'), ('1.0', 'b'), ('1_u64', 'c'), ('1.0_f32', 'd'),
	('{"a": 1, "b": 2}', 'e'), ('{"b": 2.0, "a": 1}', 'f'), (NULL, 'g'),
	('NaN', 'h'), ('-0.0', 'i'), ('{_dup "k": 1, "k": 2}', 'j'), ('str''fffe''', 'k'),
	('[7]', 'twin'), ('[7.0]', 'twin'), ('[7_u8]', 'twin');
INSERT INTO keyed SELECT i::text::msgpack, 'old' FROM generate_series(1, 100) i;
SQL
change_documents(2001);
$primary->safe_psql('postgres', <<'SQL');
UPDATE full_rows SET doc = '1' WHERE note = 'b';
UPDATE full_rows SET note = 'c2' WHERE doc::bytea = '\xcf0000000000000001';
UPDATE full_rows SET note = note || '!' WHERE note IN ('e', 'f', 'g', 'h', 'i', 'j', 'k');
DELETE FROM full_rows WHERE note = 'd';
DELETE FROM full_rows WHERE doc::bytea = '\x91cb401c000000000000';
UPDATE keyed SET doc = (doc::text || '.0')::msgpack WHERE doc <= '50';
UPDATE keyed SET note = 'new' WHERE doc BETWEEN '40' AND '60';
DELETE FROM keyed WHERE doc = '45';
UPDATE wide SET note = 'new' WHERE id % 200 = 0;
SQL

my $rows = "SELECT count(*), md5(string_agg(coalesce(encode(doc::bytea, 'hex'), 'null') || note, ','
	ORDER BY encode(doc::bytea, 'hex'), note)) FROM";
for my $mode (sort keys %modes)
{
	$primary->wait_for_catchup($mode);
	is(bytes_sum($subscriber, $mode, 'docs'), bytes_sum($primary, 'postgres', 'docs'),
		"$mode: the same bytes");
	indexes_answer($subscriber, $mode, 'docs', "$mode");
	for my $table ('keyed', 'wide')
	{
		is($subscriber->safe_psql($mode, "$rows $table"), $primary->safe_psql('postgres', "$rows $table"),
			"$mode: the same bytes, $table");
	}
	is($subscriber->safe_psql($mode, "$rows full_rows WHERE note <> 'twin'"),
		$primary->safe_psql('postgres', "$rows full_rows WHERE note <> 'twin'"),
		"$mode: the same bytes in rows without a key that differ otherwise");
	my $twins = "SELECT count(*), string_agg(msgpack_canonical(doc)::text, ' ') FROM full_rows
		WHERE note = 'twin'";
	is($subscriber->safe_psql($mode, $twins), '2|[7] [7]',
		"$mode: of rows equal but not identical one was deleted");
	is($subscriber->safe_psql($mode, "SELECT count(*) FROM keyed WHERE doc::bytea::text LIKE '\\\\xcb%'"),
		'49', "$mode: an update to an equal value arrives");
}
for my $table ('full_rows', 'keyed')
{
	is($primary->safe_psql('postgres', "$rows $table") =~ s/\|.*//r,
		{ 'full_rows' => 12, 'keyed' => 99 }->{$table}, "the primary's own $table");
}

# ---------------------------------------------------------------------------
# A row filter: not by what an extension brings, but by a column generated from it
# ---------------------------------------------------------------------------

my $filtered = "CREATE TABLE filtered (id int PRIMARY KEY, doc msgpack)";
$primary->safe_psql('postgres', "$filtered; ALTER TABLE filtered ADD COLUMN tenant text
	GENERATED ALWAYS AS (doc ->> 'tenant') STORED");
my ($status, $out, $complaint) = $primary->psql('postgres',
	"CREATE PUBLICATION by_doc FOR TABLE filtered WHERE (doc ->> 'tenant' = 'a')");
like($complaint, qr/User-defined operators are not allowed/, 'a row filter by the document: refused');
$primary->safe_psql('postgres', "CREATE PUBLICATION by_column FOR TABLE filtered (id, doc)
	WHERE (tenant = 'a') WITH (publish = 'insert')");
$subscriber->safe_psql('postgres', "CREATE EXTENSION mpk; $filtered;
	CREATE SUBSCRIPTION by_column CONNECTION '$connection' PUBLICATION by_column");
$subscriber->wait_for_subscription_sync($primary, 'by_column', 'postgres');
$primary->safe_psql('postgres', <<'SQL');
INSERT INTO filtered VALUES (1, '{"tenant": "a"}'), (2, '{"tenant": "b"}'), (3, '[1]'), (4, '{"tenant": "a", "n": 1_u64}');
SQL
$primary->wait_for_catchup('by_column');
is($subscriber->safe_psql('postgres', 'SELECT id, doc FROM filtered ORDER BY id'),
	qq(1|{"tenant": "a"}\n4|{"tenant": "a", "n": 1_u64}), 'a row filter by a generated column');

# ---------------------------------------------------------------------------
# Subscribers without the extension
# ---------------------------------------------------------------------------

$primary->safe_psql('postgres', <<'SQL');
CREATE TABLE plain (id int PRIMARY KEY, doc msgpack);
CREATE PUBLICATION plain_pub FOR TABLE plain;
INSERT INTO plain VALUES (1, '{"b": [1, 2.5, null], "a": "x"}');
SQL

# subscribe DATABASE, TYPE, BINARY, OPTIONS
sub subscribe
{
	my ($name, $type, $binary, $copy) = @_;
	$subscriber->safe_psql('postgres', "CREATE DATABASE $name");
	$subscriber->safe_psql($name, <<"SQL");
CREATE TABLE plain (id int PRIMARY KEY, doc $type);
CREATE SUBSCRIPTION $name CONNECTION '$connection' PUBLICATION plain_pub
	WITH (binary = $binary, copy_data = $copy);
SQL
}

# bytea in binary mode: MessagePack bytes.  The first copy is in text before 16.
my $copy = $pg_major >= 16 ? 'true' : 'false';
subscribe('to_bytea', 'bytea', 'true', $copy);
# jsonb in text mode: as long as the documents are JSON.
subscribe('to_jsonb', 'jsonb', 'false', 'true');
subscribe('to_text', 'text', 'false', 'true');
$subscriber->wait_for_subscription_sync($primary, $_, $_) for ('to_bytea', 'to_jsonb', 'to_text');
$primary->safe_psql('postgres', <<'SQL');
INSERT INTO plain VALUES (2, '{"n": 18446744073709551615, "s": "a\"b\\c"}'), (3, '[1, {"x": true}]');
UPDATE plain SET doc['n'] = '-7' WHERE id = 2;
SQL
$primary->wait_for_catchup($_) for ('to_bytea', 'to_jsonb', 'to_text');
my $ids = $copy eq 'true' ? 'true' : 'id > 1';
is($subscriber->safe_psql('to_bytea', 'SELECT id, doc FROM plain ORDER BY id'),
	$primary->safe_psql('postgres', "SELECT id, doc::bytea FROM plain WHERE $ids ORDER BY id"),
	'a bytea column, binary mode: the bytes');
is($subscriber->safe_psql('to_jsonb', 'SELECT id, doc FROM plain ORDER BY id'),
	$primary->safe_psql('postgres', 'SELECT id, doc::jsonb FROM plain ORDER BY id'),
	'a jsonb column, text mode: what the cast gives');
is($subscriber->safe_psql('to_text', 'SELECT id, doc FROM plain ORDER BY id'),
	$primary->safe_psql('postgres', 'SELECT id, doc FROM plain ORDER BY id'),
	'a text column, text mode: the text form');

# What JSON has not stops a jsonb subscriber with an error, and is not lost.
my $offset = -s $subscriber->logfile;
$primary->safe_psql('postgres', "INSERT INTO plain VALUES (4, '{\"at\": h''00ff''}')");
ok(waits_for_log($subscriber, qr/invalid input syntax for type json/, $offset),
	'a jsonb column: an error for what JSON has not');
$primary->wait_for_catchup('to_bytea');
is($subscriber->safe_psql('to_bytea', 'SELECT doc FROM plain WHERE id = 4'),
	$primary->safe_psql('postgres', 'SELECT doc::bytea FROM plain WHERE id = 4'),
	'and the bytea column has it');

sub waits_for_log
{
	my ($node, $pattern, $from) = @_;
	for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		return 1 if substr(slurp_file($node->logfile), $from) =~ $pattern;
		select(undef, undef, undef, 0.1);
	}
	return 0;
}

# The other mode of each is no way.
$offset = -s $subscriber->logfile;
subscribe('text_to_bytea', 'bytea', 'false', 'true');
ok(waits_for_log($subscriber, qr/invalid input syntax for type bytea/, $offset),
	'a bytea column, text mode: an error for a backslash');
$offset = -s $subscriber->logfile;
subscribe('binary_to_jsonb', 'jsonb', 'true', 'false');
$primary->safe_psql('postgres', "INSERT INTO plain VALUES (5, '[1]')");
ok(waits_for_log($subscriber, qr/unsupported jsonb version number/, $offset),
	'a jsonb column, binary mode: an error');

$subscriber->stop('immediate');
$primary->stop('immediate');
done_testing();
