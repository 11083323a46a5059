/*
 * codec_test.c
 *		The codec against hand-made tables and against naive code, without a server.
 */
#include "codec/error.h"
#include "codec/format.h"
#include "codec/hash.h"
#include "codec/number.h"
#include "codec/scalar.h"
#include "codec/timestamp.h"
#include "codec/utf8.h"
#include "codec/validate.h"
#include "codec/within.h"
#include "codec/write.h"

#include <math.h>
#include <time.h>

#include "common/pg_prng.h"

#include "counting.h"


static void
check(bool ok, const char *what, const char *detail)
{
	if (failed_check(ok))
		printf("FAILED %s: %s\n", what, detail);
}

/* Bytes of a hexadecimal string, in a chunk of exactly that size, so that valgrind sees overruns. */
static uint8 *
from_hex(const char *hex, size_t *length)
{
	uint8	   *bytes;

	*length = strlen(hex) / 2;
	bytes = palloc(Max(*length, 1));
	for (size_t i = 0; i < *length; i++)
	{
		unsigned	byte;

		if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
			exit(1);
		bytes[i] = (uint8) byte;
	}
	return bytes;
}

/* Verdicts of the validator: code, place, flags. */
typedef struct verdict
{
	const char *hex;
	mpk_errcode code;
	size_t		offset;
	unsigned	flags;
} verdict;

static const verdict verdicts[] = {
	{"", MPK_ERR_EMPTY, 0, 0},
	{"c0", MPK_OK, 0, 0},
	{"c1", MPK_ERR_NEVER_USED, 0, 0},
	{"9201c1", MPK_ERR_NEVER_USED, 2, 0},
	{"92c001", MPK_OK, 0, 0},
	{"92c0", MPK_ERR_TRUNCATED, 0, 0},	/* a count beyond the bytes left */
	{"9291c0", MPK_ERR_TRUNCATED, 3, 0},
	/* a long key at the very end, without its value */
	{"81d941" "6161616161616161616161616161616161616161616161616161616161616161"
		"6161616161616161616161616161616161616161616161616161616161616161" "61",
	MPK_ERR_TRUNCATED, 68, 0},
	{"90c0", MPK_ERR_TRAILING, 1, 0},
	{"d905", MPK_ERR_TRUNCATED, 0, 0},
	{"dbffffffff5a", MPK_ERR_TRUNCATED, 0, 0},
	{"ddffffffff", MPK_ERR_TRUNCATED, 0, 0},
	{"df80000000", MPK_ERR_TRUNCATED, 0, 0},
	{"df8000000000", MPK_ERR_TRUNCATED, 0, 0},
	{"de0001a16101", MPK_OK, 0, 0},
	{"de000181a16101", MPK_ERR_TRUNCATED, 7, 0},
	{"a2c0af", MPK_OK, 0, MPK_INVALID_UTF8},
	{"a3eda080", MPK_OK, 0, MPK_INVALID_UTF8},
	{"a2c3a9", MPK_OK, 0, 0},
	{"a100", MPK_OK, 0, 0},
	{"a400c3a900", MPK_OK, 0, 0},
	{"81a2c0af01", MPK_OK, 0, MPK_INVALID_UTF8},
	{"82a16101a16102", MPK_OK, 0, MPK_REPEATED_KEYS},
	{"82a16101c4016102", MPK_OK, 0, 0},
	{"82a16101d9016102", MPK_OK, 0, MPK_REPEATED_KEYS},
	{"82cc010a010b", MPK_OK, 0, MPK_REPEATED_KEYS},
	{"8201c0cb3ff0000000000000c0", MPK_OK, 0, MPK_REPEATED_KEYS},
	{"8201c0cb3ff0000000000001c0", MPK_OK, 0, 0},
	{"82c2c0c2c0", MPK_OK, 0, MPK_REPEATED_KEYS},
	{"82ca7fc00000c0cb7ff8000000000001c0", MPK_OK, 0, MPK_REPEATED_KEYS},
	{"82d6ff00000001c0d7ff0000000000000001c0", MPK_OK, 0, MPK_REPEATED_KEYS},
	{"82d6ff00000001c0d7ff0000000400000001c0", MPK_OK, 0, 0},
	{"8290c090c0", MPK_OK, 0, MPK_COMPOUND_KEYS},
	{"8290c001c0", MPK_OK, 0, 0},
	{"8390c090c090c0", MPK_OK, 0, MPK_COMPOUND_KEYS},
	{"8490c090c0a161c0a161c0", MPK_OK, 0, MPK_REPEATED_KEYS},
	{"8182a16101a16102c0", MPK_OK, 0, MPK_REPEATED_KEYS},
};

