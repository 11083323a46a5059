# From one major of PostgreSQL to a later one: pg_upgrade keeps bytes and indexes, and what the
# later pg_dump takes from the older server is restored.
#
# MPK_OLD_INSTALL names the older server's folder, which has bin/, and mpk is installed there.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use FindBin;
use lib $FindBin::RealBin;
use MpkTest;

plan skip_all => 'no older server beside this one (dev/test --pg MAJOR upgrade)'
  unless $ENV{MPK_OLD_INSTALL};

my @initdb = ('-k', '--locale', 'C', '--encoding', 'UTF8');
my $old = PostgreSQL::Test::Cluster->new('old', install_path => $ENV{MPK_OLD_INSTALL});
$old->init(extra => [@initdb]);
$old->append_conf('postgresql.conf', "fsync = off\n");
$old->start;
my $new = PostgreSQL::Test::Cluster->new('new');
$new->init(extra => [@initdb]);
$new->append_conf('postgresql.conf', "fsync = off\n");

$old->safe_psql('postgres', <<'SQL');
CREATE EXTENSION mpk;
CREATE TABLE docs (id int PRIMARY KEY, doc msgpack);
CREATE TABLE external (id int, doc msgpack);
ALTER TABLE external ALTER doc SET STORAGE EXTERNAL;
CREATE TABLE lz4 (id int, doc msgpack COMPRESSION lz4);
CREATE TABLE parts (id int, doc msgpack) PARTITION BY HASH (doc);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
SQL
load_documents($old, 'postgres', 'docs', 1, 3000);
add_indexes($old, 'postgres', 'docs');
$old->safe_psql('postgres', "INSERT INTO $_ SELECT * FROM docs WHERE id % 50 = 0")
  for ('external', 'lz4', 'parts');

my @tables = ('docs', 'external', 'lz4', 'parts', 'parts_0');
my %sums = map { $_ => bytes_sum($old, 'postgres', $_) } @tables;
my $files = "SELECT string_agg(relname || ' ' || relfilenode, ',' ORDER BY relname) FROM pg_class
	WHERE relname ~ '^docs'";
my $kept = $old->safe_psql('postgres', $files);
my ($from, $to) = map { int($_ / 10000) } ($old->safe_psql('postgres', 'SHOW server_version_num'),
	`pg_config --version` =~ /(\d+)/ ? $1 * 10000 : 0);
cmp_ok($from, '<', $to, "from $from to $to");

# The later pg_dump on the older server.
my $folder = $old->basedir . '/dump';
command_ok([
	'pg_dump', '--no-sync', '--format=directory', '--jobs=2', '--file', $folder,
	$old->connstr . ' dbname=postgres' ], "pg_dump $to on $from");
$old->stop;

chdir $new->basedir or die "chdir: $!";
command_ok([
	'pg_upgrade', '--old-datadir', $old->data_dir, '--new-datadir', $new->data_dir,
	'--old-bindir', "$ENV{MPK_OLD_INSTALL}/bin", '--new-bindir', $new->config_data('--bindir'),
	'--socketdir', $new->host, '--old-port', $old->port, '--new-port', $new->port ], 'pg_upgrade');
$new->start;
$new->safe_psql('postgres', 'ALTER EXTENSION amcheck UPDATE');	# which can check GIN from 18 on

is(bytes_sum($new, 'postgres', $_), $sums{$_}, "upgraded: the same bytes, $_") for @tables;
is($new->safe_psql('postgres', $files), $kept, 'the files of the indexes are those of before');
indexes_answer($new, 'postgres', 'docs', 'upgraded');
indexes_are_sound($new, 'postgres', 'docs', 'upgraded');

# Both go on: new rows find their places among old ones.
load_documents($new, 'postgres', 'docs', 3001, 4000);
$new->safe_psql('postgres', "UPDATE docs SET doc = msgpack_set(doc, '{u}', '1', true)
	WHERE msgpack_typeof(doc) = 'map' AND id % 3 = 0;
	INSERT INTO parts SELECT id, doc FROM docs WHERE id % 50 = 25");
indexes_answer($new, 'postgres', 'docs', 'changed after the upgrade');
indexes_are_sound($new, 'postgres', 'docs', 'changed after the upgrade');
is($new->safe_psql('postgres', "SELECT count(*) FROM parts p WHERE NOT EXISTS (
	SELECT FROM parts q WHERE q.doc = p.doc AND q.id = p.id)"), '0', 'partitions are by the same hash');

$new->safe_psql('postgres', 'CREATE DATABASE restored');
$new->command_ok([
	'pg_restore', '--exit-on-error', '--jobs=2', '--dbname', 'restored', $folder ],
	"restored into $to");
is(bytes_sum($new, 'restored', $_), $sums{$_}, "restored: the same bytes, $_") for @tables;
indexes_answer($new, 'restored', 'docs', 'restored');
indexes_are_sound($new, 'restored', 'docs', 'restored');

$new->stop;
done_testing();
