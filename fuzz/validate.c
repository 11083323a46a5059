/*
 * validate.c
 *		Any bytes: the validator's answer, and walks over what it let through.
 */
#include "fuzz.h"

#include "codec/utf8.h"
#include "codec/within.h"
#include "document/locate.h"
#include "document/nest.h"

/* Walk value by value, trusting; say whether a str is not UTF-8, and how deep it goes. */
static const uint8 *
walk(const uint8 *p, const uint8 *end, uint32 depth, uint32 *deepest, bool *invalid)
{
	mpk_value	value;
	const uint8 *next;

	CHECK(mpk_read_within(p, end, &value));
	next = mpk_read(p, &value);
	*invalid |= value.kind == MPK_STR && mpk_utf8_prefix(value.body, value.length) < value.length;
	*deepest = Max(*deepest, depth + mpk_is_container(value.kind));
	for (uint64 left = fuzz_items(&value); left > 0; left--)
		next = walk(next, end, depth + 1, deepest, invalid);
	if (*deepest < 32)			/* what is skipped at each level is skipped again above */
		CHECK(mpk_skip(p) == next && mpk_skip_within(p, end) == next);
	return next;
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	const uint8 *bytes = fuzz_copy(fuzz_begin(data, size).p, size);
	unsigned	flags = 0;
	mpk_error	error = {MPK_OK, 0, NULL};
	size_t		used;
	uint32		deepest = 0;
	bool		invalid = false;

	if (mpk_validate_first(bytes, size, &used, &flags, &error))
		CHECK(mpk_validate(fuzz_copy(bytes, used), used, &flags, &error));
	if (!mpk_validate(bytes, size, &flags, &error))
	{
		CHECK(error.code != MPK_OK && error.offset <= size);
		mpk_locate(bytes, size, error.offset, size & 1);
		CHECK(error.code == MPK_ERR_TOO_DEEP ||
			  mpk_skip_within(bytes, bytes + size) != bytes + size);
		return 0;
	}
	CHECK(walk(bytes, bytes + size, 0, &deepest, &invalid) == bytes + size);
	CHECK(deepest <= MPK_MAX_DEPTH && invalid == ((flags & MPK_INVALID_UTF8) != 0));
	CHECK(mpk_nests_within(bytes, bytes + size, deepest));
	CHECK(deepest == 0 || !mpk_nests_within(bytes, bytes + size, deepest - 1));
	flags = mpk_resolve_flags(bytes, flags);
	CHECK(mpk_first_irregularity(bytes, flags).offset < size);
	for (size_t offset = 0; offset <= size; offset += 1 + size / 8)
		mpk_locate(bytes, size, offset, offset & 1);
	return 0;
}
