/*
 * msgpack_access.c
 *		Reading by key, index and path.
 */
#include "msgpack_access.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "msgpack_fetch.h"

/* --- steps from SQL arguments --- */

void
msgpack_step_text(mpk_step *step, mpk_step_kind kind, const text *t)
{
	size_t		length;
	const uint8 *s = msgpack_utf8_from_text(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t), &length);

	mpk_step_text(step, kind, s, length);
}

/* A path's steps; NULL when the array holds a NULL, which leads nowhere. */
static mpk_step *
steps_from_array(ArrayType *path, int *count)
{
	mpk_step   *steps;
	Datum	   *elements;

	if (array_contains_nulls(path))
		return NULL;
	deconstruct_array(path, TEXTOID, -1, false, TYPALIGN_INT, &elements, NULL, count);
	steps = palloc(sizeof(mpk_step) * Max(*count, 1));
	for (int i = 0; i < *count; i++)
		msgpack_step_text(&steps[i], MPK_STEP_PATH, DatumGetTextPP(elements[i]));
	return steps;
}

/* --- following them --- */

/* Where the steps lead in argument 0, or false. */
static bool
follow(FunctionCallInfo fcinfo, mpk_cursor *cursor, mpk_spot *spot, const mpk_step *steps,
	   int count)
{
	bool		found;

	msgpack_cursor_open(cursor, fcinfo, PG_GETARG_DATUM(0));
	found = mpk_spot_root(cursor, spot) && mpk_path_follow(cursor, spot, steps, count);
	msgpack_cursor_check(cursor);
	return found;
}

/*
 * The value at the spot as a document of its own.  Its tables, if it has some,
 * are its index as they stand (doc/format.md, "Offset index").
 */
static Datum
fragment(mpk_cursor *cursor, const mpk_spot *spot)
{
	const uint8 *start;
	const uint8 *end;
	const uint8 *index;
	size_t		index_length = spot->table_end - spot->table;
	unsigned	flags;

	if (!mpk_spot_bytes(cursor, spot, &start, &end))
		msgpack_cursor_check(cursor);
	flags = msgpack_fragment_flags(cursor->flags, start, end);
	if (index_length == 0)
		return msgpack_from_payload(start, end - start, flags);
	index = mpk_cursor_get(cursor, spot->table, index_length);
	msgpack_cursor_check(cursor);
	return msgpack_from_parts(start, end - start, flags, index, index_length);
}

Datum
msgpack_extract(FunctionCallInfo fcinfo, const mpk_step *steps, int count)
{
	mpk_cursor	cursor;
	mpk_spot	spot;

	if (!follow(fcinfo, &cursor, &spot, steps, count))
		PG_RETURN_NULL();
	if (spot.place == cursor.payload)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	PG_RETURN_DATUM(fragment(&cursor, &spot));
}

/* The same as text. */
static Datum
extract_text(FunctionCallInfo fcinfo, const mpk_step *steps, int count)
{
	mpk_cursor	cursor;
	mpk_spot	spot;
	mpk_value	value;
	const uint8 *end;

	if (!follow(fcinfo, &cursor, &spot, steps, count))
		PG_RETURN_NULL();
	if (!mpk_spot_read(&cursor, &spot, &value))
		msgpack_cursor_check(&cursor);
	/* of a container only the head is sure to be there, and its end is not sure to be right */
	if (mpk_is_container(value.kind) && !mpk_spot_bytes(&cursor, &spot, &value.start, &end))
		msgpack_cursor_check(&cursor);
	if (value.kind == MPK_NIL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(msgpack_value_text(&value, cursor.flags));
}

/* --- the operators -> and ->> --- */

PG_FUNCTION_INFO_V1(msgpack_object_field);

Datum
msgpack_object_field(PG_FUNCTION_ARGS)
{
	mpk_step	step;

	msgpack_step_text(&step, MPK_STEP_FIELD, PG_GETARG_TEXT_PP(1));
	return msgpack_extract(fcinfo, &step, 1);
}

PG_FUNCTION_INFO_V1(msgpack_object_field_text);

Datum
msgpack_object_field_text(PG_FUNCTION_ARGS)
{
	mpk_step	step;

	msgpack_step_text(&step, MPK_STEP_FIELD, PG_GETARG_TEXT_PP(1));
	return extract_text(fcinfo, &step, 1);
}

PG_FUNCTION_INFO_V1(msgpack_array_element);

Datum
msgpack_array_element(PG_FUNCTION_ARGS)
{
	mpk_step	step;

	mpk_step_number(&step, PG_GETARG_INT64(1));
	return msgpack_extract(fcinfo, &step, 1);
}

PG_FUNCTION_INFO_V1(msgpack_array_element_text);

Datum
msgpack_array_element_text(PG_FUNCTION_ARGS)
{
	mpk_step	step;

	mpk_step_number(&step, PG_GETARG_INT64(1));
	return extract_text(fcinfo, &step, 1);
}

/* --- paths: #> and #>> --- */

PG_FUNCTION_INFO_V1(msgpack_extract_path);

Datum
msgpack_extract_path(PG_FUNCTION_ARGS)
{
	int			count;
	mpk_step   *steps = steps_from_array(PG_GETARG_ARRAYTYPE_P(1), &count);

	if (steps == NULL)
		PG_RETURN_NULL();
	return msgpack_extract(fcinfo, steps, count);
}

PG_FUNCTION_INFO_V1(msgpack_extract_path_text);

Datum
msgpack_extract_path_text(PG_FUNCTION_ARGS)
{
	int			count;
	mpk_step   *steps = steps_from_array(PG_GETARG_ARRAYTYPE_P(1), &count);

	if (steps == NULL)
		PG_RETURN_NULL();
	return extract_text(fcinfo, steps, count);
}

/* --- keys of any type --- */

PG_FUNCTION_INFO_V1(msgpack_get);

Datum
msgpack_get(PG_FUNCTION_ARGS)
{
	mpk_document key = PG_GETARG_MSGPACK(1);
	mpk_step	step;

	mpk_step_key(&step, &key);
	return msgpack_extract(fcinfo, &step, 1);
}

PG_FUNCTION_INFO_V1(msgpack_has);

Datum
msgpack_has(PG_FUNCTION_ARGS)
{
	mpk_document key = PG_GETARG_MSGPACK(1);
	mpk_cursor	cursor;
	mpk_spot	spot;
	mpk_step	step;

	mpk_step_key(&step, &key);
	PG_RETURN_BOOL(follow(fcinfo, &cursor, &spot, &step, 1));
}

/* --- counting --- */

PG_FUNCTION_INFO_V1(msgpack_array_length);

Datum
msgpack_array_length(PG_FUNCTION_ARGS)
{
	mpk_cursor	cursor;
	mpk_spot	spot;
	mpk_kind	kind;
	uint32		count;

	(void) follow(fcinfo, &cursor, &spot, NULL, 0);
	if (!mpk_spot_count(&cursor, &spot, &kind, &count))
	{
		msgpack_cursor_check(&cursor);
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot get array length of a scalar")));
	}
	if (kind != MPK_ARRAY)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot get array length of a non-array")));
	PG_RETURN_INT32((int32) count);
}
