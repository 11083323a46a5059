/*
 * text_parse_prefixed.c
 *		Values that JSON does not have: h'' b64'' '' str'' float'' DT'' ext().
 *
 * Backquotes may stand for the quotes after a prefix.
 */
#include "codec/port.h"

#include "codec/timestamp.h"
#include "codec/utf8.h"
#include "document/text.h"
#include "document/text_internal.h"

/* ---- helpers ---- */

static bool
fail_range(mpk_parser *parser, const uint8 *at, const char *expected)
{
	return mpk_parse_fail(parser, MPK_ERR_TEXT_RANGE, at, expected);
}

static bool
parse_char(mpk_parser *parser, uint8 c, const char *expected)
{
	if (parser->p >= parser->end || *parser->p != c)
		return mpk_parse_fail_syntax(parser, expected);
	parser->p++;
	return true;
}

static inline bool
follows(const mpk_parser *parser, const char *word, size_t length)
{
	return (size_t) (parser->end - parser->p) >= length && memcmp(parser->p, word, length) == 0;
}

/* A prefix and its opening quote; sets *quote, which closes as well. */
static bool
take_prefix(mpk_parser *parser, const char *prefix, uint8 *quote)
{
	size_t		length = strlen(prefix);
	const uint8 *p = parser->p + length;

	if (!follows(parser, prefix, length) || p >= parser->end || (*p != '\'' && *p != '`'))
		return false;
	*quote = *p;
	parser->p = p + 1;
	return true;
}

static bool
parse_closing(mpk_parser *parser, uint8 quote, const char *expected)
{
	return parse_char(parser, quote, expected);
}

/* Bytes up to the closing quote, or the end of the text. */
static size_t
quoted_length(const mpk_parser *parser, uint8 quote)
{
	const uint8 *end = memchr(parser->p, quote, (size_t) (parser->end - parser->p));

	return (size_t) ((end != NULL ? end : parser->end) - parser->p);
}

/* ---- bytes ---- */

/* Pairs of hex digits, with whitespace between them if need be, from parser->p on to "out". */
static uint8 *
decode_hex(mpk_parser *parser, uint8 *out)
{
	for (;;)
	{
		int			high;
		int			low;

		mpk_parse_space(parser);
		high = parser->p < parser->end ? mpk_hex_value(*parser->p) : -1;
		if (high < 0)
			return out;
		parser->p++;
		low = parser->p < parser->end ? mpk_hex_value(*parser->p) : -1;
		if (low < 0)
		{
			mpk_parse_fail_syntax(parser, "a second hexadecimal digit of a byte");
			return NULL;
		}
		*out++ = (uint8) (high << 4 | low);
		parser->p++;
		MPK_CHECK_FOR_INTERRUPTS_AT(out);
	}
}

