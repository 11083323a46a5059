/*
 * msgpack_check.c
 *		Looking at values as a whole: what is irregular, repair, canonical form, type, size.
 */
#include "msgpack.h"

#include "utils/builtins.h"

#include "document/canonical.h"
#include "document/index.h"
#include "document/regular.h"

/* Bytes that tell a value's kind: a type byte, a length of 4, an ext code, a timestamp's 12. */
#define KIND_BYTES		18

typedef enum duplicate_key
{
	DUPLICATE_LAST,
	DUPLICATE_FIRST,
	DUPLICATE_ERROR
} duplicate_key;

static const char *const duplicate_key_choices[] = {"last", "first", "error", NULL};

typedef enum invalid_utf8
{
	UTF8_BINARY,
	UTF8_REPLACE,
	UTF8_ERROR
} invalid_utf8;

static const char *const invalid_utf8_choices[] = {"binary", "replace", "error", NULL};

/* ----------
 * Checking
 * ----------
 */

static const char *
irregularity_message(unsigned flag)
{
	return flag == MPK_REPEATED_KEYS ? "repeated key" : "string that is not UTF-8";
}

/* "repeated key at byte 7 of 12, $.items[3].name" */
static char *
finding(const char *message, const uint8 *data, size_t length, size_t offset)
{
	char	   *path = msgpack_path_to(data, length, offset);

	if (length == 0)
		return pstrdup(message);
	return psprintf("%s at byte %zu of %zu%s%s", message, offset, length,
					path ? ", " : "", path ? path : "");
}

/* Is the offset index, if there is one that we can read, the one that this payload has? */
static bool
index_is_right(const mpk_document *document)
{
	mpk_index	index;
	bool		result;

	if ((document->flags & MPK_HAS_INDEX) == 0)
		return true;
	mpk_index_build(&index, document->payload, document->length, document->flags, NULL);
	result = document->header_length == mpk_stored_header_length(document->flags, index.length);
	if (result)
	{
		uint8	   *header = palloc(document->header_length);

		mpk_stored_header_write(header, document->flags, mpk_index_bytes(&index), index.length);
		result = memcmp(document->header, header, document->header_length) == 0;
		pfree(header);
	}
	mpk_index_free(&index);
	return result;
}

/*
 * What is wrong with the bytes, or NULL.  They are the payload of a stored
 * value, whose header must agree with it, or (then it is NULL) of none.
 */
static char *
check_bytes(const uint8 *data, size_t length, const mpk_document *stored)
{
	unsigned	flags;
	mpk_error	error;
	mpk_irregularity found;

	if (!mpk_validate(data, length, &flags, &error))
		return finding(msgpack_error_message(error.code), data, length, error.offset);
	flags = mpk_resolve_flags(data, flags);
	if (stored != NULL && (stored->flags & MPK_IRREGULAR) != flags)
		return psprintf("%s at byte 2 of its header", msgpack_error_message(MPK_ERR_CORRUPT));
	if (stored != NULL && !index_is_right(stored))
		return psprintf("%s in its offset index", msgpack_error_message(MPK_ERR_CORRUPT));
	found = mpk_first_irregularity(data, flags);
	if (found.flag == 0)
		return NULL;
	return finding(irregularity_message(found.flag), data, length, found.offset);
}

static char *
check_stored(Datum datum)
{
	struct varlena *stored = PG_DETOAST_DATUM_PACKED(datum);
	const uint8 *bytes = (const uint8 *) VARDATA_ANY(stored);
	mpk_document document;
	mpk_error	error;

	if (!mpk_document_open(bytes, VARSIZE_ANY_EXHDR(stored), &document, &error))
		return psprintf("%s at byte %zu of its header", msgpack_error_message(error.code),
						error.offset);
	return check_bytes(document.payload, document.length, &document);
}

/* ----------
 * Repairing
 * ----------
 */

