/*
 * msgpack_path_compile.c
 *		From the server's jsonpath value to a tree of nodes.
 */
#include "msgpack_path.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "msgpack_numeric.h"

/* What follows a node in the server's form of a path. */
typedef enum node_shape
{
	SHAPE_PLAIN,				/* nothing */
	SHAPE_LITERAL,
	SHAPE_NAME,					/* a key or a variable */
	SHAPE_UNARY,				/* one operand, which may be missing */
	SHAPE_BINARY,				/* two, of which a method's may be missing */
	SHAPE_SUBSCRIPTS,
	SHAPE_LEVELS,				/* .**{first to last} */
	SHAPE_REGEX
} node_shape;

typedef struct node_kind
{
	msgpack_node_function function; /* NULL: no node of its own */
	node_shape	shape;
	bool		unwraps;
} node_kind;

/* All that a major's jsonpath has. */
static const node_kind kinds[] = {
	[jpiNull] = {msgpack_path_literal, SHAPE_LITERAL, false},
	[jpiString] = {msgpack_path_literal, SHAPE_LITERAL, false},
	[jpiNumeric] = {msgpack_path_literal, SHAPE_LITERAL, false},
	[jpiBool] = {msgpack_path_literal, SHAPE_LITERAL, false},
	[jpiAnd] = {msgpack_path_boolean, SHAPE_BINARY, false},
	[jpiOr] = {msgpack_path_boolean, SHAPE_BINARY, false},
	[jpiNot] = {msgpack_path_boolean, SHAPE_UNARY, false},
	[jpiIsUnknown] = {msgpack_path_boolean, SHAPE_UNARY, false},
	[jpiEqual] = {msgpack_path_boolean, SHAPE_BINARY, false},
	[jpiNotEqual] = {msgpack_path_boolean, SHAPE_BINARY, false},
	[jpiLess] = {msgpack_path_boolean, SHAPE_BINARY, false},
	[jpiGreater] = {msgpack_path_boolean, SHAPE_BINARY, false},
	[jpiLessOrEqual] = {msgpack_path_boolean, SHAPE_BINARY, false},
	[jpiGreaterOrEqual] = {msgpack_path_boolean, SHAPE_BINARY, false},
	[jpiExists] = {msgpack_path_boolean, SHAPE_UNARY, false},
	[jpiStartsWith] = {msgpack_path_boolean, SHAPE_BINARY, false},
	[jpiLikeRegex] = {msgpack_path_boolean, SHAPE_REGEX, false},
	[jpiAdd] = {msgpack_path_binary, SHAPE_BINARY, false},
	[jpiSub] = {msgpack_path_binary, SHAPE_BINARY, false},
	[jpiMul] = {msgpack_path_binary, SHAPE_BINARY, false},
	[jpiDiv] = {msgpack_path_binary, SHAPE_BINARY, false},
	[jpiMod] = {msgpack_path_binary, SHAPE_BINARY, false},
	[jpiPlus] = {msgpack_path_unary, SHAPE_UNARY, false},
	[jpiMinus] = {msgpack_path_unary, SHAPE_UNARY, false},
	[jpiAnyArray] = {msgpack_path_any_array, SHAPE_PLAIN, false},
	[jpiAnyKey] = {msgpack_path_any_key, SHAPE_PLAIN, true},
	[jpiIndexArray] = {msgpack_path_subscripts, SHAPE_SUBSCRIPTS, false},
	[jpiAny] = {msgpack_path_any, SHAPE_LEVELS, false},
	[jpiKey] = {msgpack_path_key, SHAPE_NAME, true},
	[jpiCurrent] = {msgpack_path_current, SHAPE_PLAIN, false},
	[jpiRoot] = {msgpack_path_root, SHAPE_PLAIN, false},
	[jpiVariable] = {msgpack_path_variable, SHAPE_NAME, false},
	[jpiFilter] = {msgpack_path_filter, SHAPE_UNARY, true},
	[jpiLast] = {msgpack_path_last, SHAPE_PLAIN, false},
	[jpiType] = {msgpack_path_type, SHAPE_PLAIN, false},
	[jpiSize] = {msgpack_path_size, SHAPE_PLAIN, false},
	[jpiAbs] = {msgpack_path_rounding, SHAPE_PLAIN, true},
	[jpiFloor] = {msgpack_path_rounding, SHAPE_PLAIN, true},
	[jpiCeiling] = {msgpack_path_rounding, SHAPE_PLAIN, true},
	[jpiDouble] = {msgpack_path_double, SHAPE_PLAIN, true},
	[jpiDatetime] = {msgpack_path_datetime, SHAPE_UNARY, true},
	[jpiKeyValue] = {msgpack_path_keyvalue, SHAPE_PLAIN, true},
#ifdef MSGPACK_PATH_CONVERSIONS
	[jpiBigint] = {msgpack_path_to_integer, SHAPE_PLAIN, true},
	[jpiInteger] = {msgpack_path_to_integer, SHAPE_PLAIN, true},
	[jpiBoolean] = {msgpack_path_to_boolean, SHAPE_PLAIN, true},
	[jpiDecimal] = {msgpack_path_to_number, SHAPE_BINARY, true},
	[jpiNumber] = {msgpack_path_to_number, SHAPE_PLAIN, true},
	[jpiStringFunc] = {msgpack_path_to_string, SHAPE_PLAIN, true},
	[jpiDate] = {msgpack_path_datetime, SHAPE_PLAIN, true},
	[jpiTime] = {msgpack_path_datetime, SHAPE_UNARY, true},
	[jpiTimeTz] = {msgpack_path_datetime, SHAPE_UNARY, true},
	[jpiTimestamp] = {msgpack_path_datetime, SHAPE_UNARY, true},
	[jpiTimestampTz] = {msgpack_path_datetime, SHAPE_UNARY, true},
#endif
#ifdef MSGPACK_PATH_STRINGS
	[jpiStrReplace] = {msgpack_path_string_method, SHAPE_BINARY, true},
	[jpiStrLower] = {msgpack_path_string_method, SHAPE_PLAIN, true},
	[jpiStrUpper] = {msgpack_path_string_method, SHAPE_PLAIN, true},
	[jpiStrLtrim] = {msgpack_path_string_method, SHAPE_UNARY, true},
	[jpiStrRtrim] = {msgpack_path_string_method, SHAPE_UNARY, true},
	[jpiStrBtrim] = {msgpack_path_string_method, SHAPE_UNARY, true},
	[jpiStrInitcap] = {msgpack_path_string_method, SHAPE_PLAIN, true},
	[jpiStrSplitPart] = {msgpack_path_string_method, SHAPE_BINARY, true},
#endif
};

