# Nothing is lost on the way through a dump, or through COPY in either format.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\n");
$node->start;

# Every kind and width, what is irregular, what no other text form could tell apart, long and
# deep ones; then arrays and maps of pairs of them.
my @scalars = qw(
  c0 c2 c3 00 7f e0 ff cc80 ccff cc01 cd0100 cd0001 ceffffffff ce00000001 cfffffffffffffffff
  cf0000000000000001 d0df d001 d18000 d1ffff d280000000 d38000000000000000 d3ffffffffffffffff
  ca3fc00000 ca7fc00000 ca7fc00001 caff800000 ca80000000 cb3ff8000000000000 cb8000000000000000
  cb7ff8000000000000 cb7ff8000000000001 cbfff0000000000001 cb7ff0000000000000 cb3fb999999999999a
  a0 a161 a100 a127 a15c a10a a109 a17f a4f09f9880 a3efbfbf a2c0af a2e280 a1ff d90161 da000161
  db0000000161 c400 c40161 c40127 c4025c6e c402fffe c5000161 c600000001ff
  c70005 d40501 c7010501 d4ffff c700ff d6ff5c300000 d7ff0000000400000000 d7ffee6b280000000000
  c70cff00000000ffffffffffffffff c70cff000000007fffffffffffffff c704ff00000000 c8000105ff
  90 dc0000 dd00000000 80 de0000 df00000000
  82a16101a16102 82c001c002 8190c0 81a1ffc0);

# Wherever a schema can hold a document or compare two.
sub schema_sql
{
	return <<'SQL';
CREATE TABLE listed (doc msgpack) PARTITION BY LIST (doc);
CREATE TABLE listed_some PARTITION OF listed FOR VALUES IN ('1.0', '{"b": 1, 2: h''00''}', NULL);
CREATE TABLE ranged (doc msgpack) PARTITION BY RANGE (doc);
CREATE TABLE ranged_arrays PARTITION OF ranged FOR VALUES FROM ('[]') TO ('{}');
CREATE TABLE hashed (doc msgpack) PARTITION BY HASH (doc);
CREATE TABLE hashed_all PARTITION OF hashed FOR VALUES WITH (MODULUS 1, REMAINDER 0);
INSERT INTO listed VALUES ('1'), (NULL);
INSERT INTO hashed VALUES ('[1_u64]');
CREATE TYPE span AS RANGE (subtype = msgpack);
CREATE TABLE keyed (doc msgpack PRIMARY KEY, within span, list msgpack[],
	n text GENERATED ALWAYS AS (doc ->> 'n') STORED, CHECK (doc <> '"a"' AND doc NOT IN ('1', '"b"')),
	EXCLUDE USING hash (doc WITH =));
INSERT INTO keyed VALUES ('{"n": 1}', '[1,"{""x"": 1}")', '{NULL,"{\"n\": 2_u16}"}');
CREATE TABLE referring (doc msgpack REFERENCES keyed);
INSERT INTO referring VALUES ('{"n": 1.0}');
CREATE UNIQUE INDEX ON keyed ((doc -> 'n')) WHERE doc @> '{"n": 1}' OR doc BETWEEN '2' AND '3';
CREATE STATISTICS keyed_stats ON (doc -> 'n'), doc FROM keyed;
CREATE MATERIALIZED VIEW grouped AS
SELECT doc -> 'n' AS n, msgpack_agg(doc) AS docs FROM keyed GROUP BY 1 HAVING max(doc) > '1';
CREATE FUNCTION changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER changed BEFORE UPDATE ON keyed FOR EACH ROW
	WHEN (OLD.doc::bytea IS DISTINCT FROM NEW.doc::bytea) EXECUTE FUNCTION changed();
CREATE POLICY numbered ON keyed USING (doc ? 'n');
SQL
}

