/*
 * text_print.c
 *		Values as text.
 *
 * One pass with an explicit stack.  Each value reserves once what it needs at
 * most and is then written through a plain pointer; strings are copied in
 * blocks of 16 bytes while they are searched for what must be escaped.
 */
#include "codec/port.h"

#include "codec/timestamp.h"
#include "codec/utf8.h"
#include "document/order.h"
#include "document/text.h"
#include "document/text_internal.h"
#include "document/text_scan.h"

/* Beside the bytes of a str or bin: separator, quotes, prefix, mark, and a block of slack. */
#define VALUE_ROOM		96

/* A str with something to escape is printed in runs of so many bytes. */
#define ESCAPE_RUN		4096

typedef struct print_frame
{
	uint64		left;			/* elements, or keys and values, still to come */
	bool		is_map;
	bool		first;			/* none was printed yet */
} print_frame;

typedef struct printer
{
	mpk_text   *text;
	const mpk_text_style *style;
	unsigned	flags;
	mpk_order  *order;			/* which maps repeat keys; NULL: none does */
	int			depth;
	print_frame frames[MPK_MAX_DEPTH];
} printer;

/* ---- text that grows ---- */

void
mpk_text_init(mpk_text *text, size_t headroom, size_t capacity)
{
	size_t		most = MPK_MAX_ALLOC - headroom - 1;

	text->capacity = Min(capacity, most);
	text->buffer = palloc(headroom + text->capacity + 1);
	text->headroom = headroom;
	text->length = 0;
	text->overflow = false;
}

bool
mpk_text_grow(mpk_text *text, size_t n)
{
	size_t		most = MPK_MAX_ALLOC - text->headroom - 1;
	size_t		capacity;

	if (text->overflow || most - text->length < n)
	{
		text->overflow = true;
		return false;
	}
	capacity = Min(Max(text->length + n, text->capacity * 2), most);
	text->buffer = repalloc(text->buffer, text->headroom + capacity + 1);
	text->capacity = capacity;
	return true;
}

void
mpk_text_append(mpk_text *text, const void *s, size_t length)
{
	char	   *out = mpk_text_reserve(text, length);

	if (out != NULL && length > 0)
	{
		memcpy(out, s, length);
		text->length += length;
	}
}

static inline void
text_end_at(mpk_text *text, const char *end)
{
	text->length = (size_t) (end - mpk_text_data(text));
}

static inline char *
put(char *out, const char *s, size_t length)
{
	memcpy(out, s, length);
	return out + length;
}

#define PUT(out, literal)	put(out, literal, sizeof(literal) - 1)

/* ---- bytes ---- */

static const char hex_digits[] = "0123456789abcdef";

size_t
mpk_put_hex(char *out, const uint8 *s, size_t length)
{
	for (size_t i = 0; i < length; i++)
	{
		out[2 * i] = hex_digits[s[i] >> 4];
		out[2 * i + 1] = hex_digits[s[i] & 15];
	}
	return 2 * length;
}

/* prefix'hex' */
static bool
print_hex(printer *pr, const char *prefix, const uint8 *s, size_t length)
{
	char	   *out = mpk_text_reserve(pr->text, 2 * length + VALUE_ROOM);

	if (out == NULL)
		return false;
	out = put(out, prefix, strlen(prefix));
	*out++ = '\'';
	out += mpk_put_hex(out, s, length);
	*out++ = '\'';
	text_end_at(pr->text, out);
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

		if (n == 0 || !is_printable(c))
			return false;
		if (n > 1 && style->holds != NULL && !style->holds(s, n, style->holds_arg))
			return false;
		s += n;
	}
	return true;
}

static bool
print_bin(printer *pr, const mpk_value *value)
{
	char	   *out;

	if (!is_printable_text(pr->style, value->body, value->length))
		return print_hex(pr, "h", value->body, value->length);
	out = mpk_text_reserve(pr->text, value->length + VALUE_ROOM);
	if (out == NULL)
		return false;
	*out++ = '\'';
	out = put(out, (const char *) value->body, value->length);
	*out++ = '\'';
	text_end_at(pr->text, out);
	return true;
}

/* ---- strings ---- */

