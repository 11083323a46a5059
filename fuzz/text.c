/*
 * text.c
 *		Any text: what it parses to, printed, parses to the same bytes.
 */
#include "fuzz.h"

#include "document/text.h"

static bool
holds_ascii(const uint8 *character, int length, void *arg)
{
	(void) character;
	(void) arg;
	return length == 1;
}

/* Parse; on success the document is what the validator says it is. */
static bool
parse(const uint8 *s, size_t length, mpk_document *document)
{
	mpk_writer	writer;
	mpk_error	error = {MPK_OK, 0, NULL};
	unsigned	flags;

	mpk_writer_init(&writer, 64);
	if (!mpk_parse_text(s, length, &writer, &flags, &error))
	{
		CHECK(error.code != MPK_OK && error.offset <= length);
		return false;
	}
	CHECK(!writer.overflow);
	*document = fuzz_written(&writer);
	CHECK(mpk_resolve_flags(document->payload, flags) == document->flags);
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	const uint8 *s = fuzz_copy(fuzz_begin(data, size).p, size);
	mpk_document document;
	mpk_document again;

	if (!parse(s, size, &document))
		return 0;
	for (int i = 0; i < 4; i++)
	{
		mpk_text_style style = {.marks = true,.pretty = i & 1,.holds = i & 2 ? holds_ascii : NULL};
		mpk_text	text;

		mpk_text_init(&text, 0, 16);
		CHECK(mpk_print(&text, document.payload, document.payload + document.length,
						document.flags, &style));
		CHECK(parse(fuzz_copy(mpk_text_data(&text), text.length), text.length, &again));
		CHECK(fuzz_identical(&again, &document));
	}
	return 0;
}