static void
test_verdicts(void)
{
	for (size_t i = 0; i < lengthof(verdicts); i++)
	{
		const verdict *v = &verdicts[i];
		size_t		length;
		uint8	   *bytes = from_hex(v->hex, &length);
		unsigned	flags = 0;
		mpk_error	error = {MPK_OK, 0, NULL};
		bool		valid = mpk_validate(bytes, length, &flags, &error);

		check(valid == (v->code == MPK_OK) && error.code == v->code &&
			  error.offset == v->offset && flags == v->flags, "verdict", v->hex);
		pfree(bytes);
	}
}

/* Depth: exactly the limit is valid, one more is not, an empty map included. */
static void
test_depth(void)
{
	uint8		bytes[MPK_MAX_DEPTH + 2];
	unsigned	flags;
	mpk_error	error;

	memset(bytes, 0x91, sizeof(bytes));
	bytes[MPK_MAX_DEPTH - 1] = 0x90;
	check(mpk_validate(bytes, MPK_MAX_DEPTH, &flags, &error), "depth", "at the limit");
	check(mpk_skip(bytes) == bytes + MPK_MAX_DEPTH, "depth", "skip");
	bytes[MPK_MAX_DEPTH - 1] = 0x91;
	bytes[MPK_MAX_DEPTH] = 0x80;
	check(!mpk_validate(bytes, MPK_MAX_DEPTH + 1, &flags, &error) &&
		  error.code == MPK_ERR_TOO_DEEP && error.offset == MPK_MAX_DEPTH, "depth", "one more");
}

/* Every first byte: validator, skip and read agree on the length. */
static void
test_first_bytes(void)
{
	for (int first = 0; first < 256; first++)
	{
		uint8		bytes[64] = {0};
		size_t		used;
		unsigned	flags;
		mpk_error	error;
		char		name[8];
		bool		valid;

		bytes[0] = (uint8) first;
		snprintf(name, sizeof(name), "%02x", first);
		valid = mpk_validate_first(bytes, sizeof(bytes), &used, &flags, &error);
		check(valid == (first != 0xc1), "first byte", name);
		if (valid)
		{
			mpk_value	value;

			check(mpk_skip(bytes) == bytes + used, "skip", name);
			mpk_read(bytes, &value);
			check(mpk_value_end(&value) == bytes + used, "read", name);
		}
	}
}

static int
shortest_uint(uint64 u)
{
	return u < 128 ? 1 : u < 256 ? 2 : u < 65536 ? 3 : u <= PG_UINT32_MAX ? 5 : 9;
}

static int
shortest_negative(int64 v)
{
	return v >= -32 ? 1 : v >= -128 ? 2 : v >= -32768 ? 3 : v >= PG_INT32_MIN ? 5 : 9;
}

/* Every integer near a width boundary comes back, in the shortest form. */
static void
test_integers(void)
{
	for (int bit = 0; bit < 64; bit++)
		for (int delta = -2; delta <= 2; delta++)
		{
			uint64		u = (UINT64CONST(1) << bit) + (uint64) (int64) delta;
			int64		v = (int64) u;
			uint8		bytes[9];
			mpk_value	value;
			int			n = mpk_put_uint(bytes, u);

			mpk_read(bytes, &value);
			check(n == shortest_uint(u) && value.kind == MPK_UINT && value.as.u64 == u,
				  "uint", "round trip");
			n = mpk_put_int(bytes, v);
			mpk_read(bytes, &value);
			if (v < 0)
				check(value.kind == MPK_INT && value.as.i64 == v && n == shortest_negative(v),
					  "int", "round trip");
			else
				check(value.kind == MPK_UINT && value.as.u64 == u, "int", "not negative");
		}
}