sub documents_sql
{
	my $values = join(', ', map { "('\\x$_'::bytea)" } @scalars);
	return <<"SQL";
CREATE EXTENSION mpk;
CREATE TABLE scalars (bytes bytea);
INSERT INTO scalars VALUES $values;
CREATE TABLE raw AS
SELECT row_number() OVER () AS id, bytes FROM (
	SELECT bytes FROM scalars
	UNION ALL SELECT '\\x92'::bytea || a.bytes || b.bytes FROM scalars a, scalars b
	UNION ALL SELECT '\\x82'::bytea || a.bytes || '\\xa17a' || b.bytes || a.bytes
		FROM scalars a, scalars b
	UNION ALL SELECT decode(repeat('91', 1023) || '90', 'hex')
	UNION ALL SELECT '\\xdb00030d40'::bytea || convert_to(repeat('0123456789äöü', 12500), 'UTF8')
	UNION ALL SELECT '\\xc600030d40'::bytea ||
			string_agg(decode(md5(i::text), 'hex'), ''::bytea ORDER BY i)
		FROM generate_series(1, 12500) i
	UNION ALL SELECT '\\xdd0000ffff'::bytea ||
			string_agg('\\xcd'::bytea || int2send((i - 32768)::int2), ''::bytea ORDER BY i)
		FROM generate_series(1, 65535) i) x;
CREATE TABLE docs (id int PRIMARY KEY, doc msgpack);
INSERT INTO docs SELECT id, bytes FROM raw;
INSERT INTO docs VALUES (0, NULL);
CREATE TABLE defaults (
	id int,
	doc msgpack DEFAULT '{"a": 1_u64, 2: h''00ff'', "t": DT''2026-11-30T17:13:31.5Z''}',
	strict msgpack_strict DEFAULT '[1, 2.0, NaN]');
INSERT INTO defaults (id) VALUES (1);
CREATE VIEW names AS SELECT id, doc ->> 'a' AS a FROM defaults WHERE doc #>> '{a}' = '1';
@{[ schema_sql() ]}
SQL
}

# One line that changes when any byte of any document does.
my $sum = "SELECT count(*), md5(string_agg(
	id || ':' || coalesce(encode(doc::bytea, 'hex'), 'null'), ',' ORDER BY id)) FROM";
my $raw_sum = $sum =~ s/doc::bytea/bytes/r;

my $utf8 = "TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'";
$node->safe_psql('postgres', "CREATE DATABASE source $utf8");
$node->safe_psql('source', documents_sql());
my $expected = $node->safe_psql('source', "$sum docs");
my $raw = $node->safe_psql('source',
	"$raw_sum (SELECT id, bytes FROM raw UNION ALL SELECT 0, NULL) x");
is($expected, $raw, 'the table holds the bytes that were put in');
my $count = @scalars + 2 * @scalars**2 + 4 + 1;
like($expected, qr/^$count\|/, 'all documents are there');

# Dumps in every format, also by parallel jobs, restored from the whole or part by part.
my $folder = $node->basedir;
my %dumps = (
	'plain' => ['--format=plain'],
	'inserts' => ['--format=plain', '--column-inserts'],
	'custom' => ['--format=custom'],
	'parallel' => [ '--format=directory', '--jobs=2' ],
	'tar' => ['--format=tar']);
my %restores = ('custom' => ['--jobs=2'], 'parallel' => ['--jobs=2'], 'tar' => []);
for my $kind (sort keys %dumps)
{
	my $file = "$folder/$kind.dump";
	my $target = "target_$kind";
	$node->command_ok(
		[ 'pg_dump', '--no-sync', '--file', $file, @{ $dumps{$kind} }, 'source' ],
		"dump, $kind");
	$node->safe_psql('postgres', "CREATE DATABASE $target $utf8");
	if ($restores{$kind})
	{
		my @command = ('pg_restore', '--exit-on-error', @{ $restores{$kind} });
		$node->command_ok([ @command, '--dbname', $target, $file ], "restore, $kind");
	}
	else
	{
		$node->command_ok(
			[ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $target, '-f', $file ],
			"restore, $kind");
	}
	is($node->safe_psql($target, "$sum docs"), $expected, "the same bytes, $kind");
	is($node->safe_psql($target, "$sum defaults"),
		$node->safe_psql('source', "$sum defaults"), "the same bytes by default, $kind");
	$node->safe_psql($target, 'INSERT INTO defaults (id) VALUES (2)');
	is( $node->safe_psql($target, 'SELECT count(DISTINCT (doc::bytea, strict::bytea)), min(a) '
			  . 'FROM defaults JOIN names USING (id)'),
		'1|1', "defaults, a domain and a view work, $kind");
	my @again = ('pg_dump', '--no-sync', '--schema-only');
	my ($from) = run_command([ @again, '-d', $node->connstr('source') ]);
	my ($to) = run_command([ @again, '-d', $node->connstr($target) ]);
	# later minors name a random key in the dump
	s/^\\(un)?restrict .*$//mg for $from, $to;
	is($to, $from, "the restored database dumps alike, $kind");
}

