/*
 * compare.c
 *		The total order and the hash, side by side so that they agree.
 *
 * Most pairs of values that meet in a sort or a join were written by the same
 * program, with their keys in the same order.  So there are two ways:
 *
 * 1. In step: walk both values at once as they lie.  As long as each key
 *	  equals its counterpart, maps are compared pair by pair; of the pairs
 *	  whose values differ the one with the least key decides, as it would if
 *	  both were sorted.  One pass, no memory.
 *
 * 2. Through the sorted views (document/order.h), when keys did not keep step
 *	  or a value is irregular.  There the first difference decides.
 *
 * The hash never needs a map sorted, since a sum has no order.
 */
#include "document/compare.h"

#include "codec/hash.h"
#include "codec/scalar.h"

/* What the hash of a container starts from; part of the stored format. */
#define ARRAY_SEED	UINT64CONST(0x6d706b2061727279)
#define MAP_SEED	UINT64CONST(0x6d706b206d617070)

/* Comparing in step came to two different keys at one place. */
#define OUT_OF_STEP	2

static inline int
compare_uint(uint64 a, uint64 b)
{
	return a < b ? -1 : a > b;
}

/* ----------
 * Through the sorted views
 * ----------
 */

/* A pair of containers being compared, a map's pairs in the order of their keys. */
typedef struct ordered_frame
{
	const uint32 *pairs_a;		/* places of the pairs to come; NULL: as they lie */
	const uint32 *pairs_b;
	const uint8 *end_a;			/* with them: the byte after the map */
	const uint8 *end_b;
	uint32		left;			/* values still to compare; of a map, even before a key */
	int			verdict;		/* when all of them are equal */
} ordered_frame;

/*
 * Begin to compare two arrays or two maps.  False when there is nothing to step
 * into: both are empty, or counts already decide; then *c is the result.
 */
static bool
enter_ordered(ordered_frame *frame, const mpk_order *order_a, const mpk_value *a,
			  const mpk_order *order_b, const mpk_value *b, int *c)
{
	if (a->kind == MPK_ARRAY)
	{
		*c = compare_uint(a->length, b->length);
		frame->pairs_a = frame->pairs_b = NULL;
		frame->left = Min(a->length, b->length);
	}
	else
	{
		const mpk_order_map *map_a = mpk_order_find(order_a, a->start);
		const mpk_order_map *map_b = mpk_order_find(order_b, b->start);
		uint32		count_a = map_a != NULL ? map_a->count : a->length;
		uint32		count_b = map_b != NULL ? map_b->count : b->length;

		*c = compare_uint(count_a, count_b);
		if (*c != 0)
			return false;
		frame->pairs_a = map_a != NULL ? order_a->pairs + map_a->first : NULL;
		frame->pairs_b = map_b != NULL ? order_b->pairs + map_b->first : NULL;
		frame->end_a = map_a != NULL ? order_a->start + map_a->end : NULL;
		frame->end_b = map_b != NULL ? order_b->start + map_b->end : NULL;
		frame->left = count_a * 2;
	}
	frame->verdict = *c;
	return frame->left > 0;
}

/* Two arrays or two maps are equal so far: leave them and all that end with them. */
static int
leave_ordered(const ordered_frame *stack, int *depth, const uint8 **a, const uint8 **b)
{
	while (*depth > 0 && stack[*depth - 1].left == 0)
	{
		const ordered_frame *frame = &stack[--*depth];

		if (frame->verdict != 0)
			return frame->verdict;
		if (frame->pairs_a != NULL)
			*a = frame->end_a;
		if (frame->pairs_b != NULL)
			*b = frame->end_b;
	}
	return 0;
}

/* Step to the next value of the containers under way. */
static void
next_ordered(ordered_frame *frame, const mpk_order *order_a, const uint8 **a,
			 const mpk_order *order_b, const uint8 **b)
{
	if (frame->left % 2 == 0)
	{
		if (frame->pairs_a != NULL)
			*a = order_a->start + *frame->pairs_a++;
		if (frame->pairs_b != NULL)
			*b = order_b->start + *frame->pairs_b++;
	}
	frame->left--;
}

