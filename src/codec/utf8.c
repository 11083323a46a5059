/*
 * utf8.c
 *		Is it UTF-8?  ASCII is passed 16 bytes at a time; PostgreSQL's own checks do the rest.
 */
#include "codec/utf8.h"

#include "mb/pg_wchar.h"
#include "port/pg_bitutils.h"

#include "codec/simd.h"

/* Is it all ASCII?  The last bytes are looked at twice where the length is no multiple. */
static bool
is_ascii(const uint8 *s, size_t length)
{
	const uint8 *end = s + length;

	if (length >= 16)
	{
		for (; s < end - 16; s += 16)
			if (mpk_any_high_bit_16(s))
				return false;
		return !mpk_any_high_bit_16(end - 16);
	}
	if (length >= 8)
		return ((mpk_load64_le(s) | mpk_load64_le(end - 8)) & MPK_HIGH_BITS) == 0;
	if (length >= 4)
		return ((mpk_load32_le(s) | mpk_load32_le(end - 4)) & (uint32) MPK_HIGH_BITS) == 0;
	return length == 0 || ((s[0] | s[length / 2] | s[length - 1]) & 0x80) == 0;
}

size_t
mpk_utf8_prefix(const uint8 *s, size_t length)
{
	size_t		valid = 0;

	Assert(length <= MPK_MAX_ALLOC);
	for (;;)
	{
		/* the server's check stops at NUL, which MessagePack allows */
		valid += pg_encoding_verifymbstr(PG_UTF8, (const char *) s + valid,
										 (int) (length - valid));
		if (valid >= length || s[valid] != '\0')
			return valid;
		valid++;
	}
}

bool
mpk_is_utf8(const uint8 *s, size_t length)
{
	if (is_ascii(s, length))
		return true;
	return mpk_utf8_prefix(s, length) == length;
}

/* Bytes of the character beyond ASCII that begins at s, or 0 when there is none. */
static inline int
long_character(const uint8 *s, size_t room)
{
	uint32		codepoint;

	if (room < 2 || (s[1] & 0xc0) != 0x80)
		return 0;
	if (s[0] < 0xe0)
		return s[0] >= 0xc2 ? 2 : 0;
	if (room < 3 || (s[2] & 0xc0) != 0x80)
		return 0;
	codepoint = (s[0] & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
	if (s[0] < 0xf0)
		return codepoint >= 0x800 && (codepoint < 0xd800 || codepoint > 0xdfff) ? 3 : 0;
	if (room < 4 || (s[3] & 0xc0) != 0x80 || s[0] > 0xf4)
		return 0;
	codepoint = codepoint << 6 | (s[3] & 0x3fu);
	return codepoint >= 0x10000 && codepoint <= 0x10ffff ? 4 : 0;
}

bool
mpk_is_utf8_short(const uint8 *s, size_t length, uint32 high_bits)
{
	while (high_bits != 0)
	{
		int			at = pg_rightmost_one_pos32(high_bits);
		int			n = long_character(s + at, length - at);

		if (n == 0)
			return false;
		high_bits &= ~(((1u << n) - 1) << at);
	}
	return true;
}

int
mpk_utf8_decode(const uint8 *s, const uint8 *end, uint32 *codepoint)
{
	int			length;

	if (s >= end)
		return 0;
	length = pg_utf_mblen(s);
	if (length > end - s || !pg_utf8_islegal(s, length))
		return 0;
	*codepoint = utf8_to_unicode(s);
	return length;
}

int
mpk_utf8_encode(uint32 codepoint, uint8 *out)
{
	unicode_to_utf8(codepoint, out);
	return pg_utf_mblen(out);
}
