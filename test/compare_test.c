/*
 * compare_test.c
 *		Order, equality, hash, canonical form and repair, against a naive model.
 *
 * Values are made as trees and encoded at random: any legal width, pairs in
 * any order.  The model compares trees, recursively and slowly, and numbers as
 * long doubles, which hold every 64-bit integer and every double exactly.
 *
 * Usage: compare_test [seed]
 */
#include "postgres_fe.h"

#include <float.h>
#include <math.h>
#include <time.h>

#include "codec/hash.h"
#include "codec/number.h"
#include "codec/validate.h"
#include "document/canonical.h"
#include "document/compare.h"
#include "document/image.h"
#include "document/locate.h"
#include "document/regular.h"

#include "counting.h"

#if LDBL_MANT_DIG < 64

/* No number here holds every 64-bit integer and every double: there can be no model. */
int
main(void)
{
	printf("0 passed, 0 failed, 1 skipped\n");
	return 0;
}

#else

#define POOL	700

static uint64 seed = 20261130;

static void
check(bool ok, const char *what)
{
	if (failed_check(ok))
		printf("FAILED: %s\n", what);
}

/* ----------
 * Trees
 * ----------
 */

typedef struct tree
{
	mpk_kind	kind;			/* MPK_UINT stands for every number */
	long double number;
	bool		is_float;		/* encode as a float (its value fits one) */
	int64		seconds;		/* of a timestamp */
	uint32		nanoseconds;
	bool		boolean;
	int8		code;
	int			length;			/* bytes, elements or pairs */
	uint8		bytes[24];
	struct tree **items;		/* elements, or key, value, key, value ... */
} tree;

static uint64
draw(void)
{
	seed += UINT64CONST(0x9e3779b97f4a7c15);
	return mpk_hash_mix(seed);
}

static int
below(int n)
{
	return (int) (draw() % n);
}

static const long double edges[] = {
	0, -0.0L, 1, -1, 127, 128, 255, 256, -32, -33, -128, -129, 65535, 65536, 0.5L, -0.5L, 1.5L,
	9007199254740991.0L, 9007199254740992.0L, 9007199254740993.0L, 9007199254740994.0L,
	-9007199254740992.0L, -9007199254740993.0L,
	9223372036854775807.0L, 9223372036854775808.0L, 9223372036854775809.0L,
	9223372036854774784.0L, -9223372036854775808.0L, -9223372036854775807.0L,
	-9223372036854777856.0L, 18446744073709551615.0L, 18446744073709551616.0L,
	18446744073709549568.0L, 4294967295.0L, 4294967296.0L, 1e300L, -1e300L,
	16777216, 16777217, 0.1L
};

static void
make_number(tree *t)
{
	t->kind = MPK_UINT;
	t->number = edges[below(lengthof(edges))];
	if (below(4) == 0)
		t->number = below(5);
	if (below(12) == 0)
		t->number = (long double) (double) NAN;
	else if (below(20) == 0)
		t->number = below(2) ? (long double) HUGE_VAL : -(long double) HUGE_VAL;
	else if (below(20) == 0)
		t->number = (long double) (float) 0.1;
	t->is_float = (double) t->number == t->number && below(2) == 0;
	if (isnan(t->number) || t->number != truncl(t->number) ||
		t->number < -9223372036854775808.0L || t->number > 18446744073709551615.0L)
	{
		t->is_float = true;
		t->number = (double) t->number;
	}
}

static tree *make_tree(int depth);

static bool key_is_there(const tree *t, int pairs, const tree *key);

static void
make_map(tree *t, int depth, bool repeat)
{
	int			pairs = below(5);

	t->kind = MPK_MAP;
	t->items = palloc(sizeof(tree *) * 2 * (pairs + 1));
	for (int i = 0; i < pairs; i++)
	{
		tree	   *key = make_tree(below(3) == 0 ? depth + 1 : 9);

		if (!repeat && key_is_there(t, t->length, key))
			continue;
		t->items[2 * t->length] = key;
		t->items[2 * t->length + 1] = make_tree(depth + 1);
		t->length++;
	}
}

/* One value in so many maps repeats keys. */
static int	repeat_one_in = 0;

