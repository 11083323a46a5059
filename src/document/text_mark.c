/*
 * text_mark.c
 *		Width marks: which encoding of a value it is, when not the shortest.
 */
#include "codec/port.h"

#include "document/text_internal.h"

/* By mpk_mark, without the underscore. */
static const char mark_names[][4] = {
	"", "8", "16", "32", "64", "96",
	"u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64"
};

StaticAssertDecl(lengthof(mark_names) == MPK_MARK_F64 + 1, "a name for every mark");

bool
mpk_parse_mark(mpk_parser *parser, unsigned allowed, const char *expected, mpk_mark *mark)
{
	const uint8 *word = parser->p + 1;
	size_t		length;

	*mark = MPK_MARK_NONE;
	if (likely(parser->p >= parser->end || *parser->p != '_'))
		return true;
	length = mpk_word_length(parser, word);
	for (unsigned i = 1; i < lengthof(mark_names); i++)
	{
		if ((allowed & MPK_MARK_BIT(i)) != 0 &&
			strnlen(mark_names[i], sizeof(mark_names[i])) == length &&
			memcmp(mark_names[i], word, length) == 0)
		{
			*mark = (mpk_mark) i;
			parser->p = word + length;
			return true;
		}
	}
	return mpk_parse_fail(parser, MPK_ERR_TEXT_SYNTAX, parser->p, expected);
}

/* A type byte, and the length in the width of the mark. */
static int
put_marked_length(uint8 *out, uint8 byte, uint32 length, mpk_mark mark)
{
	switch (mark)
	{
		case MPK_MARK_8:
			out[0] = byte;
			out[1] = (uint8) length;
			return 2;
		case MPK_MARK_16:
			out[0] = byte + 1;
			mpk_store16(out + 1, (uint16) length);
			return 3;
		default:
			out[0] = byte + 2;
			mpk_store32(out + 1, length);
			return 5;
	}
}

int
mpk_put_marked_head(uint8 *out, mpk_kind kind, int8 code, uint32 length, mpk_mark mark)
{
	int			n;

	if (mark == MPK_MARK_NONE)
		return kind == MPK_STR ? mpk_put_str_head(out, length) :
			kind == MPK_BIN ? mpk_put_bin_head(out, length) :
			mpk_put_ext_head(out, code, length);
	if (kind == MPK_STR)
		return put_marked_length(out, MPK_BYTE_STR8, length, mark);
	if (kind == MPK_BIN)
		return put_marked_length(out, MPK_BYTE_BIN8, length, mark);
	n = put_marked_length(out, MPK_BYTE_EXT8, length, mark);
	out[n] = (uint8) code;
	return n + 1;
}
