/*
 * index.h
 *		The offset index: where the entries of a document's containers lie.
 *
 * doc/format.md, "Offset index", specifies its bytes and gives the reasons.
 * Building trusts the payload (it is valid); looking up trusts nothing that
 * it reads from an index.
 */
#ifndef MPK_INDEX_H
#define MPK_INDEX_H

#include "codec/layout.h"
#include "document/cursor.h"
#include "document/path.h"

/* A short map has a plain table, a long one buckets. */
#define MPK_INDEX_SHORT_MAP		64

/* An array has a place about every so many bytes. */
#define MPK_INDEX_ARRAY_STRIDE	64

/* The form byte of a container's tables. */
#define MPK_TABLE_ARRAY			1
#define MPK_TABLE_SHORT_MAP		2
#define MPK_TABLE_LONG_MAP		3
#define MPK_TABLE_KIND(form)	((form) & 3)
#define MPK_TABLE_CHILDREN		0x04
#define MPK_TABLE_WIDTH(form)	((((form) >> 3) & 3) + 1)
#define MPK_TABLE_DIRECTORY_WIDTH(form)	((((form) >> 5) & 3) + 1)
#define MPK_TABLE_OTHER_KEYS	0x80

/* What of a key's hash stands in a table. */
#define MPK_TABLE_TAG(hash)		((uint8) ((hash) >> 56))

/* Bytes of index that are built without an allocation. */
#define MPK_INDEX_INLINE		256

/*
 * An index that was built.  It grows from its end to its front; small ones
 * lie in the struct itself, which therefore must not be copied.
 */
typedef struct mpk_index
{
	uint8	   *buffer;
	size_t		capacity;
	size_t		length;			/* 0: the value has none */
	uint32		containers;		/* that have tables; counted by mpk_index_build alone */
	uint8		small[MPK_INDEX_INLINE];
} mpk_index;

static inline const uint8 *
mpk_index_bytes(const mpk_index *index)
{
	return index->buffer + index->capacity - index->length;
}

/*
 * Build the index of a valid payload with these irregularities.  The layout is
 * that of the payload, or NULL when it is not known.  Allocates in the current
 * context; cancellable.  Time is that of passing every value, or with a layout
 * those right in the containers that have tables; and of hashing the keys of
 * maps that have tables (n log n where hashes collide).
 */
extern void mpk_index_build(mpk_index *index, const uint8 *payload, size_t length,
							unsigned flags, const mpk_layout *layout);

/*
 * The same of the container that begins at "payload" and ends somewhere within
 * "length" bytes: returns the byte after it.
 */
extern const uint8 *mpk_index_build_first(mpk_index *index, const uint8 *payload, size_t length,
										  unsigned flags);

/*
 * May a container that has no tables in its document's index have some as a
 * document of its own?  Nothing inside it has any then.
 */
static inline bool
mpk_index_wants_root(const mpk_value *container, size_t bytes)
{
	return mpk_index_wants_tables(true, container->kind == MPK_MAP, container->length, bytes);
}

/*
 * A payload that came out of another by one change inside one container: of the
 * old one the bytes [start, end) went, "length" bytes came in their place, and
 * the container's head may have another length.
 */
typedef struct mpk_index_change
{
	const mpk_document *old;
	const uint32 *path;			/* places in the old payload of the containers around the change,
								 * the outermost first */
	int			depth;			/* of them; the last is the one that changed */
	uint32		start;
	uint32		end;
	uint32		length;
	bool		is_value;		/* what changed is the value of a pair, whose key stays */
} mpk_index_change;

/*
 * Build the index of such a payload, which is regular as the old one, out of
 * the old one's: all tables but those around the change are taken over.  False,
 * and nothing to free, when the old one has no index or a damaged one.
 */
extern bool mpk_index_splice(mpk_index *index, const uint8 *payload, size_t length,
							 const mpk_index_change *change);

extern void mpk_index_free(mpk_index *index);

/* --- looking up --- */

/* The head of one container's tables, read and checked. */
typedef struct mpk_table
{
	uint8		form;
	uint8		width;			/* w of the specification */
	uint32		bytes;			/* of the container */
	uint32		count;			/* of its entries */
	uint8		shift;			/* array: s; long map: b */
	size_t		place;			/* of the table proper, in the stored value */
	size_t		directory;		/* of the directory */
} mpk_table;

/* Read the tables at a spot that has some; false when they are damaged. */
extern bool mpk_table_read(mpk_cursor *cursor, const mpk_spot *spot, mpk_table *table);

/*
 * From an array, whose tables were read, to its element "index", which it is to
 * have; false, and "corrupt", when it has not.
 */
extern bool mpk_index_element(mpk_cursor *cursor, mpk_spot *spot, const mpk_table *table,
							  uint32 index);

/*
 * Do the tables tell the truth about the container's kind, count and end?  By
 * its head, and by its last entry, without passing what lies between; false,
 * and "corrupt", if not.
 */
extern bool mpk_index_check_end(mpk_cursor *cursor, const mpk_spot *spot, const mpk_table *table);

#endif							/* MPK_INDEX_H */
