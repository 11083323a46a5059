<?php
/* One codec for codecs.py: lines in, lines out.  encode: JSON to hex; decode: hex to JSON. */

class Account
{
	public $id = 7;
	protected $owner = "Ana";
	private $secret = null;
	public $self;
}

function samples(): array
{
	$cyclic = new Account;
	$cyclic->self = $cyclic;
	return [
		"holes" => [3 => "x", 7 => "y"],
		"bytes in a str" => "\xff\xfe",
		"half a character" => substr("naïve", 0, 3),
		"object" => new Account,
		"object in itself" => $cyclic,
		"date" => new DateTime("2026-11-30 12:00:00 UTC"),
		"stdClass" => (object) ["a" => 1],
		"list object" => new ArrayObject([1, 2]),
		"extremes" => [PHP_INT_MAX, PHP_INT_MIN, 0.1, -0.0, true, null, []],
	];
}

$action = $argv[1];
if ($action == "samples")
	foreach (samples() as $name => $value)
		echo $name, "\t", bin2hex(msgpack_pack($value)), "\n";
else
	while (($line = fgets(STDIN)) !== false)
	{
		$line = rtrim($line, "\n");
		if ($action == "encode")
			echo bin2hex(msgpack_pack(json_decode($line, true, 512, JSON_THROW_ON_ERROR))), "\n";
		else
			echo json_encode(msgpack_unpack(hex2bin($line)), JSON_THROW_ON_ERROR), "\n";
	}