static char *
put_u_escape(char *out, uint32 unit)
{
	out = PUT(out, "\\u");
	for (int shift = 12; shift >= 0; shift -= 4)
		*out++ = hex_digits[(unit >> shift) & 15];
	return out;
}

/* The short escape letters; other controls are \u00xx. */
static const char escape_letter[0x60] = {
	['\b'] = 'b',['\t'] = 't',['\n'] = 'n',['\f'] = 'f',['\r'] = 'r',['"'] = '"',['\\'] = '\\'
};

static inline char *
put_escaped(char *out, uint8 c)
{
	if (escape_letter[c] == 0)
		return put_u_escape(out, c);
	out[0] = '\\';
	out[1] = escape_letter[c];
	return out + 2;
}

/*
 * Copy to "out", which has 16 bytes more than needed, until a byte must be
 * escaped or the end; returns the bytes copied.
 */
static inline size_t
copy_clean(char *out, const uint8 *s, size_t length)
{
	size_t		i = 0;

	for (; i + 16 <= length; i += 16)
	{
		mpk_scan16	scan = mpk_scan_bytes(s + i, '"');

		mpk_copy16(out + i, s + i);
		if (unlikely(scan.special != 0))
			return i + pg_rightmost_one_pos32(scan.special);
	}
	if (i + 8 <= length && !mpk_word_has_special(mpk_word(s + i), '"'))
	{
		memcpy(out + i, s + i, 8);
		i += 8;
	}
	for (; i < length; i++)
	{
		if (mpk_is_special(s[i], '"'))
			return i;
		out[i] = (char) s[i];
	}
	return length;
}

/* The rest of a str, from its first byte to be escaped on, without the closing quote. */
static bool
print_escaped(printer *pr, const uint8 *s, size_t length)
{
	while (length > 0)
	{
		size_t		run = Min(length, ESCAPE_RUN);
		const uint8 *end = s + run;
		char	   *out = mpk_text_reserve(pr->text, 6 * run + 16);

		if (out == NULL)
			return false;
		length -= run;
		while (s < end)
		{
			size_t		clean = copy_clean(out, s, (size_t) (end - s));

			s += clean;
			out += clean;
			if (s < end)
				out = put_escaped(out, *s++);
		}
		text_end_at(pr->text, out);
	}
	return true;
}

/* As print_escaped, for a reader that may lack characters; a character at a time. */
static bool
print_held(printer *pr, const uint8 *s, size_t length)
{
	const uint8 *end = s + length;

	while (s < end)
	{
		char	   *out = mpk_text_reserve(pr->text, 12);
		uint32		c = 0;
		int			n = mpk_utf8_decode(s, end, &c);

		if (out == NULL)
			return false;
		n = Max(n, 1);
		if (n == 1 && mpk_is_special(*s, '"'))
			out = put_escaped(out, *s);
		else if (n == 1 || pr->style->holds(s, n, pr->style->holds_arg))
			out = put(out, (const char *) s, n);
		else if (c < 0x10000)
			out = put_u_escape(out, c);
		else
		{
			out = put_u_escape(out, 0xd800 + ((c - 0x10000) >> 10));
			out = put_u_escape(out, 0xdc00 + ((c - 0x10000) & 0x3ff));
		}
		text_end_at(pr->text, out);
		s += n;
	}
	return true;
}

/* Two overlapping halves cover a string of 4 to 16 bytes without reading or writing beyond it. */
static inline bool
copy_short_clean(char *out, const uint8 *s, size_t length)
{
	if (length >= 8)
	{
		uint64		head = mpk_word(s);
		uint64		tail = mpk_word(s + length - 8);

		memcpy(out, &head, 8);
		memcpy(out + length - 8, &tail, 8);
		return !mpk_word_has_special(head, '"') && !mpk_word_has_special(tail, '"');
	}
	if (length >= 4)
	{
		uint32		head;
		uint32		tail;

		memcpy(&head, s, 4);
		memcpy(&tail, s + length - 4, 4);
		memcpy(out, &head, 4);
		memcpy(out + length - 4, &tail, 4);
		return !mpk_word_has_special((uint64) head << 32 | tail, '"');
	}
	for (size_t i = 0; i < length; i++)
	{
		out[i] = (char) s[i];
		if (mpk_is_special(s[i], '"'))
			return false;
	}
	return true;
}

