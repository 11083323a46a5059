/*
 * hash.h
 *		The hash of one scalar value, by value.
 *
 * The function is part of the stored format (doc/format.md, "Hashes"): it is
 * the same on every machine and never changes.  Equal values (codec/number.h)
 * hash alike: 1, 1 as uint 8 and 1.0 agree.
 */
#ifndef MPK_HASH_H
#define MPK_HASH_H

#include "codec/format.h"

/* Seeds of the kinds that hash their bytes, for a look-up that has bytes but no value. */
#define MPK_HASH_SEED_STR	UINT64CONST(0x737472)
#define MPK_HASH_SEED_BIN	UINT64CONST(0x62696E)
#define MPK_HASH_SEED_EXT	UINT64CONST(0x657874)	/* plus the code as uint8 << 32 */

/* Of bytes, every one of them; "seed" tells kinds apart. */
extern uint64 mpk_hash_bytes(const uint8 *s, size_t length, uint64 seed);

/* Of a value that is no container. */
extern uint64 mpk_hash_scalar(const mpk_value *value);

#define MPK_HASH_K1		UINT64CONST(0x9E3779B97F4A7C15)
#define MPK_HASH_K2		UINT64CONST(0xD1B54A32D192ED03)

/* Stir one 64-bit word: a bijection. */
static inline uint64
mpk_hash_mix(uint64 v)
{
	v ^= v >> 32;
	v *= MPK_HASH_K1;
	v ^= v >> 29;
	v *= MPK_HASH_K2;
	v ^= v >> 32;
	return v;
}

#endif							/* MPK_HASH_H */
