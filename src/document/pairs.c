/*
 * pairs.c
 *		Pairs on their way into a map, which may repeat keys.
 *
 * Almost always all keys are distinct, which codec/keys.c finds soonest.  Else
 * each key looks for its first equal: scalars in a hash table, and by sorting
 * when keys were made to collide there; the rare keys that are containers by
 * sorting.
 */
#include "document/pairs.h"

#include "codec/hash.h"
#include "codec/keys.h"
#include "codec/scalar.h"
#include "codec/sort.h"
#include "document/compare.h"

/* Probes that a table lookup may take for each key, on average, before we sort. */
#define PROBES_PER_KEY	8

typedef struct key_set
{
	const uint8 *const *keys;
	unsigned	flags;			/* irregularities inside keys that are containers */
} key_set;

typedef struct key_slot
{
	uint32		hash;
	uint32		entry;			/* index of the key, plus one; 0 is free */
} key_slot;

static int
compare_scalars(uint32 a, uint32 b, const void *context)
{
	const key_set *set = context;
	mpk_value	x;
	mpk_value	y;

	mpk_read(set->keys[a], &x);
	mpk_read(set->keys[b], &y);
	return mpk_scalar_compare(&x, &y);
}

static int
compare_containers(uint32 a, uint32 b, const void *context)
{
	const key_set *set = context;
	mpk_document x = {.payload = set->keys[a],.flags = set->flags};
	mpk_document y = {.payload = set->keys[b],.flags = set->flags};

	x.length = mpk_skip(x.payload) - x.payload;
	y.length = mpk_skip(y.payload) - y.payload;
	return mpk_compare(&x, &y);
}

/* By sorting; being stable, it puts the first of equal keys first. */
static void
first_by_sort(const key_set *set, uint32 *indexes, uint32 count, mpk_place_compare compare,
			  uint32 *first)
{
	mpk_sort_places(indexes, count, compare, set);
	for (uint32 i = 0; i < count; i++)
	{
		if (i > 0 && compare(indexes[i - 1], indexes[i], set) == 0)
			first[indexes[i]] = first[indexes[i - 1]];
		else
			first[indexes[i]] = indexes[i];
	}
}

/* The slot of a key equal to the i-th or the free slot it goes to; NULL when probes run out. */
static key_slot *
find_slot(const key_set *set, key_slot *slots, uint32 mask, uint32 hash, uint32 i,
		  uint64 *probes_left)
{
	uint32		slot = hash & mask;

	while (slots[slot].entry != 0)
	{
		if (slots[slot].hash == hash && compare_scalars(slots[slot].entry - 1, i, set) == 0)
			break;
		if (--*probes_left == 0)
			return NULL;
		slot = (slot + 1) & mask;
	}
	return &slots[slot];
}

/* By hash table; false when that takes too many probes. */
static bool
first_by_table(const key_set *set, const uint32 *indexes, uint32 count, uint32 *first)
{
	uint32		size = mpk_key_slots(count, sizeof(key_slot));
	uint64		probes_left = PROBES_PER_KEY * (uint64) count;
	key_slot   *slots;
	bool		done = true;

	if (size == 0)
		return false;
	slots = palloc_extended((size_t) size * sizeof(key_slot), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 n = 0; n < count; n++)
	{
		uint32		i = indexes[n];
		mpk_value	key;
		uint32		hash;
		key_slot   *slot;

		MPK_CHECK_FOR_INTERRUPTS();
		mpk_read(set->keys[i], &key);
		hash = (uint32) (mpk_hash_scalar(&key) >> 32);
		slot = find_slot(set, slots, size - 1, hash, i, &probes_left);
		if (slot == NULL)
		{
			done = false;
			break;
		}
		if (slot->entry == 0)
		{
			slot->hash = hash;
			slot->entry = i + 1;
		}
		first[i] = slot->entry - 1;
	}
	pfree(slots);
	return done;
}

/* Scalars to the front, in order, containers behind them; returns how many scalars there are. */
static uint32
part_scalars(const key_set *set, uint32 *indexes, uint32 count)
{
	uint32		scalars = 0;
	uint32		containers = count;

	for (uint32 i = 0; i < count; i++)
	{
		mpk_value	key;

		MPK_CHECK_FOR_INTERRUPTS_AT(i);
		mpk_read(set->keys[i], &key);
		if (mpk_is_container(key.kind))
			indexes[--containers] = i;
		else
			indexes[scalars++] = i;
	}
	for (uint32 low = containers, high = count; low + 1 < high; low++)
	{
		uint32		i = indexes[low];

		indexes[low] = indexes[--high];
		indexes[high] = i;
	}
	return scalars;
}

void
mpk_keys_first(const uint8 *const *keys, uint32 count, unsigned flags, uint32 *first)
{
	key_set		set = {keys, flags};
	uint32	   *indexes;
	uint32		scalars;

	if (count == 0)
		return;
	indexes = palloc_extended(count * sizeof(uint32), MCXT_ALLOC_HUGE);
	scalars = part_scalars(&set, indexes, count);
	if (!first_by_table(&set, indexes, scalars, first))
		first_by_sort(&set, indexes, scalars, compare_scalars, first);
	first_by_sort(&set, indexes + scalars, count - scalars, compare_containers, first);
	pfree(indexes);
}

