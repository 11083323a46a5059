/*
 * format.c
 *		Reading and skipping values of a validated payload.
 */
#include "codec/format.h"

#include "codec/timestamp.h"

/* How often a long walk looks for a query cancel: once per so many values, less one (a mask). */
#define INTERRUPT_MASK		0xffff

#define TIMES_16(n)		n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n

const uint8 mpk_fixed_size[256] = {
	TIMES_16(1), TIMES_16(1), TIMES_16(1), TIMES_16(1),	/* 00-7f positive fixint */
	TIMES_16(1), TIMES_16(1), TIMES_16(1), TIMES_16(1),
	TIMES_16(0), TIMES_16(0),	/* 80-9f fixmap, fixarray */
	TIMES_16(0), TIMES_16(0),	/* a0-bf fixstr */
	1, 0, 1, 1,					/* c0 nil, c1 (never used), c2 false, c3 true */
	0, 0, 0, 0, 0, 0,			/* c4-c9 bin, ext */
	5, 9,						/* ca float 32, cb float 64 */
	2, 3, 5, 9,					/* cc uint 8, cd uint 16, ce uint 32, cf uint 64 */
	2, 3, 5, 9,					/* d0 int 8, d1 int 16, d2 int 32, d3 int 64 */
	3, 4, 6, 10, 18,			/* d4 fixext 1, d5 2, d6 4, d7 8, d8 16 */
	0, 0, 0, 0, 0, 0, 0,		/* d9-df str, array, map */
	TIMES_16(1), TIMES_16(1)	/* e0-ff negative fixint */
};

static inline const uint8 *
set_nil(mpk_value *value, const uint8 *end)
{
	value->kind = MPK_NIL;
	return value->body = end;
}

static inline const uint8 *
set_boolean(mpk_value *value, bool v, const uint8 *end)
{
	value->kind = MPK_BOOLEAN;
	value->as.boolean = v;
	return value->body = end;
}

static inline const uint8 *
set_signed(mpk_value *value, int64 v, const uint8 *end)
{
	if (v >= 0)
	{
		value->kind = MPK_UINT;
		value->as.u64 = (uint64) v;
	}
	else
	{
		value->kind = MPK_INT;
		value->as.i64 = v;
	}
	return value->body = end;
}

static inline const uint8 *
set_unsigned(mpk_value *value, uint64 v, const uint8 *end)
{
	value->kind = MPK_UINT;
	value->as.u64 = v;
	return value->body = end;
}

static inline const uint8 *
set_bytes(mpk_value *value, mpk_kind kind, uint32 length, const uint8 *body)
{
	value->kind = kind;
	value->length = length;
	value->body = body;
	return body + length;
}

static inline const uint8 *
set_container(mpk_value *value, mpk_kind kind, uint32 count, const uint8 *body)
{
	value->kind = kind;
	value->length = count;
	return value->body = body;
}

/* "code" points to the type code, which the bytes follow. */
static const uint8 *
set_ext(mpk_value *value, uint32 length, const uint8 *code)
{
	value->ext_code = (int8) *code;
	value->kind = MPK_EXT;
	value->length = length;
	value->body = code + 1;
	if (value->ext_code == MPK_EXT_TIMESTAMP &&
		mpk_timestamp_decode(value->body, length, &value->as.timestamp))
		value->kind = MPK_TIMESTAMP;
	return value->body + length;
}

static inline const uint8 *
set_float32(mpk_value *value, uint32 bits, const uint8 *end)
{
	value->kind = MPK_FLOAT32;
	memcpy(&value->as.f32, &bits, sizeof(bits));
	return value->body = end;
}

static inline const uint8 *
set_float64(mpk_value *value, uint64 bits, const uint8 *end)
{
	value->kind = MPK_FLOAT64;
	memcpy(&value->as.f64, &bits, sizeof(bits));
	return value->body = end;
}

