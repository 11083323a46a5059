/*
 * stored.c
 *		The stored form of a value: header and payload.
 */
#include "document/stored.h"

#include "codec/simd.h"

#define STORED_FLAGS	(MPK_HAS_INDEX | MPK_IRREGULAR)

bool
mpk_document_open(const uint8 *stored, size_t length, mpk_document *document, mpk_error *error)
{
	size_t		header_length;

	document->payload = stored;
	document->length = length;
	document->flags = 0;
	document->header = NULL;
	document->header_length = 0;
	if (length == 0)
		return mpk_fail(error, MPK_ERR_CORRUPT, 0);
	if (stored[0] != MPK_BYTE_NEVER_USED)
		return true;

	if (length <= MPK_PRELUDE)
		return mpk_fail(error, MPK_ERR_CORRUPT, 0);
	header_length = mpk_load32_le(stored + 4);
	if (header_length < MPK_PRELUDE || header_length >= length)
		return mpk_fail(error, MPK_ERR_CORRUPT, 4);
	document->payload = stored + header_length;
	document->length = length - header_length;
	document->flags = stored[2] & STORED_FLAGS;
	document->header = stored;
	document->header_length = header_length;
	/* what a newer version keeps in its header is not ours to read, but its payload is */
	if (stored[1] != MPK_STORED_VERSION)
		document->flags &= ~MPK_HAS_INDEX;
	return true;
}

/* Zero bytes between prelude and index. */
static size_t
padding(size_t index_length)
{
	return index_length >= MPK_INDEX_PADDED_FROM ? MPK_INDEX_PADDING : 0;
}

size_t
mpk_stored_header_length(unsigned flags, size_t index_length)
{
	if (index_length > 0)
		return MPK_PRELUDE + padding(index_length) + index_length;
	return (flags & MPK_IRREGULAR) != 0 ? MPK_PRELUDE : 0;
}

void
mpk_stored_header_write(uint8 *out, unsigned flags, const uint8 *index, size_t index_length)
{
	size_t		header_length = mpk_stored_header_length(flags, index_length);
	size_t		start = MPK_PRELUDE + padding(index_length);

	out[0] = MPK_BYTE_NEVER_USED;
	out[1] = MPK_STORED_VERSION;
	out[2] = (uint8) ((flags & MPK_IRREGULAR) | (index_length > 0 ? MPK_HAS_INDEX : 0));
	out[3] = index_length > 0 ? (uint8) start : 0;
	for (int i = 0; i < 4; i++)
		out[4 + i] = (uint8) (header_length >> (8 * i));
	if (index_length == 0)
		return;
	memset(out + MPK_PRELUDE, 0, start - MPK_PRELUDE);
	memcpy(out + start, index, index_length);
}
