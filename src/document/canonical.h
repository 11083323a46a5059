/*
 * canonical.h
 *		The canonical form: equal values have equal canonical bytes.
 *
 * Integral numbers from -2^63 to 2^64-1 are integers in their shortest form,
 * other floats float 64, NaN the usual one; timestamps and all heads are the
 * shortest; the keys of a map ascend in the order of document/compare.h.
 */
#ifndef MPK_CANONICAL_H
#define MPK_CANONICAL_H

#include "codec/write.h"
#include "document/stored.h"

/*
 * Write a document's value in canonical form; of repeated keys the last counts.
 * May overflow the writer: float 32 grow, and so may a value.  Cancellable.
 */
extern void mpk_canonical(mpk_writer *writer, const mpk_document *document);

/* Is the document in its canonical form?  A value with repeated keys is not. */
extern bool mpk_is_canonical(const mpk_document *document);

#endif							/* MPK_CANONICAL_H */
