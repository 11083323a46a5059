/*
 * msgpack_contain.c
 *		Containment and existence: @> <@ ? ?| ?&
 */
#include "msgpack.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"

#include "document/contain.h"
#include "msgpack_access.h"

/* The keys of an array that are not NULL, each a step of its own. */
static msgpack_path
path_from_keys(Datum argument)
{
	msgpack_path path = {NULL, 0};
	Datum	   *keys;
	bool	   *nulls;
	int			count;

	deconstruct_array(DatumGetArrayTypeP(argument), TEXTOID, -1, false, TYPALIGN_INT, &keys,
					  &nulls, &count);
	path.steps = palloc_extended((Size) Max(count, 1) * sizeof(mpk_step), MCXT_ALLOC_HUGE);
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!nulls[i])
			msgpack_step_text(&path.steps[path.count++], MPK_STEP_FIELD, DatumGetTextPP(keys[i]));
	}
	return path;
}

/* Make ready what argument "number" of the call says is to be contained, a constant. */
static const mpk_contained *
make_constant(FmgrInfo *flinfo, Datum datum)
{
	MemoryContext old = MemoryContextSwitchTo(flinfo->fn_mcxt);
	mpk_document document = msgpack_document(PointerGetDatum(PG_DETOAST_DATUM_COPY(datum)));
	mpk_contained *contained = palloc(sizeof(mpk_contained));

	document = msgpack_distinct(&document);
	mpk_contained_init(contained, &document);
	mpk_contained_prepare(contained);
	MemoryContextSwitchTo(old);
	return msgpack_site_make(flinfo)->contained = contained;
}

/* What argument "number" of the call says is to be contained; "made" is room for it. */
static const mpk_contained *
make_contained(FunctionCallInfo fcinfo, int number, mpk_contained *made)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	mpk_document document;

	if (flinfo != NULL && flinfo->fn_extra == NULL)
	{
		if (msgpack_is_constant(flinfo, number))
			return make_constant(flinfo, PG_GETARG_DATUM(number));
		(void) msgpack_site_make(flinfo);
	}
	document = msgpack_document(PG_GETARG_DATUM(number));
	document = msgpack_distinct(&document);
	mpk_contained_init(made, &document);
	return made;
}

/* Does one argument of the call contain another? */
static inline bool
contains(FunctionCallInfo fcinfo, int container, int contained)
{
	const msgpack_site *site = fcinfo->flinfo != NULL ? fcinfo->flinfo->fn_extra : NULL;
	const mpk_contained *wanted = site != NULL ? site->contained : NULL;
	mpk_contained made;
	mpk_cursor	cursor;
	bool		result;

	if (unlikely(wanted == NULL))
		wanted = make_contained(fcinfo, contained, &made);
	msgpack_cursor_open_distinct(&cursor, fcinfo, PG_GETARG_DATUM(container));
	result = mpk_contains(&cursor, wanted);
	msgpack_cursor_check(&cursor);
	return result;
}

/* Existence goes by keys alone, of which it does not matter which one counts. */
static inline bool
exists(mpk_cursor *cursor, const mpk_step *key)
{
	bool		result = mpk_exists(cursor, key);

	msgpack_cursor_check(cursor);
	return result;
}

/* Do all (or any) of the keys that are not NULL exist? */
static bool
exist(FunctionCallInfo fcinfo, bool all)
{
	mpk_cursor	cursor;
	msgpack_path keys = msgpack_path_of_call(fcinfo, path_from_keys);

	msgpack_cursor_open(&cursor, fcinfo, PG_GETARG_DATUM(0));
	for (int i = 0; i < keys.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (exists(&cursor, &keys.steps[i]) != all)
			return !all;
	}
	return all;
}

PG_FUNCTION_INFO_V1(msgpack_contains);

Datum
msgpack_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(contains(fcinfo, 0, 1));
}

PG_FUNCTION_INFO_V1(msgpack_contained);

Datum
msgpack_contained(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(contains(fcinfo, 1, 0));
}

PG_FUNCTION_INFO_V1(msgpack_exists);

Datum
msgpack_exists(PG_FUNCTION_ARGS)
{
	msgpack_path key = msgpack_path_of_call(fcinfo, msgpack_path_from_field);
	mpk_cursor	cursor;

	msgpack_cursor_open(&cursor, fcinfo, PG_GETARG_DATUM(0));
	PG_RETURN_BOOL(exists(&cursor, key.steps));
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
