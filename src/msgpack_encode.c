/*
 * msgpack_encode.c
 *		SQL values as MessagePack.
 *
 * An encoder is a function that writes a value of one SQL type, and what it
 * needs to know: output function, element type, columns.  What is inside
 * arrays and rows has encoders of its own, made when first needed and kept in
 * the same context.
 */
#include "msgpack_encode.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "document/nest.h"
#include "document/text.h"
#include "msgpack_numeric.h"

/* How values of a type are written. */
typedef enum encoder_kind
{
	ENCODE_BOOL,
	ENCODE_INT2,
	ENCODE_INT4,
	ENCODE_INT8,
	ENCODE_FLOAT4,
	ENCODE_FLOAT8,
	ENCODE_NUMERIC,
	ENCODE_TEXT,				/* text, varchar, char: what they hold */
	ENCODE_BYTEA,
	ENCODE_DATETIME,			/* ISO 8601 text */
	ENCODE_TIMESTAMPTZ,
	ENCODE_OUTPUT,				/* the text that the output function gives */
	/* what comes now makes no keys */
	ENCODE_MSGPACK,
	ENCODE_JSON,
	ENCODE_CAST_TO_MSGPACK,
	ENCODE_CAST_TO_JSON,
	ENCODE_ARRAY,
	ENCODE_ROW
} encoder_kind;

/* The rows of one row type, as they are written. */
typedef struct row_layout
{
	MemoryContext context;		/* of the layout and its columns' encoders */
	Oid			type;
	int32		typmod;
	uint64		identifier;		/* of this version of the row type */
	TupleDesc	tupdesc;		/* a copy */
	Datum	   *values;			/* room for a row */
	bool	   *nulls;
	int			count;			/* pairs to write */
	struct row_column *columns; /* so many */
} row_layout;

typedef struct row_column
{
	uint8	   *key;			/* the name as MessagePack */
	size_t		key_length;
	int			attribute;		/* whose value goes with it, from 0 */
	Oid			type;
	msgpack_encoder *encoder;	/* made for the first value that is not NULL */
} row_column;

struct msgpack_encoder
{
	Oid			type;			/* as asked for */
	Oid			base;			/* without domains */
	Oid			msgpack;		/* the oid of our own type */
	MemoryContext context;		/* where the encoder lives */
	encoder_kind kind;

	FmgrInfo	cast;			/* what gives msgpack or json */
	FmgrInfo	output;			/* fn_oid is 0 until it is needed */

	msgpack_encoder *element;	/* of arrays */
	row_layout *row;			/* of composites */
};

/* ----------
 * Sinks
 * ----------
 */

void
msgpack_sink_init(msgpack_sink *sink, size_t capacity)
{
	mpk_writer_init(&sink->writer, capacity);
	sink->flags = 0;
	sink->dropped = false;
	sink->depth = 0;
}

static void
raise_output(mpk_errcode code)
{
	mpk_error	error = {code, 0, NULL};

	msgpack_raise(&error);
}

void
msgpack_sink_enter(msgpack_sink *sink, uint32 levels)
{
	if (sink->depth + levels > MPK_MAX_DEPTH)
		raise_output(MPK_ERR_OUTPUT_TOO_DEEP);
	sink->depth += levels;
}

void
msgpack_sink_check(const msgpack_sink *sink)
{
	if (sink->writer.overflow)
		raise_output(MPK_ERR_OUTPUT_TOO_LARGE);
}

Datum
msgpack_sink_datum(msgpack_sink *sink)
{
	msgpack_sink_check(sink);
	if (sink->dropped && sink->flags != 0)
		sink->flags = msgpack_find_flags(mpk_writer_data(&sink->writer), sink->writer.length);
	return msgpack_from_writer(&sink->writer, sink->flags);
}

/* Raise when this value, put in here, makes the whole nested too deep. */
static void
check_depth(const msgpack_sink *sink, const uint8 *start, const uint8 *end)
{
	if (!mpk_nests_within(start, end, MPK_MAX_DEPTH - sink->depth))
		raise_output(MPK_ERR_OUTPUT_TOO_DEEP);
}