static tree *
make_tree(int depth)
{
	tree	   *t = palloc0(sizeof(tree));
	int			what = below(depth >= 4 ? 7 : 10);

	if (what >= 7)
	{
		if (below(2) == 0)
			make_map(t, depth, repeat_one_in > 0 && below(repeat_one_in) == 0);
		else
		{
			t->kind = MPK_ARRAY;
			t->length = below(4);
			t->items = palloc(sizeof(tree *) * 4);
			for (int i = 0; i < t->length; i++)
				t->items[i] = make_tree(depth + 1);
		}
		return t;
	}
	switch (what)
	{
		case 0:
			t->kind = below(2) ? MPK_NIL : MPK_BOOLEAN;
			t->boolean = below(2) == 0;
			break;
		case 1:
			t->kind = below(3) == 0 ? MPK_BIN : MPK_EXT;
			t->code = (int8) (below(3) - 1);
			t->length = below(3);
			break;
		case 2:
			t->kind = MPK_TIMESTAMP;
			t->seconds = (int64) (draw() >> (below(2) ? 61 : 20)) * (below(2) ? 1 : -1);
			t->nanoseconds = below(2) ? 0 : below(3);
			break;
		case 3:
		case 4:
			t->kind = MPK_STR;
			t->length = below(4);
			break;
		default:
			make_number(t);
	}
	for (int i = 0; i < t->length; i++)
		t->bytes[i] = (uint8) "ab\0\xff"[below(4)];
	return t;
}

/* ----------
 * The model
 * ----------
 */

static int	model_compare(const tree *a, const tree *b);

static int
sign(long double d)
{
	return (d > 0) - (d < 0);
}

static int
model_bytes(const tree *a, const tree *b)
{
	for (int i = 0; i < a->length && i < b->length; i++)
		if (a->bytes[i] != b->bytes[i])
			return a->bytes[i] < b->bytes[i] ? -1 : 1;
	return sign(a->length - b->length);
}

static bool
key_is_there(const tree *t, int pairs, const tree *key)
{
	for (int i = 0; i < pairs; i++)
		if (model_compare(t->items[2 * i], key) == 0)
			return true;
	return false;
}

/* The pairs that count, the last of equal keys, by selection into sorted order. */
static int
model_pairs(const tree *t, int *sorted)
{
	int			n = 0;

	for (int i = 0; i < t->length; i++)
	{
		bool		counts = true;
		int			j;

		for (int k = i + 1; k < t->length; k++)
			if (model_compare(t->items[2 * i], t->items[2 * k]) == 0)
				counts = false;
		if (!counts)
			continue;
		for (j = n++; j > 0 && model_compare(t->items[2 * i], t->items[2 * sorted[j - 1]]) < 0; j--)
			sorted[j] = sorted[j - 1];
		sorted[j] = i;
	}
	return n;
}

static int
model_maps(const tree *a, const tree *b)
{
	int			pairs_a[8];
	int			pairs_b[8];
	int			n = model_pairs(a, pairs_a);
	int			c = sign(n - model_pairs(b, pairs_b));

	for (int i = 0; i < n && c == 0; i++)
	{
		c = model_compare(a->items[2 * pairs_a[i]], b->items[2 * pairs_b[i]]);
		if (c == 0)
			c = model_compare(a->items[2 * pairs_a[i] + 1], b->items[2 * pairs_b[i] + 1]);
	}
	return c;
}

static int
model_compare(const tree *a, const tree *b)
{
	int			c = 0;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	switch (a->kind)
	{
		case MPK_BOOLEAN:
			return a->boolean - b->boolean;
		case MPK_UINT:
			if (isnan(a->number) || isnan(b->number))
				return (isnan(a->number) != 0) - (isnan(b->number) != 0);
			return (a->number > b->number) - (a->number < b->number);
		case MPK_STR:
		case MPK_BIN:
			return model_bytes(a, b);
		case MPK_EXT:
			return a->code != b->code ? sign(a->code - b->code) : model_bytes(a, b);
		case MPK_TIMESTAMP:
			if (a->seconds != b->seconds)
				return a->seconds < b->seconds ? -1 : 1;
			return sign((long double) a->nanoseconds - b->nanoseconds);
		case MPK_ARRAY:
			for (int i = 0; i < a->length && i < b->length && c == 0; i++)
				c = model_compare(a->items[i], b->items[i]);
			return c != 0 ? c : sign(a->length - b->length);
		case MPK_MAP:
			return model_maps(a, b);
		default:
			return 0;
	}
}

