/*
 * msgpack_text.c
 *		Text in and out, and what crosses the border of the database's encoding.
 *
 * The text form is UTF-8 below; here it is converted.  An SQL_ASCII database
 * takes and gives UTF-8 as it is; what it brings in is checked.
 */
#include "msgpack.h"

#include "catalog/namespace.h"
#include "common/string.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "document/regular.h"
#include "document/text.h"

PG_FUNCTION_INFO_V1(msgpack_in);
PG_FUNCTION_INFO_V1(msgpack_out);
PG_FUNCTION_INFO_V1(msgpack_to_text);
PG_FUNCTION_INFO_V1(msgpack_pretty);

/* ---- in ---- */

/* The text as UTF-8, or as it is where the parser checks that. */
static const uint8 *
input_as_utf8(const char *s, size_t length, size_t *utf8_length)
{
	const char *converted = s;

	if (GetDatabaseEncoding() != PG_UTF8 && GetDatabaseEncoding() != PG_SQL_ASCII)
		converted = pg_server_to_any(s, (int) length, PG_UTF8);
	*utf8_length = converted == s ? length : strlen(converted);
	return (const uint8 *) converted;
}

/* Where "\x" and the bytes of a whole value in hex begin, else NULL. */
static const uint8 *
find_hex(const uint8 *utf8, size_t length)
{
	const uint8 *end = utf8 + length;

	while (utf8 < end && (*utf8 == ' ' || *utf8 == '\n' || *utf8 == '\t' || *utf8 == '\r'))
		utf8++;
	return end - utf8 >= 2 && utf8[0] == '\\' && utf8[1] == 'x' ? utf8 : NULL;
}

/* A value written as "\x" and its MessagePack bytes in hex, from "at" on. */
static Datum
parse_hex_value(const uint8 *utf8, size_t length, const uint8 *at, Node *escontext)
{
	const uint8 *digits = at + 2;
	mpk_writer	writer;
	mpk_error	error;
	Datum		result;

	mpk_writer_init(&writer, (size_t) (utf8 + length - digits) / 2);
	if (!mpk_parse_hex(digits, (size_t) (utf8 + length - digits), &writer, &error))
	{
		error.offset += (size_t) (digits - utf8);
		msgpack_report_text(&error, utf8, length, escontext);
		return (Datum) 0;
	}
	result = msgpack_admit(mpk_writer_data(&writer), writer.length, escontext);
	pfree(writer.buffer);
	return result;
}

/* A value in its text form. */
static Datum
parse_text_form(const uint8 *utf8, size_t length, Node *escontext)
{
	mpk_writer	writer;
	mpk_layout	layout;
	unsigned	flags;
	mpk_error	error;
	Datum		result = (Datum) 0;

	/* most text is longer than its MessagePack */
	mpk_writer_init(&writer, Min(length + MPK_PARSE_SLACK, MPK_MAX_PAYLOAD));
	mpk_layout_init(&layout);
	if (mpk_parse_text_layout(utf8, length, &writer, &flags, &layout, &error))
	{
		flags = mpk_resolve_flags(mpk_writer_data(&writer), flags);
		result = msgpack_from_laid_writer(&writer, flags, &layout);
	}
	else
		msgpack_report_text(&error, utf8, length, escontext);
	mpk_layout_free(&layout);
	return result;
}

static Datum
parse_value(const char *s, Node *escontext)
{
	size_t		length;
	const uint8 *utf8 = input_as_utf8(s, strlen(s), &length);
	const uint8 *hex = find_hex(utf8, length);

	if (hex != NULL)
		return parse_hex_value(utf8, length, hex, escontext);
	return parse_text_form(utf8, length, escontext);
}

Datum
msgpack_from_json_text(const char *s, size_t length)
{
	size_t		utf8_length;
	const uint8 *utf8 = input_as_utf8(s, length, &utf8_length);

	return parse_text_form(utf8, utf8_length, NULL);
}

/* ---- out ---- */

/* From UTF-8 to the database's encoding; proc is invalid where there is no conversion. */
typedef struct conversion
{
	Oid			proc;
	int			encoding;
} conversion;

/* Is what UTF-8 holds what the database holds? */
static bool
database_takes_utf8(void)
{
	return GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII;
}

static conversion
find_conversion(void)
{
	conversion	result;

	result.encoding = GetDatabaseEncoding();
	result.proc = FindDefaultConversionProc(PG_UTF8, result.encoding);
	return result;
}

/* Convert to dest, of destlen bytes; false when the encoding lacks a character. */
static bool
convert(const conversion *to, const char *s, size_t length, char *dest, size_t dest_size)
{
	return OidIsValid(to->proc) &&
		pg_do_encoding_conversion_buf(to->proc, PG_UTF8, to->encoding,
									  (unsigned char *) unconstify(char *, s), (int) length,
									  (unsigned char *) dest, (int) dest_size,
									  true) == (int) length;
}

/* mpk_text_style.holds */
static bool
database_holds(const uint8 *character, int length, void *arg)
{
	char		dest[MAX_CONVERSION_GROWTH * (MAX_MULTIBYTE_CHAR_LEN + 1) + 1];

	return convert((const conversion *) arg, (const char *) character, length, dest, sizeof(dest));
}

/*
 * Replace UTF-8 text by the same in the database's encoding.  False when that
 * lacks a character, or the result would pass the limit.
 */