/* A container whose count is known first, and one whose count is known last. */
static void
check_array(uint32 n)
{
	mpk_writer	known;
	mpk_writer	opened;
	size_t		place;
	unsigned	flags;
	mpk_error	error;

	mpk_writer_init(&known, 0);
	mpk_write_array_head(&known, n);
	mpk_writer_init(&opened, 0);
	place = mpk_write_open(&opened);
	for (uint32 i = 0; i < n; i++)
	{
		mpk_write_uint(&known, i);
		mpk_write_uint(&opened, i);
	}
	mpk_write_close_array(&opened, place, n);
	check(known.length == opened.length &&
		  memcmp(mpk_writer_data(&known), mpk_writer_data(&opened), known.length) == 0 &&
		  mpk_validate(mpk_writer_data(&known), known.length, &flags, &error),
		  "open and close", "array");
	pfree(known.buffer);
	pfree(opened.buffer);
}

static void
check_bytes(mpk_kind kind, uint32 n, int head)
{
	mpk_writer	writer;
	mpk_value	value;
	uint8	   *text = palloc(n + 1);

	memset(text, 'x', n);
	mpk_writer_init(&writer, 0);
	if (kind == MPK_STR)
		mpk_write_str(&writer, text, n);
	else if (kind == MPK_BIN)
		mpk_write_bin(&writer, text, n);
	else
		mpk_write_ext(&writer, -5, text, n);
	mpk_read(mpk_writer_data(&writer), &value);
	check(value.kind == kind && value.length == n && memcmp(value.body, text, n) == 0 &&
		  value.body - value.start == head && writer.length == head + n &&
		  (kind != MPK_EXT || value.ext_code == -5), "head", "round trip");
	pfree(writer.buffer);
	pfree(text);
}

/* Around the boundaries of heads. */
static void
test_heads(void)
{
	static const struct
	{
		uint32		size;
		int			str;
		int			bin;
		int			ext;
	}			cases[] = {
		{0, 1, 2, 3}, {1, 1, 2, 2}, {2, 1, 2, 2}, {3, 1, 2, 3}, {4, 1, 2, 2}, {8, 1, 2, 2},
		{16, 1, 2, 2}, {31, 1, 2, 3}, {32, 2, 2, 3}, {255, 2, 2, 3}, {256, 3, 3, 4},
		{65535, 3, 3, 4}, {65536, 5, 5, 6}, {70000, 5, 5, 6},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		check_array(cases[i].size);
		check_bytes(MPK_STR, cases[i].size, cases[i].str);
		check_bytes(MPK_BIN, cases[i].size, cases[i].bin);
		check_bytes(MPK_EXT, cases[i].size, cases[i].ext);
	}
}

/* Every short length, written where the room is ample, just enough and just not. */
static void
test_short_strs(void)
{
	char		text[40];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char) ('A' + i);
	for (uint32 n = 0; n <= sizeof(text); n++)
	{
		for (uint32 before = 0; before <= 64; before++)
		{
			mpk_writer	writer;
			mpk_value	value;
			char	   *s = palloc(n);	/* no longer, so that a sanitizer sees a read beyond it */

			memcpy(s, text, n);
			mpk_writer_init(&writer, 64);
			for (uint32 i = 0; i < before; i++)
				mpk_write_nil(&writer);
			mpk_write_str(&writer, s, n);
			mpk_write_boolean(&writer, true);
			mpk_read(mpk_writer_data(&writer) + before, &value);
			check(value.kind == MPK_STR && value.length == n &&
				  memcmp(value.body, text, n) == 0 && value.body[n] == MPK_BYTE_TRUE &&
				  writer.length == (size_t) (value.body + n + 1 - mpk_writer_data(&writer)),
				  "short str", "round trip");
			for (uint32 i = 0; i < before; i++)
				check(mpk_writer_data(&writer)[i] == MPK_BYTE_NIL, "short str", "before it");
			pfree(writer.buffer);
			pfree(s);
		}
	}
}

