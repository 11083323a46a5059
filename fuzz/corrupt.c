/*
 * corrupt.c
 *		Damaged headers and indexes: an error or a wrong answer, never a wild read.
 */
#include "fuzz.h"

#include "document/compare.h"
#include "document/contain.h"
#include "document/text.h"

/* What readers do with a value that they were led to. */
static void
use(const uint8 *start, const uint8 *end, unsigned flags)
{
	mpk_document value = {.payload = fuzz_copy(start, end - start),.length = end - start,
		.flags = flags & MPK_IRREGULAR};
	mpk_text	text;

	mpk_text_init(&text, 0, 16);
	mpk_print(&text, value.payload, value.payload + value.length, value.flags,
			  &(mpk_text_style) {.marks = true});
	mpk_compare(&value, &value);
	mpk_hash(&value);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	fuzz_input	in = fuzz_begin(data, size);
	mpk_document plain = fuzz_document(&in);
	mpk_document stored = fuzz_stored(&plain);
	const fuzz_node *node = fuzz_take_apart(plain.payload, false);
	mpk_cursor	cursor;
	mpk_spot	spot;
	mpk_step	step;
	mpk_contained contained;
	const uint8 *start, *end;

	if (!fuzz_damage(&in, &stored))
		return 0;
	(size & 1 ? fuzz_cursor : mpk_cursor_init) (&cursor, &stored);
	mpk_step_text(&step, MPK_STEP_FIELD, (const uint8 *) "a", 1);
	mpk_contained_init(&contained, &plain);
	mpk_contained_prepare(&contained);
	mpk_contains(&cursor, &contained);
	mpk_exists(&cursor, &step);
	if (!mpk_spot_root(&cursor, &spot))
		return 0;
	for (int i = 0; i < 4; i++)
	{
		node = fuzz_steps(&in, node, &step, 1);
		if (!mpk_step_follow(&cursor, &spot, &step) ||
			!mpk_spot_bytes(&cursor, &spot, &start, &end))
			return 0;
		use(start, end, stored.flags);
	}
	return 0;
}
