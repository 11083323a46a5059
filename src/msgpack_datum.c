/*
 * msgpack_datum.c
 *		From datums to documents and back: the one way in and the one way out.
 */
#include "msgpack.h"

#include "access/detoast.h"
#include "catalog/namespace.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "codec/utf8.h"
#include "document/index.h"
#include "document/regular.h"
#include "document/stored.h"

StaticAssertDecl(MPK_WRITER_HEADROOM == VARHDRSZ, "a writer keeps room for a varlena header");

mpk_document
msgpack_document(Datum datum)
{
	struct varlena *stored = PG_DETOAST_DATUM_PACKED(datum);
	mpk_document document;
	mpk_error	error;

	if (!mpk_document_open((const uint8 *) VARDATA_ANY(stored), VARSIZE_ANY_EXHDR(stored),
						   &document, &error))
		msgpack_raise(&error);
	return document;
}

mpk_document
msgpack_outline(Datum datum, size_t payload_bytes)
{
	size_t		length = toast_raw_datum_size(datum) - VARHDRSZ;
	size_t		wanted = MPK_PRELUDE + payload_bytes;
	struct varlena *slice = PG_DETOAST_DATUM_SLICE(datum, 0, (int32) wanted);
	uint8	   *payload = palloc0(Max(payload_bytes, 1));
	mpk_document document;
	mpk_error	error;

	if (!mpk_document_open((const uint8 *) VARDATA_ANY(slice), length, &document, &error))
		msgpack_raise(&error);
	if (document.header_length + Min(payload_bytes, document.length) > wanted)
	{
		pfree(slice);
		slice = PG_DETOAST_DATUM_SLICE(datum, (int32) document.header_length,
									   (int32) payload_bytes);
		memcpy(payload, VARDATA_ANY(slice), Min(payload_bytes, document.length));
	}
	else
		memcpy(payload, VARDATA_ANY(slice) + document.header_length,
			   Min(payload_bytes, document.length));
	pfree(slice);
	document.payload = payload;
	document.header = NULL;
	return document;
}

Datum
msgpack_from_parts(const uint8 *payload, size_t length, unsigned flags, const uint8 *index,
				   size_t index_length)
{
	size_t		header = mpk_stored_header_length(flags, index_length);
	size_t		size = VARHDRSZ + header + length;
	struct varlena *result = palloc(size);

	SET_VARSIZE(result, size);
	if (header > 0)
		mpk_stored_header_write((uint8 *) VARDATA(result), flags, index, index_length);
	mpk_copy(VARDATA(result) + header, payload, length);
	return PointerGetDatum(result);
}

Datum
msgpack_from_laid_payload(const uint8 *payload, size_t length, unsigned flags,
						  const mpk_layout *layout)
{
	mpk_index	index;
	Datum		result;

	mpk_index_build(&index, payload, length, flags, layout);
	result = msgpack_from_parts(payload, length, flags, mpk_index_bytes(&index), index.length);
	mpk_index_free(&index);
	return result;
}

Datum
msgpack_from_payload(const uint8 *payload, size_t length, unsigned flags)
{
	return msgpack_from_laid_payload(payload, length, flags, NULL);
}

Datum
msgpack_from_laid_writer(mpk_writer *writer, unsigned flags, const mpk_layout *layout)
{
	mpk_index	index;
	size_t		header;

	if (writer->overflow)
	{
		mpk_error	error = {MPK_ERR_OUTPUT_TOO_LARGE, writer->length, NULL};

		msgpack_raise(&error);
	}
	mpk_index_build(&index, mpk_writer_data(writer), writer->length, flags, layout);
	header = mpk_stored_header_length(flags, index.length);
	if (header > writer->capacity - writer->length)
	{
		Datum		result = msgpack_from_parts(mpk_writer_data(writer), writer->length, flags,
												mpk_index_bytes(&index), index.length);

		mpk_index_free(&index);
		pfree(writer->buffer);
		return result;
	}
	/* there is room for the header: make way for it */
	if (header > 0)
	{
		memmove(mpk_writer_data(writer) + header, mpk_writer_data(writer), writer->length);
		mpk_stored_header_write(mpk_writer_data(writer), flags, mpk_index_bytes(&index),
								index.length);
	}
	mpk_index_free(&index);
	SET_VARSIZE(writer->buffer, VARHDRSZ + header + writer->length);
	return PointerGetDatum(writer->buffer);
}

Datum
msgpack_from_writer(mpk_writer *writer, unsigned flags)
{
	return msgpack_from_laid_writer(writer, flags, NULL);
}

unsigned
msgpack_find_flags(const uint8 *payload, size_t length)
{
	unsigned	flags;
	mpk_error	error;

	if (!mpk_validate(payload, length, &flags, &error))
	{
		error.code = MPK_ERR_CORRUPT;
		msgpack_raise(&error);
	}
	return mpk_resolve_flags(payload, flags);
}

unsigned
msgpack_fragment_flags(unsigned flags, const uint8 *start, const uint8 *end)
{
	/* the irregular part of a document may lie outside this part of it */
	return (flags & MPK_IRREGULAR) != 0 ? msgpack_find_flags(start, end - start) : 0;
}

Datum
msgpack_fragment(const mpk_document *document, const uint8 *start, const uint8 *end)
{
	return msgpack_from_payload(start, end - start,
								msgpack_fragment_flags(document->flags, start, end));
}

static mpk_writer
write_distinct(const mpk_document *document)
{
	mpk_writer	writer;

	mpk_writer_init(&writer, document->length);
	mpk_drop_repeated_keys(&writer, document->payload, MPK_KEEP_LAST);
	return writer;
}

