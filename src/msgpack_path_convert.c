/*
 * msgpack_path_convert.c
 *		The methods that convert: .bigint(), .integer(), .boolean(), .decimal(), .number()
 *		and .string().
 *
 * jsonpath has them from PostgreSQL 17 on.
 */
#include "msgpack_path.h"

#ifdef MSGPACK_PATH_CONVERSIONS

#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"

static msgpack_path_result
fail_invalid(msgpack_walk *walk, const msgpack_node *node, const char *argument, const char *type)
{
	MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_NON_NUMERIC_SQL_JSON_ITEM),
					  errmsg("argument \"%s\" of jsonpath item method .%s() is invalid for type %s",
							 argument != NULL ? argument : "", jspOperationName(node->type), type));
}

static msgpack_path_result
fail_applied(msgpack_walk *walk, const msgpack_node *node, const char *to)
{
	MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_NON_NUMERIC_SQL_JSON_ITEM),
					  errmsg("jsonpath item method .%s() can only be applied to a %s value",
							 jspOperationName(node->type), to));
}

/* A number's digits or a string; NULL when the string is no text. */
static char *
text_of(const msgpack_item *item)
{
	size_t		length;

	if (msgpack_item_is_number(item))
		return DatumGetCString(DirectFunctionCall1(numeric_out,
												   NumericGetDatum(msgpack_item_numeric(item))));
	return msgpack_item_cstring(item, &length);
}

/* What a type's input makes of a text. */
static bool
input(PGFunction function, char *text, int32 typmod, Datum *result)
{
	ErrorSaveContext context = {.type = T_ErrorSaveContext};

	return text != NULL &&
		DirectInputFunctionCallSafe(function, text, InvalidOid, typmod, (Node *) &context, result);
}

/* --- .bigint(), .integer() --- */

static bool
number_to_integer(const msgpack_item *item, bool narrow, int64 *v)
{
	bool		failed = false;

	if (msgpack_item_integer(item, v))
		return !narrow || *v == (int32) *v;
	if (narrow)
		*v = msgpack_numeric_to_int4(msgpack_item_numeric(item), &failed);
	else
		*v = msgpack_numeric_to_int8(msgpack_item_numeric(item), &failed);
	return !failed;
}

msgpack_path_result
msgpack_path_to_integer(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
						msgpack_items *found, bool unwrap pg_attribute_unused())
{
	bool		narrow = node->type == jpiInteger;
	const char *type = narrow ? "integer" : "bigint";
	msgpack_item result;
	Datum		datum;
	int64		v;
	char	   *text;

	if (msgpack_item_is_number(item))
	{
		if (!number_to_integer(item, narrow, &v))
			return fail_invalid(walk, node, text_of(item), type);
	}
	else if (msgpack_item_is(item, MPK_STR))
	{
		text = text_of(item);
		if (!input(narrow ? int4in : int8in, text, -1, &datum))
			return fail_invalid(walk, node, text, type);
		v = narrow ? DatumGetInt32(datum) : DatumGetInt64(datum);
	}
	else
		return fail_applied(walk, node, "string or numeric");
	msgpack_item_set_integer(&result, v);
	return msgpack_path_next(walk, node, &result, found);
}

/* --- .boolean() --- */

msgpack_path_result
msgpack_path_to_boolean(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
						msgpack_items *found, bool unwrap pg_attribute_unused())
{
	bool		v = item->value.as.boolean;
	msgpack_item result;
	Datum		datum;
	char	   *text;

	if (msgpack_item_is_number(item))
	{
		text = text_of(item);
		if (!input(int4in, text, -1, &datum))
			return fail_invalid(walk, node, text, "boolean");
		v = DatumGetInt32(datum) != 0;
	}
	else if (msgpack_item_is(item, MPK_STR))
	{
		text = text_of(item);
		if (text == NULL || !parse_bool(text, &v))
			return fail_invalid(walk, node, text, "boolean");
	}
	else if (!msgpack_item_is(item, MPK_BOOLEAN))
		return fail_applied(walk, node, "boolean, string, or numeric");
	msgpack_item_set_boolean(&result, v);
	return msgpack_path_next(walk, node, &result, found);
}

/* --- .number(), .decimal() --- */

