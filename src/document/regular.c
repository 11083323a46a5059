/*
 * regular.c
 *		Irregular values: finding what is irregular, and making a regular copy.
 */
#include "document/regular.h"

#include "codec/sort.h"
#include "codec/utf8.h"

/* How often a long walk looks for a query cancel: once per so many bytes, less one (a mask). */
#define INTERRUPT_MASK		0xffff

/* U+FFFD, the replacement character */
static const uint8 replacement[] = {0xef, 0xbf, 0xbd};

/* ----------
 * Finding
 * ----------
 */

/* The first key that equals one before it in its map, or NULL. */
static const uint8 *
first_repeated_key(const uint8 *payload)
{
	mpk_order	order;

	mpk_order_build(&order, payload, MPK_KEEP_LAST);
	mpk_order_free(&order);
	return order.repeated_key;
}

unsigned
mpk_resolve_flags(const uint8 *payload, unsigned flags)
{
	if ((flags & MPK_COMPOUND_KEYS) == 0)
		return flags;
	flags &= ~MPK_COMPOUND_KEYS;
	if ((flags & MPK_REPEATED_KEYS) == 0 && first_repeated_key(payload) != NULL)
		flags |= MPK_REPEATED_KEYS;
	return flags;
}

/* The values that a value opens: its elements, or keys and values. */
static inline size_t
values_inside(const mpk_value *value)
{
	if (value->kind == MPK_MAP)
		return (size_t) value->length * 2;
	return value->kind == MPK_ARRAY ? value->length : 0;
}

static inline bool
is_invalid_str(const mpk_value *value)
{
	return value->kind == MPK_STR && !mpk_is_utf8(value->body, value->length);
}

/* The first str that is not UTF-8, or NULL. */
static const uint8 *
first_invalid_str(const uint8 *payload)
{
	const uint8 *p = payload;

	for (size_t owed = 1; owed > 0; owed--)
	{
		mpk_value	value;

		p = mpk_read(p, &value);
		if (is_invalid_str(&value))
			return value.start;
		owed += values_inside(&value);
		MPK_CHECK_FOR_INTERRUPTS();
	}
	return NULL;
}

mpk_irregularity
mpk_first_irregularity(const uint8 *payload, unsigned flags)
{
	mpk_irregularity found = {0, 0};
	const uint8 *str = (flags & MPK_INVALID_UTF8) ? first_invalid_str(payload) : NULL;
	const uint8 *key = (flags & MPK_REPEATED_KEYS) ? first_repeated_key(payload) : NULL;

	/* a key that is both is told for its bytes, which show at a glance */
	if (str != NULL && (key == NULL || str <= key))
	{
		found.flag = MPK_INVALID_UTF8;
		found.offset = str - payload;
	}
	else if (key != NULL)
	{
		found.flag = MPK_REPEATED_KEYS;
		found.offset = key - payload;
	}
	return found;
}

/* ----------
 * Repairing
 * ----------
 */

/*
 * Bytes of the piece at s that is no character and that one U+FFFD stands for:
 * a lead byte with as many of its continuation bytes as could have begun a
 * character (Unicode's "maximal subpart"), else one byte.
 */
static size_t
broken_piece(const uint8 *s, const uint8 *end)
{
	uint8		lead = *s;
	uint8		low = 0x80;
	uint8		high = 0xbf;
	size_t		want;
	size_t		n = 1;

	if (lead < 0xc2 || lead > 0xf4)
		return 1;
	want = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	if (lead == 0xe0)
		low = 0xa0;				/* below: overlong */
	else if (lead == 0xed)
		high = 0x9f;			/* above: surrogates */
	else if (lead == 0xf0)
		low = 0x90;				/* below: overlong */
	else if (lead == 0xf4)
		high = 0x8f;			/* above: past U+10FFFF */
	while (n < want && s + n < end && s[n] >= low && s[n] <= high)
	{
		n++;
		low = 0x80;
		high = 0xbf;
	}
	return n;
}

/*
 * Bytes of the longest prefix that is UTF-8, like mpk_utf8_prefix, which may look
 * at all that follows before it says that the first byte is none: for one broken
 * byte after the other that would take quadratic time.
 */
static size_t
good_prefix(const uint8 *s, const uint8 *end)
{
	const uint8 *p = s;
	uint32		codepoint;
	int			n;

	while ((n = mpk_utf8_decode(p, end, &codepoint)) > 0)
	{
		p += n;
		if (unlikely(((p - s) & INTERRUPT_MASK) == 0))
			MPK_CHECK_FOR_INTERRUPTS();
	}
	return p - s;
}