static msgpack_node *compile(msgpack_jsonpath *path, char *base, int32 place);

/* An operand; place 0 is the path's own beginning, so none. */
static msgpack_node *
compile_operand(msgpack_jsonpath *path, JsonPathItem *item, int32 place)
{
	return place == 0 ? NULL : compile(path, item->base, place);
}

static void
compile_name(msgpack_node *node, JsonPathItem *item)
{
	int32		length;
	char	   *s = jspGetString(item, &length);
	size_t		utf8_length;
	const uint8 *utf8 = msgpack_utf8_from_text(s, length, &utf8_length);

	mpk_step_text(&node->step, MPK_STEP_FIELD, utf8, utf8_length);
	node->is_step = item->type == jpiKey;
}

static void
compile_string(msgpack_node *node, JsonPathItem *item)
{
	int32		length;
	char	   *s = jspGetString(item, &length);
	size_t		utf8_length;
	const uint8 *utf8 = msgpack_utf8_from_text(s, length, &utf8_length);

	msgpack_item_set_string(&node->literal, utf8, utf8_length);
}

static void
compile_number(msgpack_node *node, JsonPathItem *item)
{
	msgpack_item *literal = &node->literal;

	msgpack_item_set_numeric(literal, jspGetNumeric(item));
	literal->as.numeric.exact =
		msgpack_numeric_read(literal->as.numeric.number, &literal->value) == MSGPACK_NUMERIC_EXACT;
}

