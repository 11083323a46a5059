/*
 * order.c
 *		The sorted view of a value: finding, sorting and de-duplicating its maps.
 *
 * One walk over the value in document order.  A map gets its entry when it
 * opens, so that entries ascend by place and are found by binary search, and
 * room for the places of its pairs.  While it is read each key is compared
 * with the one before, which is all there is to do for a map that ascends;
 * else its pairs are sorted when it closes, and of equal keys one is kept.
 */
#include "document/order.h"

#include "codec/sort.h"
#include "document/compare.h"

#define NO_MAP	((uint32) -1)

/* A container that the walk is inside of. */
typedef struct open_container
{
	uint32		map;			/* its entry, or NO_MAP: an array, or a map of one pair */
	uint32		left;			/* values still to come; of a map, even before a key */
	uint32		keys;			/* keys seen, for a map with an entry */
} open_container;

/* palloc, for arrays that may pass the limit of an ordinary allocation. */
static void *
allocate(size_t count, size_t size)
{
	return palloc_extended(Max(count, 1) * size, MCXT_ALLOC_HUGE);
}

static void *
enlarge(void *old, size_t used, size_t capacity, size_t size)
{
	void	   *grown = allocate(capacity, size);

	if (old != NULL)
	{
		memcpy(grown, old, used * size);
		pfree(old);
	}
	return grown;
}

/* An entry for the map of "count" pairs that begins at p, with room for its pairs. */
static uint32
add_map(mpk_order *order, const uint8 *p, uint32 count)
{
	mpk_order_map *map;

	if (order->map_count == order->map_capacity)
	{
		order->map_capacity = Max(16, order->map_capacity * 2);
		order->maps = enlarge(order->maps, order->map_count, order->map_capacity,
							  sizeof(*order->maps));
	}
	if (order->pair_capacity - order->pair_count < count)
	{
		size_t		capacity = Max(order->pair_capacity * 2, order->pair_count + count);

		order->pairs = enlarge(order->pairs, order->pair_count, capacity, sizeof(uint32));
		order->homes = enlarge(order->homes, order->pair_count, capacity, sizeof(uint32));
		order->pair_capacity = capacity;
	}
	map = &order->maps[order->map_count];
	map->place = (uint32) (p - order->start);
	map->end = 0;
	map->first = (uint32) order->pair_count;
	map->count = count;
	map->ascending = true;
	map->repeated = false;
	order->pair_count += count;
	return (uint32) order->map_count++;
}

static int
compare_keys(uint32 a, uint32 b, const void *context)
{
	const mpk_order *order = context;
	const uint8 *key_a = order->start + a;
	const uint8 *key_b = order->start + b;

	if (mpk_is_short_str(*key_a) && mpk_is_short_str(*key_b))
		return mpk_short_str_compare(key_a, key_b);
	return mpk_compare_ordered(order, key_a, order, key_b);
}

/* Of each run of equal keys, which the sort left in document order, keep one. */
static void
drop_repeated(mpk_order *order, mpk_order_map *map)
{
	uint32	   *pairs = order->pairs + map->first;
	uint32	   *homes = order->homes + map->first;
	uint32		kept = 0;

	for (uint32 i = 0; i < map->count;)
	{
		uint32		last = i;

		while (last + 1 < map->count && compare_keys(pairs[i], pairs[last + 1], order) == 0)
			last++;
		if (last > i)
		{
			const uint8 *again = order->start + pairs[i + 1];

			if (order->repeated_key == NULL || again < order->repeated_key)
				order->repeated_key = again;
			map->repeated = true;
		}
		homes[kept] = pairs[i];
		pairs[kept++] = pairs[order->keep == MPK_KEEP_LAST ? last : i];
		i = last + 1;
	}
	map->count = kept;
}

/* The map is read to its end, before p. */
static void
close_map(mpk_order *order, mpk_order_map *map, const uint8 *p)
{
	map->end = (uint32) (p - order->start);
	if (map->ascending)
	{
		/* its room is wanted only where it was not followed by an inner map's */
		if (map->first + map->count == order->pair_count)
			order->pair_count = map->first;
		return;
	}
	order->shuffled++;
	mpk_sort_places(order->pairs + map->first, map->count, compare_keys, order);
	drop_repeated(order, map);
}

/* A key of the map begins at p, or, behind its key, a value does. */
static void
enter_map_value(mpk_order *order, open_container *open, const uint8 *p)
{
	mpk_order_map *map = &order->maps[open->map];
	const uint32 *pairs = order->pairs + map->first;

	if (open->left % 2 == 0)
		order->pairs[map->first + open->keys++] = (uint32) (p - order->start);
	else if (map->ascending && open->keys > 1 &&
			 compare_keys(pairs[open->keys - 2], pairs[open->keys - 1], order) >= 0)
		map->ascending = false;
}

void
mpk_order_build(mpk_order *order, const uint8 *p, mpk_keep keep)
{
	open_container stack[MPK_MAX_DEPTH];
	int			depth = 0;

	memset(order, 0, sizeof(*order));
	order->start = p;
	order->keep = keep;
	for (;;)
	{
		mpk_value	value;

		MPK_CHECK_FOR_INTERRUPTS();
		if (depth > 0 && stack[depth - 1].map != NO_MAP)
			enter_map_value(order, &stack[depth - 1], p);
		p = mpk_read(p, &value);
		if (mpk_is_container(value.kind) && value.length > 0)
		{
			open_container *open = &stack[depth++];
			bool		sortable = value.kind == MPK_MAP && value.length > 1;

			open->map = sortable ? add_map(order, value.start, value.length) : NO_MAP;
			open->left = value.kind == MPK_MAP ? value.length * 2 : value.length;
			open->keys = 0;
			continue;
		}
		while (depth > 0 && --stack[depth - 1].left == 0)
		{
			if (stack[depth - 1].map != NO_MAP)
				close_map(order, &order->maps[stack[depth - 1].map], p);
			depth--;
		}
		if (depth == 0)
			break;
	}
	order->end = p;
}

void
mpk_order_free(mpk_order *order)
{
	if (order->maps != NULL)
		pfree(order->maps);
	if (order->pairs != NULL)
	{
		pfree(order->pairs);
		pfree(order->homes);
	}
}

const mpk_order_map *
mpk_order_find(const mpk_order *order, const uint8 *p)
{
	uint32		place;
	size_t		low = 0;
	size_t		high;

	if (order == NULL || order->shuffled == 0)
		return NULL;
	place = (uint32) (p - order->start);
	high = order->map_count;
	while (low < high)
	{
		size_t		middle = (low + high) / 2;

		if (order->maps[middle].place < place)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == order->map_count || order->maps[low].place != place || order->maps[low].ascending)
		return NULL;
	return &order->maps[low];
}