int
mpk_compare_ordered(const mpk_order *order_a, const uint8 *a,
					const mpk_order *order_b, const uint8 *b)
{
	ordered_frame stack[MPK_MAX_DEPTH];
	int			depth = 0;

	for (;;)
	{
		mpk_value	value_a;
		mpk_value	value_b;
		int			c;

		MPK_CHECK_FOR_INTERRUPTS();
		a = mpk_read(a, &value_a);
		b = mpk_read(b, &value_b);
		if (value_a.kind == value_b.kind && mpk_is_container(value_a.kind))
		{
			if (enter_ordered(&stack[depth], order_a, &value_a, order_b, &value_b, &c))
			{
				next_ordered(&stack[depth++], order_a, &a, order_b, &b);
				continue;
			}
		}
		else
			c = mpk_scalar_compare(&value_a, &value_b);

		if (c == 0)
			c = leave_ordered(stack, &depth, &a, &b);
		if (c != 0 || depth == 0)
			return c;
		next_ordered(&stack[depth - 1], order_a, &a, order_b, &b);
	}
}

/* ----------
 * In step
 * ----------
 */

/* A pair of containers being compared in step. */
typedef struct step_frame
{
	const uint8 *key;			/* of a map: the key under way, or whose value is */
	const uint8 *least;			/* of a map: the least key yet whose values differ, or NULL */
	uint32		left;			/* pairs of values still to begin; of a map, even before a key */
	uint32		rest_a;			/* of an array: elements beyond the shorter one's end */
	uint32		rest_b;
	int8		verdict;		/* of a map: what "least" says; of an array: what the lengths say */
	bool		map;
} step_frame;

typedef struct steps
{
	const uint8 *a;				/* the next value of each side */
	const uint8 *b;
	int			depth;
	int			maps;			/* maps among the frames */
	int			keys;			/* maps of which a key is under way */
	step_frame	stack[MPK_MAX_DEPTH];
} steps;

static const uint8 *
skip_values(const uint8 *p, uint32 count)
{
	for (uint32 i = 0; i < count; i++)
		p = mpk_skip(p);
	return p;
}

/* Is key a before key b, of one map?  OUT_OF_STEP when it takes more than a look. */
static int
key_before(const uint8 *a, const uint8 *b)
{
	mpk_value	value_a;
	mpk_value	value_b;

	if (mpk_is_short_str(*a) && mpk_is_short_str(*b))
		return mpk_short_str_compare(a, b) < 0;
	mpk_read(a, &value_a);
	mpk_read(b, &value_b);
	if (mpk_is_container(value_a.kind) || mpk_is_container(value_b.kind))
		return OUT_OF_STEP;
	return mpk_scalar_compare(&value_a, &value_b) < 0;
}

/*
 * Compare what lies next on both sides, and move behind it.  Where two arrays
 * or two maps are to be entered, pushes a frame and returns OUT_OF_STEP.
 */
static int
step_into(steps *walk, const mpk_value *a, const mpk_value *b)
{
	step_frame *frame = &walk->stack[walk->depth];
	uint32		shared = Min(a->length, b->length);
	int			c = compare_uint(a->length, b->length);

	frame->map = a->kind == MPK_MAP;
	if (shared == 0 || (frame->map && c != 0))
	{
		walk->a = skip_values(walk->a, frame->map ? a->length * 2 : a->length);
		walk->b = skip_values(walk->b, frame->map ? b->length * 2 : b->length);
		return c;
	}
	frame->least = NULL;
	frame->left = frame->map ? shared * 2 : shared;
	frame->rest_a = a->length - shared;
	frame->rest_b = b->length - shared;
	frame->verdict = c;
	walk->depth++;
	walk->maps += frame->map;
	return OUT_OF_STEP;
}

static int
step_over(steps *walk)
{
	mpk_value	a;
	mpk_value	b;

	/* the same one-byte value, or the same short string: most keys */
	if (*walk->a == *walk->b)
	{
		uint8		type = *walk->a;

		if (type < MPK_FIXMAP || type >= MPK_NEGATIVE_FIXINT)
		{
			walk->a++;
			walk->b++;
			return 0;
		}
		if (mpk_is_short_str(type))
		{
			uint32		length = type - MPK_FIXSTR;
			int			c = memcmp(walk->a + 1, walk->b + 1, length);

			walk->a += length + 1;
			walk->b += length + 1;
			return c < 0 ? -1 : c > 0;
		}
	}

	walk->a = mpk_read(walk->a, &a);
	walk->b = mpk_read(walk->b, &b);
	if (a.kind == b.kind && mpk_is_container(a.kind))
		return step_into(walk, &a, &b);
	if (mpk_is_container(a.kind))
		walk->a = mpk_skip(a.start);
	if (mpk_is_container(b.kind))
		walk->b = mpk_skip(b.start);
	return mpk_scalar_compare(&a, &b);
}

