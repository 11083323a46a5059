/*
 * spans.h
 *		Where the containers inside a value end, found in one pass.
 *
 * Who takes a map's values in another order than they lie must skip them
 * first, and skips what lies n deep n times.  That is fast for documents as
 * people write them, but not in proportion to the size for one that is nested
 * a thousand deep.  From some depth on, such a reader makes a table of spans.
 */
#ifndef MPK_SPANS_H
#define MPK_SPANS_H

#include "codec/format.h"

/* A container that is not empty. */
typedef struct mpk_span
{
	const uint8 *start;			/* its type byte */
	const uint8 *end;			/* the byte after it */
} mpk_span;

typedef struct mpk_spans
{
	mpk_span   *spans;			/* by start, ascending */
	size_t		count;
	size_t		capacity;
} mpk_spans;

/* An empty table, which holds no memory. */
static inline void
mpk_spans_init(mpk_spans *spans)
{
	spans->spans = NULL;
	spans->count = 0;
	spans->capacity = 0;
}

/*
 * Fill the table anew from the value at p, which lies in a validated payload.
 * False when it would have more than "limit" rows, or pass the allocation
 * limit; its content is of no use then.  Cancellable.
 */
extern bool mpk_spans_build(mpk_spans *spans, const uint8 *p, size_t limit);

/* The end of the container at "start", which is not empty and lies in the value of the table. */
extern const uint8 *mpk_spans_end(const mpk_spans *spans, const uint8 *start);

extern void mpk_spans_free(mpk_spans *spans);

#endif							/* MPK_SPANS_H */
