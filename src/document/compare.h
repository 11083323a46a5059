/*
 * compare.h
 *		One total order of values by meaning, and the one hash that agrees with it.
 *
 * nil < boolean < number < string < binary < timestamp < ext < array < map.
 * Numbers compare as numbers, strings and binaries by bytes, exts by code and
 * then by bytes, arrays element by element and then by length, maps by count
 * and then by their pairs sorted by key.  doc/format.md, "Order" and "Hashes",
 * specifies both; hashes are on disk, in indexes and in partitions.
 *
 * Values are regular unless a function says otherwise, and lie in validated
 * payloads.  All functions allocate and free scratch memory in the current
 * context, use stack bounded by MPK_MAX_DEPTH, and are cancellable.
 */
#ifndef MPK_COMPARE_H
#define MPK_COMPARE_H

#include "document/order.h"
#include "document/stored.h"

/* -1, 0 or 1, of two documents, irregular ones included. */
extern int	mpk_compare(const mpk_document *a, const mpk_document *b);

/* mpk_compare(a, b) == 0, sooner. */
extern bool mpk_equal(const mpk_document *a, const mpk_document *b);

/* The hash of a document, irregular ones included. */
extern uint64 mpk_hash(const mpk_document *document);

/* The same of values inside regular documents. */
extern int	mpk_compare_values(const uint8 *a, const uint8 *b);
extern bool mpk_equal_values(const uint8 *a, const uint8 *b);
extern uint64 mpk_hash_value(const uint8 *p);

/*
 * The order of two values read through their views, which may be NULL where a
 * value's maps all ascend; such values may be irregular.
 */
extern int	mpk_compare_ordered(const mpk_order *order_a, const uint8 *a,
								const mpk_order *order_b, const uint8 *b);

/* Is this the type byte of a str of up to 31 bytes in its shortest form?  Most keys are. */
static inline bool
mpk_is_short_str(uint8 type)
{
	return type >= MPK_FIXSTR && type < MPK_BYTE_NIL;
}

/* The order of two of them. */
static inline int
mpk_short_str_compare(const uint8 *a, const uint8 *b)
{
	int			c = memcmp(a + 1, b + 1, Min(*a, *b) - MPK_FIXSTR);

	return c != 0 ? c : (int) *a - (int) *b;
}

/* A hash as the hash class wants it: 32 bits, and 64 bits under a seed (0: agrees with the 32). */
static inline uint32
mpk_hash_fold(uint64 hash)
{
	return (uint32) hash;
}

extern uint64 mpk_hash_seed(uint64 hash, uint64 seed);

#endif							/* MPK_COMPARE_H */
