/*
 * text_test.c
 *		The text form against hand-made tables, random values, and the C library's floats.
 *
 * The random generator is seeded with a constant: a failure repeats.
 */
#include "codec/error.h"
#include "codec/format.h"
#include "codec/validate.h"
#include "codec/write.h"
#include "document/text.h"

#include <math.h>

#include "common/pg_prng.h"
#include "common/shortest_dec.h"

#include "counting.h"


static void
check(bool ok, const char *what, const char *detail)
{
	if (failed_check(ok))
		printf("FAILED %s: %s\n", what, detail);
}

/* ---- helpers ---- */

static char *
to_hex(const uint8 *bytes, size_t length)
{
	char	   *hex = palloc(2 * length + 1);

	for (size_t i = 0; i < length; i++)
		sprintf(hex + 2 * i, "%02x", bytes[i]);
	hex[2 * length] = '\0';
	return hex;
}

/* Input lies in chunks of exactly its size, so that valgrind sees overruns. */
static uint8 *
exact_copy(const void *bytes, size_t length)
{
	uint8	   *copy = palloc(Max(length, 1));

	memcpy(copy, bytes, length);
	return copy;
}

/* NUL-terminated text of a payload, or NULL. */
static char *
print(const uint8 *payload, size_t length, unsigned flags, const mpk_text_style *style)
{
	uint8	   *bytes = exact_copy(payload, length);
	mpk_text	text;
	bool		printed;

	mpk_text_init(&text, 0, 1);
	printed = mpk_print(&text, bytes, bytes + length, flags, style);
	pfree(bytes);
	if (!printed)
		return NULL;
	mpk_text_data(&text)[text.length] = '\0';
	return text.buffer;
}

static bool
parse(const char *s, size_t length, mpk_writer *writer, unsigned *flags, mpk_error *error)
{
	uint8	   *text = exact_copy(s, length);
	bool		parsed;

	mpk_writer_init(writer, 0);
	parsed = mpk_parse_text(text, length, writer, flags, error);
	pfree(text);
	return parsed;
}

static const mpk_text_style exact = {.marks = true};
static const mpk_text_style readable = {0};
static const mpk_text_style pretty = {.pretty = true};

/* ---- tables ---- */

/* Text, the bytes it means, and the text that these print as (NULL: the same). */
typedef struct meaning
{
	const char *text;
	const char *hex;
	const char *printed;
} meaning;

