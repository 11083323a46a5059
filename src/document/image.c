/*
 * image.c
 *		A value's order in 64 bits, relative to a model.
 *
 * An image is an arithmetic code that keeps order.  It begins with the whole
 * range of 64-bit numbers; each thing that is told of the value, a symbol,
 * narrows the range to a part of it, parts ascending as symbols do; likely
 * symbols get wide parts.  The image is the low end of the last range.
 *
 * Order is kept as long as whether to go on after a symbol depends on the
 * symbols so far (and the model) alone.  Every function here that tells
 * something returns whether to go on: true when what it told is exact, so that
 * only equal values come this far together.
 *
 * A value beside its model, in turn:
 *
 *	kind		less, same or greater rank than the model's
 *	scalar		less than, equal to or greater than the model's; unless equal, more
 *				of the value: numbers by magnitude, strings from where they leave
 *				the model's
 *	array		before each element, whether there is one
 *	map			fewer, as many or more pairs; then pair by pair in the order of keys
 *				how the key compares with the model's key in that place, and its value
 */
#include "document/image.h"

#include <math.h>

#include "port/pg_bitutils.h"

#include "codec/scalar.h"
#include "codec/sort.h"
#include "document/compare.h"

/*
 * Models go so deep, and into so many elements, or pairs in the order of keys;
 * what is beyond is told without a model.  Few images get that far.
 */
#define MODEL_DEPTH		4
#define MODEL_WIDTH		16

/* Of a map with more pairs than this only their number is told. */
#define MODEL_PAIRS		4096

/* Of a string that leaves the model's later than this, it is not told where. */
#define COMMON_MAX		31

#define TWO_63			9223372036854775808.0
#define TWO_64			18446744073709551616.0

/* A part of the model. */
typedef struct model_node
{
	mpk_value	value;
	uint32		width;			/* elements or pairs that have nodes */
	struct model_node **nodes;	/* elements; the values of pairs, in the order of keys */

	/* of a map, pairs as they lie */
	uint32		count;			/* 0 where there are too many */
	const uint8 **keys;
	uint32	   *key_lengths;
	const uint8 **found;		/* room for the values of a map with the same keys in this order */

	uint32	   *sorted;			/* of a map: which of them, in the order of keys */
} model_node;

struct mpk_model
{
	model_node *root;
};

typedef struct image_code
{
	uint64		low;
	uint64		range;
	const uint8 *end;			/* of the bytes that the value is in */
} image_code;

/* ----------
 * The model
 * ----------
 */

static model_node *make_node(const uint8 *p, int depth);

static int
compare_keys(uint32 a, uint32 b, const void *context)
{
	const model_node *node = context;

	return mpk_compare_values(node->keys[a], node->keys[b]);
}

static void
sort_keys(model_node *node)
{
	for (uint32 i = 0; i < node->count; i++)
		node->sorted[i] = i;
	mpk_sort_places(node->sorted, node->count, compare_keys, node);
}

/* A part for a value in the first so many places; NULL for others. */
static model_node *
node_at(const model_node *node, uint32 i)
{
	return i < node->width ? node->nodes[i] : NULL;
}

static void
make_pairs(model_node *node, int depth)
{
	const uint8 *p = node->value.body;

	node->count = node->value.length;
	node->keys = palloc(sizeof(uint8 *) * node->count);
	node->found = palloc(sizeof(uint8 *) * node->count);
	node->key_lengths = palloc(sizeof(uint32) * node->count);
	node->sorted = palloc(sizeof(uint32) * node->count);
	for (uint32 i = 0; i < node->count; i++)
	{
		node->keys[i] = p;
		p = mpk_skip(p);
		node->key_lengths[i] = (uint32) (p - node->keys[i]);
		node->found[i] = p;
		p = mpk_skip(p);
	}
	sort_keys(node);
	node->width = Min(node->count, MODEL_WIDTH);
	node->nodes = palloc(sizeof(model_node *) * node->width);
	for (uint32 i = 0; i < node->width; i++)
		node->nodes[i] = make_node(node->found[node->sorted[i]], depth + 1);
}

static void
make_elements(model_node *node, int depth)
{
	const uint8 *p = node->value.body;

	node->width = Min(node->value.length, MODEL_WIDTH);
	node->nodes = palloc(sizeof(model_node *) * node->width);
	for (uint32 i = 0; i < node->width; i++)
	{
		node->nodes[i] = make_node(p, depth + 1);
		p = mpk_skip(p);
	}
}

