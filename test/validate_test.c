/*
 * validate_test.c
 *		The validator against a naive one: verdict, place and flags, for documents in
 *		which maps of the same keys follow each other, and for what damage makes of them.
 */
#include "codec/port.h"

#include "common/pg_prng.h"

#include "codec/keys.h"
#include "codec/scalar.h"
#include "codec/utf8.h"
#include "codec/validate.h"
#include "codec/write.h"
#include "counting.h"

static void
check(bool ok, const char *what, const uint8 *data, size_t length)
{
	if (!failed_check(ok))
		return;
	printf("FAILED %s: ", what);
	for (size_t i = 0; i < length; i++)
		printf("%02x", data[i]);
	printf("\n");
}

/* ---- the naive validator ---- */

typedef struct naive
{
	const uint8 *data;
	const uint8 *end;
	mpk_errcode code;
	size_t		offset;
	unsigned	flags;
} naive;

static const uint8 *naive_value(naive *n, const uint8 *p, int depth);

static const uint8 *
naive_fault(naive *n, const uint8 *at, mpk_errcode code)
{
	n->code = code;
	n->offset = at - n->data;
	return NULL;
}

/* Are the keys that begin at these places distinct, each compared with each? */
static void
naive_keys(naive *n, const uint8 **keys, uint32 count)
{
	uint32		compound = 0;

	for (uint32 i = 0; i < count; i++)
	{
		mpk_value	a;

		mpk_read(keys[i], &a);
		compound += mpk_is_container(a.kind);
		for (uint32 j = 0; j < i && !mpk_is_container(a.kind); j++)
		{
			mpk_value	b;

			mpk_read(keys[j], &b);
			if (!mpk_is_container(b.kind) && mpk_scalar_compare(&a, &b) == 0)
				n->flags |= MPK_REPEATED_KEYS;
		}
	}
	if (compound >= 2)
		n->flags |= MPK_COMPOUND_KEYS;
}

static const uint8 *
naive_container(naive *n, const uint8 *at, int depth)
{
	mpk_value	value;
	const uint8 *p = mpk_read(at, &value);
	bool		is_map = value.kind == MPK_MAP;
	const uint8 **keys;

	if (depth >= MPK_MAX_DEPTH)
		return naive_fault(n, at, MPK_ERR_TOO_DEEP);
	if ((uint64) value.length << is_map > (uint64) (n->end - p))
		return naive_fault(n, at, MPK_ERR_TRUNCATED);
	keys = palloc((value.length + 1) * sizeof(*keys));
	for (uint32 i = 0; i < value.length && p != NULL; i++)
	{
		keys[i] = p;
		if (is_map)
			p = naive_value(n, p, depth + 1);
		if (p != NULL)
			p = naive_value(n, p, depth + 1);
	}
	if (is_map && p != NULL)
		naive_keys(n, keys, value.length);
	pfree(keys);
	return p;
}

/* The value at p: its end, or NULL with the fault set. */
static const uint8 *
naive_value(naive *n, const uint8 *p, int depth)
{
	uint8		copy[24] = {0};
	mpk_value	value;
	const uint8 *body;
	size_t		head;

	if (p >= n->end)
		return naive_fault(n, p, MPK_ERR_TRUNCATED);
	head = *p >= 0xc0 && *p < 0xe0 ? mpk_head_size[*p & 0x1f] : 1;
	if ((size_t) (n->end - p) < head)
		return naive_fault(n, p, MPK_ERR_TRUNCATED);
	if (*p == MPK_BYTE_NEVER_USED)
		return naive_fault(n, p, MPK_ERR_NEVER_USED);
	if (mpk_begins_container(*p))
		return naive_container(n, p, depth);
	memcpy(copy, p, head);
	mpk_read(copy, &value);
	if (value.kind < MPK_STR || (*p >= MPK_BYTE_FIXEXT1 && *p <= MPK_BYTE_FIXEXT16))
		return p + head;
	body = p + head;
	if ((size_t) (n->end - body) < value.length)
		return naive_fault(n, p, MPK_ERR_TRUNCATED);
	if (value.kind == MPK_STR && mpk_utf8_prefix(body, value.length) < value.length)
		n->flags |= MPK_INVALID_UTF8;
	return body + value.length;
}

