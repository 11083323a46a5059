/*
 * text_print.c
 *		Text that grows, and the printer's loop.
 *
 * One pass with an explicit stack.  Where the text has got to is kept in local
 * variables, and what documents are made of most, short strings, small
 * integers and small containers, is printed in the loop itself.
 */
#include "codec/port.h"

#include "document/text.h"
#include "document/text_internal.h"
#include "document/text_scan.h"

/* What one turn of the loop writes itself, at most. */
#define TURN_ROOM		128

/* Of it, what is left for closing brackets and a separator. */
#define CLOSE_ROOM		16

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
		mpk_copy(out, s, length);
		text->length += length;
	}
}

/* ---- containers ---- */

static bool
repeats_key(const mpk_order *order, const mpk_value *map)
{
	const mpk_order_map *found = mpk_order_find(order, map->start);

	return found != NULL && found->repeated;
}

/* The opening of a container with its marks. */
static bool
print_open(mpk_printer *pr, const mpk_value *value)
{
	char	   *out = mpk_text_reserve(pr->text, MPK_VALUE_ROOM);
	bool		marked = pr->style->marks && !mpk_head_is_shortest(value);
	bool		dup;

	if (unlikely(out == NULL))
		return false;
	dup = value->kind == MPK_MAP && pr->order != NULL && repeats_key(pr->order, value);
	*out++ = value->kind == MPK_MAP ? '{' : '[';
	if (marked && (*value->start == MPK_BYTE_ARRAY16 || *value->start == MPK_BYTE_MAP16))
		out = MPK_PUT(out, "_16");
	else if (marked)
		out = MPK_PUT(out, "_32");
	if (dup)
		out = MPK_PUT(out, "_dup");
	if ((dup || marked) && value->length > 0 && !pr->style->pretty)
		*out++ = ' ';
	mpk_text_end_at(pr->text, out);
	return true;
}

static bool
print_newline(mpk_printer *pr, int depth)
{
	size_t		indent = 4 * (size_t) depth;
	char	   *out = mpk_text_reserve(pr->text, 1 + indent + TURN_ROOM);

	/* a line may be 4 KB of indentation */
	MPK_CHECK_FOR_INTERRUPTS();
	if (out == NULL)
		return false;
	*out = '\n';
	memset(out + 1, ' ', indent);
	pr->text->length += 1 + indent;
	return true;
}

static inline void
push_frame(mpk_printer *pr, mpk_print_frame *top, bool is_map, uint64 count)
{
	pr->frames[pr->depth++] = *top;
	top->is_map = is_map;
	top->left = count << is_map;
}

/* ---- the loop ---- */

/* Where reading and writing have got to; handed around by value, to stay in registers. */
typedef struct print_cursor
{
	const uint8 *p;
	char	   *out;
} print_cursor;

/*
 * A fixstr in which nothing must be escaped, of which 33 bytes may be read.
 * The cursor does not move when it is another one.
 */
static inline print_cursor
put_fixstr(print_cursor c)
{
	uint32		length = *c.p & 0x1f;
	uint32		special = mpk_special_bytes(c.p + 1, '"') | mpk_special_bytes(c.p + 17, '"') << 16;

	if (unlikely((special & ((UINT32_C(1) << length) - 1)) != 0))
		return c;
	mpk_copy16(c.out + 1, c.p + 1);
	mpk_copy16(c.out + 17, c.p + 17);
	c.out[0] = '"';
	c.out[1 + length] = '"';
	c.out += length + 2;
	c.p += 1 + length;
	return c;
}

/* cc to d3, an integer in its shortest form, of which 9 bytes may be read. */
static inline print_cursor
put_integer(print_cursor c)
{
	/* by the low two bits of the type byte: 8, 16, 32, 64 bits */
	static const uint64 least[4] = {0x80, 0x100, 0x10000, UINT64CONST(0x100000000)};
	static const int64 most[4] = {-33, -129, -32769, INT64CONST(-2147483649)};
	int			width = 1 << (*c.p & 3);
	uint64		bits = mpk_load64(c.p + 1);
	char	   *out = c.out;

	if (*c.p < MPK_BYTE_INT8)
	{
		bits >>= 64 - 8 * width;
		if (unlikely(bits < least[*c.p & 3]))
			return c;
	}
	else
	{
		int64		v = (int64) bits >> (64 - 8 * width);

		if (unlikely(v > most[*c.p & 3]))
			return c;
		*out++ = '-';
		bits = 0 - (uint64) v;
	}
	c.out = out + mpk_put_digits(out, bits);
	c.p += 1 + width;
	return c;
}

