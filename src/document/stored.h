/*
 * stored.h
 *		The stored form of a value: the bytes inside the varlena (doc/format.md).
 *
 * Either plain, the MessagePack payload and nothing else; or headed:
 *
 *	byte 0		0xC1, which begins no MessagePack value
 *	byte 1		version of the form, MPK_STORED_VERSION
 *	byte 2		flags: MPK_HAS_INDEX, MPK_REPEATED_KEYS, MPK_INVALID_UTF8
 *	byte 3		where the offset index begins in the header, or zero
 *	bytes 4-7	length of the header with these 8 bytes, little-endian
 *	...			flagged content: the offset index
 *	then		the payload
 *
 * The first eight bytes are fixed for all versions, so that an older library
 * skips a newer one's header and reads the payload.
 */
#ifndef MPK_STORED_H
#define MPK_STORED_H

#include "codec/validate.h"

#define MPK_STORED_VERSION		1
#define MPK_PRELUDE				8	/* bytes that every header begins with */
#define MPK_HAS_INDEX			0x01

/* An index from this length on stands behind so many zero bytes, for pglz. */
#define MPK_INDEX_PADDED_FROM	512
#define MPK_INDEX_PADDING		16

/* A value in memory, header and payload told apart.  Borrowed: lives as long as the bytes. */
typedef struct mpk_document
{
	const uint8 *payload;		/* the MessagePack bytes */
	size_t		length;
	unsigned	flags;			/* MPK_REPEATED_KEYS, MPK_INVALID_UTF8, MPK_HAS_INDEX */
	const uint8 *header;		/* NULL for the plain form */
	size_t		header_length;
} mpk_document;

/* Tell header and payload apart.  False with MPK_ERR_CORRUPT when the header is none of ours. */
extern bool mpk_document_open(const uint8 *stored, size_t length, mpk_document *document,
							  mpk_error *error);

/*
 * Bytes of header that a payload with these irregularities and an index of so
 * many bytes (0: none) is stored with; 0 for the plain form.
 */
extern size_t mpk_stored_header_length(unsigned flags, size_t index_length);

/* Write that header to out, the index included. */
extern void mpk_stored_header_write(uint8 *out, unsigned flags, const uint8 *index,
									size_t index_length);

static inline bool
mpk_document_is_regular(const mpk_document *document)
{
	return (document->flags & MPK_IRREGULAR) == 0;
}

#endif							/* MPK_STORED_H */
