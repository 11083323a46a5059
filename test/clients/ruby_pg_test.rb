# ruby-pg and ruby-msgpack: what doc/clients.md shows, and that it keeps every byte.
require "pg"
require "msgpack"
require_relative "clients"

EVENT = { "id" => 7, "tags" => %w[a b], "raw" => "\x00\xff".b, 5 => nil }.freeze

# [register]
class MsgpackEncoder < PG::SimpleEncoder
  def encode(value, *)
    value.to_msgpack
  end
end

class MsgpackDecoder < PG::SimpleDecoder
  def decode(data, *)
    MessagePack.unpack(data)
  end
end

# Hashes and arrays are sent as documents, and documents come out of binary results.
def register_msgpack(connection)
  oid = connection.exec("SELECT 'msgpack'::regtype::oid").getvalue(0, 0).to_i
  encoder = MsgpackEncoder.new(name: "msgpack", oid: oid, format: 1)
  queries = PG::BasicTypeMapForQueries.new(connection)
  queries[Hash] = encoder
  queries[Array] = encoder
  connection.type_map_for_queries = queries
  results = PG::BasicTypeMapForResults.new(connection)
  results.add_coder(MsgpackDecoder.new(name: "msgpack", oid: oid, format: 1))
  connection.type_map_for_results = results
end
# [/register]

def bytes_there_and_back(report, connection)
  # [bytes]
  DOCUMENTS.each_with_index do |bytes, id|
    connection.exec_params("INSERT INTO docs VALUES ($1, $2)", [id, { value: bytes, format: 1 }])
  end
  found = connection.exec_params("SELECT doc::bytea FROM docs ORDER BY id", [], 1).column_values(0)
  # [/bytes]
  report.equal(found, DOCUMENTS, "bytes as parameters of INSERT")
  # "1" asks for binary results; without, bytea comes as text
  text = connection.exec("SELECT doc::bytea FROM docs ORDER BY id").column_values(0)
  report.equal(text.map { |t| PG::Connection.unescape_bytea(t) }, DOCUMENTS, "text results")
  DOCUMENTS.each do |bytes|
    answer = connection.exec_params(
      "SELECT doc @> $1, doc = $1, $1 <@ doc, doc @> $2 FROM docs WHERE doc::bytea = $2",
      [{ value: bytes, format: 1 }, { value: bytes, format: 1, type: 17 }])
    report.equal(answer.values, [%w[t t t t]], "operators", bytes.unpack1("H*"))
  end
  # [array]
  encoder = PG::TextEncoder::Array.new(elements_type: PG::TextEncoder::Bytea.new)
  array = encoder.encode(DOCUMENTS[4...9])
  count = connection.exec_params(
    "SELECT count(*) FROM docs WHERE doc = ANY ($1::bytea[]::msgpack[])", [array]).getvalue(0, 0)
  # [/array]
  report.equal(count, "7", "an array of bytes, 1 in three encodings")
end

def copy(report, connection)
  # [copy]
  connection.copy_data("COPY docs FROM STDIN", PG::TextEncoder::CopyRow.new) do
    DOCUMENTS.each_with_index do |bytes, id|
      connection.put_copy_data([id.to_s, "\\x" + bytes.unpack1("H*")])
    end
  end
  # [/copy]
  found = connection.exec_params("SELECT doc::bytea FROM docs ORDER BY id", [], 1).column_values(0)
  report.equal(found, DOCUMENTS, "text COPY")
end

def traps(report, connection)
  report.equal(connection.exec("SELECT '{\"a\": 1}'::msgpack").getvalue(0, 0), '{"a": 1}',
               "without a decoder the column is its text form")
  as_text = lambda do |bytes|
    connection.exec_params("SELECT $1::msgpack::text", [bytes]).getvalue(0, 0)
  end
  report.equal(as_text.call("7".b), "7", "without format: 1 bytes are the text form: 0x37 is not 55")
  report.equal(connection.exec_params("SELECT $1::msgpack::text", [{ value: "7", format: 1 }]).getvalue(0, 0),
               "55", "with format: 1 they are a document")
  report.raises(ArgumentError, /null byte/, "NUL as text") { as_text.call("\x81\xa1a\x00".b) }
  report.raises(PG::Error, /msgpack|encoding/, "a map as text") { as_text.call("\x81\xa1a\x01".b) }
  rails = "\xcc\x80".b + { "a" => 1 }.to_msgpack
  report.raises(PG::InvalidBinaryRepresentation, /Rails/, "the signature of Rails") do
    connection.exec_params("SELECT $1::msgpack", [{ value: rails, format: 1 }])
  end
  # [rails]
  document = rails.delete_prefix("\xcc\x80".b)
  # [/rails]
  report.equal(connection.exec_params("SELECT $1::msgpack", [{ value: document, format: 1 }], 0).values,
               [['{"a": 1}']], "without the signature")
end

def objects_there_and_back(report, connection)
  register_msgpack(connection)
  # [objects]
  connection.exec_params("INSERT INTO docs VALUES ($1, $2)", [1000, EVENT])
  event = connection.exec_params("SELECT doc FROM docs WHERE doc @> $1", [{ "tags" => ["b"] }], 1).getvalue(0, 0)
  # [/objects]
  report.equal(event, EVENT, "a native object")
  report.equal(connection.exec_params("SELECT doc || $1 FROM docs WHERE id = 1000", [{ "x" => 1 }], 1).getvalue(0, 0),
               EVENT.merge("x" => 1), "merged")
end

report = Report.new
connection = PG.connect
connection.set_notice_processor { |_| nil }
connection.exec(PREPARE)
traps(report, connection)
bytes_there_and_back(report, connection)
connection.exec("TRUNCATE docs")
copy(report, connection)
connection.exec("TRUNCATE docs")
objects_there_and_back(report, connection)
report.finish("ruby #{RUBY_VERSION}, pg #{PG::VERSION}, msgpack #{MessagePack::VERSION}")
