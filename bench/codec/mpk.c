/*
 * mpk.c
 *		The codec benchmark: mpk's lower layers, as the extension links them.
 */
#include "codec.h"

#include "codec/validate.h"
#include "codec/write.h"

static uint64
validate(const collection *c)
{
	uint64		sum = 0;

	FOR_EACH_DOCUMENT(d, c)
	{
		unsigned	flags;
		mpk_error	error;

		sum += mpk_validate(d->data, d->length, &flags, &error) &&
			flags == 0;
	}
	return sum;
}

static uint64
skip(const collection *c)
{
	uint64		sum = 0;

	FOR_EACH_DOCUMENT(d, c)
		sum += mpk_skip(d->data) - d->data;
	return sum;
}

static void
write_event(mpk_writer *writer, const event *e)
{
	switch (e->kind)
	{
		case MPK_NIL:
			mpk_write_nil(writer);
			break;
		case MPK_BOOLEAN:
			mpk_write_boolean(writer, e->as.boolean);
			break;
		case MPK_UINT:
			mpk_write_uint(writer, e->as.u64);
			break;
		case MPK_INT:
			mpk_write_int(writer, e->as.i64);
			break;
		case MPK_FLOAT32:
			mpk_write_float32(writer, e->as.f32);
			break;
		case MPK_FLOAT64:
			mpk_write_float64(writer, e->as.f64);
			break;
		case MPK_STR:
			mpk_write_str(writer, e->as.bytes, e->length);
			break;
		case MPK_BIN:
			mpk_write_bin(writer, e->as.bytes, e->length);
			break;
		case MPK_EXT:
			mpk_write_ext(writer, e->ext_code, e->as.bytes, e->length);
			break;
		case MPK_ARRAY:
			mpk_write_array_head(writer, e->length);
			break;
		default:
			mpk_write_map_head(writer, e->length);
			break;
	}
}

static uint64
encode(const collection *c)
{
	mpk_writer	writer;
	uint64		sum = 0;

	mpk_writer_init(&writer, 0);
	FOR_EACH_DOCUMENT(d, c)
	{
		writer.length = 0;
		for (int j = 0; j < d->event_count; j++)
			write_event(&writer, &d->events[j]);
		verify_encoding(c, d, mpk_writer_data(&writer), writer.length);
		sum += writer.length;
	}
	pfree(writer.buffer);
	return sum;
}

static inline uint64
sum_value(const mpk_value *value)
{
	switch (value->kind)
	{
		case MPK_NIL:
			return 0;
		case MPK_BOOLEAN:
			return value->as.boolean;
		case MPK_UINT:
		case MPK_INT:
			return value->as.u64;
		case MPK_FLOAT32:
		case MPK_FLOAT64:
			return sum_float(mpk_float_value(value));
		case MPK_ARRAY:
		case MPK_MAP:
			return value->length;
		default:
			return sum_bytes(value->body, value->length);
	}
}

static uint64
decode(const collection *c)
{
	uint64		sum = 0;

	FOR_EACH_DOCUMENT(d, c)
	{
		const uint8 *p = d->data;
		const uint8 *end = p + d->length;

		while (p < end)
		{
			mpk_value	value;

			p = mpk_read(p, &value);
			sum += sum_value(&value);
		}
	}
	return sum;
}

/* Follow the steps from the document's root. */
static inline uint64
find(const uint8 *stored, size_t length, const mpk_step *steps, int count)
{
	mpk_cursor	cursor;
	mpk_spot	spot;
	mpk_value	value;

	if (mpk_cursor_open(&cursor, stored, length) && mpk_spot_root(&cursor, &spot) &&
		mpk_path_follow(&cursor, &spot, steps, count) && mpk_spot_read(&cursor, &spot, &value))
		return sum_value(&value);
	return SUM_MISSING;
}

static uint64
find_keys(const collection *c)
{
	uint64		sum = 0;

	FOR_EACH_DOCUMENT(d, c)
		for (int k = 0; k < KEYS; k++)
			sum += find(d->data, d->length, &c->key_steps[k], 1);
	return sum;
}

static uint64
find_path(const collection *c)
{
	uint64		sum = 0;

	FOR_EACH_DOCUMENT(d, c)
		sum += find(d->data, d->length, c->path_steps, c->path_length);
	return sum;
}

static uint64
find_keys_stored(const collection *c)
{
	uint64		sum = 0;

	FOR_EACH_DOCUMENT(d, c)
		for (int k = 0; k < KEYS; k++)
			sum += find(d->stored, d->stored_length,
						&c->key_steps[k], 1);
	return sum;
}

static uint64
find_path_stored(const collection *c)
{
	uint64		sum = 0;

	FOR_EACH_DOCUMENT(d, c)
		sum += find(d->stored, d->stored_length, c->path_steps,
					c->path_length);
	return sum;
}

const entry mpk_entries[] = {
	{VALIDATE, "mpk", validate},
	{SKIP, "mpk", skip},
	{ENCODE, "mpk", encode},
	{DECODE, "mpk", decode},
	{FIND_KEYS, "mpk", find_keys},
	{FIND_KEYS, "mpk, stored", find_keys_stored},
	{FIND_PATH, "mpk", find_path},
	{FIND_PATH, "mpk, stored", find_path_stored},
	{0, NULL, NULL}
};
