/*
 * cursor.h
 *		Reading a stored value that may not all be in memory.
 *
 * A cursor asks for bytes by their place in the stored value (stored.h: header
 * and payload) and gets a pointer to them.  When the value lies in memory the
 * window is all of it; else the cursor's owner fetches what is missing.  What
 * was handed out stays where it is until the owner lets the value go.
 *
 * Places that come from stored offsets may be damaged: a place outside the
 * value gives NULL and sets "corrupt", which the caller of a whole operation
 * looks at once, at its end.
 */
#ifndef MPK_CURSOR_H
#define MPK_CURSOR_H

#include "codec/simd.h"
#include "codec/within.h"
#include "document/stored.h"

typedef struct mpk_cursor mpk_cursor;

/*
 * Numbers of the index are read four bytes at a time, whatever their width: so
 * many bytes behind the window can be read, which say nothing.  (Behind an index
 * that is all in memory stands its payload.)
 */
#define MPK_CURSOR_SLACK	3

/*
 * Bring bytes [place, place + length), which lie inside the value, into one
 * window, with the slack behind it unless the value ends there: set
 * cursor->bytes, start and end.  Raises what goes wrong itself.
 */
typedef void (*mpk_cursor_fetch) (mpk_cursor *cursor, size_t place, size_t length);

struct mpk_cursor
{
	const uint8 *bytes;			/* the window: places [start, end) */
	size_t		start;
	size_t		end;
	size_t		payload;		/* place of the payload, after the header */
	size_t		length;			/* of the stored value */
	unsigned	flags;			/* of the document */
	bool		corrupt;		/* something stored cannot be */
	mpk_cursor_fetch fetch;		/* never called when the window is all of the value */
	void	   *fetch_arg;
};

/* A value that lies in memory. */
static inline void
mpk_cursor_init(mpk_cursor *cursor, const mpk_document *document)
{
	cursor->bytes = document->header != NULL ? document->header : document->payload;
	cursor->start = 0;
	cursor->end = document->header_length + document->length;
	cursor->payload = document->header_length;
	cursor->length = cursor->end;
	cursor->flags = document->flags;
	cursor->corrupt = false;
	cursor->fetch = NULL;
	cursor->fetch_arg = NULL;
}

/* The same of stored bytes.  False when their header is none of ours. */
static inline bool
mpk_cursor_open(mpk_cursor *cursor, const uint8 *stored, size_t length)
{
	mpk_document document;

	/* our own version's header, and the plain form; mpk_document_open knows the rest */
	cursor->payload = 0;
	cursor->flags = 0;
	if (length > MPK_PRELUDE && stored[0] == MPK_BYTE_NEVER_USED &&
		stored[1] == MPK_STORED_VERSION)
	{
		cursor->payload = mpk_load32_le(stored + 4);
		cursor->flags = stored[2] & (MPK_HAS_INDEX | MPK_IRREGULAR);
		if (cursor->payload < MPK_PRELUDE || cursor->payload >= length)
			return false;
	}
	else if (length == 0 || stored[0] == MPK_BYTE_NEVER_USED)
	{
		if (!mpk_document_open(stored, length, &document, NULL))
			return false;
		cursor->payload = document.header_length;
		cursor->flags = document.flags;
	}
	cursor->bytes = stored;
	cursor->start = 0;
	cursor->end = cursor->length = length;
	cursor->corrupt = false;
	cursor->fetch = NULL;
	return true;
}

/* The way back, of a value that lies in memory. */
static inline void
mpk_cursor_document(const mpk_cursor *cursor, mpk_document *document)
{
	document->payload = cursor->bytes + cursor->payload;
	document->length = cursor->length - cursor->payload;
	document->flags = cursor->flags;
	document->header = cursor->payload > 0 ? cursor->bytes : NULL;
	document->header_length = cursor->payload;
}

/* What is not in the window; see mpk_cursor_get. */
extern const uint8 *mpk_cursor_get_more(mpk_cursor *cursor, size_t place, size_t length);

/* Bytes [place, place + length) of the stored value; NULL, and "corrupt", when it has not so many. */
static inline const uint8 *
mpk_cursor_get(mpk_cursor *cursor, size_t place, size_t length)
{
	if (likely(place >= cursor->start && place <= cursor->end && length <= cursor->end - place))
		return cursor->bytes + (place - cursor->start);
	return mpk_cursor_get_more(cursor, place, length);
}

/* Note that the stored value is damaged. */
static inline bool
mpk_cursor_fail(mpk_cursor *cursor)
{
	cursor->corrupt = true;
	return false;
}

/*
 * Where a value lies: its type byte's place, and a place that it does not
 * reach beyond.  "table" to "table_end" are its tables in the offset index,
 * none when table_end is 0.
 */
typedef struct mpk_spot
{
	size_t		place;
	size_t		limit;
	size_t		table;
	size_t		table_end;
} mpk_spot;

/*
 * A payload with an index has more bytes than this (a map of 8 pairs has 17), so
 * that a number or two may be read from the index before it is known to hold them.
 */
#define MPK_INDEXED_PAYLOAD		16

extern bool mpk_spot_root_indexed(mpk_cursor *cursor, mpk_spot *spot);

/* The whole document.  False when its index is damaged. */
static inline bool
mpk_spot_root(mpk_cursor *cursor, mpk_spot *spot)
{
	spot->place = cursor->payload;
	spot->limit = cursor->length;
	spot->table = 0;
	spot->table_end = 0;
	if ((cursor->flags & MPK_HAS_INDEX) == 0)
		return true;
	if (cursor->fetch != NULL || cursor->length - cursor->payload < MPK_INDEXED_PAYLOAD)
		return mpk_spot_root_indexed(cursor, spot);
	spot->table = cursor->bytes[3];
	spot->table_end = cursor->payload;
	return (spot->table >= MPK_PRELUDE && spot->table < spot->table_end) ||
		mpk_cursor_fail(cursor);
}

/*
 * Decode the value at the spot; a scalar's body is in memory, of a container
 * only the head.  False when it is damaged.
 */
extern bool mpk_spot_read_more(mpk_cursor *cursor, const mpk_spot *spot, mpk_value *value);

static inline bool
mpk_spot_read(mpk_cursor *cursor, const mpk_spot *spot, mpk_value *value)
{
	if (likely(cursor->fetch == NULL))
		return mpk_read_within(cursor->bytes + spot->place, cursor->bytes + spot->limit, value)
			|| mpk_cursor_fail(cursor);
	return mpk_spot_read_more(cursor, spot, value);
}

/*
 * The value at the spot, all of it in memory: sets *start and *end.  False
 * when it is damaged.
 */
extern bool mpk_spot_bytes(mpk_cursor *cursor, const mpk_spot *spot, const uint8 **start,
						   const uint8 **end);

#endif							/* MPK_CURSOR_H */
