/*
 * pairs.h
 *		Pairs on their way into a map, which may repeat keys.
 *
 * What builds a map from pairs (constructors, aggregates, concatenation,
 * merging) goes by one rule, jsonb's: of equal keys the last value counts, and
 * stands at the first one's place, under the first one's key.
 */
#ifndef MPK_PAIRS_H
#define MPK_PAIRS_H

#include "codec/validate.h"
#include "codec/write.h"

/*
 * For each key the first one that equals it: first[i] <= i is an index into
 * keys.  "flags" are the irregularities that keys may have which are
 * containers.  O(n log n) at worst.  Allocates and frees scratch memory in the
 * current context; cancellable.
 */
extern void mpk_keys_first(const uint8 *const *keys, uint32 count, unsigned flags, uint32 *first);

/*
 * Pairs that lie one after the other, key, value, key, value: the i-th key
 * begins at data + keys[i], and the last value ends at data + end.
 */
typedef struct mpk_pairs
{
	const uint8 *data;
	size_t		end;
	const uint32 *keys;
	uint32		count;
	unsigned	flags;			/* irregularities inside keys and values */
} mpk_pairs;

/* The first key that repeats one before it, or NULL when all are distinct. */
extern const uint8 *mpk_pairs_repeated(const mpk_pairs *pairs);

/* Write the map of these pairs, with one pair for each key.  False when pairs were left out. */
extern bool mpk_write_pairs(mpk_writer *writer, const mpk_pairs *pairs);

/*
 * End a map that mpk_write_open began at "place" and whose pairs have been
 * written since; keys[i] is the place of the i-th key in the writer.  Where
 * keys repeat, the map is rewritten with one pair for each, and the result is
 * false.
 */
extern bool mpk_write_close_pairs(mpk_writer *writer, size_t place, const uint32 *keys,
								  uint32 count, unsigned flags);

#endif							/* MPK_PAIRS_H */
