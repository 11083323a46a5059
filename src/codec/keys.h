/*
 * keys.h
 *		Are the keys of one map distinct?
 */
#ifndef MPK_KEYS_H
#define MPK_KEYS_H

#include "codec/validate.h"

/*
 * Are the "count" keys, which begin at data + offsets[i], distinct by value?
 * Returns 0, or MPK_REPEATED_KEYS, or MPK_COMPOUND_KEYS when two or more keys
 * are containers (which are left out of the comparison).  "end" is the end of
 * the readable bytes, past the last key.  n log n at worst; reorders offsets.
 */
extern unsigned mpk_keys_check(const uint8 *data, const uint8 *end, uint32 *offsets,
							   uint32 count);

#endif							/* MPK_KEYS_H */