/* Does some map of the tree, keys included, hold equal keys? */
static bool
model_repeats(const tree *t)
{
	int			n = t->kind == MPK_MAP ? t->length * 2 : t->kind == MPK_ARRAY ? t->length : 0;

	for (int i = 0; i < n; i++)
		if (model_repeats(t->items[i]))
			return true;
	for (int i = 0; t->kind == MPK_MAP && i < t->length; i++)
		if (key_is_there(t, i, t->items[2 * i]))
			return true;
	return false;
}

/* ----------
 * Encoding at random
 * ----------
 */

static void
put(mpk_writer *w, int type, uint64 v, int bytes)
{
	uint8		out[9];

	out[0] = (uint8) type;
	for (int i = 0; i < bytes; i++)
		out[1 + i] = (uint8) (v >> (8 * (bytes - 1 - i)));
	mpk_write_raw(w, out, bytes + 1);
}

static void
encode_integer(mpk_writer *w, const tree *t)
{
	uint64		v = t->number < 0 ? (uint64) (int64) t->number : (uint64) t->number;
	bool		negative = t->number < 0;

	for (;;)
	{
		int			log = below(4);
		int			bits = 8 << log;

		if (!negative && below(2) == 0 && (bits == 64 || v >> bits == 0))
		{
			put(w, MPK_BYTE_UINT8 + log, v, bits / 8);
			return;
		}
		if (negative ? (int64) v >= -(int64) (UINT64CONST(1) << (bits - 2)) * 2
			: v >> (bits - 1) == 0)
		{
			put(w, MPK_BYTE_INT8 + log, v, bits / 8);
			return;
		}
		if ((!negative && v < 128) || (negative && (int64) v >= -32))
		{
			put(w, (uint8) v, 0, 0);
			return;
		}
	}
}

static void
encode_number(mpk_writer *w, const tree *t)
{
	double		d = (double) t->number;
	float		f = (float) d;
	uint64		bits;
	uint32		bits32;

	if (!t->is_float)
	{
		encode_integer(w, t);
		return;
	}
	if (isnan(d))
	{
		if (below(2))
			put(w, MPK_BYTE_FLOAT32, 0x7fc00000 + below(3), 4);
		else
			put(w, MPK_BYTE_FLOAT64, (below(2) ? UINT64CONST(0x7ff8) : 0xfff8) << 48 | below(3), 8);
		return;
	}
	if (d == 0 && below(2))
		f = -f, d = -d;
	memcpy(&bits, &d, 8);
	memcpy(&bits32, &f, 4);
	if ((double) f == d && below(2))
		put(w, MPK_BYTE_FLOAT32, bits32, 4);
	else
		put(w, MPK_BYTE_FLOAT64, bits, 8);
}

/* A head with a count: the form of up to "fix" if there is one, or 1, 2, 4 bytes from "type". */
static void
encode_head(mpk_writer *w, int fixed, int fix, int type, int widths, uint32 n)
{
	int			width = below(widths);

	if (fixed != 0 && (int) n <= fix && below(2))
		put(w, fixed | n, 0, 0);
	else
		put(w, type + width, n, (4 << width) >> (widths - 1));
}

static void
encode_ext(mpk_writer *w, const tree *t)
{
	int			length = t->length;

	if ((length == 1 || length == 2) && below(2))
		put(w, MPK_BYTE_FIXEXT1 + length / 2, (uint8) t->code, 1);
	else
	{
		uint8		code = (uint8) t->code;

		encode_head(w, 0, 0, MPK_BYTE_EXT8, 3, length);
		mpk_write_raw(w, &code, 1);
	}
	mpk_write_raw(w, t->bytes, length);
}

static void
encode_timestamp(mpk_writer *w, const tree *t)
{
	int			width = 4 << below(2);

	if (width == 4 && t->nanoseconds == 0 && t->seconds >= 0 && t->seconds <= PG_UINT32_MAX)
	{
		put(w, MPK_BYTE_FIXEXT4, 0xff, 1);
		put(w, (int) (t->seconds >> 24), t->seconds & 0xffffff, 3);
	}
	else if (width == 8 && t->seconds >= 0 && t->seconds >> 34 == 0)
	{
		uint64		v = (uint64) t->nanoseconds << 34 | (uint64) t->seconds;

		put(w, MPK_BYTE_FIXEXT8, 0xff, 1);
		put(w, (int) (v >> 56), v & UINT64CONST(0xffffffffffffff), 7);
	}
	else
	{
		put(w, MPK_BYTE_EXT8, 0x0cff, 2);
		put(w, (int) (t->nanoseconds >> 24), t->nanoseconds & 0xffffff, 3);
		put(w, (int) ((uint64) t->seconds >> 56),
			(uint64) t->seconds & UINT64CONST(0xffffffffffffff), 7);
	}
}

