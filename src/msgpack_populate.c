/*
 * msgpack_populate.c
 *		Values as columns of any type: scalars, arrays, domains.
 *
 * Rows are msgpack_row.c.
 */
#include "msgpack_populate.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "codec/number.h"
#include "document/text.h"
#include "msgpack_cast.h"
#include "msgpack_json.h"
#include "msgpack_row.h"

/* ----- plans ----- */

void
msgpack_plan_init(msgpack_plan *plan, const msgpack_planner *planner, Oid type, int32 typmod)
{
	memset(plan, 0, sizeof(*plan));
	plan->planner = planner;
	plan->type = type;
	plan->typmod = typmod;
}

/* The types that MessagePack has values of, and what msgpack_cast makes of them. */
static bool
find_target(Oid type, msgpack_target *target)
{
	static const struct
	{
		Oid			type;
		msgpack_target target;
	}			targets[] = {
		{BOOLOID, MSGPACK_AS_BOOL},
		{INT2OID, MSGPACK_AS_INT2},
		{INT4OID, MSGPACK_AS_INT4},
		{INT8OID, MSGPACK_AS_INT8},
		{FLOAT4OID, MSGPACK_AS_FLOAT4},
		{FLOAT8OID, MSGPACK_AS_FLOAT8},
		{NUMERICOID, MSGPACK_AS_NUMERIC},
		{TIMESTAMPTZOID, MSGPACK_AS_TIMESTAMPTZ},
	};

	for (int i = 0; i < (int) lengthof(targets); i++)
	{
		if (targets[i].type == type)
		{
			*target = targets[i].target;
			return true;
		}
	}
	return false;
}

static msgpack_route
find_route(msgpack_plan *plan)
{
	msgpack_target target;

	if (find_target(plan->type, &target))
	{
		plan->target = target;
		return MSGPACK_ROUTE_CAST;
	}
	if (plan->type == plan->planner->msgpack_type)
		return MSGPACK_ROUTE_MSGPACK;
	switch (plan->type)
	{
		case TEXTOID:
			return MSGPACK_ROUTE_TEXT;
		case VARCHAROID:
			/* the input function knows how to cut it */
			return plan->typmod < 0 ? MSGPACK_ROUTE_TEXT : MSGPACK_ROUTE_INPUT;
		case BYTEAOID:
			return MSGPACK_ROUTE_BYTEA;
		case JSONOID:
		case JSONBOID:
			return MSGPACK_ROUTE_JSON;
		default:
			return MSGPACK_ROUTE_INPUT;
	}
}

static msgpack_plan *
make_inner(msgpack_plan *plan, Oid type, int32 typmod)
{
	msgpack_plan *inner = MemoryContextAlloc(plan->planner->context, sizeof(msgpack_plan));

	msgpack_plan_init(inner, plan->planner, type, typmod);
	return inner;
}

static void
complete_input(msgpack_plan *plan)
{
	Oid			function;

	getTypeInputInfo(plan->type, &function, &plan->input_parameter);
	fmgr_info_cxt(function, &plan->input, plan->planner->context);
}

void
msgpack_plan_complete(msgpack_plan *plan)
{
	Oid			element;

	if (plan->class != MSGPACK_PLAN_NONE)
		return;
	if (get_typtype(plan->type) == TYPTYPE_DOMAIN)
	{
		int32		typmod = plan->typmod;
		Oid			base = getBaseTypeAndTypmod(plan->type, &typmod);

		plan->inner = make_inner(plan, base, typmod);
		msgpack_plan_complete(plan->inner);
		plan->class = MSGPACK_PLAN_DOMAIN;
	}
	else if (type_is_rowtype(plan->type))
		plan->class = MSGPACK_PLAN_ROW;
	else if (OidIsValid(element = get_element_type(plan->type)))
	{
		/* an array column's typmod is its elements' */
		plan->inner = make_inner(plan, element, plan->typmod);
		get_typlenbyvalalign(element, &plan->typlen, &plan->typbyval, &plan->typalign);
		plan->class = MSGPACK_PLAN_ARRAY;
	}
	else
	{
		plan->route = find_route(plan);
		plan->class = MSGPACK_PLAN_SCALAR;
	}
}

/* ----- scalars ----- */

static Datum
from_text(msgpack_plan *plan, const char *s)
{
	if (!OidIsValid(plan->input.fn_oid))
		complete_input(plan);
	return InputFunctionCall(&plan->input, unconstify(char *, s), plan->input_parameter,
							 plan->typmod);
}

/* By way of what ->> gives. */
static Datum
from_value_text(msgpack_plan *plan, const mpk_document *document, const mpk_value *value)
{
	text	   *t = msgpack_value_text(value, document->flags);
	char	   *s = text_to_cstring(t);
	Datum		result = from_text(plan, s);

	pfree(s);
	pfree(t);
	return result;
}

/* numeric(p, s) and timestamptz(p) */
static Datum
apply_typmod(const msgpack_plan *plan, Datum datum)
{
	if (plan->typmod < 0)
		return datum;
	if (plan->type == NUMERICOID)
		return DirectFunctionCall2(numeric, datum, Int32GetDatum(plan->typmod));
	if (plan->type == TIMESTAMPTZOID)
		return DirectFunctionCall2(timestamptz_scale, datum, Int32GetDatum(plan->typmod));
	return datum;
}