/* The same verdict for exactly these bytes, nothing behind them? */
static void
compare_verdicts(const uint8 *bytes, size_t length, const char *what)
{
	uint8	   *data = palloc(Max(length, 1));
	naive		n = {data, data + length, MPK_OK, 0, 0};
	unsigned	flags = 0;
	mpk_error	error = {MPK_OK, 0, NULL};
	bool		valid;
	const uint8 *end;

	memcpy(data, bytes, length);
	valid = mpk_validate(data, length, &flags, &error);
	end = naive_value(&n, data, 0);
	if (length == 0)
		n.code = MPK_ERR_EMPTY;
	else if (end != NULL && end < data + length)
		naive_fault(&n, end, MPK_ERR_TRAILING);
	if ((n.flags & MPK_REPEATED_KEYS) != 0)
		n.flags &= ~MPK_COMPOUND_KEYS;
	check(valid == (n.code == MPK_OK) && error.code == n.code && error.offset == n.offset &&
		  (!valid || flags == n.flags), what, data, length);
	pfree(data);
}

/* ---- documents ---- */

static pg_prng_state prng;

static uint32
below(uint32 n)
{
	return pg_prng_uint32(&prng) % n;
}

static void write_some(mpk_writer *w, int depth);

/* The key of this number, mostly in one encoding. */
static void
write_key(mpk_writer *w, uint32 number)
{
	static const char *const strs[] = {
		"", "a", "id", "name", "fifteen bytes  ", "sixteen bytes   ",
		"quite a long key, of 31 bytes  ",
		"Gr\xc3\xb6\xc3\x9f" "e", "not \xff" "utf8",
		"a key of more than thirty-one bytes, of 44 ..."
	};

	if (number < lengthof(strs))
	{
		if (below(40) == 0 && strlen(strs[number]) < 32)
		{
			uint8		head[2] = {MPK_BYTE_STR8, (uint8) strlen(strs[number])};

			mpk_write_raw(w, head, 2);
			mpk_write_raw(w, strs[number], strlen(strs[number]));
		}
		else
			mpk_write_str(w, strs[number], strlen(strs[number]));
	}
	else if (number < 24)
		mpk_write_uint(w, (uint64) 1 << number);
	else if (number < 26)
		mpk_write_float64(w, (double) ((uint64) 1 << number));
	else if (number < 28)
		mpk_write_nil(w);
	else
		write_some(w, 3);
}

/* Records with the keys of a template, now and then with another one. */
static void
write_records(mpk_writer *w, int depth)
{
	uint32		keys[20];
	uint32		count = below(8) == 0 ? below(20) : below(7);
	uint32		first = below(10);
	uint32		records = below(6);

	for (uint32 i = 0; i < count; i++)
		keys[i] = below(20) == 0 ? below(30) : first + i;
	mpk_write_array_head(w, records);
	for (uint32 r = 0; r < records; r++)
	{
		uint32		n = below(12) == 0 ? below(count + 1) : count;

		mpk_write_map_head(w, n);
		for (uint32 i = 0; i < n; i++)
		{
			write_key(w, below(30) == 0 ? below(30) : keys[i]);
			write_some(w, depth + 1);
		}
	}
}

static void
write_some(mpk_writer *w, int depth)
{
	uint32		kind = below(depth < 4 ? 16 : 12);

	if (kind < 4)
		mpk_write_uint(w, pg_prng_uint32(&prng) >> below(32));
	else if (kind < 8)
		write_key(w, below(10));
	else if (kind < 10)
		mpk_write_nil(w);
	else if (kind < 11)
		mpk_write_float64(w, below(1000) / 8.0);
	else if (kind < 12)
		mpk_write_array_head(w, 0);
	else if (kind < 15)
		write_records(w, depth);
	else
	{
		mpk_write_array_head(w, 2);
		write_some(w, depth + 1);
		write_some(w, depth + 1);
	}
}