static const meaning meanings[] = {
	{"null", "c0", NULL}, {"true", "c3", NULL}, {"false", "c2", NULL},
	{" \t\r\n1 ", "01", "1"}, {"-0", "00", "0"}, {"-1", "ff", NULL}, {"-32", "e0", NULL},
	{"-33", "d0df", NULL}, {"127", "7f", NULL}, {"128", "cc80", NULL}, {"255", "ccff", NULL},
	{"256", "cd0100", NULL}, {"65536", "ce00010000", NULL}, {"-129", "d1ff7f", NULL},
	{"-32769", "d2ffff7fff", NULL}, {"4294967296", "cf0000000100000000", NULL},
	{"-2147483649", "d3ffffffff7fffffff", NULL},
	{"18446744073709551615", "cfffffffffffffffff", NULL},
	{"-9223372036854775808", "d38000000000000000", NULL},
	{"100000000000000000000", "cb4415af1d78b58c40", "1e+20"},
	{"-100000000000000000000", "cbc415af1d78b58c40", "-1e+20"},
	{"1e20", "cb4415af1d78b58c40", "1e+20"}, {"1.0", "cb3ff0000000000000", NULL},
	{"1E0", "cb3ff0000000000000", "1.0"}, {"-0.0", "cb8000000000000000", NULL},
	{"1.5_f32", "ca3fc00000", NULL}, {"1_f32", "ca3f800000", "1.0_f32"},
	{"1_f64", "cb3ff0000000000000", "1.0"}, {"NaN", "cb7ff8000000000000", NULL},
	{"-Infinity_f32", "caff800000", NULL}, {"float'7ff8000000000001'", "cb7ff8000000000001", NULL},
	{"float`FFC00000`", "caffc00000", "float'ffc00000'"}, {"5e-324", "cb0000000000000001", NULL},
	{"7_u8", "cc07", NULL}, {"7_i64", "d30000000000000007", NULL}, {"-7_i16", "d1fff9", NULL},
	{"200_u8", "ccc8", "200"}, {"-0_u8", "cc00", "0_u8"},
	{"\"\"", "a0", NULL}, {"\"a\\u0000b\"", "a3610062", NULL},
	{"\"\\ud83d\\ude00\\/\"", "a5f09f98802f", "\"\xf0\x9f\x98\x80/\""},
	{"\"\\b\\f\\n\\r\\t\\\"\\\\\\u001f\"", "a8080c0a0d09225c1f", NULL},
	{"\"0123456789012345678901234567890\"",
	"bf30313233343536373839303132333435363738393031323334353637383930", NULL},
	{"\"01234567890123456789012345678901\"",
	"d9203031323334353637383930313233343536373839303132333435363738393031", NULL},
	{"\"a\"_8", "d90161", NULL}, {"\"a\"_32", "db0000000161", NULL},
	{"str'fffe'", "a2fffe", NULL}, {"str'61'_16", "da000161", "\"a\"_16"},
	{"h''", "c400", NULL}, {"h'00 fF'", "c40200ff", "h'00ff'"}, {"'a b'", "c403612062", NULL},
	{"h'27'", "c40127", NULL}, {"h'c285'", "c402c285", NULL}, {"'\xc3\xa9'_16", "c50002c3a9", NULL},
	{"b64'AP8='", "c40200ff", "h'00ff'"}, {"b64`_-8`", "c402ffef", "h'ffef'"},
	{"ext(5, h'00ff')", "d50500ff", NULL}, {"ext( -128 , '' )", "c70080", "ext(-128, h'')"},
	{"ext(1, h'00')_8", "c7010100", NULL},
	{"ext(1, h'000102')_8", "c70301000102", "ext(1, h'000102')"},
	{"ext(-1, h'00000000')", "d6ff00000000", "DT'1970-01-01T00:00:00Z'"},
	{"ext(-1, h'00000000')_8", "c704ff00000000", NULL},
	{"ext(-1, h'ee6b280000000000')", "d7ffee6b280000000000", NULL},
	{"DT'2026-11-30T17:13:31.5Z'", "d7ff773594006b0daebb", NULL},
	{"DT'1970-01-01T00:00:00Z'_96", "c70cff000000000000000000000000", NULL},
	{"DT`1970-01-01T01:00:00+01:00`_64", "d7ff0000000000000000", "DT'1970-01-01T00:00:00Z'_64"},
	{"DT'9999-12-31T23:59:59.999999999Z'", "c70cff3b9ac9ff0000003afff4417f", NULL},
	{"DT'9999-12-31T23:59:59-00:01'",
	"c70cff000000000000003afff441bb", "ext(-1, h'000000000000003afff441bb')"},
	{"DT'0001-01-01T00:00:00Z'", "c70cff00000000fffffff1886e0900", NULL},
	{"DT'2024-02-29T00:00:00Z'", "d6ff65dfc900", NULL},
	{"[]", "90", NULL}, {"[_16]", "dc0000", NULL}, {"[_32 1]", "dd0000000101", NULL},
	{"{}", "80", NULL}, {"{_32}", "df00000000", NULL}, {"{_16 1: [{}]}", "de0001019180", NULL},
	{"[1,[2,[3]]]", "920192029103", "[1, [2, [3]]]"},
	{"{\"a\":1,\"b\":2,\"a\":3}", "82a16103a16202", "{\"a\": 3, \"b\": 2}"},
	{"{\"a\":1,\"a\"_8:2}", "81a16102", "{\"a\": 2}"},
	{"{_dup \"a\": 1, \"a\": 2}", "82a16101a16102", NULL},
	{"{_16_dup 1: 1, 1: 2}", "de000201010102", NULL},
	{"{_dup \"a\": 1}", "81a16101", "{\"a\": 1}"},
	{"{1: 2, 1.0: 3}", "820102cb3ff000000000000003", "{_dup 1: 2, 1.0: 3}"},
	{"{\"a\": {\"b\":1,\"b\":2}, [1]: 0, [1.0]: 1}",
	"83a16181a16202910100" "91cb3ff000000000000001", "{_dup \"a\": {\"b\": 2}, [1]: 0, [1.0]: 1}"},
	{"{null: 1, 'k': 2, \"k\": 3}", "83c001c4016b02a16b03", NULL},
};

static void
test_meanings(void)
{
	for (size_t i = 0; i < lengthof(meanings); i++)
	{
		const meaning *m = &meanings[i];
		mpk_writer	writer;
		unsigned	flags = 0;
		unsigned	found = 0;
		mpk_error	error;

		if (!parse(m->text, strlen(m->text), &writer, &flags, &error))
		{
			check(false, "parses", m->text);
			continue;
		}
		check(strcmp(to_hex(mpk_writer_data(&writer), writer.length), m->hex) == 0, "means",
			  psprintf("%s is %s", m->text, to_hex(mpk_writer_data(&writer), writer.length)));
		check(mpk_validate(mpk_writer_data(&writer), writer.length, &found, &error) &&
			  found == flags, "flags", m->text);
		/* keys that are containers: the printer compares them when it may */
		if (flags & MPK_COMPOUND_KEYS)
			flags |= MPK_REPEATED_KEYS;
		check(strcmp(print(mpk_writer_data(&writer), writer.length, flags, &exact),
					 m->printed ? m->printed : m->text) == 0, "prints",
			  psprintf("%s as %s", m->text,
					   print(mpk_writer_data(&writer), writer.length, flags, &exact)));
	}
}

/* Text, what is wrong with it, and at which byte. */
typedef struct fault
{
	const char *text;
	mpk_errcode code;
	size_t		offset;
} fault;

