/*
 * utf8.c
 *		Is it UTF-8?  ASCII is passed 32 bytes at a time; where it is rare, PostgreSQL's
 *		own check does the rest.
 */
#include "codec/utf8.h"

#include "mb/pg_wchar.h"
#include "port/pg_bitutils.h"

#include "codec/simd.h"

/* With more of 32 bytes beyond ASCII, the server's check of all of them is faster. */
#define FEW_HIGH_BITS	8

/* What is given at once to that check, which cannot be cancelled. */
#define PREFIX_CHUNK	(1024 * 1024)
#define LONGEST_CHARACTER	4

/* Are fewer than 32 bytes all ASCII?  Some may be looked at twice. */
static bool
is_ascii(const uint8 *s, size_t length)
{
	const uint8 *end = s + length;

	if (length >= 16)
		return !mpk_any_high_bit_16(s) && !mpk_any_high_bit_16(end - 16);
	if (length >= 8)
		return ((mpk_load64_le(s) | mpk_load64_le(end - 8)) & MPK_HIGH_BITS) == 0;
	if (length >= 4)
		return ((mpk_load32_le(s) | mpk_load32_le(end - 4)) & (uint32) MPK_HIGH_BITS) == 0;
	return length == 0 || ((s[0] | s[length / 2] | s[length - 1]) & 0x80) == 0;
}

/*
 * NUL, which MessagePack allows, is to the server's check an error, and it may
 * look at all of its bytes before it finds one: from the first NUL on it is given
 * those between them.
 */
size_t
mpk_utf8_prefix(const uint8 *s, size_t length)
{
	size_t		valid = 0;
	bool		nuls = false;

	while (valid < length)
	{
		size_t		room = Min(length - valid, PREFIX_CHUNK);
		const uint8 *nul = nuls ? memchr(s + valid, '\0', room) : NULL;
		int			chunk = (int) (nul != NULL ? (size_t) (nul - (s + valid)) : room);
		int			good = pg_encoding_verifymbstr(PG_UTF8, (const char *) s + valid, chunk);

		valid += good;
		if (good < chunk && s[valid] != '\0')
		{
			/* where a full chunk ends within a character, that begins the next one */
			if (chunk < PREFIX_CHUNK || good <= chunk - LONGEST_CHARACTER)
				break;
		}
		else if (good < chunk || nul != NULL)
		{
			valid++;
			nuls = true;
		}
		MPK_CHECK_FOR_INTERRUPTS();
	}
	return valid;
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

/*
 * The bytes from "at" on, of which 32 have these high bits: pass the characters
 * that begin in them.  Returns where to go on, or 0 when one is no character.
 */
static inline size_t
pass_characters(const uint8 *s, size_t length, size_t at, uint32 high_bits)
{
	uint32		i = 0;

	while ((high_bits >> i) != 0)
	{
		int			n;

		i += pg_rightmost_one_pos32(high_bits >> i);
		n = long_character(s + at + i, length - at - i);
		if (n == 0)
			return 0;
		i += n;
		if (i >= 32)
			return at + i;
	}
	return at + 32;
}

/* The same answer for 32 bytes and more. */
static bool
is_long_utf8(const uint8 *s, size_t length)
{
	size_t		at = 0;

	while (at < length)
	{
		/* the last 32 are looked at from within those before them */
		size_t		from = Min(at, length - 32);
		uint32		high_bits = mpk_high_bits_32(s + from) >> (at - from);

		if (high_bits == 0)
			at = from + 32;
		else if (pg_popcount32(high_bits) > FEW_HIGH_BITS)
			return mpk_utf8_prefix(s + at, length - at) == length - at;
		else if ((at = pass_characters(s, length, at, high_bits)) == 0)
			return false;
	}
	return true;
}

bool
mpk_is_utf8(const uint8 *s, size_t length)
{
	if (length >= 32)
		return is_long_utf8(s, length);
	return is_ascii(s, length) || mpk_utf8_prefix(s, length) == length;
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