/* cb, of which 9 bytes may be read. */
static inline print_cursor
put_float64(print_cursor c)
{
	mpk_value	value;
	uint64		bits = mpk_load64(c.p + 1);

	value.kind = MPK_FLOAT64;
	value.start = c.p;
	memcpy(&value.as.f64, &bits, sizeof(bits));
	c.out += mpk_print_float(&value, c.out);
	c.p += 9;
	return c;
}

/* What documents are made of most, but for containers.  The cursor does not move for all else. */
static inline print_cursor
put_common(print_cursor c, bool plain_str)
{
	uint8		byte = *c.p;

	if (mpk_is_fixstr(byte))
		return plain_str ? put_fixstr(c) : c;
	if (byte < MPK_FIXMAP)
	{
		c.out += mpk_put_digits(c.out, byte);
		c.p++;
	}
	else if (byte >= MPK_NEGATIVE_FIXINT)
	{
		*c.out = '-';
		c.out += 1 + mpk_put_digits(c.out + 1, 256 - byte);
		c.p++;
	}
	else if (byte == MPK_BYTE_FLOAT64)
		return put_float64(c);
	else if (byte >= MPK_BYTE_UINT8 && byte <= MPK_BYTE_INT64)
		return put_integer(c);
	else if (byte >= MPK_BYTE_NIL && byte <= MPK_BYTE_TRUE)
	{
		/* a byte more is written than counts, for false as for the others */
		memcpy(c.out, byte == MPK_BYTE_NIL ? "null " :
			   byte == MPK_BYTE_TRUE ? "true " : "false", 5);
		c.out += byte == MPK_BYTE_FALSE ? 5 : 4;
		c.p++;
	}
	return c;
}

/*
 * Any value at p, or the opening of a container, which becomes the top.
 * Returns the byte after what was printed, NULL when it did not fit.
 */
static const uint8 *
print_next(mpk_printer *pr, const uint8 *p, mpk_print_frame *top)
{
	mpk_value	value;

	p = mpk_read(p, &value);
	if (!mpk_is_container(value.kind))
		return mpk_print_scalar(pr, &value) ? p : NULL;
	if (!print_open(pr, &value))
		return NULL;
	push_frame(pr, top, value.kind == MPK_MAP, value.length);
	return p;
}

/* From the end of one entry to the next one's beginning, with lines and indentation. */
static bool
print_pretty_separator(mpk_printer *pr, const mpk_print_frame *top, bool opened)
{
	if (top->is_map && (top->left & 1) != 0)
	{
		mpk_text_append(pr->text, ": ", 2);
		return !pr->text->overflow;
	}
	if (!opened)
		mpk_text_append(pr->text, ",", 1);
	return print_newline(pr, pr->depth);
}

/* Hand the end of the text over to what prints through the mpk_text, and take it back. */
static inline void
leave(mpk_printer *pr, print_cursor c)
{
	mpk_text_end_at(pr->text, c.out);
}

static inline print_cursor
enter(mpk_printer *pr, const uint8 *p)
{
	print_cursor c = {p, mpk_text_data(pr->text) + pr->text->length};

	return c;
}

static inline size_t
room(const mpk_printer *pr, print_cursor c)
{
	return pr->text->capacity - (size_t) (c.out - mpk_text_data(pr->text));
}

/* A cursor whose p is NULL stands for text that did not fit. */
static const print_cursor failed = {NULL, NULL};