static const fault faults[] = {
	{"", MPK_ERR_TEXT_SYNTAX, 0}, {"  ", MPK_ERR_TEXT_SYNTAX, 2}, {"nul", MPK_ERR_TEXT_SYNTAX, 0},
	{"nulll", MPK_ERR_TEXT_TRAILING, 4}, {"1 2", MPK_ERR_TEXT_TRAILING, 2},
	{"01", MPK_ERR_TEXT_SYNTAX, 1}, {"+1", MPK_ERR_TEXT_SYNTAX, 0}, {".5", MPK_ERR_TEXT_SYNTAX, 0},
	{"1.", MPK_ERR_TEXT_SYNTAX, 2}, {"1.e1", MPK_ERR_TEXT_SYNTAX, 2},
	{"1e", MPK_ERR_TEXT_SYNTAX, 2},
	{"1e+", MPK_ERR_TEXT_SYNTAX, 3}, {"-", MPK_ERR_TEXT_SYNTAX, 1},
	{"-NaN", MPK_ERR_TEXT_SYNTAX, 1},
	{"0x1", MPK_ERR_TEXT_TRAILING, 1}, {"1_8", MPK_ERR_TEXT_SYNTAX, 1},
	{"1.0_u8", MPK_ERR_TEXT_SYNTAX, 3}, {"1_u88", MPK_ERR_TEXT_SYNTAX, 1},
	{"18446744073709551616", MPK_ERR_TEXT_RANGE, 0},
	{"-9223372036854775809", MPK_ERR_TEXT_RANGE, 0},
	{"[123456789012345678901]", MPK_ERR_TEXT_RANGE, 1}, {"1e400", MPK_ERR_TEXT_RANGE, 0},
	{"-1e-400", MPK_ERR_TEXT_RANGE, 0}, {"1e39_f32", MPK_ERR_TEXT_RANGE, 0},
	{"1e99999999999999999999", MPK_ERR_TEXT_RANGE, 0},
	{"256_u8", MPK_ERR_TEXT_RANGE, 0}, {"-1_u64", MPK_ERR_TEXT_RANGE, 0},
	{"128_i8", MPK_ERR_TEXT_RANGE, 0}, {"-129_i8", MPK_ERR_TEXT_RANGE, 0},
	{"9223372036854775808_i64", MPK_ERR_TEXT_RANGE, 0},
	{"\"abc", MPK_ERR_TEXT_SYNTAX, 4}, {"\"abc\\", MPK_ERR_TEXT_SYNTAX, 5},
	{"\"a\\x\"", MPK_ERR_TEXT_SYNTAX, 3}, {"\"a\nb\"", MPK_ERR_TEXT_SYNTAX, 2},
	{"\"\\u12\"", MPK_ERR_TEXT_SYNTAX, 5}, {"\"\\ud800\"", MPK_ERR_TEXT_SYNTAX, 7},
	{"\"\\ud800\\u0041\"", MPK_ERR_TEXT_SYNTAX, 7}, {"\"\\udc00\"", MPK_ERR_TEXT_SYNTAX, 1},
	{"\"a\\\xff\"", MPK_ERR_TEXT_ENCODING, 3}, {"\"ab\xff\"", MPK_ERR_TEXT_ENCODING, 3},
	{"\"\xed\xa0\x80\"", MPK_ERR_TEXT_ENCODING, 1}, {"'\xc0\xaf'", MPK_ERR_TEXT_ENCODING, 1},
	{"[", MPK_ERR_TEXT_SYNTAX, 1}, {"[1", MPK_ERR_TEXT_SYNTAX, 2}, {"[1,]", MPK_ERR_TEXT_SYNTAX, 3},
	{"[1}", MPK_ERR_TEXT_SYNTAX, 2}, {"[1 2]", MPK_ERR_TEXT_SYNTAX, 3},
	{"]", MPK_ERR_TEXT_SYNTAX, 0},
	{"{1}", MPK_ERR_TEXT_SYNTAX, 2}, {"{1:}", MPK_ERR_TEXT_SYNTAX, 3},
	{"{1:2,}", MPK_ERR_TEXT_SYNTAX, 5},
	{"{,}", MPK_ERR_TEXT_SYNTAX, 1}, {"[_dup 1]", MPK_ERR_TEXT_SYNTAX, 1},
	{"[_161]", MPK_ERR_TEXT_SYNTAX, 1},
	{"{_8}", MPK_ERR_TEXT_SYNTAX, 1}, {"h'0'", MPK_ERR_TEXT_SYNTAX, 3},
	{"h'0g'", MPK_ERR_TEXT_SYNTAX, 3},
	{"h'00`", MPK_ERR_TEXT_SYNTAX, 4}, {"h\"00\"", MPK_ERR_TEXT_SYNTAX, 0},
	{"'a", MPK_ERR_TEXT_SYNTAX, 2},
	{"'a\\'", MPK_ERR_TEXT_SYNTAX, 2}, {"b64'A'", MPK_ERR_TEXT_SYNTAX, 5},
	{"b64'AB'", MPK_ERR_TEXT_SYNTAX, 6},
	{"b64'AA=A'", MPK_ERR_TEXT_SYNTAX, 7}, {"float'7ff8'", MPK_ERR_TEXT_SYNTAX, 6},
	{"ext(128, h'')", MPK_ERR_TEXT_RANGE, 4}, {"ext(-129, h'')", MPK_ERR_TEXT_RANGE, 4},
	{"ext(1)", MPK_ERR_TEXT_SYNTAX, 5}, {"ext(1, 2)", MPK_ERR_TEXT_SYNTAX, 7},
	{"ext(1, h''", MPK_ERR_TEXT_SYNTAX, 10},
	{"DT'2026-11-30'", MPK_ERR_TEXT_SYNTAX, 13},
	{"DT'2026-11-30T17:13:60Z'", MPK_ERR_TEXT_RANGE, 20},
	{"DT'2026-11-30T24:00:00Z'", MPK_ERR_TEXT_RANGE, 14},
	{"DT'2025-02-29T00:00:00Z'", MPK_ERR_TEXT_RANGE, 11},
	{"DT'0000-01-01T00:00:00Z'", MPK_ERR_TEXT_RANGE, 3},
	{"DT'2026-13-01T00:00:00Z'", MPK_ERR_TEXT_RANGE, 8},
	{"DT'2026-11-30T17:13:31.Z'", MPK_ERR_TEXT_SYNTAX, 23},
	{"DT'2026-11-30T17:13:31.1234567890Z'", MPK_ERR_TEXT_SYNTAX, 32},
	{"DT'2026-11-30T17:13:31'", MPK_ERR_TEXT_SYNTAX, 22},
	{"DT'2026-11-30T17:13:31+2:00'", MPK_ERR_TEXT_SYNTAX, 24},
	{"DT'2026-11-30T17:13:31.5Z'_32", MPK_ERR_TEXT_RANGE, 3},
	{"DT'1969-11-30T17:13:31Z'_64", MPK_ERR_TEXT_RANGE, 3},
	{"\\x00", MPK_ERR_TEXT_SYNTAX, 0}, {"True", MPK_ERR_TEXT_SYNTAX, 0},
	{"falsy", MPK_ERR_TEXT_SYNTAX, 0},
	{"flo", MPK_ERR_TEXT_SYNTAX, 0}, {"Inf", MPK_ERR_TEXT_SYNTAX, 0},
};

