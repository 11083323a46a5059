/*
 * push.c
 *		MessagePack bytes to jsonb as one would write it first: pushJsonbValue for every value.
 *
 * What bench/run measures the cast to jsonb against.  Takes documents of JSON's
 * own kinds, as bytea; a module of its own, in which src/codec is linked.
 */
#include "compat.h"

#include "codec/format.h"
#include "common/shortest_dec.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

PG_MODULE_MAGIC;

/* A float by its shortest digits, as the cast has it. */
static Numeric
numeric_from_float(double v)
{
	char		text[DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(v, text);
	return DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(text),
											   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

static void
set_scalar(const mpk_value *value, JsonbValue *v)
{
	switch (value->kind)
	{
		case MPK_NIL:
			v->type = jbvNull;
			break;
		case MPK_BOOLEAN:
			v->type = jbvBool;
			v->val.boolean = value->as.boolean;
			break;
		case MPK_UINT:
		case MPK_INT:
			v->type = jbvNumeric;
			v->val.numeric = int64_to_numeric(value->as.i64);
			break;
		case MPK_FLOAT64:
			v->type = jbvNumeric;
			v->val.numeric = numeric_from_float(value->as.f64);
			break;
		case MPK_STR:
			v->type = jbvString;
			v->val.string.val = unconstify(char *, (const char *) value->body);
			v->val.string.len = value->length;
			break;
		default:
			elog(ERROR, "a document of the benchmarks holds kind %d", value->kind);
	}
}

static const uint8 *
push(JsonbParseState **state, const uint8 *p, JsonbIteratorToken token, JsonbValue **result)
{
	mpk_value	value;
	JsonbValue	v;

	p = mpk_read(p, &value);
	if (!mpk_is_container(value.kind))
	{
		set_scalar(&value, &v);
		*result = pushJsonbValue(state, token, &v);
		return p;
	}
	check_stack_depth();
	pushJsonbValue(state, value.kind == MPK_MAP ? WJB_BEGIN_OBJECT : WJB_BEGIN_ARRAY, NULL);
	for (uint32 i = 0; i < value.length; i++)
	{
		if (value.kind == MPK_MAP)
			p = push(state, p, WJB_KEY, result);
		p = push(state, p, value.kind == MPK_MAP ? WJB_VALUE : WJB_ELEM, result);
	}
	*result = pushJsonbValue(state, value.kind == MPK_MAP ? WJB_END_OBJECT : WJB_END_ARRAY, NULL);
	return p;
}

PG_FUNCTION_INFO_V1(bench_push_jsonb);

Datum
bench_push_jsonb(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	JsonbParseState *state = NULL;
	JsonbValue *result = NULL;

	push(&state, (const uint8 *) VARDATA_ANY(bytes), WJB_ELEM, &result);
	PG_RETURN_JSONB_P(JsonbValueToJsonb(result));
}