/* How the pairs of maps are encoded: in the tree's order, or shuffled where keys are distinct. */
static bool shuffle;

static void encode(mpk_writer *w, const tree *t);

static void
encode_map(mpk_writer *w, const tree *t)
{
	int			turn[8];
	bool		shuffled = shuffle && !model_repeats(t);

	encode_head(w, MPK_FIXMAP, 15, MPK_BYTE_MAP16, 2, t->length);
	for (int i = 0; i < t->length; i++)
	{
		int			j = shuffled ? below(i + 1) : i;

		turn[i] = turn[j];
		turn[j] = i;
	}
	for (int i = 0; i < t->length; i++)
	{
		encode(w, t->items[2 * turn[i]]);
		encode(w, t->items[2 * turn[i] + 1]);
	}
}

static void
encode(mpk_writer *w, const tree *t)
{
	switch (t->kind)
	{
		case MPK_NIL:
			put(w, MPK_BYTE_NIL, 0, 0);
			break;
		case MPK_BOOLEAN:
			put(w, t->boolean ? MPK_BYTE_TRUE : MPK_BYTE_FALSE, 0, 0);
			break;
		case MPK_STR:
			encode_head(w, MPK_FIXSTR, 31, MPK_BYTE_STR8, 3, t->length);
			mpk_write_raw(w, t->bytes, t->length);
			break;
		case MPK_BIN:
			encode_head(w, 0, 0, MPK_BYTE_BIN8, 3, t->length);
			mpk_write_raw(w, t->bytes, t->length);
			break;
		case MPK_EXT:
			encode_ext(w, t);
			break;
		case MPK_TIMESTAMP:
			encode_timestamp(w, t);
			break;
		case MPK_ARRAY:
			encode_head(w, MPK_FIXARRAY, 15, MPK_BYTE_ARRAY16, 2, t->length);
			for (int i = 0; i < t->length; i++)
				encode(w, t->items[i]);
			break;
		case MPK_MAP:
			encode_map(w, t);
			break;
		default:
			encode_number(w, t);
	}
}

/* What stands in the datum: valid bytes, with their flags found. */
static mpk_document
open_bytes(const uint8 *bytes, size_t length)
{
	mpk_document document = {bytes, length, 0, NULL, 0};
	mpk_error	error;
	bool		valid = mpk_validate(bytes, length, &document.flags, &error);

	check(valid, "encoded value is valid");
	document.flags = mpk_resolve_flags(bytes, document.flags);
	return document;
}

static mpk_document
encode_document(const tree *t)
{
	mpk_writer	w;

	mpk_writer_init(&w, 16);
	encode(&w, t);
	return open_bytes(mpk_writer_data(&w), w.length);
}

static mpk_document
canonical_document(const mpk_document *document)
{
	mpk_writer	w;

	mpk_writer_init(&w, 1);
	mpk_canonical(&w, document);
	return open_bytes(mpk_writer_data(&w), w.length);
}

/* ----------
 * The laws
 * ----------
 */

static bool
same_bytes(const mpk_document *a, const mpk_document *b)
{
	return a->length == b->length && memcmp(a->payload, b->payload, a->length) == 0;
}

/* A change of one leaf, so that values differ in one place only. */
static tree *
vary(const tree *t)
{
	tree	   *copy = palloc(sizeof(tree));
	int			n = t->kind == MPK_MAP ? t->length * 2 : t->kind == MPK_ARRAY ? t->length : 0;

	*copy = *t;
	if (n > 0)
	{
		int			place = below(n);

		/* a changed key may repeat another; change the value then */
		if (t->kind == MPK_MAP && below(4) != 0)
			place |= 1;
		copy->items = palloc(sizeof(tree *) * n);
		memcpy(copy->items, t->items, sizeof(tree *) * n);
		copy->items[place] = vary(t->items[place]);
		return copy;
	}
	return make_tree(4);
}

