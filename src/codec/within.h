/*
 * within.h
 *		Reading and skipping values inside bounds that are not to be trusted.
 *
 * mpk_read and mpk_skip trust a validated payload.  These do not: they serve
 * readers that come to a value by way of an offset that was stored (and may be
 * damaged), or that have only a part of the payload at hand.
 */
#ifndef MPK_WITHIN_H
#define MPK_WITHIN_H

#include "codec/format.h"

/*
 * Bytes of the scalar that begins at p, or of a container's head; p < end.
 * The result may reach past "end".  0 when not even the length can be read
 * before "end", or when no value begins so.  (mpk_extent_typed: of the types
 * from 0xc0 to 0xdf.)
 */
extern size_t mpk_extent_typed(const uint8 *p, const uint8 *end);

static inline size_t
mpk_extent(const uint8 *p, const uint8 *end)
{
	uint8		byte = *p;

	if (mpk_is_fixstr(byte))
		return mpk_fixstr_size(byte);
	if (byte < MPK_FIXSTR || byte >= MPK_NEGATIVE_FIXINT)
		return 1;
	if (mpk_is_all_head(byte))
		return mpk_head_size[byte & 0x1f];
	return mpk_extent_typed(p, end);
}

/* mpk_read, or false when the scalar or the container's head is not all in [p, end). */
static inline bool
mpk_read_within(const uint8 *p, const uint8 *end, mpk_value *value)
{
	size_t		extent;

	if (p >= end)
		return false;
	extent = mpk_extent(p, end);
	if (extent == 0 || extent > (size_t) (end - p))
		return false;
	mpk_read(p, value);
	return true;
}

/* Past "count" values, or NULL when they do not end at "end" or before.  Cancellable. */
extern const uint8 *mpk_skip_many_within(const uint8 *p, const uint8 *end, uint64 count);

/* mpk_skip, or NULL when the value does not end at "end" or before.  Cancellable. */
static inline const uint8 *
mpk_skip_within(const uint8 *p, const uint8 *end)
{
	return mpk_skip_many_within(p, end, 1);
}

#endif							/* MPK_WITHIN_H */
