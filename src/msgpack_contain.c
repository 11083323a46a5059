/*
 * msgpack_contain.c
 *		Containment and existence: @> <@ ? ?| ?&
 */
#include "msgpack.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "document/contain.h"
#include "msgpack_fetch.h"

static bool
contains(FunctionCallInfo fcinfo, Datum container, Datum contained)
{
	mpk_document wanted = msgpack_document(contained);
	mpk_cursor	cursor;
	bool		result;

	if (unlikely((wanted.flags & MPK_REPEATED_KEYS) != 0))
		wanted = msgpack_distinct(&wanted);
	msgpack_cursor_open_distinct(&cursor, fcinfo, container);
	result = mpk_contains(&cursor, &wanted);
	msgpack_cursor_check(&cursor);
	return result;
}

/* Existence goes by keys alone, of which it does not matter which one counts. */
static bool
exists(mpk_cursor *cursor, text *key)
{
	size_t		length;
	const uint8 *s = msgpack_utf8_from_text(VARDATA_ANY(key), VARSIZE_ANY_EXHDR(key), &length);
	bool		result = mpk_exists(cursor, s, length);

	msgpack_cursor_check(cursor);
	return result;
}

/* Do all (or any) of the keys that are not NULL exist? */
static bool
exist(FunctionCallInfo fcinfo, bool all)
{
	mpk_cursor	cursor;
	Datum	   *keys;
	bool	   *nulls;
	int			count;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), TEXTOID, -1, false, TYPALIGN_INT, &keys, &nulls,
					  &count);
	msgpack_cursor_open(&cursor, fcinfo, PG_GETARG_DATUM(0));
	for (int i = 0; i < count; i++)
		if (!nulls[i] && exists(&cursor, DatumGetTextPP(keys[i])) != all)
			return !all;
	return all;
}

PG_FUNCTION_INFO_V1(msgpack_contains);

Datum
msgpack_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(contains(fcinfo, PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

PG_FUNCTION_INFO_V1(msgpack_contained);

Datum
msgpack_contained(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(contains(fcinfo, PG_GETARG_DATUM(1), PG_GETARG_DATUM(0)));
}

PG_FUNCTION_INFO_V1(msgpack_exists);

Datum
msgpack_exists(PG_FUNCTION_ARGS)
{
	mpk_cursor	cursor;

	msgpack_cursor_open(&cursor, fcinfo, PG_GETARG_DATUM(0));
	PG_RETURN_BOOL(exists(&cursor, PG_GETARG_TEXT_PP(1)));
}

PG_FUNCTION_INFO_V1(msgpack_exists_any);

Datum
msgpack_exists_any(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(exist(fcinfo, false));
}

PG_FUNCTION_INFO_V1(msgpack_exists_all);

Datum
msgpack_exists_all(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(exist(fcinfo, true));
}
