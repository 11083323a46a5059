# ALTER EXTENSION UPDATE from every older version gives what a fresh installation gives; and the
# comparison that says so sees what an update script forgets.

use strict;
use warnings;

use File::Copy qw(copy);
use File::Path qw(make_path);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\n");
$node->start;

my $databases = 0;

# members SQL: all that pg_dump knows of the members of the extension after this, sorted.  Dumped
# as for pg_upgrade, they are written out as if they were objects of the user's.
sub members
{
	my ($sql) = @_;
	my $name = 'update_' . ++$databases;
	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql($name, $sql);
	my ($dump, $err) = run_command([
		'pg_dump', '--binary-upgrade', '--schema-only', '--no-sync',
		'-d', $node->connstr . " dbname=$name" ]);
	die "pg_dump: $err" if $err;
	# OIDs differ, and the order goes by them where names are equal.
	$dump =~ s/^-- For binary upgrade, must preserve .*\n(?:SELECT .*\n)+//mg;
	$dump =~ s/binary_upgrade_create_empty_extension\(.*?\)/.../g;
	my @entries = grep { /^-- Name: / } split /\n\n\n?--\n(?=-- Name: )/, $dump;
	s/\n--\n-- PostgreSQL database dump complete.*//s for @entries;
	return join("\n\n", sort @entries) . "\n" . $node->safe_psql($name,
		"SELECT extversion, extrelocatable, extowner::regrole FROM pg_extension WHERE extname = 'mpk'");
}

# The first line that differs, for the test's own words.
sub difference
{
	my ($got, $expected) = @_;
	my %seen = map { $_ => 1 } split /\n/, $expected;
	my %got = map { $_ => 1 } split /\n/, $got;
	return join("\n", (map { "+ $_" } grep { !$seen{$_} } sort keys %got),
		(map { "- $_" } grep { !$got{$_} } sort keys %seen));
}

my $fresh = members('CREATE EXTENSION mpk');
my $version = $node->safe_psql('update_1',
	"SELECT extversion FROM pg_extension WHERE extname = 'mpk'");
like($fresh, qr/CREATE FUNCTION public\.msgpack_in\(cstring\)/, 'members are dumped one by one');
like($fresh, qr/CREATE OPERATOR CLASS public\.msgpack_path_ops/, 'operator classes too');
like($fresh, qr/COMMENT ON FUNCTION public\.msgpack_in\(cstring\)/, 'comments too');
my $again = members('CREATE EXTENSION mpk');
is(difference($again, $fresh), '', 'two installations are alike');

# The older versions that can be installed.
my @older = split /\n/, $node->safe_psql('postgres', "SELECT version
	FROM pg_available_extension_versions WHERE name = 'mpk' AND version <> '$version' ORDER BY version");
for my $old (@older)
{
	my $updated = members("CREATE EXTENSION mpk VERSION '$old'; ALTER EXTENSION mpk UPDATE");
	is(difference($updated, $fresh), '', "from $old to $version");
}

# Versions made up from this one: "good" lacks a function and a cast, which its update adds as the
# script does; "bad" forgets a comment and the cost.
my $share = `pg_config --sharedir`;
chomp $share;
my $setting = $node->safe_psql('postgres', "SELECT name FROM pg_settings
	WHERE name IN ('extension_control_path', 'extension_destdir')");
SKIP:
{
	skip 'this server takes extensions from its own folder only', 3 unless $setting;
	my $place = $node->safe_psql('postgres', "SHOW $setting");
	my $from = $setting eq 'extension_destdir' ? "$place$share" : (split /:/, $place)[0];
	$from = $share if $from eq '$system' || !-d "$from/extension";
	my $to = $node->basedir . '/versions';
	my $folder = ($setting eq 'extension_destdir' ? "$to$share" : $to) . '/extension';
	make_path($folder);
	copy("$from/extension/mpk.control", $folder) or die "copy: $!";
	# Debian's setting is for libraries too; PostgreSQL's own is not.
	my $library = `pg_config --pkglibdir`;
	chomp $library;
	if (-f "$place$library/mpk.so")
	{
		make_path("$to$library");
		copy("$place$library/mpk.so", "$to$library") or die "copy: $!";
		chmod 0755, "$to$library/mpk.so";
	}
	my $script = slurp_file("$from/extension/mpk--$version.sql");
	write_file("$folder/mpk--$version.sql", $script);

	$script =~ s/^(CREATE FUNCTION msgpack_size\(.*?;\n)//ms or die 'no msgpack_size';
	my $function = $1;
	$script =~ s/^(COMMENT ON FUNCTION msgpack_size\(.*?;\n)//ms or die 'no comment';
	my $comment = $1;
	write_file("$folder/mpk--good.sql", $script);
	write_file("$folder/mpk--good--$version.sql", $function . $comment);
	write_file("$folder/mpk--bad.sql", $script);
	write_file("$folder/mpk--bad--$version.sql",
		$function . 'ALTER FUNCTION msgpack_size(msgpack) COST 77;');

	$node->append_conf('postgresql.conf', "$setting = '$to'");
	$node->reload;
	my $good = members("CREATE EXTENSION mpk VERSION 'good'; CREATE TABLE t (doc msgpack);
		ALTER EXTENSION mpk UPDATE; DROP TABLE t");
	is(difference($good, $fresh), '', 'an update that adds what was missing');
	my $bad = members("CREATE EXTENSION mpk VERSION 'bad'; ALTER EXTENSION mpk UPDATE");
	like(difference($bad, $fresh), qr/^\+ .*COST 77.*^- COMMENT ON FUNCTION public\.msgpack_size/ms,
		'one that forgets a comment and changes a cost is seen');
	my $incomplete = members("CREATE EXTENSION mpk VERSION 'good'");
	like(difference($incomplete, $fresh), qr/^- CREATE FUNCTION public\.msgpack_size/m,
		'a missing function is seen');
}

sub write_file
{
	my ($file, $text) = @_;
	open(my $handle, '>', $file) or die "$file: $!";
	print $handle $text;
	close $handle or die "$file: $!";
}

$node->stop;
done_testing();
