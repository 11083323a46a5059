/*
 * keys.h
 *		Are the keys of one map distinct?
 */
#ifndef MPK_KEYS_H
#define MPK_KEYS_H

#include "codec/simd.h"
#include "codec/validate.h"

#include "port/pg_bitutils.h"

/*
 * The keys of maps that are being read: of each the offset of its first byte,
 * and a print, 16 bits that equal keys share.  A stack: the keys of an inner
 * map lie on top of those of the map around it.
 */
#define MPK_INLINE_KEYS		256		/* so many before memory is allocated */
#define MPK_PRINTS_READ		16		/* that many prints can be read from any key on */

typedef struct mpk_key_stack
{
	uint32		used;
	uint32		room;
	uint32	   *offsets;
	uint16	   *prints;
	uint32		inline_offsets[MPK_INLINE_KEYS];
	uint16		inline_prints[MPK_INLINE_KEYS + MPK_PRINTS_READ];
} mpk_key_stack;

extern void mpk_key_stack_init(mpk_key_stack *keys);
extern void mpk_key_stack_free(mpk_key_stack *keys);

/* Make room for so many more keys; the bytes that they take are known to be there. */
extern void mpk_key_stack_grow(mpk_key_stack *keys, uint32 count);

static inline void
mpk_key_stack_push(mpk_key_stack *keys, uint32 offset, uint16 print)
{
	keys->offsets[keys->used] = offset;
	keys->prints[keys->used++] = print;
}

/* Set the print of the key that was pushed last. */
static inline void
mpk_key_stack_set_print(mpk_key_stack *keys, uint16 print)
{
	keys->prints[keys->used - 1] = print;
}

/*
 * Keys are nearly always a fixstr of up to MPK_PRINT_STR bytes: 16 with the
 * head.  They have a print that takes one load.
 */
#define MPK_PRINT_BYTES		16
#define MPK_PRINT_STR		(MPK_PRINT_BYTES - 1)

static inline bool
mpk_is_short_fixstr(uint8 byte)
{
	return (byte & 0xf0) == MPK_FIXSTR;
}

/* The print of a fixstr, from its head and its bytes in two words, the rest zero. */
static inline uint16
mpk_words_print(const uint64 words[2])
{
	/* any odd multiplier: a print does not outlive the reading of its map */
	return (uint16) (((words[0] ^ (words[1] << 29 | words[1] >> 35)) *
					  UINT64CONST(0x9E3779B97F4A7C15)) >> 48);
}

/* Of the fixstr whose head, of this length, begins 16 readable bytes. */
static inline uint16
mpk_short_str_print(const uint8 *head, uint32 length)
{
	uint64		words[2];

	mpk_load_prefix_16(head, length + 1, words);
	return mpk_words_print(words);
}

/* The same of these words: is it all ASCII?  Its head has a high bit of its own. */
static inline bool
mpk_words_ascii(const uint64 words[2])
{
	return (((words[0] & ~UINT64CONST(0x80)) | words[1]) & MPK_HIGH_BITS) == 0;
}

/* Of the fixstr that s[0 .. length) will be; s[-1 .. 15) can be read. */
static inline uint16
mpk_future_str_print(const uint8 *s, uint32 length)
{
	uint64		words[2];

	mpk_load_prefix_16(s - 1, length + 1, words);
	words[0] = (words[0] & ~UINT64CONST(0xff)) | MPK_FIXSTR | length;
	return mpk_words_print(words);
}

/* The print of any scalar key; p lies in a validated place. */
extern uint16 mpk_key_print(const uint8 *p);

/*
 * Set the prints of the keys from "first" on, which were pushed without, now
 * that they all lie in data; bytes can be read up to "end".
 */
extern void mpk_key_stack_set_prints(mpk_key_stack *keys, uint32 first, const uint8 *data,
									 const uint8 *end);

/*
 * Slots of a hash table for so many keys, of these bytes each: a power of two,
 * of which at most half are taken; 0 when a 32-bit machine cannot have so many.
 */
static inline uint32
mpk_key_slots(uint32 count, size_t slot_bytes)
{
	uint32		slots = pg_nextpower2_32(Max(count, 4)) * 2;

	return (uint64) slots * slot_bytes > PTRDIFF_MAX ? 0 : slots;
}

/* The same as mpk_keys_check, below, of keys at these places, where prints do not answer it. */
extern unsigned mpk_keys_check_exactly(uint32 *offsets, uint32 count, const uint8 *data);

/*
 * Are the keys from "first" on, in data, distinct by value?  Returns 0, or
 * MPK_REPEATED_KEYS, or MPK_COMPOUND_KEYS when two or more keys are containers
 * (which are left out of the comparison).  n log n at worst; reorders the keys.
 */
static inline unsigned
mpk_keys_check(mpk_key_stack *keys, uint32 first, const uint8 *data)
{
	uint32		count = keys->used - first;

	if (count < 2 || (count <= MPK_PRINTS_READ && mpk_all_differ(keys->prints + first, count)))
		return 0;
	return mpk_keys_check_exactly(keys->offsets + first, count, data);
}

/*
 * The keys of a small map, and those of the map before it at the same depth:
 * records in a row have the same keys in the same order, which then need
 * neither prints nor a comparison with each other.
 *
 * A slot tells where the key lies that was put there last.  The keys in the
 * first "known" slots (the caller keeps that count) are those of one map, and
 * distinct.  A map whose keys equal those in the slots, one by one, leaves the
 * row as it is; a key that does not replaces the one there, whereafter the
 * map's keys must be checked.
 */
#define MPK_ROW_KEYS		MPK_PRINTS_READ

typedef struct mpk_key_row
{
	const uint8 *keys[MPK_ROW_KEYS];	/* 16 bytes can be read */
	uint16		prints[MPK_ROW_KEYS];
	uint8		sizes[MPK_ROW_KEYS];	/* bytes of the key, or MPK_UNCOMPARED */
} mpk_key_row;

/* The size of a key that equals no other: a container, or more than 16 bytes. */
#define MPK_UNCOMPARED		17

/* Does the key in this slot stand at p, of which 16 bytes can be read? */
static inline bool
mpk_key_row_matches(const mpk_key_row *row, uint32 slot, const uint8 *p)
{
	return mpk_equal_prefix_16(p, row->keys[slot], row->sizes[slot]);
}

static inline void
mpk_key_row_put(mpk_key_row *row, uint32 slot, const uint8 *key, uint8 size, uint16 print)
{
	row->keys[slot] = key;
	row->prints[slot] = print;
	row->sizes[slot] = size;
}

#endif							/* MPK_KEYS_H */
