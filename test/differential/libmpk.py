"""What the differential tests share.

A MessagePack codec, a checker and a printer of the text form, written from the
specification alone and for clearness: slow, and with nothing in common with
the C code that they judge.  Also a generator of documents, and the counting of
what passed.

PGHOST, PGUSER and PGDATABASE lead to an empty database with the extension.
"""

import datetime
import functools
import math
import random
import struct
import sys
from collections import namedtuple
from fractions import Fraction

import psycopg

MAX_DEPTH = 1024


# ---------------------------------------------------------------------------
# Counting, connecting
# ---------------------------------------------------------------------------

class Report:
    """Counts checks; says the first few that fail."""

    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.skipped = 0

    def skip(self, why):
        self.skipped += 1
        print("skipped:", why, flush=True)

    def check(self, ok, *what):
        if ok:
            self.passed += 1
            return
        self.failed += 1
        if self.failed <= 20:
            print("failed:", *(str(item)[:400] for item in what), flush=True)
        elif self.failed == 21:
            print("and more")

    def equal(self, got, want, *what):
        self.check(got == want, *what, "\n    got ", repr(got),
                   "\n    want", repr(want))

    def finish(self):
        skipped = ", %d skipped" % self.skipped if self.skipped else ""
        print("%d passed, %d failed%s" % (self.passed, self.failed, skipped))
        sys.exit(1 if self.failed or not self.passed else 0)


def connect():
    """A session; every statement commits by itself."""
    return psycopg.connect("", autocommit=True)


def cpu_seconds(connection):
    """Seconds for which a session's backend has run: on a busy machine the clock says little."""
    with open("/proc/%d/schedstat" % connection.info.backend_pid, encoding="ascii") as line:
        return int(line.read().split()[0]) / 1e9


def load(connection, table, columns, rows):
    """A temporary table of these rows.  columns: "id int, bytes bytea"."""
    types = [column.split()[1] for column in columns.split(",")]
    cursor = connection.cursor()
    cursor.execute("DROP TABLE IF EXISTS %s" % table)
    cursor.execute("CREATE TEMPORARY TABLE %s (%s)" % (table, columns))
    with cursor.copy("COPY %s FROM STDIN (FORMAT binary)" % table) as copy:
        copy.set_types(types)
        for row in rows:
            copy.write_row(row)
    cursor.execute("ANALYZE %s" % table)


# ---------------------------------------------------------------------------
# Reading: a tree of nodes, or a place at which it fails
# ---------------------------------------------------------------------------

# kind: nil bool int f32 f64 str bin ext array map.  value: what it says; of a
# float its bits; of an ext (code, bytes); of a map a list of pairs.  mark: None
# for the shortest encoding, else the name of the one used.
Node = namedtuple("Node", "kind value mark")


class Invalid(Exception):
    """Not one MessagePack object; "at" is the byte at which the value at fault begins."""

    def __init__(self, at):
        super().__init__("invalid at byte %d" % at)
        self.at = at


def shortest_int(value):
    if value >= 0:
        for name, top in (("", 0x7f), ("u8", 0xff), ("u16", 0xffff), ("u32", 0xffffffff)):
            if value <= top:
                return name
        return "u64"
    for name, bottom in (("", -32), ("i8", -1 << 7), ("i16", -1 << 15), ("i32", -1 << 31)):
        if value >= bottom:
            return name
    return "i64"


def shortest_length(length, steps):
    """The first name whose limit holds the length."""
    for name, top in steps:
        if length <= top:
            return name
    return "32"


STR_STEPS = (("", 31), ("8", 255), ("16", 65535))
BIN_STEPS = (("8", 255), ("16", 65535))
COUNT_STEPS = (("", 15), ("16", 65535))


def shortest_ext(length):
    return "" if length in (1, 2, 4, 8, 16) else shortest_length(length, BIN_STEPS)


class Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count, start):
        if len(self.data) - self.at < count:
            raise Invalid(start)
        piece = self.data[self.at:self.at + count]
        self.at += count
        return piece

    def number(self, form, start):
        return struct.unpack(">" + form, self.take(struct.calcsize(form), start))[0]

    def body(self, kind, length, used, steps, start):
        mark = None if shortest_length(length, steps) == used else used
        return Node(kind, bytes(self.take(length, start)), mark)

    def ext(self, length, used, start):
        code = self.number("b", start)
        mark = None if shortest_ext(length) == used else used
        return Node("ext", (code, bytes(self.take(length, start))), mark)

    def integer(self, value, used):
        return Node("int", value, None if shortest_int(value) == used else used)

    def container(self, kind, count, used, depth, start):
        if depth >= MAX_DEPTH:
            raise Invalid(start)
        if count * (2 if kind == "map" else 1) > len(self.data) - self.at:
            raise Invalid(start)
        mark = None if shortest_length(count, COUNT_STEPS) == used else used
        if kind == "array":
            return Node(kind, [self.value(depth + 1) for _ in range(count)], mark)
        return Node(kind, [(self.value(depth + 1), self.value(depth + 1))
                           for _ in range(count)], mark)

    def value(self, depth=0):
        start = self.at
        byte = self.number("B", start)
        if byte <= 0x7f:
            return self.integer(byte, "")
        if byte <= 0x8f:
            return self.container("map", byte & 0x0f, "", depth, start)
        if byte <= 0x9f:
            return self.container("array", byte & 0x0f, "", depth, start)
        if byte <= 0xbf:
            return self.body("str", byte & 0x1f, "", STR_STEPS, start)
        if byte >= 0xe0:
            return self.integer(byte - 256, "")
        if byte == 0xc0:
            return Node("nil", None, None)
        if byte == 0xc1:
            raise Invalid(start)
        if byte <= 0xc3:
            return Node("bool", byte == 0xc3, None)
        return self.wide_value(byte, depth, start)

    def wide_value(self, byte, depth, start):
        if byte <= 0xc6:
            length = self.number("BHI"[byte - 0xc4], start)
            return self.body("bin", length, ("8", "16", "32")[byte - 0xc4], BIN_STEPS, start)
        if byte <= 0xc9:
            length = self.number("BHI"[byte - 0xc7], start)
            return self.ext(length, ("8", "16", "32")[byte - 0xc7], start)
        if byte == 0xca:
            return Node("f32", self.number("I", start), None)
        if byte == 0xcb:
            return Node("f64", self.number("Q", start), None)
        if byte <= 0xcf:
            used = ("u8", "u16", "u32", "u64")[byte - 0xcc]
            return self.integer(self.number("BHIQ"[byte - 0xcc], start), used)
        if byte <= 0xd3:
            used = ("i8", "i16", "i32", "i64")[byte - 0xd0]
            return self.integer(self.number("bhiq"[byte - 0xd0], start), used)
        if byte <= 0xd8:
            return self.ext(1 << (byte - 0xd4), "", start)
        if byte <= 0xdb:
            length = self.number("BHI"[byte - 0xd9], start)
            return self.body("str", length, ("8", "16", "32")[byte - 0xd9], STR_STEPS, start)
        kind = "array" if byte <= 0xdd else "map"
        narrow = byte in (0xdc, 0xde)
        count = self.number("H" if narrow else "I", start)
        return self.container(kind, count, "16" if narrow else "32", depth, start)


def read(data):
    """The object that data is; raises Invalid."""
    reader = Reader(data)
    node = reader.value()
    if reader.at != len(data):
        raise Invalid(reader.at)
    return node


# ---------------------------------------------------------------------------
# Equality, and the irregularities that hang on it
# ---------------------------------------------------------------------------

def float_of(node):
    if node.kind == "f32":
        return struct.unpack(">f", struct.pack(">I", node.value))[0]
    return struct.unpack(">d", struct.pack(">Q", node.value))[0]


def timestamp_of(node):
    """(seconds, nanoseconds) of a proper timestamp, else None."""
    if node.kind != "ext" or node.value[0] != -1:
        return None
    body = node.value[1]
    if len(body) == 4:
        return struct.unpack(">I", body)[0], 0
    if len(body) == 8:
        word = struct.unpack(">Q", body)[0]
        seconds, nanoseconds = word & ((1 << 34) - 1), word >> 34
    elif len(body) == 12:
        nanoseconds, seconds = struct.unpack(">Iq", body)
    else:
        return None
    return (seconds, nanoseconds) if nanoseconds <= 999_999_999 else None


