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
#include "codec/simd.h"

/* Seeds of the kinds that hash their bytes, for a look-up that has bytes but no value. */
#define MPK_HASH_SEED_STR	UINT64CONST(0x737472)
#define MPK_HASH_SEED_BIN	UINT64CONST(0x62696E)
#define MPK_HASH_SEED_EXT	UINT64CONST(0x657874)	/* plus the code as uint8 << 32 */

/* Of bytes, every one of them; "seed" tells kinds apart. */
extern uint64 mpk_hash_bytes(const uint8 *s, size_t length, uint64 seed);

/* Of a value that is no container. */
extern uint64 mpk_hash_scalar(const mpk_value *value);

/* Odd, with about half their bits set, at no regular distance. */
#define MPK_HASH_K1		UINT64CONST(0x9E3779B97F4A7C15)
#define MPK_HASH_K2		UINT64CONST(0xD1B54A32D192ED03)
#define MPK_HASH_K3		UINT64CONST(0xAEF17502108EF2D9)

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

static inline uint64
mpk_hash_absorb(uint64 h, uint64 word)
{
	word = h ^ (word * MPK_HASH_K2);
	return (word << 29 | word >> 35) * MPK_HASH_K3 + MPK_HASH_K1;
}

/* The last 1 to 7 bytes of fewer than 8, each in one place at least. */
static inline uint64
mpk_hash_short_word(const uint8 *s, size_t length)
{
	if (length >= 4)
		return mpk_load32_le(s) | (uint64) mpk_load32_le(s + length - 4) << 32;
	return s[0] | (uint64) s[length / 2] << 8 | (uint64) s[length - 1] << 16;
}

/* mpk_hash_bytes, for a loop over many. */
static inline uint64
mpk_hash_bytes_inline(const uint8 *s, size_t length, uint64 seed)
{
	uint64		h = (seed + length) * MPK_HASH_K1;

	if (length >= 8)
	{
		const uint8 *last = s + length - 8;

		for (; s < last; s += 8)
			h = mpk_hash_absorb(h, mpk_load64_le(s));
		h = mpk_hash_absorb(h, mpk_load64_le(last));
	}
	else if (length > 0)
		h = mpk_hash_absorb(h, mpk_hash_short_word(s, length));
	return mpk_hash_mix(h);
}

#endif							/* MPK_HASH_H */
