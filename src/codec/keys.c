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

#include "codec/hash.h"
#include "codec/scalar.h"
#include "codec/simd.h"
#include "codec/sort.h"

/* How often a long loop looks for a query cancel: once per so many steps, less one (a mask). */
#define INTERRUPT_MASK	0xffff

/* A short str in a longer head than needed has the print of the fixstr. */
uint16
mpk_key_print(const uint8 *p)
{
	mpk_value	key;
	uint8		copy[MPK_PRINT_BYTES] = {0};

	mpk_read(p, &key);
	if (mpk_is_container(key.kind))
		return 0;				/* left to the exact comparison */
	if (key.kind != MPK_STR || key.length > MPK_PRINT_STR)
		return (uint16) (mpk_hash_scalar(&key) >> 48);
	copy[0] = (uint8) (MPK_FIXSTR | key.length);
	memcpy(copy + 1, key.body, key.length);
	return mpk_short_str_print(copy, key.length);
}

void
mpk_key_stack_set_prints(mpk_key_stack *keys, uint32 first, const uint8 *data, const uint8 *end)
{
	for (uint32 i = first; i < keys->used; i++)
	{
		const uint8 *p = data + keys->offsets[i];

		if (mpk_is_short_fixstr(*p) && end - p >= MPK_PRINT_BYTES)
			keys->prints[i] = mpk_short_str_print(p, *p & 0x0f);
		else
			keys->prints[i] = mpk_key_print(p);
	}
}

void
mpk_key_stack_init(mpk_key_stack *keys)
{
	keys->used = 0;
	keys->room = MPK_INLINE_KEYS;
	keys->offsets = keys->inline_offsets;
	keys->prints = keys->inline_prints;
}

void
mpk_key_stack_free(mpk_key_stack *keys)
{
	if (keys->offsets == keys->inline_offsets)
		return;
	pfree(keys->offsets);
	pfree(keys->prints);
}

void
mpk_key_stack_grow(mpk_key_stack *keys, uint32 count)
{
	/*
	 * Keys and values take a byte each at least, but keys that are maps in maps
	 * leave their values open: the most there can be are 2^28 and some more,
	 * which is more than an ordinary allocation holds.
	 */
	size_t		room = Max((size_t) keys->room * 2, (size_t) keys->used + count);
	uint32	   *offsets = palloc_extended(room * sizeof(uint32), MCXT_ALLOC_HUGE);
	uint16	   *prints = palloc_extended((room + MPK_PRINTS_READ) * sizeof(uint16),
										 MCXT_ALLOC_HUGE);

	memcpy(offsets, keys->offsets, keys->used * sizeof(uint32));
	memcpy(prints, keys->prints, keys->used * sizeof(uint16));
	mpk_key_stack_free(keys);
	keys->offsets = offsets;
	keys->prints = prints;
	keys->room = (uint32) room;
}

static int
compare_keys(uint32 a, uint32 b, const void *data)
{
	mpk_value	x;
	mpk_value	y;

	mpk_read((const uint8 *) data + a, &x);
	mpk_read((const uint8 *) data + b, &y);
	return mpk_scalar_compare(&x, &y);
}

static inline bool
keys_equal(const uint8 *data, uint32 a, uint32 b)
{
	return compare_keys(a, b, data) == 0;
}

static bool
repeated_by_sort(const uint8 *data, uint32 *offsets, uint32 count)
{
	mpk_sort_places(offsets, count, compare_keys, data);
	for (uint32 i = 1; i < count; i++)
		if (keys_equal(data, offsets[i - 1], offsets[i]))
			return true;
	return false;
}

typedef struct key_slot
{
	uint32		hash;
	uint32		entry;			/* index of the key, plus one; 0 is free */
} key_slot;

/*
 * A table of many keys is larger than the processor's caches, and each key falls
 * somewhere in it: slots are asked for so many keys ahead.
 */
#define KEYS_AHEAD	8

static uint32 *
hash_keys(const uint8 *data, const uint32 *offsets, uint32 count)
{
	uint32	   *hashes = palloc_extended((count + (size_t) KEYS_AHEAD) * sizeof(uint32),
										 MCXT_ALLOC_HUGE);

	for (uint32 i = 0; i < count; i++)
	{
		mpk_value	key;

		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			MPK_CHECK_FOR_INTERRUPTS();
		mpk_read(data + offsets[i], &key);
		hashes[i] = (uint32) (mpk_hash_scalar(&key) >> 32);
	}
	memset(hashes + count, 0, KEYS_AHEAD * sizeof(uint32));
	return hashes;
}

static bool
repeated_by_table(const uint8 *data, uint32 *offsets, uint32 count)
{
	uint32		size = mpk_key_slots(count, sizeof(key_slot));
	uint64		probes_left = 8 * (uint64) count;
	uint32	   *hashes;
	key_slot   *slots;
	bool		repeated = false;

	if (size == 0)
		return repeated_by_sort(data, offsets, count);
	hashes = hash_keys(data, offsets, count);
	slots = palloc_extended((size_t) size * sizeof(key_slot), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

	for (uint32 i = 0; i < count && !repeated && probes_left > 0; i++)
	{
		uint32		hash = hashes[i];
		uint32		slot;

		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			MPK_CHECK_FOR_INTERRUPTS();
		mpk_prefetch(&slots[hashes[i + KEYS_AHEAD] & (size - 1)]);
		for (slot = hash & (size - 1); slots[slot].entry != 0; slot = (slot + 1) & (size - 1))
		{
			if ((slots[slot].hash == hash &&
				 keys_equal(data, offsets[slots[slot].entry - 1], offsets[i])))
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
	pfree(hashes);
	if (!repeated && probes_left == 0)
		return repeated_by_sort(data, offsets, count);
	return repeated;
}

/* Move the keys that are scalars to the front; returns how many they are. */
static uint32
gather_scalars(const uint8 *data, uint32 *offsets, uint32 count)
{
	uint32		scalars = 0;

	for (uint32 i = 0; i < count; i++)
	{
		mpk_value	key;

		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			MPK_CHECK_FOR_INTERRUPTS();
		mpk_read(data + offsets[i], &key);
		if (!mpk_is_container(key.kind))
		{
			uint32		offset = offsets[i];

			offsets[i] = offsets[scalars];
			offsets[scalars++] = offset;
		}
	}
	return scalars;
}

unsigned
mpk_keys_check_exactly(uint32 *offsets, uint32 count, const uint8 *data)
{
	uint32		scalars = gather_scalars(data, offsets, count);

	if (scalars >= 2 && repeated_by_table(data, offsets, scalars))
		return MPK_REPEATED_KEYS;
	return count - scalars >= 2 ? MPK_COMPOUND_KEYS : 0;
}
