/*
 * msgpack_subs.c
 *		Subscripting: doc['a'][0], read and assigned.
 *
 * A subscript is text or an integer and stays what it is: an integer is an
 * array's element, and in a map the key equal to it.  Otherwise as jsonb.
 */
#include "msgpack_access.h"
#include "msgpack_edit.h"

#include "catalog/pg_type.h"
#include "executor/execExpr.h"
#include "nodes/nodeFuncs.h"
#include "nodes/subscripting.h"
#include "parser/parse_coerce.h"
#include "parser/parse_expr.h"
#include "utils/builtins.h"

/* ----------
 * Parse analysis
 * ----------
 */

/* int8 or text, whichever this type is coerced to. */
static Oid
subscript_type(ParseState *pstate, Node *subscript, Oid type)
{
	static const Oid targets[] = {INT8OID, TEXTOID};
	Oid			found = InvalidOid;

	if (type == UNKNOWNOID)
		return TEXTOID;
	for (size_t i = 0; i < lengthof(targets); i++)
	{
		if (!can_coerce_type(1, &type, &targets[i], COERCION_IMPLICIT))
			continue;
		if (OidIsValid(found))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("subscript type %s is not supported", format_type_be(type)),
					 errhint("msgpack subscript must be coercible to only one type, "
							 "integer or text."),
					 parser_errposition(pstate, exprLocation(subscript))));
		found = targets[i];
	}
	if (!OidIsValid(found))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("subscript type %s is not supported", format_type_be(type)),
				 errhint("msgpack subscript must be coercible to either integer or text."),
				 parser_errposition(pstate, exprLocation(subscript))));
	return found;
}

static Node *
transform_subscript(ParseState *pstate, A_Indices *indices, bool is_slice)
{
	Node	   *subscript;
	Oid			type;

	if (is_slice || indices->uidx == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("msgpack subscript does not support slices"),
				 parser_errposition(pstate, exprLocation(indices->uidx ?
														 indices->uidx : indices->lidx))));
	subscript = transformExpr(pstate, indices->uidx, pstate->p_expr_kind);
	type = exprType(subscript);
	return coerce_type(pstate, subscript, type, subscript_type(pstate, subscript, type), -1,
					   COERCION_IMPLICIT, COERCE_IMPLICIT_CAST, -1);
}

static void
transform(SubscriptingRef *sbsref, List *indirection, ParseState *pstate, bool is_slice,
		  bool is_assignment pg_attribute_unused())
{
	List	   *subscripts = NIL;
	ListCell   *cell;

	foreach(cell, indirection)
		subscripts = lappend(subscripts,
							 transform_subscript(pstate, lfirst_node(A_Indices, cell), is_slice));
	sbsref->refupperindexpr = subscripts;
	sbsref->reflowerindexpr = NIL;
	sbsref->refrestype = sbsref->refcontainertype;
	sbsref->reftypmod = -1;
}

/* ----------
 * Execution
 * ----------
 */

/* One subscript; a number is kept as the key that it may be. */
typedef struct subscript
{
	bool		is_number;
	uint8		number[9];
} subscript;

/* What an expression keeps. */
typedef struct workspace
{
	FmgrInfo	flinfo;			/* for the values that its reads keep from TOAST */
	mpk_step   *steps;			/* the subscripts of this evaluation */
	subscript	subscripts[FLEXIBLE_ARRAY_MEMBER];
} workspace;

/* A number finds no element in a scalar, as it does after ->: so as a key. */
static void
number_step(mpk_step *step, subscript *s, int64 number)
{
	mpk_document key = {.payload = s->number};

	key.length = mpk_put_int(s->number, number);
	mpk_step_key(step, &key);
}

static bool
check_subscripts(ExprState *state pg_attribute_unused(), ExprEvalStep *op,
				 ExprContext *econtext pg_attribute_unused())
{
	SubscriptingRefState *ref = op->d.sbsref_subscript.state;
	workspace  *w = ref->workspace;

	for (int i = 0; i < ref->numupper; i++)
	{
		if (ref->upperindexnull[i])
		{
			if (ref->isassignment)
				ereport(ERROR,
						(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						 errmsg("msgpack subscript in assignment must not be null")));
			*op->resnull = true;
			return false;
		}
		if (w->subscripts[i].is_number)
			number_step(&w->steps[i], &w->subscripts[i], DatumGetInt64(ref->upperindex[i]));
		else
			msgpack_step_text(&w->steps[i], MPK_STEP_PATH, DatumGetTextPP(ref->upperindex[i]));
	}
	return true;
}

