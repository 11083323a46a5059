/*
 * text_print_value.c
 *		Values other than containers and plain strings, width marks, and what ->> gives.
 */
#include "codec/port.h"

#include "codec/timestamp.h"
#include "codec/utf8.h"
#include "document/text.h"
#include "document/text_internal.h"

/* ---- width marks ---- */

/* The least length that each head of str, bin, ext, array, map 8, 16, 32 is the shortest for. */
static inline bool
length_is_shortest(uint8 byte, uint32 length)
{
	switch (byte)
	{
		case MPK_BYTE_STR8:
			return length > 31;
		case MPK_BYTE_ARRAY16:
		case MPK_BYTE_MAP16:
			return length > 15;
		case MPK_BYTE_EXT8:
			return length > 16 || (length & (length - 1)) != 0 || length == 0;
		case MPK_BYTE_BIN16:
		case MPK_BYTE_STR16:
		case MPK_BYTE_EXT16:
			return length > PG_UINT8_MAX;
		case MPK_BYTE_BIN32:
		case MPK_BYTE_STR32:
		case MPK_BYTE_EXT32:
		case MPK_BYTE_ARRAY32:
		case MPK_BYTE_MAP32:
			return length > PG_UINT16_MAX;
		default:
			return true;		/* fix forms and bin 8 */
	}
}

static inline bool
integer_is_shortest(const mpk_value *value)
{
	switch (*value->start)
	{
		case MPK_BYTE_UINT8:
			return value->as.u64 > PG_INT8_MAX;
		case MPK_BYTE_UINT16:
			return value->as.u64 > PG_UINT8_MAX;
		case MPK_BYTE_UINT32:
			return value->as.u64 > PG_UINT16_MAX;
		case MPK_BYTE_UINT64:
			return value->as.u64 > PG_UINT32_MAX;
		case MPK_BYTE_INT8:
			return value->kind == MPK_INT && value->as.i64 < -32;
		case MPK_BYTE_INT16:
			return value->kind == MPK_INT && value->as.i64 < PG_INT8_MIN;
		case MPK_BYTE_INT32:
			return value->kind == MPK_INT && value->as.i64 < PG_INT16_MIN;
		case MPK_BYTE_INT64:
			return value->kind == MPK_INT && value->as.i64 < PG_INT32_MIN;
		default:
			return true;
	}
}

bool
mpk_head_is_shortest(const mpk_value *value)
{
	if (value->kind == MPK_UINT || value->kind == MPK_INT)
		return integer_is_shortest(value);
	return value->kind < MPK_STR || length_is_shortest(*value->start, value->length);
}

/* The mark of an integer that is not in its shortest form. */
static const char *
integer_mark(const mpk_value *value)
{
	static const char marks[8][5] = {"_u8", "_u16", "_u32", "_u64", "_i8", "_i16", "_i32", "_i64"};

	return marks[*value->start - MPK_BYTE_UINT8];
}

/* The mark of a str, bin or ext, if it needs one. */
static bool
print_length_mark(mpk_printer *pr, const mpk_value *value)
{
	static const char marks[3][4] = {"_8", "_16", "_32"};
	uint8		first = value->kind == MPK_STR ? MPK_BYTE_STR8 :
		value->kind == MPK_BIN ? MPK_BYTE_BIN8 : MPK_BYTE_EXT8;

	if (unlikely(!mpk_head_is_shortest(value)) && pr->style->marks)
	{
		const char *mark = marks[*value->start - first];

		mpk_text_append(pr->text, mark, strlen(mark));
	}
	return !pr->text->overflow;
}

/* ---- bytes ---- */

static const char hex_digits[] = "0123456789abcdef";

size_t
mpk_put_hex(char *out, const uint8 *s, size_t length)
{
	for (size_t i = 0; i < length; i++)
	{
		out[2 * i] = hex_digits[s[i] >> 4];
		out[2 * i + 1] = hex_digits[s[i] & 15];
		MPK_CHECK_FOR_INTERRUPTS_AT(i + 1);
	}
	return 2 * length;
}

