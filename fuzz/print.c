/*
 * print.c
 *		Any document: its text form parses to the same bytes; its JSON parses.
 */
#include "fuzz.h"

#include "document/text.h"

/* Parse what was printed. */
static mpk_document
parse(mpk_text *text)
{
	const uint8 *s = fuzz_copy(mpk_text_data(text), text->length);
	mpk_writer	writer;
	unsigned	flags;

	mpk_writer_init(&writer, 64);
	CHECK(mpk_parse_text(s, text->length, &writer, &flags, NULL) && !writer.overflow);
	return fuzz_written(&writer);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	fuzz_input	in = fuzz_begin(data, size);
	mpk_document document = fuzz_document(&in);
	const uint8 *end = document.payload + document.length;
	mpk_text	text;
	mpk_value	value;
	mpk_document again;
	mpk_error	error = {MPK_OK, 0, NULL};

	for (int i = 0; i < 4; i++)
	{
		mpk_text_style style = {.marks = i & 1,.pretty = i & 2};

		mpk_text_init(&text, i, 16);
		CHECK(mpk_print(&text, document.payload, end, document.flags, &style));
		again = parse(&text);
		CHECK(!style.marks || fuzz_identical(&again, &document));
	}

	mpk_text_init(&text, 0, 16);
	mpk_read(document.payload, &value);
	CHECK(mpk_print_value_text(&text, &value, document.flags, &(mpk_text_style) {0}));

	if ((document.flags & MPK_REPEATED_KEYS) != 0)
		return 0;
	mpk_text_init(&text, 0, 16);
	if (mpk_print_json(&text, document.payload, end, document.flags, &(mpk_text_style) {0}, &error))
		CHECK(parse(&text).flags == 0);
	else
		CHECK(error.code == MPK_ERR_KEY_CLASH ||
			  (error.code == MPK_ERR_STR_NOT_UTF8 && (document.flags & MPK_INVALID_UTF8) != 0));
	return 0;
}