static void
compile_literal(msgpack_node *node, JsonPathItem *item)
{
	switch (item->type)
	{
		case jpiString:
			compile_string(node, item);
			break;
		case jpiNumeric:
			compile_number(node, item);
			break;
		case jpiBool:
			msgpack_item_set_boolean(&node->literal, jspGetBool(item));
			break;
		default:
			msgpack_item_set_nil(&node->literal);
			break;
	}
}

/* Is it one subscript that is known, [5] or [last]?  Then it is a step that an index finds. */
static void
find_subscript_step(msgpack_node *node)
{
	const msgpack_node *from = node->subscripts[0].from;
	int64		index;

	if (node->subscript_count != 1 || node->subscripts[0].to != NULL || from->next != NULL)
		return;
	if (from->type == jpiLast)
		index = -1;
	else if (from->type != jpiNumeric || !msgpack_item_integer(&from->literal, &index) ||
			 index < 0 || index > PG_INT32_MAX)
		return;
	mpk_step_number(&node->step, index);
	node->is_step = true;
}

static void
compile_subscripts(msgpack_jsonpath *path, msgpack_node *node, JsonPathItem *item)
{
	node->subscript_count = item->content.array.nelems;
	node->subscripts = palloc(node->subscript_count * sizeof(msgpack_subscript));
	for (int i = 0; i < node->subscript_count; i++)
	{
		node->subscripts[i].from = compile(path, item->base, item->content.array.elems[i].from);
		node->subscripts[i].to = compile_operand(path, item, item->content.array.elems[i].to);
	}
	find_subscript_step(node);
}

static void
compile_regex(msgpack_jsonpath *path, msgpack_node *node, JsonPathItem *item)
{
	node->left = compile(path, item->base, item->content.like_regex.expr);
	node->pattern = cstring_to_text_with_len(item->content.like_regex.pattern,
											 item->content.like_regex.patternlen);
	node->regex_flags = msgpack_regex_flags(item->content.like_regex.flags);
}

static void
compile_content(msgpack_jsonpath *path, msgpack_node *node, JsonPathItem *item)
{
	switch (kinds[item->type].shape)
	{
		case SHAPE_PLAIN:
			break;
		case SHAPE_LITERAL:
			compile_literal(node, item);
			break;
		case SHAPE_NAME:
			compile_name(node, item);
			path->has_variables |= item->type == jpiVariable;
			break;
		case SHAPE_UNARY:
			node->left = compile_operand(path, item, item->content.arg);
			break;
		case SHAPE_BINARY:
			node->left = compile_operand(path, item, item->content.args.left);
			node->right = compile_operand(path, item, item->content.args.right);
			break;
		case SHAPE_SUBSCRIPTS:
			compile_subscripts(path, node, item);
			break;
		case SHAPE_LEVELS:
			node->first = item->content.anybounds.first;
			node->last = item->content.anybounds.last;
			break;
		case SHAPE_REGEX:
			compile_regex(path, node, item);
			break;
	}
}

/* The chain of nodes that begins at a place. */
static msgpack_node *
compile(msgpack_jsonpath *path, char *base, int32 place)
{
	msgpack_node *head = NULL;
	msgpack_node **link = &head;
	JsonPathItem item;

	check_stack_depth();
	jspInitByBuffer(&item, base, place);
	for (;;)
	{
		msgpack_node *node = palloc0(sizeof(msgpack_node));
		JsonPathItem next;

		if ((size_t) item.type >= lengthof(kinds) || kinds[item.type].function == NULL)
			elog(ERROR, "unrecognized jsonpath item type: %d", item.type);
		node->type = item.type;
		node->function = kinds[item.type].function;
		node->unwraps = kinds[item.type].unwraps;
		compile_content(path, node, &item);
		*link = node;
		link = &node->next;
		if (!jspGetNext(&item, &next))
			return head;
		item = next;
	}
}

msgpack_jsonpath *
msgpack_path_compile(JsonPath *value)
{
	msgpack_jsonpath *path = palloc(sizeof(msgpack_jsonpath));

	if ((value->header & ~JSONPATH_LAX) != JSONPATH_VERSION)
		elog(ERROR, "unsupported jsonpath version: %u", value->header & ~JSONPATH_LAX);
	path->lax = (value->header & JSONPATH_LAX) != 0;
	path->has_variables = false;
	path->root = compile(path, value->data, 0);
	return path;
}
