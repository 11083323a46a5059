/*
 * msgpack_path_item.c
 *		What jsonpath works on: views of MessagePack values, and computed scalars.
 */
#include "msgpack_path.h"

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/datetime.h"

#include "codec/number.h"
#include "msgpack_cast.h"
#include "msgpack_numeric.h"

/* --- making --- */

static void
set_value(msgpack_item *item, mpk_kind kind)
{
	memset(&item->value, 0, sizeof(item->value));
	item->form = MSGPACK_ITEM_VALUE;
	item->value.kind = kind;
}

void
msgpack_item_set_nil(msgpack_item *item)
{
	set_value(item, MPK_NIL);
}

void
msgpack_item_set_boolean(msgpack_item *item, bool v)
{
	set_value(item, MPK_BOOLEAN);
	item->value.as.boolean = v;
}

void
msgpack_item_set_integer(msgpack_item *item, int64 v)
{
	set_value(item, v >= 0 ? MPK_UINT : MPK_INT);
	item->value.as.i64 = v;
}

void
msgpack_item_set_numeric(msgpack_item *item, Numeric v)
{
	set_value(item, MPK_NIL);
	item->form = MSGPACK_ITEM_NUMERIC;
	item->as.numeric.number = v;
	item->as.numeric.exact = false;
}

void
msgpack_item_set_string(msgpack_item *item, const uint8 *utf8, size_t length)
{
	set_value(item, MPK_STR);
	item->value.body = utf8;
	item->value.length = (uint32) length;
}

void
msgpack_item_set_text(msgpack_item *item, const text *t)
{
	size_t		length;
	const uint8 *utf8 = msgpack_utf8_from_text(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t), &length);

	msgpack_item_set_string(item, utf8, length);
}

/* --- reading --- */

msgpack_item_type
msgpack_item_type_of(const msgpack_item *item)
{
	if (item->form != MSGPACK_ITEM_VALUE)
		return item->form == MSGPACK_ITEM_NUMERIC ? MSGPACK_TYPE_NUMBER : MSGPACK_TYPE_DATETIME;
	switch (item->value.kind)
	{
		case MPK_NIL:
			return MSGPACK_TYPE_NULL;
		case MPK_BOOLEAN:
			return MSGPACK_TYPE_BOOLEAN;
		case MPK_STR:
			return MSGPACK_TYPE_STRING;
		case MPK_BIN:
			return MSGPACK_TYPE_BINARY;
		case MPK_TIMESTAMP:
			return MSGPACK_TYPE_DATETIME;
		case MPK_EXT:
			return MSGPACK_TYPE_EXT;
		case MPK_ARRAY:
		case MPK_MAP:
			return MSGPACK_TYPE_CONTAINER;
		default:
			return MSGPACK_TYPE_NUMBER;
	}
}

const char *
msgpack_item_type_name(const msgpack_item *item)
{
	if (msgpack_item_is_number(item))
		return "number";
	if (item->form == MSGPACK_ITEM_DATETIME)
		return msgpack_path_datetime_name(item->as.datetime.type);
	switch (item->value.kind)
	{
		case MPK_NIL:
			return "null";
		case MPK_MAP:
			return "object";
		case MPK_TIMESTAMP:
			return msgpack_path_datetime_name(TIMESTAMPTZOID);
		default:
			return msgpack_kind_name(item->value.kind);
	}
}

Numeric
msgpack_item_numeric(const msgpack_item *item)
{
	Datum		result = (Datum) 0;

	if (item->form == MSGPACK_ITEM_NUMERIC)
		return item->as.numeric.number;
	(void) msgpack_try_cast(&item->value, MSGPACK_AS_NUMERIC, &result);
	return DatumGetNumeric(result);
}

bool
msgpack_item_integer(const msgpack_item *item, int64 *v)
{
	if (item->form == MSGPACK_ITEM_NUMERIC && !item->as.numeric.exact)
		return false;
	*v = item->value.as.i64;
	return item->value.kind == MPK_INT ||
		(item->value.kind == MPK_UINT && item->value.as.u64 <= (uint64) PG_INT64_MAX);
}

char *
msgpack_item_cstring(const msgpack_item *item, size_t *length)
{
	const char *s = (const char *) item->value.body;
	const char *converted;

	/* what is in the path is text, and so is most of what lies in documents */
	if (!msgpack_is_text(&item->value, MPK_INVALID_UTF8))
		return NULL;
	converted = pg_any_to_server(s, (int) item->value.length, PG_UTF8);
	*length = converted == s ? item->value.length : strlen(converted);
	return pnstrdup(converted, *length);
}

/* --- writing --- */

static void
write_number(mpk_writer *writer, const mpk_value *value)
{
	switch (value->kind)
	{
		case MPK_UINT:
			mpk_write_uint(writer, value->as.u64);
			break;
		case MPK_INT:
			mpk_write_int(writer, value->as.i64);
			break;
		default:
			mpk_write_float64(writer, value->as.f64);
			break;
	}
}

/* An integer when it has no fraction and 64 bits hold it, else the nearest float 64. */
static void
write_numeric(mpk_writer *writer, Numeric numeric)
{
	mpk_value	number;

	if (msgpack_numeric_read(numeric, &number) == MSGPACK_NUMERIC_OUT_OF_RANGE)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("numeric value is out of range for type msgpack")));
	write_number(writer, &number);
}

static void
write_datetime(mpk_writer *writer, const msgpack_item *item)
{
	char		text[MAXDATELEN + 1];

	JsonEncodeDateTime(text, item->as.datetime.value, item->as.datetime.type,
					   &item->as.datetime.zone);
	mpk_write_str(writer, text, strlen(text));
}

static void
write_scalar(mpk_writer *writer, const mpk_value *value)
{
	switch (value->kind)
	{
		case MPK_NIL:
			mpk_write_nil(writer);
			break;
		case MPK_BOOLEAN:
			mpk_write_boolean(writer, value->as.boolean);
			break;
		case MPK_STR:
			mpk_write_str(writer, value->body, value->length);
			break;
		default:
			Assert(mpk_is_number(value->kind));
			write_number(writer, value);
			break;
	}
}

void
msgpack_item_write(mpk_writer *writer, const msgpack_item *item)
{
	if (item->form == MSGPACK_ITEM_NUMERIC)
		write_numeric(writer, item->as.numeric.number);
	else if (item->form == MSGPACK_ITEM_DATETIME)
		write_datetime(writer, item);
	else if (item->value.start == NULL)
		write_scalar(writer, &item->value);
	else
		mpk_write_span(writer, item->value.start, mpk_value_end(&item->value));
}

/* --- lists --- */

void
msgpack_items_grow(msgpack_items *list)
{
	int			room = list->room <= MSGPACK_ITEMS_INLINED ? 16 : list->room * 2;

	if ((size_t) room > MPK_MAX_ALLOC / sizeof(msgpack_item))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("jsonpath finds too many items")));
	if (list->room <= MSGPACK_ITEMS_INLINED)
	{
		msgpack_item *items = palloc(room * sizeof(msgpack_item));

		memcpy(items, list->items, list->count * sizeof(msgpack_item));
		list->items = items;
	}
	else
		list->items = repalloc(list->items, room * sizeof(msgpack_item));
	list->room = room;
}