def identity(node):
    """Something hashable that is the same of equal values: Python's numbers compare exactly."""
    if node.kind in ("nil", "bool", "str", "bin"):
        return node.kind, node.value
    if node.kind == "int":
        return "number", node.value
    if node.kind in ("f32", "f64"):
        value = float_of(node)
        return ("number", "NaN") if value != value else ("number", value)
    if node.kind == "ext":
        moment = timestamp_of(node)
        return ("ext",) + node.value if moment is None else ("moment", moment)
    if node.kind == "array":
        return "array", tuple(identity(item) for item in node.value)
    # of equal keys the last counts
    return "map", frozenset({identity(k): identity(v) for k, v in node.value}.items())


def has_repeated_keys(pairs):
    return len({identity(key) for key, _ in pairs}) < len(pairs)


def is_utf8(data):
    try:
        data.decode("utf-8")
        return True
    except UnicodeDecodeError:
        return False


def is_regular(node):
    if node.kind == "str":
        return is_utf8(node.value)
    if node.kind == "array":
        return all(is_regular(item) for item in node.value)
    if node.kind == "map":
        return (not has_repeated_keys(node.value) and
                all(is_regular(k) and is_regular(v) for k, v in node.value))
    return True


# ---------------------------------------------------------------------------
# The text form
# ---------------------------------------------------------------------------

ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r",
           "\t": "\\t"}

USUAL_NAN = {"f32": 0x7fc00000, "f64": 0x7ff8000000000000}


def quote(text):
    out = ['"']
    for c in text:
        out.append(ESCAPES.get(c) or ("\\u%04x" % ord(c) if c < " " else c))
    return "".join(out) + '"'


# Invisible, turning the direction, private or unassigned.
UNPRINTABLE = [(0x7f, 0x9f), (0xad, 0xad), (0x200b, 0x200f), (0x2028, 0x202e), (0x2060, 0x206f),
               (0xe000, 0xf8ff), (0xfeff, 0xfeff), (0xfff0, 0xfffb), (0xe0000, 0x10ffff)]


def is_printable(text):
    """May it stand as 'text'?"""
    return all(c not in "'\\" and c >= " " and ord(c) & 0xfffe != 0xfffe and
               not any(first <= ord(c) <= last for first, last in UNPRINTABLE) for c in text)


def interval(node):
    """The numbers that round to this float and to no other, without the two ends."""
    form = "I" if node.kind == "f32" else "Q"
    exact = Fraction(float_of(node))
    magnitude = node.value & ~(1 << struct.calcsize(form) * 8 - 1)
    below = Fraction(float_of(Node(node.kind, magnitude - 1, None)))
    above = float_of(Node(node.kind, magnitude + 1, None))
    # above the largest number there is none: as far as below
    above = 2 * abs(exact) - below if above == float("inf") else Fraction(above)
    return (below + abs(exact)) / 2, (above + abs(exact)) / 2


@functools.lru_cache(maxsize=None)
def shortest_digits(node):
    """Of its absolute value: digits without zeros at the end, and the power of ten of the first."""
    low, high = interval(node)
    exact = Fraction(abs(float_of(node)))
    power = int(math.floor(math.log10(exact))) if exact > Fraction(1, 10**300) else -330
    while Fraction(10) ** (power + 1) <= exact:
        power += 1
    while Fraction(10) ** power > exact:
        power -= 1
    for precision in range(1, 18):
        unit = Fraction(10) ** (power - precision + 1)
        floor = exact // unit
        inside = [n for n in (floor, floor + 1) if low < n * unit < high]
        if inside:
            digits = str(min(inside, key=lambda n: (abs(n * unit - exact), n % 2)))
            return digits.rstrip("0"), power + len(digits) - precision
    raise AssertionError(node)


