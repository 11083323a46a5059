/*
 * utf8.c
 *		Is it UTF-8?  ASCII is passed 16 bytes at a time; PostgreSQL's own checks do the rest.
 */
#include "codec/utf8.h"

#include "mb/pg_wchar.h"

#include "codec/simd.h"

/* Is it all ASCII?  Needs length >= 16: the last 16 bytes overlap those before. */
static bool
is_ascii(const uint8 *s, size_t length)
{
	const uint8 *last = s + length - 16;

	for (; s < last; s += 16)
		if (mpk_any_high_bit_16(s))
			return false;
	return !mpk_any_high_bit_16(last);
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
	if (length >= 16 && is_ascii(s, length))
		return true;
	return mpk_utf8_prefix(s, length) == length;
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