void
msgpack_sink_embed(msgpack_sink *sink, const mpk_document *document)
{
	check_depth(sink, document->payload, document->payload + document->length);
	sink->flags |= document->flags & MPK_IRREGULAR;
	mpk_write_raw(&sink->writer, document->payload, document->length);
}

/* The same of what has been written from "place" on. */
static void
check_written_depth(msgpack_sink *sink, size_t place)
{
	const uint8 *data = mpk_writer_data(&sink->writer);

	msgpack_sink_check(sink);
	check_depth(sink, data + place, data + sink->writer.length);
}

/* ----------
 * Scalars
 * ----------
 */

/* Scale 0 is an integer where 64 bits hold it; all else the nearest float. */
static void
write_numeric(Datum value, msgpack_sink *sink)
{
	Numeric		numeric = DatumGetNumeric(value);
	mpk_value	number;

	if (msgpack_numeric_read(numeric, &number) == MSGPACK_NUMERIC_OUT_OF_RANGE)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("numeric value is out of range for type msgpack")));
	if (number.kind == MPK_UINT)
		mpk_write_uint(&sink->writer, number.as.u64);
	else if (number.kind == MPK_INT)
		mpk_write_int(&sink->writer, number.as.i64);
	else
		mpk_write_float64(&sink->writer, mpk_float_value(&number));
	if ((Pointer) numeric != DatumGetPointer(value))
		pfree(numeric);
}

/* Text in the database's encoding. */
static void
write_string(const char *s, int length, msgpack_sink *sink)
{
	size_t		utf8_length;
	const uint8 *utf8 = msgpack_utf8_from_text(s, length, &utf8_length);

	mpk_write_str(&sink->writer, utf8, utf8_length);
	if (utf8 != (const uint8 *) s)
		pfree(unconstify(uint8 *, utf8));
}

static void
write_text(Datum value, msgpack_sink *sink)
{
	text	   *t = DatumGetTextPP(value);

	write_string(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t), sink);
	if ((Pointer) t != DatumGetPointer(value))
		pfree(t);
}

static void
write_bytea(Datum value, msgpack_sink *sink)
{
	bytea	   *b = DatumGetByteaPP(value);

	mpk_write_bin(&sink->writer, VARDATA_ANY(b), VARSIZE_ANY_EXHDR(b));
	if ((Pointer) b != DatumGetPointer(value))
		pfree(b);
}

/* ISO 8601, whatever DateStyle says, as jsonb has it. */
static void
write_datetime(Oid type, Datum value, msgpack_sink *sink)
{
	char		buf[MAXDATELEN + 1];

	JsonEncodeDateTime(buf, value, type, NULL);
	mpk_write_str(&sink->writer, buf, strlen(buf));
}

/* From 1970, where timestamps of MessagePack begin, to 2000, where PostgreSQL's do. */
#define EPOCH_SECONDS	((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY)

static void
write_timestamptz(Datum value, msgpack_sink *sink)
{
	TimestampTz t = DatumGetTimestampTz(value);
	int64		seconds = t / USECS_PER_SEC;
	int64		microseconds = t % USECS_PER_SEC;
	mpk_timestamp timestamp;

	if (TIMESTAMP_NOT_FINITE(t))
	{
		write_datetime(TIMESTAMPTZOID, value, sink);
		return;
	}
	if (microseconds < 0)
	{
		seconds--;
		microseconds += USECS_PER_SEC;
	}
	timestamp.seconds = seconds + EPOCH_SECONDS;
	timestamp.nanoseconds = (uint32) (microseconds * 1000);
	mpk_write_timestamp(&sink->writer, timestamp);
}

/* What the type's output function says. */
static void
write_output(msgpack_encoder *encoder, Datum value, msgpack_sink *sink)
{
	char	   *s;

	if (!OidIsValid(encoder->output.fn_oid))
	{
		Oid			function;
		bool		varlena;

		getTypeOutputInfo(encoder->base, &function, &varlena);
		fmgr_info_cxt(function, &encoder->output, encoder->context);
	}
	s = OutputFunctionCall(&encoder->output, value);
	write_string(s, strlen(s), sink);
	pfree(s);
}