/* The limit is sticky, and what came before it stays. */
static void
test_overflow(void)
{
	mpk_writer	writer;

	mpk_writer_init(&writer, 0);
	mpk_write_uint(&writer, 1);
	check(!mpk_writer_grow(&writer, MPK_MAX_PAYLOAD), "overflow", "grow");
	mpk_write_uint(&writer, 2);
	mpk_write_str(&writer, "abc", 3);
	check(writer.overflow && writer.length == 1, "overflow", "sticky");
	pfree(writer.buffer);
}

static void
check_number(uint64 u, double f, int expected, const char *what)
{
	mpk_value	a = {.kind = MPK_UINT, .as.u64 = u};
	mpk_value	b = {.kind = MPK_FLOAT64, .as.f64 = f};

	check(mpk_number_compare(&a, &b) == expected, "compare", what);
	check(mpk_number_compare(&b, &a) == -expected, "compare, turned", what);
	check((expected == 0) == (mpk_hash_scalar(&a) == mpk_hash_scalar(&b)), "hash agrees", what);
}

static void
test_numbers(void)
{
	const double two53 = 9007199254740992.0;
	const double two63 = 9223372036854775808.0;
	const double two64 = 18446744073709551616.0;

	check_number(1, 1.0, 0, "1");
	check_number(0, -0.0, 0, "-0");
	check_number(1, 1.5, -1, "1.5");
	check_number(2, 1.5, 1, "2");
	check_number(0, -0.5, 1, "-0.5");
	check_number(0, 5e-324, -1, "smallest");
	check_number((UINT64CONST(1) << 53) + 1, two53, 1, "2^53");
	check_number(UINT64CONST(1) << 63, two63, 0, "2^63");
	check_number((UINT64CONST(1) << 63) - 1, two63, -1, "2^63-1");
	check_number(PG_UINT64_MAX, two64, -1, "2^64");
	check_number(PG_UINT64_MAX, INFINITY, -1, "infinity");
	check_number(PG_UINT64_MAX, NAN, -1, "NaN");
	check_number(0, -INFINITY, 1, "-infinity");
}

static void
test_timestamps(void)
{
	static const struct
	{
		int64		seconds;
		uint32		nanoseconds;
		int			width;
		const char *text;
	}			cases[] = {
		{0, 0, 4, "1970-01-01T00:00:00Z"},
		{INT64CONST(4294967295), 0, 4, "2106-02-07T06:28:15Z"},
		{INT64CONST(4294967296), 0, 8, "2106-02-07T06:28:16Z"},
		{0, 1, 8, "1970-01-01T00:00:00.000000001Z"},
		{INT64CONST(17179869183), 999999999, 8, "2514-05-30T01:53:03.999999999Z"},
		{INT64CONST(17179869184), 0, 12, "2514-05-30T01:53:04Z"},
		{-1, 500000000, 12, "1969-12-31T23:59:59.5Z"},
		{MPK_TIMESTAMP_MIN_SECONDS, 0, 12, "0001-01-01T00:00:00Z"},
		{MPK_TIMESTAMP_MAX_SECONDS, 0, 12, "9999-12-31T23:59:59Z"},
		{951782400, 0, 4, "2000-02-29T00:00:00Z"},
		{INT64CONST(-2203891200), 0, 12, "1900-03-01T00:00:00Z"},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		mpk_timestamp t = {cases[i].seconds, cases[i].nanoseconds};
		mpk_timestamp back;
		uint8		body[12];
		char		text[MPK_TIMESTAMP_TEXT + 1];

		check(mpk_timestamp_width(t) == cases[i].width, "timestamp width", cases[i].text);
		for (int width = 4; width <= 12; width += 4)
			if (mpk_timestamp_fits(t, width))
			{
				mpk_timestamp_encode(t, width, body);
				check(mpk_timestamp_decode(body, width, &back) &&
					  mpk_timestamp_compare(t, back) == 0, "timestamp", cases[i].text);
			}
		text[mpk_timestamp_print(t, text)] = '\0';
		check(strcmp(text, cases[i].text) == 0, "timestamp text", cases[i].text);
	}
}

