/*
 * msgpack_error.c
 *		The one table from the lower layers' codes to PostgreSQL's errors.
 */
#include "msgpack.h"

#include "mb/pg_wchar.h"
#include "parser/scansup.h"

#include "codec/utf8.h"
#include "codec/validate.h"
#include "document/locate.h"

typedef struct error_row
{
	int			sqlstate;
	const char *message;
} error_row;

/* By mpk_errcode. */
static const error_row error_rows[] = {
	[MPK_OK] = {0, NULL},
	[MPK_ERR_EMPTY] = {ERRCODE_INVALID_BINARY_REPRESENTATION,
		gettext_noop("invalid MessagePack: no bytes")},
	[MPK_ERR_TRUNCATED] = {ERRCODE_INVALID_BINARY_REPRESENTATION,
		gettext_noop("invalid MessagePack: ends inside a value")},
	[MPK_ERR_NEVER_USED] = {ERRCODE_INVALID_BINARY_REPRESENTATION,
		gettext_noop("invalid MessagePack: byte 0xc1 begins no value")},
	[MPK_ERR_TRAILING] = {ERRCODE_INVALID_BINARY_REPRESENTATION,
		gettext_noop("invalid MessagePack: bytes after the object")},
	[MPK_ERR_TOO_DEEP] = {ERRCODE_INVALID_BINARY_REPRESENTATION,
		gettext_noop("invalid MessagePack: nested more than 1024 deep")},
	[MPK_ERR_TOO_LARGE] = {ERRCODE_INVALID_BINARY_REPRESENTATION,
		gettext_noop("invalid MessagePack: larger than 512 MB")},
	[MPK_ERR_CORRUPT] = {ERRCODE_DATA_CORRUPTED,
		gettext_noop("stored msgpack value is corrupt")},
	[MPK_ERR_OUTPUT_TOO_LARGE] = {ERRCODE_PROGRAM_LIMIT_EXCEEDED,
		gettext_noop("result is too large")},
	[MPK_ERR_OUTPUT_TOO_DEEP] = {ERRCODE_PROGRAM_LIMIT_EXCEEDED,
		gettext_noop("result is nested more than 1024 deep")},
	[MPK_ERR_TEXT_SYNTAX] = {ERRCODE_INVALID_TEXT_REPRESENTATION,
		gettext_noop("invalid input syntax for type msgpack")},
	[MPK_ERR_TEXT_TRAILING] = {ERRCODE_INVALID_TEXT_REPRESENTATION,
		gettext_noop("invalid input syntax for type msgpack")},
	[MPK_ERR_TEXT_ENCODING] = {ERRCODE_CHARACTER_NOT_IN_REPERTOIRE,
		gettext_noop("text of type msgpack is not UTF-8")},
	[MPK_ERR_TEXT_RANGE] = {ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
		gettext_noop("value is out of range for type msgpack")},
	[MPK_ERR_TEXT_TOO_DEEP] = {ERRCODE_INVALID_TEXT_REPRESENTATION,
		gettext_noop("msgpack value is nested more than 1024 deep")},
	[MPK_ERR_TEXT_TOO_LARGE] = {ERRCODE_INVALID_TEXT_REPRESENTATION,
		gettext_noop("msgpack value is larger than 512 MB")},
	[MPK_ERR_STR_NOT_UTF8] = {ERRCODE_CHARACTER_NOT_IN_REPERTOIRE,
		gettext_noop("string that is not UTF-8 cannot be converted to json")},
	[MPK_ERR_KEY_CLASH] = {ERRCODE_DUPLICATE_JSON_OBJECT_KEY_VALUE,
		gettext_noop("two keys of a map become the same json key")},
};

/* Bytes of a run of objects that are looked through for the hint; a longer run still is one. */
#define RUN_OBJECTS		4

/* Do bytes from "offset" on look like further objects, so that this is a stream? */
static bool
is_run_of_objects(const uint8 *data, size_t length, size_t offset)
{
	for (int i = 0; i < RUN_OBJECTS && offset < length; i++)
	{
		size_t		used;
		unsigned	flags;
		mpk_error	error;

		if (!mpk_validate_first(data + offset, length - offset, &used, &flags, &error))
			return false;
		offset += used;
	}
	return true;
}

/* Bytes that are looked through for the hint at msgpackr. */
#define RECORD_SEARCH	65536

/*
 * msgpackr begins a record with an ext of code 0x72 ("r") and one byte, its
 * number from 0x40 on, and an array of the keys.  Objects in arrays are
 * records too, so it need not stand in front.
 */
static bool
holds_msgpackr_record(const uint8 *data, size_t length)
{
	const uint8 *end = data + Min(length, RECORD_SEARCH);

	if (length >= 2 && data[0] == MPK_BYTE_FIXEXT1 && data[1] == 0x72)
		return true;
	for (const uint8 *p = data; end - p >= 4; p++)
		if (p[0] == MPK_BYTE_FIXEXT1 && p[1] == 0x72 && (p[2] & 0xc0) == 0x40 &&
			((p[3] & 0xf0) == MPK_FIXARRAY || p[3] == MPK_BYTE_ARRAY16))
			return true;
	return false;
}

/* Is this an object, array or string of JSON as text, whitespace around it aside? */
static bool
looks_like_json(const uint8 *data, size_t length)
{
	while (length > 0 && scanner_isspace((char) data[length - 1]))
		length--;
	while (length > 0 && scanner_isspace((char) *data))
	{
		data++;
		length--;
	}
	if (length < 2)
		return false;
	switch (data[0])
	{
		case '{':
			return data[length - 1] == '}';
		case '[':
			return data[length - 1] == ']';
		case '"':
			return data[length - 1] == '"';
		default:
			return false;
	}
}

