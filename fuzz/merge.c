/*
 * merge.c
 *		Concatenation, merging, stripping and regularising, against the model.
 */
#include "fuzz.h"

#include "document/merge.h"

/* What was written means what the model came to, and repeats no keys if it must not. */
static void
same(mpk_writer *writer, const fuzz_node *model, unsigned flags)
{
	mpk_document result = fuzz_written(writer);

	CHECK(fuzz_equal(fuzz_apart(&result), model));
	CHECK((result.flags & ~flags) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	fuzz_input	in = fuzz_begin(data, size);
	mpk_document documents[3] = {fuzz_document(&in), fuzz_document(&in), fuzz_document(&in)};
	unsigned	flags = documents[0].flags | documents[1].flags | documents[2].flags;
	bool		in_arrays = size & 1;
	fuzz_node  *model;
	mpk_writer	writer;
	mpk_error	error;

	model = fuzz_concat(fuzz_apart(&documents[0]), fuzz_apart(&documents[1]));
	mpk_writer_init(&writer, 16);
	if (mpk_concat(&writer, &documents[0], &documents[1], &error))
		same(&writer, model, flags);
	else
		CHECK(error.code == MPK_ERR_OUTPUT_TOO_DEEP && fuzz_depth(model) > MPK_MAX_DEPTH);

	model = fuzz_merge(fuzz_apart(&documents[0]), fuzz_apart(&documents[1]));
	model = fuzz_merge(model, fuzz_apart(&documents[2]));
	mpk_writer_init(&writer, 16);
	mpk_merge(&writer, documents, 3);
	same(&writer, model, flags);

	mpk_writer_init(&writer, 16);
	mpk_drop_repeated_keys(&writer, documents[0].payload, MPK_KEEP_LAST);
	same(&writer, fuzz_apart(&documents[0]), flags & ~MPK_REPEATED_KEYS);
	documents[0] = fuzz_written(&writer);

	model = fuzz_apart(&documents[0]);
	mpk_writer_init(&writer, 16);
	if (mpk_strip_nils(&writer, &documents[0], in_arrays))
	{
		CHECK(fuzz_strip(model, in_arrays));
		same(&writer, model, flags & ~MPK_REPEATED_KEYS);
	}
	else
		CHECK(!fuzz_strip(model, in_arrays));
	return 0;
}