/* NULL beyond the model's depth. */
static model_node *
make_node(const uint8 *p, int depth)
{
	model_node *node;

	if (depth == MODEL_DEPTH)
		return NULL;
	node = palloc0(sizeof(model_node));
	mpk_read(p, &node->value);
	if (node->value.kind == MPK_MAP && node->value.length <= MODEL_PAIRS && node->value.length > 0)
		make_pairs(node, depth);
	else if (node->value.kind == MPK_ARRAY && node->value.length > 0)
		make_elements(node, depth);
	return node;
}

mpk_model *
mpk_model_make(const uint8 *p)
{
	mpk_model  *model = palloc(sizeof(mpk_model));

	model->root = make_node(p, 0);
	return model;
}

/* ----------
 * The code
 * ----------
 */

/* Tell a symbol that takes the parts from "first" to before "end" of so many. */
static inline bool
tell_part(image_code *code, uint64 first, uint64 end, uint64 parts)
{
	uint64		part = code->range / parts;

	if (part == 0)
		return false;
	code->low += part * first;
	code->range = part * (end - first);
	return true;
}

static inline bool
tell(image_code *code, uint64 symbol, uint64 parts)
{
	return tell_part(code, symbol, symbol + 1, parts);
}

/* Less, equal or greater, of which equal is so likely in sixteenths (an even number). */
static inline bool
tell_relation(image_code *code, int c, int likely)
{
	int			side = (16 - likely) / 2;

	if (c == 0)
		return tell_part(code, side, 16 - side, 16);
	return c < 0 ? tell_part(code, 0, side, 16) : tell_part(code, 16 - side, 16, 16);
}

/* The lowest "bits" bits of v, as many of them from the top as there is room for. */
static bool
tell_bits(image_code *code, uint64 v, int bits)
{
	int			room;

	if (bits == 0)
		return true;
	room = code->range > 1 ? pg_leftmost_one_pos64(code->range) : 0;
	if (room < bits)
	{
		if (room > 0)
			tell(code, v >> (bits - room), UINT64CONST(1) << room);
		return false;
	}
	return tell(code, v, UINT64CONST(1) << bits);	/* room is at most 63 */
}

/* ----------
 * Numbers
 * ----------
 */

/*
 * A number taken apart: its floor is in a class by sign and bit length, from 1
 * (below -2^63) by -2^63 ... and 0 ... to 131 (2^64 and above) and 132 (NaN).
 */
#define CLASS_BELOW		1
#define CLASS_NEGATIVE	65		/* less the bit length of ~floor */
#define CLASS_POSITIVE	66		/* plus the bit length of floor */
#define CLASS_ABOVE		131
#define CLASS_NAN		132
#define CLASSES			133

typedef struct number_parts
{
	int			number_class;
	int			bits;			/* of the floor, below its leading one */
	uint64		rest;			/* these bits, arranged to ascend */
	double		fraction;		/* what the floor leaves, 0 to below 1, or rounded to 1 */
} number_parts;

static inline int
bit_length(uint64 v)
{
	return v == 0 ? 0 : pg_leftmost_one_pos64(v) + 1;
}

static void
take_apart_integer(number_parts *parts, bool negative, uint64 magnitude)
{
	int			length = bit_length(magnitude);
	uint64		mask;

	parts->number_class = negative ? CLASS_NEGATIVE - length : CLASS_POSITIVE + length;
	parts->bits = Max(length - 1, 0);
	mask = (UINT64CONST(1) << parts->bits) - 1;
	parts->rest = (negative ? ~magnitude : magnitude) & mask;
	parts->fraction = 0;
}

static void
take_apart(number_parts *parts, const mpk_value *value)
{
	double		f;
	double		floored;

	if (value->kind == MPK_UINT)
	{
		take_apart_integer(parts, false, value->as.u64);
		return;
	}
	if (value->kind == MPK_INT)
	{
		take_apart_integer(parts, true, ~(uint64) value->as.i64);
		return;
	}
	f = mpk_float_value(value);
	floored = floor(f);
	if (floored >= 0 && floored < TWO_64)
		take_apart_integer(parts, false, (uint64) floored);
	else if (floored < 0 && floored >= -TWO_63)
		take_apart_integer(parts, true, ~(uint64) (int64) floored);
	else
	{
		parts->number_class = isnan(f) ? CLASS_NAN : f < 0 ? CLASS_BELOW : CLASS_ABOVE;
		parts->bits = 0;
		return;
	}
	parts->fraction = f - floored;
}

