/*
 * scalar.h
 *		Order and equality of values that are no containers.
 */
#ifndef MPK_SCALAR_H
#define MPK_SCALAR_H

#include "codec/format.h"

/*
 * The rank of a value's kind in the order of all values: nil, boolean, number,
 * string, binary, timestamp, ext, array, map.  All number kinds share one.
 */
static inline int
mpk_kind_rank(mpk_kind kind)
{
	return mpk_is_number(kind) ? MPK_UINT : kind;
}

/*
 * Order of two scalars by meaning: -1, 0 or 1.  Strings and binaries by bytes,
 * exts by code, then bytes.  Agrees with mpk_hash_scalar (codec/hash.h).
 */
extern int	mpk_scalar_compare(const mpk_value *a, const mpk_value *b);

/* Byte strings: by bytes, then the shorter first. */
extern int	mpk_bytes_compare(const uint8 *a, size_t a_length, const uint8 *b, size_t b_length);

#endif							/* MPK_SCALAR_H */