static void
test_faults(void)
{
	for (size_t i = 0; i < lengthof(faults); i++)
	{
		const fault *f = &faults[i];
		mpk_writer	writer;
		unsigned	flags;
		mpk_error	error = {MPK_OK, 0, NULL};
		bool		parsed = parse(f->text, strlen(f->text), &writer, &flags, &error);

		check(!parsed && error.code == f->code && error.offset == f->offset, "fault",
			  psprintf("%s: code %d at %zu, expected %s", f->text, error.code, error.offset,
					   error.expected ? error.expected : "(nothing)"));
		check(parsed || error.code == MPK_ERR_TEXT_ENCODING || error.expected != NULL,
			  "fault says what was expected", f->text);
	}
}

/* The same faults at every distance from the start of the text. */
static void
test_later_faults(void)
{
	for (size_t i = 0; i < lengthof(faults); i++)
	{
		const fault *f = &faults[i];

		if (f->code == MPK_ERR_TEXT_TRAILING)
			continue;			/* is another fault in an array */
		for (size_t before = 4; before < 200; before += 3)
		{
			char	   *text = palloc(before + strlen(f->text) + 1);
			mpk_writer	writer;
			unsigned	flags;
			mpk_error	error = {MPK_OK, 0, NULL};

			text[0] = '[';
			for (size_t at = 1; at < before; at += 3)
				memcpy(text + at, "1, ", 3);
			strcpy(text + before, f->text);
			check(!parse(text, strlen(text), &writer, &flags, &error) && error.code == f->code &&
				  error.offset == before + f->offset, "later fault",
				  psprintf("%s: code %d at %zu", text, error.code, error.offset));
			pfree(writer.buffer);
			pfree(text);
		}
	}
}

static void
test_limits(void)
{
	char	   *deep = palloc(2 * MPK_MAX_DEPTH + 3);
	mpk_writer	writer;
	unsigned	flags;
	mpk_error	error;

	memset(deep, '[', MPK_MAX_DEPTH + 1);
	memset(deep + MPK_MAX_DEPTH + 1, ']', MPK_MAX_DEPTH + 1);
	check(!parse(deep, 2 * MPK_MAX_DEPTH + 2, &writer, &flags, &error) &&
		  error.code == MPK_ERR_TEXT_TOO_DEEP && error.offset == MPK_MAX_DEPTH, "too deep", "1025");
	check(parse(deep + 1, 2 * MPK_MAX_DEPTH, &writer, &flags, &error) &&
		  writer.length == MPK_MAX_DEPTH, "deep enough", "1024");
	check(strlen(print(mpk_writer_data(&writer), writer.length, 0, &exact)) == 2 * MPK_MAX_DEPTH,
		  "deep enough", "printed");
}

/* ---- styles ---- */

static bool
holds_latin1(const uint8 *character, int length, void *arg)
{
	(void) arg;
	return length == 2 && character[0] <= 0xc3;
}

static void
test_styles(void)
{
	static const uint8 bytes[] = {
		0xdc, 0x00, 0x02,		/* [_16 */
		0xcc, 0x07,				/* 7_u8 */
		0x83,					/* { */
		0xa2, 0xc3, 0xa9, 0x90, /* "é": [] */
		0xd9, 0x03, 0xe2, 0x82, 0xac, 0x80, /* "€"_8: {} */
		0xa5, 0xf0, 0x9f, 0x98, 0x80, '"',	/* "😀\"" */
		0xc4, 0x03, 0xe2, 0x82, 0xac	/* bin of "€" */
	};
	mpk_text_style latin1 = {.marks = true, .holds = holds_latin1};

	check(strcmp(print(bytes, sizeof(bytes), 0, &exact),
				 "[_16 7_u8, {\"\xc3\xa9\": [], \"\xe2\x82\xac\"_8: {}, "
				 "\"\xf0\x9f\x98\x80\\\"\": '\xe2\x82\xac'}]") == 0, "style", "exact");
	check(strcmp(print(bytes, sizeof(bytes), 0, &readable),
				 "[7, {\"\xc3\xa9\": [], \"\xe2\x82\xac\": {}, "
				 "\"\xf0\x9f\x98\x80\\\"\": '\xe2\x82\xac'}]") == 0, "style", "readable");
	check(strcmp(print(bytes, sizeof(bytes), 0, &latin1),
				 "[_16 7_u8, {\"\xc3\xa9\": [], \"\\u20ac\"_8: {}, "
				 "\"\\ud83d\\ude00\\\"\": h'e282ac'}]") == 0, "style", "latin1");
	check(strcmp(print(bytes, sizeof(bytes), 0, &pretty),
				 "[\n    7,\n    {\n        \"\xc3\xa9\": [\n        ],\n"
				 "        \"\xe2\x82\xac\": {\n"
				 "        },\n        \"\xf0\x9f\x98\x80\\\"\": '\xe2\x82\xac'\n    }\n]") == 0,
		  "style", "pretty");
}