/* The types that have a type byte of their own, c0 to df: a table of them. */
static inline const uint8 *
read_listed(uint8 byte, const uint8 *p, mpk_value *value)
{
	switch (byte)
	{
		case MPK_BYTE_NIL:
		case MPK_BYTE_NEVER_USED:	/* cannot happen in a validated payload */
			return set_nil(value, p + 1);
		case MPK_BYTE_FALSE:
			return set_boolean(value, false, p + 1);
		case MPK_BYTE_TRUE:
			return set_boolean(value, true, p + 1);
		case MPK_BYTE_BIN8:
			return set_bytes(value, MPK_BIN, p[1], p + 2);
		case MPK_BYTE_BIN16:
			return set_bytes(value, MPK_BIN, mpk_load16(p + 1), p + 3);
		case MPK_BYTE_BIN32:
			return set_bytes(value, MPK_BIN, mpk_load32(p + 1), p + 5);
		case MPK_BYTE_EXT8:
			return set_ext(value, p[1], p + 2);
		case MPK_BYTE_EXT16:
			return set_ext(value, mpk_load16(p + 1), p + 3);
		case MPK_BYTE_EXT32:
			return set_ext(value, mpk_load32(p + 1), p + 5);
		case MPK_BYTE_FLOAT32:
			return set_float32(value, mpk_load32(p + 1), p + 5);
		case MPK_BYTE_FLOAT64:
			return set_float64(value, mpk_load64(p + 1), p + 9);
		case MPK_BYTE_UINT8:
			return set_unsigned(value, p[1], p + 2);
		case MPK_BYTE_UINT16:
			return set_unsigned(value, mpk_load16(p + 1), p + 3);
		case MPK_BYTE_UINT32:
			return set_unsigned(value, mpk_load32(p + 1), p + 5);
		case MPK_BYTE_UINT64:
			return set_unsigned(value, mpk_load64(p + 1), p + 9);
		case MPK_BYTE_INT8:
			return set_signed(value, (int8) p[1], p + 2);
		case MPK_BYTE_INT16:
			return set_signed(value, (int16) mpk_load16(p + 1), p + 3);
		case MPK_BYTE_INT32:
			return set_signed(value, (int32) mpk_load32(p + 1), p + 5);
		case MPK_BYTE_INT64:
			return set_signed(value, (int64) mpk_load64(p + 1), p + 9);
		case MPK_BYTE_STR8:
			return set_bytes(value, MPK_STR, p[1], p + 2);
		case MPK_BYTE_STR16:
			return set_bytes(value, MPK_STR, mpk_load16(p + 1), p + 3);
		case MPK_BYTE_STR32:
			return set_bytes(value, MPK_STR, mpk_load32(p + 1), p + 5);
		case MPK_BYTE_ARRAY16:
			return set_container(value, MPK_ARRAY, mpk_load16(p + 1), p + 3);
		case MPK_BYTE_ARRAY32:
			return set_container(value, MPK_ARRAY, mpk_load32(p + 1), p + 5);
		case MPK_BYTE_MAP16:
			return set_container(value, MPK_MAP, mpk_load16(p + 1), p + 3);
		case MPK_BYTE_MAP32:
			return set_container(value, MPK_MAP, mpk_load32(p + 1), p + 5);
		default:
			Assert(byte >= MPK_BYTE_FIXEXT1 && byte <= MPK_BYTE_FIXEXT16);
			return set_ext(value, 1u << (byte - MPK_BYTE_FIXEXT1), p + 1);
	}
}

const uint8 *
mpk_read_typed(const uint8 *p, mpk_value *value)
{
	uint8		byte = *p;

	value->start = p;
	if (byte < MPK_FIXARRAY)
		return set_container(value, MPK_MAP, byte & 0x0f, p + 1);
	if (byte < MPK_FIXSTR)
		return set_container(value, MPK_ARRAY, byte & 0x0f, p + 1);
	if (byte >= MPK_NEGATIVE_FIXINT)
		return set_signed(value, (int8) byte, p + 1);
	return read_listed(byte, p, value);
}

const uint8 *
mpk_skip_sized(const uint8 *p, uint64 *owed)
{
	*owed = 0;
	switch (*p)
	{
		case MPK_BYTE_BIN8:
		case MPK_BYTE_STR8:
			return p + 2 + p[1];
		case MPK_BYTE_BIN16:
		case MPK_BYTE_STR16:
			return p + 3 + mpk_load16(p + 1);
		case MPK_BYTE_BIN32:
		case MPK_BYTE_STR32:
			return p + 5 + mpk_load32(p + 1);
		case MPK_BYTE_EXT8:
			return p + 3 + p[1];
		case MPK_BYTE_EXT16:
			return p + 4 + mpk_load16(p + 1);
		case MPK_BYTE_EXT32:
			return p + 6 + mpk_load32(p + 1);
		case MPK_BYTE_ARRAY16:
			*owed = mpk_load16(p + 1);
			return p + 3;
		case MPK_BYTE_ARRAY32:
			*owed = mpk_load32(p + 1);
			return p + 5;
		case MPK_BYTE_MAP16:
			*owed = 2 * (uint64) mpk_load16(p + 1);
			return p + 3;
		case MPK_BYTE_MAP32:
			*owed = 2 * (uint64) mpk_load32(p + 1);
			return p + 5;
		default:
			Assert(false);		/* cannot happen in a validated payload */
			return p + 1;
	}
}

const uint8 *
mpk_skip(const uint8 *p)
{
	uint64		owed = 1;		/* values still to pass */
	uint64		passed = 0;

	do
	{
		owed--;
		p = mpk_skip_one(p, &owed);
		if (unlikely((++passed & INTERRUPT_MASK) == 0))
			MPK_CHECK_FOR_INTERRUPTS();
	} while (owed > 0);
	return p;
}
