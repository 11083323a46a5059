/*
 * format.h
 *		The MessagePack format, and reading one value of it.
 *
 * A MessagePack value is a type byte, then what the type byte calls for.  All
 * numbers are big-endian.  Source: github.com/msgpack/msgpack, spec.md.
 *
 *	00-7f		positive fixint: the byte is the integer, 0 to 127
 *	80-8f		fixmap: low 4 bits count pairs; key, value, key, value ...
 *	90-9f		fixarray: low 4 bits count elements
 *	a0-bf		fixstr: low 5 bits count bytes
 *	c0			nil
 *	c1			never used; mpk's stored header begins with it (document/stored.h)
 *	c2 c3		false, true
 *	c4 c5 c6	bin 8, 16, 32: length in 1, 2, 4 bytes, then the bytes
 *	c7 c8 c9	ext 8, 16, 32: length in 1, 2, 4 bytes, a type code (int8), then the bytes
 *	ca cb		float 32, float 64: IEEE 754
 *	cc cd ce cf	uint 8, 16, 32, 64
 *	d0 d1 d2 d3	int 8, 16, 32, 64: two's complement
 *	d4-d8		fixext 1, 2, 4, 8, 16: type code (int8), then so many bytes
 *	d9 da db	str 8, 16, 32: length in 1, 2, 4 bytes, then the bytes
 *	dc dd		array 16, 32: count in 2, 4 bytes, then the elements
 *	de df		map 16, 32: count of pairs in 2, 4 bytes, then the pairs
 *	e0-ff		negative fixint: the byte as int8, -32 to -1
 *
 * Ext code -1 is a timestamp when it is proper: 4 bytes (uint32 seconds), 8
 * bytes (30 bits of nanoseconds, 34 bits of seconds) or 12 bytes (uint32
 * nanoseconds, int64 seconds), nanoseconds at most 999,999,999.  Any other ext
 * -1 is a plain ext.
 *
 * mpk accepts every encoding of a value, also those that are longer than
 * needed, and keeps it.  mpk_read and mpk_skip trust their input: it has
 * passed mpk_validate (codec/validate.h).
 */
#ifndef MPK_FORMAT_H
#define MPK_FORMAT_H

#include "codec/port.h"

/*
 * Nesting: a container inside 1,023 others is the deepest.  Far beyond what
 * encoders write (most stop at 100 to 512), it keeps every walk's explicit
 * stack at a size that fits the C stack.
 */
#define MPK_MAX_DEPTH			1024

/* Payload bytes: under 512 MB, so that "\x" and two hex digits a byte fit one allocation. */
#define MPK_MAX_PAYLOAD			((size_t) (0x1fffffff - 64))

/* Type bytes that begin a range, or stand alone. */
#define MPK_FIXMAP				0x80
#define MPK_FIXARRAY			0x90
#define MPK_FIXSTR				0xa0
#define MPK_BYTE_NIL			0xc0
#define MPK_BYTE_NEVER_USED		0xc1
#define MPK_BYTE_FALSE			0xc2
#define MPK_BYTE_TRUE			0xc3
#define MPK_BYTE_BIN8			0xc4
#define MPK_BYTE_BIN16			0xc5
#define MPK_BYTE_BIN32			0xc6
#define MPK_BYTE_EXT8			0xc7
#define MPK_BYTE_EXT16			0xc8
#define MPK_BYTE_EXT32			0xc9
#define MPK_BYTE_FLOAT32		0xca
#define MPK_BYTE_FLOAT64		0xcb
#define MPK_BYTE_UINT8			0xcc
#define MPK_BYTE_UINT16			0xcd
#define MPK_BYTE_UINT32			0xce
#define MPK_BYTE_UINT64			0xcf
#define MPK_BYTE_INT8			0xd0
#define MPK_BYTE_INT16			0xd1
#define MPK_BYTE_INT32			0xd2
#define MPK_BYTE_INT64			0xd3
#define MPK_BYTE_FIXEXT1		0xd4
#define MPK_BYTE_FIXEXT2		0xd5
#define MPK_BYTE_FIXEXT4		0xd6
#define MPK_BYTE_FIXEXT8		0xd7
#define MPK_BYTE_FIXEXT16		0xd8
#define MPK_BYTE_STR8			0xd9
#define MPK_BYTE_STR16			0xda
#define MPK_BYTE_STR32			0xdb
#define MPK_BYTE_ARRAY16		0xdc
#define MPK_BYTE_ARRAY32		0xdd
#define MPK_BYTE_MAP16			0xde
#define MPK_BYTE_MAP32			0xdf
#define MPK_NEGATIVE_FIXINT		0xe0

