<?php
// PHP's pgsql and PDO with php-msgpack: what doc/clients.md shows, and that it keeps every byte.

$documents = array_map('hex2bin', file(__DIR__ . '/documents.hex', FILE_IGNORE_NEW_LINES));
$event = ['id' => 7, 'tags' => ['a', 'b'], 5 => null];
$passed = $failed = 0;

function equal($got, $want, ...$what)
{
    global $passed, $failed;
    if ($got === $want) {
        $passed++;
    } else {
        $failed++;
        echo 'FAILED: ', implode(' ', $what), "\n    got  ", json_encode($got), "\n    want ", json_encode($want), "\n";
    }
}

$db = pg_connect('host=' . getenv('PGHOST') . ' user=' . getenv('PGUSER') . ' dbname=' . getenv('PGDATABASE'));
pg_query($db, 'SET client_min_messages = warning; DROP TABLE IF EXISTS docs; CREATE TABLE docs (id int, doc msgpack)');

// [bytes]
function document_parameter($bytes)
{
    return '\x' . bin2hex($bytes);
}

foreach ($documents as $id => $bytes) {
    pg_query_params($db, 'INSERT INTO docs VALUES ($1, $2)', [$id, document_parameter($bytes)]);
}
$result = pg_query($db, 'SELECT doc::bytea FROM docs ORDER BY id');
$found = array_map('pg_unescape_bytea', pg_fetch_all_columns($result));
// [/bytes]
equal($found, $documents, 'bytes as parameters of INSERT');

foreach ($documents as $bytes) {
    $result = pg_query_params(
        $db,
        'SELECT doc @> $1, doc = $1, $1 <@ doc FROM docs WHERE doc::bytea = $2',
        array_fill(0, 2, document_parameter($bytes))
    );
    equal(pg_fetch_row($result), ['t', 't', 't'], 'operators', bin2hex($bytes));
}

// [array]
$list = '{' . implode(',', array_map(fn ($bytes) => '"\\\\x' . bin2hex($bytes) . '"', array_slice($documents, 4, 5))) . '}';
$result = pg_query_params($db, 'SELECT count(*) FROM docs WHERE doc = ANY ($1)', [$list]);
// [/array]
equal(pg_fetch_result($result, 0), '7', 'an array of documents, 1 in three encodings');

pg_query($db, 'TRUNCATE docs');
// [copy]
$lines = [];
foreach ($documents as $id => $bytes) {
    $lines[] = "$id\t\\\\x" . bin2hex($bytes) . "\n";
}
pg_copy_from($db, 'docs', $lines);
// [/copy]
$result = pg_query($db, 'SELECT doc::bytea FROM docs ORDER BY id');
equal(array_map('pg_unescape_bytea', pg_fetch_all_columns($result)), $documents, 'COPY');

// Traps
$result = pg_query_params($db, 'SELECT $1::msgpack::text', ['7']);
equal(pg_fetch_result($result, 0), '7', 'a bare string is the text form: 0x37 is not 55');
equal(@pg_query_params($db, 'SELECT $1::msgpack::text', [msgpack_pack(['a' => 0])]), false, 'bytes as text');
$result = pg_query($db, "SELECT '{\"a\": 1}'::msgpack");
equal(pg_fetch_result($result, 0), '{"a": 1}', 'the column is its text form');

// A PHP object has the name of its class under the key nil; list and map are one type.
$object = new stdClass();
$object->a = 1;
$result = pg_query_params(
    $db,
    'SELECT $1::msgpack::text, $2::msgpack::text, $3::msgpack::text',
    array_map('document_parameter', [msgpack_pack($object), msgpack_pack([]), msgpack_pack([1 => 'x'])])
);
equal(pg_fetch_row($result), ['{null: "stdClass", "a": 1}', '[]', '{1: "x"}'], 'objects and arrays');
// [plain]
$bytes = msgpack_pack((array) $object);
// [/plain]
$result = pg_query_params(
    $db,
    'SELECT $1::msgpack::text, $2::msgpack::text',
    array_map('document_parameter', [$bytes, (new MessagePack(false))->pack($object)])
);
equal(pg_fetch_row($result), ['{"a": 1}', '[1]'], 'an object as an array; MessagePack(false) drops the names');
// bytes in a str
$result = pg_query_params($db, 'SELECT msgpack_check($1::msgpack), msgpack_regular($1::msgpack)', [document_parameter(msgpack_pack(['a' => "\xff"]))]);
equal(pg_fetch_row($result)[1], '{"a": h\'ff\'}', 'strings are str, whatever their bytes');

// [pdo]
$pdo = new PDO('pgsql:host=' . getenv('PGHOST') . ';user=' . getenv('PGUSER') . ';dbname=' . getenv('PGDATABASE'));
$insert = $pdo->prepare('INSERT INTO docs VALUES (1000, ?)');
$insert->bindValue(1, msgpack_pack($event), PDO::PARAM_LOB);
$insert->execute();
$select = $pdo->prepare('SELECT doc::bytea FROM docs WHERE doc @> ?');
$select->bindValue(1, msgpack_pack(['tags' => ['b']]), PDO::PARAM_LOB);
$select->execute();
$back = msgpack_unpack(stream_get_contents($select->fetchColumn()));
// [/pdo]
equal($back, $event, 'PDO');

echo 'PHP ', PHP_VERSION, ', msgpack ', phpversion('msgpack'), "\n$passed passed, $failed failed\n";
exit($failed || !$passed ? 1 : 0);
