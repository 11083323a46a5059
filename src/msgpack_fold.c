/*
 * msgpack_fold.c
 *		Folding: (doc->'a'->'b')::int8 becomes one call at plan time.
 *
 * A planner support function of the access operators and of the casts.  When
 * the argument of one is a call of another, with constant keys, both become
 * one call of a function that takes all steps at once, with the same result,
 * NULLs and errors, but without a document made for each step in between.
 *
 * The functions that calls are folded to, and those recognized inside, are
 * found by name and argument types in the schema of the function that is being
 * folded, never by search_path.
 */
#include "msgpack_fold.h"

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "common/string.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "codec/number.h"

/* How a function's second argument becomes steps. */
typedef enum step_source
{
	NO_STEPS,					/* a cast: it has none */
	FIELD_STEP,					/* text */
	NUMBER_STEP,				/* int8 */
	PATH_STEPS,					/* text[] */
	FOLDED_STEPS				/* the array of steps of a folded call */
} step_source;

typedef struct fold_rule
{
	const char *name;
	step_source source;
	bool		gives_document; /* it can stand inside another call */
	const char *folded;			/* what a call of it around another becomes */
} fold_rule;

static const fold_rule fold_rules[] = {
	{"msgpack_object_field", FIELD_STEP, true, "msgpack_follow"},
	{"msgpack_array_element", NUMBER_STEP, true, "msgpack_follow"},
	{"msgpack_extract_path", PATH_STEPS, true, "msgpack_follow"},
	{"msgpack_follow", FOLDED_STEPS, true, NULL},
	{"msgpack_object_field_text", FIELD_STEP, false, "msgpack_follow_text"},
	{"msgpack_array_element_text", NUMBER_STEP, false, "msgpack_follow_text"},
	{"msgpack_extract_path_text", PATH_STEPS, false, "msgpack_follow_text"},
	{"bool", NO_STEPS, false, "msgpack_follow_bool"},
	{"int2", NO_STEPS, false, "msgpack_follow_int2"},
	{"int4", NO_STEPS, false, "msgpack_follow_int4"},
	{"int8", NO_STEPS, false, "msgpack_follow_int8"},
	{"float4", NO_STEPS, false, "msgpack_follow_float4"},
	{"float8", NO_STEPS, false, "msgpack_follow_float8"},
	{"numeric", NO_STEPS, false, "msgpack_follow_numeric"},
	{"timestamptz", NO_STEPS, false, "msgpack_follow_timestamptz"},
};

/* A call that a rule is for. */
typedef struct fold_call
{
	const fold_rule *rule;
	Oid			schema;
	List	   *arguments;
} fold_call;

/* --- steps --- */

msgpack_path
msgpack_fold_path(Datum steps)
{
	mpk_document document = msgpack_document(steps);
	msgpack_path path;
	mpk_value	value;
	const uint8 *p = mpk_read(document.payload, &value);

	if (value.kind != MPK_ARRAY)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("steps must be a msgpack array")));
	path.count = (int) value.length;
	path.steps = palloc(sizeof(mpk_step) * Max(path.count, 1));
	for (int i = 0; i < path.count; i++)
	{
		int64		number;

		mpk_read(p, &value);
		if (value.kind == MPK_STR || value.kind == MPK_BIN)
			mpk_step_text(&path.steps[i],
						  value.kind == MPK_STR ? MPK_STEP_FIELD : MPK_STEP_PATH,
						  value.body, value.length);
		else if (mpk_is_number(value.kind) && mpk_number_as_int64(&value, &number))
			mpk_step_number(&path.steps[i], number);
		else
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("msgpack %s is no step", msgpack_kind_name(value.kind))));
		p = mpk_value_end(&value);
	}
	return path;
}

static void
write_text_step(mpk_writer *writer, Datum datum, bool in_path)
{
	text	   *t = DatumGetTextPP(datum);
	size_t		length;
	const uint8 *s = msgpack_utf8_from_text(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t), &length);

	if (in_path)
		mpk_write_bin(writer, s, length);
	else
		mpk_write_str(writer, s, length);
}

/* Append the elements of a path, which has no NULL; returns how many. */
static int
write_path_steps(mpk_writer *writer, ArrayType *path)
{
	Datum	   *elements;
	int			count;

	deconstruct_array(path, TEXTOID, -1, false, TYPALIGN_INT, &elements, NULL, &count);
	for (int i = 0; i < count; i++)
		write_text_step(writer, elements[i], true);
	return count;
}

/* Append the steps of one call, whose second argument is a constant; returns how many. */
static int
write_steps(mpk_writer *writer, const fold_call *call)
{
	Datum		datum;
	mpk_document document;
	mpk_value	array;
	const uint8 *first;

	if (call->rule->source == NO_STEPS)
		return 0;
	datum = ((Const *) lsecond(call->arguments))->constvalue;
	switch (call->rule->source)
	{
		case FIELD_STEP:
			write_text_step(writer, datum, false);
			return 1;
		case NUMBER_STEP:
			mpk_write_int(writer, DatumGetInt64(datum));
			return 1;
		case PATH_STEPS:
			return write_path_steps(writer, DatumGetArrayTypeP(datum));
		default:
			document = msgpack_document(datum);
			first = mpk_read(document.payload, &array);
			mpk_write_raw(writer, first, document.payload + document.length - first);
			return (int) array.length;
	}
}

/* --- recognizing calls --- */

/*
 * Can steps of text become UTF-8 for sure?  If not, the error is for whoever
 * executes the call, not for whoever plans it.
 */
