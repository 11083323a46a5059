/*
 * text_parse_str.c
 *		Strings of any length in double quotes, with escapes and marks; and how
 *		the parser writes what has a length.
 */
#include "codec/port.h"

#include "codec/utf8.h"
#include "document/text_internal.h"
#include "document/text_scan.h"

/* Beside a string's bytes: its head, and a block of slack to copy in blocks. */
#define STR_ROOM		(MPK_PARSE_GAP + 16)

/* ---- values that have a length ---- */

bool
mpk_parse_put(mpk_parser *parser, mpk_kind kind, int8 code, size_t length, mpk_mark mark)
{
	uint8	   *out = mpk_writer_data(parser->out) + parser->out->length;
	uint8		head[9];
	int			n = mpk_put_marked_head(head, kind, code, (uint32) length, mark);

	memmove(out + n, out + MPK_PARSE_GAP, length);
	memcpy(out, head, n);
	mpk_writer_advance(parser->out, n + length);
	return true;
}

bool
mpk_parse_finish(mpk_parser *parser, mpk_kind kind, int8 code, size_t length)
{
	const uint8 *at = parser->p;
	mpk_mark	mark;

	if (!mpk_parse_mark(parser, MPK_LENGTH_MARKS, "a width mark: _8, _16 or _32", &mark))
		return false;
	if (!mpk_mark_holds(mark, length))
		return mpk_parse_fail(parser, MPK_ERR_TEXT_RANGE, at,
							  "a width mark that holds the length");
	return mpk_parse_put(parser, kind, code, length, mark);
}

/* ---- escapes ---- */

/* Four hex digits, from p on. */
static bool
parse_u_digits(mpk_parser *parser, uint32 *unit)
{
	*unit = 0;
	for (int i = 0; i < 4; i++, parser->p++)
	{
		int			digit = parser->p < parser->end ? mpk_hex_value(*parser->p) : -1;

		if (digit < 0)
			return mpk_parse_fail_syntax(parser, "four hexadecimal digits after \"\\u\"");
		*unit = *unit << 4 | (uint32) digit;
	}
	return true;
}

/* What follows "\u": one UTF-16 unit, or a surrogate pair. */
static bool
parse_u_escape(mpk_parser *parser, uint32 *codepoint)
{
	const uint8 *escape = parser->p - 2;
	uint32		low;

	if (!parse_u_digits(parser, codepoint))
		return false;
	if (*codepoint < 0xd800 || *codepoint > 0xdfff)
		return true;
	if (*codepoint >= 0xdc00)
		return mpk_parse_fail(parser, MPK_ERR_TEXT_SYNTAX, escape,
							  "a high surrogate before a low one");
	if (parser->end - parser->p < 2 || parser->p[0] != '\\' || parser->p[1] != 'u')
		return mpk_parse_fail_syntax(parser, "a low surrogate (\\udc00 to \\udfff) after a high one");
	escape = parser->p;
	parser->p += 2;
	if (!parse_u_digits(parser, &low))
		return false;
	if (low < 0xdc00 || low > 0xdfff)
		return mpk_parse_fail(parser, MPK_ERR_TEXT_SYNTAX, escape,
							  "a low surrogate (\\udc00 to \\udfff) after a high one");
	*codepoint = 0x10000 + ((*codepoint - 0xd800) << 10) + (low - 0xdc00);
	return true;
}

/* By the letter after the backslash; 0 is no escape ("\u" is told apart). */
static const uint8 escaped_byte[256] = {
	['"'] = '"',['\\'] = '\\',['/'] = '/',
	['b'] = '\b',['f'] = '\f',['n'] = '\n',['r'] = '\r',['t'] = '\t'
};

/* One escape, at the backslash; returns where the output goes on, NULL on error. */
static uint8 *
parse_escape(mpk_parser *parser, uint8 *out)
{
	uint8		letter = parser->end - parser->p >= 2 ? parser->p[1] : 0;
	uint32		codepoint;

	if (escaped_byte[letter] != 0)
	{
		*out = escaped_byte[letter];
		parser->p += 2;
		return out + 1;
	}
	if (letter != 'u')
	{
		parser->p++;
		mpk_parse_fail_syntax(parser, "one of \"\\/bfnrtu after a backslash");
		return NULL;
	}
	parser->p += 2;
	if (!parse_u_escape(parser, &codepoint))
		return NULL;
	return out + mpk_utf8_encode(codepoint, out);
}

/* ---- the whole string ---- */

/* The first special byte from s on, or the end; *high when bytes above 0x7f may be before it. */
static inline const uint8 *
find_special(const uint8 *s, const uint8 *end, uint8 quote, bool *high)
{
	while (end - s >= 16)
	{
		mpk_scan16	scan = mpk_scan_bytes(s, quote);

		if ((scan.quote | scan.other) != 0)
		{
			int			n = pg_rightmost_one_pos32(scan.quote | scan.other);

			*high |= (scan.high & ((1u << n) - 1)) != 0;
			return s + n;
		}
		*high |= scan.high != 0;
		s += 16;
	}
	for (; s < end && !mpk_is_special(*s, quote); s++)
		*high |= *s >= 0x80;
	return s;
}