/* ----------
 * Documents
 * ----------
 */

static void
write_msgpack(Datum value, msgpack_sink *sink)
{
	mpk_document document = msgpack_document(value);

	msgpack_sink_embed(sink, &document);
}

/* JSON is a subset of our text form. */
static void
write_json(Datum value, msgpack_sink *sink)
{
	text	   *json = DatumGetTextPP(value);
	size_t		length;
	const uint8 *utf8 = msgpack_utf8_from_text(VARDATA_ANY(json), VARSIZE_ANY_EXHDR(json), &length);
	size_t		place = sink->writer.length;
	unsigned	flags;
	mpk_error	error;

	if (!mpk_parse_text(utf8, length, &sink->writer, &flags, &error))
		msgpack_report_text(&error, utf8, length, NULL);
	sink->flags |= flags & MPK_IRREGULAR;
	check_written_depth(sink, place);
	if ((Pointer) json != DatumGetPointer(value))
		pfree(json);
}

/* Call a cast function; false when it gives NULL. */
static bool
call_cast(FmgrInfo *cast, Datum value, Datum *result)
{
	LOCAL_FCINFO(fcinfo, 3);

	InitFunctionCallInfoData(*fcinfo, cast, cast->fn_nargs, InvalidOid, NULL, NULL);
	fcinfo->args[0].value = value;
	fcinfo->args[0].isnull = false;
	/* a cast function may take the typmod, and whether the cast is explicit */
	fcinfo->args[1].value = Int32GetDatum(-1);
	fcinfo->args[1].isnull = false;
	fcinfo->args[2].value = BoolGetDatum(true);
	fcinfo->args[2].isnull = false;
	*result = FunctionCallInvoke(fcinfo);
	return !fcinfo->isnull;
}

static void
write_cast_to_msgpack(msgpack_encoder *encoder, Datum value, msgpack_sink *sink)
{
	Datum		result;

	if (call_cast(&encoder->cast, value, &result))
		write_msgpack(result, sink);
	else
		mpk_write_nil(&sink->writer);
}

static void
write_cast_to_json(msgpack_encoder *encoder, Datum value, msgpack_sink *sink)
{
	Datum		result;

	if (call_cast(&encoder->cast, value, &result))
		write_json(result, sink);
	else
		mpk_write_nil(&sink->writer);
}

/* ----------
 * Arrays
 * ----------
 */

/* Write the heads of the arrays that begin with element i of the flat order. */
static void
write_array_heads(msgpack_sink *sink, int ndim, const int *dims, int i)
{
	int			first = ndim;
	int			size = 1;

	for (int d = ndim - 1; d >= 0; d--)
	{
		size *= dims[d];
		if (i % size != 0)
			break;
		first = d;
	}
	for (int d = first; d < ndim; d++)
		mpk_write_array_head(&sink->writer, dims[d]);
}

static msgpack_encoder *
element_encoder(msgpack_encoder *encoder, Oid type)
{
	/* anyarray columns have arrays of more than one type */
	if (encoder->element == NULL || encoder->element->type != type)
		encoder->element = msgpack_encoder_create(type, encoder->msgpack, encoder->context);
	return encoder->element;
}

static inline void
write_nullable(msgpack_encoder *encoder, Datum value, bool isnull, msgpack_sink *sink)
{
	if (isnull)
		mpk_write_nil(&sink->writer);
	else
		msgpack_encode(encoder, value, sink);
}