/* The calendar against counting day by day, from 1600 on. */
static void
test_calendar(void)
{
	static const int month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int64		days = mpk_days_from_civil(1600, 1, 1);
	bool		ok = true;

	for (int y = 1600; y < 2400; y++)
		for (int m = 1; m <= 12; m++)
		{
			bool		leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
			int			last = month_days[m - 1] + (m == 2 && leap ? 1 : 0);

			for (int d = 1; d <= last; d++, days++)
			{
				int64		year;
				int			month;
				int			day;

				mpk_civil_from_days(days, &year, &month, &day);
				ok = ok && year == y && month == m && day == d &&
					mpk_days_from_civil(y, m, d) == days;
			}
		}
	check(ok, "calendar", "1600 to 2399");
}

/* Any bytes at any length and alignment: the fast path against one character at a time. */
static void
test_utf8(pg_prng_state *random)
{
	uint8		bytes[80];

	for (int round = 0; round < 20000; round++)
	{
		size_t		length = pg_prng_uint32(random) % 72;
		size_t		at = pg_prng_uint32(random) % 8;
		bool		naive = true;

		for (size_t i = 0; i < length; i++)
			bytes[at + i] = (uint8) (pg_prng_uint32(random) & 0x7f);
		if (length > 2 && (round & 1))
		{
			size_t		where = at + pg_prng_uint32(random) % (length - 1);

			bytes[where] = 0xc3;
			bytes[where + 1] = (round & 2) ? 0xa9 : 0x29;
		}
		for (size_t i = 0; i < length;)
		{
			uint32		codepoint;
			int			n = mpk_utf8_decode(bytes + at + i, bytes + at + length, &codepoint);

			naive = naive && n > 0;
			i += Max(n, 1);
		}
		check(mpk_is_utf8(bytes + at, length) == naive, "utf8", "fast path");
	}
}

/* What the bytes of a code point are, by hand; whether they are UTF-8, by the three checks. */
static void
check_code_point(uint32 codepoint)
{
	uint8		s[36];
	int			n = codepoint < 0x800 ? 2 : codepoint < 0x10000 ? 3 : 4;
	bool		valid = codepoint <= 0x10ffff && (codepoint < 0xd800 || codepoint > 0xdfff);
	uint32		decoded = 0;

	memset(s, 'x', sizeof(s));
	for (int i = n - 1; i > 0; i--)
		s[3 + i] = (uint8) (0x80 | ((codepoint >> (6 * (n - 1 - i))) & 0x3f));
	s[3] = (uint8) ((n == 2 ? 0xc0 : n == 3 ? 0xe0 : 0xf0) | codepoint >> (6 * (n - 1)));
	check(mpk_is_utf8(s, 32) == valid, "utf8", "code point");
	check(mpk_is_utf8_short(s, 32, ((1u << n) - 1) << 3) == valid, "utf8", "short code point");
	check(!mpk_is_utf8_short(s, 2 + n, ((1u << (n - 1)) - 1) << 3), "utf8", "cut code point");
	check((mpk_utf8_decode(s + 3, s + 32, &decoded) == n) == valid &&
		  (!valid || decoded == codepoint), "utf8", "decoded code point");
}

/* A long string, one character at a time. */
static size_t
naive_prefix(const uint8 *s, size_t length)
{
	size_t		valid = 0;
	uint32		codepoint;
	int			n;

	while ((n = mpk_utf8_decode(s + valid, s + length, &codepoint)) > 0)
		valid += n;
	return valid;
}

/*
 * More than what is checked at once, which ends within a character; and a byte
 * that is none, or NUL, at each place around that end.
 */
