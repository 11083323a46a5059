/*
 * edit.c
 *		Any edit: the very bytes that taking apart, changing and writing again gives.
 */
#include "fuzz.h"

#define MOST_STEPS	6
#define MOST_NILS	1000		/* the model adds them one by one */

/* The index that comes out of the old one is the one that is built anew. */
static void
check_index(const mpk_document *edited, const mpk_edit *edit)
{
	mpk_index	spliced, built;

	if (edited->flags != 0 || edit->change.path == NULL ||
		!mpk_index_splice(&spliced, edited->payload, edited->length, &edit->change))
		return;
	mpk_index_build(&built, edited->payload, edited->length, 0, NULL);
	CHECK(fuzz_same_index(&spliced, &built));
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	fuzz_input	in = fuzz_begin(data, size);
	mpk_document document = fuzz_document(&in);
	mpk_document stored = fuzz_stored(&document);
	mpk_document value = fuzz_document(&in);
	fuzz_node  *node = fuzz_take_apart(document.payload, false);
	mpk_step	steps[MOST_STEPS];
	mpk_edit	edit = {.kind = fuzz_below(&in, MPK_EDIT_ASSIGN + 1),.steps = steps,
		.null_level = -1,.value = &value};
	mpk_writer	writer;
	mpk_edit_result result, wanted;
	mpk_document edited, model;

	edit.count = 1 + fuzz_below(&in, MOST_STEPS);
	fuzz_steps(&in, node, steps, edit.count);
	for (int i = 0; i < edit.count; i++)
		if (steps[i].has_index && steps[i].index > MOST_NILS)
			return 0;
	mpk_writer_init(&writer, 16);
	result = mpk_edit_path(&writer, size & 1 ? &stored : &document, &edit);
	wanted = fuzz_edit(node, &edit, fuzz_take_apart(value.payload, false));
	CHECK(result == wanted && (result == MPK_EDITED || writer.length == 0));
	if (result != MPK_EDITED)
		return 0;
	edited = fuzz_written(&writer);
	model = fuzz_put_together(node);
	CHECK(fuzz_identical(&edited, &model));
	check_index(&edited, &edit);
	for (int i = 0; i < edit.count; i++)
		edited.flags &= ~steps[i].key_flags;
	CHECK((edited.flags & ~(document.flags | value.flags | MPK_INVALID_UTF8)) == 0);
	return 0;
}