/* The longest str whose length is in its type byte. */
#define MPK_MAX_FIXSTR			31

#define MPK_EXT_TIMESTAMP		(-1)
#define MPK_MAX_NANOSECONDS		999999999

/*
 * Kinds of value, in the order in which values of different kinds compare
 * (doc/format.md, "Order"); the four number kinds compare with each other by value.
 */
typedef enum mpk_kind
{
	MPK_NIL,
	MPK_BOOLEAN,
	MPK_UINT,					/* integer >= 0, signed encodings of it included */
	MPK_INT,					/* integer < 0 */
	MPK_FLOAT32,
	MPK_FLOAT64,
	MPK_STR,
	MPK_BIN,
	MPK_TIMESTAMP,				/* a proper ext -1 */
	MPK_EXT,
	MPK_ARRAY,
	MPK_MAP
} mpk_kind;

/* A moment: whole seconds since 1970-01-01 00:00:00 UTC (floored), and nanoseconds after them. */
typedef struct mpk_timestamp
{
	int64		seconds;
	uint32		nanoseconds;	/* 0 to 999,999,999 */
} mpk_timestamp;

/* One decoded value; pointers lead into the payload that was read. */
typedef struct mpk_value
{
	const uint8 *start;			/* the type byte */
	const uint8 *body;			/* str, bin, ext, timestamp: the bytes; array, map: the first
								 * element or key; else one past the value */
	mpk_kind	kind;
	int8		ext_code;		/* MPK_EXT, MPK_TIMESTAMP */
	uint32		length;			/* str, bin, ext, timestamp: bytes; array: elements; map: pairs */
	union
	{
		bool		boolean;
		uint64		u64;		/* MPK_UINT */
		int64		i64;		/* MPK_INT */
		float		f32;
		double		f64;
		mpk_timestamp timestamp;
	}			as;
} mpk_value;

static inline bool
mpk_is_number(mpk_kind kind)
{
	return kind >= MPK_UINT && kind <= MPK_FLOAT64;
}

static inline bool
mpk_is_container(mpk_kind kind)
{
	return kind >= MPK_ARRAY;
}

/* Does a map, an array, or any container begin with this type byte? */
static inline bool
mpk_begins_map(uint8 byte)
{
	return (byte & 0xf0) == MPK_FIXMAP || byte == MPK_BYTE_MAP16 || byte == MPK_BYTE_MAP32;
}

static inline bool
mpk_begins_container(uint8 byte)
{
	return (byte >= MPK_FIXMAP && byte < MPK_FIXSTR) ||
		(byte >= MPK_BYTE_ARRAY16 && byte <= MPK_BYTE_MAP32);
}

static inline bool
mpk_begins_array(uint8 byte)
{
	return (byte & 0xf0) == MPK_FIXARRAY || byte == MPK_BYTE_ARRAY16 || byte == MPK_BYTE_ARRAY32;
}

/* Both float kinds as a double, exactly. */
static inline double
mpk_float_value(const mpk_value *value)
{
	return value->kind == MPK_FLOAT32 ? (double) value->as.f32 : value->as.f64;
}

/*
 * Decode the value that begins at p; p lies in a validated payload.  Returns
 * the byte after its head: for a container the first element, for all else
 * the byte after the value.
 */
static inline const uint8 *mpk_read(const uint8 *p, mpk_value *value);

/* The same of what is neither a fixint nor a fixstr. */
extern const uint8 *mpk_read_typed(const uint8 *p, mpk_value *value);