static int
base64_value(uint8 c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* Both alphabets; padding may be left out. */
static uint8 *
decode_base64(mpk_parser *parser, uint8 *out)
{
	uint32		bits = 0;
	int			count = 0;		/* characters of the current group of four */
	int			value;

	for (; parser->p < parser->end && (value = base64_value(*parser->p)) >= 0; parser->p++)
	{
		MPK_CHECK_FOR_INTERRUPTS_AT(parser->p);
		bits = bits << 6 | (uint32) value;
		if (++count == 4)
		{
			*out++ = (uint8) (bits >> 16);
			*out++ = (uint8) (bits >> 8);
			*out++ = (uint8) bits;
			bits = 0;
			count = 0;
		}
	}
	if (count == 0)
		return out;
	if (count == 1 || (bits & (count == 2 ? 0xf : 0x3)) != 0)
	{
		mpk_parse_fail_syntax(parser, "whole bytes in base64");
		return NULL;
	}
	*out++ = (uint8) (count == 2 ? bits >> 4 : bits >> 10);
	if (count == 3)
		*out++ = (uint8) (bits >> 2);
	for (; count < 4 && parser->p < parser->end && *parser->p == '='; count++)
		parser->p++;
	return out;
}

/* The text between single quotes, which holds neither quotes nor backslashes nor controls. */
static uint8 *
decode_plain(mpk_parser *parser, uint8 *out)
{
	const uint8 *s = parser->p;
	size_t		length;

	for (; parser->p < parser->end && *parser->p >= 0x20 && *parser->p != '\'' &&
		 *parser->p != '\\'; parser->p++)
		MPK_CHECK_FOR_INTERRUPTS_AT(parser->p);
	length = (size_t) (parser->p - s);
	if (!mpk_is_utf8(s, length))
	{
		mpk_parse_fail(parser, MPK_ERR_TEXT_ENCODING, s + mpk_utf8_prefix(s, length), NULL);
		return NULL;
	}
	memcpy(out, s, length);
	return out + length;
}

/*
 * The bytes of h'', b64'' or '', put MPK_PARSE_GAP bytes past the end of the
 * output.  Room is asked for no more than the characters can write: twice as much
 * may be more than there is.
 */
static bool
parse_bytes(mpk_parser *parser, size_t *length)
{
	uint8	   *(*decode) (mpk_parser *parser, uint8 *out);
	const char *expected;
	size_t		most;
	uint8	   *body;
	uint8	   *out;
	uint8		quote;

	if (take_prefix(parser, "h", &quote))
	{
		most = quoted_length(parser, quote) / 2;
		decode = decode_hex;
		expected = "hexadecimal digits, then the closing quote";
	}
	else if (take_prefix(parser, "b64", &quote))
	{
		most = quoted_length(parser, quote);
		most -= most / 4;
		decode = decode_base64;
		expected = "base64, then the closing quote";
	}
	else if (parser->p < parser->end && *parser->p == '\'')
	{
		quote = *parser->p++;
		most = quoted_length(parser, quote);
		decode = decode_plain;
		expected = "printable characters, then the closing quote";
	}
	else
		return mpk_parse_fail_syntax(parser, "bytes: h'', b64'' or ''");

	body = mpk_parse_room(parser, most + MPK_PARSE_GAP);
	if (body == NULL)
		return false;
	out = decode(parser, body + MPK_PARSE_GAP);
	*length = (size_t) (out - (body + MPK_PARSE_GAP));
	return out != NULL && parse_closing(parser, quote, expected);
}

static bool
parse_bin(mpk_parser *parser)
{
	size_t		length;

	return parse_bytes(parser, &length) && mpk_parse_finish(parser, MPK_BIN, 0, length);
}

/* str'fffe', after the quote: a str by its bytes. */
static bool
parse_str_bytes(mpk_parser *parser, uint8 quote)
{
	uint8	   *body = mpk_parse_room(parser, quoted_length(parser, quote) / 2 + MPK_PARSE_GAP);
	uint8	   *out;

	if (body == NULL)
		return false;
	body += MPK_PARSE_GAP;
	out = decode_hex(parser, body);
	if (out == NULL ||
		!parse_closing(parser, quote, "hexadecimal digits, then the closing quote"))
		return false;
	if (!mpk_is_utf8(body, (size_t) (out - body)))
		parser->flags |= MPK_INVALID_UTF8;
	return mpk_parse_finish(parser, MPK_STR, 0, (size_t) (out - body));
}

/* float'7ff8000000000001', after the quote: a float by its bits. */
static bool
parse_float_bits(mpk_parser *parser, uint8 quote)
{
	size_t		digits = quoted_length(parser, quote);
	uint8	   *out;
	uint8	   *end;

	if (digits != 8 && digits != 16)
		return mpk_parse_fail_syntax(parser, "8 or 16 hexadecimal digits, then the closing quote");
	out = mpk_parse_room(parser, 9);
	if (out == NULL)
		return false;
	out[0] = digits == 8 ? MPK_BYTE_FLOAT32 : MPK_BYTE_FLOAT64;
	end = decode_hex(parser, out + 1);
	if (end == NULL)
		return false;
	if (end != out + 1 + digits / 2)
		return mpk_parse_fail_syntax(parser, "8 or 16 hexadecimal digits, then the closing quote");
	mpk_writer_advance(parser->out, 1 + digits / 2);
	return parse_closing(parser, quote, "the closing quote");
}

/* ---- ext ---- */

static bool
parse_ext_code(mpk_parser *parser, int8 *code)
{
	const uint8 *at = parser->p;
	bool		negative = parser->p < parser->end && *parser->p == '-';
	int			v = 0;

	parser->p += negative;
	if (parser->p >= parser->end || *parser->p < '0' || *parser->p > '9')
		return mpk_parse_fail_syntax(parser, "a type code from -128 to 127");
	for (; parser->p < parser->end && *parser->p >= '0' && *parser->p <= '9'; parser->p++)
		v = Min(v * 10 + (*parser->p - '0'), 1000);
	if (v > PG_INT8_MAX + negative)
		return fail_range(parser, at, "a type code from -128 to 127");
	*code = (int8) (negative ? -v : v);
	return true;
}

/* ext(5, h'00ff'), after the parenthesis. */
static bool
parse_ext(mpk_parser *parser)
{
	int8		code = 0;
	size_t		length;

	mpk_parse_space(parser);
	if (!parse_ext_code(parser, &code))
		return false;
	mpk_parse_space(parser);
	if (!parse_char(parser, ',', "\",\""))
		return false;
	mpk_parse_space(parser);
	if (!parse_bytes(parser, &length))
		return false;
	mpk_parse_space(parser);
	return parse_char(parser, ')', "\")\"") && mpk_parse_finish(parser, MPK_EXT, code, length);
}

/* ---- timestamps ---- */

/* DT'...', after the quote. */
static bool
parse_timestamp(mpk_parser *parser, uint8 quote)
{
	const uint8 *at = parser->p;
	mpk_timestamp timestamp;
	mpk_mark	mark;
	int			width;
	uint8	   *out;

	if (!mpk_parse_moment(parser, &timestamp) ||
		!parse_closing(parser, quote, "the closing quote of a timestamp") ||
		!mpk_parse_mark(parser, MPK_MARK_BIT(MPK_MARK_32) | MPK_MARK_BIT(MPK_MARK_64) |
						MPK_MARK_BIT(MPK_MARK_96), "a width mark: _64 or _96", &mark))
		return false;
	width = mark == MPK_MARK_32 ? 4 : mark == MPK_MARK_64 ? 8 :
		mark == MPK_MARK_96 ? 12 : mpk_timestamp_width(timestamp);
	if (!mpk_timestamp_fits(timestamp, width))
		return fail_range(parser, at, "a timestamp that fits its width mark");
	out = mpk_parse_room(parser, MPK_PARSE_GAP + 12);
	if (out == NULL)
		return false;
	mpk_timestamp_encode(timestamp, width, out + MPK_PARSE_GAP);
	return mpk_parse_put(parser, MPK_EXT, MPK_EXT_TIMESTAMP, (size_t) width, MPK_MARK_NONE);
}

bool
mpk_parse_prefixed(mpk_parser *parser)
{
	uint8		quote;

	if (take_prefix(parser, "str", &quote))
		return parse_str_bytes(parser, quote);
	if (take_prefix(parser, "float", &quote))
		return parse_float_bits(parser, quote);
	if (take_prefix(parser, "DT", &quote))
		return parse_timestamp(parser, quote);
	if (follows(parser, "ext(", 4))
	{
		parser->p += 4;
		return parse_ext(parser);
	}
	if (*parser->p == '\'' || *parser->p == 'h' || *parser->p == 'b')
		return parse_bin(parser);
	return mpk_parse_fail_syntax(parser, "a value");
}

/* ---- a whole value in hex ---- */

bool
mpk_parse_hex(const uint8 *s, size_t length, mpk_writer *writer, mpk_error *error)
{
	mpk_parser	parser;
	uint8	   *out;
	uint8	   *end;

	parser.start = parser.p = s;
	parser.passed = 0;
	parser.end = s + length;
	parser.out = writer;
	parser.error = error;
	out = mpk_parse_room(&parser, length / 2);
	if (out == NULL)
		return false;
	end = decode_hex(&parser, out);
	if (end == NULL)
		return false;
	if (parser.p < parser.end)
		return mpk_parse_fail_syntax(&parser, "hexadecimal digits");
	mpk_writer_advance(writer, (size_t) (end - out));
	return true;
}
