/*
 * msgpack_path_methods.c
 *		jsonpath's methods .type(), .size(), .double() and .keyvalue().
 */
#include "msgpack_path.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/fmgrprotos.h"

/* What tells the identifiers of one base object from those of the next. */
#define BASE_FACTOR		INT64CONST(10000000000)

msgpack_path_result
msgpack_path_type(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
				  msgpack_items *found, bool unwrap pg_attribute_unused())
{
	const char *name = msgpack_item_type_name(item);
	msgpack_item result;

	msgpack_item_set_string(&result, (const uint8 *) name, strlen(name));
	return msgpack_path_next(walk, node, &result, found);
}

msgpack_path_result
msgpack_path_size(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
				  msgpack_items *found, bool unwrap pg_attribute_unused())
{
	bool		is_array = msgpack_item_is(item, MPK_ARRAY);
	msgpack_item result;

	if (!is_array && !walk->lax)
	{
		if (walk->lenient)
			return MSGPACK_PATH_NONE;
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_SQL_JSON_ARRAY_NOT_FOUND),
						  errmsg("jsonpath item method .%s() can only be applied to an array",
								 jspOperationName(node->type)));
	}
	msgpack_item_set_integer(&result, is_array ? item->value.length : 1);
	return msgpack_path_next(walk, node, &result, found);
}

/* --- .double() --- */

/* The text as a finite float 64; a text is NULL when a string is none. */
static bool
parse_finite(char *text, double *v)
{
	bool		failed = false;

	if (text == NULL)
		return false;
	*v = msgpack_parse_double(text, &failed);
	return !failed && isfinite(*v);
}

/* Has float 64 room for the number? */
static bool
fits_double(const msgpack_item *item)
{
	double		v;

	if (item->form == MSGPACK_ITEM_VALUE)
		return item->value.kind < MPK_FLOAT32 || isfinite(mpk_float_value(&item->value));
	return parse_finite(DatumGetCString(DirectFunctionCall1(numeric_out,
															NumericGetDatum(item->as.numeric.number))),
						&v);
}

msgpack_path_result
msgpack_path_double(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
					msgpack_items *found, bool unwrap pg_attribute_unused())
{
	msgpack_item result;
	size_t		length;
	double		v;

	if (msgpack_item_is_number(item))
	{
		if (!fits_double(item))
			MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_NON_NUMERIC_SQL_JSON_ITEM),
							  errmsg("numeric argument of jsonpath item method .%s() is out of range for type double precision",
									 jspOperationName(node->type)));
		return msgpack_path_next(walk, node, item, found);
	}
	if (!msgpack_item_is(item, MPK_STR))
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_NON_NUMERIC_SQL_JSON_ITEM),
						  errmsg("jsonpath item method .%s() can only be applied to a string or numeric value",
								 jspOperationName(node->type)));
	if (!parse_finite(msgpack_item_cstring(item, &length), &v))
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_NON_NUMERIC_SQL_JSON_ITEM),
						  errmsg("string argument of jsonpath item method .%s() is not a valid representation of a double precision number",
								 jspOperationName(node->type)));
	msgpack_item_set_numeric(&result,
							 DatumGetNumeric(DirectFunctionCall1(float8_numeric, Float8GetDatum(v))));
	return msgpack_path_next(walk, node, &result, found);
}

/* --- .keyvalue() --- */

/* {"id": id, "key": key, "value": value}, the keys in jsonb's order. */
static void
make_pair(msgpack_item *pair, int64 id, const uint8 *key, const uint8 *value, const uint8 *end)
{
	mpk_writer	writer;

	mpk_writer_init(&writer, (size_t) (end - key) + 32);
	mpk_write_map_head(&writer, 3);
	mpk_write_str(&writer, "id", 2);
	mpk_write_int(&writer, id);
	mpk_write_str(&writer, "key", 3);
	mpk_write_span(&writer, key, value);
	mpk_write_str(&writer, "value", 5);
	mpk_write_span(&writer, value, end);
	if (writer.overflow)
	{
		mpk_error	error = {MPK_ERR_OUTPUT_TOO_LARGE, writer.length, NULL};

		msgpack_raise(&error);
	}
	pair->form = MSGPACK_ITEM_VALUE;
	mpk_read(mpk_writer_data(&writer), &pair->value);
}

msgpack_path_result
msgpack_path_keyvalue(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
					  msgpack_items *found, bool unwrap pg_attribute_unused())
{
	msgpack_path_base base = walk->base;
	msgpack_path_result result = MSGPACK_PATH_NONE;
	const uint8 *key = item->value.body;
	int64		id;

	if (!msgpack_item_is(item, MPK_MAP))
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_SQL_JSON_OBJECT_NOT_FOUND),
						  errmsg("jsonpath item method .%s() can only be applied to an object",
								 jspOperationName(node->type)));
	if (item->value.length == 0)
		return MSGPACK_PATH_NONE;
	if (node->next == NULL && found == NULL)
		return MSGPACK_PATH_OK;
	id = base.id * BASE_FACTOR + (item->value.start - base.start);
	for (uint32 i = 0; i < item->value.length; i++)
	{
		const uint8 *value = mpk_skip(key);
		const uint8 *end = mpk_skip(value);
		msgpack_item pair;

		CHECK_FOR_INTERRUPTS();
		make_pair(&pair, id, key, value, end);
		walk->base.start = pair.value.start;
		walk->base.id = walk->next_base++;
		result = msgpack_path_next(walk, node, &pair, found);
		walk->base = base;
		if (result == MSGPACK_PATH_ERROR || (result == MSGPACK_PATH_OK && found == NULL))
			break;
		key = end;
	}
	return result;
}