static void
write_array(msgpack_encoder *encoder, Datum value, msgpack_sink *sink)
{
	ArrayType  *array = DatumGetArrayTypeP(value);
	int			ndim = ARR_NDIM(array);
	msgpack_encoder *element = element_encoder(encoder, ARR_ELEMTYPE(array));
	int16		typlen;
	bool		typbyval;
	char		typalign;
	Datum	   *values;
	bool	   *nulls;
	int			count;

	check_stack_depth();
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &typlen, &typbyval, &typalign);
	deconstruct_array(array, ARR_ELEMTYPE(array), typlen, typbyval, typalign,
					  &values, &nulls, &count);
	msgpack_sink_enter(sink, Max(ndim, 1));
	if (count == 0)
		mpk_write_array_head(&sink->writer, 0);
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		write_array_heads(sink, ndim, ARR_DIMS(array), i);
		write_nullable(element, values[i], nulls[i], sink);
	}
	msgpack_sink_leave(sink, Max(ndim, 1));
	pfree(values);
	pfree(nulls);
	if ((Pointer) array != DatumGetPointer(value))
		pfree(array);
}

/* ----------
 * Rows
 * ----------
 */

/* The name of a column as the key of its pair. */
static void
make_column_key(row_column *column, const char *name)
{
	mpk_writer	writer;
	size_t		length;
	const uint8 *utf8 = msgpack_utf8_from_text(name, strlen(name), &length);

	mpk_writer_init(&writer, length + 5);
	mpk_write_str(&writer, utf8, length);
	column->key = mpk_writer_data(&writer);
	column->key_length = writer.length;
}

/* A subquery may give two columns one name: of those the last has the value. */
static int
drop_repeated_columns(row_column *columns, int count)
{
	const uint8 **keys = palloc(Max(count, 1) * sizeof(uint8 *));
	uint32	   *first = palloc(Max(count, 1) * sizeof(uint32));
	int			kept = 0;

	for (int i = 0; i < count; i++)
		keys[i] = columns[i].key;
	mpk_keys_first(keys, count, 0, first);
	for (int i = 0; i < count; i++)
	{
		columns[first[i]].attribute = columns[i].attribute;
		columns[first[i]].type = columns[i].type;
	}
	for (int i = 0; i < count; i++)
		if (first[i] == (uint32) i)
			columns[kept++] = columns[i];
	pfree(keys);
	pfree(first);
	return kept;
}

static void
fill_layout(row_layout *layout, TupleDesc tupdesc)
{
	int			count = 0;

	layout->tupdesc = CreateTupleDescCopy(tupdesc);
	layout->values = palloc(Max(tupdesc->natts, 1) * sizeof(Datum));
	layout->nulls = palloc(Max(tupdesc->natts, 1) * sizeof(bool));
	layout->columns = palloc0(Max(tupdesc->natts, 1) * sizeof(row_column));
	for (int i = 0; i < tupdesc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(tupdesc, i);

		if (attribute->attisdropped)
			continue;
		make_column_key(&layout->columns[count], NameStr(attribute->attname));
		layout->columns[count].attribute = i;
		layout->columns[count].type = attribute->atttypid;
		count++;
	}
	layout->count = drop_repeated_columns(layout->columns, count);
}

static row_layout *
make_layout(msgpack_encoder *encoder, Oid type, int32 typmod, uint64 identifier)
{
	MemoryContext context = AllocSetContextCreate(encoder->context, "msgpack row layout",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	row_layout *layout = palloc0(sizeof(row_layout));
	TupleDesc	tupdesc = lookup_rowtype_tupdesc(type, typmod);

	layout->context = context;
	layout->type = type;
	layout->typmod = typmod;
	layout->identifier = identifier;
	fill_layout(layout, tupdesc);
	ReleaseTupleDesc(tupdesc);
	MemoryContextSwitchTo(old);
	return layout;
}

/* The layout for rows of this type as it is now: it may have been altered since the last row. */
static row_layout *
current_layout(msgpack_encoder *encoder, Oid type, int32 typmod)
{
	row_layout *layout = encoder->row;
	uint64		identifier = assign_record_type_identifier(type, typmod);

	if (layout != NULL && layout->type == type && layout->typmod == typmod &&
		layout->identifier == identifier)
		return layout;
	encoder->row = NULL;
	if (layout != NULL)
		MemoryContextDelete(layout->context);
	return encoder->row = make_layout(encoder, type, typmod, identifier);
}

static void
write_column(msgpack_encoder *encoder, row_layout *layout, row_column *column, msgpack_sink *sink)
{
	mpk_write_raw(&sink->writer, column->key, column->key_length);
	if (layout->nulls[column->attribute])
	{
		mpk_write_nil(&sink->writer);
		return;
	}
	if (column->encoder == NULL)
		column->encoder = msgpack_encoder_create(column->type, encoder->msgpack, layout->context);
	msgpack_encode(column->encoder, layout->values[column->attribute], sink);
}

static void
write_row(msgpack_encoder *encoder, Datum value, msgpack_sink *sink)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(value);
	row_layout *layout = current_layout(encoder, HeapTupleHeaderGetTypeId(header),
										HeapTupleHeaderGetTypMod(header));
	HeapTupleData tuple;

	check_stack_depth();
	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = header;
	heap_deform_tuple(&tuple, layout->tupdesc, layout->values, layout->nulls);

	msgpack_sink_enter(sink, 1);
	mpk_write_map_head(&sink->writer, layout->count);
	for (int i = 0; i < layout->count; i++)
		write_column(encoder, layout, &layout->columns[i], sink);
	msgpack_sink_leave(sink, 1);
	if ((Pointer) header != DatumGetPointer(value))
		pfree(header);
}

