/*
 * msgpack_c.c
 *		The codec benchmark: msgpack-c, the C library of the format's authors.
 */
#include "codec.h"

#include <msgpack.h>

/* A tree, and the memory that it lives in, used again for each document. */
typedef struct tree
{
	msgpack_zone zone;
	msgpack_object root;
} tree;

static void
tree_init(tree *t)
{
	msgpack_zone_init(&t->zone, MSGPACK_ZONE_CHUNK_SIZE);
}

static void
tree_destroy(tree *t)
{
	msgpack_zone_destroy(&t->zone);
}

/* Read the document into the tree; false when it is not one. */
static inline bool
unpack(const document *d, tree *t)
{
	size_t		used = 0;

	msgpack_zone_clear(&t->zone);
	return msgpack_unpack((const char *) d->data, d->length, &used, &t->zone, &t->root) ==
		MSGPACK_UNPACK_SUCCESS && used == d->length;
}

static uint64
validate(const collection *c)
{
	tree		t;
	uint64		sum = 0;

	tree_init(&t);
	FOR_EACH_DOCUMENT(d, c)
		sum += unpack(d, &t);
	tree_destroy(&t);
	return sum;
}

static inline void
pack_event(msgpack_packer *packer, const event *e)
{
	switch (e->kind)
	{
		case MPK_NIL:
			msgpack_pack_nil(packer);
			break;
		case MPK_BOOLEAN:
			if (e->as.boolean)
				msgpack_pack_true(packer);
			else
				msgpack_pack_false(packer);
			break;
		case MPK_UINT:
			msgpack_pack_uint64(packer, e->as.u64);
			break;
		case MPK_INT:
			msgpack_pack_int64(packer, e->as.i64);
			break;
		case MPK_FLOAT32:
			msgpack_pack_float(packer, e->as.f32);
			break;
		case MPK_FLOAT64:
			msgpack_pack_double(packer, e->as.f64);
			break;
		case MPK_STR:
			msgpack_pack_str(packer, e->length);
			msgpack_pack_str_body(packer, e->as.bytes, e->length);
			break;
		case MPK_BIN:
			msgpack_pack_bin(packer, e->length);
			msgpack_pack_bin_body(packer, e->as.bytes, e->length);
			break;
		case MPK_EXT:
			msgpack_pack_ext(packer, e->length, e->ext_code);
			msgpack_pack_ext_body(packer, e->as.bytes, e->length);
			break;
		case MPK_ARRAY:
			msgpack_pack_array(packer, e->length);
			break;
		default:
			msgpack_pack_map(packer, e->length);
			break;
	}
}

static uint64
encode(const collection *c)
{
	msgpack_sbuffer buffer;
	msgpack_packer packer;
	uint64		sum = 0;

	msgpack_sbuffer_init(&buffer);
	msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
	FOR_EACH_DOCUMENT(d, c)
	{
		msgpack_sbuffer_clear(&buffer);
		for (int j = 0; j < d->event_count; j++)
			pack_event(&packer, &d->events[j]);
		verify_encoding(c, d, buffer.data, buffer.size);
		sum += buffer.size;
	}
	msgpack_sbuffer_destroy(&buffer);
	return sum;
}

/* Of one object, of a container only the head. */
static inline uint64
sum_object(const msgpack_object *o)
{
	switch (o->type)
	{
		case MSGPACK_OBJECT_NIL:
			return 0;
		case MSGPACK_OBJECT_BOOLEAN:
			return o->via.boolean;
		case MSGPACK_OBJECT_POSITIVE_INTEGER:
			return o->via.u64;
		case MSGPACK_OBJECT_NEGATIVE_INTEGER:
			return (uint64) o->via.i64;
		case MSGPACK_OBJECT_FLOAT32:
		case MSGPACK_OBJECT_FLOAT64:
			return sum_float(o->via.f64);
		case MSGPACK_OBJECT_STR:
			return sum_bytes(o->via.str.ptr, o->via.str.size);
		case MSGPACK_OBJECT_BIN:
			return sum_bytes(o->via.bin.ptr, o->via.bin.size);
		case MSGPACK_OBJECT_EXT:
			return sum_bytes(o->via.ext.ptr, o->via.ext.size);
		case MSGPACK_OBJECT_ARRAY:
			return o->via.array.size;
		default:
			return o->via.map.size;
	}
}

/* Of an object and all that is in it; the documents here are not deep. */
static uint64
sum_tree(const msgpack_object *o)
{
	uint64		sum = sum_object(o);

	if (o->type == MSGPACK_OBJECT_ARRAY)
	{
		for (uint32_t i = 0; i < o->via.array.size; i++)
			sum += sum_tree(&o->via.array.ptr[i]);
	}
	else if (o->type == MSGPACK_OBJECT_MAP)
	{
		for (uint32_t i = 0; i < o->via.map.size; i++)
			sum += sum_tree(&o->via.map.ptr[i].key) + sum_tree(&o->via.map.ptr[i].val);
	}
	return sum;
}

static uint64
decode(const collection *c)
{
	tree		t;
	uint64		sum = 0;

	tree_init(&t);
	FOR_EACH_DOCUMENT(d, c)
	{
		unpack(d, &t);
		sum += sum_tree(&t.root);
	}
	tree_destroy(&t);
	return sum;
}

/* The value of a map's key, or an array's element; NULL when there is none. */
static inline const msgpack_object *
take_step(const msgpack_object *o, const name *step)
{
	if (step->s == NULL)
		return o->type == MSGPACK_OBJECT_ARRAY && step->length < o->via.array.size
			? &o->via.array.ptr[step->length] : NULL;
	if (o->type != MSGPACK_OBJECT_MAP)
		return NULL;
	for (uint32_t i = 0; i < o->via.map.size; i++)
	{
		const msgpack_object *key = &o->via.map.ptr[i].key;

		if (key->type == MSGPACK_OBJECT_STR && key->via.str.size == step->length &&
			memcmp(key->via.str.ptr, step->s, step->length) == 0)
			return &o->via.map.ptr[i].val;
	}
	return NULL;
}

static inline uint64
find(const msgpack_object *o, const name *steps, int count)
{
	for (int i = 0; i < count && o != NULL; i++)
		o = take_step(o, &steps[i]);
	return o != NULL ? sum_object(o) : SUM_MISSING;
}

static uint64
find_keys(const collection *c)
{
	tree		t;
	uint64		sum = 0;

	tree_init(&t);
	FOR_EACH_DOCUMENT(d, c)
	{
		unpack(d, &t);
		for (int k = 0; k < KEYS; k++)
			sum += find(&t.root, &c->keys[k], 1);
	}
	tree_destroy(&t);
	return sum;
}

static uint64
find_path(const collection *c)
{
	tree		t;
	uint64		sum = 0;

	tree_init(&t);
	FOR_EACH_DOCUMENT(d, c)
	{
		unpack(d, &t);
		sum += find(&t.root, c->path, c->path_length);
	}
	tree_destroy(&t);
	return sum;
}

const entry msgpack_c_entries[] = {
	{VALIDATE, "msgpack-c", validate},
	{ENCODE, "msgpack-c", encode},
	{DECODE, "msgpack-c", decode},
	{FIND_KEYS, "msgpack-c", find_keys},
	{FIND_PATH, "msgpack-c", find_path},
	{0, NULL, NULL}
};
