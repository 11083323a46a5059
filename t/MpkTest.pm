# What the tests in this folder share: documents of every kind, sums over their
# bytes, and the proof that an index gives what its table holds.

package MpkTest;

use strict;
use warnings;

use Exporter 'import';
use Test::More;

our @EXPORT = qw(load_documents bytes_sum add_indexes indexes_answer indexes_are_sound);

# load_documents NODE, DATABASE, TABLE, FIRST, LAST: rows of these numbers, the same for the
# same numbers.  Small and wide maps, numbers of every encoding, arrays, nested ones, what is
# irregular, and every hundredth big enough for TOAST, compressible or not by turns.
sub load_documents
{
	my ($node, $database, $table, $first, $last) = @_;
	$node->safe_psql($database, "INSERT INTO $table " . documents_query($first, $last));
}

sub documents_query
{
	my ($first, $last) = @_;
	return <<"SQL";
SELECT i, CASE
	WHEN i % 100 = 0 THEN msgpack_build_object('id', i, 'text',
		CASE WHEN i % 200 = 0 THEN repeat(md5(i::text), 400) ELSE (
			SELECT string_agg(md5((i * 1000 + k)::text), '') FROM generate_series(1, 400) k) END)
	WHEN i % 10 = 1 THEN msgpack_build_object('id', i, 'name', 'name ' || i % 97, 'tags',
		ARRAY['a' || i % 7, 'b' || i % 11], 'at', '2026-11-30 00:00+00'::timestamptz + i * '1 s'::interval)
	WHEN i % 10 = 2 THEN (i % 1000)::text::msgpack
	WHEN i % 10 = 3 THEN (i % 1000 || '.0')::msgpack
	WHEN i % 10 = 4 THEN (i % 1000 || '_u64')::msgpack
	WHEN i % 10 = 5 THEN msgpack_build_array(i, -i, NULL, i % 2 = 0, 'x', decode(md5(i::text), 'hex'))
	WHEN i % 10 = 6 THEN ('{_dup "id": ' || i || ', "id": ' || i % 50 || '}')::msgpack
	WHEN i % 10 = 7 THEN ('{' || i || ': str''fffe'', "f": 1.5_f32}')::msgpack
	WHEN i % 10 = 8 THEN ('ext(5, h''' || to_hex(i % 256 + 256) || '0'')')::msgpack
	ELSE (SELECT ('{' || string_agg('"key ' || k || '": ' || i % (k + 1), ', ') || '}')::msgpack
		FROM generate_series(1, 40) k) END
FROM generate_series($first, $last) i
SQL
}

# One line that changes when any byte of any document in the table does.
sub bytes_sum
{
	my ($node, $database, $table) = @_;
	return $node->safe_psql($database, "SELECT count(*), md5(string_agg(
		id || ':' || coalesce(encode(doc::bytea, 'hex'), 'null'), ',' ORDER BY id)) FROM $table");
}

# The big documents are too big for a B-tree.
my $small = 'CASE WHEN id % 100 <> 0 THEN doc END';

# add_indexes NODE, DATABASE, TABLE: one of every kind, named TABLE_KIND.
sub add_indexes
{
	my ($node, $database, $table) = @_;
	$node->safe_psql($database, <<"SQL");
CREATE EXTENSION IF NOT EXISTS amcheck;
CREATE INDEX ${table}_btree ON $table (($small));
CREATE INDEX ${table}_hash ON $table USING hash (doc);
CREATE INDEX ${table}_gin ON $table USING gin (doc);
CREATE INDEX ${table}_path ON $table USING gin (msgpack_canonical(doc) msgpack_path_ops);
CREATE INDEX ${table}_typed ON $table (msgpack_int8(doc, 'id'));
SQL
}

# Conditions and the index that each must be answered by.
my %questions = (
	'btree' => [ "($small) = '13'", "($small) BETWEEN '5' AND '900'", "($small) > '{}'" ],
	'hash' => [
		"doc = '42'",
		"doc = '[5, -5, null, false, \"x\", h''e4da3b7fbbce2345d7772b0674a318d5'']'" ],
	'gin' => [
		"doc ? 'id'", "doc \@> '{\"id\": 6}'",
		"doc \@> '{\"tags\": [\"a3\"]}'", "doc ?& '{id,text}'" ],
	'path' => [
		"msgpack_canonical(doc) \@> '{\"name\": \"name 3\"}'",
		"msgpack_canonical(doc) \@> '{\"key 5\": 1.0}'" ],
	'typed' => [ "msgpack_int8(doc, 'id') BETWEEN 3 AND 4000" ]);

# indexes_answer NODE, DATABASE, TABLE, WHAT: every index gives what a scan of the table does.
sub indexes_answer
{
	my ($node, $database, $table, $what) = @_;
	my @wrong;
	my $asked = 0;

	for my $kind (sort keys %questions)
	{
		for my $condition (@{ $questions{$kind} })
		{
			my $query = "SELECT count(*), sum(id) FROM $table WHERE $condition";
			my $scan = $node->safe_psql($database,
				"SET enable_indexscan = off; SET enable_bitmapscan = off; $query");
			my ($plan, $indexed) = split /\n---\n/, $node->safe_psql($database,
				"SET enable_seqscan = off; SET jit = off; EXPLAIN (COSTS OFF) $query; SELECT '---'; $query");
			$asked++;
			push @wrong, "$kind, $condition: index $indexed, scan $scan" if $indexed ne $scan;
			push @wrong, "$kind, $condition: not used" if $plan !~ /${table}_$kind\b/;
			push @wrong, "$kind, $condition: no row" if $scan =~ /^0\|/;
		}
	}
	is(join("\n", @wrong), '', "$what: indexes answer as scans do ($asked questions)");
}

# indexes_are_sound NODE, DATABASE, TABLE, WHAT: what amcheck knows to check.
sub indexes_are_sound
{
	my ($node, $database, $table, $what) = @_;
	my $standby = $node->safe_psql($database, 'SELECT pg_is_in_recovery()') eq 't';
	my $check = $standby ? 'bt_index_check' : 'bt_index_parent_check';
	my $deep = $standby ? '' : ', true';
	my $sql = <<"SQL";
SELECT $check('${table}_btree', true$deep);
SELECT $check('${table}_typed', true$deep);
SELECT * FROM verify_heapam('$table', check_toast => true);
SQL
	if ($node->safe_psql($database, 'SHOW server_version_num') >= 180000)
	{
		$sql .= "SELECT gin_index_check('${table}_gin');\nSELECT gin_index_check('${table}_path');\n";
	}
	my ($status, $out, $err) = $node->psql($database, $sql);
	is($status . $out =~ s/^\s+//r . $err, '0', "$what: amcheck finds nothing");
}

1;