/* Over 16 bytes: blocks, the last of them overlapping the one before it. */
static inline bool
copy_long_clean(char *out, const uint8 *s, size_t length)
{
	unsigned	special = 0;

	for (size_t i = 0; i + 16 < length; i += 16)
	{
		special |= mpk_scan_bytes(s + i, '"').special;
		mpk_copy16(out + i, s + i);
	}
	special |= mpk_scan_bytes(s + length - 16, '"').special;
	mpk_copy16(out + length - 16, s + length - 16);
	return special == 0;
}

/* A str in quotes, which is UTF-8. */
static inline bool
print_str(printer *pr, const uint8 *s, size_t length)
{
	char	   *out = mpk_text_reserve(pr->text, length + VALUE_ROOM);
	bool		clean;

	if (unlikely(out == NULL))
		return false;
	*out++ = '"';
	if (likely(pr->style->holds == NULL))
	{
		clean = length <= 16 ? copy_short_clean(out, s, length) : copy_long_clean(out, s, length);
		if (likely(clean))
		{
			out[length] = '"';
			pr->text->length += length + 2;
			return true;
		}
	}
	pr->text->length++;
	clean = pr->style->holds == NULL ? print_escaped(pr, s, length) : print_held(pr, s, length);
	mpk_text_append(pr->text, "\"", 1);
	return clean && !pr->text->overflow;
}

/* ---- width marks ---- */

/* The mark of a str, bin or ext head that is not the shortest, else NULL. */
static const char *
length_mark(const mpk_value *value)
{
	static const char marks[3][4] = {"_8", "_16", "_32"};
	uint8		shortest[9];
	uint8		byte = *value->start;

	switch (value->kind)
	{
		case MPK_STR:
			mpk_put_str_head(shortest, value->length);
			return byte == shortest[0] || byte < MPK_BYTE_STR8 ? NULL : marks[byte - MPK_BYTE_STR8];
		case MPK_BIN:
			mpk_put_bin_head(shortest, value->length);
			return byte == shortest[0] ? NULL : marks[byte - MPK_BYTE_BIN8];
		default:
			mpk_put_ext_head(shortest, value->ext_code, value->length);
			return byte == shortest[0] ? NULL : marks[byte - MPK_BYTE_EXT8];
	}
}

static const char *
integer_mark(const mpk_value *value)
{
	static const char marks[8][5] = {"_u8", "_u16", "_u32", "_u64", "_i8", "_i16", "_i32", "_i64"};
	uint8		shortest[9];
	uint8		byte = *value->start;

	if (value->kind == MPK_UINT)
		mpk_put_uint(shortest, value->as.u64);
	else
		mpk_put_int(shortest, value->as.i64);
	return byte == shortest[0] ? NULL : marks[byte - MPK_BYTE_UINT8];
}

/* The mark that opens a container, with its space, or "". */
static const char *
container_mark(const mpk_value *value)
{
	static const char marks[2][4] = {"_16", "_32"};
	uint8		shortest[9];
	uint8		byte = *value->start;

	if (value->kind == MPK_ARRAY)
		mpk_put_array_head(shortest, value->length);
	else
		mpk_put_map_head(shortest, value->length);
	if (byte == shortest[0])
		return "";
	return marks[byte - (value->kind == MPK_ARRAY ? MPK_BYTE_ARRAY16 : MPK_BYTE_MAP16)];
}

static bool
print_mark(printer *pr, const char *mark)
{
	if (mark != NULL)
		mpk_text_append(pr->text, mark, strlen(mark));
	return !pr->text->overflow;
}

/* ---- scalars ---- */

static bool
print_ext(printer *pr, const mpk_value *value)
{
	char	   *out = mpk_text_reserve(pr->text, VALUE_ROOM);
	uint64		magnitude = (uint64) (value->ext_code < 0 ? -(int) value->ext_code : value->ext_code);

	if (out == NULL)
		return false;
	out = PUT(out, "ext(");
	if (value->ext_code < 0)
		*out++ = '-';
	out += mpk_put_digits(out, magnitude);
	out = PUT(out, ", ");
	text_end_at(pr->text, out);
	if (!print_hex(pr, "h", value->body, value->length))
		return false;
	mpk_text_append(pr->text, ")", 1);
	return print_mark(pr, pr->style->marks ? length_mark(value) : NULL);
}