static void
test_pair(const tree *ta, const mpk_document *a, const mpk_document *canonical_a,
		  const tree *tb, const mpk_document *b, const mpk_document *canonical_b)
{
	int			c = mpk_compare(a, b);

	check(c == model_compare(ta, tb), "order agrees with the model");
	check(c == -mpk_compare(b, a), "order is antisymmetric");
	check(mpk_equal(a, b) == (c == 0), "equality agrees with order");
	check(same_bytes(canonical_a, canonical_b) == (c == 0), "canonical bytes agree with equality");
	check(mpk_compare(canonical_a, b) == c, "a canonical form stands for its value");
	check((mpk_hash(a) == mpk_hash(b)) == (c == 0), "hash agrees with equality");
}

/* The documents as they are, or, of those with repeated keys, their canonical forms. */
static const mpk_document *
documents_regular(const mpk_document *documents, const mpk_document *canonical)
{
	static mpk_document regular[POOL];

	for (int i = 0; i < POOL; i++)
		regular[i] = documents[i].flags & MPK_REPEATED_KEYS ? canonical[i] : documents[i];
	return regular;
}

/* With any model, images are in the order of their values. */
static void
test_images(const mpk_document *regular, const mpk_document *model_of)
{
	static uint64 images[POOL];
	mpk_model  *model = mpk_model_make(model_of->payload);

	for (int i = 0; i < POOL; i++)
		images[i] = mpk_model_image(model, regular[i].payload,
									regular[i].payload + regular[i].length);
	for (int i = 0; i < 20 * POOL; i++)
	{
		int			a = below(POOL);
		int			b = below(3) == 0 ? a - a % 3 : below(POOL);

		check(images[a] == images[b] ||
			  (images[a] < images[b]) == (mpk_compare(&regular[a], &regular[b]) < 0),
			  "images agree with order");
	}
}

static void
test_pool(void)
{
	static tree *trees[POOL];
	static mpk_document documents[POOL];
	static mpk_document canonical[POOL];

	for (int i = 0; i < POOL; i++)
	{
		/* a third anew, a third varied in one place, a third the same in other bytes */
		trees[i] = i % 3 == 0 ? make_tree(0) : i % 3 == 1 ? vary(trees[i - 1]) : trees[i - 2];
		documents[i] = encode_document(trees[i]);
		canonical[i] = canonical_document(&documents[i]);
		check(((documents[i].flags & MPK_REPEATED_KEYS) != 0) == model_repeats(trees[i]),
			  "repeated keys are found exactly");
		check(mpk_document_is_regular(&canonical[i]) || (canonical[i].flags & MPK_INVALID_UTF8),
			  "canonical form repeats no key");
		check(mpk_is_canonical(&canonical[i]), "canonical form is canonical");
		check(mpk_is_canonical(&documents[i]) == same_bytes(&documents[i], &canonical[i]),
			  "what is canonical has canonical bytes");
	}
	for (int i = 0; i < POOL; i++)
		for (int j = i; j < POOL; j++)
			test_pair(trees[i], &documents[i], &canonical[i],
					  trees[j], &documents[j], &canonical[j]);
	for (int i = 0; i < POOL; i += 7)
		test_images(i % 2 ? documents_regular(documents, canonical) : canonical, &canonical[i]);
	for (int i = 0; i < 200000; i++)
	{
		const mpk_document *a = &documents[below(POOL)];
		const mpk_document *b = &documents[below(POOL)];
		const mpk_document *c = &documents[below(POOL)];

		if (mpk_compare(a, b) <= 0 && mpk_compare(b, c) <= 0)
			check(mpk_compare(a, c) <= 0, "order is transitive");
	}
}

static void
test_regular(const mpk_document *a)
{
	mpk_writer	last;
	mpk_writer	first;
	mpk_writer	utf8;
	mpk_document result;

	mpk_writer_init(&last, 1);
	mpk_drop_repeated_keys(&last, a->payload, MPK_KEEP_LAST);
	result = open_bytes(mpk_writer_data(&last), last.length);
	check((result.flags & MPK_REPEATED_KEYS) == 0, "keeping the last leaves no repeated key");
	check(mpk_compare(&result, a) == 0, "keeping the last keeps the value");
	if ((a->flags & MPK_REPEATED_KEYS) == 0)
		check(same_bytes(&result, a), "a regular value stays as it is");

	mpk_writer_init(&first, 1);
	mpk_drop_repeated_keys(&first, a->payload, MPK_KEEP_FIRST);
	result = open_bytes(mpk_writer_data(&first), first.length);
	check((result.flags & MPK_REPEATED_KEYS) == 0, "keeping the first leaves no repeated key");

	mpk_writer_init(&utf8, 1);
	mpk_repair_utf8(&utf8, a->payload, below(2) ? MPK_UTF8_BINARY : MPK_UTF8_REPLACE);
	result = open_bytes(mpk_writer_data(&utf8), utf8.length);
	check((result.flags & MPK_INVALID_UTF8) == 0, "no str is left that is not UTF-8");
	if ((a->flags & MPK_INVALID_UTF8) == 0)
		check(same_bytes(&result, a), "a value in UTF-8 stays as it is");
}

