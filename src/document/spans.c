/*
 * spans.c
 *		Where the containers inside a value end, found in one pass.
 */
#include "document/spans.h"

#define FIRST_CAPACITY	64
#define INTERRUPT_MASK	0xffff

/* Containers that the walk is inside of. */
typedef struct open_containers
{
	int			depth;
	uint64		owed[MPK_MAX_DEPTH];	/* values still to come */
	size_t		row[MPK_MAX_DEPTH];
} open_containers;

static bool
grow(mpk_spans *spans, size_t limit)
{
	size_t		most = Min(limit, MPK_MAX_ALLOC / sizeof(mpk_span));
	size_t		capacity = Min(Max(spans->capacity * 2, FIRST_CAPACITY), most);

	if (spans->count >= most)
		return false;
	if (spans->spans == NULL)
		spans->spans = palloc(capacity * sizeof(mpk_span));
	else
		spans->spans = repalloc(spans->spans, capacity * sizeof(mpk_span));
	spans->capacity = capacity;
	return true;
}

/* A value ends at p: so do the containers of which it is the last. */
static void
close_full(mpk_spans *spans, open_containers *open, const uint8 *p)
{
	while (open->depth > 0 && --open->owed[open->depth - 1] == 0)
		spans->spans[open->row[--open->depth]].end = p;
}

bool
mpk_spans_build(mpk_spans *spans, const uint8 *p, size_t limit)
{
	open_containers open;		/* only what depth covers is ever read */
	unsigned	passed = 0;

	open.depth = 0;
	spans->count = 0;
	do
	{
		mpk_value	value;
		const uint8 *next = mpk_read(p, &value);

		if (!mpk_is_container(value.kind) || value.length == 0)
			close_full(spans, &open, next);
		else
		{
			if (spans->count == spans->capacity && !grow(spans, limit))
				return false;
			spans->spans[spans->count].start = p;
			open.row[open.depth] = spans->count++;
			open.owed[open.depth] = (uint64) value.length << (value.kind == MPK_MAP);
			open.depth++;
		}
		p = next;
		if ((++passed & INTERRUPT_MASK) == 0)
			MPK_CHECK_FOR_INTERRUPTS();
	} while (open.depth > 0);
	return true;
}

const uint8 *
mpk_spans_end(const mpk_spans *spans, const uint8 *start)
{
	size_t		low = 0;
	size_t		high = spans->count;

	while (high - low > 1)
	{
		size_t		middle = low + (high - low) / 2;

		if (spans->spans[middle].start <= start)
			low = middle;
		else
			high = middle;
	}
	Assert(spans->spans[low].start == start);
	return spans->spans[low].end;
}

void
mpk_spans_free(mpk_spans *spans)
{
	if (spans->spans != NULL)
		pfree(spans->spans);
	mpk_spans_init(spans);
}
