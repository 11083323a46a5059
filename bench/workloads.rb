# The six workloads with the ruby gem: workloads.rb FOLDER ROUNDS
#
# FOLDER holds NAME.documents as bench/documents.py writes them, each of one document many
# times over.  Prints a line for each workload: its name, pack or unpack, and the nanoseconds
# of processor time for one document, the median of the rounds.

require 'msgpack'

FOLDER, ROUNDS = ARGV[0], ARGV[1].to_i
OPERATIONS = 20_000

# What an ext value of type 0 is to a program that uses the gem.
class Extended
  attr_reader :payload

  def initialize(payload)
    @payload = payload
  end
end
MessagePack::DefaultFactory.register_type(0, Extended, packer: :payload, unpacker: Extended.method(:new))

def now
  Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)
end

def nanoseconds
  times = Array.new(ROUNDS) do
    GC.start
    start = now
    OPERATIONS.times { yield }
    (now - start).fdiv(OPERATIONS)
  end
  times.sort[ROUNDS / 2]
end

%w[plain structured extended].each do |name|
  file = File.binread("#{FOLDER}/#{name}.documents")
  packed = file[4, file.unpack1('N')]
  value = MessagePack.unpack(packed)
  abort("#{name} is packed to other bytes") if MessagePack.pack(value) != packed
  puts [name, 'pack', nanoseconds { MessagePack.pack(value) }].join("\t")
  puts [name, 'unpack', nanoseconds { MessagePack.unpack(packed) }].join("\t")
end
