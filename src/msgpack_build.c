/*
 * msgpack_build.c
 *		Constructors: to_msgpack, row_to_msgpack, msgpack_build_*, msgpack_object.
 *
 * Their results follow jsonb's functions of the same names, in document order.
 */
#include "msgpack_encode.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* A row, an array or a few arguments: what a first guess of the result's size is good for. */
#define INITIAL_SIZE	256

/* ----------
 * One value
 * ----------
 */

/* The encoder of argument n, made at the call site's first call. */
static msgpack_encoder *
argument_encoder(FmgrInfo *flinfo, int n)
{
	if (flinfo->fn_extra == NULL)
	{
		Oid			type = get_fn_expr_argtype(flinfo, n);

		if (!OidIsValid(type))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("could not determine input data type")));
		flinfo->fn_extra = msgpack_encoder_create(type, msgpack_type_of_function(flinfo->fn_oid),
												  flinfo->fn_mcxt);
	}
	return flinfo->fn_extra;
}

static Datum
encode_alone(msgpack_encoder *encoder, Datum value)
{
	msgpack_sink sink;

	msgpack_sink_init(&sink, INITIAL_SIZE);
	msgpack_encode(encoder, value, &sink);
	return msgpack_sink_datum(&sink);
}

PG_FUNCTION_INFO_V1(to_msgpack);

Datum
to_msgpack(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(encode_alone(argument_encoder(fcinfo->flinfo, 0), PG_GETARG_DATUM(0)));
}

/* ----------
 * Any number of arguments
 * ----------
 */

/* The arguments of a VARIADIC "any" function, given one by one or as an array. */
typedef struct arguments
{
	int			count;
	Datum	   *values;
	bool	   *nulls;
	msgpack_encoder **encoders;
} arguments;

/* What is kept at the call site. */
typedef struct argument_encoders
{
	int			count;
	msgpack_encoder *of[FLEXIBLE_ARRAY_MEMBER];
} argument_encoders;

/* The encoders of these types, kept from the last call as far as they are the same. */
static msgpack_encoder **
encoders_for(FmgrInfo *flinfo, int count, const Oid *types)
{
	argument_encoders *kept = flinfo->fn_extra;

	if (kept == NULL || kept->count < count)
	{
		argument_encoders *more = MemoryContextAllocZero(flinfo->fn_mcxt,
														 offsetof(argument_encoders, of) +
														 count * sizeof(msgpack_encoder *));

		if (kept != NULL)
			memcpy(more->of, kept->of, kept->count * sizeof(msgpack_encoder *));
		more->count = count;
		flinfo->fn_extra = kept = more;
	}
	for (int i = 0; i < count; i++)
	{
		if (kept->of[i] != NULL && msgpack_encoder_type(kept->of[i]) == types[i])
			continue;
		/* the elements of an array, and arguments side by side, often share a type */
		if (i > 0 && types[i] == types[i - 1])
			kept->of[i] = kept->of[i - 1];
		else
			kept->of[i] = msgpack_encoder_create(types[i],
												 msgpack_type_of_function(flinfo->fn_oid),
												 flinfo->fn_mcxt);
	}
	return kept->of;
}

/* False when there is no argument list: VARIADIC NULL. */
static bool
get_arguments(FunctionCallInfo fcinfo, arguments *args)
{
	Oid		   *types;

	/* extract_variadic_args wants one argument at least */
	args->count = 0;
	if (PG_NARGS() == 0)
		return true;
	args->count = extract_variadic_args(fcinfo, 0, true, &args->values, &types, &args->nulls);
	if (args->count < 0)
		return false;
	if (args->count > 0)
		args->encoders = encoders_for(fcinfo->flinfo, args->count, types);
	return true;
}

static void
encode_argument(const arguments *args, int i, msgpack_sink *sink)
{
	if (args->nulls[i])
		mpk_write_nil(&sink->writer);
	else
		msgpack_encode(args->encoders[i], args->values[i], sink);
}

static Datum
build_array(const arguments *args)
{
	msgpack_sink sink;

	msgpack_sink_init(&sink, INITIAL_SIZE);
	msgpack_sink_enter(&sink, 1);
	mpk_write_array_head(&sink.writer, args->count);
	for (int i = 0; i < args->count; i++)
		encode_argument(args, i, &sink);
	return msgpack_sink_datum(&sink);
}

typedef void (*encode_key_function) (msgpack_encoder *encoder, Datum value, msgpack_sink *sink);

/* "name" is that of the SQL function, for its hint. */
static void
check_pairs(const arguments *args, const char *name)
{
	if (args->count % 2 != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument list must have even number of elements"),
				 errhint("The arguments of %s must consist of alternating keys and values.",
						 name)));
	for (int i = 0; i < args->count; i += 2)
		if (args->nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("argument %d: key must not be null", i + 1)));
}

