/*
 * msgpack_typed.c
 *		Typed reads: a path to a value as one of PostgreSQL's own types.
 *
 * Two families.  The getters, msgpack_int8(doc, 'a', 'b') and its like, give
 * NULL for what is missing or of another type, so that they can be indexed over
 * mixed documents.  The followers are what the planner makes of chains such as
 * (doc->'a'->'b')::int8 (msgpack_fold.c): they do exactly what the chain does.
 */
#include "msgpack_access.h"

#include "msgpack_cast.h"
#include "msgpack_fold.h"

/* --- getters --- */

static Datum
get_as(FunctionCallInfo fcinfo, msgpack_target target)
{
	mpk_value	value;
	unsigned	flags;
	Datum		result;

	if (!msgpack_find_value(fcinfo, msgpack_path_of_call(fcinfo, msgpack_path_from_array),
							&value, &flags) ||
		msgpack_try_cast(&value, target, &result) != MSGPACK_CAST_OK)
		PG_RETURN_NULL();
	return result;
}

PG_FUNCTION_INFO_V1(msgpack_get_text);

Datum
msgpack_get_text(PG_FUNCTION_ARGS)
{
	mpk_value	value;
	unsigned	flags;

	if (!msgpack_find_value(fcinfo, msgpack_path_of_call(fcinfo, msgpack_path_from_array),
							&value, &flags) ||
		value.kind != MPK_STR || !msgpack_is_text(&value, flags))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(msgpack_text_from_str(&value, flags));
}

PG_FUNCTION_INFO_V1(msgpack_get_bytea);

Datum
msgpack_get_bytea(PG_FUNCTION_ARGS)
{
	mpk_value	value;
	unsigned	flags;
	bytea	   *result;

	if (!msgpack_find_value(fcinfo, msgpack_path_of_call(fcinfo, msgpack_path_from_array),
							&value, &flags) ||
		value.kind != MPK_BIN)
		PG_RETURN_NULL();
	result = palloc(VARHDRSZ + (size_t) value.length);
	SET_VARSIZE(result, VARHDRSZ + (size_t) value.length);
	mpk_copy(VARDATA(result), value.body, value.length);
	PG_RETURN_BYTEA_P(result);
}

/* --- followers --- */

static Datum
follow_as(FunctionCallInfo fcinfo, msgpack_target target)
{
	mpk_value	value;
	unsigned	flags;
	Datum		result;

	if (!msgpack_find_value(fcinfo, msgpack_path_of_call(fcinfo, msgpack_fold_path),
							&value, &flags) ||
		!msgpack_cast(&value, target, &result))
		PG_RETURN_NULL();
	return result;
}

PG_FUNCTION_INFO_V1(msgpack_follow);

Datum
msgpack_follow(PG_FUNCTION_ARGS)
{
	return msgpack_extract(fcinfo, msgpack_path_of_call(fcinfo, msgpack_fold_path));
}

PG_FUNCTION_INFO_V1(msgpack_follow_text);

Datum
msgpack_follow_text(PG_FUNCTION_ARGS)
{
	return msgpack_extract_as_text(fcinfo, msgpack_path_of_call(fcinfo, msgpack_fold_path));
}

/* --- both, by type --- */

#define DEFINE_GETTER(name, target) \
PG_FUNCTION_INFO_V1(name); \
Datum \
name(PG_FUNCTION_ARGS) \
{ \
	return get_as(fcinfo, target); \
}

#define DEFINE_FOLLOWER(name, target) \
PG_FUNCTION_INFO_V1(name); \
Datum \
name(PG_FUNCTION_ARGS) \
{ \
	return follow_as(fcinfo, target); \
}

DEFINE_GETTER(msgpack_get_boolean, MSGPACK_AS_BOOL)
DEFINE_GETTER(msgpack_get_int8, MSGPACK_AS_INT8)
DEFINE_GETTER(msgpack_get_float8, MSGPACK_AS_FLOAT8)
DEFINE_GETTER(msgpack_get_numeric, MSGPACK_AS_NUMERIC)
DEFINE_GETTER(msgpack_get_timestamptz, MSGPACK_AS_TIMESTAMPTZ)

DEFINE_FOLLOWER(msgpack_follow_bool, MSGPACK_AS_BOOL)
DEFINE_FOLLOWER(msgpack_follow_int2, MSGPACK_AS_INT2)
DEFINE_FOLLOWER(msgpack_follow_int4, MSGPACK_AS_INT4)
DEFINE_FOLLOWER(msgpack_follow_int8, MSGPACK_AS_INT8)
DEFINE_FOLLOWER(msgpack_follow_float4, MSGPACK_AS_FLOAT4)
DEFINE_FOLLOWER(msgpack_follow_float8, MSGPACK_AS_FLOAT8)
DEFINE_FOLLOWER(msgpack_follow_numeric, MSGPACK_AS_NUMERIC)
DEFINE_FOLLOWER(msgpack_follow_timestamptz, MSGPACK_AS_TIMESTAMPTZ)
