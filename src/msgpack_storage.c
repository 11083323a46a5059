/*
 * msgpack_storage.c
 *		How one value is stored: for who wants to know what the index costs.
 */
#include "msgpack.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/builtins.h"

#include "document/index.h"

/* The result's columns. */
enum
{
	COLUMN_FORM,
	COLUMN_REPEATED_KEYS,
	COLUMN_INVALID_UTF8,
	COLUMN_HEADER_BYTES,
	COLUMN_INDEX_BYTES,
	COLUMN_PAYLOAD_BYTES,
	COLUMN_CONTAINERS,
	COLUMNS
};

/* Containers that have tables; the index itself does not tell without being passed through. */
static uint32
count_containers(const mpk_document *document)
{
	mpk_index	index;

	if ((document->flags & MPK_HAS_INDEX) == 0)
		return 0;
	mpk_index_build(&index, document->payload, document->length, document->flags, NULL);
	mpk_index_free(&index);
	return index.containers;
}

static void
describe(const mpk_document *document, Datum *values)
{
	bool		indexed = (document->flags & MPK_HAS_INDEX) != 0;

	values[COLUMN_FORM] = CStringGetTextDatum(document->header == NULL ? "plain" : "headed");
	values[COLUMN_REPEATED_KEYS] = BoolGetDatum((document->flags & MPK_REPEATED_KEYS) != 0);
	values[COLUMN_INVALID_UTF8] = BoolGetDatum((document->flags & MPK_INVALID_UTF8) != 0);
	values[COLUMN_HEADER_BYTES] = Int32GetDatum((int32) document->header_length);
	values[COLUMN_INDEX_BYTES] = Int32GetDatum(indexed ? (int32) document->header_length -
											   document->header[3] : 0);
	values[COLUMN_PAYLOAD_BYTES] = Int32GetDatum((int32) document->length);
	values[COLUMN_CONTAINERS] = Int32GetDatum((int32) count_containers(document));
}

PG_FUNCTION_INFO_V1(msgpack_storage);

Datum
msgpack_storage(PG_FUNCTION_ARGS)
{
	mpk_document document = PG_GETARG_MSGPACK(0);
	TupleDesc	descriptor;
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS] = {false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	describe(&document, values);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}
