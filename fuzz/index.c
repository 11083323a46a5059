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

/* An index that is built by the layout, as the validator notes it, is the same. */
static void
check_layout(const mpk_document *plain)
{
	mpk_index	wanted;
	mpk_index	found;
	mpk_layout	layout;
	unsigned	flags;

	mpk_layout_init(&layout);
	CHECK(mpk_validate_layout(plain->payload, plain->length, &flags, &layout, NULL));
	mpk_index_build(&wanted, plain->payload, plain->length, plain->flags, NULL);
	mpk_index_build(&found, plain->payload, plain->length, plain->flags, &layout);
	CHECK(found.length == wanted.length && found.containers == wanted.containers);
	CHECK(memcmp(mpk_index_bytes(&found), mpk_index_bytes(&wanted), found.length) == 0);
	mpk_index_free(&wanted);
	mpk_index_free(&found);
	mpk_layout_free(&layout);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	fuzz_input	in = fuzz_begin(data, size);
	mpk_document plain = fuzz_document(&in);
	mpk_document indexed = fuzz_stored(&plain);
	mpk_cursor	cursor;
	mpk_spot	spot;

	check_layout(&plain);
	looked_up = 0;
	(size & 1 ? fuzz_cursor : mpk_cursor_init) (&cursor, &indexed);
	CHECK(mpk_spot_root(&cursor, &spot));
	look_up(&cursor, &spot, fuzz_take_apart(plain.payload, false));
	CHECK(!cursor.corrupt);
	return 0;
}
