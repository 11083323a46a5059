/*
 * msgpack_path_predicate.c
 *		jsonpath's predicates: three-valued logic, comparison, patterns.
 */
#include "msgpack_path.h"

#include "catalog/pg_collation.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "regex/regex.h"
#include "utils/fmgrprotos.h"

#include "codec/number.h"
#include "codec/scalar.h"
#include "codec/utf8.h"

/* What a predicate says of one pair of items; b is NULL where it has one operand. */
typedef msgpack_path_bool (*pair_predicate) (const msgpack_walk *walk, const msgpack_node *node,
											 const msgpack_item *a, const msgpack_item *b);

/* --- comparison --- */

static inline msgpack_path_bool
path_bool(bool v)
{
	return v ? MSGPACK_PATH_TRUE : MSGPACK_PATH_FALSE;
}

static msgpack_path_bool
judge(JsonPathItemType type, int order)
{
	switch (type)
	{
		case jpiEqual:
			return path_bool(order == 0);
		case jpiNotEqual:
			return path_bool(order != 0);
		case jpiLess:
			return path_bool(order < 0);
		case jpiGreater:
			return path_bool(order > 0);
		case jpiLessOrEqual:
			return path_bool(order <= 0);
		case jpiGreaterOrEqual:
			return path_bool(order >= 0);
		default:
			elog(ERROR, "unrecognized jsonpath operation: %d", type);
	}
}

/* The number as a MessagePack one, if it is one. */
static inline bool
is_exact(const msgpack_item *item)
{
	return item->form == MSGPACK_ITEM_VALUE || item->as.numeric.exact;
}

/* The number as numeric; a float 32 is the float 64 that it equals, as in every comparison. */
static Numeric
comparable_numeric(const msgpack_item *item)
{
	msgpack_item wide = *item;

	if (item->form == MSGPACK_ITEM_VALUE && item->value.kind == MPK_FLOAT32)
	{
		wide.value.kind = MPK_FLOAT64;
		wide.value.as.f64 = item->value.as.f32;
	}
	return msgpack_item_numeric(&wide);
}

static int
compare_numbers(const msgpack_item *a, const msgpack_item *b)
{
	if (is_exact(a) && is_exact(b))
		return mpk_number_compare(&a->value, &b->value);
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp,
											 NumericGetDatum(comparable_numeric(a)),
											 NumericGetDatum(comparable_numeric(b))));
}

msgpack_path_bool
msgpack_path_compare(const msgpack_walk *walk, JsonPathItemType type, const msgpack_item *a,
					 const msgpack_item *b)
{
	msgpack_item_type item_type = msgpack_item_type_of(a);
	msgpack_item_type other = msgpack_item_type_of(b);
	int			order;

	if (item_type != other)
	{
		/* null is unequal to all else, and neither above nor below it */
		if (item_type == MSGPACK_TYPE_NULL || other == MSGPACK_TYPE_NULL)
			return path_bool(type == jpiNotEqual);
		return MSGPACK_PATH_UNKNOWN;
	}
	switch (item_type)
	{
		case MSGPACK_TYPE_NUMBER:
			order = compare_numbers(a, b);
			break;
		case MSGPACK_TYPE_DATETIME:
			if (!msgpack_path_compare_datetimes(walk, a, b, &order))
				return MSGPACK_PATH_UNKNOWN;
			break;
		case MSGPACK_TYPE_CONTAINER:
			return MSGPACK_PATH_UNKNOWN;
		default:
			order = mpk_scalar_compare(&a->value, &b->value);
			break;
	}
	return judge(type, order);
}

static msgpack_path_bool
compare_pair(const msgpack_walk *walk, const msgpack_node *node, const msgpack_item *a,
			 const msgpack_item *b)
{
	return msgpack_path_compare(walk, node->type, a, b);
}

/* --- strings --- */

static msgpack_path_bool
starts_with(const msgpack_walk *walk pg_attribute_unused(),
			const msgpack_node *node pg_attribute_unused(), const msgpack_item *a,
			const msgpack_item *b)
{
	if (!msgpack_item_is(a, MPK_STR) || !msgpack_item_is(b, MPK_STR))
		return MSGPACK_PATH_UNKNOWN;
	return path_bool(a->value.length >= b->value.length &&
					 memcmp(a->value.body, b->value.body, b->value.length) == 0);
}

/*
 * The regular expression machine takes text alone: a string that is none is as
 * little matched or unmatched as a number is.
 */
static msgpack_path_bool
like_regex(const msgpack_walk *walk, const msgpack_node *node, const msgpack_item *a,
		   const msgpack_item *b pg_attribute_unused())
{
	char	   *s = unconstify(char *, (const char *) a->value.body);
	size_t		length = a->value.length;

	if (!msgpack_item_is(a, MPK_STR))
		return MSGPACK_PATH_UNKNOWN;
	if (GetDatabaseEncoding() != PG_UTF8 || memchr(s, '\0', length) != NULL ||
		((walk->cursor->flags & MPK_INVALID_UTF8) != 0 && !mpk_is_utf8(a->value.body, length)))
		s = msgpack_item_cstring(a, &length);
	if (s == NULL)
		return MSGPACK_PATH_UNKNOWN;
	msgpack_check_wide(length, "like_regex");
	return path_bool(RE_compile_and_execute(node->pattern, s, (int) length, node->regex_flags,
											DEFAULT_COLLATION_OID, 0, NULL));
}

