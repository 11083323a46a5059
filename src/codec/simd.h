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

/* Bit i is set when byte i of the 8 at p has its high bit set. */
static inline uint32
mpk_high_bits_8(const uint8 *p)
{
	/* the product gathers the eight high bits in its top byte */
	return (uint32) ((((mpk_load64_le(p) & MPK_HIGH_BITS) >> 7) *
					  UINT64CONST(0x0102040810204080)) >> 56);
}

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

	for (int i = 0; i < 4; i++)
		mask |= mpk_high_bits_8(p + 8 * i) << (8 * i);
	return mask;
#endif
}

/*
 * Bit i is set when byte i of the 32 at p is zero; above the lowest set bit the
 * others may be wrong.
 */
static inline uint32
mpk_zero_bytes_32(const uint8 *p)
{
#ifdef MPK_USE_SSE2
	__m128i		zero = _mm_setzero_si128();
	__m128i		low = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *) p), zero);
	__m128i		high = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *) (p + 16)), zero);

	return (uint32) _mm_movemask_epi8(low) | ((uint32) _mm_movemask_epi8(high) << 16);
#else
	uint32		mask = 0;

	/* a borrow out of a zero byte is what spoils the bits above it */
	for (int i = 0; i < 4; i++)
	{
		uint64		word = mpk_load64_le(p + 8 * i);
		uint64		zero = (word - UINT64CONST(0x0101010101010101)) & ~word & MPK_HIGH_BITS;

		mask |= (uint32) (((zero >> 7) * UINT64CONST(0x0102040810204080)) >> 56) << (8 * i);
	}
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

/* The first "count" of the 16 bytes at p as two little-endian words, the other bytes zero. */
static inline void
mpk_load_prefix_16(const uint8 *p, uint32 count, uint64 words[2])
{
	static const uint8 mask[32] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	};

	words[0] = mpk_load64_le(p) & mpk_load64_le(mask + 16 - count);
	words[1] = mpk_load64_le(p + 8) & mpk_load64_le(mask + 24 - count);
}

/* Are the first "count" of the 16 bytes at a and b the same?  A count of 17 says no. */
static inline bool
mpk_equal_prefix_16(const uint8 *a, const uint8 *b, uint32 count)
{
#ifdef MPK_USE_SSE2
	__m128i		equal = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *) a),
									   _mm_loadu_si128((const __m128i *) b));

	/* bit 16 of the mask is never set */
	return (~(uint32) _mm_movemask_epi8(equal) << (-count & 31)) == 0;
#else
	uint64		x[2];
	uint64		y[2];

	if (count > 16)
		return false;
	mpk_load_prefix_16(a, count, x);
	mpk_load_prefix_16(b, count, y);
	return x[0] == y[0] && x[1] == y[1];
#endif
}

#ifdef MPK_USE_SSE2
/* Sixteen lanes that count, sixteen that do not; and numbers to stand in those. */
static const uint16 mpk_lane_mask[32] = {
	0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff,
	0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff,
};
static const uint16 mpk_lane_filler[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* Lanes first .. first + 7 of the numbers, those from "count" on replaced by the filler. */
static inline __m128i
mpk_load_lanes(const uint16 *numbers, uint32 count, uint32 first)
{
	__m128i		mask = _mm_loadu_si128((const __m128i *) (mpk_lane_mask + 16 - count + first));
	__m128i		filler = _mm_loadu_si128((const __m128i *) (mpk_lane_filler + first));
	__m128i		lanes = _mm_loadu_si128((const __m128i *) (numbers + first));

	return _mm_or_si128(_mm_and_si128(mask, lanes), _mm_andnot_si128(mask, filler));
}

#define MPK_ROTATE_LANES(v, n) \
	_mm_or_si128(_mm_srli_si128(v, 2 * (n)), _mm_slli_si128(v, 16 - 2 * (n)))

/* Lanes of v that equal another one: v against its rotations, in which each pair meets. */
static inline __m128i
mpk_equal_lanes(__m128i v)
{
	__m128i		one = _mm_cmpeq_epi16(v, MPK_ROTATE_LANES(v, 1));
	__m128i		two = _mm_cmpeq_epi16(v, MPK_ROTATE_LANES(v, 2));
	__m128i		three = _mm_cmpeq_epi16(v, MPK_ROTATE_LANES(v, 3));
	__m128i		four = _mm_cmpeq_epi16(v, MPK_ROTATE_LANES(v, 4));

	return _mm_or_si128(_mm_or_si128(one, two), _mm_or_si128(three, four));
}
#endif

/*
 * Are numbers[0 .. count) all different, for a count of at most 16?  Sixteen
 * can be read.  May say no where a number is below 16.
 */
static inline bool
mpk_all_differ(const uint16 *numbers, uint32 count)
{
#ifdef MPK_USE_SSE2
	__m128i		low = mpk_load_lanes(numbers, count, 0);
	__m128i		equal = mpk_equal_lanes(low);

	if (count > 8)
		equal = _mm_or_si128(equal, mpk_equal_lanes(mpk_load_lanes(numbers, count, 8)));
	for (uint32 i = 8; i < count; i++)
		equal = _mm_or_si128(equal, _mm_cmpeq_epi16(low, _mm_set1_epi16((short) numbers[i])));
	return _mm_movemask_epi8(equal) == 0;
#else
	for (uint32 i = 1; i < count; i++)
		for (uint32 j = 0; j < i; j++)
			if (numbers[i] == numbers[j])
				return false;
	return true;
#endif
}

/* Bit i is set when numbers[i] equals wanted, for i < 16. */
static inline uint32
mpk_match_16(const uint16 *numbers, uint16 wanted)
{
#ifdef MPK_USE_SSE2
	__m128i		all = _mm_set1_epi16((short) wanted);
	__m128i		low = _mm_cmpeq_epi16(_mm_loadu_si128((const __m128i *) numbers), all);
	__m128i		high = _mm_cmpeq_epi16(_mm_loadu_si128((const __m128i *) (numbers + 8)), all);

	return (uint32) _mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
	uint32		mask = 0;

	for (int i = 0; i < 16; i++)
		mask |= (uint32) (numbers[i] == wanted) << i;
	return mask;
#endif
}

#endif							/* MPK_SIMD_H */