static inline bool
is_printable_timestamp(const mpk_value *value)
{
	return value->as.timestamp.seconds >= MPK_TIMESTAMP_MIN_SECONDS &&
		value->as.timestamp.seconds <= MPK_TIMESTAMP_MAX_SECONDS;
}

static bool
print_timestamp(printer *pr, const mpk_value *value)
{
	char	   *out;

	if (!is_printable_timestamp(value) || (pr->style->marks && length_mark(value) != NULL))
		return print_ext(pr, value);
	out = mpk_text_reserve(pr->text, VALUE_ROOM);
	if (out == NULL)
		return false;
	out = PUT(out, "DT'");
	out += mpk_timestamp_print(value->as.timestamp, out);
	*out++ = '\'';
	if (pr->style->marks && (int) value->length != mpk_timestamp_width(value->as.timestamp))
		out = value->length == 8 ? PUT(out, "_64") : PUT(out, "_96");
	text_end_at(pr->text, out);
	return true;
}

/* nil, booleans and numbers */
static bool
print_plain(printer *pr, const mpk_value *value)
{
	char	   *out = mpk_text_reserve(pr->text, VALUE_ROOM);
	const char *mark;

	if (unlikely(out == NULL))
		return false;
	switch (value->kind)
	{
		case MPK_NIL:
			out = PUT(out, "null");
			break;
		case MPK_BOOLEAN:
			out = value->as.boolean ? PUT(out, "true") : PUT(out, "false");
			break;
		case MPK_FLOAT64:
			out += mpk_print_float(value, out);
			break;
		case MPK_FLOAT32:
			out += mpk_print_float(value, out);
			if (pr->style->marks)
				out = PUT(out, "_f32");
			break;
		default:
			out += mpk_print_integer(value, out);
			mark = pr->style->marks ? integer_mark(value) : NULL;
			if (unlikely(mark != NULL))
				out = put(out, mark, strlen(mark));
	}
	text_end_at(pr->text, out);
	return true;
}

/* float'...' tells its width by its digits and takes no mark */
static bool
print_float32(printer *pr, const mpk_value *value)
{
	char	   *out;

	if (likely(value->as.f32 == value->as.f32) || mpk_nan_is_usual(value))
		return print_plain(pr, value);
	out = mpk_text_reserve(pr->text, VALUE_ROOM);
	if (out == NULL)
		return false;
	text_end_at(pr->text, out + mpk_print_float(value, out));
	return true;
}