def print_float(node):
    """As the server prints floats (an exponent below 1e-4 and from 1e15, float 32: 1e6, on), but
    always with a point, an exponent or a name."""
    value = float_of(node)
    if value != value:
        if node.value != USUAL_NAN[node.kind]:
            return "float'%0*x'" % (8 if node.kind == "f32" else 16, node.value)
        text = "NaN"
    elif value in (float("inf"), float("-inf")):
        text = "Infinity" if value > 0 else "-Infinity"
    elif value == 0:
        text = "-0.0" if str(value).startswith("-") else "0.0"
    else:
        sign = "-" if value < 0 else ""
        digits, power = shortest_digits(node)
        if power < -4 or power >= (15 if node.kind == "f64" else 6):
            point = "." + digits[1:] if len(digits) > 1 else ""
            text = "%s%s%se%+03d" % (sign, digits[0], point, power)
        elif power < 0:
            text = sign + "0." + "0" * (-power - 1) + digits
        else:
            digits = digits.ljust(power + 1, "0")
            text = sign + digits[:power + 1] + "." + (digits[power + 1:] or "0")
    return text + ("_f32" if node.kind == "f32" else "")


def print_str(node):
    mark = "" if node.mark is None else "_" + node.mark
    if not is_utf8(node.value):
        return "str'%s'%s" % (node.value.hex(), mark)
    return quote(node.value.decode("utf-8")) + mark


def print_bin(node):
    mark = "" if node.mark is None else "_" + node.mark
    if node.value and is_utf8(node.value) and is_printable(node.value.decode("utf-8")):
        return "'%s'%s" % (node.value.decode("utf-8"), mark)
    return "h'%s'%s" % (node.value.hex(), mark)


EPOCH = datetime.datetime(1970, 1, 1)
YEARS_1_TO_9999 = range(-62135596800, 253402300800)


def timestamp_width(seconds, nanoseconds):
    if 0 <= seconds < 1 << 34:
        return 4 if nanoseconds == 0 and seconds < 1 << 32 else 8
    return 12


def print_ext(node):
    code, body = node.value
    moment = timestamp_of(node)
    if moment is None or moment[0] not in YEARS_1_TO_9999 or node.mark is not None:
        mark = "" if node.mark is None else "_" + node.mark
        return "ext(%d, h'%s')%s" % (code, body.hex(), mark)
    seconds, nanoseconds = moment
    when = EPOCH + datetime.timedelta(seconds=seconds)
    text = when.isoformat()
    if nanoseconds:
        text += ("." + "%09d" % nanoseconds).rstrip("0")
    longer = len(body) != timestamp_width(seconds, nanoseconds)
    return "DT'%sZ'%s" % (text, "_%d" % (8 * len(body)) if longer else "")


def print_container(node):
    if node.kind == "array":
        marks, brackets = "", "[]"
        items = [print_text(item) for item in node.value]
    else:
        marks, brackets = "_dup" if has_repeated_keys(node.value) else "", "{}"
        items = [print_text(k) + ": " + print_text(v) for k, v in node.value]
    if node.mark is not None:
        marks = "_" + node.mark + marks
    if marks and items:
        marks += " "
    return brackets[0] + marks + ", ".join(items) + brackets[1]


def print_text(node):
    if node.kind == "nil":
        return "null"
    if node.kind == "bool":
        return "true" if node.value else "false"
    if node.kind == "int":
        return str(node.value) + ("" if node.mark is None else "_" + node.mark)
    return {"f32": print_float, "f64": print_float, "str": print_str, "bin": print_bin,
            "ext": print_ext, "array": print_container, "map": print_container}[node.kind](node)


# ---------------------------------------------------------------------------
# Writing, in a width of one's choice
# ---------------------------------------------------------------------------

INT_FORMS = {"u8": (0xcc, "B"), "u16": (0xcd, "H"), "u32": (0xce, "I"), "u64": (0xcf, "Q"),
             "i8": (0xd0, "b"), "i16": (0xd1, "h"), "i32": (0xd2, "i"), "i64": (0xd3, "q")}
SIZE_FORMS = {"8": "B", "16": "H", "32": "I"}


def head(kind, width, size):
    """The head of a str, bin, array or map."""
    if width == "":
        return bytes([{"str": 0xa0, "array": 0x90, "map": 0x80}[kind] | size])
    first = {"str": {"8": 0xd9, "16": 0xda, "32": 0xdb}, "bin": {"8": 0xc4, "16": 0xc5, "32": 0xc6},
             "array": {"16": 0xdc, "32": 0xdd}, "map": {"16": 0xde, "32": 0xdf}}[kind][width]
    return bytes([first]) + struct.pack(">" + SIZE_FORMS[width], size)