/* The value that the subscripts lead to. */
static Datum
read_value(SubscriptingRefState *ref, Datum container, bool *isnull)
{
	workspace  *w = ref->workspace;
	msgpack_path path = {w->steps, ref->numupper};
	LOCAL_FCINFO(fcinfo, 1);
	Datum		result;

	InitFunctionCallInfoData(*fcinfo, &w->flinfo, 1, InvalidOid, NULL, NULL);
	fcinfo->args[0].value = container;
	fcinfo->args[0].isnull = false;
	result = msgpack_extract(fcinfo, path);
	*isnull = fcinfo->isnull;
	return result;
}

static void
fetch(ExprState *state pg_attribute_unused(), ExprEvalStep *op,
	  ExprContext *econtext pg_attribute_unused())
{
	*op->resvalue = read_value(op->d.sbsref.state, *op->resvalue, op->resnull);
}

/* The old value, for an assignment to a part of it. */
static void
fetch_old(ExprState *state pg_attribute_unused(), ExprEvalStep *op,
		  ExprContext *econtext pg_attribute_unused())
{
	SubscriptingRefState *ref = op->d.sbsref.state;

	ref->prevvalue = (Datum) 0;
	ref->prevnull = true;
	if (!*op->resnull)
		ref->prevvalue = read_value(ref, *op->resvalue, &ref->prevnull);
}

/* What an assignment into NULL begins with: an array for a number, a map for a text. */
static mpk_document
empty_container(bool is_array)
{
	static const uint8 empty[] = {MPK_FIXMAP, MPK_FIXARRAY};
	mpk_document document = {.payload = &empty[is_array],.length = 1};

	return document;
}

static void
assign(ExprState *state pg_attribute_unused(), ExprEvalStep *op,
	   ExprContext *econtext pg_attribute_unused())
{
	static const uint8 nil[] = {MPK_BYTE_NIL};
	SubscriptingRefState *ref = op->d.sbsref.state;
	workspace  *w = ref->workspace;
	mpk_document value = {.payload = nil,.length = 1};
	mpk_document document;
	mpk_edit	edit = {
		.kind = MPK_EDIT_ASSIGN,.steps = w->steps,.count = ref->numupper,.null_level = -1,
		.value = &value
	};

	if (!ref->replacenull)
		value = msgpack_document(ref->replacevalue);
	document = *op->resnull ? empty_container(w->subscripts[0].is_number)
		: msgpack_document(*op->resvalue);
	*op->resvalue = msgpack_edit_datum(*op->resvalue, &document, &edit);
	*op->resnull = false;
}

static void
exec_setup(const SubscriptingRef *sbsref, SubscriptingRefState *ref, SubscriptExecSteps *methods)
{
	int			count = list_length(sbsref->refupperindexpr);
	workspace  *w = palloc0(offsetof(workspace, subscripts) + count * sizeof(subscript));

	w->flinfo.fn_mcxt = CurrentMemoryContext;
	w->steps = palloc0(count * sizeof(mpk_step));
	for (int i = 0; i < count; i++)
		w->subscripts[i].is_number =
			exprType((Node *) list_nth(sbsref->refupperindexpr, i)) == INT8OID;
	ref->workspace = w;
	methods->sbs_check_subscripts = check_subscripts;
	methods->sbs_fetch = fetch;
	methods->sbs_assign = assign;
	methods->sbs_fetch_old = fetch_old;
}

PG_FUNCTION_INFO_V1(msgpack_subscript_handler);

Datum
msgpack_subscript_handler(PG_FUNCTION_ARGS pg_attribute_unused())
{
	static const SubscriptRoutines routines = {
		.transform = transform,
		.exec_setup = exec_setup,
		.fetch_strict = true,
		.fetch_leakproof = true,
		.store_leakproof = false
	};

	PG_RETURN_POINTER(&routines);
}
