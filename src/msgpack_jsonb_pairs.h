/*
 * msgpack_jsonb_pairs.h
 *		The pairs of a map on their way to jsonb, sorted as jsonb sorts keys: by length, then bytes.
 */
#ifndef MSGPACK_JSONB_PAIRS_H
#define MSGPACK_JSONB_PAIRS_H

#include "codec/port.h"

/* A pair of a map that is to be written. */
typedef struct msgpack_pair
{
	uint64		rank;			/* the key's length, then its first four bytes: sorts most keys */
	const char *key;			/* in the database's encoding */
	const uint8 *key_value;		/* where pair and value lie in the payload */
	const uint8 *value;
} msgpack_pair;

/* Length, then the first bytes in big-endian order, so that it compares as they do. */
static inline uint64
msgpack_key_rank(const char *key, size_t length)
{
	uint32		head = 0;

	if (length >= 4)
		head = mpk_load32((const uint8 *) key);
	else
		for (size_t i = 0; i < length; i++)
			head |= (uint32) (uint8) key[i] << (24 - 8 * i);
	return (uint64) length << 32 | head;
}

static inline uint32
msgpack_key_length(const msgpack_pair *p)
{
	return (uint32) (p->rank >> 32);
}

/* Equal rank means equal length, and that the first four bytes are equal. */
static inline int
msgpack_compare_keys(const msgpack_pair *a, const msgpack_pair *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (msgpack_key_length(a) <= 4)
		return 0;
	return memcmp(a->key + 4, b->key + 4, msgpack_key_length(a) - 4);
}

/* Sort by key.  Stable: pairs with the same key stay in the order of the document. */
extern void msgpack_sort_pairs(msgpack_pair *pairs, size_t count);

#endif							/* MSGPACK_JSONB_PAIRS_H */
