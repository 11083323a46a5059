/*
 * keys.c
 *		Are the keys of one map distinct?
 *
 * 1. Up to 16 keys: a 16-bit print of each, compared all at once.  Almost
 *    every map ends here, at a few instructions a key.
 * 2. More keys, or two prints alike: a hash table over the 32 upper bits of
 *    mpk_hash_scalar.
 * 3. Too many probes there (keys made to collide): sort by value.
 */
#include "codec/keys.h"

#include "port/pg_bitutils.h"

#include "codec/hash.h"
#include "codec/scalar.h"
#include "codec/simd.h"

#define SMALL_MAP		16

/* A print reads 16 bytes from the head of a key on. */
#define PRINT_READS		16
#define PRINT_MAX_STR	(PRINT_READS - 1)

/* Odd multipliers; a print lives for one map only and may differ from release to release. */
#define PRINT_K1		UINT64CONST(0x9E3779B97F4A7C15)
#define PRINT_K2		UINT64CONST(0xC2B2AE3D27D4EB4F)

typedef struct key_context
{
	const uint8 *data;
	const uint8 *end;
} key_context;

/* Bytes 0 .. n-1 of a little-endian word, for n of 0 to 8. */
static inline uint64
low_bytes(uint64 word, uint32 n)
{
	return n >= 8 ? word : word & ((UINT64CONST(1) << (8 * n)) - 1);
}

/*
 * The print of a str of up to 15 bytes: its head (as a fixstr) and its bytes
 * are 16 at most, all of which count.  "head" begins 16 readable bytes.
 */
static inline uint16
short_str_print(const uint8 *head, uint32 length)
{
	uint32		n = length + 1;
	uint64		first = low_bytes(mpk_load64_le(head), n);
	uint64		second = low_bytes(mpk_load64_le(head + 8), n > 8 ? n - 8 : 0);

	return (uint16) (((first * PRINT_K1) ^ ((second + PRINT_K1) * PRINT_K2)) >> 48);
}

/* Any other key; a short str in a longer head than needed has the print of the short one. */
static uint16
general_print(const mpk_value *key)
{
	uint8		copy[PRINT_READS];

	if (mpk_is_container(key->kind))
		return 0;				/* left to the exact comparison */
	if (key->kind != MPK_STR || key->length > PRINT_MAX_STR)
		return (uint16) (mpk_hash_scalar(key) >> 48);
	memset(copy, 0, sizeof(copy));
	copy[0] = (uint8) (MPK_FIXSTR | key->length);
	memcpy(copy + 1, key->body, key->length);
	return short_str_print(copy, key->length);
}

static inline uint16
key_print(const uint8 *p, const uint8 *end)
{
	mpk_value	key;

	if (*p >= MPK_FIXSTR && *p <= MPK_FIXSTR + PRINT_MAX_STR && end - p >= PRINT_READS)
		return short_str_print(p, *p & 0x1f);
	mpk_read(p, &key);
	return general_print(&key);
}

/* Do all prints differ?  If so, so do the keys. */
static bool
prints_differ(const key_context *context, const uint32 *offsets, uint32 count)
{
	uint16		prints[SMALL_MAP] = {0};
	uint32		matches = 0;

	for (uint32 i = 0; i < count; i++)
	{
		uint16		print = key_print(context->data + offsets[i], context->end);

		matches |= mpk_match_16(prints, print) & ((1u << i) - 1);
		prints[i] = print;
	}
	return matches == 0;
}

static int
compare_keys(const void *a, const void *b, void *arg)
{
	const uint8 *data = (const uint8 *) arg;
	mpk_value	x;
	mpk_value	y;

	mpk_read(data + *(const uint32 *) a, &x);
	mpk_read(data + *(const uint32 *) b, &y);
	return mpk_scalar_compare(&x, &y);
}

static bool
keys_equal(const key_context *context, uint32 a, uint32 b)
{
	return compare_keys(&a, &b, unconstify(uint8 *, context->data)) == 0;
}

static bool
repeated_by_sort(const key_context *context, uint32 *offsets, uint32 count)
{
	qsort_arg(offsets, count, sizeof(uint32), compare_keys, unconstify(uint8 *, context->data));
	for (uint32 i = 1; i < count; i++)
		if (keys_equal(context, offsets[i - 1], offsets[i]))
			return true;
	return false;
}

typedef struct key_slot
{
	uint32		hash;
	uint32		entry;			/* index of the key, plus one; 0 is free */
} key_slot;

static bool
repeated_by_table(const key_context *context, uint32 *offsets, uint32 count)
{
	uint32		size = pg_nextpower2_32(Max(count, 4)) * 2;
	uint64		probes_left = 8 * (uint64) count;
	key_slot   *slots = palloc0(size * sizeof(key_slot));
	bool		repeated = false;

	for (uint32 i = 0; i < count && !repeated && probes_left > 0; i++)
	{
		mpk_value	key;
		uint32		hash;
		uint32		slot;

		mpk_read(context->data + offsets[i], &key);
		hash = (uint32) (mpk_hash_scalar(&key) >> 32);
		for (slot = hash & (size - 1); slots[slot].entry != 0; slot = (slot + 1) & (size - 1))
		{
			if ((slots[slot].hash == hash &&
				 keys_equal(context, offsets[slots[slot].entry - 1], offsets[i])))
			{
				repeated = true;
				break;
			}
			if (--probes_left == 0)
				break;
		}
		slots[slot].hash = hash;
		slots[slot].entry = i + 1;
	}
	pfree(slots);
	if (!repeated && probes_left == 0)
		return repeated_by_sort(context, offsets, count);
	return repeated;
}

/* Move the keys that are scalars to the front; returns how many they are. */
static uint32
gather_scalars(const key_context *context, uint32 *offsets, uint32 count)
{
	uint32		scalars = 0;

	for (uint32 i = 0; i < count; i++)
	{
		mpk_value	key;

		mpk_read(context->data + offsets[i], &key);
		if (!mpk_is_container(key.kind))
			offsets[scalars++] = offsets[i];
	}
	return scalars;
}

unsigned
mpk_keys_check(const uint8 *data, const uint8 *end, uint32 *offsets, uint32 count)
{
	key_context context = {data, end};
	uint32		scalars;

	if (count < 2 || (count <= SMALL_MAP && prints_differ(&context, offsets, count)))
		return 0;
	scalars = gather_scalars(&context, offsets, count);
	if (scalars >= 2 && repeated_by_table(&context, offsets, scalars))
		return MPK_REPEATED_KEYS;
	return count - scalars >= 2 ? MPK_COMPOUND_KEYS : 0;
}