static Datum
build_map(const arguments *args, encode_key_function encode_key)
{
	msgpack_sink sink;
	uint32	   *keys = palloc(Max(args->count / 2, 1) * sizeof(uint32));
	size_t		place;

	msgpack_sink_init(&sink, INITIAL_SIZE);
	msgpack_sink_enter(&sink, 1);
	place = mpk_write_open(&sink.writer);
	for (int i = 0; i < args->count; i += 2)
	{
		keys[i / 2] = (uint32) sink.writer.length;
		encode_key(args->encoders[i], args->values[i], &sink);
		encode_argument(args, i + 1, &sink);
	}
	sink.dropped = !mpk_write_close_pairs(&sink.writer, place, keys, args->count / 2, sink.flags);
	pfree(keys);
	return msgpack_sink_datum(&sink);
}

PG_FUNCTION_INFO_V1(msgpack_build_array);

Datum
msgpack_build_array(PG_FUNCTION_ARGS)
{
	arguments	args;

	if (!get_arguments(fcinfo, &args))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(build_array(&args));
}

PG_FUNCTION_INFO_V1(msgpack_build_object);

Datum
msgpack_build_object(PG_FUNCTION_ARGS)
{
	arguments	args;

	if (!get_arguments(fcinfo, &args))
		PG_RETURN_NULL();
	check_pairs(&args, "msgpack_build_object()");
	PG_RETURN_DATUM(build_map(&args, msgpack_encode_key));
}

PG_FUNCTION_INFO_V1(msgpack_build_map);

Datum
msgpack_build_map(PG_FUNCTION_ARGS)
{
	arguments	args;

	if (!get_arguments(fcinfo, &args))
		PG_RETURN_NULL();
	check_pairs(&args, "msgpack_build_map()");
	PG_RETURN_DATUM(build_map(&args, msgpack_encode));
}

/* ----------
 * From arrays of text
 * ----------
 */

static void
raise_subscripts(const char *message)
{
	ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 errmsg("%s", _(message))));
}

/* Elements of a text array. */
typedef struct texts
{
	int			count;
	Datum	   *values;
	bool	   *nulls;
} texts;

static texts
get_texts(ArrayType *array)
{
	texts		t;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &t.values, &t.nulls, &t.count);
	return t;
}

static void
write_text(mpk_writer *writer, Datum value)
{
	text	   *t = DatumGetTextPP(value);
	size_t		length;
	const uint8 *utf8 = msgpack_utf8_from_text(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t), &length);

	mpk_write_str(writer, utf8, length);
}

/* The map of "count" pairs; the i-th key and value are elements i * step of their arrays. */
static Datum
object_from_texts(const texts *keys, int first_key, const texts *values, int first_value,
				  int step, int count)
{
	msgpack_sink sink;
	uint32	   *places = palloc(Max(count, 1) * sizeof(uint32));
	size_t		place;

	msgpack_sink_init(&sink, INITIAL_SIZE);
	place = mpk_write_open(&sink.writer);
	for (int i = 0; i < count; i++)
	{
		int			k = first_key + i * step;
		int			v = first_value + i * step;

		CHECK_FOR_INTERRUPTS();
		if (keys->nulls[k])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("null value not allowed for object key")));
		places[i] = (uint32) sink.writer.length;
		write_text(&sink.writer, keys->values[k]);
		if (values->nulls[v])
			mpk_write_nil(&sink.writer);
		else
			write_text(&sink.writer, values->values[v]);
	}
	(void) mpk_write_close_pairs(&sink.writer, place, places, count, 0);
	return msgpack_sink_datum(&sink);
}

/* {key, value, key, value} or {{key, value}, {key, value}} */
static Datum
object_from_pairs(ArrayType *array)
{
	texts		t;

	if (ARR_NDIM(array) == 1 && ARR_DIMS(array)[0] % 2 != 0)
		raise_subscripts(gettext_noop("array must have even number of elements"));
	if (ARR_NDIM(array) == 2 && ARR_DIMS(array)[1] != 2)
		raise_subscripts(gettext_noop("array must have two columns"));
	if (ARR_NDIM(array) > 2)
		raise_subscripts(gettext_noop("wrong number of array subscripts"));
	t = get_texts(array);
	return object_from_texts(&t, 0, &t, 1, 2, t.count / 2);
}

static Datum
object_from_two(ArrayType *key_array, ArrayType *value_array)
{
	texts		keys;
	texts		values;

	if (ARR_NDIM(key_array) > 1 || ARR_NDIM(key_array) != ARR_NDIM(value_array))
		raise_subscripts(gettext_noop("wrong number of array subscripts"));
	keys = get_texts(key_array);
	values = get_texts(value_array);
	if (keys.count != values.count)
		raise_subscripts(gettext_noop("mismatched array dimensions"));
	return object_from_texts(&keys, 0, &values, 0, 1, keys.count);
}

PG_FUNCTION_INFO_V1(msgpack_object);

Datum
msgpack_object(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(object_from_pairs(PG_GETARG_ARRAYTYPE_P(0)));
}

PG_FUNCTION_INFO_V1(msgpack_object_two_arg);

Datum
msgpack_object_two_arg(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(object_from_two(PG_GETARG_ARRAYTYPE_P(0), PG_GETARG_ARRAYTYPE_P(1)));
}
