/*
 * sort.c
 *		Sorting places: insertion into short runs, then merging.
 */
#include "codec/sort.h"

/* Runs this short are sorted by insertion before they are merged. */
#define RUN		8

/* Merge two sorted runs that meet at "middle" into out; ties keep their order. */
static void
merge_runs(const uint32 *run, size_t middle, size_t end, uint32 *out,
		   mpk_place_compare compare, const void *context)
{
	size_t		left = 0;
	size_t		right = middle;

	while (left < middle && right < end)
	{
		MPK_CHECK_FOR_INTERRUPTS();
		if (compare(run[right], run[left], context) < 0)
			*out++ = run[right++];
		else
			*out++ = run[left++];
	}
	memcpy(out, run + left, (middle - left) * sizeof(uint32));
	memcpy(out + (middle - left), run + right, (end - right) * sizeof(uint32));
}

static void
insertion_sort(uint32 *places, size_t n, mpk_place_compare compare, const void *context)
{
	for (size_t i = 1; i < n; i++)
	{
		uint32		place = places[i];
		size_t		j = i;

		for (; j > 0 && compare(place, places[j - 1], context) < 0; j--)
			places[j] = places[j - 1];
		places[j] = place;
	}
}

void
mpk_sort_places(uint32 *places, size_t n, mpk_place_compare compare, const void *context)
{
	uint32	   *spare;
	uint32	   *from = places;
	uint32	   *to;

	for (size_t i = 0; i < n; i += RUN)
	{
		MPK_CHECK_FOR_INTERRUPTS();
		insertion_sort(places + i, Min(RUN, n - i), compare, context);
	}
	if (n <= RUN)
		return;

	to = spare = palloc_extended(n * sizeof(uint32), MCXT_ALLOC_HUGE);
	for (size_t width = RUN; width < n; width *= 2)
	{
		uint32	   *swap;

		for (size_t i = 0; i < n; i += 2 * width)
			merge_runs(from + i, Min(width, n - i), Min(2 * width, n - i), to + i,
					   compare, context);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != places)
		memcpy(places, from, n * sizeof(uint32));
	pfree(spare);
}