/* A document, cut, or with bytes changed. */
static void
test_damage(const uint8 *data, size_t length)
{
	uint8	   *copy = palloc(length);

	memcpy(copy, data, length);
	for (int i = 0; i < 8; i++)
		compare_verdicts(copy, below(length + 1), "cut");
	for (int i = 0; i < 8; i++)
	{
		uint32		place = below(length);
		uint8		byte = copy[place];

		copy[place] = below(2) == 0 ? pg_prng_uint32(&prng) : copy[below(length)];
		compare_verdicts(copy, length, "changed");
		if (below(4) != 0)
			copy[place] = byte;
	}
	pfree(copy);
}

static void
test_documents(void)
{
	for (int i = 0; i < 20000; i++)
	{
		mpk_writer	w;

		mpk_writer_init(&w, 0);
		write_records(&w, 0);
		compare_verdicts(mpk_writer_data(&w), w.length, "whole");
		test_damage(mpk_writer_data(&w), w.length);
		pfree(w.buffer);
	}
}

/* Deep maps in maps, the keys of each level the same, and then another. */
static void
test_deep(void)
{
	for (int depth = 1; depth < 40; depth++)
		for (int change = 0; change <= depth; change++)
		{
			mpk_writer	w;

			mpk_writer_init(&w, 0);
			mpk_write_array_head(&w, 3);
			for (int i = 0; i < 3; i++)
			{
				for (int d = 0; d < depth; d++)
				{
					mpk_write_map_head(&w, 2);
					write_key(&w, 1);
					mpk_write_nil(&w);
					write_key(&w, i == 1 && d == change ? 1 : 2);
				}
				mpk_write_nil(&w);
			}
			compare_verdicts(mpk_writer_data(&w), w.length, "deep");
			pfree(w.buffer);
		}
}

/* Arrays in arrays, as deep as may be and deeper, before many bytes and few. */
static void
test_depth(void)
{
	for (int depth = MPK_MAX_DEPTH - 1; depth <= MPK_MAX_DEPTH + 1; depth++)
		for (int behind = 0; behind < 100; behind += 33)
		{
			mpk_writer	w;

			mpk_writer_init(&w, 0);
			mpk_write_array_head(&w, 1 + behind);
			for (int d = 2; d < depth; d++)
				mpk_write_array_head(&w, 1);
			mpk_write_array_head(&w, 0);
			for (int i = 0; i < behind; i++)
				mpk_write_nil(&w);
			compare_verdicts(mpk_writer_data(&w), w.length, "depth");
			pfree(w.buffer);
		}
}

/*
 * As many keys as the largest payload can leave open: maps as keys of maps, at a
 * byte each, and in the innermost the rest in pairs of two bytes.
 */
static void
test_many_open_keys(void)
{
	uint32		outer = MPK_MAX_DEPTH - 1;
	uint32		pairs = (uint32) ((MPK_MAX_PAYLOAD - outer - 5) / 2);
	mpk_key_stack keys;

	mpk_key_stack_init(&keys);
	for (uint32 i = 0; i < outer; i++)
	{
		if (keys.used == keys.room)
			mpk_key_stack_grow(&keys, 1);
		mpk_key_stack_push(&keys, i, 0);
	}
	mpk_key_stack_grow(&keys, pairs);
	check(keys.room - keys.used >= pairs, "room for all keys", NULL, 0);
	mpk_key_stack_free(&keys);
}

int
main(void)
{
	pg_prng_seed(&prng, 20261201);
	test_documents();
	test_deep();
	test_depth();
	test_many_open_keys();
	return finish();
}
