/*
 * index.c
 *		The offset index leads to every entry of every container, and nowhere else.
 */
#include "fuzz.h"

#define MOST_ENTRIES	20000	/* looked up in one document */

static int	looked_up;

static void
look_up(mpk_cursor *cursor, const mpk_spot *spot, const fuzz_node *node)
{
	uint32		stride = node->value.kind == MPK_MAP ? 2 : 1;
	mpk_kind	kind;
	uint32		count;

	if (mpk_spot_count(cursor, spot, &kind, &count))
		CHECK(kind == node->value.kind && count == node->value.length);
	for (uint32 i = 0; i < node->count && looked_up < MOST_ENTRIES; i += stride, looked_up++)
	{
		mpk_step	step = fuzz_step_to(node, i);
		int			wanted = fuzz_follow(node, &step);
		mpk_spot	found = *spot;

		CHECK(mpk_step_follow(cursor, &found, &step) == (wanted >= 0) && wanted >= 0);
		CHECK(found.place - spot->place ==
			  (size_t) (node->items[wanted]->value.start - node->value.start));
		look_up(cursor, &found, node->items[wanted]);
	}
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	fuzz_input	in = fuzz_begin(data, size);
	mpk_document plain = fuzz_document(&in);
	mpk_document indexed = fuzz_stored(&plain);
	mpk_cursor	cursor;
	mpk_spot	spot;

	looked_up = 0;
	(size & 1 ? fuzz_cursor : mpk_cursor_init) (&cursor, &indexed);
	CHECK(mpk_spot_root(&cursor, &spot));
	look_up(&cursor, &spot, fuzz_take_apart(plain.payload, false));
	CHECK(!cursor.corrupt);
	return 0;
}