/* ---- floats ---- */

static mpk_value
float64_value(const uint8 *bytes)
{
	mpk_value	value;

	mpk_read(bytes, &value);
	return value;
}

/* What the printer writes is what the general routine does, and no shorter path differs. */
static void
check_float64(uint64 bits)
{
	uint8		bytes[9];
	mpk_value	value;
	char		mine[MPK_FLOAT_TEXT + 1];
	char		general[DOUBLE_SHORTEST_DECIMAL_LEN + 2];
	char		digits[MPK_FLOAT_DIGITS + 1];
	mpk_writer	writer;
	unsigned	flags;
	mpk_error	error;

	bytes[0] = MPK_BYTE_FLOAT64;
	mpk_store64(bytes + 1, bits);
	value = float64_value(bytes);
	mine[mpk_print_float(&value, mine)] = '\0';
	if (isfinite(value.as.f64))
	{
		double_to_shortest_decimal_buf(value.as.f64, general);
		if (strpbrk(general, ".e") == NULL)
			strcat(general, ".0");
		check(strcmp(mine, general) == 0, "float is shortest", mine);
		digits[mpk_print_float_digits(&value, digits)] = '\0';
		check(strtod(digits, NULL) == value.as.f64 && strchr(digits, 'e') == NULL &&
			  strchr(digits, '.') != NULL, "float digits", digits);
	}
	check(parse(mine, strlen(mine), &writer, &flags, &error) && writer.length == 9 &&
		  memcmp(mpk_writer_data(&writer), bytes, 9) == 0, "float comes back", mine);
	pfree(writer.buffer);
}

static void
check_float32(uint32 bits)
{
	uint8		bytes[5];
	mpk_value	value;
	char		text[MPK_FLOAT_TEXT + 5];
	char		digits[MPK_FLOAT_DIGITS + 1];
	int			n;
	mpk_writer	writer;
	unsigned	flags;
	mpk_error	error;

	bytes[0] = MPK_BYTE_FLOAT32;
	mpk_store32(bytes + 1, bits);
	mpk_read(bytes, &value);
	n = mpk_print_float(&value, text);
	strcpy(text + n, text[0] == 'f' ? "" : "_f32");
	if (isfinite(value.as.f32))
	{
		digits[mpk_print_float_digits(&value, digits)] = '\0';
		check(strtof(digits, NULL) == value.as.f32 && strchr(digits, 'e') == NULL &&
			  strchr(digits, '.') != NULL, "float 32 digits", digits);
	}
	check(parse(text, strlen(text), &writer, &flags, &error) && writer.length == 5 &&
		  memcmp(mpk_writer_data(&writer), bytes, 5) == 0, "float 32 comes back", text);
	pfree(writer.buffer);
}

/* Decimals are read as the C library reads them. */
static void
check_decimal(const char *s)
{
	double		expected = strtod(s, NULL);
	double		got = 0;
	uint64		bits;
	mpk_writer	writer;
	unsigned	flags;
	mpk_error	error;
	char	   *marked = psprintf("%s_f64", s);

	/* a mark is nothing for the fast path */
	for (int i = 0; i < 2; i++)
	{
		const char *text = i == 0 ? s : marked;

		if (!parse(text, strlen(text), &writer, &flags, &error) || writer.length != 9)
			check(false, "decimal parses", s);
		else
		{
			bits = mpk_load64(mpk_writer_data(&writer) + 1);
			memcpy(&got, &bits, sizeof(got));
			check(memcmp(&got, &expected, sizeof(got)) == 0, "decimal", s);
		}
		pfree(writer.buffer);
	}
	pfree(marked);
}

static void
test_floats(pg_prng_state *prng)
{
	for (int i = 0; i < 1000000; i++)
	{
		uint64		bits = pg_prng_uint64(prng);

		check_float64(bits);
		if (i % 4 == 0)
			check_float32((uint32) (bits >> 16));
	}
	/* short decimals, which the printer's fast path is for, and their neighbours */
	for (int i = 0; i < 300000; i++)
	{
		double		v = (double) (int64) (pg_prng_uint64(prng) >> (10 + i % 54)) /
			pow(10, (double) (pg_prng_uint64(prng) % 9));
		uint64		bits;

		memcpy(&bits, &v, sizeof(bits));
		check_float64(bits);
		check_float64(bits + 1);
		check_float64(bits | UINT64CONST(1) << 63);
	}
	for (int i = 0; i < 300000; i++)
	{
		uint64		m = pg_prng_uint64(prng) >> (pg_prng_uint64(prng) % 64);
		char		s[64];

		snprintf(s, sizeof(s), "%s" UINT64_FORMAT ".%0*u", i % 2 ? "-" : "",
				 m >> (i % 64), (int) (1 + m % 20), (unsigned int) (m % 1000003));
		check_decimal(s);
		snprintf(s, sizeof(s), UINT64_FORMAT "e%d", m, (int) (m % 600) - 310);
		if (strtod(s, NULL) != 0 && isfinite(strtod(s, NULL)))
			check_decimal(s);
	}
	check_decimal("0.1000000000000000055511151231257827021181583404541015625");
	check_decimal("9007199254740993.0");
	check_decimal("9007199254740992999999999999999999999999999.0000000001");
	check_decimal("2.2250738585072011e-308");
}