static bool
tell_number(image_code *code, const mpk_value *value, const mpk_value *model)
{
	number_parts parts;
	number_parts model_parts;

	take_apart(&parts, value);
	if (model != NULL)
	{
		int			c;

		take_apart(&model_parts, model);
		c = parts.number_class - model_parts.number_class;
		if (!tell_relation(code, c, 8) || (c != 0 && !tell(code, parts.number_class, CLASSES)))
			return false;
	}
	else if (!tell(code, parts.number_class, CLASSES))
		return false;

	if (parts.number_class == CLASS_BELOW || parts.number_class == CLASS_ABOVE)
		return false;
	if (parts.number_class == CLASS_NAN)
		return true;
	if (!tell_bits(code, parts.rest, parts.bits))
		return false;
	if (parts.fraction == 0)
		return tell_part(code, 0, 3, 4);
	if (tell_part(code, 3, 4, 4))
		tell_bits(code, Min((uint64) (parts.fraction * 65536), 65535), 16);
	return false;
}

static mpk_value
integer_value(int64 v)
{
	mpk_value	value = {0};

	value.kind = v < 0 ? MPK_INT : MPK_UINT;
	value.as.i64 = v;
	return value;
}

static bool
tell_timestamp(image_code *code, mpk_timestamp timestamp, const mpk_timestamp *model)
{
	mpk_value	seconds = integer_value(timestamp.seconds);
	mpk_value	model_seconds = integer_value(model != NULL ? model->seconds : 0);

	return tell_number(code, &seconds, &model_seconds) &&
		tell_bits(code, timestamp.nanoseconds, 30);
}

/* ----------
 * Strings
 * ----------
 */

/* Printable ASCII is told exactly; its end, what is below and what is above are a symbol each. */
static bool
tell_characters(image_code *code, const uint8 *s, uint32 length)
{
	for (uint32 i = 0; i < length; i++)
	{
		if (s[i] < 0x20 || s[i] > 0x7e)
		{
			tell(code, s[i] < 0x20 ? 1 : 97, 98);
			return false;
		}
		if (!tell(code, s[i] - 0x20 + 2, 98))
			return false;
	}
	return tell(code, 0, 98);
}

static bool
tell_bytes(image_code *code, const uint8 *s, uint32 length)
{
	for (uint32 i = 0; i < length; i++)
		if (!tell(code, s[i] + 1, 257))
			return false;
	return tell(code, 0, 257);
}

static bool
tell_string(image_code *code, const mpk_value *value, const mpk_value *model, int c)
{
	uint32		common = 0;

	if (model != NULL)
	{
		uint32		end = Min(Min(value->length, model->length), COMMON_MAX);
		uint32		most = Min(model->length, COMMON_MAX);

		while (common < end && value->body[common] == model->body[common])
			common++;
		/* the longer below the model keeps to it the greater it is, and the other way above */
		if (!tell(code, c < 0 ? common : most - common, most + 1))
			return false;
	}
	if (value->kind == MPK_STR)
		return tell_characters(code, value->body + common, value->length - common);
	return tell_bytes(code, value->body + common, value->length - common);
}

/* ----------
 * Values
 * ----------
 */

/* A scalar that is c beside the model's, which has the same rank; or beside none (NULL, 0). */
static bool
tell_scalar(image_code *code, const mpk_value *value, const mpk_value *model, int c)
{
	switch (mpk_kind_rank(value->kind))
	{
		case MPK_NIL:
			return true;
		case MPK_BOOLEAN:
			return tell(code, value->as.boolean, 2);
		case MPK_UINT:
			return tell_number(code, value, model);
		case MPK_STR:
		case MPK_BIN:
			return tell_string(code, value, model, c);
		case MPK_TIMESTAMP:
			return tell_timestamp(code, value->as.timestamp,
								  model != NULL ? &model->as.timestamp : NULL);
		case MPK_EXT:
			tell(code, value->ext_code + 128, 256);
			return false;
		default:
			return false;		/* containers have no more to tell without a model */
	}
}

