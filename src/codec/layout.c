/*
 * layout.c
 *		Where the containers of a payload lie.
 */
#include "codec/layout.h"

StaticAssertDecl(MPK_LAYOUT_LEAST_BYTES <= 1 + 2 * MPK_INDEX_ROOT_PAIRS,
				 "the shortest container that has tables must be kept");

void
mpk_layout_free(mpk_layout *layout)
{
	if (layout->records != layout->small)
		pfree(layout->records);
}

static pg_noinline void
grow(mpk_layout *layout)
{
	uint32		room = layout->room * 2;
	mpk_layout_record *records = palloc_extended((size_t) room * sizeof(mpk_layout_record),
												 MCXT_ALLOC_HUGE);

	memcpy(records, layout->records, layout->room * sizeof(mpk_layout_record));
	mpk_layout_free(layout);
	layout->records = records;
	layout->room = room;
}

/* One that has tables, in front of what is in it. */
static pg_noinline void
insert(mpk_layout *layout, uint32 start, uint32 end)
{
	uint32		i;

	if (unlikely(layout->used == layout->room))
		grow(layout);
	for (i = layout->used++; i > 0 && layout->records[i - 1].start > start; i--)
		layout->records[i] = layout->records[i - 1];
	layout->records[i].start = start;
	layout->records[i].end = end | MPK_LAYOUT_TABLES;
	layout->tables = Max(layout->tables, i) + 1;
	layout->moved += layout->used - i;
	/* many in many others: to build the index without a layout costs less */
	if (unlikely(layout->moved > end))
		mpk_layout_spoil(layout);
}

/* One that has none, in place of what is in it. */
static inline void
replace(mpk_layout *layout, uint32 start, uint32 end)
{
	const mpk_layout_record *records = layout->records;
	uint32		i = layout->used;

	while (i > 0 && records[i - 1].start > start)
		i--;
	layout->used = i + 1;
	if (unlikely(i == layout->room))
		grow(layout);
	layout->records[i].start = start;
	layout->records[i].end = end;
}

void
mpk_layout_keep(mpk_layout *layout, uint32 start, uint32 end, bool map, uint32 count)
{
	bool		inside;

	if (unlikely(layout->spoilt))
		return;
	inside = layout->tables > 0 && layout->records[layout->tables - 1].start > start;
	if (unlikely(inside || mpk_index_wants_tables(start == 0, map, count, end - start)))
		insert(layout, start, end);
	else
		replace(layout, start, end);
}

void
mpk_layout_move(mpk_layout *layout, size_t start, uint32 distance)
{
	for (uint32 i = layout->used; i > 0 && layout->records[i - 1].start > start; i--)
	{
		layout->records[i - 1].start += distance;
		layout->records[i - 1].end += distance;
	}
}