/* ---- random values ---- */

static uint8
random_byte(pg_prng_state *prng)
{
	return (uint8) pg_prng_uint64(prng);
}

/* A head of str, bin or ext, or a count, in one of its widths. */
static void
random_length(pg_prng_state *prng, mpk_writer *w, uint8 first, int widths, uint32 length)
{
	uint8		head[5];
	int			width = (int) (pg_prng_uint64(prng) % widths);
	int			bytes = widths == 3 ? 1 << width : 2 << width;

	head[0] = first + width;
	for (int i = bytes; i > 0; i--, length >>= 8)
		head[i] = (uint8) length;
	mpk_write_raw(w, head, 1 + bytes);
}

static void
random_bytes(pg_prng_state *prng, mpk_writer *w, uint32 length)
{
	static const char *const pieces[] = {"a", "Z", " ", "\"", "\\", "'", "\n", "\x7f", "\xc3\xa9",
	"\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xc2\x85", "\xef\xbf\xbf", "0123456789abcdef"};
	const char *piece;
	uint8		any;

	while (length > 0)
	{
		piece = pieces[pg_prng_uint64(prng) % lengthof(pieces)];
		if (pg_prng_uint64(prng) % 64 == 0 || strlen(piece) > length)
		{
			any = pg_prng_uint64(prng) % 4 ? 'x' : random_byte(prng);
			mpk_write_raw(w, &any, 1);
			length--;
		}
		else
		{
			mpk_write_raw(w, piece, strlen(piece));
			length -= strlen(piece);
		}
	}
}

static void
random_scalar(pg_prng_state *prng, mpk_writer *w)
{
	static const uint8 sizes[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8};	/* ca to d3 */
	uint8		bytes[18];
	uint32		length = (uint32) (pg_prng_uint64(prng) % (pg_prng_uint64(prng) % 8 ? 20 : 300));
	unsigned	which;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = pg_prng_uint64(prng) % 3 ? random_byte(prng) :
			pg_prng_uint64(prng) % 2 ? 0 : 0xff;
	switch (pg_prng_uint64(prng) % 10)
	{
		case 0:
			bytes[0] = (uint8) (MPK_BYTE_NIL + (pg_prng_uint64(prng) % 2 ? 0 : 2 + bytes[1] % 2));
			mpk_write_raw(w, bytes, 1);
			return;
		case 1:
			bytes[0] = pg_prng_uint64(prng) % 2 ? bytes[0] & 0x7f : bytes[0] | 0xe0;
			mpk_write_raw(w, bytes, 1);
			return;
		case 2:
		case 3:
			which = pg_prng_uint64(prng) % lengthof(sizes);
			bytes[0] = (uint8) (MPK_BYTE_FLOAT32 + which);
			mpk_write_raw(w, bytes, 1 + sizes[which]);
			return;
		case 4:
			which = pg_prng_uint64(prng) % 5;
			bytes[0] = (uint8) (MPK_BYTE_FIXEXT1 + which);
			if (pg_prng_uint64(prng) % 2)
				bytes[1] = 0xff;
			mpk_write_raw(w, bytes, 2 + (1 << which));
			return;
		case 5:
			length = pg_prng_uint64(prng) % 2 ? 12 : length % 256;
			random_length(prng, w, MPK_BYTE_EXT8, 3, length);
			bytes[0] = pg_prng_uint64(prng) % 2 ? 0xff : bytes[0];
			mpk_write_raw(w, bytes, 1);
			break;
		case 6:
			random_length(prng, w, MPK_BYTE_BIN8, 3, length % 256);
			length %= 256;
			break;
		case 7:
			random_length(prng, w, MPK_BYTE_STR8, 3, length % 256);
			length %= 256;
			break;
		default:
			length %= 32;
			bytes[0] = (uint8) (MPK_FIXSTR | length);
			mpk_write_raw(w, bytes, 1);
	}
	random_bytes(prng, w, length);
}

static void
random_value(pg_prng_state *prng, mpk_writer *w, int depth)
{
	uint32		count;
	bool		map;
	uint8		head;

	if (depth == 0 || pg_prng_uint64(prng) % 3)
	{
		random_scalar(prng, w);
		return;
	}
	count = (uint32) (pg_prng_uint64(prng) % (pg_prng_uint64(prng) % 8 ? 6 : 40));
	map = pg_prng_uint64(prng) % 2;
	if (count < 16 && pg_prng_uint64(prng) % 4)
	{
		head = (uint8) ((map ? MPK_FIXMAP : MPK_FIXARRAY) | count);
		mpk_write_raw(w, &head, 1);
	}
	else
		random_length(prng, w, map ? MPK_BYTE_MAP16 : MPK_BYTE_ARRAY16, 2, count);
	for (uint32 i = 0; i < count << map; i++)
		random_value(prng, w, depth - 1);
}

static unsigned
all_flags(const uint8 *payload, size_t length)
{
	unsigned	flags = 0;
	mpk_error	error;

	if (!mpk_validate(payload, length, &flags, &error))
	{
		check(false, "random value is valid", to_hex(payload, length));
		exit(1);
	}
	return flags;
}

