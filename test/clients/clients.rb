# What the Ruby clients' tests share.

DOCUMENTS = File.readlines(File.join(__dir__, "documents.hex"), chomp: true)
                .map { |line| [line].pack("H*") }.freeze
PREPARE = "DROP TABLE IF EXISTS docs; CREATE TABLE docs (id int, doc msgpack)".freeze

# Counts checks, and says which failed.
class Report
  def initialize
    @passed = @failed = 0
  end

  def check(good, *what)
    if good
      @passed += 1
    else
      @failed += 1
      puts "FAILED: #{what.join(' ')}"
    end
  end

  def equal(got, want, *what)
    check(got == want, *what, "\n    got  #{got.inspect}\n    want #{want.inspect}")
  end

  def raises(type, message, what)
    yield
    check(false, what, "no error")
  rescue type => e
    check(message.match?(e.message), what, e.message)
  end

  def finish(client)
    puts client
    puts "#{@passed} passed, #{@failed} failed"
    exit(@failed.zero? && @passed.positive?)
  end
end
