/*
 * image.c
 *		A value's order in 64 bits, as far as they go.
 */
#include "document/image.h"

#include <math.h>


#define RANK_BITS		4
#define SIGN_BIT		(UINT64CONST(1) << 63)

/* Timestamps: what is further away than this has the image of the end. */
#define SECOND_BITS		36
#define SECONDS_END		(INT64CONST(1) << (SECOND_BITS - 1))
#define FRACTION_BITS	24

/* The first 8 bytes, zeros after a shorter one's end, as a big-endian number. */
static uint64
leading_bytes(const uint8 *s, uint32 length)
{
	uint8		head[8] = {0};

	memcpy(head, s, Min(length, sizeof(head)));
	return mpk_load64(head);
}

/* Rounding an integer to the nearest float 64 may join neighbours but never swaps them. */
static uint64
number_image(const mpk_value *value)
{
	double		f;
	uint64		bits;

	if (value->kind == MPK_UINT)
		f = (double) value->as.u64;
	else if (value->kind == MPK_INT)
		f = (double) value->as.i64;
	else
		f = mpk_float_value(value);
	if (isnan(f))
		return PG_UINT64_MAX;
	if (f == 0)
		return SIGN_BIT;		/* of either sign */
	memcpy(&bits, &f, sizeof(bits));
	return (bits & SIGN_BIT) ? ~bits : bits | SIGN_BIT;
}

static uint64
timestamp_image(mpk_timestamp timestamp)
{
	uint64		second;

	if (timestamp.seconds < -SECONDS_END)
		return 0;
	if (timestamp.seconds >= SECONDS_END)
		return PG_UINT64_MAX;
	second = (uint64) (timestamp.seconds + SECONDS_END);
	return (second << FRACTION_BITS | timestamp.nanoseconds >> (30 - FRACTION_BITS)) << RANK_BITS;
}

static uint64
ext_image(const mpk_value *value)
{
	uint64		code = (uint8) (value->ext_code + 128);

	return code << 56 | leading_bytes(value->body, value->length) >> 8;
}

/* What comes below the rank, in all 64 bits. */
static uint64
content_image(const mpk_value *value)
{
	switch (value->kind)
	{
		case MPK_BOOLEAN:
			return value->as.boolean ? SIGN_BIT : 0;
		case MPK_UINT:
		case MPK_INT:
		case MPK_FLOAT32:
		case MPK_FLOAT64:
			return number_image(value);
		case MPK_STR:
		case MPK_BIN:
			return leading_bytes(value->body, value->length);
		case MPK_TIMESTAMP:
			return timestamp_image(value->as.timestamp);
		case MPK_EXT:
			return ext_image(value);
		case MPK_MAP:
			return (uint64) value->length << 32;
		default:
			return 0;			/* nil; an array's is its first element's */
	}
}

/* Ranks from 0 to 8, so that four bits hold one. */
static uint64
rank_image(mpk_kind kind)
{
	static const uint8 ranks[] = {
		[MPK_NIL] = 0, [MPK_BOOLEAN] = 1, [MPK_UINT] = 2, [MPK_INT] = 2, [MPK_FLOAT32] = 2,
		[MPK_FLOAT64] = 2, [MPK_STR] = 3, [MPK_BIN] = 4, [MPK_TIMESTAMP] = 5, [MPK_EXT] = 6,
		[MPK_ARRAY] = 7, [MPK_MAP] = 8,
	};

	return ranks[kind];
}

uint64
mpk_order_image(const uint8 *p)
{
	uint64		image = 0;
	int			shift = 64 - RANK_BITS;

	for (;;)
	{
		mpk_value	value;

		p = mpk_read(p, &value);
		image |= rank_image(value.kind) << shift;
		if (shift == 0)
			return image;
		if (value.kind != MPK_ARRAY || value.length == 0)
			return image | content_image(&value) >> (64 - shift);
		shift -= RANK_BITS;
	}
}