/* A key and the value after it, one value, or the opening of a container, which becomes the top. */
static pg_attribute_always_inline print_cursor
print_turn(mpk_printer *pr, print_cursor c, mpk_print_frame *top, bool plain_str)
{
	const uint8 *p = c.p;

	if (likely(room(pr, c) >= TURN_ROOM && p < pr->roomy))
	{
		if (top->is_map && (top->left & 1) != 0 && mpk_is_fixstr(*p) && plain_str)
		{
			c = put_fixstr(c);
			if (likely(c.p != p))
			{
				c.out = MPK_PUT(c.out, ": ");
				top->left--;
				p = c.p;
			}
		}
		if (*p >= MPK_FIXMAP && *p < MPK_FIXSTR && pr->order == NULL)
		{
			*c.out++ = *p < MPK_FIXARRAY ? '{' : '[';
			push_frame(pr, top, *p < MPK_FIXARRAY, *p & 0x0f);
			c.p++;
			return c;
		}
		c = put_common(c, plain_str);
		if (likely(c.p != p))
			return c;
	}
	leave(pr, c);
	MPK_CHECK_FOR_INTERRUPTS();
	p = print_next(pr, p, top);
	if (unlikely(p == NULL || mpk_text_reserve(pr->text, CLOSE_ROOM) == NULL))
		return failed;
	return enter(pr, p);
}

/*
 * Go on in a copy of the rest, in which all places are roomy.  Returns its
 * start.  Maps that repeat keys are known by where they are: then it stays.
 */
static const uint8 *
enter_tail(mpk_printer *pr, const uint8 *p)
{
	size_t		length = (size_t) (pr->end - p);

	if (pr->order != NULL)
		return p;
	memcpy(pr->tail, p, length);
	memset(pr->tail + length, 0, MPK_PRINT_ROOMY);
	pr->roomy = pr->tail + sizeof(pr->tail);
	return pr->tail;
}

/* Close the containers that are full. */
static inline print_cursor
print_closing(mpk_printer *pr, print_cursor c, mpk_print_frame *top)
{
	while (top->left == 0 && pr->depth > 0)
	{
		if (unlikely(pr->style->pretty || room(pr, c) < CLOSE_ROOM))
		{
			leave(pr, c);
			if (pr->style->pretty ? !print_newline(pr, pr->depth - 1)
				: !mpk_text_grow(pr->text, TURN_ROOM))
				return failed;
			c = enter(pr, c.p);
		}
		*c.out++ = top->is_map ? '}' : ']';
		*top = pr->frames[--pr->depth];
	}
	return c;
}

/* The value at p; the loop ends when nothing is left of the frame that holds it alone. */
static bool
print_all(mpk_printer *pr, const uint8 *p)
{
	const bool	plain_str = pr->style->holds == NULL && (pr->flags & MPK_INVALID_UTF8) == 0;
	mpk_print_frame top = {1, false};
	print_cursor c = enter(pr, p);

	for (unsigned turns = 1;; turns++)
	{
		int			depth = pr->depth;
		bool		opened;

		if (unlikely((turns & 0xffff) == 0))
			MPK_CHECK_FOR_INTERRUPTS();
		top.left--;
		if (unlikely(c.p >= pr->roomy))
			c.p = enter_tail(pr, c.p);
		c = print_turn(pr, c, &top, plain_str);
		opened = pr->depth > depth && top.left > 0;
		if (likely(c.p != NULL) && top.left == 0)
			c = print_closing(pr, c, &top);
		if (unlikely(c.p == NULL))
			return false;
		if (top.left == 0)
		{
			leave(pr, c);
			return true;
		}
		if (unlikely(pr->style->pretty))
		{
			leave(pr, c);
			if (!print_pretty_separator(pr, &top, opened))
				return false;
			c = enter(pr, c.p);
		}
		else if (!opened)
		{
			c.out[0] = top.is_map && (top.left & 1) != 0 ? ':' : ',';
			c.out[1] = ' ';
			c.out += 2;
		}
	}
}

bool
mpk_print(mpk_text *text, const uint8 *p, const uint8 *end, unsigned flags,
		  const mpk_text_style *style)
{
	mpk_printer pr;
	mpk_order	order;
	bool		printed;

	/* the frames are not initialized: only what depth covers is ever read */
	pr.text = text;
	pr.style = style;
	pr.end = end;
	pr.roomy = end - Min((size_t) (end - p), MPK_PRINT_ROOMY);
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