/* Two keys or two values of a map compared as c: 0 to go on, OUT_OF_STEP to give up. */
static int
settle_in_map(steps *walk, step_frame *frame, int c)
{
	if (frame->left % 2 == 1)
	{
		walk->keys--;
		return c == 0 ? 0 : OUT_OF_STEP;
	}
	if (c != 0)
	{
		int			before = frame->least == NULL ? 1 : key_before(frame->key, frame->least);

		if (before == OUT_OF_STEP)
			return OUT_OF_STEP;
		if (before)
		{
			frame->least = frame->key;
			frame->verdict = c;
		}
	}
	return 0;
}

/*
 * Two values compared as c, and both sides are behind them: carry that to the
 * containers they are in, leaving those that it ends.  Returns the comparison
 * of the outermost container that ended, for the caller to return when no
 * frame is left, or OUT_OF_STEP.
 */
static int
settle(steps *walk, int c)
{
	while (walk->depth > 0)
	{
		step_frame *frame = &walk->stack[walk->depth - 1];

		if (frame->map)
		{
			if (settle_in_map(walk, frame, c) != 0)
				return OUT_OF_STEP;
			if (frame->left > 0)
				return 0;
			c = frame->verdict;
			walk->maps--;
		}
		else
		{
			if (c == 0 && frame->left > 0)
				return 0;
			if (c == 0)
				c = frame->verdict;
			if (c != 0 && walk->maps > 0)
			{
				walk->a = skip_values(walk->a, frame->left + frame->rest_a);
				walk->b = skip_values(walk->b, frame->left + frame->rest_b);
			}
		}
		walk->depth--;
	}
	return c;
}

/* Begin the next pair of values of the innermost containers. */
static void
advance(steps *walk)
{
	step_frame *frame = &walk->stack[walk->depth - 1];

	if (frame->map && frame->left % 2 == 0)
	{
		walk->keys++;
		frame->key = walk->a;
	}
	frame->left--;
}

/* May the values of this pair be passed over?  When a difference at a lesser key is known. */
static bool
is_decided(const steps *walk)
{
	const step_frame *frame = &walk->stack[walk->depth - 1];

	return frame->map && frame->left % 2 == 0 && frame->least != NULL &&
		key_before(frame->key, frame->least) == 0;
}

/*
 * -1, 0 or 1; OUT_OF_STEP when keys differ at one place.  Of regular values.  For
 * "equality" any difference will do.
 */
static int
compare_in_step(const uint8 *a, const uint8 *b, bool equality)
{
	steps		walk;

	walk.a = a;
	walk.b = b;
	walk.depth = walk.maps = walk.keys = 0;
	for (;;)
	{
		int			depth = walk.depth;
		int			c;

		MPK_CHECK_FOR_INTERRUPTS();
		if (depth > 0 && is_decided(&walk))
		{
			walk.a = mpk_skip(walk.a);
			walk.b = mpk_skip(walk.b);
			c = 0;
		}
		else
			c = step_over(&walk);
		if (walk.depth == depth)
		{
			if (c != 0 && (equality ? walk.keys == 0 : walk.maps == 0))
				return c;
			c = settle(&walk, c);
			if (c == OUT_OF_STEP || walk.depth == 0)
				return c;
		}
		advance(&walk);
	}
}

/* ----------
 * The hash
 * ----------
 */

/* A container being hashed. */
typedef struct hash_frame
{
	uint64		state;			/* of an array: the chain so far; of a map: the sum of its pairs */
	uint64		key;			/* of a map, between a key and its value: the key's hash */
	uint64		seed;			/* of a map: what its sum is finished with */
	const uint32 *pairs;		/* as in ordered_frame */
	const uint8 *end;
	uint32		left;
	bool		map;
} hash_frame;

static void
enter_hash(hash_frame *frame, const mpk_order *order, const mpk_value *value)
{
	frame->map = value->kind == MPK_MAP;
	frame->pairs = NULL;
	if (frame->map)
	{
		const mpk_order_map *map = mpk_order_find(order, value->start);
		uint32		count = map != NULL ? map->count : value->length;

		if (map != NULL)
		{
			frame->pairs = order->pairs + map->first;
			frame->end = order->start + map->end;
		}
		frame->state = 0;
		frame->seed = mpk_hash_mix(MAP_SEED + count);
		frame->left = count * 2;
	}
	else
	{
		frame->state = mpk_hash_mix(ARRAY_SEED + value->length);
		frame->left = value->length;
	}
}

static inline uint64
leave_hash(const hash_frame *frame)
{
	return frame->map ? mpk_hash_mix(frame->state + frame->seed) : frame->state;
}

/* A value inside the container has this hash. */
static inline void
add_hash(hash_frame *frame, uint64 hash)
{
	if (!frame->map)
		frame->state = mpk_hash_mix(frame->state ^ hash);
	else if (frame->left % 2 == 1)
		frame->key = mpk_hash_mix(hash);
	else
		frame->state += mpk_hash_mix(frame->key ^ hash);
}