/* Text that was damaged here or there may be anything, but never breaks the parser. */
static void
check_damaged(pg_prng_state *prng, const char *text)
{
	static const char bytes[] = "[]{},:\"'`\\_0-eEhx \x80\xff";
	size_t		length = strlen(text);
	char	   *damaged = pstrdup(text);
	mpk_writer	writer;
	unsigned	flags;
	mpk_error	error = {MPK_OK, 0, NULL};

	damaged[pg_prng_uint64(prng) % length] = bytes[pg_prng_uint64(prng) % strlen(bytes)];
	if (pg_prng_uint64(prng) % 2)
		length = pg_prng_uint64(prng) % (length + 1);
	if (parse(damaged, length, &writer, &flags, &error))
		check(all_flags(mpk_writer_data(&writer), writer.length) == flags, "damaged", damaged);
	else
		check(error.code >= MPK_ERR_TEXT_SYNTAX && error.offset <= length, "damaged", damaged);
	pfree(writer.buffer);
	pfree(damaged);
}

static void
check_round_trip(pg_prng_state *prng, const uint8 *payload, size_t length)
{
	unsigned	flags = all_flags(payload, length);
	unsigned	print_flags = flags & MPK_COMPOUND_KEYS ? flags | MPK_REPEATED_KEYS : flags;
	char	   *text = print(payload, length, print_flags, &exact);
	char	   *plain = print(payload, length, print_flags, &readable);
	char	   *lines = print(payload, length, print_flags, &pretty);
	mpk_writer	writer;
	mpk_writer	again;
	unsigned	parsed_flags = 0;
	mpk_error	error;

	if (!parse(text, strlen(text), &writer, &parsed_flags, &error))
		check(false, "random value parses", text);
	else
	{
		check(writer.length == length && memcmp(mpk_writer_data(&writer), payload, length) == 0,
			  "random value comes back", text);
		check(parsed_flags == flags, "random value's flags", text);
	}
	pfree(writer.buffer);

	/* the forms for reading say the same as each other */
	if (!parse(plain, strlen(plain), &writer, &parsed_flags, &error) ||
		!parse(lines, strlen(lines), &again, &parsed_flags, &error))
		check(false, "readable form parses", plain);
	else
	{
		check(writer.length == again.length &&
			  memcmp(mpk_writer_data(&writer), mpk_writer_data(&again), writer.length) == 0,
			  "pretty form", lines);
		pfree(again.buffer);
	}
	pfree(writer.buffer);
	check_damaged(prng, text);
	pfree(text);
	pfree(plain);
	pfree(lines);
}

static void
test_random_values(pg_prng_state *prng)
{
	for (int i = 0; i < 100000; i++)
	{
		mpk_writer	writer;

		mpk_writer_init(&writer, 64);
		random_value(prng, &writer, i % 5);
		check_round_trip(prng, mpk_writer_data(&writer), writer.length);
		pfree(writer.buffer);
	}
}

/* ---- repeated keys ---- */

/* Many string keys, some of them repeated, against a table by key. */
static void
test_repeated_keys(pg_prng_state *prng)
{
	for (int count = 1; count < 2000; count += 1 + count / 3)
	{
		int			distinct = Max(count * 2 / 3, 1);
		int		   *values = palloc(distinct * sizeof(int));
		int		   *order = palloc(distinct * sizeof(int));
		int			kept = 0;
		char	   *text = palloc(64 * (count + 1));
		char	   *p = text + sprintf(text, "{");
		mpk_writer	expected;
		mpk_writer	writer;
		unsigned	flags;
		mpk_error	error;

		memset(values, 0xff, distinct * sizeof(int));
		for (int i = 0; i < count; i++)
		{
			int			key = (int) (pg_prng_uint64(prng) % distinct);

			if (values[key] < 0)
				order[kept++] = key;
			values[key] = i;
			p += sprintf(p, "%s\"sensor_%04d_temperature\": %d", i ? ", " : "", key, i);
		}
		strcpy(p, "}");
		mpk_writer_init(&expected, 64);
		mpk_write_map_head(&expected, kept);
		for (int i = 0; i < kept; i++)
		{
			char	   *key = psprintf("sensor_%04d_temperature", order[i]);

			mpk_write_str(&expected, key, strlen(key));
			mpk_write_uint(&expected, values[order[i]]);
		}
		check(parse(text, strlen(text), &writer, &flags, &error) && flags == 0 &&
			  writer.length == expected.length &&
			  memcmp(mpk_writer_data(&writer), mpk_writer_data(&expected), writer.length) == 0,
			  "last value at the first one's place", psprintf("%d keys", count));
	}
}

/* ---- records ---- */

static const char *const record_keys[] = {
	"\"id\"", "\"a\"", "\"name\"", "\"kind\"", "\"x\"",
	"\"Gr\xc3\xb6\xc3\x9f" "e\"",
	"\"eleven long\"", "\"thirteen long\"", "\"fourteen long.\"",
	"\"quite a long key, of 31 bytes  \"", "\"\"",
	/* not what the text of a key mostly is */
	"\"x\\\"y\"", "\"\\u0061\"", "\"id\"_8", "1", "1.0", "null", "[]", "{\"a\": 1}", "\"x\"y\""
};

#define USUAL_KEYS	11

