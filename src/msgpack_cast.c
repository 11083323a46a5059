/*
 * msgpack_cast.c
 *		Casts to boolean, the number types and timestamptz.
 */
#include "msgpack_cast.h"

#include <math.h>

#include "datatype/timestamp.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "msgpack_numeric.h"

/* What the types are called in errors, by msgpack_target. */
static const char *const target_names[] = {
	[MSGPACK_AS_BOOL] = "boolean",
	[MSGPACK_AS_INT2] = "smallint",
	[MSGPACK_AS_INT4] = "integer",
	[MSGPACK_AS_INT8] = "bigint",
	[MSGPACK_AS_FLOAT4] = "real",
	[MSGPACK_AS_FLOAT8] = "double precision",
	[MSGPACK_AS_NUMERIC] = "numeric",
	[MSGPACK_AS_TIMESTAMPTZ] = "timestamp with time zone",
};

#define TWO_63			9223372036854775808.0

/* Seconds from MessagePack's epoch, 1970, to PostgreSQL's, 2000. */
#define EPOCH_SECONDS	((POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * (int64) SECS_PER_DAY)

/* ----- kernels: false where the value is not within the range ----- */

static bool
number_to_int64(const mpk_value *value, int64 *result)
{
	double		rounded;

	if (value->kind == MPK_UINT)
	{
		*result = (int64) value->as.u64;
		return value->as.u64 <= (uint64) PG_INT64_MAX;
	}
	if (value->kind == MPK_INT)
	{
		*result = value->as.i64;
		return true;
	}
	/* round() goes half away from zero; NaN fails both comparisons */
	rounded = round(mpk_float_value(value));
	if (!(rounded >= -TWO_63 && rounded < TWO_63))
		return false;
	*result = (int64) rounded;
	return true;
}

/* An integer type narrower than int64; "max" is its greatest value. */
static bool
number_to_narrow_int(const mpk_value *value, int64 max, int64 *result)
{
	return number_to_int64(value, result) && *result <= max && *result >= -max - 1;
}

static double
number_to_float8(const mpk_value *value)
{
	switch (value->kind)
	{
		case MPK_UINT:
			return (double) value->as.u64;
		case MPK_INT:
			return (double) value->as.i64;
		default:
			return mpk_float_value(value);
	}
}

/* Integers are rounded once, not by way of a double. */
static bool
number_to_float4(const mpk_value *value, float *result)
{
	switch (value->kind)
	{
		case MPK_UINT:
			*result = (float) value->as.u64;
			return true;
		case MPK_INT:
			*result = (float) value->as.i64;
			return true;
		case MPK_FLOAT32:
			*result = value->as.f32;
			return true;
		default:
			*result = (float) value->as.f64;
			/* neither infinite nor zero unless it was */
			return (!isinf(*result) || isinf(value->as.f64)) &&
				(*result != 0 || value->as.f64 == 0);
	}
}

static Datum
number_to_numeric(const mpk_value *value)
{
	char	   *numeric;

	if (value->kind >= MPK_FLOAT32 && !isfinite(mpk_float_value(value)))
		return DirectFunctionCall1(float8_numeric, Float8GetDatum(mpk_float_value(value)));
	numeric = palloc(MSGPACK_NUMERIC_MAX);
	(void) msgpack_numeric_write(value, numeric);
	return PointerGetDatum(numeric);
}

static bool
timestamp_to_timestamptz(mpk_timestamp timestamp, TimestampTz *result)
{
	/* so far inside 64 bits that nothing below overflows */
	if (timestamp.seconds < MIN_TIMESTAMP / USECS_PER_SEC ||
		timestamp.seconds > END_TIMESTAMP / USECS_PER_SEC + EPOCH_SECONDS)
		return false;
	*result = (timestamp.seconds - EPOCH_SECONDS) * USECS_PER_SEC +
		(timestamp.nanoseconds + 500) / 1000;
	return IS_VALID_TIMESTAMP(*result);
}

static msgpack_cast_status
number_to_datum(const mpk_value *value, msgpack_target target, Datum *result)
{
	int64		integer;
	float		single;

	switch (target)
	{
		case MSGPACK_AS_INT2:
			if (!number_to_narrow_int(value, PG_INT16_MAX, &integer))
				return MSGPACK_CAST_OUT_OF_RANGE;
			*result = Int16GetDatum((int16) integer);
			break;
		case MSGPACK_AS_INT4:
			if (!number_to_narrow_int(value, PG_INT32_MAX, &integer))
				return MSGPACK_CAST_OUT_OF_RANGE;
			*result = Int32GetDatum((int32) integer);
			break;
		case MSGPACK_AS_INT8:
			if (!number_to_int64(value, &integer))
				return MSGPACK_CAST_OUT_OF_RANGE;
			*result = Int64GetDatum(integer);
			break;
		case MSGPACK_AS_FLOAT4:
			if (!number_to_float4(value, &single))
				return MSGPACK_CAST_OUT_OF_RANGE;
			*result = Float4GetDatum(single);
			break;
		case MSGPACK_AS_FLOAT8:
			*result = Float8GetDatum(number_to_float8(value));
			break;
		case MSGPACK_AS_NUMERIC:
			*result = number_to_numeric(value);
			break;
		default:
			return MSGPACK_CAST_OTHER_TYPE;
	}
	return MSGPACK_CAST_OK;
}

