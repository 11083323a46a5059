/*
 * layout.c
 *		What the validator notes of containers: the index built by it is the one built without.
 */
#include "fuzz.h"

static void
check_layout(const uint8 *bytes, size_t length)
{
	mpk_layout	layout;
	mpk_index	wanted, found;
	unsigned	flags, same_flags;

	mpk_layout_init(&layout);
	if (mpk_validate_layout(bytes, length, &flags, &layout, NULL))
	{
		CHECK(mpk_validate(bytes, length, &same_flags, NULL) && flags == same_flags);
		flags = mpk_resolve_flags(bytes, flags);
		mpk_index_build(&wanted, bytes, length, flags, NULL);
		mpk_index_build(&found, bytes, length, flags, &layout);
		CHECK(fuzz_same_index(&found, &wanted) && found.containers == wanted.containers);
		mpk_index_free(&found);
	}
	else
		CHECK(!mpk_validate(bytes, length, &flags, NULL));
	mpk_layout_free(&layout);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	fuzz_input	in = fuzz_begin(data, size);
	mpk_document plain;

	check_layout(fuzz_copy(in.p, size), size);
	plain = fuzz_document(&in);
	check_layout(plain.payload, plain.length);
	return 0;
}