static bool
check_utf8(mpk_parser *parser, const uint8 *s, size_t length)
{
	if (mpk_is_utf8(s, length))
		return true;
	return mpk_parse_fail(parser, MPK_ERR_TEXT_ENCODING, s + mpk_utf8_prefix(s, length), NULL);
}

/* Why a string could not go on at the special byte at hand. */
static bool
fail_string(mpk_parser *parser, const uint8 *at)
{
	parser->p = at;
	return mpk_parse_fail_syntax(parser, at >= parser->end ? "the closing quote of a string"
					   : "an escape in place of a control character");
}

/*
 * By how many bytes the escape at s is longer than what it stands for; 0 when it
 * is none, which is found out when it is decoded.
 */
static size_t
escape_excess(const uint8 *s, const uint8 *end)
{
	uint32		unit = 0;

	if (s[1] != 'u')
		return escaped_byte[s[1]] != 0 ? 1 : 0;
	if (end - s < 6)
		return 0;
	for (int i = 2; i < 6; i++)
	{
		int			digit = mpk_hex_value(s[i]);

		if (digit < 0)
			return 0;
		unit = unit << 4 | (uint32) digit;
	}
	/* of a surrogate pair's four bytes three count for the high one */
	if (unit < 0x80 || (unit >= 0xdc00 && unit <= 0xdfff))
		return 5;
	return unit < 0x800 ? 4 : 3;
}

/*
 * The closing quote of a string that holds escapes, the first of them at s;
 * NULL with the error filled in.  *excess is set to how many bytes fewer it has.
 */
static const uint8 *
find_quote(mpk_parser *parser, const uint8 *s, bool *high, size_t *excess)
{
	*excess = 0;
	for (;;)
	{
		MPK_CHECK_FOR_INTERRUPTS();
		s = find_special(s, parser->end, '"', high);
		if (s < parser->end && *s == '"')
			return s;
		if (s >= parser->end || *s != '\\')
		{
			fail_string(parser, s);
			return NULL;
		}
		if (parser->end - s < 2)
		{
			fail_string(parser, parser->end);
			return NULL;
		}
		*excess += escape_excess(s, parser->end);
		s += 2;
		if ((s[-1] & 0x80) != 0)
			s--;				/* no escape; found out when it is decoded */
	}
}

/*
 * The bytes of a string with escapes, decoded to MPK_PARSE_GAP bytes past the
 * end of the output; *length is their number.  "at" is the first
 * escape.
 */
static bool
decode_str(mpk_parser *parser, const uint8 *s, const uint8 *at, bool high, size_t *length)
{
	size_t		excess;
	const uint8 *quote = find_quote(parser, at, &high, &excess);
	uint8	   *body;
	uint8	   *out;

	if (quote == NULL || (high && !check_utf8(parser, s, (size_t) (quote - s))))
		return false;
	body = mpk_parse_room(parser, (size_t) (quote - s) - excess + STR_ROOM);
	if (body == NULL)
		return false;
	out = body += MPK_PARSE_GAP;
	for (parser->p = s; parser->p < quote;)
	{
		const uint8 *clean = find_special(parser->p, quote, '"', &high);

		MPK_CHECK_FOR_INTERRUPTS();
		memcpy(out, parser->p, (size_t) (clean - parser->p));
		out += clean - parser->p;
		parser->p = clean;
		if (clean < quote && (out = parse_escape(parser, out)) == NULL)
			return false;
	}
	parser->p = quote + 1;
	*length = (size_t) (out - body);
	return true;
}

bool
mpk_parse_str(mpk_parser *parser)
{
	const uint8 *s = parser->p + 1;
	bool		high = false;
	const uint8 *at = find_special(s, parser->end, '"', &high);
	size_t		length = (size_t) (at - s);
	uint8	   *out;
	int			head;

	if (at >= parser->end || *at != '"')
	{
		if (at >= parser->end || *at != '\\')
			return fail_string(parser, at);
		return decode_str(parser, s, at, high, &length) &&
			mpk_parse_finish(parser, MPK_STR, 0, length);
	}
	if (high && !check_utf8(parser, s, length))
		return false;
	out = mpk_parse_room(parser, length + STR_ROOM);
	if (out == NULL)
		return false;
	parser->p = at + 1;
	if (unlikely(mpk_parse_peek(parser) == '_'))
	{
		memcpy(out + MPK_PARSE_GAP, s, length);
		return mpk_parse_finish(parser, MPK_STR, 0, length);
	}
	head = mpk_put_str_head(out, (uint32) length);
	memcpy(out + head, s, length);
	mpk_writer_advance(parser->out, head + length);
	return true;
}