def write_int(value, width=None):
    width = shortest_int(value) if width is None else width
    if width == "":
        return struct.pack("b" if value < 0 else "B", value)
    first, form = INT_FORMS[width]
    return bytes([first]) + struct.pack(">" + form, value)


def write_str(value, width=None):
    data = value.encode("utf-8") if isinstance(value, str) else value
    return head("str", shortest_length(len(data), STR_STEPS) if width is None else width,
                len(data)) + data


def write_bin(data, width=None):
    return head("bin", shortest_length(len(data), BIN_STEPS) if width is None else width,
                len(data)) + data


def write_ext(code, data, width=None):
    width = shortest_ext(len(data)) if width is None else width
    if width == "":
        first = bytes([{1: 0xd4, 2: 0xd5, 4: 0xd6, 8: 0xd7, 16: 0xd8}[len(data)]])
    else:
        first = bytes([{"8": 0xc7, "16": 0xc8, "32": 0xc9}[width]])
        first += struct.pack(">" + SIZE_FORMS[width], len(data))
    return first + struct.pack("b", code) + data


def write_timestamp(seconds, nanoseconds, size=None):
    size = timestamp_width(seconds, nanoseconds) if size is None else size
    body = {4: lambda: struct.pack(">I", seconds),
            8: lambda: struct.pack(">Q", nanoseconds << 34 | seconds),
            12: lambda: struct.pack(">Iq", nanoseconds, seconds)}[size]()
    return write_ext(-1, body)


def write_array(items, width=None):
    return head("array", shortest_length(len(items), COUNT_STEPS) if width is None else width,
                len(items)) + b"".join(items)


def write_map(pairs, width=None):
    return head("map", shortest_length(len(pairs), COUNT_STEPS) if width is None else width,
                len(pairs)) + b"".join(k + v for k, v in pairs)


def write_f32_bits(bits):
    return b"\xca" + struct.pack(">I", bits)


def write_f64(value):
    return b"\xcb" + struct.pack(">d", value)


def write_f64_bits(bits):
    return b"\xcb" + struct.pack(">Q", bits)


# ---------------------------------------------------------------------------
# Documents at random
# ---------------------------------------------------------------------------

EDGES = [0, 1, 31, 32, 33, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2**31 - 1, 2**31,
         2**32 - 1, 2**32, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1]
STRINGS = ["", "a", "b", "key", "name", "été", "日本", "😀", "a\"b\\c", "tab\tnew\n", "\x00",
           "\x7f", "it's", "x" * 15, "x" * 16, "y" * 31, "z" * 32, "\u0080", "\uffff",
           "1", "-1", "007"]
FLOATS = [0.0, -0.0, 1.0, 1.5, -2.25, 0.1, 1e-7, 1e15, 123456.0, 1e16, 1e22, 1e23, 1e300, 5e-324,
          1.7976931348623157e308, float("inf"), float("-inf"), float("nan"), 2.0**53, 2.0**63]


