/*
 * msgpack_json.c
 *		msgpack as json, and json as msgpack: both keep the document's order.
 *
 * json is text, and JSON text is part of the text form: it is read as input
 * reads it.  PostgreSQL's own json functions find the cast to json in the
 * catalog and embed what it gives.
 */
#include "msgpack_json.h"

#include "utils/builtins.h"

#include "document/text.h"

PG_FUNCTION_INFO_V1(msgpack_from_json);
PG_FUNCTION_INFO_V1(msgpack_to_json);

static text *
print_json(const uint8 *payload, size_t length, unsigned flags)
{
	mpk_text_style style = {0};
	mpk_text	json;
	mpk_error	error;

	mpk_text_init(&json, VARHDRSZ, mpk_text_estimate(length));
	if (!msgpack_render(&json, payload, length, flags, &style, mpk_print_json, &error))
	{
		if (error.code == MPK_ERR_OUTPUT_TOO_LARGE)
			msgpack_raise(&error);
		msgpack_report(&error, payload, length, NULL);
	}
	return msgpack_text_datum(&json);
}

/* Repeated keys are settled on a copy: there the last one counts, as for every reader. */
text *
msgpack_json_of(const mpk_document *document)
{
	mpk_document distinct = msgpack_distinct(document);

	return print_json(distinct.payload, distinct.length, distinct.flags);
}

Datum
msgpack_from_json(PG_FUNCTION_ARGS)
{
	text	   *json = PG_GETARG_TEXT_PP(0);

	PG_RETURN_DATUM(msgpack_from_json_text(VARDATA_ANY(json), VARSIZE_ANY_EXHDR(json)));
}

Datum
msgpack_to_json(PG_FUNCTION_ARGS)
{
	mpk_document document = PG_GETARG_MSGPACK(0);

	PG_RETURN_TEXT_P(msgpack_json_of(&document));
}
