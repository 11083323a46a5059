# Killed in the middle of a COPY and of building indexes, a server comes back with every
# committed byte, no uncommitted row, and sound indexes.

use strict;
use warnings;

use IPC::Run;
use POSIX qw(mkfifo);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

use FindBin;
use lib $FindBin::RealBin;
use MpkTest;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
# wal_consistency_checking compares each replayed page of an index with what was logged.
$node->append_conf('postgresql.conf', <<'CONF');
fsync = off
autovacuum = off
restart_after_crash = on
wal_consistency_checking = 'btree,hash,gin'
maintenance_work_mem = '1MB'
CONF
$node->start;

my $fifo = $node->basedir . '/fifo';
my $file = $node->basedir . '/docs.copy';
mkfifo($fifo, 0600) or die "mkfifo: $!";

# pause() waits for a lock at one row: whoever holds the lock sets how long.
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION mpk;
CREATE FUNCTION pause(doc msgpack, id int, at int) RETURNS msgpack LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	IF id = at THEN
		PERFORM pg_advisory_xact_lock_shared(1);
	END IF;
	RETURN CASE WHEN id % 100 <> 0 THEN doc END;
END $$;
CREATE TABLE docs (id int PRIMARY KEY, doc msgpack);
CREATE TABLE kept (id int, doc msgpack);
SQL
load_documents($node, 'postgres', 'kept', 1, 4000);
load_documents($node, 'postgres', 'docs', 4001, 8000);
$node->safe_psql('postgres', "COPY docs TO '$file' (FORMAT binary); TRUNCATE docs");
load_documents($node, 'postgres', 'docs', 1, 2000);
add_indexes($node, 'postgres', 'docs');

# Before the checkpoint, and after it, so that there is something to replay.
$node->safe_psql('postgres', 'CHECKPOINT');
load_documents($node, 'postgres', 'docs', 2001, 4000);
$node->safe_psql('postgres', "UPDATE docs SET doc = msgpack_set(doc, '{new}', to_msgpack(id), true)
	WHERE msgpack_typeof(doc) = 'map' AND id % 3 = 0");
my $docs = bytes_sum($node, 'postgres', 'docs');
my $kept = bytes_sum($node, 'postgres', 'kept');

my @sessions;
my $copy_input;

# session SQL: psql in the background.
sub session
{
	my ($sql) = @_;
	my $output = '';
	push @sessions,
	  IPC::Run::start([ 'psql', '-X', '-q', '-d', $node->connstr('postgres'), '-c', $sql ],
		'<', '/dev/null', '>', \$output, '2>', '/dev/null');
}

# A COPY of which half arrives, the rest never.  From 17 on tuples are counted by thousands.
sub start_copy
{
	session("COPY docs FROM '$fifo' (FORMAT binary)");
	open($copy_input, '>:raw', $fifo) or die "open: $!";
	my $data = slurp_file($file);
	syswrite($copy_input, substr($data, 0, length($data) / 2)) or die "write: $!";
	$node->poll_query_until('postgres',
		"SELECT tuples_processed >= 1000 FROM pg_stat_progress_copy WHERE type = 'FILE'")
	  or die 'the COPY does not get on';
}

sub end_sessions
{
	close $copy_input if $copy_input;
	undef $copy_input;
	IPC::Run::finish($_) for @sessions;
	@sessions = ();
}

# kill_and_wait PID...: until they are gone; what is left of a killed server holds its memory.
sub kill_and_wait
{
	my @left = @_;
	kill 9, @left;
	for (1 .. 1000)
	{
		return unless @left = grep { kill 0, $_ } @left;
		usleep(20_000);
	}
	die "still there: @left";
}

sub check_recovered
{
	my ($what) = @_;
	is(bytes_sum($node, 'postgres', 'docs'), $docs, "$what: every committed byte, no other row");
	is(bytes_sum($node, 'postgres', 'kept'), $kept, "$what: the other table too");
	indexes_answer($node, 'postgres', 'docs', $what);
	indexes_are_sound($node, 'postgres', 'docs', $what);
}

# The whole server dies, kill -9, its backends too, while a COPY has sent half of its rows and
# four indexes are half built; one of them concurrently.
$node->safe_psql('postgres', 'CREATE TABLE concurrent AS SELECT * FROM kept');
my $holder = $node->background_psql('postgres');
$holder->query_safe('SELECT pg_advisory_lock(1)');
start_copy();
session("CREATE INDEX broken_$_ ON kept USING $_ (pause(doc, id, 3000))") for qw(btree hash gin);
session('CREATE INDEX CONCURRENTLY broken_concurrent ON concurrent (pause(doc, id, 3000))');
$node->poll_query_until('postgres',
	"SELECT count(*) = 4 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ 'broken'")
  or die 'the index builds do not get on';
# Uncommitted rows and half an index go to disk, as they would in a busy server.
$node->safe_psql('postgres', 'CHECKPOINT');
my @pids = split /\n/, $node->safe_psql('postgres',
	'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
my $postmaster = $node->{_pid};
$node->kill9;
kill_and_wait($postmaster, @pids);
eval { $holder->quit };
end_sessions();
$node->start;

check_recovered('killed server');
is($node->safe_psql('postgres', "SELECT string_agg(relname || ' ' || indisvalid, ',')
	FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE relname ~ '^broken'"),
	'broken_concurrent false', 'killed server: only the concurrent build left something, invalid');
$node->safe_psql('postgres', 'REINDEX INDEX broken_concurrent');
$node->safe_psql('postgres', "CREATE INDEX broken_$_ ON kept USING $_ (pause(doc, id, 0))")
  for qw(btree hash gin);
is($node->safe_psql('postgres', "SELECT count(bt_index_parent_check(oid::regclass, true, true))
	FROM pg_class WHERE relname IN ('broken_btree', 'broken_concurrent')"), 2, 'and can be built again');

# One backend dies in its COPY; the server ends the others and recovers by itself.
start_copy();
my $pid = $node->safe_psql('postgres', 'SELECT pid FROM pg_stat_progress_copy');
kill 9, $pid;
end_sessions();
$node->poll_query_until('postgres', 'SELECT true') or die 'no recovery';
check_recovered('killed backend');

# What was cut short can be done again.
$node->safe_psql('postgres', "COPY docs FROM '$file' (FORMAT binary)");
is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id) FROM docs'),
	'8000|8000', 'the COPY can be repeated');
indexes_answer($node, 'postgres', 'docs', 'after the repeated COPY');
indexes_are_sound($node, 'postgres', 'docs', 'after the repeated COPY');

$node->stop;
done_testing();
