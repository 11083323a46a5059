/*
 * msgpack_jsonb_pairs.c
 *		Sorting the pairs of a map as jsonb sorts keys.
 */
#include "msgpack_jsonb_pairs.h"

#include "codec/sort.h"

/* Maps of so few pairs are sorted where they stand. */
#define SMALL_MAP		32

/* mpk_place_compare: "context" are the pairs */
static int
compare_places(uint32 a, uint32 b, const void *context)
{
	const msgpack_pair *pairs = context;

	return msgpack_compare_keys(&pairs[a], &pairs[b]);
}

static void
sort_large_map(msgpack_pair *pairs, size_t count)
{
	uint32	   *places = palloc_extended(count * sizeof(uint32), MCXT_ALLOC_HUGE);
	msgpack_pair *copy = palloc_extended(count * sizeof(msgpack_pair), MCXT_ALLOC_HUGE);

	memcpy(copy, pairs, count * sizeof(msgpack_pair));
	for (size_t i = 0; i < count; i++)
		places[i] = (uint32) i;
	mpk_sort_places(places, count, compare_places, copy);
	for (size_t i = 0; i < count; i++)
		pairs[i] = copy[places[i]];
	pfree(copy);
	pfree(places);
}

void
msgpack_sort_pairs(msgpack_pair *pairs, size_t count)
{
	size_t		i = 1;

	while (i < count && msgpack_compare_keys(&pairs[i - 1], &pairs[i]) <= 0)
		i++;
	if (i >= count)
		return;
	if (count > SMALL_MAP)
	{
		sort_large_map(pairs, count);
		return;
	}
	for (; i < count; i++)
	{
		msgpack_pair moving = pairs[i];
		size_t		j = i;

		for (; j > 0 && msgpack_compare_keys(&moving, &pairs[j - 1]) < 0; j--)
			pairs[j] = pairs[j - 1];
		pairs[j] = moving;
	}
}