msgpack_cast_status
msgpack_try_cast(const mpk_value *value, msgpack_target target, Datum *result)
{
	TimestampTz timestamptz;

	if (mpk_is_number(value->kind))
		return number_to_datum(value, target, result);
	switch (value->kind)
	{
		case MPK_NIL:
			return MSGPACK_CAST_NIL;
		case MPK_BOOLEAN:
			if (target != MSGPACK_AS_BOOL)
				return MSGPACK_CAST_OTHER_TYPE;
			*result = BoolGetDatum(value->as.boolean);
			return MSGPACK_CAST_OK;
		case MPK_TIMESTAMP:
			if (target != MSGPACK_AS_TIMESTAMPTZ)
				return MSGPACK_CAST_OTHER_TYPE;
			if (!timestamp_to_timestamptz(value->as.timestamp, &timestamptz))
				return MSGPACK_CAST_OUT_OF_RANGE;
			*result = TimestampTzGetDatum(timestamptz);
			return MSGPACK_CAST_OK;
		default:
			return MSGPACK_CAST_OTHER_TYPE;
	}
}

static void
raise_other_type(const mpk_value *value, msgpack_target target)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cannot cast msgpack %s to type %s", msgpack_kind_name(value->kind),
					target_names[target])));
}

static void
raise_out_of_range(msgpack_target target)
{
	if (target == MSGPACK_AS_TIMESTAMPTZ)
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("timestamp out of range")));
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("%s out of range", target_names[target])));
}

bool
msgpack_cast(const mpk_value *value, msgpack_target target, Datum *result)
{
	switch (msgpack_try_cast(value, target, result))
	{
		case MSGPACK_CAST_OK:
			return true;
		case MSGPACK_CAST_NIL:
			return false;
		case MSGPACK_CAST_OTHER_TYPE:
			raise_other_type(value, target);
			break;
		case MSGPACK_CAST_OUT_OF_RANGE:
			raise_out_of_range(target);
			break;
	}
	pg_unreachable();
}

/* ----- the casts ----- */

static Datum
cast_document(FunctionCallInfo fcinfo, msgpack_target target)
{
	mpk_document document = PG_GETARG_MSGPACK(0);
	mpk_value	value;
	Datum		result;

	(void) mpk_read(document.payload, &value);
	if (!msgpack_cast(&value, target, &result))
		PG_RETURN_NULL();
	return result;
}

PG_FUNCTION_INFO_V1(msgpack_to_bool);

Datum
msgpack_to_bool(PG_FUNCTION_ARGS)
{
	return cast_document(fcinfo, MSGPACK_AS_BOOL);
}

PG_FUNCTION_INFO_V1(msgpack_to_int2);

Datum
msgpack_to_int2(PG_FUNCTION_ARGS)
{
	return cast_document(fcinfo, MSGPACK_AS_INT2);
}

PG_FUNCTION_INFO_V1(msgpack_to_int4);

Datum
msgpack_to_int4(PG_FUNCTION_ARGS)
{
	return cast_document(fcinfo, MSGPACK_AS_INT4);
}

PG_FUNCTION_INFO_V1(msgpack_to_int8);

Datum
msgpack_to_int8(PG_FUNCTION_ARGS)
{
	return cast_document(fcinfo, MSGPACK_AS_INT8);
}

PG_FUNCTION_INFO_V1(msgpack_to_float4);

Datum
msgpack_to_float4(PG_FUNCTION_ARGS)
{
	return cast_document(fcinfo, MSGPACK_AS_FLOAT4);
}

PG_FUNCTION_INFO_V1(msgpack_to_float8);

Datum
msgpack_to_float8(PG_FUNCTION_ARGS)
{
	return cast_document(fcinfo, MSGPACK_AS_FLOAT8);
}

PG_FUNCTION_INFO_V1(msgpack_to_numeric);

Datum
msgpack_to_numeric(PG_FUNCTION_ARGS)
{
	return cast_document(fcinfo, MSGPACK_AS_NUMERIC);
}

PG_FUNCTION_INFO_V1(msgpack_to_timestamptz);

Datum
msgpack_to_timestamptz(PG_FUNCTION_ARGS)
{
	return cast_document(fcinfo, MSGPACK_AS_TIMESTAMPTZ);
}