static void
test_long_utf8(void)
{
	size_t		chunk = 1024 * 1024;
	size_t		length = 2 * chunk + 100;
	uint8	   *s = palloc(length);
	clock_t		start;

	for (size_t i = 0; i < length; i++)
		s[i] = i % 3 == 0 && i + 2 < length ? 0xe2 : i < length / 3 * 3 ? 0x82 : 'x';
	check(mpk_utf8_prefix(s, length) == length, "utf8", "long");
	for (size_t at = chunk - 6; at < chunk + 6; at++)
		for (int i = 0; i < 3; i++)
		{
			uint8		was = s[at];

			s[at] = i == 0 ? 0 : i == 1 ? 0xff : 'x';
			check(mpk_utf8_prefix(s, length) == naive_prefix(s, length), "utf8", "end of a chunk");
			check(mpk_utf8_prefix(s, at + 1) == naive_prefix(s, at + 1), "utf8", "end at a chunk");
			s[at] = was;
		}
	memset(s + 99, 0, length - 99);
	start = clock();
	check(mpk_is_utf8(s, length), "utf8", "many NULs");
	check((clock() - start) / CLOCKS_PER_SEC < 10, "utf8", "many NULs take linear time");
	pfree(s);
}

/* A length that, with the head, is 0 or little in 32 bits: the value is not all there. */
static void
test_length_near_4_gb(void)
{
	static const uint8 types[] = {MPK_BYTE_STR32, MPK_BYTE_BIN32, MPK_BYTE_EXT32};

	for (size_t i = 0; i < lengthof(types); i++)
		for (uint32 less = 0; less < 16; less++)
		{
			uint8		bytes[16] = {types[i]};
			mpk_value	value;

			mpk_store32(bytes + 1, PG_UINT32_MAX - less);
			check(!mpk_read_within(bytes, bytes + 16, &value), "within", "length near 4 GB");
			check(mpk_skip_within(bytes, bytes + 16) == NULL, "within", "end near 4 GB");
		}
}

static void
test_code_points(void)
{
	static const uint32 edges[] = {0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdfff, 0xe000, 0xffff,
	0x10000, 0x3ffff, 0x40000, 0xfffff, 0x100000, 0x10ffff, 0x110000, 0x13ffff};

	for (size_t i = 0; i < lengthof(edges); i++)
		check_code_point(edges[i]);
	for (uint32 codepoint = 0x81; codepoint < 0x120000; codepoint += 61)
		check_code_point(codepoint);
}

/* Maps of every size: distinct keys pass, one key twice anywhere is found. */
static void
test_repeated_keys(pg_prng_state *random)
{
	for (int round = 0; round < 4000; round++)
	{
		uint32		n = 2 + pg_prng_uint32(random) % (round % 10 == 0 ? 300 : 40);
		uint32		twin = pg_prng_uint32(random) % n;
		uint32		of = pg_prng_uint32(random) % n;
		bool		repeat = (round & 1) && twin != of;
		int			padding = (int) (pg_prng_uint32(random) % 24);
		mpk_writer	writer;
		unsigned	flags;
		mpk_error	error;

		mpk_writer_init(&writer, 0);
		mpk_write_map_head(&writer, n);
		for (uint32 i = 0; i < n; i++)
		{
			char		key[80];
			uint32		k = repeat && i == twin ? of : i;

			snprintf(key, sizeof(key), "%.*s%u%.*s", padding, "________________________", k,
					 padding, "abcdefghijklmnopqrstuvwx");
			mpk_write_str(&writer, key, strlen(key));
			mpk_write_nil(&writer);
		}
		check(mpk_validate(mpk_writer_data(&writer), writer.length, &flags, &error) &&
			  flags == (repeat ? MPK_REPEATED_KEYS : 0), "repeated keys", "random map");
		pfree(writer.buffer);
	}
}