bool
mpk_print_hex(mpk_printer *pr, const char *prefix, const uint8 *s, size_t length)
{
	char	   *out = mpk_text_reserve(pr->text, 2 * length + MPK_VALUE_ROOM);

	if (out == NULL)
		return false;
	out = mpk_put(out, prefix, strlen(prefix));
	*out++ = '\'';
	out += mpk_put_hex(out, s, length);
	*out++ = '\'';
	mpk_text_end_at(pr->text, out);
	return true;
}

/*
 * May this character stand in a 'text' that people read?  Not controls, nor
 * what is invisible or turns the direction of what follows, nor private and
 * unassignable code points.
 */
static bool
is_printable(uint32 c)
{
	if (c < 0x7f)
		return c >= 0x20 && c != '\'' && c != '\\';
	return c >= 0xa0 && c != 0xad &&
		!(c >= 0x200b && c <= 0x200f) && !(c >= 0x2028 && c <= 0x202e) &&
		!(c >= 0x2060 && c <= 0x206f) && !(c >= 0xe000 && c <= 0xf8ff) &&
		c != 0xfeff && !(c >= 0xfff0 && c <= 0xfffb) && (c & 0xfffe) != 0xfffe &&
		c < 0xe0000;
}

static bool
is_printable_text(const mpk_text_style *style, const uint8 *s, size_t length)
{
	const uint8 *end = s + length;
	uint32		c;

	if (length == 0)
		return false;
	while (s < end)
	{
		int			n = mpk_utf8_decode(s, end, &c);

		MPK_CHECK_FOR_INTERRUPTS_AT(s);
		if (n == 0 || !is_printable(c))
			return false;
		if (n > 1 && style->holds != NULL && !style->holds(s, n, style->holds_arg))
			return false;
		s += n;
	}
	return true;
}

static bool
print_bin(mpk_printer *pr, const mpk_value *value)
{
	char	   *out;

	if (!is_printable_text(pr->style, value->body, value->length))
		return mpk_print_hex(pr, "h", value->body, value->length);
	out = mpk_text_reserve(pr->text, value->length + MPK_VALUE_ROOM);
	if (out == NULL)
		return false;
	*out++ = '\'';
	out = mpk_put(out, (const char *) value->body, value->length);
	*out++ = '\'';
	mpk_text_end_at(pr->text, out);
	return true;
}

/* ---- scalars ---- */

static bool
print_ext(mpk_printer *pr, const mpk_value *value)
{
	char	   *out = mpk_text_reserve(pr->text, MPK_VALUE_ROOM);
	int			code = value->ext_code;

	if (out == NULL)
		return false;
	out = MPK_PUT(out, "ext(");
	if (code < 0)
		*out++ = '-';
	out += mpk_put_digits(out, (uint64) (code < 0 ? -code : code));
	out = MPK_PUT(out, ", ");
	mpk_text_end_at(pr->text, out);
	if (!mpk_print_hex(pr, "h", value->body, value->length))
		return false;
	mpk_text_append(pr->text, ")", 1);
	return print_length_mark(pr, value);
}

static inline bool
is_printable_timestamp(const mpk_value *value)
{
	return value->as.timestamp.seconds >= MPK_TIMESTAMP_MIN_SECONDS &&
		value->as.timestamp.seconds <= MPK_TIMESTAMP_MAX_SECONDS;
}

static bool
print_timestamp(mpk_printer *pr, const mpk_value *value)
{
	char	   *out;

	if (!is_printable_timestamp(value) || (pr->style->marks && !mpk_head_is_shortest(value)))
		return print_ext(pr, value);
	out = mpk_text_reserve(pr->text, MPK_VALUE_ROOM);
	if (out == NULL)
		return false;
	out = MPK_PUT(out, "DT'");
	out += mpk_timestamp_print(value->as.timestamp, out);
	*out++ = '\'';
	if (pr->style->marks && (int) value->length != mpk_timestamp_width(value->as.timestamp))
		out = value->length == 8 ? MPK_PUT(out, "_64") : MPK_PUT(out, "_96");
	mpk_text_end_at(pr->text, out);
	return true;
}

