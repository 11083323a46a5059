/*
 * sort.h
 *		Sorting places, in n log n steps whatever they are.
 *
 * Not qsort, whose quadratic case can be provoked by whoever writes the
 * documents.
 */
#ifndef MPK_SORT_H
#define MPK_SORT_H

#include "codec/port.h"

/* -1, 0 or 1, or any number of that sign. */
typedef int (*mpk_place_compare) (uint32 a, uint32 b, const void *context);

/*
 * Sort n places, stably, in O(n log n) comparisons.  Allocates and frees
 * scratch memory in the current context; cancellable.
 */
extern void mpk_sort_places(uint32 *places, size_t n, mpk_place_compare compare,
							const void *context);

#endif							/* MPK_SORT_H */