/* ----------
 * Encoders
 * ----------
 */

Oid
msgpack_type_of_function(Oid function)
{
	Oid			type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
									   CStringGetDatum("msgpack"),
									   ObjectIdGetDatum(get_func_namespace(function)));

	if (!OidIsValid(type))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("type \"msgpack\" is not in the schema of function \"%s\"",
						get_func_name(function))));
	return type;
}

/* The types that are written in a way of their own.  False when it is none of them. */
static bool
builtin_kind(Oid base, encoder_kind *kind)
{
	static const struct
	{
		Oid			type;
		encoder_kind kind;
	}			kinds[] = {
		{BOOLOID, ENCODE_BOOL},
		{INT2OID, ENCODE_INT2},
		{INT4OID, ENCODE_INT4},
		{INT8OID, ENCODE_INT8},
		{FLOAT4OID, ENCODE_FLOAT4},
		{FLOAT8OID, ENCODE_FLOAT8},
		{NUMERICOID, ENCODE_NUMERIC},
		{TEXTOID, ENCODE_TEXT},
		{VARCHAROID, ENCODE_TEXT},
		{BPCHAROID, ENCODE_TEXT},
		{BYTEAOID, ENCODE_BYTEA},
		{DATEOID, ENCODE_DATETIME},
		{TIMESTAMPOID, ENCODE_DATETIME},
		{TIMESTAMPTZOID, ENCODE_TIMESTAMPTZ},
		{JSONOID, ENCODE_JSON},
	};

	for (size_t i = 0; i < lengthof(kinds); i++)
	{
		if (kinds[i].type == base)
		{
			*kind = kinds[i].kind;
			return true;
		}
	}
	return false;
}

/* Is there a cast?  One that needs no function gives function 0. */
static bool
find_cast(Oid target, Oid source, Oid *function)
{
	switch (find_coercion_pathway(target, source, COERCION_EXPLICIT, function))
	{
		case COERCION_PATH_FUNC:
			return true;
		case COERCION_PATH_RELABELTYPE:
			*function = InvalidOid;
			return true;
		default:
			return false;
	}
}

static bool
is_array(Oid type)
{
	return OidIsValid(get_element_type(type)) || type == ANYARRAYOID ||
		type == ANYCOMPATIBLEARRAYOID || type == RECORDARRAYOID;
}

/*
 * Any other type: by its cast to msgpack (jsonb is one of those), by what it is
 * made of, by its cast to json.
 */
static encoder_kind
other_kind(msgpack_encoder *encoder)
{
	Oid			function;

	if (find_cast(encoder->msgpack, encoder->base, &function))
	{
		if (!OidIsValid(function))
			return ENCODE_MSGPACK;
		fmgr_info_cxt(function, &encoder->cast, encoder->context);
		return ENCODE_CAST_TO_MSGPACK;
	}
	if (is_array(encoder->base))
		return ENCODE_ARRAY;
	if (type_is_rowtype(encoder->base))
		return ENCODE_ROW;
	if (encoder->base >= FirstNormalObjectId &&
		find_cast(JSONOID, encoder->base, &function) && OidIsValid(function))
	{
		fmgr_info_cxt(function, &encoder->cast, encoder->context);
		return ENCODE_CAST_TO_JSON;
	}
	return ENCODE_OUTPUT;
}

