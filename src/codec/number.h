/*
 * number.h
 *		Numbers compared and hashed exactly, by value, whatever their encoding.
 */
#ifndef MPK_NUMBER_H
#define MPK_NUMBER_H

#include "codec/format.h"

/*
 * Order of two values of number kinds: -1, 0 or 1.  Exact (2^53 + 1 is above
 * 2^53 as a float); -0.0 equals 0; NaN equals NaN and is above all others.
 */
extern int	mpk_number_compare(const mpk_value *a, const mpk_value *b);

/*
 * A number's one representative: an integral number from -2^63 to 2^64-1
 * becomes the integer (MPK_UINT or MPK_INT); any other float becomes float 64,
 * NaN the usual one.  Equal numbers have equal representatives.
 */
extern void mpk_number_normalize(mpk_value *value);

/*
 * Is there an integer in the int64 range that equals the number?  Sets *result
 * if so.
 */
extern bool mpk_number_as_int64(const mpk_value *value, int64 *result);

#endif							/* MPK_NUMBER_H */