/* doc/format.md, "Hashes": these values never change. */
static void
test_hash_vectors(void)
{
	static const struct
	{
		const char *hex;
		uint64		hash;
	}			vectors[] = {
		{"c0", UINT64CONST(0x3C85D9FFFA0E7D65)},
		{"c2", UINT64CONST(0x13E01ECC4FA585FB)},
		{"c3", UINT64CONST(0x15B4FEC2CE0CFDC9)},
		{"00", UINT64CONST(0x250600FC8DD27AF5)},
		{"cb8000000000000000", UINT64CONST(0x250600FC8DD27AF5)},
		{"01", UINT64CONST(0x6AED5E0968D6BC0D)},
		{"cc01", UINT64CONST(0x6AED5E0968D6BC0D)},
		{"cb3ff0000000000000", UINT64CONST(0x6AED5E0968D6BC0D)},
		{"cfffffffffffffffff", UINT64CONST(0xCDBC361F24B6CF2E)},
		{"ff", UINT64CONST(0x8FC07ADC0A279CFB)},
		{"cbc3e0000000000000", UINT64CONST(0x8DB02A8304DA881E)},
		{"cb3fb999999999999a", UINT64CONST(0x5ADB987D8E44285C)},
		{"ca3f000000", UINT64CONST(0xC28F41696280F1B1)},
		{"cb7ff8000000000001", UINT64CONST(0x8DC3B62D29112571)},
		{"cb7e37e43c8800759c", UINT64CONST(0x1E7F983FAF17C65D)},
		{"a0", UINT64CONST(0x9C557AC7C81EBAD9)},
		{"a161", UINT64CONST(0x7205B9EAA29BE2F6)},
		{"a3616263", UINT64CONST(0x822E9E8FB69F6C28)},
		{"a461626364", UINT64CONST(0xA2D96BF479E29E98)},
		{"a761626364656667", UINT64CONST(0x8DA06711D4415ED9)},
		{"a86162636465666768", UINT64CONST(0x4AF1E865DB64C832)},
		{"b46162636465666768696a6b6c6d6e6f7071727374", UINT64CONST(0x286FEE1E46A5BD58)},
		{"c40161", UINT64CONST(0xBD14EACA5F005794)},
		{"d6ff00000001", UINT64CONST(0x528EB0F9A05A1EE0)},
		{"c70cff000000000000000000000001", UINT64CONST(0x528EB0F9A05A1EE0)},
		{"d7ff7735940000000001", UINT64CONST(0xDF0790E7FF2DF870)},
		{"c70005", UINT64CONST(0x10966D1C34B53765)},
		{"d4fe00", UINT64CONST(0x018A811FF39E9ED6)},
	};

	for (size_t i = 0; i < lengthof(vectors); i++)
	{
		size_t		length;
		uint8	   *bytes = from_hex(vectors[i].hex, &length);
		mpk_value	value;

		mpk_read(bytes, &value);
		check(mpk_hash_scalar(&value) == vectors[i].hash, "hash vector", vectors[i].hex);
		pfree(bytes);
	}
}

/*
 * One byte that is not UTF-8, at every place of a string of every short length,
 * as a key or a value; alone, and as the first of an array that goes on.
 */
static void
check_utf8_place(bool as_key, size_t length, size_t place)
{
	uint8		bytes[80] = {0xdc, 0x00, 33};
	uint8	   *document = bytes + 3;
	uint8	   *string = document + (as_key ? 1 : 0);
	uint8	   *end = string + 1 + length + (as_key ? 1 : 0);
	unsigned	expected = place < length ? MPK_INVALID_UTF8 : 0;
	unsigned	flags;

	memset(document, 0x01, sizeof(bytes) - 3);
	document[0] = 0x81;
	string[0] = MPK_FIXSTR | (uint8) length;
	/* beyond the string it is another integer */
	string[1 + place] = 0xf8;

	check(mpk_validate(document, end - document, &flags, NULL) && flags == expected,
		  "utf8 at every place", as_key ? "key" : "value");
	check(mpk_validate(bytes, end - bytes + 32, &flags, NULL) && flags == expected,
		  "utf8 at every place, more after it", as_key ? "key" : "value");
}

static void
test_utf8_places(void)
{
	for (size_t length = 0; length < 32; length++)
		for (size_t place = 0; place <= length; place++)
		{
			check_utf8_place(true, length, place);
			check_utf8_place(false, length, place);
		}
}

int
main(void)
{
	pg_prng_state random;

	pg_prng_seed(&random, 20261130);
	test_verdicts();
	test_depth();
	test_first_bytes();
	test_integers();
	test_heads();
	test_short_strs();
	test_overflow();
	test_numbers();
	test_timestamps();
	test_calendar();
	test_utf8(&random);
	test_utf8_places();
	test_long_utf8();
	test_length_near_4_gb();
	test_code_points();
	test_repeated_keys(&random);
	test_hash_vectors();
	return finish();
}
