/*
 * msgpack_ext.c
 *		What MessagePack has and JSON has not: ext types, bytes, and streams of objects.
 */
#include "msgpack.h"

#include "utils/builtins.h"

#include "codec/validate.h"
#include "document/regular.h"
#include "msgpack_rows.h"

static bytea *
bytes_datum(const uint8 *s, size_t length)
{
	return cstring_to_text_with_len((const char *) s, (int) length);
}

static mpk_value
read_root(Datum datum)
{
	mpk_document document = msgpack_document(datum);
	mpk_value	root;

	(void) mpk_read(document.payload, &root);
	return root;
}

/* ----- ext values ----- */

/* A timestamp is the ext of code -1. */
static bool
is_ext(const mpk_value *value)
{
	return value->kind == MPK_EXT || value->kind == MPK_TIMESTAMP;
}

static Datum
make_ext(int32 code, const bytea *data)
{
	size_t		length = VARSIZE_ANY_EXHDR(data);
	mpk_writer	writer;

	if (code < PG_INT8_MIN || code > PG_INT8_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("ext code %d is out of range", code),
				 errdetail("Ext codes are from -128 to 127.")));
	mpk_writer_init(&writer, Min(length + 6, MPK_MAX_PAYLOAD));
	mpk_write_ext(&writer, (int8) code, VARDATA_ANY(data), length);
	return msgpack_from_writer(&writer, 0);
}

PG_FUNCTION_INFO_V1(msgpack_ext);

Datum
msgpack_ext(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(make_ext(PG_GETARG_INT32(0), PG_GETARG_BYTEA_PP(1)));
}

PG_FUNCTION_INFO_V1(msgpack_ext_code);

Datum
msgpack_ext_code(PG_FUNCTION_ARGS)
{
	mpk_value	root = read_root(PG_GETARG_DATUM(0));

	if (!is_ext(&root))
		PG_RETURN_NULL();
	PG_RETURN_INT32(root.ext_code);
}

PG_FUNCTION_INFO_V1(msgpack_ext_data);

Datum
msgpack_ext_data(PG_FUNCTION_ARGS)
{
	mpk_value	root = read_root(PG_GETARG_DATUM(0));

	if (!is_ext(&root))
		PG_RETURN_NULL();
	PG_RETURN_BYTEA_P(bytes_datum(root.body, root.length));
}

/* ----- str and bin as bytes and as text ----- */

static void
raise_no_bytes(const mpk_value *value, const char *target)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cannot cast msgpack %s to type %s", msgpack_kind_name(value->kind),
					target)));
}

PG_FUNCTION_INFO_V1(msgpack_binary);

Datum
msgpack_binary(PG_FUNCTION_ARGS)
{
	mpk_value	root = read_root(PG_GETARG_DATUM(0));

	if (root.kind == MPK_NIL)
		PG_RETURN_NULL();
	if (root.kind != MPK_STR && root.kind != MPK_BIN)
		raise_no_bytes(&root, "bytea");
	PG_RETURN_BYTEA_P(bytes_datum(root.body, root.length));
}

PG_FUNCTION_INFO_V1(msgpack_utf8);

Datum
msgpack_utf8(PG_FUNCTION_ARGS)
{
	mpk_value	root = read_root(PG_GETARG_DATUM(0));

	if (root.kind == MPK_NIL)
		PG_RETURN_NULL();
	if (root.kind != MPK_STR && root.kind != MPK_BIN)
		raise_no_bytes(&root, "text");
	PG_RETURN_TEXT_P(msgpack_text_from_utf8(root.body, root.length));
}

/* ----- streams: objects in a row ----- */

typedef struct stream
{
	const uint8 *data;
	size_t		length;
	size_t		offset;			/* of the next object */
	int64		objects;		/* read so far */
} stream;

/* The error's offset is counted from the object at fault. */
static void
raise_bad_object(const stream *stream, const mpk_error *error)
{
	char	   *path = msgpack_path_to(stream->data + stream->offset,
									   stream->length - stream->offset, error->offset);

	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("%s", _(msgpack_error_message(error->code))),
			 errdetail("At byte %zu of %zu, %s, in object %lld, which begins at byte %zu.",
					   stream->offset + error->offset, stream->length,
					   path != NULL ? path : "$", (long long) stream->objects + 1,
					   stream->offset)));
}

static bool
next_object(void *state, Datum *values, bool *nulls, size_t *bytes)
{
	stream	   *stream = state;
	const uint8 *object = stream->data + stream->offset;
	unsigned	flags;
	mpk_error	error;

	(void) nulls;
	if (stream->offset == stream->length)
		return false;
	if (!mpk_validate_first(object, stream->length - stream->offset, bytes, &flags, &error))
		raise_bad_object(stream, &error);
	values[0] = msgpack_from_payload(object, *bytes, mpk_resolve_flags(object, flags));
	stream->offset += *bytes;
	stream->objects++;
	return true;
}

static void
begin_stream(void *state, FunctionCallInfo fcinfo)
{
	stream	   *stream = state;
	bytea	   *data = PG_GETARG_BYTEA_PP(0);

	stream->data = (const uint8 *) VARDATA_ANY(data);
	stream->length = VARSIZE_ANY_EXHDR(data);
}

PG_FUNCTION_INFO_V1(msgpack_stream);

Datum
msgpack_stream(PG_FUNCTION_ARGS)
{
	static const msgpack_row_source source = {1, sizeof(stream), begin_stream, next_object};

	return msgpack_return_rows(fcinfo, &source);
}

static void
begin_ext_values(void *state, FunctionCallInfo fcinfo)
{
	stream	   *stream = state;
	mpk_value	root = read_root(PG_GETARG_DATUM(0));

	if (!is_ext(&root))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot extract ext values from a msgpack %s",
						msgpack_kind_name(root.kind))));
	stream->data = root.body;
	stream->length = root.length;
}

PG_FUNCTION_INFO_V1(msgpack_ext_values);

Datum
msgpack_ext_values(PG_FUNCTION_ARGS)
{
	static const msgpack_row_source source = {
		1, sizeof(stream), begin_ext_values, next_object
	};

	return msgpack_return_rows(fcinfo, &source);
}