static bool
can_be_utf8(Datum datum, bool in_path)
{
	Datum	   *elements = &datum;
	int			count = 1;

	if (GetDatabaseEncoding() == PG_UTF8)
		return true;
	if (in_path)
		deconstruct_array(DatumGetArrayTypeP(datum), TEXTOID, -1, false, TYPALIGN_INT, &elements,
						  NULL, &count);
	for (int i = 0; i < count; i++)
		if (!pg_is_ascii(TextDatumGetCString(elements[i])))
			return false;
	return true;
}

/* Is the call's second argument a constant that is a list of steps? */
static bool
has_constant_steps(const fold_call *call)
{
	Const	   *constant;

	if (call->rule->source == NO_STEPS)
		return list_length(call->arguments) == 1;
	if (list_length(call->arguments) != 2 || !IsA(lsecond(call->arguments), Const))
		return false;
	constant = lsecond_node(Const, call->arguments);
	if (constant->constisnull)
		return false;
	if (call->rule->source == FIELD_STEP)
		return can_be_utf8(constant->constvalue, false);
	if (call->rule->source == PATH_STEPS)
		return !array_contains_nulls(DatumGetArrayTypeP(constant->constvalue)) &&
			can_be_utf8(constant->constvalue, true);
	if (call->rule->source == FOLDED_STEPS)
	{
		mpk_document document = msgpack_document(constant->constvalue);
		mpk_value	value;

		mpk_read(document.payload, &value);
		return value.kind == MPK_ARRAY;
	}
	return true;
}

/* Does a function that a rule names take such arguments, and is it ours? */
static bool
recognize(Oid function, List *arguments, fold_call *call)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Form_pg_proc proc;

	call->rule = NULL;
	if (!HeapTupleIsValid(tuple))
		return false;
	proc = (Form_pg_proc) GETSTRUCT(tuple);
	for (size_t i = 0; i < lengthof(fold_rules); i++)
	{
		if (strcmp(NameStr(proc->proname), fold_rules[i].name) == 0)
			call->rule = &fold_rules[i];
	}
	call->schema = proc->pronamespace;
	call->arguments = arguments;
	ReleaseSysCache(tuple);
	return call->rule != NULL && has_constant_steps(call);
}

/* The call inside: an operator or a function that gives a document. */
static bool
recognize_inner(Node *node, const fold_call *outer, fold_call *inner)
{
	if (IsA(node, OpExpr))
	{
		OpExpr	   *op = (OpExpr *) node;

		set_opfuncid(op);
		if (!recognize(op->opfuncid, op->args, inner))
			return false;
	}
	else if (!IsA(node, FuncExpr) ||
			 !recognize(((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args, inner))
		return false;
	return inner->rule->gives_document && inner->schema == outer->schema &&
		exprType(linitial(inner->arguments)) == exprType(linitial(outer->arguments));
}

/* --- folding --- */

/* The function name(type, type) in a schema. */
static Oid
find_function(const char *name, Oid type, Oid schema)
{
	Oid			types[2] = {type, type};
	oidvector  *vector = buildoidvector(types, 2);

	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
						   PointerGetDatum(vector), ObjectIdGetDatum(schema));
}

#if PG_VERSION_NUM < 180000
/* Is it a column of a table, a subquery or the like?  One of a join may stand for an expression. */
static bool
is_plain_column(Node *node, Query *query)
{
	Var		   *var = (Var *) node;

	return IsA(node, Var) && var->varlevelsup == 0 &&
		rt_fetch(var->varno, query->rtable)->rtekind != RTE_JOIN;
}
#endif

/*
 * Before PostgreSQL 18 the planner looks for grouped expressions in what it has
 * already simplified, and a grouped expression that vanished into a larger one
 * would show values that grouping sets have made NULL.  A column cannot vanish.
 */
static bool
hides_grouped_expressions(PlannerInfo *root)
{
#if PG_VERSION_NUM < 180000
	ListCell   *cell;

	if (root == NULL || root->parse->groupingSets == NIL)
		return false;
	foreach(cell, root->parse->groupClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, cell);

		if (!is_plain_column(get_sortgroupclause_expr(clause, root->parse->targetList),
							 root->parse))
			return true;
	}
#else
	(void) root;
#endif
	return false;
}

static Node *
fold(SupportRequestSimplify *request)
{
	FuncExpr   *expr = request->fcall;
	fold_call	outer;
	fold_call	inner;
	mpk_writer	writer;
	size_t		place;
	int			count;
	Oid			type;
	Oid			function;
	Const	   *steps;

	if (hides_grouped_expressions(request->root) || expr->args == NIL ||
		!recognize(expr->funcid, expr->args, &outer) || outer.rule->folded == NULL ||
		!recognize_inner(linitial(expr->args), &outer, &inner))
		return NULL;
	type = exprType(linitial(outer.arguments));
	function = find_function(outer.rule->folded, type, outer.schema);
	if (!OidIsValid(function) || get_func_rettype(function) != expr->funcresulttype)
		return NULL;

	mpk_writer_init(&writer, 64);
	place = mpk_write_open(&writer);
	count = write_steps(&writer, &inner);
	count += write_steps(&writer, &outer);
	mpk_write_close_array(&writer, place, count);
	steps = makeConst(type, -1, InvalidOid, -1, msgpack_from_writer(&writer, 0), false, false);
	return (Node *) makeFuncExpr(function, expr->funcresulttype,
								 list_make2(linitial(inner.arguments), steps),
								 expr->funccollid, expr->inputcollid, COERCE_EXPLICIT_CALL);
}

PG_FUNCTION_INFO_V1(msgpack_fold);

Datum
msgpack_fold(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	Node	   *result = NULL;

	if (IsA(request, SupportRequestSimplify))
		result = fold((SupportRequestSimplify *) request);
	PG_RETURN_POINTER(result);
}