/* --- sequences --- */

/*
 * Is the predicate true of any pair of items?  In strict mode all pairs must
 * be seen, since one that makes it unknown decides; in lax mode it only does
 * when no pair is true.
 */
static msgpack_path_bool
judge_pairs(msgpack_walk *walk, const msgpack_node *node, const msgpack_items *left,
			const msgpack_items *right, pair_predicate predicate)
{
	msgpack_path_bool result = MSGPACK_PATH_FALSE;
	int			count = right != NULL ? right->count : 1;

	for (int i = 0; i < left->count; i++)
	{
		for (int j = 0; j < count; j++)
		{
			msgpack_path_bool pair = predicate(walk, node, &left->items[i],
											   right != NULL ? &right->items[j] : NULL);

			CHECK_FOR_INTERRUPTS();
			if (pair == (walk->lax ? MSGPACK_PATH_TRUE : MSGPACK_PATH_UNKNOWN))
				return pair;
			if (pair != MSGPACK_PATH_FALSE)
				result = pair;
		}
	}
	return result;
}

/* A predicate of one or two operands, whose errors make it unknown. */
static msgpack_path_bool
judge_operands(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
			   pair_predicate predicate)
{
	bool		raise = walk->raise;
	bool		unwrap_right = predicate == compare_pair;
	msgpack_path_bool result = MSGPACK_PATH_UNKNOWN;
	msgpack_items left;
	msgpack_items right;

	walk->raise = false;
	if (msgpack_path_operand(walk, node->left, item, true, &left) != MSGPACK_PATH_ERROR)
	{
		if (node->right == NULL)
			result = judge_pairs(walk, node, &left, NULL, predicate);
		else if (msgpack_path_operand(walk, node->right, item, unwrap_right, &right) !=
				 MSGPACK_PATH_ERROR)
		{
			result = judge_pairs(walk, node, &left, &right, predicate);
			msgpack_items_free(&right);
		}
		msgpack_items_free(&left);
	}
	walk->raise = raise;
	return result;
}

static msgpack_path_bool
judge_exists(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item)
{
	bool		raise = walk->raise;
	msgpack_items all;
	msgpack_path_result result;

	walk->raise = false;
	if (walk->lax)
		result = msgpack_path_run(walk, node->left, item, NULL, true);
	else
	{
		/* as in msgpack_path_walk */
		msgpack_items_init(&all);
		result = msgpack_path_run(walk, node->left, item, &all, false);
		if (result != MSGPACK_PATH_ERROR)
			result = all.count > 0 ? MSGPACK_PATH_OK : MSGPACK_PATH_NONE;
		msgpack_items_free(&all);
	}
	walk->raise = raise;
	return result == MSGPACK_PATH_ERROR ? MSGPACK_PATH_UNKNOWN : path_bool(result == MSGPACK_PATH_OK);
}

/* --- logic --- */

/* Of && and ||: one operand of the value "decides" settles it. */
static msgpack_path_bool
judge_junction(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
			   msgpack_path_bool decides)
{
	msgpack_path_bool left = msgpack_path_predicate(walk, node->left, item);
	msgpack_path_bool right;

	if (left == decides)
		return left;
	right = msgpack_path_predicate(walk, node->right, item);
	if (right == decides || right == MSGPACK_PATH_UNKNOWN)
		return right;
	return left;
}

msgpack_path_bool
msgpack_path_predicate(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item)
{
	msgpack_path_bool operand;

	check_stack_depth();
	switch (node->type)
	{
		case jpiAnd:
			return judge_junction(walk, node, item, MSGPACK_PATH_FALSE);
		case jpiOr:
			return judge_junction(walk, node, item, MSGPACK_PATH_TRUE);
		case jpiNot:
			operand = msgpack_path_predicate(walk, node->left, item);
			return operand == MSGPACK_PATH_UNKNOWN ? operand
				: path_bool(operand == MSGPACK_PATH_FALSE);
		case jpiIsUnknown:
			operand = msgpack_path_predicate(walk, node->left, item);
			return path_bool(operand == MSGPACK_PATH_UNKNOWN);
		case jpiExists:
			return judge_exists(walk, node, item);
		case jpiStartsWith:
			return judge_operands(walk, node, item, starts_with);
		case jpiLikeRegex:
			return judge_operands(walk, node, item, like_regex);
		case jpiEqual:
		case jpiNotEqual:
		case jpiLess:
		case jpiGreater:
		case jpiLessOrEqual:
		case jpiGreaterOrEqual:
			return judge_operands(walk, node, item, compare_pair);
		default:
			elog(ERROR, "invalid boolean jsonpath item type: %d", node->type);
	}
}

/* A predicate where a value is wanted: true, false or null. */
msgpack_path_result
msgpack_path_boolean(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
					 msgpack_items *found, bool unwrap pg_attribute_unused())
{
	msgpack_path_bool result = msgpack_path_predicate(walk, node, item);
	msgpack_item value;

	if (result == MSGPACK_PATH_UNKNOWN)
		msgpack_item_set_nil(&value);
	else
		msgpack_item_set_boolean(&value, result == MSGPACK_PATH_TRUE);
	return msgpack_path_next(walk, node, &value, found);
}
