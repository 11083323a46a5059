# One codec for codecs.py: lines in, lines out.  encode: JSON to hex; decode: hex to JSON.
require "json"
require "msgpack"

MessagePack::DefaultFactory.register_type(
  -1, Time, packer: MessagePack::Time::Packer, unpacker: MessagePack::Time::Unpacker)

SAMPLES = {
  "symbols" => { a: 1, b: :sym },
  "nil key" => { nil => 3, "a" => 1 },
  "keys of many types" => { 1 => 2, 1.5 => nil, true => "t", [1] => [2], { "k" => 1 } => "map" },
  "bytes" => "\xff\xfe".b,
  "bytes in a str" => "\xff",
  "extremes" => [2**64 - 1, -2**63, 0.1, -0.0, Float::NAN, Float::INFINITY, nil, {}, []],
  "time" => Time.at(1_800_000_000, 123_456_789, :nsec),
  "whole time" => Time.at(1_800_000_000),
  "old time" => Time.at(-1, 5, :nsec),
}

action = ARGV[0]
if action == "samples"
  SAMPLES.each { |name, value| puts "#{name}\t#{MessagePack.pack(value).unpack1("H*")}" }
else
  STDIN.set_encoding("UTF-8")
  STDIN.each_line(chomp: true) do |line|
    if action == "encode"
      puts MessagePack.pack(JSON.parse(line)).unpack1("H*")
    else
      puts JSON.generate(MessagePack.unpack([line].pack("H*")))
    end
  end
end