class Generator:
    """Encoded documents; odd: overlong encodings, repeated keys, bytes in strs, NaN bits too."""

    def __init__(self, seed, odd=True):
        self.r = random.Random(seed)
        self.odd = odd

    def rarely(self):
        return self.odd and self.r.random() < 0.12

    def integer(self):
        r = self.r
        value = r.choice(EDGES) if r.random() < 0.5 else r.getrandbits(r.randint(1, 64))
        if r.random() < 0.4 and value <= 2**63:
            value = -value
        if not self.rarely():
            return write_int(value)
        limits = {name: struct.calcsize(form) * 8 for name, (_, form) in INT_FORMS.items()}
        fits = [name for name, bits in limits.items()
                if (0 <= value < 1 << bits if name[0] == "u"
                    else -1 << bits - 1 <= value < 1 << bits - 1)]
        return write_int(value, r.choice(fits))

    def wider(self, steps, size):
        if not self.rarely():
            return None
        names = [name for name, top in steps if size <= top] + ["32"]
        return self.r.choice(names)

    def float64(self):
        r = self.r
        if r.random() < 0.4:
            return write_f64(r.choice(FLOATS))
        if self.rarely():
            return write_f64_bits(0x7ff0000000000001 | r.getrandbits(64))
        if r.random() < 0.5:
            return write_f64(round(r.uniform(-1000, 1000), r.randint(0, 4)))
        return write_f64(struct.unpack(">d", struct.pack(
            ">Q", r.getrandbits(64) & ~(1 << 62)))[0])

    def float32(self):
        r = self.r
        if r.random() < 0.3:
            return write_f32_bits(struct.unpack(">I", struct.pack(">f", r.choice(
                [0.0, -0.0, 1.0, 1.5, 0.1, 1e-7, 123456.0, 1e6, 1e10, float("inf"), 3.4e38])))[0])
        return write_f32_bits(r.getrandbits(32) & (0xffffffff if self.odd else 0xbfffffff))

    def string(self):
        r = self.r
        if self.rarely():
            return write_str(r.choice([b"\xff", b"\xe2\x80", b"\xc0\xaf", b"ab\xed\xa0\xbd",
                                       b"\x80"]))
        text = r.choice(STRINGS) if r.random() < 0.8 else "s" * r.choice([40, 255, 256, 300])
        return write_str(text, self.wider(STR_STEPS, len(text.encode())))

    def binary(self):
        r = self.r
        data = r.choice([b"", b"\0", b"text", b"it's", b"\xff\xfe", "é".encode(), b"a\\b",
                         r.getrandbits(200).to_bytes(25, "big"), b"q" * 256])
        return write_bin(data, self.wider(BIN_STEPS, len(data)))

    def ext(self):
        r = self.r
        code = r.choice([-128, -2, -1, 0, 1, 5, 127])
        data = bytes(r.getrandbits(8) for _ in range(r.choice([0, 1, 2, 3, 4, 8, 12, 16, 17])))
        return write_ext(code, data, self.wider(BIN_STEPS, len(data)))

    def timestamp(self):
        r = self.r
        seconds = r.choice([0, 1, -1, 1_800_000_000, 2**32 - 1, 2**32, 2**34 - 1, 2**34,
                            -62135596800, -62135596801, 253402300799, 253402300800,
                            r.randint(0, 2**32), r.randint(-62135596800, 253402300799)])
        nanoseconds = r.choice([0, 0, 1, 500_000_000, 999_999_999, 123_456_000])
        sizes = [size for size in (4, 8, 12) if size >= timestamp_width(seconds, nanoseconds)]
        return write_timestamp(seconds, nanoseconds, r.choice(sizes) if self.rarely() else None)

    def scalar(self):
        makers = [lambda: b"\xc0", lambda: b"\xc2", lambda: b"\xc3", self.integer, self.integer,
                  self.integer, self.float64, self.float64, self.float32, self.string, self.string,
                  self.string, self.binary, self.ext, self.timestamp]
        return self.r.choice(makers)()

    def key(self, depth):
        r = self.r
        if r.random() < 0.7:
            return self.string()
        return self.scalar() if r.random() < 0.85 else self.value(depth)

    def value(self, depth=0):
        r = self.r
        if depth >= 4 or r.random() < 0.25 + 0.15 * depth:
            return self.scalar()
        count = r.choice([0, 1, 1, 2, 2, 3, 3, 4, 5, 17])
        if r.random() < 0.4:
            return write_array([self.value(depth + 1) for _ in range(count)],
                               self.wider(COUNT_STEPS, count))
        pairs = self.distinct([(self.key(depth + 1), self.value(depth + 1)) for _ in range(count)])
        return write_map(pairs, self.wider(COUNT_STEPS, len(pairs)))

    def distinct(self, pairs):
        """Mostly without repeated keys, which chance would make too common."""
        if self.rarely():
            return pairs
        seen = {}
        for key, value in pairs:
            seen.setdefault(identity(read(key)), (key, value))
        return list(seen.values())


def documents(seed, count, odd=True):
    """So many documents, the same ones for the same seed."""
    generator = Generator(seed, odd)
    return [generator.value() for _ in range(count)]
