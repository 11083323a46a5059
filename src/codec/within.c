/*
 * within.c
 *		Reading and skipping values inside bounds that are not to be trusted.
 */
#include "codec/within.h"

/* How often a long walk looks for a query cancel: once per so many values, less one (a mask). */
#define INTERRUPT_MASK		0xffff

/*
 * The types from 0xc0 to 0xdf: bytes of the head, and in how many of them,
 * after the type byte, the length of the body or the count of values stands.
 */
typedef struct head_row
{
	uint8		head;			/* 0: no value begins so */
	uint8		width;
	enum
	{
		HEAD_ONLY, HEAD_BODY, HEAD_ARRAY, HEAD_MAP
	}			then;
} head_row;

static const head_row head_rows[32] = {
	[MPK_BYTE_NIL - MPK_BYTE_NIL] = {1, 0, HEAD_ONLY},
	[MPK_BYTE_FALSE - MPK_BYTE_NIL] = {1, 0, HEAD_ONLY},
	[MPK_BYTE_TRUE - MPK_BYTE_NIL] = {1, 0, HEAD_ONLY},
	[MPK_BYTE_BIN8 - MPK_BYTE_NIL] = {2, 1, HEAD_BODY},
	[MPK_BYTE_BIN16 - MPK_BYTE_NIL] = {3, 2, HEAD_BODY},
	[MPK_BYTE_BIN32 - MPK_BYTE_NIL] = {5, 4, HEAD_BODY},
	[MPK_BYTE_EXT8 - MPK_BYTE_NIL] = {3, 1, HEAD_BODY},
	[MPK_BYTE_EXT16 - MPK_BYTE_NIL] = {4, 2, HEAD_BODY},
	[MPK_BYTE_EXT32 - MPK_BYTE_NIL] = {6, 4, HEAD_BODY},
	[MPK_BYTE_FLOAT32 - MPK_BYTE_NIL] = {5, 0, HEAD_ONLY},
	[MPK_BYTE_FLOAT64 - MPK_BYTE_NIL] = {9, 0, HEAD_ONLY},
	[MPK_BYTE_UINT8 - MPK_BYTE_NIL] = {2, 0, HEAD_ONLY},
	[MPK_BYTE_UINT16 - MPK_BYTE_NIL] = {3, 0, HEAD_ONLY},
	[MPK_BYTE_UINT32 - MPK_BYTE_NIL] = {5, 0, HEAD_ONLY},
	[MPK_BYTE_UINT64 - MPK_BYTE_NIL] = {9, 0, HEAD_ONLY},
	[MPK_BYTE_INT8 - MPK_BYTE_NIL] = {2, 0, HEAD_ONLY},
	[MPK_BYTE_INT16 - MPK_BYTE_NIL] = {3, 0, HEAD_ONLY},
	[MPK_BYTE_INT32 - MPK_BYTE_NIL] = {5, 0, HEAD_ONLY},
	[MPK_BYTE_INT64 - MPK_BYTE_NIL] = {9, 0, HEAD_ONLY},
	[MPK_BYTE_FIXEXT1 - MPK_BYTE_NIL] = {3, 0, HEAD_ONLY},
	[MPK_BYTE_FIXEXT2 - MPK_BYTE_NIL] = {4, 0, HEAD_ONLY},
	[MPK_BYTE_FIXEXT4 - MPK_BYTE_NIL] = {6, 0, HEAD_ONLY},
	[MPK_BYTE_FIXEXT8 - MPK_BYTE_NIL] = {10, 0, HEAD_ONLY},
	[MPK_BYTE_FIXEXT16 - MPK_BYTE_NIL] = {18, 0, HEAD_ONLY},
	[MPK_BYTE_STR8 - MPK_BYTE_NIL] = {2, 1, HEAD_BODY},
	[MPK_BYTE_STR16 - MPK_BYTE_NIL] = {3, 2, HEAD_BODY},
	[MPK_BYTE_STR32 - MPK_BYTE_NIL] = {5, 4, HEAD_BODY},
	[MPK_BYTE_ARRAY16 - MPK_BYTE_NIL] = {3, 2, HEAD_ARRAY},
	[MPK_BYTE_ARRAY32 - MPK_BYTE_NIL] = {5, 4, HEAD_ARRAY},
	[MPK_BYTE_MAP16 - MPK_BYTE_NIL] = {3, 2, HEAD_MAP},
	[MPK_BYTE_MAP32 - MPK_BYTE_NIL] = {5, 4, HEAD_MAP},
};

static inline uint32
load_length(const uint8 *p, int width)
{
	if (width == 1)
		return *p;
	return width == 2 ? mpk_load16(p) : mpk_load32(p);
}

/* mpk_extent of the types from 0xc0 to 0xdf; adds a container's values to *owed. */
static size_t
extent_typed(const uint8 *p, const uint8 *end, uint64 *owed)
{
	const head_row *row = &head_rows[*p - MPK_BYTE_NIL];
	uint32		length;

	if (row->then == HEAD_ONLY)
		return row->head;
	if (end - p < 1 + row->width)
		return 0;
	length = load_length(p + 1, row->width);
	/* no value is so long; and with its head it might be more than a size_t holds */
	if (row->then == HEAD_BODY)
		return length <= MPK_MAX_PAYLOAD ? row->head + (size_t) length : 0;
	*owed += row->then == HEAD_MAP ? 2 * (uint64) length : length;
	return row->head;
}

size_t
mpk_extent_typed(const uint8 *p, const uint8 *end)
{
	uint64		owed = 0;

	return extent_typed(p, end, &owed);
}

const uint8 *
mpk_skip_many_within(const uint8 *p, const uint8 *end, uint64 count)
{
	uint64		owed = count;	/* values still to pass */
	uint64		passed = 0;

	while (owed > 0)
	{
		uint8		byte;
		size_t		extent = 1;

		if (unlikely(p >= end))
			return NULL;
		byte = *p;
		owed--;
		if (mpk_is_fixstr(byte))
			extent = mpk_fixstr_size(byte);
		else if (byte >= MPK_FIXMAP && byte < MPK_FIXSTR)
			owed += (uint64) (byte & 0x0f) << (byte < MPK_FIXARRAY);	/* fixmap counts pairs */
		else if (!mpk_is_fixint(byte))
			extent = mpk_is_all_head(byte) ? mpk_head_size[byte & 0x1f]
				: extent_typed(p, end, &owed);

		if (unlikely(extent == 0 || extent > (size_t) (end - p)))
			return NULL;
		p += extent;
		if (unlikely((++passed & INTERRUPT_MASK) == 0))
			MPK_CHECK_FOR_INTERRUPTS();
	}
	return p;
}
