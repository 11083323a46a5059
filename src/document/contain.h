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

#include "document/path.h"
#include "document/stored.h"

/* A value that others are to contain. */
typedef struct mpk_contained
{
	mpk_document document;
	mpk_value	value;			/* its root */
	mpk_step   *steps;			/* to all keys of its maps as they lie, or NULL */
} mpk_contained;

/* The document, which repeats no keys and must stay where it is. */
extern void mpk_contained_init(mpk_contained *contained, const mpk_document *document);

/*
 * Make it ready to be asked of many values: allocates steps to its keys, unless
 * they are so many that most might be in vain.
 */
extern void mpk_contained_prepare(mpk_contained *contained);

/*
 * Does the value under the cursor, which repeats no keys, contain the other?
 * False also when the stored value is damaged (cursor->corrupt).  Keys are found
 * through the offset index.  Scalars of long arrays are found in n log n steps;
 * containers in an array are tried each against each, but no pair of them
 * twice, and those that are wanted in the array's order are found at once.
 * Allocates and frees scratch memory in the current context; cancellable.
 */
extern bool mpk_contains(mpk_cursor *cursor, const mpk_contained *contained);

/*
 * Does the value under the cursor have a step's text as a key of its outermost
 * map, by the key rule (document/path.h), as a str of its outermost array, or
 * is it that str?  As mpk_contains otherwise.
 */
extern bool mpk_exists(mpk_cursor *cursor, const mpk_step *step);

#endif							/* MPK_CONTAIN_H */