static int
pick(pg_prng_state *prng, int n)
{
	return (int) (pg_prng_uint64(prng) % n);
}

/*
 * Records with these keys, now and then another one.  The colons are all
 * written as this one, so that two texts differ in nothing else.
 */
static char *
make_records(pg_prng_state *prng, const char *colon)
{
	static const char *const values[] = {
		"1", "\"some text\"", "null", "[]", "{\"id\"%s 1, \"a\"%s 2}", "-2.5",
		"[{\"a\"%s 1}, {\"a\"%s 2}]"
	};
	int			keys[20];
	int			count = pick(prng, pick(prng, 4) ? 6 : 20);
	int			records = pick(prng, 5);
	char	   *text = palloc(16384);
	char	   *p = text + sprintf(text, "[");

	for (int i = 0; i < count; i++)
		keys[i] = pick(prng, 12) ? i % USUAL_KEYS : pick(prng, lengthof(record_keys));
	for (int r = 0; r < records; r++)
	{
		p += sprintf(p, r ? ", {" : "{");
		for (int i = 0; i < count; i++)
		{
			int			key = pick(prng, 30) ? keys[i] : pick(prng, lengthof(record_keys));

			p += sprintf(p, "%s%s%s ", i ? ", " : "", record_keys[key], colon);
			p += sprintf(p, values[pick(prng, lengthof(values))], colon, colon);
		}
		p += sprintf(p, "}");
	}
	strcpy(p, "]");
	return text;
}

/* Keys that the parser compares with those of the map before, and the same where it does not. */
static void
test_records(pg_prng_state *prng)
{
	for (int i = 0; i < 20000; i++)
	{
		pg_prng_state same = *prng;
		char	   *compared = make_records(prng, ":");
		char	   *alone = make_records(&same, " :");
		mpk_writer	a;
		mpk_writer	b;
		unsigned	a_flags = 0;
		unsigned	b_flags = 0;
		mpk_error	a_error = {MPK_OK, 0, NULL};
		mpk_error	b_error = {MPK_OK, 0, NULL};
		bool		parsed = parse(compared, strlen(compared), &a, &a_flags, &a_error);

		check(parse(alone, strlen(alone), &b, &b_flags, &b_error) == parsed &&
			  a_error.code == b_error.code &&
			  (!parsed || (a_flags == b_flags && a.length == b.length &&
						   memcmp(mpk_writer_data(&a), mpk_writer_data(&b), a.length) == 0)),
			  "keys of the map before", compared);
		pfree(compared);
		pfree(alone);
	}
}

/* ---- the largest payload ---- */

/* The text, so many times over and between two others; *length is its length. */
static uint8 *
repeat(const char *before, const char *text, int times, const char *after, size_t *length)
{
	char	   *s = palloc(strlen(before) + strlen(text) * times + strlen(after) + 1);
	char	   *end = s;

	end += sprintf(end, "%s", before);
	for (int i = 0; i < times; i++)
		end += sprintf(end, "%s", text);
	end += sprintf(end, "%s", after);
	*length = (size_t) (end - s);
	return (uint8 *) s;
}

/*
 * A text is parsed as the end of the largest payload, whatever it is that its
 * bytes are written in; not as that of a larger one.
 */
static void
test_largest(void)
{
	static const char *const texts[][3] = {
		{"h'", "00", "'"}, {"h'", "ff", " '"}, {"str'", "ff", "'"}, {"b64'", "AAAA", "'"},
		{"'", "a", "'"}, {"\"", "a", "\""}, {"\"a", "\\u0000", "\""},
		{"\"", "\\u00e9", "\""}, {"\"", "\\u20ac", "\""}, {"\"", "\\ud83d\\ude00", "\""},
		{"\"", "\\\"", "\""}, {"\"\\u0001", "\xc3\xa9", "\""}, {"[0", ", 1", "]"},
		{"[0", ", 0.5", "]"}, {"ext(5, h'", "00", "')"}, {"[[[", "[],", "{\"a\": true}]]]"}
	};
	mpk_writer	writer;

	/* most of it is never touched */
	mpk_writer_init(&writer, MPK_MAX_PAYLOAD);
	for (size_t i = 0; i < lengthof(texts); i++)
		for (size_t over = 0; over < 2; over++)
		{
			size_t		length;
			uint8	   *text = repeat(texts[i][0], texts[i][1], 300, texts[i][2], &length);
			mpk_writer	alone;
			unsigned	flags;
			mpk_error	error;
			bool		parsed;

			mpk_writer_init(&alone, 0);
			parsed = mpk_parse_text(text, length, &alone, &flags, NULL);
			check(parsed, "alone", texts[i][1]);
			writer.overflow = false;
			writer.length = MPK_MAX_PAYLOAD - alone.length + over;
			parsed = mpk_parse_text(text, length, &writer, &flags, &error);
			check(over == 0 ? parsed && writer.length == MPK_MAX_PAYLOAD
				  : !parsed && error.code == MPK_ERR_TEXT_TOO_LARGE, "largest", texts[i][1]);
			pfree(alone.buffer);
			pfree(text);
		}
	pfree(writer.buffer);
}

int
main(void)
{
	pg_prng_state prng;

	pg_prng_seed(&prng, 20261130);
	test_meanings();
	test_faults();
	test_later_faults();
	test_limits();
	test_styles();
	test_repeated_keys(&prng);
	test_records(&prng);
	test_random_values(&prng);
	test_floats(&prng);
	test_largest();
	return finish();
}