/*
 * Hash the scalar at *p and move behind it.  False for a container, which is
 * read into *value, *p moving behind its head.
 */
static inline bool
hash_next(const uint8 **p, mpk_value *value, uint64 *hash)
{
	const uint8 *start = *p;

	if (mpk_is_short_str(*start))	/* most keys */
	{
		uint32		length = *start - MPK_FIXSTR;

		*hash = mpk_hash_bytes(start + 1, length, MPK_HASH_SEED_STR);
		*p = start + 1 + length;
		return true;
	}
	*p = mpk_read(start, value);
	if (mpk_is_container(value->kind))
		return false;
	*hash = mpk_hash_scalar(value);
	return true;
}

static uint64
hash_ordered(const mpk_order *order, const uint8 *p)
{
	hash_frame	stack[MPK_MAX_DEPTH];
	int			depth = 0;

	for (;;)
	{
		mpk_value	value;
		uint64		hash;

		MPK_CHECK_FOR_INTERRUPTS();
		if (hash_next(&p, &value, &hash))
		{
			if (depth == 0)
				return hash;
			add_hash(&stack[depth - 1], hash);
		}
		else
			enter_hash(&stack[depth++], order, &value);
		while (stack[depth - 1].left == 0)
		{
			hash_frame *frame = &stack[--depth];

			if (frame->pairs != NULL)
				p = frame->end;
			if (depth == 0)
				return leave_hash(frame);
			add_hash(&stack[depth - 1], leave_hash(frame));
		}
		if (stack[depth - 1].left-- % 2 == 0 && stack[depth - 1].pairs != NULL)
			p = order->start + *stack[depth - 1].pairs++;
	}
}

uint64
mpk_hash_seed(uint64 hash, uint64 seed)
{
	return seed == 0 ? hash : mpk_hash_mix(hash ^ mpk_hash_mix(seed));
}

/* ----------
 * Values and documents
 * ----------
 */

/* Both sides through views of their own. */
static int
compare_sorted(const uint8 *a, const uint8 *b)
{
	mpk_order	order_a;
	mpk_order	order_b;
	int			c;

	mpk_order_build(&order_a, a, MPK_KEEP_LAST);
	mpk_order_build(&order_b, b, MPK_KEEP_LAST);
	c = mpk_compare_ordered(&order_a, a, &order_b, b);
	mpk_order_free(&order_a);
	mpk_order_free(&order_b);
	return c;
}

int
mpk_compare_values(const uint8 *a, const uint8 *b)
{
	int			c = compare_in_step(a, b, false);

	return c == OUT_OF_STEP ? compare_sorted(a, b) : c;
}

bool
mpk_equal_values(const uint8 *a, const uint8 *b)
{
	int			c = compare_in_step(a, b, true);

	if (c != OUT_OF_STEP)
		return c == 0;

	/* other keys, or the same in another order: the hash tells at half the price of sorting */
	return mpk_hash_value(a) == mpk_hash_value(b) && compare_sorted(a, b) == 0;
}

uint64
mpk_hash_value(const uint8 *p)
{
	return hash_ordered(NULL, p);
}

/* The same bytes are equal, irregular ones too. */
static inline bool
is_identical(const mpk_document *a, const mpk_document *b)
{
	return a->length == b->length && memcmp(a->payload, b->payload, a->length) == 0;
}

static inline bool
has_repeated_keys(const mpk_document *document)
{
	return (document->flags & MPK_REPEATED_KEYS) != 0;
}

int
mpk_compare(const mpk_document *a, const mpk_document *b)
{
	if (is_identical(a, b))
		return 0;
	if (has_repeated_keys(a) || has_repeated_keys(b))
		return compare_sorted(a->payload, b->payload);
	return mpk_compare_values(a->payload, b->payload);
}

bool
mpk_equal(const mpk_document *a, const mpk_document *b)
{
	if (is_identical(a, b))
		return true;
	if (has_repeated_keys(a) || has_repeated_keys(b))
		return compare_sorted(a->payload, b->payload) == 0;
	return mpk_equal_values(a->payload, b->payload);
}

uint64
mpk_hash(const mpk_document *document)
{
	mpk_order	order;
	uint64		hash;

	if (!has_repeated_keys(document))
		return mpk_hash_value(document->payload);
	mpk_order_build(&order, document->payload, MPK_KEEP_LAST);
	hash = hash_ordered(&order, document->payload);
	mpk_order_free(&order);
	return hash;
}
