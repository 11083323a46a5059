/*
 * path.c
 *		A path over a document: plain, indexed, whole or in pieces, and the model agree.
 */
#include "fuzz.h"

#define MOST_STEPS	8

/* Where the path leads, from the payload's start, or -1; the value there is whole and readable. */
static ptrdiff_t
follow(mpk_cursor *cursor, const mpk_step *steps, int count)
{
	mpk_spot	spot;
	const uint8 *start;
	const uint8 *end;

	CHECK(mpk_spot_root(cursor, &spot));
	if (!mpk_path_follow(cursor, &spot, steps, count))
		return -1;
	CHECK(mpk_spot_bytes(cursor, &spot, &start, &end) && mpk_skip(start) == end);
	return spot.place - cursor->payload;
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	fuzz_input	in = fuzz_begin(data, size);
	mpk_document plain = fuzz_document(&in);
	mpk_document indexed = fuzz_stored(&plain);
	int			count = fuzz_below(&in, MOST_STEPS);
	mpk_step	steps[MOST_STEPS];
	const fuzz_node *node = fuzz_steps(&in, fuzz_take_apart(plain.payload, false), steps, count);
	ptrdiff_t	wanted = node != NULL ? node->value.start - plain.payload : -1;

	for (int i = 0; i < 4; i++)
	{
		mpk_cursor	cursor;

		(i & 1 ? fuzz_cursor : mpk_cursor_init) (&cursor, i & 2 ? &indexed : &plain);
		CHECK(follow(&cursor, steps, count) == wanted && !cursor.corrupt);
	}
	return 0;
}