static void
raise_irregular(const mpk_document *document, unsigned flag)
{
	mpk_irregularity found = mpk_first_irregularity(document->payload, document->flags & flag);

	ereport(ERROR,
			(errcode(flag == MPK_REPEATED_KEYS ? ERRCODE_DUPLICATE_JSON_OBJECT_KEY_VALUE :
					 ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
			 flag == MPK_REPEATED_KEYS ? errmsg("msgpack value has a repeated key") :
			 errmsg("msgpack value has a string that is not UTF-8"),
			 errdetail("At byte %zu of %zu, %s.", found.offset, document->length,
					   msgpack_path_to(document->payload, document->length, found.offset))));
}

/* The document in what a writer has written; its flags are found anew. */
static mpk_document
written_document(mpk_writer *writer)
{
	mpk_document document = {0};

	if (!writer->overflow)
	{
		document.payload = mpk_writer_data(writer);
		document.length = writer->length;
		if (!mpk_validate(document.payload, document.length, &document.flags, NULL))
			elog(ERROR, "repaired msgpack value is not valid");
		document.flags = mpk_resolve_flags(document.payload, document.flags);
	}
	return document;
}

/* Strings first, since they may be keys that become equal by it. */
static Datum
regular_datum(Datum datum, duplicate_key duplicates, invalid_utf8 strings)
{
	mpk_document document = msgpack_document(datum);
	mpk_writer	writer;

	if (mpk_document_is_regular(&document))
		return datum;
	mpk_writer_init(&writer, document.length);
	if (document.flags & MPK_INVALID_UTF8)
	{
		if (strings == UTF8_ERROR)
			raise_irregular(&document, MPK_INVALID_UTF8);
		mpk_repair_utf8(&writer, document.payload,
						strings == UTF8_BINARY ? MPK_UTF8_BINARY : MPK_UTF8_REPLACE);
		document = written_document(&writer);
		if ((document.flags & MPK_REPEATED_KEYS) == 0)
			return msgpack_from_writer(&writer, 0);
		mpk_writer_init(&writer, document.length);
	}
	if (duplicates == DUPLICATE_ERROR)
		raise_irregular(&document, MPK_REPEATED_KEYS);
	mpk_drop_repeated_keys(&writer, document.payload,
						   duplicates == DUPLICATE_LAST ? MPK_KEEP_LAST : MPK_KEEP_FIRST);
	return msgpack_from_writer(&writer, 0);
}

static Datum
canonical_datum(Datum datum)
{
	mpk_document document = msgpack_document(datum);
	mpk_writer	writer;

	mpk_writer_init(&writer, document.length);
	mpk_canonical(&writer, &document);
	return msgpack_from_writer(&writer, document.flags & MPK_INVALID_UTF8);
}

/* ----------
 * Without the whole value
 * ----------
 */

static const char *
kind_of(Datum datum)
{
	mpk_document document = msgpack_outline(datum, KIND_BYTES);
	mpk_value	value;

	mpk_read(document.payload, &value);
	return msgpack_kind_name(value.kind);
}

/* ----------
 * The SQL functions
 * ----------
 */

PG_FUNCTION_INFO_V1(msgpack_check);

Datum
msgpack_check(PG_FUNCTION_ARGS)
{
	char	   *found = check_stored(PG_GETARG_DATUM(0));

	if (found == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(found));
}

PG_FUNCTION_INFO_V1(msgpack_check_bytea);

Datum
msgpack_check_bytea(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	char	   *found = check_bytes((const uint8 *) VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes),
									NULL);

	if (found == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(found));
}

PG_FUNCTION_INFO_V1(msgpack_regular);

Datum
msgpack_regular(PG_FUNCTION_ARGS)
{
	int			duplicates = msgpack_option("duplicate_key", PG_GETARG_TEXT_PP(1),
											duplicate_key_choices);
	int			strings = msgpack_option("invalid_utf8", PG_GETARG_TEXT_PP(2),
										 invalid_utf8_choices);

	PG_RETURN_DATUM(regular_datum(PG_GETARG_DATUM(0), duplicates, strings));
}

PG_FUNCTION_INFO_V1(msgpack_canonical);

Datum
msgpack_canonical(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(canonical_datum(PG_GETARG_DATUM(0)));
}

PG_FUNCTION_INFO_V1(msgpack_is_canonical);

Datum
msgpack_is_canonical(PG_FUNCTION_ARGS)
{
	mpk_document document = PG_GETARG_MSGPACK(0);

	PG_RETURN_BOOL(mpk_is_canonical(&document));
}

PG_FUNCTION_INFO_V1(msgpack_typeof);

Datum
msgpack_typeof(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(kind_of(PG_GETARG_DATUM(0))));
}

PG_FUNCTION_INFO_V1(msgpack_size);

Datum
msgpack_size(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32((int32) msgpack_outline(PG_GETARG_DATUM(0), 0).length);
}