/* Where the pairs' keys are, as pointers; palloc'd. */
static const uint8 **
key_pointers(const mpk_pairs *pairs)
{
	const uint8 **keys = palloc_extended(Max(pairs->count, 1) * sizeof(uint8 *), MCXT_ALLOC_HUGE);

	for (uint32 i = 0; i < pairs->count; i++)
		keys[i] = pairs->data + pairs->keys[i];
	return keys;
}

/* Do codec/keys.c's checks, which are the soonest, tell that all keys are distinct? */
static bool
surely_distinct(const mpk_pairs *pairs)
{
	mpk_key_stack keys;
	bool		distinct;

	mpk_key_stack_init(&keys);
	if (pairs->count > keys.room)
		mpk_key_stack_grow(&keys, pairs->count);
	for (uint32 i = 0; i < pairs->count; i++)
		mpk_key_stack_push(&keys, pairs->keys[i], 0);
	mpk_key_stack_set_prints(&keys, 0, pairs->data, pairs->data + pairs->end);
	distinct = mpk_keys_check(&keys, 0, pairs->data) == 0;
	mpk_key_stack_free(&keys);
	return distinct;
}

/* Which pairs have equal keys, as mpk_keys_first tells; NULL when none have.  Palloc'd. */
static uint32 *
find_repeated(const mpk_pairs *pairs)
{
	uint32	   *first;
	const uint8 **keys;

	if (surely_distinct(pairs))
		return NULL;
	keys = key_pointers(pairs);
	first = palloc_extended(pairs->count * sizeof(uint32), MCXT_ALLOC_HUGE);
	mpk_keys_first(keys, pairs->count, pairs->flags, first);
	pfree(keys);
	return first;
}

const uint8 *
mpk_pairs_repeated(const mpk_pairs *pairs)
{
	uint32	   *first = find_repeated(pairs);
	const uint8 *repeated = NULL;

	if (first == NULL)
		return NULL;
	for (uint32 i = 0; i < pairs->count && repeated == NULL; i++)
	{
		MPK_CHECK_FOR_INTERRUPTS_AT(i);
		if (first[i] != i)
			repeated = pairs->data + pairs->keys[i];
	}
	pfree(first);
	return repeated;
}

/* The byte after the i-th pair. */
static inline const uint8 *
pair_end(const mpk_pairs *pairs, uint32 i)
{
	return pairs->data + (i + 1 < pairs->count ? pairs->keys[i + 1] : pairs->end);
}

/* Write one pair for each key.  False when some were left out. */
static bool
write_distinct(mpk_writer *writer, const mpk_pairs *pairs, const uint32 *first)
{
	uint32	   *last = palloc_extended(pairs->count * sizeof(uint32), MCXT_ALLOC_HUGE);
	uint32		distinct = 0;

	for (uint32 i = 0; i < pairs->count; i++)
	{
		last[first[i]] = i;
		distinct += (first[i] == i);
	}
	mpk_write_map_head(writer, distinct);
	for (uint32 i = 0; i < pairs->count; i++)
	{
		const uint8 *key = pairs->data + pairs->keys[i];
		const uint8 *value;

		MPK_CHECK_FOR_INTERRUPTS();
		if (first[i] != i)
			continue;
		mpk_write_raw(writer, key, mpk_skip(key) - key);
		value = mpk_skip(pairs->data + pairs->keys[last[i]]);
		mpk_write_raw(writer, value, pair_end(pairs, last[i]) - value);
	}
	pfree(last);
	return distinct == pairs->count;
}

bool
mpk_write_pairs(mpk_writer *writer, const mpk_pairs *pairs)
{
	uint32	   *first = find_repeated(pairs);

	if (first != NULL)
	{
		bool		all = write_distinct(writer, pairs, first);

		pfree(first);
		return all;
	}
	mpk_write_map_head(writer, pairs->count);
	if (pairs->count > 0)
		mpk_write_raw(writer, pairs->data + pairs->keys[0], pairs->end - pairs->keys[0]);
	return true;
}

bool
mpk_write_close_pairs(mpk_writer *writer, size_t place, const uint32 *keys, uint32 count,
					  unsigned flags)
{
	mpk_pairs	pairs = {mpk_writer_data(writer), writer->length, keys, count, flags};
	uint32	   *first;
	mpk_writer	distinct;
	bool		all;

	if (writer->overflow)
		return true;			/* not all keys are there, and none will be read */
	first = find_repeated(&pairs);
	if (first == NULL)
	{
		mpk_write_close_map(writer, place, count);
		return true;
	}
	mpk_writer_init(&distinct, writer->length - place);
	all = write_distinct(&distinct, &pairs, first);
	writer->length = place;
	mpk_write_raw(writer, mpk_writer_data(&distinct), distinct.length);
	pfree(distinct.buffer);
	pfree(first);
	return all;
}
