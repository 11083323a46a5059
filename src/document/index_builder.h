/*
 * index_builder.h
 *		What index_build.c, index_tables.c and index_splice.c share: an index being built.
 */
#ifndef MPK_INDEX_BUILDER_H
#define MPK_INDEX_BUILDER_H

#include "document/index.h"

/* Entries, children and open containers that are kept without an allocation. */
#define MPK_INDEX_INLINE_ENTRIES	64
#define MPK_INDEX_INLINE_CHILDREN	8
#define MPK_INDEX_INLINE_FRAMES	8

/* A container that is open: its values are being passed. */
typedef struct mpk_index_frame
{
	uint32		start;			/* place of its type byte */
	uint32		count;			/* entries */
	uint64		remaining;		/* values not begun yet; a map has two for each entry */
	size_t		entries;		/* its first place on the stack of entries */
	size_t		children;		/* its first child on the stack of children */
	size_t		index_length;	/* when it was opened: what came since is its children's */
	bool		map;
	bool		other_keys;		/* with tags: some key is not a str */
	uint8		shift;			/* array: every 2^shift-th element is kept */
	const uint8 *tags;			/* map: the tags beside its entries, when they are known; NULL */
	const uint32 *starts;		/* long map with tags: where buckets start; the entries are in the
								 * order of the table then */
} mpk_index_frame;

/* A container that has tables: its place, and how far from the index's end they begin. */
typedef struct mpk_index_child
{
	uint32		place;
	uint32		from_end;
} mpk_index_child;

typedef struct mpk_index_builder
{
	mpk_index  *index;
	const uint8 *payload;
	size_t		length;
	unsigned	flags;
	bool		full;			/* the index would push the value past 1 GB */
	const mpk_layout *layout;	/* of the payload, NULL if not known */
	uint32		next;			/* record of the layout: of the next container that is kept */
	size_t		wasted;			/* bytes that pass_small passed for nothing */

	uint32	   *entries;
	size_t		entry_count;
	size_t		entry_capacity;
	mpk_index_child *children;
	size_t		child_count;
	size_t		child_capacity;

	mpk_index_frame *frames;
	size_t		depth;
	size_t		frame_capacity;

	uint32		small_entries[MPK_INDEX_INLINE_ENTRIES];
	mpk_index_child small_children[MPK_INDEX_INLINE_CHILDREN];
	mpk_index_frame small_frames[MPK_INDEX_INLINE_FRAMES];
} mpk_index_builder;

/* Begin and end; between them the outermost container is opened and closed. */
extern void mpk_index_begin(mpk_index_builder *b, mpk_index *index, const uint8 *payload,
							size_t length, unsigned flags);
extern void mpk_index_end(mpk_index_builder *b);

/*
 * Pass the value at p, which lies in a container that is open, and write the
 * tables of what is in it; the byte after it, unless "full".
 */
extern const uint8 *mpk_index_walk(mpk_index_builder *b, const uint8 *p);

/*
 * Open the container at p, whose entries the caller then pushes, and after them
 * its children with their tables; close it, p being its end.
 */
extern const uint8 *mpk_index_open(mpk_index_builder *b, const uint8 *p);
extern void mpk_index_close(mpk_index_builder *b, const uint8 *p);

/* Room for n more entries. */
extern void mpk_index_reserve_entries(mpk_index_builder *b, size_t n);

/* The place of an entry of the container opened last. */
static inline void
mpk_index_push_entry(mpk_index_builder *b, uint32 place)
{
	if (unlikely(b->entry_count == b->entry_capacity))
		mpk_index_reserve_entries(b, 1);
	b->entries[b->entry_count++] = place;
}

/* A child's tables, ready as they are; false, and "full", when the value would be too large. */
extern bool mpk_index_push_tables(mpk_index_builder *b, uint32 place, const uint8 *tables,
								  size_t length);

/* Room for n bytes in front of the index; NULL, and "full", when the value would be too large. */
extern uint8 *mpk_index_reserve_front(mpk_index_builder *b, size_t n);

/*
 * Write the tables of a container of so many bytes, whose entries and children
 * are on top of the stacks; "full" when the value would be too large.
 */
extern void mpk_index_put_tables(mpk_index_builder *b, const mpk_index_frame *f, uint32 bytes);

/*
 * Make an index, which is empty yet, of one short map: the tags of its keys,
 * and their places.  The map has less than 64 KB, no container in it has tables
 * and all its keys are strs.
 */
extern void mpk_index_put_short_map(mpk_index *index, uint32 bytes, uint32 count,
									const uint8 *tags, const uint16 *places);

/* The bits of the number of buckets of a long map of so many pairs. */
extern int	mpk_index_bucket_bits(uint32 count);

/* The shift of the table of an array of so many elements and bytes. */
extern int	mpk_index_array_shift(uint32 count, uint32 bytes);

#endif							/* MPK_INDEX_BUILDER_H */