/* Paths of every byte, and of every truncation, end somewhere and fit. */
static void
test_locate(const mpk_document *a)
{
	for (size_t i = 0; i <= a->length; i++)
	{
		char	   *path = mpk_locate(a->payload, a->length, i, below(2) == 0);

		check((path == NULL) == (i == a->length), "every byte has a path");
		check(path == NULL || (path[0] == '$' && strlen(path) <= MPK_PATH_MAX), "a path fits");
		path = mpk_locate(a->payload, i, a->length, true);
		check(path == NULL ? i == a->length : path[0] == '$', "a truncated value has a path");
	}
}

/* ----------
 * Sizes and depths
 * ----------
 */

/* Maps as keys of maps: two keys each, "deep" deep. */
static void
encode_keys_of_keys(mpk_writer *w, int deep, int variant, bool swapped)
{
	mpk_write_map_head(w, 2);
	for (int i = 0; i < 2; i++)
	{
		int			which = i ^ swapped;

		if (deep == 0)
			mpk_write_uint(w, variant * 2 + which);
		else
			encode_keys_of_keys(w, deep - 1, variant * 2 + which, swapped);
		mpk_write_uint(w, which);
	}
}

/* A chain of maps 1,024 deep, every map with its "long" key at one end or the other. */
static void
encode_chain(mpk_writer *w, bool last, uint64 bottom)
{
	for (int i = 0; i < MPK_MAX_DEPTH - 1; i++)
	{
		mpk_write_map_head(w, 2);
		if (!last)
		{
			mpk_write_uint(w, 1);
			mpk_write_uint(w, 0);
		}
		mpk_write_uint(w, 2);
	}
	mpk_write_uint(w, bottom);
	for (int i = 0; last && i < MPK_MAX_DEPTH - 1; i++)
	{
		mpk_write_uint(w, 1);
		mpk_write_uint(w, 0);
	}
}

/* A chain of maps 1,024 deep, each the key of the one around it, beside another map. */
static void
encode_key_chain(mpk_writer *w, bool last)
{
	for (int i = 0; i < MPK_MAX_DEPTH - 2; i++)
	{
		mpk_write_map_head(w, 2);
		if (!last)
		{
			mpk_write_map_head(w, 0);
			mpk_write_uint(w, 0);
		}
	}
	mpk_write_map_head(w, 0);
	for (int i = 0; i < MPK_MAX_DEPTH - 2; i++)
	{
		mpk_write_uint(w, 1);
		if (last && i > 0)
			mpk_write_map_head(w, 0);
		else if (last)
			mpk_write_nil(w);
		if (last)
			mpk_write_uint(w, 0);
	}
}

static void
encode_wide(mpk_writer *w, int n, bool descending)
{
	mpk_write_map_head(w, n);
	for (int i = 0; i < n; i++)
	{
		char		name[16];
		int			key = descending ? n - 1 - i : i;

		snprintf(name, sizeof(name), "key%07d", key);
		mpk_write_str(w, name, strlen(name));
		mpk_write_uint(w, key);
	}
}

static void
check_equal_writers(mpk_writer *a, mpk_writer *b, const char *what)
{
	mpk_document da = open_bytes(mpk_writer_data(a), a->length);
	mpk_document db = open_bytes(mpk_writer_data(b), b->length);

	check(mpk_compare(&da, &db) == 0, what);
	check(mpk_equal(&da, &db), what);
	check(mpk_hash(&da) == mpk_hash(&db), what);
}