/*
 * A fraction does not become an integer unnoticed: such numbers are left to
 * the input function, which refuses them.
 */
static bool
loses_fraction(const mpk_value *value, msgpack_target target)
{
	mpk_value	copy;

	if (value->kind < MPK_FLOAT32 || value->kind > MPK_FLOAT64 || target < MSGPACK_AS_INT2 ||
		target > MSGPACK_AS_INT8)
		return false;
	copy = *value;
	mpk_number_normalize(&copy);
	return copy.kind == MPK_FLOAT64;
}

/* The least that an ISO 8601 moment has: 2026-11-30T17:13:31Z. */
#define MOMENT_LENGTH		20

/* From such a zone on timestamptz_in refuses it. */
#define ZONE_HOURS_END		16

/*
 * A string that is an ISO 8601 moment, which is how most encoders write one:
 * what timestamptz_in gives of it, whatever the settings, in a tenth of the
 * time.  It has the last word on digits that must be rounded and on far zones.
 */
static bool
moment_to_timestamptz(const mpk_value *value, Datum *result)
{
	const uint8 *end = value->body + value->length;
	mpk_value	moment;

	if (value->length < MOMENT_LENGTH || value->body[10] != 'T' ||
		!mpk_scan_moment(value->body, value->length, &moment.as.timestamp) ||
		moment.as.timestamp.nanoseconds % 1000 != 0)
		return false;
	if (end[-1] != 'Z' && (end[-5] - '0') * 10 + (end[-4] - '0') >= ZONE_HOURS_END)
		return false;
	moment.kind = MPK_TIMESTAMP;
	return msgpack_try_cast(&moment, MSGPACK_AS_TIMESTAMPTZ, result) == MSGPACK_CAST_OK;
}

/* A value as a boolean, number or timestamptz; false: that is for the input function to decide. */
static bool
cast_datum(const msgpack_plan *plan, const mpk_value *value, Datum *result)
{
	if (value->kind == MPK_STR)
		return plan->target == MSGPACK_AS_TIMESTAMPTZ && moment_to_timestamptz(value, result);
	return !loses_fraction(value, plan->target) &&
		msgpack_try_cast(value, plan->target, result) == MSGPACK_CAST_OK;
}

/* json and jsonb take every value as the casts have it, strings with their quotes. */
static Datum
json_datum(const msgpack_plan *plan, const mpk_document *document, const mpk_value *value)
{
	mpk_document part = {0};

	part.payload = value->start;
	part.length = mpk_value_end(value) - value->start;
	part.flags = document->flags & MPK_IRREGULAR;
	if (plan->type == JSONBOID)
		return JsonbPGetDatum(msgpack_jsonb_of(&part));
	return PointerGetDatum(msgpack_json_of(&part));
}

static Datum
scalar_datum(msgpack_plan *plan, const mpk_document *document, const mpk_value *value)
{
	Datum		result;

	switch (plan->route)
	{
		case MSGPACK_ROUTE_CAST:
			if (cast_datum(plan, value, &result))
				return apply_typmod(plan, result);
			break;
		case MSGPACK_ROUTE_TEXT:
			if (value->kind == MPK_STR)
				return PointerGetDatum(msgpack_text_from_str(value, document->flags));
			return PointerGetDatum(msgpack_value_text(value, document->flags));
		case MSGPACK_ROUTE_BYTEA:
			if (value->kind == MPK_BIN)
				return PointerGetDatum(cstring_to_text_with_len((const char *) value->body,
																(int) value->length));
			break;
		case MSGPACK_ROUTE_JSON:
			return json_datum(plan, document, value);
		case MSGPACK_ROUTE_MSGPACK:
			return msgpack_fragment(document, value->start, mpk_value_end(value));
		case MSGPACK_ROUTE_INPUT:
			break;
	}
	return from_value_text(plan, document, value);
}

/* ----- arrays ----- */

typedef struct array_builder
{
	msgpack_plan *element;
	const mpk_document *document;
	const char *name;			/* of the column, or NULL */
	int			ndims;
	int			dims[MAXDIM];
	int			at[MAXDIM];		/* where we are, for errors */
	int			count;			/* elements made */
	Datum	   *values;
	bool	   *nulls;
} array_builder;

/* For ereport: which value it was, "level" indexes into the column's. */
static int
hint_where(const array_builder *builder, int level)
{
	StringInfoData where;

	initStringInfo(&where);
	for (int i = 0; i < level; i++)
		appendStringInfo(&where, "[%d]", builder->at[i]);

	if (level > 0 && builder->name != NULL)
		errhint("See the array element %s of key \"%s\".", where.data, builder->name);
	else if (level > 0)
		errhint("See the array element %s.", where.data);
	else if (builder->name != NULL)
		errhint("See the value of key \"%s\".", builder->name);
	return 0;
}

static void
raise_expected_array(const array_builder *builder, int level)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("expected a MessagePack array"),
			 hint_where(builder, level)));
}

