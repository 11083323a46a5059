/*
 * order.h
 *		The sorted view of a value: its maps' pairs in the order of their keys.
 *
 * Two maps are equal when they hold the same pairs in any order, and they
 * compare by their pairs sorted by key (doc/format.md, "Order").  An mpk_order
 * is what it takes to read a value that way without moving its bytes: for
 * every map whose keys do not already ascend, the places of its pairs in
 * sorted order.  It is made once, from the innermost maps out, so that the
 * keys of a map, when they are sorted, are compared through the finished views
 * of the maps inside them.  Since a comparison of two keys costs no more than
 * the smaller of them, n bytes are ordered in O(n log^2 n) time at the very
 * worst, however deep maps are keys of maps; a value whose keys ascend
 * everywhere takes one pass.
 *
 * The view is also where repeated keys are found, exactly, and where one of
 * them is chosen.
 */
#ifndef MPK_ORDER_H
#define MPK_ORDER_H

#include "codec/format.h"

/* One map of two pairs or more; places are bytes from the value's start. */
typedef struct mpk_order_map
{
	uint32		place;			/* of the map's type byte */
	uint32		end;			/* of the byte after the map */
	uint32		first;			/* its part of mpk_order.pairs */
	uint32		count;			/* pairs, without the repeated ones */
	bool		ascending;		/* its keys ascend strictly: read it as it lies */
	bool		repeated;		/* some keys were equal and are left out */
} mpk_order_map;

/* Which of equal keys counts. */
typedef enum mpk_keep
{
	MPK_KEEP_LAST,				/* what every reader of a stored value goes by */
	MPK_KEEP_FIRST
} mpk_keep;

typedef struct mpk_order
{
	const uint8 *start;			/* the value */
	const uint8 *end;			/* the byte after it */
	mpk_keep	keep;

	mpk_order_map *maps;		/* by place, ascending */
	size_t		map_count;
	size_t		map_capacity;
	size_t		shuffled;		/* maps that do not ascend */

	uint32	   *pairs;			/* places of keys, a run for each map */
	uint32	   *homes;			/* beside them: where the first of equal keys was */
	size_t		pair_count;
	size_t		pair_capacity;

	const uint8 *repeated_key;	/* the first key that repeats one before it, or NULL */
} mpk_order;

/*
 * Make the view of the value at p, which lies in a validated payload; the value
 * may be irregular.  Allocates in the current context; cancellable.
 */
extern void mpk_order_build(mpk_order *order, const uint8 *p, mpk_keep keep);

extern void mpk_order_free(mpk_order *order);

/*
 * How to read the map that begins at p: its entry when the pairs are to be
 * taken in another order than they lie (or fewer of them), else NULL.  "order"
 * may be NULL: then everything is read as it lies.
 */
extern const mpk_order_map *mpk_order_find(const mpk_order *order, const uint8 *p);

#endif							/* MPK_ORDER_H */