/* An argument of .decimal(); false when it is no int4. */
static bool
read_argument(const msgpack_node *argument, int32 *v)
{
	bool		failed = false;

	if (argument->type != jpiNumeric)
		elog(ERROR, "invalid jsonpath item type for .decimal() argument");
	*v = msgpack_numeric_to_int4(argument->literal.as.numeric.number, &failed);
	return !failed;
}

/* Round to the precision and scale that .decimal() asks for. */
static msgpack_path_result
limit_digits(msgpack_walk *walk, const msgpack_node *node, Numeric *number, char *text)
{
	int32		precision;
	int32		scale = 0;
	int32		typmod;
	bool		failed = false;
	Datum		datum;

	if (!read_argument(node->left, &precision))
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_NON_NUMERIC_SQL_JSON_ITEM),
						  errmsg("precision of jsonpath item method .%s() is out of range for type integer",
								 jspOperationName(node->type)));
	if (node->right != NULL && !read_argument(node->right, &scale))
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_NON_NUMERIC_SQL_JSON_ITEM),
						  errmsg("scale of jsonpath item method .%s() is out of range for type integer",
								 jspOperationName(node->type)));
	typmod = msgpack_numeric_typmod(precision, scale, walk->raise ? NULL : &failed);
	if (failed)
		return MSGPACK_PATH_ERROR;
	if (!input(numeric_in, text, typmod, &datum))
		return fail_invalid(walk, node, text, "numeric");
	*number = DatumGetNumeric(datum);
	return MSGPACK_PATH_OK;
}

msgpack_path_result
msgpack_path_to_number(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
					   msgpack_items *found, bool unwrap pg_attribute_unused())
{
	bool		limited = node->type == jpiDecimal && node->left != NULL;
	msgpack_item result;
	Numeric		number;
	Datum		datum;
	char	   *text;

	if (!msgpack_item_is_number(item) && !msgpack_item_is(item, MPK_STR))
		return fail_applied(walk, node, "string or numeric");
	text = limited || !msgpack_item_is_number(item) ? text_of(item) : NULL;
	if (msgpack_item_is_number(item))
		number = msgpack_item_numeric(item);
	else if (input(numeric_in, text, -1, &datum))
		number = DatumGetNumeric(datum);
	else
		return fail_invalid(walk, node, text, "numeric");
	if (numeric_is_nan(number) || numeric_is_inf(number))
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_NON_NUMERIC_SQL_JSON_ITEM),
						  errmsg("NaN or Infinity is not allowed for jsonpath item method .%s()",
								 jspOperationName(node->type)));
	if (limited && limit_digits(walk, node, &number, text) == MSGPACK_PATH_ERROR)
		return MSGPACK_PATH_ERROR;
	/* a number that stays what it is keeps its width too */
	if (!limited && msgpack_item_is_number(item))
		return msgpack_path_next(walk, node, item, found);
	msgpack_item_set_numeric(&result, number);
	return msgpack_path_next(walk, node, &result, found);
}

/* --- .string() --- */

static text *
text_of_datetime(const msgpack_item *item)
{
	char		buffer[MAXDATELEN + 1];

	if (item->form == MSGPACK_ITEM_VALUE)
		return msgpack_value_text(&item->value, 0);
	JsonEncodeDateTime(buffer, item->as.datetime.value, item->as.datetime.type,
					   &item->as.datetime.zone);
	return cstring_to_text(buffer);
}

msgpack_path_result
msgpack_path_to_string(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
					   msgpack_items *found, bool unwrap pg_attribute_unused())
{
	msgpack_item result;

	switch (msgpack_item_type_of(item))
	{
		case MSGPACK_TYPE_STRING:
			return msgpack_path_next(walk, node, item, found);
		case MSGPACK_TYPE_NUMBER:
			msgpack_item_set_text(&result, cstring_to_text(text_of(item)));
			break;
		case MSGPACK_TYPE_BOOLEAN:
			msgpack_item_set_text(&result,
								  cstring_to_text(item->value.as.boolean ? "true" : "false"));
			break;
		case MSGPACK_TYPE_DATETIME:
			msgpack_item_set_text(&result, text_of_datetime(item));
			break;
		default:
			return fail_applied(walk, node, "boolean, string, numeric, or datetime");
	}
	return msgpack_path_next(walk, node, &result, found);
}

#endif							/* MSGPACK_PATH_CONVERSIONS */
