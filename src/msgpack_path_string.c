/*
 * msgpack_path_string.c
 *		The methods of strings: .lower(), .upper(), .initcap(), .ltrim() and so on, .replace()
 *		and .split_part().
 *
 * jsonpath has them from PostgreSQL 19 on.
 */
#include "msgpack_path.h"

#ifdef MSGPACK_PATH_STRINGS

#include "catalog/pg_collation.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

/* A string literal as text; of a missing one, a blank: what trimming takes off. */
static Datum
literal_text(const msgpack_node *node, const msgpack_node *argument)
{
	size_t		length;
	char	   *s;

	if (argument == NULL)
		return CStringGetTextDatum(" ");
	if (argument->type != jpiString)
		elog(ERROR, "invalid jsonpath item type for .%s() argument", jspOperationName(node->type));
	s = msgpack_item_cstring(&argument->literal, &length);
	return PointerGetDatum(cstring_to_text_with_len(s, (int) length));
}

static PGFunction
function_of(JsonPathItemType type)
{
	switch (type)
	{
		case jpiStrLower:
			return lower;
		case jpiStrUpper:
			return upper;
		case jpiStrInitcap:
			return initcap;
		case jpiStrLtrim:
			return ltrim;
		case jpiStrRtrim:
			return rtrim;
		case jpiStrBtrim:
			return btrim;
		default:
			elog(ERROR, "unrecognized jsonpath item type: %d", type);
	}
}

/* .split_part(): the number of a field. */
static msgpack_path_result
find_field(const msgpack_walk *walk, const msgpack_node *node, int32 *field)
{
	bool		failed = false;

	if (node->right->type != jpiNumeric)
		elog(ERROR, "invalid jsonpath item type for .split_part()");
	*field = msgpack_numeric_to_int4(node->right->literal.as.numeric.number, &failed);
	if (failed)
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						  errmsg("field position of jsonpath item method .%s() is out of range for type integer",
								 jspOperationName(node->type)));
	if (*field == 0)
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						  errmsg("field position of jsonpath item method .%s() must not be zero",
								 jspOperationName(node->type)));
	return MSGPACK_PATH_OK;
}

msgpack_path_result
msgpack_path_string_method(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
						   msgpack_items *found, bool unwrap pg_attribute_unused())
{
	size_t		length = 0;
	char	   *s = msgpack_item_is(item, MPK_STR) ? msgpack_item_cstring(item, &length) : NULL;
	msgpack_item value;
	Datum		string;
	Datum		result;
	int32		field;

	if (s == NULL)
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						  errmsg("jsonpath item method .%s() can only be applied to a string",
								 jspOperationName(node->type)));
	string = PointerGetDatum(cstring_to_text_with_len(s, (int) length));
	switch (node->type)
	{
		case jpiStrReplace:
			result = DirectFunctionCall3Coll(replace_text, C_COLLATION_OID, string,
											 literal_text(node, node->left),
											 literal_text(node, node->right));
			break;
		case jpiStrSplitPart:
			if (find_field(walk, node, &field) == MSGPACK_PATH_ERROR)
				return MSGPACK_PATH_ERROR;
			result = DirectFunctionCall3Coll(split_part, C_COLLATION_OID, string,
											 literal_text(node, node->left),
											 Int32GetDatum(field));
			break;
		case jpiStrLtrim:
		case jpiStrRtrim:
		case jpiStrBtrim:
			result = DirectFunctionCall2Coll(function_of(node->type), DEFAULT_COLLATION_OID, string,
											 literal_text(node, node->left));
			break;
		default:
			result = DirectFunctionCall1Coll(function_of(node->type), DEFAULT_COLLATION_OID, string);
			break;
	}
	msgpack_item_set_text(&value, DatumGetTextPP(result));
	return msgpack_path_next(walk, node, &value, found);
}

#endif							/* MSGPACK_PATH_STRINGS */
