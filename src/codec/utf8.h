/*
 * utf8.h
 *		Is it UTF-8?  (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF; NUL is allowed.)
 */
#ifndef MPK_UTF8_H
#define MPK_UTF8_H

#include "codec/port.h"

/* True when s[0 .. length) is UTF-8. */
extern bool mpk_is_utf8(const uint8 *s, size_t length);

/*
 * The same for up to 32 bytes of which the caller knows where high bits are:
 * bit i of "high_bits" stands for s[i], and bits from length on are 0.
 */
extern bool mpk_is_utf8_short(const uint8 *s, size_t length, uint32 high_bits);

/* Bytes of the longest prefix of s that is UTF-8 and ends at a character boundary. */
extern size_t mpk_utf8_prefix(const uint8 *s, size_t length);

/*
 * Bytes of the character that begins at s, 1 to 4, or 0 when no valid one
 * begins there; *codepoint is set when the result is not 0.
 */
extern int	mpk_utf8_decode(const uint8 *s, const uint8 *end, uint32 *codepoint);

/* Write a code point (a valid one) to out, which has room for 4 bytes; returns the bytes written. */
extern int	mpk_utf8_encode(uint32 codepoint, uint8 *out);

#endif							/* MPK_UTF8_H */
