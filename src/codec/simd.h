/*
 * simd.h
 *		Sixteen bytes at a time, where the machine can; the same answers elsewhere.
 */
#ifndef MPK_SIMD_H
#define MPK_SIMD_H

#include "codec/port.h"

/* MPK_NO_SIMD: so that tests run the portable code everywhere */
#if defined(__SSE2__) && !defined(MPK_NO_SIMD)
#include <emmintrin.h>
#define MPK_USE_SSE2
#endif

/* Little-endian load: byte i of memory is bits 8i to 8i+7, on every machine. */
static inline uint64
mpk_load64_le(const uint8 *p)
{
	uint64		v;

	memcpy(&v, p, sizeof(v));
#ifdef WORDS_BIGENDIAN
	v = pg_bswap64(v);
#endif
	return v;
}

static inline uint32
mpk_load32_le(const uint8 *p)
{
	uint32		v;

	memcpy(&v, p, sizeof(v));
#ifdef WORDS_BIGENDIAN
	v = pg_bswap32(v);
#endif
	return v;
}

#define MPK_HIGH_BITS	UINT64CONST(0x8080808080808080)

/* Bit i is set when byte i of the 32 at p has its high bit set. */
static inline uint32
mpk_high_bits_32(const uint8 *p)
{
#ifdef MPK_USE_SSE2
	uint32		low = _mm_movemask_epi8(_mm_loadu_si128((const __m128i *) p));
	uint32		high = _mm_movemask_epi8(_mm_loadu_si128((const __m128i *) (p + 16)));

	return low | (high << 16);
#else
	uint32		mask = 0;

	/* the product gathers the eight high bits in its top byte */
	for (int i = 0; i < 4; i++)
		mask |= (uint32) ((((mpk_load64_le(p + 8 * i) & MPK_HIGH_BITS) >> 7) *
						   UINT64CONST(0x0102040810204080)) >> 56) << (8 * i);
	return mask;
#endif
}

/* Does any of the 16 bytes at p have its high bit set? */
static inline bool
mpk_any_high_bit_16(const uint8 *p)
{
#ifdef MPK_USE_SSE2
	return _mm_movemask_epi8(_mm_loadu_si128((const __m128i *) p)) != 0;
#else
	return ((mpk_load64_le(p) | mpk_load64_le(p + 8)) & MPK_HIGH_BITS) != 0;
#endif
}

/* Bit i is set when prints[i] equals print, for i < 16. */
static inline uint32
mpk_match_16(const uint16 *prints, uint16 print)
{
#ifdef MPK_USE_SSE2
	__m128i		wanted = _mm_set1_epi16((short) print);
	__m128i		low = _mm_cmpeq_epi16(_mm_loadu_si128((const __m128i *) prints), wanted);
	__m128i		high = _mm_cmpeq_epi16(_mm_loadu_si128((const __m128i *) (prints + 8)), wanted);

	return _mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
	uint32		mask = 0;

	for (int i = 0; i < 16; i++)
		mask |= (uint32) (prints[i] == print) << i;
	return mask;
#endif
}

#endif							/* MPK_SIMD_H */