# COPY, both formats, through files of the server and through psql.
for my $format ('text', 'csv', 'binary')
{
	my $file = "$folder/docs.$format";
	$node->safe_psql('source', <<"SQL");
COPY docs TO '$file' (FORMAT $format);
CREATE TABLE copy_$format (LIKE docs);
COPY copy_$format FROM '$file' (FORMAT $format);
SQL
	is($node->safe_psql('source', "$sum copy_$format"), $expected, "COPY, $format");
	$node->safe_psql('source', <<"SQL");
\\copy docs TO '$file.psql' (FORMAT $format)
CREATE TABLE psql_$format (LIKE docs);
\\copy psql_$format FROM '$file.psql' (FORMAT $format)
SQL
	is($node->safe_psql('source', "$sum psql_$format"), $expected, "psql's copy, $format");
	is(slurp_file("$file.psql"), slurp_file($file), "the same file both ways, $format");
}

# In the binary format a document is its bytes, no more: bytea is the same file.
$node->safe_psql('source', <<"SQL");
CREATE TABLE as_bytea AS SELECT id, doc::bytea AS bytes FROM docs ORDER BY id;
COPY (SELECT id, doc FROM docs ORDER BY id) TO '$folder/ordered.msgpack' (FORMAT binary);
COPY (SELECT id, bytes FROM as_bytea ORDER BY id) TO '$folder/ordered.bytea' (FORMAT binary);
SQL
is(slurp_file("$folder/ordered.msgpack"),
	slurp_file("$folder/ordered.bytea"), 'binary: as bytea');

# To a database whose encoding lacks characters: in text an error, as for any text; in binary the same
# bytes; and back from there in either.
$node->safe_psql('postgres',
	"CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'");
my $foreign = "'{\"\\u00e9\": [1_u64, \"\\u3042\"]}'";
$node->safe_psql('source', "CREATE TABLE foreign_words AS SELECT $foreign\::msgpack AS doc");
$node->safe_psql('latin', 'CREATE EXTENSION mpk; CREATE TABLE foreign_words (doc msgpack)');
$node->safe_psql('source', "COPY foreign_words TO '$folder/words.text' (ENCODING 'UTF8')");
$node->safe_psql('source', "COPY foreign_words TO '$folder/words.binary' (FORMAT binary)");
my ($status, $out, $complaint) =
  $node->psql('latin', "COPY foreign_words FROM '$folder/words.text' (ENCODING 'UTF8')");
like($complaint, qr/has no equivalent in encoding "LATIN1"/, 'another encoding, text: an error');
$node->safe_psql('latin', "COPY foreign_words FROM '$folder/words.binary' (FORMAT binary)");
my $words = 'SELECT doc::bytea FROM foreign_words';
my $as_it_was = $node->safe_psql('source', $words);
is($node->safe_psql('latin', $words), $as_it_was, 'another encoding, binary: the same bytes');
$node->safe_psql('latin', "COPY foreign_words TO '$folder/words.latin'");
$node->safe_psql('source', "TRUNCATE foreign_words; COPY foreign_words FROM '$folder/words.latin' (ENCODING 'LATIN1')");
is($node->safe_psql('source', $words), $as_it_was, 'and back, in text');

$node->stop;
done_testing();
