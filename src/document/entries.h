/*
 * entries.h
 *		The entries of one container, one after another in the order of the document.
 *
 * Of a value in memory the entries are passed as they lie, which needs no
 * index and trusts the payload alone; of one in TOAST bytes are fetched as the
 * walk comes to them.  An entry that has tables of its own in the document's
 * index is found with them, and is then not passed value by value, since they
 * tell its end (mpk_index_check_end).
 */
#ifndef MPK_ENTRIES_H
#define MPK_ENTRIES_H

#include "document/index.h"

typedef struct mpk_entries
{
	mpk_cursor *cursor;
	mpk_kind	kind;			/* of the container */
	uint32		count;			/* elements or pairs */
	uint32		next;			/* number of the next one */
	size_t		place;			/* of the next element or key */
	mpk_spot	container;
	size_t		fetched;		/* of a value in TOAST: bytes up to here were asked for ... */
	size_t		ahead;			/* ... and so many are asked for next */
	bool		keys_only;		/* values are not wanted; their start may be NULL */
	uint32	   *keys;			/* then: places of all keys in the container, or NULL */
	bool		indexed;		/* the document has an index */
	mpk_table	table;			/* the container's, if container.table_end > 0 */

	/* entries that have tables: lines of the directory */
	size_t		lines;
	uint32		children;
	uint32		child;			/* the next one */
	size_t		child_place;	/* where it lies; 0: there is none */
	size_t		child_table;
	size_t		child_table_end;
} mpk_entries;

/* A key, an element, or a pair's value. */
typedef struct mpk_entry
{
	size_t		place;
	const uint8 *start;			/* its type byte */
	const uint8 *end;			/* the byte after it; NULL: not yet known, see mpk_entries_end */
	size_t		table;			/* its tables in the index, none when table_end is 0 */
	size_t		table_end;
} mpk_entry;

/*
 * Begin at the value at the spot.  Sets entries->kind; there are entries only
 * when that is MPK_ARRAY or MPK_MAP.  False when the stored value is damaged
 * (cursor->corrupt).
 */
extern bool mpk_entries_begin(mpk_entries *entries, mpk_cursor *cursor, const mpk_spot *spot);

/*
 * Values are not wanted: those that have tables are not fetched, and those of a
 * long map in memory not even passed.  To be said right after mpk_entries_begin,
 * when all has been fetched that is not to be fetched bit by bit.  Allocates
 * memory for the keys' places; false when the value is damaged.
 */
extern bool mpk_entries_keys_only(mpk_entries *entries);

/*
 * The next entry: "key" is set for a map.  False at the end, or when the value
 * is damaged.  The value's end may be left open; it must be found, by one of
 * the two functions below, before the next call.
 */
extern bool mpk_entries_next(mpk_entries *entries, mpk_entry *key, mpk_entry *value);

/* The end of the entry's value is known to be here. */
static inline void
mpk_entries_end_at(mpk_entries *entries, mpk_entry *value, const uint8 *end)
{
	value->end = end;
	entries->place = value->place + (end - value->start);
}

/* Find the end of the entry's value, if that is not yet known. */
static inline void
mpk_entries_end(mpk_entries *entries, mpk_entry *value)
{
	if (value->end == NULL && value->start != NULL)
		mpk_entries_end_at(entries, value, mpk_skip(value->start));
}

#endif							/* MPK_ENTRIES_H */