/* By the low bits of c0 to df: the type byte and what has a fixed size after it. */
static const uint8 mpk_head_size[32] = {
	1, 1, 1, 1,					/* c0 nil, c1 (never used), c2 false, c3 true */
	2, 3, 5,					/* c4 bin 8, c5 bin 16, c6 bin 32 */
	3, 4, 6,					/* c7 ext 8, c8 ext 16, c9 ext 32 */
	5, 9,						/* ca float 32, cb float 64 */
	2, 3, 5, 9,					/* cc uint 8, cd uint 16, ce uint 32, cf uint 64 */
	2, 3, 5, 9,					/* d0 int 8, d1 int 16, d2 int 32, d3 int 64 */
	3, 4, 6, 10, 18,			/* d4 fixext 1, d5 2, d6 4, d7 8, d8 16: whole */
	2, 3, 5,					/* d9 str 8, da str 16, db str 32 */
	3, 5,						/* dc array 16, dd array 32 */
	3, 5						/* de map 16, df map 32 */
};

/*
 * By the type byte: bytes of the value, where that alone tells them (fixints, nil,
 * booleans, numbers, fixext); 0 for all others.
 */
extern const uint8 mpk_fixed_size[256];

/* Of c0 to df: is it all head, as nil, booleans, numbers and fixext are? */
static inline bool
mpk_is_all_head(uint8 byte)
{
	return (UINT64CONST(0x01fffc0d) >> (byte & 0x1f) & 1) != 0;
}

static inline bool
mpk_is_fixstr(uint8 byte)
{
	return (byte & 0xe0) == MPK_FIXSTR;
}

/* Bytes of a whole fixstr: one addition, where its length and one more are two and a mask. */
static inline size_t
mpk_fixstr_size(uint8 byte)
{
	return (size_t) byte - (MPK_FIXSTR - 1);
}

static inline bool
mpk_is_fixint(uint8 byte)
{
	return byte < MPK_FIXMAP || byte >= MPK_NEGATIVE_FIXINT;
}

static inline const uint8 *
mpk_read(const uint8 *p, mpk_value *value)
{
	uint8		byte = *p;

	if (mpk_is_fixstr(byte))
	{
		value->start = p;
		value->kind = MPK_STR;
		value->length = byte & 0x1f;
		value->body = p + 1;
		return p + mpk_fixstr_size(byte);
	}
	if (byte < MPK_FIXMAP)
	{
		value->start = p;
		value->kind = MPK_UINT;
		value->as.u64 = byte;
		return value->body = p + 1;
	}
	return mpk_read_typed(p, value);
}

/* mpk_skip_one for what has a length or a count of its own; *owed is set, to 0 for scalars. */
extern const uint8 *mpk_skip_sized(const uint8 *p, uint64 *owed);

/*
 * Past the value at p in a validated payload, or past the head alone of a
 * container, whose values are added to *owed.
 */
static inline const uint8 *
mpk_skip_one(const uint8 *p, uint64 *owed)
{
	uint8		byte = *p;
	uint64		values;

	if (mpk_is_fixstr(byte))
		return p + mpk_fixstr_size(byte);
	if (mpk_is_fixint(byte))
		return p + 1;
	if (byte < MPK_FIXSTR)
	{
		/* fixmap counts pairs */
		*owed += (uint64) (byte & 0x0f) << (byte < MPK_FIXARRAY);
		return p + 1;
	}
	if (likely(mpk_is_all_head(byte)))
		return p + mpk_head_size[byte & 0x1f];
	p = mpk_skip_sized(p, &values);
	*owed += values;
	return p;
}

/* The byte after the value at p, which lies in a validated payload.  Iterative; cancellable. */
extern const uint8 *mpk_skip(const uint8 *p);

/* The byte after a value that mpk_read has decoded. */
static inline const uint8 *
mpk_value_end(const mpk_value *value)
{
	if (mpk_is_container(value->kind))
		return mpk_skip(value->start);
	return value->kind >= MPK_STR ? value->body + value->length : value->body;
}

#endif							/* MPK_FORMAT_H */