static bool
print_scalar(printer *pr, const mpk_value *value)
{
	bool		done;

	switch (value->kind)
	{
		case MPK_STR:
			if (unlikely(pr->flags & MPK_INVALID_UTF8) && !mpk_is_utf8(value->body, value->length))
				done = print_hex(pr, "str", value->body, value->length);
			else
				done = print_str(pr, value->body, value->length);
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
	return done && print_mark(pr, pr->style->marks ? length_mark(value) : NULL);
}

/* ---- containers ---- */

static bool
print_newline(printer *pr, int depth)
{
	char	   *out = mpk_text_reserve(pr->text, 1 + 4 * (size_t) depth);

	if (out == NULL)
		return false;
	*out = '\n';
	memset(out + 1, ' ', 4 * (size_t) depth);
	pr->text->length += 1 + 4 * (size_t) depth;
	return true;
}

static bool
repeats_key(const mpk_order *order, const mpk_value *map)
{
	const mpk_order_map *found = mpk_order_find(order, map->start);

	return found != NULL && found->repeated;
}

static bool
print_open(printer *pr, const mpk_value *value)
{
	print_frame *frame = &pr->frames[pr->depth++];
	char	   *out = mpk_text_reserve(pr->text, VALUE_ROOM);
	const char *mark = pr->style->marks ? container_mark(value) : "";
	bool		dup;

	if (unlikely(out == NULL))
		return false;
	frame->is_map = value->kind == MPK_MAP;
	frame->left = frame->is_map ? 2 * (uint64) value->length : value->length;
	frame->first = true;
	*out++ = frame->is_map ? '{' : '[';
	dup = frame->is_map && unlikely(pr->order != NULL) && repeats_key(pr->order, value);
	out = put(out, mark, strlen(mark));
	if (dup)
		out = PUT(out, "_dup");
	if ((dup || *mark != '\0') && value->length > 0 && !pr->style->pretty)
		*out++ = ' ';
	text_end_at(pr->text, out);
	return true;
}

/* Close the containers that are full. */
static bool
print_close(printer *pr)
{
	while (pr->depth > 0 && pr->frames[pr->depth - 1].left == 0)
	{
		char	   *out;

		pr->depth--;
		if (pr->style->pretty && !print_newline(pr, pr->depth))
			return false;
		out = mpk_text_reserve(pr->text, 1);
		if (unlikely(out == NULL))
			return false;
		*out = pr->frames[pr->depth].is_map ? '}' : ']';
		pr->text->length++;
	}
	return true;
}

/* What stands before the next entry, of which there is one. */
static bool
print_separator(printer *pr)
{
	print_frame *frame = &pr->frames[pr->depth - 1];
	bool		before_value = frame->is_map && (frame->left & 1) != 0;
	char	   *out;

	frame->left--;
	if (frame->first || before_value || !pr->style->pretty)
	{
		if (!frame->first)
		{
			out = mpk_text_reserve(pr->text, 2);
			if (unlikely(out == NULL))
				return false;
			out[0] = before_value ? ':' : ',';
			out[1] = ' ';
			pr->text->length += 2;
		}
	}
	else
		mpk_text_append(pr->text, ",", 1);
	frame->first = false;
	if (pr->style->pretty && !before_value)
		return print_newline(pr, pr->depth);
	return true;
}

/* The value at p; returns the byte after what was printed, NULL when it did not fit. */
static inline const uint8 *
print_next(printer *pr, const uint8 *p)
{
	mpk_value	value;

	/* A short str in a regular document: keys, mostly. */
	if ((*p & 0xe0) == MPK_FIXSTR && likely((pr->flags & MPK_INVALID_UTF8) == 0))
	{
		size_t		length = *p & 0x1f;

		return print_str(pr, p + 1, length) ? p + 1 + length : NULL;
	}
	p = mpk_read(p, &value);
	if (mpk_is_container(value.kind))
		return print_open(pr, &value) ? p : NULL;
	return print_scalar(pr, &value) ? p : NULL;
}

static bool
print_all(printer *pr, const uint8 *p)
{
	unsigned	turns = 0;

	for (;;)
	{
		p = print_next(pr, p);
		if (unlikely(p == NULL) || !print_close(pr))
			return false;
		if (pr->depth == 0)
			return true;
		if (!print_separator(pr))
			return false;
		if (unlikely((++turns & 0xffff) == 0))
			MPK_CHECK_FOR_INTERRUPTS();
	}
}

bool
mpk_print(mpk_text *text, const uint8 *p, unsigned flags, const mpk_text_style *style)
{
	printer		pr;
	mpk_order	order;
	bool		printed;

	/* the frames are not initialized: only what depth covers is ever read */
	pr.text = text;
	pr.style = style;
	pr.flags = flags;
	pr.order = NULL;
	pr.depth = 0;
	if (likely((flags & MPK_REPEATED_KEYS) == 0))
		return print_all(&pr, p);

	mpk_order_build(&order, p, MPK_KEEP_LAST);
	pr.order = &order;
	printed = print_all(&pr, p);
	mpk_order_free(&order);
	return printed;
}

/* ---- ->> ---- */

static bool
print_value_bin(mpk_text *text, const mpk_value *value)
{
	char	   *out = mpk_text_reserve(text, 2 * (size_t) value->length + 2);

	if (out == NULL)
		return false;
	out = PUT(out, "\\x");
	text_end_at(text, out + mpk_put_hex(out, value->body, value->length));
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
			return mpk_print(text, value->start, flags, &plain);
	}
	mpk_text_append(text, buffer, n);
	return !text->overflow;
}