msgpack_encoder *
msgpack_encoder_create(Oid type, Oid msgpack, MemoryContext context)
{
	msgpack_encoder *encoder = MemoryContextAllocZero(context, sizeof(msgpack_encoder));

	encoder->type = type;
	encoder->base = getBaseType(type);
	encoder->msgpack = msgpack;
	encoder->context = context;
	if (encoder->base == msgpack)
		encoder->kind = ENCODE_MSGPACK;
	else if (!builtin_kind(encoder->base, &encoder->kind))
		encoder->kind = other_kind(encoder);
	return encoder;
}

Oid
msgpack_encoder_type(const msgpack_encoder *encoder)
{
	return encoder->type;
}

/* Values that hold others, or may. */
static void
encode_compound(msgpack_encoder *encoder, Datum value, msgpack_sink *sink)
{
	switch (encoder->kind)
	{
		case ENCODE_MSGPACK:
			write_msgpack(value, sink);
			break;
		case ENCODE_JSON:
			write_json(value, sink);
			break;
		case ENCODE_CAST_TO_MSGPACK:
			write_cast_to_msgpack(encoder, value, sink);
			break;
		case ENCODE_CAST_TO_JSON:
			write_cast_to_json(encoder, value, sink);
			break;
		case ENCODE_ARRAY:
			write_array(encoder, value, sink);
			break;
		default:
			Assert(encoder->kind == ENCODE_ROW);
			write_row(encoder, value, sink);
			break;
	}
}

void
msgpack_encode(msgpack_encoder *encoder, Datum value, msgpack_sink *sink)
{
	switch (encoder->kind)
	{
		case ENCODE_BOOL:
			mpk_write_boolean(&sink->writer, DatumGetBool(value));
			break;
		case ENCODE_INT2:
			mpk_write_int(&sink->writer, DatumGetInt16(value));
			break;
		case ENCODE_INT4:
			mpk_write_int(&sink->writer, DatumGetInt32(value));
			break;
		case ENCODE_INT8:
			mpk_write_int(&sink->writer, DatumGetInt64(value));
			break;
		case ENCODE_FLOAT4:
			mpk_write_float32(&sink->writer, DatumGetFloat4(value));
			break;
		case ENCODE_FLOAT8:
			mpk_write_float64(&sink->writer, DatumGetFloat8(value));
			break;
		case ENCODE_NUMERIC:
			write_numeric(value, sink);
			break;
		case ENCODE_TEXT:
			write_text(value, sink);
			break;
		case ENCODE_BYTEA:
			write_bytea(value, sink);
			break;
		case ENCODE_DATETIME:
			write_datetime(encoder->base, value, sink);
			break;
		case ENCODE_TIMESTAMPTZ:
			write_timestamptz(value, sink);
			break;
		case ENCODE_OUTPUT:
			write_output(encoder, value, sink);
			break;
		default:
			encode_compound(encoder, value, sink);
			break;
	}
}

void
msgpack_encode_key(msgpack_encoder *encoder, Datum value, msgpack_sink *sink)
{
	if (encoder->kind >= ENCODE_MSGPACK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("key value must be scalar, not array, composite, or json"),
				 errhint("msgpack_build_map() takes keys of any type.")));
	switch (encoder->kind)
	{
		case ENCODE_TEXT:
			write_text(value, sink);
			break;
		case ENCODE_BOOL:
			if (DatumGetBool(value))
				mpk_write_str(&sink->writer, "true", 4);
			else
				mpk_write_str(&sink->writer, "false", 5);
			break;
		case ENCODE_DATETIME:
		case ENCODE_TIMESTAMPTZ:
			write_datetime(encoder->base, value, sink);
			break;
		default:
			write_output(encoder, value, sink);
			break;
	}
}