static bool
tell_without_model(image_code *code, const uint8 *p)
{
	mpk_value	value;

	mpk_read(p, &value);
	if (!tell(code, mpk_kind_rank(value.kind), MPK_MAP + 1))
		return false;
	if (value.kind == MPK_MAP)
		tell_bits(code, value.length, 32);
	return tell_scalar(code, &value, NULL, 0);
}

static bool tell_value(image_code *code, const model_node *model, const uint8 *p);

/* Find the values of a map whose keys are the model's in the same order, byte for byte. */
static bool
find_values(const image_code *code, const model_node *model, const mpk_value *map)
{
	const uint8 *p = map->body;

	for (uint32 i = 0; i < model->count; i++)
	{
		uint32		length = model->key_lengths[i];

		if ((size_t) (code->end - p) < length || memcmp(p, model->keys[i], length) != 0)
			return false;
		p += length;
		model->found[i] = p;
		p = mpk_skip(p);
	}
	return true;
}

/* The pairs of another map of as many, through its sorted view. */
static bool
tell_sorted_pairs(image_code *code, const model_node *model, const mpk_value *map)
{
	mpk_order	order;
	const mpk_order_map *sorted;
	const uint8 *p = map->body;
	bool		exact = true;

	mpk_order_build(&order, map->start, MPK_KEEP_LAST);
	sorted = mpk_order_find(&order, map->start);
	for (uint32 i = 0; i < model->count && exact; i++)
	{
		const uint8 *key = sorted ? order.start + order.pairs[sorted->first + i] : p;
		const uint8 *value = mpk_skip(key);
		int			c = mpk_compare_values(key, model->keys[model->sorted[i]]);

		exact = tell_relation(code, c, 14);
		if (exact && c != 0)
		{
			tell_without_model(code, key);
			exact = false;
		}
		exact = exact && tell_value(code, node_at(model, i), value);
		if (!sorted && exact)
			p = mpk_skip(value);
	}
	mpk_order_free(&order);
	return exact;
}

static bool
tell_map(image_code *code, const model_node *model, const mpk_value *map)
{
	int			c = (map->length > model->value.length) - (map->length < model->value.length);

	if (!tell_relation(code, c, 12))
		return false;
	if (c != 0)
	{
		tell_bits(code, map->length, 32);
		return false;
	}
	if (map->length == 0)
		return true;
	if (model->count == 0)
		return false;
	if (!find_values(code, model, map))
		return tell_sorted_pairs(code, model, map);
	for (uint32 i = 0; i < model->count; i++)
		if (!tell_relation(code, 0, 14) ||
			!tell_value(code, node_at(model, i), model->found[model->sorted[i]]))
			return false;
	return true;
}

static bool
tell_array(image_code *code, const model_node *model, const mpk_value *array)
{
	const uint8 *p = array->body;

	for (uint32 i = 0; i < array->length; i++)
	{
		if (!tell_part(code, 1, 8, 8))
			return false;
		if (i >= model->width)
		{
			tell_without_model(code, p);
			return false;
		}
		if (!tell_value(code, model->nodes[i], p))
			return false;
		p = mpk_skip(p);
	}
	return tell(code, 0, 8);
}

/* Recursion ends with the model. */
static bool
tell_value(image_code *code, const model_node *model, const uint8 *p)
{
	mpk_value	value;
	int			c;

	if (model == NULL)
		return tell_without_model(code, p);
	mpk_read(p, &value);
	c = mpk_kind_rank(value.kind) - mpk_kind_rank(model->value.kind);
	if (!tell_relation(code, c, 14))
		return false;
	if (c != 0)
		return tell_without_model(code, p);
	if (value.kind == MPK_MAP)
		return tell_map(code, model, &value);
	if (value.kind == MPK_ARRAY)
		return tell_array(code, model, &value);
	c = mpk_scalar_compare(&value, &model->value);
	if (!tell_relation(code, c, 4))
		return false;
	return c == 0 || tell_scalar(code, &value, &model->value, c);
}

uint64
mpk_model_image(mpk_model *model, const uint8 *p, const uint8 *end)
{
	image_code	code = {0, PG_UINT64_MAX, end};

	tell_value(&code, model->root, p);
	return code.low;
}
