/*
 * contain.c
 *		Containment and existence against the model; and what contains has the terms.
 */
#include "fuzz.h"

#include "document/contain.h"
#include "document/terms.h"

static bool
has_terms(void (*terms_of) (mpk_terms *, const mpk_document *), const mpk_document *a,
		  const mpk_document *b)
{
	mpk_terms	has, wanted;
	bool		all = true;

	mpk_terms_init(&has);
	mpk_terms_init(&wanted);
	terms_of(&has, a);
	terms_of(&wanted, b);
	for (uint32 i = 0; i < wanted.count && all; i++)
	{
		all = false;
		for (uint32 j = 0; j < has.count && !all; j++)
			all = has.terms[j] == wanted.terms[i];
	}
	return all;
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	fuzz_input	in = fuzz_begin(data, size);
	mpk_document a = fuzz_document(&in);
	mpk_document b = fuzz_document(&in);
	mpk_document stored = fuzz_stored(&a);
	mpk_contained contained;
	bool		wanted;

	if (((a.flags | b.flags) & MPK_REPEATED_KEYS) != 0)
		return 0;
	wanted = fuzz_contains_at_top(fuzz_apart(&a), fuzz_apart(&b));
	mpk_contained_init(&contained, &b);
	for (int i = 0; i < 8; i++)
	{
		mpk_cursor	cursor;

		if (i == 4)
			mpk_contained_prepare(&contained);
		(i & 1 ? fuzz_cursor : mpk_cursor_init) (&cursor, i & 2 ? &stored : &a);
		CHECK(mpk_contains(&cursor, &contained) == wanted && !cursor.corrupt);
	}
	if (wanted)
		CHECK(has_terms(mpk_terms_of_entries, &a, &b) && has_terms(mpk_terms_of_paths, &a, &b));
	return 0;
}
