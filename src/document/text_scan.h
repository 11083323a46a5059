/*
 * text_scan.h
 *		Finding the bytes that a JSON string cannot hold as they are.
 *
 * Those are controls (below 0x20), the backslash and the closing quote.  Most
 * strings have none; both parser and printer look at 16 bytes at once, with
 * SSE2 where there is one and in two 64-bit words elsewhere.
 */
#ifndef MPK_TEXT_SCAN_H
#define MPK_TEXT_SCAN_H

#include "port/pg_bitutils.h"

#include "codec/simd.h"

#define MPK_BYTES(b)	(UINT64CONST(0x0101010101010101) * (b))

/* Is any byte of the word below 0x20, the quote or a backslash? */
static inline bool
mpk_word_has_special(uint64 w, uint8 quote)
{
	uint64		q = w ^ MPK_BYTES(quote);
	uint64		b = w ^ MPK_BYTES('\\');

	return ((((w - MPK_BYTES(0x20)) & ~w) | ((q - MPK_BYTES(1)) & ~q) |
			 ((b - MPK_BYTES(1)) & ~b)) & MPK_BYTES(0x80)) != 0;
}

static inline uint64
mpk_word(const uint8 *s)
{
	uint64		w;

	memcpy(&w, s, sizeof(w));
	return w;
}

static inline bool
mpk_is_special(uint8 c, uint8 quote)
{
	return c < 0x20 || c == quote || c == '\\';
}

/* What 16 bytes of a string hold: bit i of each is about byte i. */
typedef struct mpk_scan16
{
	unsigned	quote;			/* the quote */
	unsigned	other;			/* a control or a backslash */
	unsigned	high;			/* above 0x7f */
} mpk_scan16;

static inline mpk_scan16
mpk_scan_bytes(const uint8 *s, uint8 quote)
{
	mpk_scan16	scan;
#ifdef MPK_USE_SSE2
	__m128i		v = _mm_loadu_si128((const __m128i *) s);
	__m128i		control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v);

	scan.quote = (unsigned) _mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8((char) quote)));
	scan.other = (unsigned)
		_mm_movemask_epi8(_mm_or_si128(control, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
	scan.high = (unsigned) _mm_movemask_epi8(v);
#else
	uint64		w0 = mpk_word(s);
	uint64		w1 = mpk_word(s + 8);

	scan.quote = 0;
	scan.other = 0;
	scan.high = mpk_high_bits_8(s) | mpk_high_bits_8(s + 8) << 8;
	if (mpk_word_has_special(w0, quote) || mpk_word_has_special(w1, quote))
	{
		for (int i = 0; i < 16; i++)
		{
			scan.quote |= (unsigned) (s[i] == quote) << i;
			scan.other |= (unsigned) (s[i] < 0x20 || s[i] == '\\') << i;
		}
	}
#endif
	return scan;
}

/* Bit i is set when byte i of the 16 is the quote, a backslash or a control. */
static inline unsigned
mpk_special_bytes(const uint8 *s, uint8 quote)
{
	mpk_scan16	scan = mpk_scan_bytes(s, quote);

	return scan.quote | scan.other;
}

/* Copy 16 bytes. */
static inline void
mpk_copy16(void *to, const void *from)
{
#ifdef MPK_USE_SSE2
	_mm_storeu_si128((__m128i *) to, _mm_loadu_si128((const __m128i *) from));
#else
	memcpy(to, from, 16);
#endif
}

#endif							/* MPK_TEXT_SCAN_H */
