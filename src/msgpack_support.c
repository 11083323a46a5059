/*
 * msgpack_support.c
 *		Planner support: calls of functions that an index answers.
 *
 * A call says the same as an operator does, msgpack_contains(doc, d) as
 * doc @> d, and so can use the operator's index.  The operator is that of the
 * index's own family, wherever it lies and whatever it is called.
 */
#include "msgpack.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "msgpack_path.h"
#include "msgpack_strategy.h"

/* Is it a constant path without variables?  The operators have no value for those. */
static bool
is_plain_path(Node *argument)
{
	const Const *constant = (Const *) argument;

	return IsA(argument, Const) && !constant->constisnull &&
		!msgpack_path_compile(DatumGetJsonPathP(constant->constvalue))->has_variables;
}

/*
 * The condition that the index is to find the first argument by.  Of a path
 * function with "vars" and "silent" it is the operator's, which is true of all
 * documents that the function is true of.
 */
static List *
index_condition(SupportRequestIndexCondition *request, StrategyNumber strategy)
{
	List	   *arguments = ((FuncExpr *) request->node)->args;
	Node	   *document = linitial(arguments);
	Node	   *other = lsecond(arguments);
	Oid			operator;

	if (request->indexarg != 0 || !is_pseudo_constant_for_index(request->root, other, request->index))
		return NIL;
	if (list_length(arguments) > 2 && !is_plain_path(other))
		return NIL;
	operator = get_opfamily_member(request->opfamily, exprType(document), exprType(other), strategy);
	if (!OidIsValid(operator))
		return NIL;
	request->lossy = list_length(arguments) > 2;
	return list_make1(make_opclause(operator, BOOLOID, false, (Expr *) document, (Expr *) other,
									InvalidOid, InvalidOid));
}

/* Answer what the planner asks about a call that means an operator of this strategy. */
static Node *
support_operator(Node *node, StrategyNumber strategy)
{
	if (IsA(node, SupportRequestIndexCondition) &&
		is_funcclause(((SupportRequestIndexCondition *) node)->node))
		return (Node *) index_condition((SupportRequestIndexCondition *) node, strategy);
	if (IsA(node, SupportRequestSelectivity))
	{
		/* what matchingsel assumes where it has no statistics to look at */
		((SupportRequestSelectivity *) node)->selectivity = DEFAULT_MATCHING_SEL;
		return node;
	}
	return NULL;
}

PG_FUNCTION_INFO_V1(msgpack_contains_support);

Datum
msgpack_contains_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(support_operator((Node *) PG_GETARG_POINTER(0), MSGPACK_CONTAINS_STRATEGY));
}

PG_FUNCTION_INFO_V1(msgpack_exists_support);

Datum
msgpack_exists_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(support_operator((Node *) PG_GETARG_POINTER(0), MSGPACK_EXISTS_STRATEGY));
}

PG_FUNCTION_INFO_V1(msgpack_exists_any_support);

Datum
msgpack_exists_any_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(support_operator((Node *) PG_GETARG_POINTER(0),
									   MSGPACK_EXISTS_ANY_STRATEGY));
}

PG_FUNCTION_INFO_V1(msgpack_exists_all_support);

Datum
msgpack_exists_all_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(support_operator((Node *) PG_GETARG_POINTER(0),
									   MSGPACK_EXISTS_ALL_STRATEGY));
}

PG_FUNCTION_INFO_V1(msgpack_path_exists_support);

Datum
msgpack_path_exists_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(support_operator((Node *) PG_GETARG_POINTER(0),
									   MSGPACK_PATH_EXISTS_STRATEGY));
}

PG_FUNCTION_INFO_V1(msgpack_path_match_support);

Datum
msgpack_path_match_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(support_operator((Node *) PG_GETARG_POINTER(0),
									   MSGPACK_PATH_MATCH_STRATEGY));
}
