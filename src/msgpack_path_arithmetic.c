/*
 * msgpack_path_arithmetic.c
 *		jsonpath's operators + - * / %, and .abs(), .floor(), .ceiling().
 *
 * The results are numeric's.  Integers, of which numeric keeps the scale 0,
 * are not made numeric first where 64 bits hold the result.
 */
#include "msgpack_path.h"

#include "common/int.h"
#include "utils/fmgrprotos.h"

static bool
operate_on_integers(JsonPathItemType type, int64 a, int64 b, int64 *result)
{
	switch (type)
	{
		case jpiAdd:
			return !pg_add_s64_overflow(a, b, result);
		case jpiSub:
			return !pg_sub_s64_overflow(a, b, result);
		case jpiMul:
			return !pg_mul_s64_overflow(a, b, result);
		case jpiMod:
			/* by -1 the machine may trap; by 0 it is for numeric to complain */
			if (b == 0 || b == -1)
				return false;
			*result = a % b;
			return true;
		default:
			return false;
	}
}

static msgpack_numeric_function
function_of(JsonPathItemType type)
{
	switch (type)
	{
		case jpiAdd:
			return MSGPACK_NUMERIC_ADD;
		case jpiSub:
			return MSGPACK_NUMERIC_SUB;
		case jpiMul:
			return MSGPACK_NUMERIC_MUL;
		case jpiDiv:
			return MSGPACK_NUMERIC_DIV;
		default:
			return MSGPACK_NUMERIC_MOD;
	}
}

/* False when the operation fails and the walk is not to raise it. */
static bool
operate(const msgpack_walk *walk, JsonPathItemType type, const msgpack_item *a,
		const msgpack_item *b, msgpack_item *result)
{
	int64		x;
	int64		y;
	int64		integer;
	bool		failed = false;
	Numeric		numeric;

	if (msgpack_item_integer(a, &x) && msgpack_item_integer(b, &y) &&
		operate_on_integers(type, x, y, &integer))
	{
		msgpack_item_set_integer(result, integer);
		return true;
	}
	numeric = msgpack_numeric_operate(function_of(type), msgpack_item_numeric(a),
									  msgpack_item_numeric(b), walk->raise ? NULL : &failed);
	if (failed)
		return false;
	msgpack_item_set_numeric(result, numeric);
	return true;
}

static inline bool
is_one_number(const msgpack_items *list)
{
	return list->count == 1 && msgpack_item_is_number(&list->items[0]);
}

msgpack_path_result
msgpack_path_binary(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
					msgpack_items *found, bool unwrap pg_attribute_unused())
{
	msgpack_items left;
	msgpack_items right;
	msgpack_item result;
	bool		done;

	if (msgpack_path_operand(walk, node->left, item, true, &left) == MSGPACK_PATH_ERROR ||
		msgpack_path_operand(walk, node->right, item, true, &right) == MSGPACK_PATH_ERROR)
		return MSGPACK_PATH_ERROR;
	if (!is_one_number(&left))
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_SINGLETON_SQL_JSON_ITEM_REQUIRED),
						  errmsg("left operand of jsonpath operator %s is not a single numeric value",
								 jspOperationName(node->type)));
	if (!is_one_number(&right))
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_SINGLETON_SQL_JSON_ITEM_REQUIRED),
						  errmsg("right operand of jsonpath operator %s is not a single numeric value",
								 jspOperationName(node->type)));
	done = operate(walk, node->type, &left.items[0], &right.items[0], &result);
	msgpack_items_free(&left);
	msgpack_items_free(&right);
	return done ? msgpack_path_next(walk, node, &result, found) : MSGPACK_PATH_ERROR;
}

static void
negate(const msgpack_item *item, msgpack_item *result)
{
	int64		v;

	if (msgpack_item_integer(item, &v) && v != PG_INT64_MIN)
		msgpack_item_set_integer(result, -v);
	else
		msgpack_item_set_numeric(result, DatumGetNumeric(
								 DirectFunctionCall1(numeric_uminus,
													 NumericGetDatum(msgpack_item_numeric(item)))));
}

/* + and -, of each item; the sign of an array is that of its elements. */
msgpack_path_result
msgpack_path_unary(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
				   msgpack_items *found, bool unwrap pg_attribute_unused())
{
	msgpack_path_result result = MSGPACK_PATH_NONE;
	bool		is_test = found == NULL && node->next == NULL;
	msgpack_items operand;

	if (msgpack_path_operand(walk, node->left, item, true, &operand) == MSGPACK_PATH_ERROR)
		return MSGPACK_PATH_ERROR;
	for (int i = 0; i < operand.count; i++)
	{
		msgpack_item value = operand.items[i];
		msgpack_path_result one;

		if (!msgpack_item_is_number(&value))
		{
			/* whether there is a number is all that is asked */
			if (is_test)
				continue;
			MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_SQL_JSON_NUMBER_NOT_FOUND),
							  errmsg("operand of unary jsonpath operator %s is not a numeric value",
									 jspOperationName(node->type)));
		}
		if (is_test)
			return MSGPACK_PATH_OK;
		if (node->type == jpiMinus)
			negate(&operand.items[i], &value);
		one = msgpack_path_next(walk, node, &value, found);
		if (one == MSGPACK_PATH_ERROR || (one == MSGPACK_PATH_OK && found == NULL))
			return one;
		if (one == MSGPACK_PATH_OK)
			result = one;
	}
	msgpack_items_free(&operand);
	return result;
}

/* .abs(), .floor(), .ceiling() */
msgpack_path_result
msgpack_path_rounding(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
					  msgpack_items *found, bool unwrap pg_attribute_unused())
{
	PGFunction	function = node->type == jpiAbs ? numeric_abs
		: node->type == jpiFloor ? numeric_floor : numeric_ceil;
	msgpack_item result;
	int64		v;

	if (!msgpack_item_is_number(item))
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_NON_NUMERIC_SQL_JSON_ITEM),
						  errmsg("jsonpath item method .%s() can only be applied to a numeric value",
								 jspOperationName(node->type)));
	if (msgpack_item_integer(item, &v) && v != PG_INT64_MIN)
		msgpack_item_set_integer(&result, node->type == jpiAbs && v < 0 ? -v : v);
	else
		msgpack_item_set_numeric(&result, DatumGetNumeric(
								 DirectFunctionCall1(function,
													 NumericGetDatum(msgpack_item_numeric(item)))));
	return msgpack_path_next(walk, node, &result, found);
}