static void
test_sizes(void)
{
	mpk_writer	w[2];
	clock_t		start = clock();

	for (int i = 0; i < 2; i++)
	{
		mpk_writer_init(&w[i], 1);
		encode_keys_of_keys(&w[i], 12, 0, i == 1);
	}
	check_equal_writers(&w[0], &w[1], "maps as keys of maps, 12 deep");
	for (int i = 0; i < 2; i++)
	{
		w[i].length = 0;
		encode_chain(&w[i], i == 1, 7);
	}
	check_equal_writers(&w[0], &w[1], "maps 1,024 deep");
	w[1].length = 0;
	encode_chain(&w[1], true, 8);
	{
		mpk_document a = open_bytes(mpk_writer_data(&w[0]), w[0].length);
		mpk_document b = open_bytes(mpk_writer_data(&w[1]), w[1].length);

		check(mpk_compare(&a, &b) == -1 && !mpk_equal(&a, &b), "a difference 1,024 deep");
	}
	for (int i = 0; i < 2; i++)
	{
		w[i].length = 0;
		encode_wide(&w[i], 200000, i == 1);
	}
	check_equal_writers(&w[0], &w[1], "200,000 keys in reverse");
	w[0].length = 0;
	encode_key_chain(&w[0], true);
	{
		mpk_document a = open_bytes(mpk_writer_data(&w[0]), w[0].length);
		mpk_document canonical = canonical_document(&a);

		check_equal_writers(&w[0], &w[0], "maps as keys, 1,023 deep");
		check(mpk_compare(&a, &canonical) == 0 && mpk_hash(&a) == mpk_hash(&canonical),
			  "canonical form of maps as keys, 1,023 deep");
	}
	check((clock() - start) / CLOCKS_PER_SEC < 60, "large values take no more than n log n");
}

/* ----------
 * Paths, told
 * ----------
 */

static void
check_path(const char *hex, size_t offset, bool ascii, const char *expected)
{
	uint8		bytes[512];
	size_t		n = 0;
	char	   *path;

	for (; hex[2 * n] != '\0'; n++)
	{
		unsigned	byte;

		sscanf(hex + 2 * n, "%2x", &byte);
		bytes[n] = (uint8) byte;
	}
	path = mpk_locate(bytes, n, offset, ascii);
	if (path == NULL || strcmp(path, expected) != 0)
		printf("path %s, expected %s\n", path ? path : "(none)", expected);
	check(path != NULL && strcmp(path, expected) == 0, "a path is as expected");
}

static void
test_paths(void)
{
	/* {"items": [0, {"a": nil, "b": "..."}]} */
	check_path("81a56974656d73920082a161c0a162a5", 0, false, "$");
	check_path("81a56974656d73920082a161c0a162a5", 1, false, "$.items");
	check_path("81a56974656d73920082a161c0a162a5", 7, false, "$.items");
	check_path("81a56974656d73920082a161c0a162a5", 8, false, "$.items[0]");
	check_path("81a56974656d73920082a161c0a162a5", 9, false, "$.items[1]");
	check_path("81a56974656d73920082a161c0a162a5", 12, false, "$.items[1].a");
	check_path("81a56974656d73920082a161c0a162a5", 15, false, "$.items[1].b");
	/* keys of other kinds */
	check_path("8107c1", 2, false, "${7}");
	check_path("81d0f9c1", 3, false, "${-7}");
	check_path("81c0c1", 2, false, "${null}");
	check_path("82c300c2c1", 4, false, "${false}");
	check_path("820102c400c1", 5, false, "${#1}");
	check_path("8201029100c1", 5, false, "${#1}");
	check_path("820102a5c1", 3, false, "${#1}");
	check_path("82010291c1", 4, false, "${#1}");
	/* names that are no identifiers */
	check_path("81a3612062c1", 5, false, "$[\"a b\"]");
	check_path("81a0c1", 2, false, "$[\"\"]");
	check_path("81a33122005cc1", 5, false, "$[\"1\\\"\\u0000\"]");
	check_path("81a2c3a9c1", 4, false, "$[\"\xc3\xa9\"]");
	check_path("81a2c3a9c1", 4, true, "$[\"\\u00e9\"]");
	check_path("81a4f09f9880c1", 6, true, "$[\"\\ud83d\\ude00\"]");
	check_path("81a1ffc1", 3, false, "${#0}");
	check_path("", 0, false, "$");
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		seed = strtoull(argv[1], NULL, 10);

	test_paths();
	test_sizes();
	shuffle = true;
	test_pool();
	repeat_one_in = 3;
	test_pool();
	for (int i = 0; i < 3000; i++)
	{
		mpk_document document = encode_document(make_tree(0));

		test_regular(&document);
		test_locate(&document);
	}
	return finish();
}

#endif
