/*
 * msgpack_io.c
 *		Bytes in and out: the binary protocol and the casts with bytea.
 */
#include "msgpack.h"

#include "libpq/pqformat.h"

/* All that is left of the message, checked. */
static Datum
receive(StringInfo message)
{
	int			length = message->len - message->cursor;
	const char *bytes = pq_getmsgbytes(message, length);

	return msgpack_admit((const uint8 *) bytes, length, NULL);
}

/* The payload as a bytea of its own; callers of a send function may free its result. */
static bytea *
payload_as_bytea(Datum datum)
{
	mpk_document document = msgpack_document(datum);
	size_t		size = VARHDRSZ + document.length;
	bytea	   *result = palloc(size);

	SET_VARSIZE(result, size);
	mpk_copy(VARDATA(result), document.payload, document.length);
	return result;
}

PG_FUNCTION_INFO_V1(msgpack_recv);

Datum
msgpack_recv(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(receive((StringInfo) PG_GETARG_POINTER(0)));
}

PG_FUNCTION_INFO_V1(msgpack_send);

Datum
msgpack_send(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(payload_as_bytea(PG_GETARG_DATUM(0)));
}

PG_FUNCTION_INFO_V1(msgpack_to_bytea);

Datum
msgpack_to_bytea(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(payload_as_bytea(PG_GETARG_DATUM(0)));
}

PG_FUNCTION_INFO_V1(msgpack_from_bytea);

Datum
msgpack_from_bytea(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);

	PG_RETURN_DATUM(msgpack_admit((const uint8 *) VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes),
								  NULL));
}