mpk_document
msgpack_distinct(const mpk_document *document)
{
	mpk_document distinct = *document;
	mpk_writer	writer;

	if (likely((document->flags & MPK_REPEATED_KEYS) == 0))
		return distinct;
	writer = write_distinct(document);
	distinct.payload = mpk_writer_data(&writer);
	distinct.length = writer.length;
	distinct.flags = document->flags & MPK_INVALID_UTF8;
	distinct.header = NULL;
	distinct.header_length = 0;
	return distinct;
}

Datum
msgpack_distinct_datum(const mpk_document *document)
{
	mpk_writer	writer = write_distinct(document);
	unsigned	flags = 0;

	/* what was left out may have been all that was not UTF-8 */
	if (document->flags & MPK_INVALID_UTF8)
		flags = msgpack_find_flags(mpk_writer_data(&writer), writer.length);
	return msgpack_from_writer(&writer, flags);
}

Datum
msgpack_admit(const uint8 *data, size_t length, Node *escontext)
{
	unsigned	flags;
	mpk_layout	layout;
	mpk_error	error;
	Datum		result = (Datum) 0;

	mpk_layout_init(&layout);
	if (mpk_validate_layout(data, length, &flags, &layout, &error))
		result = msgpack_from_laid_payload(data, length, mpk_resolve_flags(data, flags), &layout);
	else
		msgpack_report(&error, data, length, escontext);
	mpk_layout_free(&layout);
	return result;
}

static void
refuse_nul(const uint8 *s, size_t length)
{
	if (unlikely(memchr(s, '\0', length) != NULL))
		ereport(ERROR,
				(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
				 errmsg("string with a NUL character cannot be converted to text"),
				 errhint("Use msgpack_binary() for its bytes.")));
}

static void
refuse_invalid_utf8(const uint8 *s, size_t length)
{
	if (!mpk_is_utf8(s, length))
		ereport(ERROR,
				(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
				 errmsg("string that is not UTF-8 cannot be converted to text"),
				 errhint("Use msgpack_binary() for its bytes.")));
}

/* Valid UTF-8 without NUL as text in the database's encoding. */
static inline text *
utf8_to_text(const uint8 *s, size_t length)
{
	char	   *converted;
	text	   *result;

	if (GetDatabaseEncoding() == PG_UTF8)
	{
		result = palloc(VARHDRSZ + length);
		SET_VARSIZE(result, VARHDRSZ + length);
		mpk_copy(VARDATA(result), s, length);
		return result;
	}
	converted = pg_any_to_server((const char *) s, (int) length, PG_UTF8);
	if (converted == (const char *) s)
		return cstring_to_text_with_len(converted, (int) length);
	result = cstring_to_text(converted);
	pfree(converted);
	return result;
}

text *
msgpack_text_from_utf8(const uint8 *s, size_t length)
{
	refuse_nul(s, length);
	refuse_invalid_utf8(s, length);
	return utf8_to_text(s, length);
}

text *
msgpack_text_from_str(const mpk_value *value, unsigned flags)
{
	refuse_nul(value->body, value->length);
	if ((flags & MPK_INVALID_UTF8) != 0)
		refuse_invalid_utf8(value->body, value->length);
	return utf8_to_text(value->body, value->length);
}

const uint8 *
msgpack_utf8_from_text(const char *s, int length, size_t *utf8_length)
{
	char	   *converted;

	if (GetDatabaseEncoding() == PG_UTF8)
	{
		*utf8_length = length;
		return (const uint8 *) s;
	}
	/* SQL_ASCII passes bytes through unchecked, so check them here */
	if (GetDatabaseEncoding() == PG_SQL_ASCII)
		(void) pg_verify_mbstr(PG_UTF8, s, length, false);
	converted = pg_server_to_any(s, length, PG_UTF8);
	*utf8_length = converted == s ? (size_t) length : strlen(converted);
	return (const uint8 *) converted;
}

const char *
msgpack_kind_name(mpk_kind kind)
{
	switch (kind)
	{
		case MPK_NIL:
			return "nil";
		case MPK_BOOLEAN:
			return "boolean";
		case MPK_UINT:
		case MPK_INT:
			return "integer";
		case MPK_FLOAT32:
		case MPK_FLOAT64:
			return "float";
		case MPK_STR:
			return "string";
		case MPK_BIN:
			return "binary";
		case MPK_TIMESTAMP:
			return "timestamp";
		case MPK_EXT:
			return "extension";
		case MPK_ARRAY:
			return "array";
		case MPK_MAP:
			return "map";
	}
	pg_unreachable();
}

bool
msgpack_is_text(const mpk_value *value, unsigned flags)
{
	int			encoding = GetDatabaseEncoding();
	Oid			conversion;
	unsigned char *room;
	int			done;

	if (memchr(value->body, '\0', value->length) != NULL)
		return false;
	if ((flags & MPK_INVALID_UTF8) != 0 && !mpk_is_utf8(value->body, value->length))
		return false;
	if (encoding == PG_UTF8 || encoding == PG_SQL_ASCII || value->length == 0)
		return true;
	conversion = FindDefaultConversionProc(PG_UTF8, encoding);
	if (!OidIsValid(conversion))
		return false;
	room = palloc_extended((size_t) value->length * MAX_CONVERSION_GROWTH + 1, MCXT_ALLOC_HUGE);
	done = pg_do_encoding_conversion_buf(conversion, PG_UTF8, encoding,
										 unconstify(unsigned char *, value->body),
										 (int) value->length, room,
										 (int) Min((size_t) value->length *
												   MAX_CONVERSION_GROWTH + 1, PG_INT32_MAX), true);
	pfree(room);
	return done == (int) value->length;
}