/* What people really send that is not one MessagePack object; NULL where nothing is recognized. */
static const char *
hint_for(const mpk_error *error, const uint8 *data, size_t length)
{
	if (error->code == MPK_ERR_STR_NOT_UTF8)
		return gettext_noop("Use msgpack_binary() for its bytes, "
							"or msgpack_regular() to repair the document.");
	if (holds_msgpackr_record(data, length))
		return gettext_noop("The bytes hold a record of the JavaScript library msgpackr: "
							"encode with the option useRecords: false.");
	if (length >= 3 && data[0] == MPK_BYTE_UINT8 && data[1] == 0x80 &&
		error->code == MPK_ERR_TRAILING)
		return gettext_noop("The bytes cc 80 in front look like the signature that Rails writes "
							"before an object: leave the first two bytes out.");
	/* each character of these is a small integer, so that the text reads as a run of objects */
	if (error->code == MPK_ERR_TRAILING && looks_like_json(data, length))
		return gettext_noop("The bytes look like JSON text: send them as text, "
							"or cast convert_from(bytes, 'UTF8') to msgpack.");
	if (error->code == MPK_ERR_TRAILING && data[0] == 1 && looks_like_json(data + 1, length - 1))
		return gettext_noop("The bytes look like the binary format of jsonb: "
							"cast the jsonb to msgpack where they come from.");
	if (error->code == MPK_ERR_TRAILING && is_run_of_objects(data, length, error->offset))
		return gettext_noop("These are several objects in a row: "
							"msgpack_stream() returns each of them.");
	return NULL;
}

const char *
msgpack_error_message(mpk_errcode code)
{
	return error_rows[code].message;
}

char *
msgpack_path_to(const uint8 *data, size_t length, size_t offset)
{
	return mpk_locate(data, length, offset, GetDatabaseEncoding() != PG_UTF8);
}

/* "At byte 7 of 12, $.items[3].name." */
static char *
place_of(const mpk_error *error, const uint8 *data, size_t length)
{
	char	   *path = msgpack_path_to(data, length, error->offset);

	if (path == NULL)
		return psprintf(_("At byte %zu of %zu."), error->offset, length);
	return psprintf(_("At byte %zu of %zu, %s."), error->offset, length, path);
}

void
msgpack_report(const mpk_error *error, const uint8 *data, size_t length, Node *escontext)
{
	const error_row *row = &error_rows[error->code];
	const char *hint = hint_for(error, data, length);

	ereturn(escontext,,
			(errcode(row->sqlstate),
			 errmsg("%s", _(row->message)),
			 errdetail_internal("%s", place_of(error, data, length)),
			 hint ? errhint("%s", _(hint)) : 0));
}

/* UTF-8 characters in so many bytes; a stray byte counts as one. */
static size_t
count_characters(const uint8 *utf8, size_t length)
{
	size_t		count = 0;

	for (size_t i = 0; i < length; i++)
		count += (utf8[i] & 0xc0) != 0x80;
	return count;
}

/* What stands there instead of what was expected; "" where it cannot be shown. */
static const char *
found_text(const uint8 *utf8, size_t length, size_t offset)
{
	uint32		codepoint;
	int			n = mpk_utf8_decode(utf8 + offset, utf8 + length, &codepoint);

	if (offset >= length)
		return _(", found the end of the input");
	if (n == 0 || codepoint < 0x20 || codepoint == 0x7f ||
		(n > 1 && GetDatabaseEncoding() != PG_UTF8))
		return "";
	return psprintf(_(", found \"%.*s\""), n, (const char *) utf8 + offset);
}

/*
 * A PostgreSQL array literal, {"a","b"}, is what a client library makes of an
 * array parameter: a brace, and no ":" where the text form needs one.
 */
static bool
is_array_literal(const mpk_error *error, const uint8 *utf8, size_t length)
{
	return error->code == MPK_ERR_TEXT_SYNTAX && strcmp(error->expected, "\":\"") == 0 &&
		utf8[0] == '{' && error->offset < length &&
		(utf8[error->offset] == ',' || utf8[error->offset] == '}');
}

void
msgpack_report_text(const mpk_error *error, const uint8 *utf8, size_t length, Node *escontext)
{
	const error_row *row = &error_rows[error->code];
	bool		syntax = row->sqlstate == ERRCODE_INVALID_TEXT_REPRESENTATION;
	size_t		position = count_characters(utf8, error->offset) + 1;

	ereturn(escontext,,
			(errcode(row->sqlstate),
			 errmsg("%s", _(row->message)),
			 error->expected != NULL
			 ? errdetail("Expected %s at character %zu%s.", error->expected, position,
						 syntax ? found_text(utf8, length, error->offset) : "")
			 : errdetail("At character %zu.", position),
			 is_array_literal(error, utf8, length)
			 ? errhint("This looks like a PostgreSQL array literal: pass the array with its own "
					   "type to to_msgpack(), or write it in brackets.")
			 : 0));
}

void
msgpack_raise(const mpk_error *error)
{
	const error_row *row = &error_rows[error->code];

	ereport(ERROR,
			(errcode(row->sqlstate),
			 errmsg("%s", _(row->message))));
}

void
msgpack_check_wide(size_t length, const char *what)
{
	size_t		most = MPK_MAX_ALLOC / sizeof(pg_wchar) - 1;

	if (length > most)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("string is too long for %s", what),
				 errdetail("It may have %zu bytes.", most)));
}
