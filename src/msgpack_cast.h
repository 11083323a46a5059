/*
 * msgpack_cast.h
 *		Scalars as PostgreSQL's own types: what the explicit casts give.
 *
 * The casts raise; the typed getters, which give NULL for what does not fit,
 * and the records, which go on to the input function, ask first.
 */
#ifndef MSGPACK_CAST_H
#define MSGPACK_CAST_H

#include "msgpack.h"

/* The types that MessagePack has values of. */
typedef enum msgpack_target
{
	MSGPACK_AS_BOOL,
	MSGPACK_AS_INT2,
	MSGPACK_AS_INT4,
	MSGPACK_AS_INT8,
	MSGPACK_AS_FLOAT4,
	MSGPACK_AS_FLOAT8,
	MSGPACK_AS_NUMERIC,
	MSGPACK_AS_TIMESTAMPTZ
} msgpack_target;

typedef enum msgpack_cast_status
{
	MSGPACK_CAST_OK,
	MSGPACK_CAST_NIL,			/* nil, which is SQL NULL */
	MSGPACK_CAST_OTHER_TYPE,	/* no cast from this kind to the target */
	MSGPACK_CAST_OUT_OF_RANGE	/* the right kind, but not within the target's range */
} msgpack_cast_status;

/*
 * Convert a value.  Numbers convert to one another by their exact value:
 * fractions round half away from zero to an integer, to the nearest for a
 * float.  A float as numeric has its shortest digits, at least one after the
 * point.  Timestamps round to the nearest microsecond.  Sets *result on
 * MSGPACK_CAST_OK only; a numeric is palloc'd.
 */
extern msgpack_cast_status msgpack_try_cast(const mpk_value *value, msgpack_target target,
											Datum *result);

/* The same as the casts do it: false for nil; an error that names the type found, or the range. */
extern bool msgpack_cast(const mpk_value *value, msgpack_target target, Datum *result);

#endif							/* MSGPACK_CAST_H */