/* nil, booleans and numbers */
static bool
print_plain(mpk_printer *pr, const mpk_value *value)
{
	char	   *out = mpk_text_reserve(pr->text, MPK_VALUE_ROOM);

	if (unlikely(out == NULL))
		return false;
	switch (value->kind)
	{
		case MPK_NIL:
			out = MPK_PUT(out, "null");
			break;
		case MPK_BOOLEAN:
			out = value->as.boolean ? MPK_PUT(out, "true") : MPK_PUT(out, "false");
			break;
		case MPK_FLOAT64:
			out += mpk_print_float(value, out);
			break;
		case MPK_FLOAT32:
			out += mpk_print_float(value, out);
			if (pr->style->marks)
				out = MPK_PUT(out, "_f32");
			break;
		default:
			out += mpk_print_integer(value, out);
			if (unlikely(!mpk_head_is_shortest(value)) && pr->style->marks)
				out = mpk_put(out, integer_mark(value), strlen(integer_mark(value)));
	}
	mpk_text_end_at(pr->text, out);
	return true;
}

/* float'...' tells its width by its digits and takes no mark */
static bool
print_float32(mpk_printer *pr, const mpk_value *value)
{
	char	   *out;

	if (likely(value->as.f32 == value->as.f32) || mpk_nan_is_usual(value))
		return print_plain(pr, value);
	out = mpk_text_reserve(pr->text, MPK_VALUE_ROOM);
	if (out == NULL)
		return false;
	mpk_text_end_at(pr->text, out + mpk_print_float(value, out));
	return true;
}

bool
mpk_print_scalar(mpk_printer *pr, const mpk_value *value)
{
	bool		done;

	switch (value->kind)
	{
		case MPK_STR:
			if (unlikely(pr->flags & MPK_INVALID_UTF8) && !mpk_is_utf8(value->body, value->length))
				done = mpk_print_hex(pr, "str", value->body, value->length);
			else
				done = mpk_print_str(pr, value->body, value->length);
			break;
		case MPK_BIN:
			done = print_bin(pr, value);
			break;
		case MPK_TIMESTAMP:
			return print_timestamp(pr, value);
		case MPK_EXT:
			return print_ext(pr, value);
		case MPK_FLOAT32:
			return print_float32(pr, value);
		default:
			return print_plain(pr, value);
	}
	return done && print_length_mark(pr, value);
}

/* ---- ->> ---- */

static bool
print_value_bin(mpk_text *text, const mpk_value *value)
{
	char	   *out = mpk_text_reserve(text, 2 * (size_t) value->length + 2);

	if (out == NULL)
		return false;
	out = MPK_PUT(out, "\\x");
	mpk_text_end_at(text, out + mpk_put_hex(out, value->body, value->length));
	return true;
}

bool
mpk_print_value_text(mpk_text *text, const mpk_value *value, unsigned flags,
					 const mpk_text_style *style)
{
	mpk_text_style plain = *style;
	char		buffer[MPK_FLOAT_DIGITS];
	int			n;

	switch (value->kind)
	{
		case MPK_STR:
			mpk_text_append(text, value->body, value->length);
			return !text->overflow;
		case MPK_BIN:
			return print_value_bin(text, value);
		case MPK_FLOAT32:
		case MPK_FLOAT64:
			n = mpk_print_float_digits(value, buffer);
			break;
		case MPK_TIMESTAMP:
			if (!is_printable_timestamp(value))
				goto text_form;
			n = mpk_timestamp_print(value->as.timestamp, buffer);
			break;
		default:
	text_form:
			plain.marks = false;
			plain.pretty = false;
			return mpk_print(text, value->start, mpk_value_end(value), flags, &plain);
	}
	mpk_text_append(text, buffer, n);
	return !text->overflow;
}
