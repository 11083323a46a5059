/*
 * nest.h
 *		How deep a value is nested: what whoever puts one value into another must know.
 *
 * The validator lets nothing in that is nested more than MPK_MAX_DEPTH deep;
 * everything that makes values keeps it so.
 */
#ifndef MPK_NEST_H
#define MPK_NEST_H

#include "codec/format.h"

/*
 * Is the value p[0 .. end) at most "levels" containers deep?  A scalar is 0
 * deep, [] is 1 and [[]] is 2.  At once for a value of no more than "levels"
 * bytes, which cannot be deeper; else in one pass.  "levels" is at most
 * MPK_MAX_DEPTH.  Cancellable.
 */
extern bool mpk_nests_within(const uint8 *p, const uint8 *end, uint32 levels);

#endif							/* MPK_NEST_H */
