/*
 * canonical.c
 *		The canonical form: equal values have equal canonical bytes.
 */
#include "document/canonical.h"

#include "codec/number.h"
#include "document/order.h"

/* A container being written. */
typedef struct canonical_frame
{
	const uint32 *pairs;		/* of a map whose keys do not ascend: places of pairs to come */
	const uint8 *end;			/* with it: the byte after the map */
	uint32		left;			/* values still to come; of a map, even before a key */
} canonical_frame;

static void
write_number(mpk_writer *writer, const mpk_value *value)
{
	mpk_value	number = *value;

	mpk_number_normalize(&number);
	if (number.kind == MPK_UINT)
		mpk_write_uint(writer, number.as.u64);
	else if (number.kind == MPK_INT)
		mpk_write_int(writer, number.as.i64);
	else
		mpk_write_float64(writer, number.as.f64);
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
		case MPK_BIN:
			mpk_write_bin(writer, value->body, value->length);
			break;
		case MPK_TIMESTAMP:
			mpk_write_timestamp(writer, value->as.timestamp);
			break;
		case MPK_EXT:
			mpk_write_ext(writer, value->ext_code, value->body, value->length);
			break;
		default:
			write_number(writer, value);
	}
}

static void
enter_container(mpk_writer *writer, canonical_frame *frame, const mpk_order *order,
				const mpk_value *value)
{
	const mpk_order_map *map;
	uint32		count;

	frame->pairs = NULL;
	if (value->kind == MPK_ARRAY)
	{
		mpk_write_array_head(writer, value->length);
		frame->left = value->length;
		return;
	}
	map = mpk_order_find(order, value->start);
	count = map != NULL ? map->count : value->length;
	if (map != NULL)
	{
		frame->pairs = order->pairs + map->first;
		frame->end = order->start + map->end;
	}
	mpk_write_map_head(writer, count);
	frame->left = count * 2;
}

static void
write_ordered(mpk_writer *writer, const mpk_order *order)
{
	canonical_frame stack[MPK_MAX_DEPTH];
	int			depth = 0;
	const uint8 *p = order->start;

	do
	{
		mpk_value	value;

		MPK_CHECK_FOR_INTERRUPTS();
		if (depth > 0 && stack[depth - 1].left-- % 2 == 0 && stack[depth - 1].pairs != NULL)
			p = order->start + *stack[depth - 1].pairs++;
		p = mpk_read(p, &value);
		if (mpk_is_container(value.kind))
			enter_container(writer, &stack[depth++], order, &value);
		else
			write_scalar(writer, &value);
		while (depth > 0 && stack[depth - 1].left == 0)
		{
			depth--;
			if (stack[depth].pairs != NULL)
				p = stack[depth].end;
		}
	} while (depth > 0 && !writer->overflow);
}

void
mpk_canonical(mpk_writer *writer, const mpk_document *document)
{
	mpk_order	order;

	mpk_order_build(&order, document->payload, MPK_KEEP_LAST);
	write_ordered(writer, &order);
	mpk_order_free(&order);
}

bool
mpk_is_canonical(const mpk_document *document)
{
	mpk_writer	writer;
	bool		same;

	mpk_writer_init(&writer, document->length);
	mpk_canonical(&writer, document);
	same = !writer.overflow && writer.length == document->length &&
		memcmp(mpk_writer_data(&writer), document->payload, document->length) == 0;
	pfree(writer.buffer);
	return same;
}
