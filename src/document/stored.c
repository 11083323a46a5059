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

size_t
mpk_stored_header_length(unsigned flags)
{
	return (flags & MPK_IRREGULAR) != 0 ? MPK_PRELUDE : 0;
}

void
mpk_stored_header_write(uint8 *out, unsigned flags)
{
	out[0] = MPK_BYTE_NEVER_USED;
	out[1] = MPK_STORED_VERSION;
	out[2] = (uint8) (flags & STORED_FLAGS);
	out[3] = 0;
	out[4] = MPK_PRELUDE;
	out[5] = out[6] = out[7] = 0;
}
