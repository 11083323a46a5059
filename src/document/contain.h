/*
 * contain.h
 *		Does one value contain another?
 *
 * As in jsonb.  A map contains a map when it has each of its keys (equal by
 * document/compare.h) and, under each, a scalar that is equal, or a container
 * of the same kind that contains the other's.  An array contains an array when
 * for each scalar of it it has an equal one, and for each container one of the
 * same kind that contains it; order and repetition do not count.  A scalar
 * contains its equal; at the outermost level alone, an array also contains a
 * scalar that it has.
 */
#ifndef MPK_CONTAIN_H
#define MPK_CONTAIN_H

#include "document/cursor.h"
#include "document/stored.h"

/*
 * Does the value under the cursor contain the other?  Neither repeats keys.
 * False also when the stored value is damaged (cursor->corrupt).  Keys are
 * found through the offset index.  Scalars of long arrays are found in n log n
 * steps; containers in an array are tried each against each, but no pair of
 * them twice.  Allocates and frees scratch memory in the current context;
 * cancellable.
 */
extern bool mpk_contains(mpk_cursor *cursor, const mpk_document *contained);

/*
 * Does the value under the cursor have this text (UTF-8) as a key of its
 * outermost map, by the key rule (document/path.h), as a str of its outermost
 * array, or is it that str?  As mpk_contains otherwise.
 */
extern bool mpk_exists(mpk_cursor *cursor, const uint8 *s, size_t length);

#endif							/* MPK_CONTAIN_H */
