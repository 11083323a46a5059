/*
 * msgpack_numeric.h
 *		Numbers to and from the bytes of PostgreSQL's numeric, without going through its text.
 *
 * The layout of a numeric's digits is private to the server, but it is also
 * what lies on every disk: it has not changed since 9.1 and cannot change
 * without breaking pg_upgrade.  src/msgpack_numeric.c tells it.
 */
#ifndef MSGPACK_NUMERIC_H
#define MSGPACK_NUMERIC_H

#include "compat.h"

#include "codec/format.h"

/* Bytes that any MessagePack number takes as a numeric, varlena header included. */
#define MSGPACK_NUMERIC_MAX		24

/*
 * Write a number (which is neither NaN nor infinite) as a numeric with a
 * 4-byte varlena header to out, which is aligned for int32 and has room for
 * MSGPACK_NUMERIC_MAX bytes.  Returns the bytes written.  An integer has scale
 * 0; a float has the digits of its shortest representation and at least one
 * after the point (1.0, 1e300 too), so that the way back makes a float of it.
 */
extern int	msgpack_numeric_write(const mpk_value *value, char *out);

/*
 * The same of a non-negative integer below 10,000, by far the most frequent
 * number: one digit behind a short header (src/msgpack_numeric.c).
 */
#define MSGPACK_NUMERIC_SMALL	10000

static inline int
msgpack_numeric_write_small(unsigned v, char *out)
{
	uint16		words[2] = {0x8000, (uint16) v};
	int			size = VARHDRSZ + (v == 0 ? sizeof(uint16) : sizeof(words));

	SET_VARSIZE(out, size);
	memcpy(out + VARHDRSZ, words, sizeof(words));
	return size;
}

/* Is the numeric one of those, but for 0?  Sets *v if so. */
static inline bool
msgpack_numeric_is_small(const char *numeric, unsigned *v)
{
	uint16		words[2];

	if (!VARATT_IS_4B_U(numeric) || VARSIZE(numeric) != VARHDRSZ + sizeof(words))
		return false;
	memcpy(words, numeric + VARHDRSZ, sizeof(words));
	*v = words[1];
	return words[0] == 0x8000;
}

typedef enum msgpack_numeric_fit
{
	MSGPACK_NUMERIC_EXACT,		/* the number has the numeric's digits, trailing zeros aside */
	MSGPACK_NUMERIC_ROUNDED,	/* the nearest float 64, with other digits */
	MSGPACK_NUMERIC_OUT_OF_RANGE	/* no finite float 64, or only zero, is near */
} msgpack_numeric_fit;

/*
 * The MessagePack number for a numeric (4-byte varlena header, uncompressed,
 * aligned).  Scale 0 gives the integer where 64 bits hold it; all else is the
 * nearest float 64, exact when its shortest digits are the numeric's own.
 * NaN and the infinities are the same float, exact.  Sets kind and number of
 * *value (not where it lies), but for MSGPACK_NUMERIC_OUT_OF_RANGE.
 */
extern msgpack_numeric_fit msgpack_numeric_read(const void *numeric, mpk_value *value);

#endif							/* MSGPACK_NUMERIC_H */
