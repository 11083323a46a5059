/*
 * layout.h
 *		Where the containers of a payload lie, noted by who passes all of it anyway.
 *
 * The offset index (document/index.h) is built by passing the payload once
 * more, most of which are small containers that have no tables.  Whoever reads
 * or writes a payload from its beginning to its end knows where each of them
 * ends; this is how it tells.
 *
 * A container is added when it ends.  If it has no tables, nothing inside it
 * matters any more.  So what is kept, in the order of the payload, are the
 * containers that have tables and those right in them, but for very short ones.
 */
#ifndef MPK_LAYOUT_H
#define MPK_LAYOUT_H

#include "codec/format.h"

/* Which containers have tables: see the table in doc/format.md. */
#define MPK_INDEX_ROOT_PAIRS		8
#define MPK_INDEX_INNER_PAIRS		16
#define MPK_INDEX_MAP_BYTES			2048
#define MPK_INDEX_ROOT_ARRAY_BYTES	128
#define MPK_INDEX_INNER_ARRAY_BYTES	512

/* Are these many bytes, or entries, reason enough for tables? */
static inline bool
mpk_index_wants_tables(bool root, bool map, uint32 count, size_t bytes)
{
	if (!map)
		return bytes >= (root ? MPK_INDEX_ROOT_ARRAY_BYTES : MPK_INDEX_INNER_ARRAY_BYTES);
	return bytes >= MPK_INDEX_MAP_BYTES ||
		count >= (root ? MPK_INDEX_ROOT_PAIRS : MPK_INDEX_INNER_PAIRS);
}

/* No container that is shorter has tables, and it is quickly passed: not kept. */
#define MPK_LAYOUT_LEAST_BYTES	16

/* So many are kept before memory is allocated. */
#define MPK_LAYOUT_INLINE		64

#define MPK_LAYOUT_TABLES		((uint32) 0x80000000)

typedef struct mpk_layout_record
{
	uint32		start;			/* place of the type byte */
	uint32		end;			/* one past the last byte; with MPK_LAYOUT_TABLES if it has some */
} mpk_layout_record;

typedef struct mpk_layout
{
	mpk_layout_record *records;
	uint32		used;
	uint32		room;
	uint32		tables;			/* records up to the last one of a container that has tables */
	size_t		moved;			/* how often a record made way for one before it */
	bool		spoilt;			/* nothing is known: there is more to it than a layout tells */
	mpk_layout_record small[MPK_LAYOUT_INLINE];
} mpk_layout;

static inline void
mpk_layout_init(mpk_layout *layout)
{
	layout->records = layout->small;
	layout->used = 0;
	layout->room = MPK_LAYOUT_INLINE;
	layout->tables = 0;
	layout->moved = 0;
	layout->spoilt = false;
}

extern void mpk_layout_free(mpk_layout *layout);

/* mpk_layout_add for what is kept. */
extern void mpk_layout_keep(mpk_layout *layout, uint32 start, uint32 end, bool map, uint32 count);

/* A container of so many entries that ends before "end"; what is in it was added before. */
static inline void
mpk_layout_add(mpk_layout *layout, size_t start, size_t end, bool map, uint32 count)
{
	if (end - start >= MPK_LAYOUT_LEAST_BYTES)
		mpk_layout_keep(layout, (uint32) start, (uint32) end, map, count);
}

/* What lies behind "start" and was added has moved by so many bytes further back. */
extern void mpk_layout_move(mpk_layout *layout, size_t start, uint32 distance);

/*
 * The payload is no longer what was added; or it holds a container in a key,
 * to which no path leads and which therefore has no tables.
 */
static inline void
mpk_layout_spoil(mpk_layout *layout)
{
	layout->spoilt = true;
	layout->used = 0;
}

#endif							/* MPK_LAYOUT_H */