static bool
convert_text(const conversion *to, mpk_text *text)
{
	size_t		size = Min(text->length * MAX_CONVERSION_GROWTH + MAX_CONVERSION_GROWTH + 1,
						   (size_t) PG_INT32_MAX);
	char	   *dest = MemoryContextAllocHuge(CurrentMemoryContext, size);
	bool		converted = convert(to, mpk_text_data(text), text->length, dest, size);

	if (converted)
	{
		text->length = 0;
		mpk_text_append(text, dest, strlen(dest));
	}
	pfree(dest);
	return converted && !text->overflow;
}

/*
 * What the encoding lacks is found out by a first attempt without escapes,
 * since almost all text converts.
 */
bool
msgpack_render(mpk_text *text, const uint8 *p, size_t length, unsigned flags,
			   mpk_text_style *style, msgpack_printer print, mpk_error *error)
{
	conversion	to;

	if (!print(text, p, p + length, flags, style, error))
		return false;
	mpk_text_data(text)[text->length] = '\0';
	if (database_takes_utf8() || pg_is_ascii(mpk_text_data(text)))
		return true;

	to = find_conversion();
	if (!convert_text(&to, text))
	{
		style->holds = database_holds;
		style->holds_arg = &to;
		text->length = 0;
		if (!print(text, p, p + length, flags, style, error))
			return false;
		if (!convert_text(&to, text))
			return mpk_fail(error, MPK_ERR_OUTPUT_TOO_LARGE, 0);
	}
	mpk_text_data(text)[text->length] = '\0';
	return true;
}

/* msgpack_printer */
static bool
print_text_form(mpk_text *text, const uint8 *p, const uint8 *end, unsigned flags,
				const mpk_text_style *style, mpk_error *error)
{
	return mpk_print(text, p, end, flags, style) ||
		mpk_fail(error, MPK_ERR_OUTPUT_TOO_LARGE, 0);
}

/* "\x" and the MessagePack bytes in hex, which always fit. */
static char *
render_hex(const mpk_document *document)
{
	char	   *result = palloc(2 * document->length + 3);

	result[0] = '\\';
	result[1] = 'x';
	hex_encode((const char *) document->payload, document->length, result + 2);
	result[2 * document->length + 2] = '\0';
	return result;
}

static char *
output(const mpk_document *document)
{
	mpk_text_style style = {.marks = true};
	mpk_text	text;

	mpk_text_init(&text, 0, mpk_text_estimate(document->length));
	if (!msgpack_render(&text, document->payload, document->length, document->flags, &style,
						print_text_form, NULL))
	{
		pfree(text.buffer);
		return render_hex(document);
	}
	return text.buffer;
}

text *
msgpack_text_datum(mpk_text *rendered)
{
	text	   *result = (text *) rendered->buffer;

	SET_VARSIZE(result, VARHDRSZ + rendered->length);
	return result;
}

/* For reading: without width marks. */
static text *
readable_text(const uint8 *p, size_t length, unsigned flags, bool pretty)
{
	mpk_text_style style = {.pretty = pretty};
	mpk_text	rendered;

	mpk_error	error;

	mpk_text_init(&rendered, VARHDRSZ, mpk_text_estimate(length));
	if (!msgpack_render(&rendered, p, length, flags, &style, print_text_form, &error))
		msgpack_raise(&error);
	return msgpack_text_datum(&rendered);
}

text *
msgpack_value_text(const mpk_value *value, unsigned flags)
{
	mpk_text_style style = {0};
	mpk_text	plain;
	text	   *digits;

	if (value->kind == MPK_STR)
		return msgpack_text_from_str(value, flags);
	if (value->kind == MPK_UINT || value->kind == MPK_INT)
	{
		digits = palloc(VARHDRSZ + MPK_INTEGER_TEXT);
		SET_VARSIZE(digits, VARHDRSZ + mpk_print_integer(value, VARDATA(digits)));
		return digits;
	}
	if (mpk_is_container(value->kind))
		return readable_text(value->start, (size_t) (mpk_skip(value->start) - value->start),
							 flags, false);

	/* ASCII, all of it */
	mpk_text_init(&plain, VARHDRSZ, 64);
	if (!mpk_print_value_text(&plain, value, flags, &style))
	{
		mpk_error	error = {MPK_ERR_OUTPUT_TOO_LARGE, 0, NULL};

		msgpack_raise(&error);
	}
	return msgpack_text_datum(&plain);
}

/* ---- SQL functions ---- */

Datum
msgpack_in(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(parse_value(PG_GETARG_CSTRING(0), fcinfo->context));
}

Datum
msgpack_out(PG_FUNCTION_ARGS)
{
	mpk_document document = PG_GETARG_MSGPACK(0);

	PG_RETURN_CSTRING(output(&document));
}

Datum
msgpack_to_text(PG_FUNCTION_ARGS)
{
	mpk_document document = PG_GETARG_MSGPACK(0);

	PG_RETURN_TEXT_P(readable_text(document.payload, document.length, document.flags, false));
}

Datum
msgpack_pretty(PG_FUNCTION_ARGS)
{
	mpk_document document = PG_GETARG_MSGPACK(0);

	PG_RETURN_TEXT_P(readable_text(document.payload, document.length, document.flags, true));
}