/* Call with writer NULL to learn the length. */
static size_t
write_replaced(mpk_writer *writer, const uint8 *s, size_t length)
{
	const uint8 *end = s + length;
	size_t		written = 0;

	while (s < end)
	{
		size_t		good = good_prefix(s, end);

		MPK_CHECK_FOR_INTERRUPTS();
		if (writer != NULL)
			mpk_write_raw(writer, s, good);
		s += good;
		written += good;
		if (s == end)
			break;
		if (writer != NULL)
			mpk_write_raw(writer, replacement, sizeof(replacement));
		s += broken_piece(s, end);
		written += sizeof(replacement);
	}
	return written;
}

static void
repair_str(mpk_writer *writer, const mpk_value *value, mpk_utf8_repair repair)
{
	uint8		head[9];
	size_t		length;

	if (repair == MPK_UTF8_BINARY)
	{
		mpk_write_bin(writer, value->body, value->length);
		return;
	}
	length = write_replaced(NULL, value->body, value->length);
	if (length > MPK_MAX_PAYLOAD)
	{
		writer->overflow = true;
		return;
	}
	mpk_write_raw(writer, head, mpk_put_str_head(head, (uint32) length));
	write_replaced(writer, value->body, value->length);
}

void
mpk_repair_utf8(mpk_writer *writer, const uint8 *payload, mpk_utf8_repair repair)
{
	const uint8 *p = payload;

	for (size_t owed = 1; owed > 0 && !writer->overflow; owed--)
	{
		mpk_value	value;

		MPK_CHECK_FOR_INTERRUPTS();
		p = mpk_read(p, &value);
		if (is_invalid_str(&value))
			repair_str(writer, &value, repair);
		else
			mpk_write_raw(writer, value.start, p - value.start);
		owed += values_inside(&value);
	}
}

/* A container being copied. */
typedef struct copy_frame
{
	uint32	   *order;			/* of a map that loses pairs: which to write; palloc'd */
	uint32		next;
	const mpk_order_map *map;	/* its entry */
	uint32		left;			/* values still to come */
} copy_frame;

/* The pairs that are kept, as indexes into the map's run, in the order of their homes. */
static int
compare_homes(uint32 a, uint32 b, const void *context)
{
	const uint32 *homes = context;

	return homes[a] < homes[b] ? -1 : homes[a] > homes[b];
}

static uint32 *
pairs_in_place(const mpk_order *order, const mpk_order_map *map)
{
	uint32	   *indexes = palloc_extended(map->count * sizeof(uint32), MCXT_ALLOC_HUGE);

	for (uint32 i = 0; i < map->count; i++)
		indexes[i] = i;
	mpk_sort_places(indexes, map->count, compare_homes, order->homes + map->first);
	return indexes;
}

/* Write the head of a container, and begin a frame for what is in it. */
static void
enter_copy(mpk_writer *writer, copy_frame *frame, const mpk_order *order, const mpk_value *value)
{
	const mpk_order_map *map = value->kind == MPK_MAP ? mpk_order_find(order, value->start) : NULL;

	frame->order = NULL;
	if (map != NULL && map->repeated)
	{
		frame->order = pairs_in_place(order, map);
		frame->next = 0;
		frame->map = map;
		frame->left = map->count * 2;
		mpk_write_map_head(writer, map->count);
	}
	else
	{
		frame->left = (uint32) values_inside(value);
		mpk_write_raw(writer, value->start, value->body - value->start);
	}
}

/* Leave the containers that are complete; p is behind what was written last. */
static const uint8 *
leave_copy(copy_frame *stack, int *depth, const mpk_order *order, const uint8 *p)
{
	while (*depth > 0 && stack[*depth - 1].left == 0)
	{
		copy_frame *frame = &stack[--*depth];

		if (frame->order != NULL)
		{
			p = order->start + frame->map->end;
			pfree(frame->order);
		}
	}
	return p;
}

/* Where the next value of the container is. */
static const uint8 *
next_copy(copy_frame *frame, const mpk_order *order, const uint8 *p)
{
	if (frame->left-- % 2 == 0 && frame->order != NULL)
		p = order->start + order->pairs[frame->map->first + frame->order[frame->next++]];
	return p;
}

void
mpk_drop_repeated_keys(mpk_writer *writer, const uint8 *payload, mpk_keep keep)
{
	copy_frame	stack[MPK_MAX_DEPTH];
	int			depth = 0;
	mpk_order	order;
	const uint8 *p = payload;

	mpk_order_build(&order, payload, keep);
	do
	{
		mpk_value	value;

		MPK_CHECK_FOR_INTERRUPTS();
		if (depth > 0)
			p = next_copy(&stack[depth - 1], &order, p);
		p = mpk_read(p, &value);
		if (mpk_is_container(value.kind))
			enter_copy(writer, &stack[depth++], &order, &value);
		else
			mpk_write_raw(writer, value.start, p - value.start);
		p = leave_copy(stack, &depth, &order, p);
	} while (depth > 0 && !writer->overflow);
	mpk_order_free(&order);
}
