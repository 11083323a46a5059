/*
 * msgpuck.c
 *		The codec benchmark: libmsgpuck, which can check and pass ext types, no more.
 */
#include "codec.h"

#include <msgpuck.h>

static uint64
validate(const collection *c)
{
	uint64		sum = 0;

	FOR_EACH_DOCUMENT(d, c)
	{
		const char *p = (const char *) d->data;
		const char *end = p + d->length;

		sum += mp_check(&p, end) == 0 && p == end;
	}
	return sum;
}

static uint64
skip(const collection *c)
{
	uint64		sum = 0;

	FOR_EACH_DOCUMENT(d, c)
	{
		const char *p = (const char *) d->data;

		mp_next(&p);
		sum += p - (const char *) d->data;
	}
	return sum;
}

/* The longest head: a number's. */
#define MAX_HEAD	9

static inline char *
put_event(char *p, const event *e)
{
	switch (e->kind)
	{
		case MPK_NIL:
			return mp_encode_nil(p);
		case MPK_BOOLEAN:
			return mp_encode_bool(p, e->as.boolean);
		case MPK_UINT:
			return mp_encode_uint(p, e->as.u64);
		case MPK_INT:
			return mp_encode_int(p, e->as.i64);
		case MPK_FLOAT32:
			return mp_encode_float(p, e->as.f32);
		case MPK_FLOAT64:
			return mp_encode_double(p, e->as.f64);
		case MPK_STR:
			return mp_encode_str(p, (const char *) e->as.bytes, e->length);
		case MPK_BIN:
			return mp_encode_bin(p, (const char *) e->as.bytes, e->length);
		case MPK_ARRAY:
			return mp_encode_array(p, e->length);
		default:
			return mp_encode_map(p, e->length);
	}
}

/* A container's length is no bytes. */
static inline size_t
room_needed(const event *e)
{
	return MAX_HEAD + (e->kind >= MPK_STR && e->kind <= MPK_BIN ? e->length : 0);
}

static uint64
encode(const collection *c)
{
	size_t		capacity = 64;
	char	   *buffer;
	uint64		sum = 0;

	if (c->has_ext)
		return UNABLE;
	buffer = palloc(capacity);
	FOR_EACH_DOCUMENT(d, c)
	{
		char	   *p = buffer;

		for (int j = 0; j < d->event_count; j++)
		{
			const event *e = &d->events[j];
			size_t		length = p - buffer;

			if (unlikely(capacity - length < room_needed(e)))
			{
				while (capacity - length < room_needed(e))
					capacity *= 2;
				buffer = repalloc(buffer, capacity);
				p = buffer + length;
			}
			p = put_event(p, e);
		}
		verify_encoding(c, d, buffer, p - buffer);
		sum += p - buffer;
	}
	pfree(buffer);
	return sum;
}

/* Read one value, of a container only the head. */
static inline uint64
read_value(const char **p)
{
	const char *s;
	uint32_t	length;

	switch (mp_typeof(**p))
	{
		case MP_NIL:
			mp_decode_nil(p);
			return 0;
		case MP_BOOL:
			return mp_decode_bool(p);
		case MP_UINT:
			return mp_decode_uint(p);
		case MP_INT:
			return (uint64) mp_decode_int(p);
		case MP_FLOAT:
			return sum_float(mp_decode_float(p));
		case MP_DOUBLE:
			return sum_float(mp_decode_double(p));
		case MP_STR:
			s = mp_decode_str(p, &length);
			return sum_bytes(s, length);
		case MP_BIN:
			s = mp_decode_bin(p, &length);
			return sum_bytes(s, length);
		case MP_ARRAY:
			return mp_decode_array(p);
		default:
			return mp_decode_map(p);
	}
}

static uint64
decode(const collection *c)
{
	uint64		sum = 0;

	if (c->has_ext)
		return UNABLE;
	FOR_EACH_DOCUMENT(d, c)
	{
		const char *p = (const char *) d->data;
		const char *end = p + d->length;

		while (p < end)
			sum += read_value(&p);
	}
	return sum;
}

/* To the value of a map's key, or an array's element. */
static inline bool
take_step(const char **p, const name *step)
{
	uint32_t	count;

	if (step->s == NULL)
	{
		if (mp_typeof(**p) != MP_ARRAY || (count = mp_decode_array(p)) <= step->length)
			return false;
		for (uint32_t i = 0; i < step->length; i++)
			mp_next(p);
		return true;
	}
	if (mp_typeof(**p) != MP_MAP)
		return false;
	count = mp_decode_map(p);
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	length;
		const char *s;

		if (mp_typeof(**p) == MP_STR)
		{
			s = mp_decode_str(p, &length);
			if (length == step->length && memcmp(s, step->s, length) == 0)
				return true;
		}
		else
			mp_next(p);
		mp_next(p);
	}
	return false;
}

static inline uint64
find(const document *d, const name *steps, int count)
{
	const char *p = (const char *) d->data;

	for (int i = 0; i < count; i++)
	{
		if (!take_step(&p, &steps[i]))
			return SUM_MISSING;
	}
	return read_value(&p);
}

static uint64
find_keys(const collection *c)
{
	uint64		sum = 0;

	FOR_EACH_DOCUMENT(d, c)
		for (int k = 0; k < KEYS; k++)
			sum += find(d, &c->keys[k], 1);
	return sum;
}

static uint64
find_path(const collection *c)
{
	uint64		sum = 0;

	FOR_EACH_DOCUMENT(d, c)
		sum += find(d, c->path, c->path_length);
	return sum;
}

const entry msgpuck_entries[] = {
	{VALIDATE, "msgpuck", validate},
	{SKIP, "msgpuck", skip},
	{ENCODE, "msgpuck", encode},
	{DECODE, "msgpuck", decode},
	{FIND_KEYS, "msgpuck", find_keys},
	{FIND_PATH, "msgpuck", find_path},
	{0, NULL, NULL}
};