/*
 * Are the arrays inside an array of rows positional rows, rather than a
 * further dimension?  They are when the innermost first element is no map.
 */
static bool
holds_positional_rows(msgpack_plan *element, const uint8 *p)
{
	mpk_value	value;
	msgpack_plan *type = element;

	msgpack_plan_complete(type);
	while (type->class == MSGPACK_PLAN_DOMAIN)
		type = type->inner;
	if (type->class != MSGPACK_PLAN_ROW)
		return false;
	do
		p = mpk_read(p, &value);
	while (value.kind == MPK_ARRAY && value.length > 0);
	return value.kind != MPK_MAP && value.kind != MPK_ARRAY;
}

/*
 * The dimensions are those of the first elements: arrays of arrays down to the
 * first that is empty or begins with something else.
 */
static void
find_dimensions(array_builder *builder, const uint8 *p)
{
	int			limit = holds_positional_rows(builder->element, p) ? 1 : MAXDIM + 1;
	double		total = 1;
	mpk_value	value;

	for (p = mpk_read(p, &value); value.kind == MPK_ARRAY && builder->ndims < limit;
		 p = mpk_read(p, &value))
	{
		if (builder->ndims == MAXDIM)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("number of array dimensions exceeds the maximum allowed (%d)",
							MAXDIM)));
		builder->dims[builder->ndims++] = (int) value.length;
		total *= value.length;
		if (value.length == 0)
			break;
	}
	if (builder->ndims == 0)
		raise_expected_array(builder, 0);
	if (total > MaxArraySize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("array size exceeds the maximum allowed (%d)", (int) MaxArraySize)));
	builder->values = palloc(sizeof(Datum) * Max((Size) total, 1));
	builder->nulls = palloc(sizeof(bool) * Max((Size) total, 1));
}

/* The elements of the sub-array at p, which lies at this level; at most MAXDIM levels deep. */
static const uint8 *
collect_elements(array_builder *builder, const uint8 *p, int level)
{
	mpk_value	value;

	p = mpk_read(p, &value);
	if (value.kind != MPK_ARRAY)
		raise_expected_array(builder, level);
	if ((int) value.length != builder->dims[level])
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("malformed MessagePack array"),
				 errdetail("Multidimensional arrays must have "
						   "sub-arrays with matching dimensions.")));

	for (int i = 0; i < builder->dims[level]; i++)
	{
		builder->at[level] = i;
		if (level + 1 < builder->ndims)
			p = collect_elements(builder, p, level + 1);
		else
		{
			int			n = builder->count++;

			builder->values[n] = msgpack_populate(builder->element, builder->document, p,
												  (Datum) 0, NULL, &builder->nulls[n]);
			p = mpk_skip(p);
			CHECK_FOR_INTERRUPTS();
		}
	}
	return p;
}

static Datum
array_datum(msgpack_plan *plan, const mpk_document *document, const uint8 *p, const char *name)
{
	array_builder builder = {.element = plan->inner, .document = document, .name = name};
	int			lower_bounds[MAXDIM];
	ArrayType  *result;

	find_dimensions(&builder, p);
	(void) collect_elements(&builder, p, 0);
	for (int i = 0; i < builder.ndims; i++)
		lower_bounds[i] = 1;
	result = construct_md_array(builder.values, builder.nulls, builder.ndims, builder.dims,
								lower_bounds, plan->inner->type, plan->typlen, plan->typbyval,
								plan->typalign);
	pfree(builder.values);
	pfree(builder.nulls);
	return PointerGetDatum(result);
}

/* ----- everything ----- */

static Datum
domain_datum(msgpack_plan *plan, const mpk_document *document, const uint8 *p, Datum base,
			 const char *name, bool *null)
{
	Datum		result = msgpack_populate(plan->inner, document, p, base, name, null);

	domain_check(result, *null, plan->type, &plan->domain_cache, plan->planner->context);
	return result;
}

Datum
msgpack_populate(msgpack_plan *plan, const mpk_document *document, const uint8 *p, Datum base,
				 const char *name, bool *null)
{
	mpk_value	value;

	if (unlikely(plan->class != MSGPACK_PLAN_SCALAR))
	{
		check_stack_depth();
		msgpack_plan_complete(plan);
		if (plan->class == MSGPACK_PLAN_DOMAIN)
			return domain_datum(plan, document, p, base, name, null);
	}
	*null = true;
	if (p == NULL)
		return (Datum) 0;
	(void) mpk_read(p, &value);
	if (value.kind == MPK_NIL)
		return (Datum) 0;

	*null = false;
	if (plan->class == MSGPACK_PLAN_SCALAR)
		return scalar_datum(plan, document, &value);
	/* '{1,2}' and '(1,2)' */
	if (value.kind == MPK_STR)
		return from_value_text(plan, document, &value);
	if (plan->class == MSGPACK_PLAN_ARRAY)
		return array_datum(plan, document, p, name);
	return msgpack_row_datum(plan, document, p,
							 base != (Datum) 0 ? DatumGetHeapTupleHeader(base) : NULL);
}
