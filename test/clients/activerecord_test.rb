# ActiveRecord and ruby-msgpack: an attribute type, as doc/clients.md shows it.
require "active_record"
require "msgpack"
require_relative "clients"

EVENT = { "id" => 7, "tags" => %w[a b], "raw" => "\x00\xff".b, 5 => nil }.freeze

# [type]
class MsgpackType < ActiveRecord::Type::Value
  include ActiveModel::Type::Helpers::Mutable

  def type
    :msgpack
  end

  # The text form of a document may be its bytes in hex.
  def serialize(value)
    value.nil? ? nil : "\\x" + value.to_msgpack.unpack1("H*")
  end

  # What the database gave as doc::bytea.  The text form of doc is no MessagePack.
  def deserialize(text)
    return if text.nil?
    raise TypeError, "read msgpack as doc::bytea" unless text.start_with?("\\x")

    MessagePack.unpack([text.delete_prefix("\\x")].pack("H*"))
  end
end

class Event < ActiveRecord::Base
  attribute :doc, MsgpackType.new
  default_scope { select(*(column_names - ["doc"]), "doc::bytea AS doc") }
end
# [/type]

report = Report.new
ActiveRecord::Base.establish_connection(adapter: "postgresql", host: ENV["PGHOST"],
                                        username: ENV["PGUSER"], database: ENV["PGDATABASE"])
ActiveRecord::Base.connection.execute("SET client_min_messages = warning")
ActiveRecord::Base.connection.execute("DROP TABLE IF EXISTS events")
ActiveRecord::Base.connection.execute("CREATE TABLE events (id serial PRIMARY KEY, doc msgpack)")

# [use]
Event.create!(doc: EVENT)
event = Event.where("doc @> ?", Event.type_for_attribute("doc").serialize("tags" => ["b"])).first
# [/use]
report.equal(event.doc, EVENT, "a native object")
event.doc["changed"] = true
event.save!
report.equal(Event.find(event.id).doc, EVENT.merge("changed" => true), "changed in place")
report.equal(Event.create!(doc: nil).reload.doc, nil, "NULL")
stored = ActiveRecord::Base.connection.select_value("SELECT doc::bytea FROM events WHERE id = #{event.id}")
report.equal(PG::Connection.unescape_bytea(stored), EVENT.merge("changed" => true).to_msgpack, "the bytes")
report.raises(TypeError, /doc::bytea/, "the text form") { Event.unscoped.find(event.id).doc }
report.finish("ActiveRecord #{ActiveRecord::VERSION::STRING}, pg #{PG::VERSION}")
