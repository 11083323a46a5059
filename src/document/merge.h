/*
 * merge.h
 *		One document out of several: concatenation and merging.
 *
 * Maps whose pairs are brought together come out with distinct keys, those
 * of the first document first and in its order; a map or pair that is taken
 * over whole keeps its bytes.
 */
#ifndef MPK_MERGE_H
#define MPK_MERGE_H

#include "codec/error.h"
#include "codec/write.h"
#include "document/stored.h"

/*
 * Write a || b, as jsonb has it: two maps make one, where b's values win; two
 * arrays follow one another; anything else is put into an array first.  False
 * with MPK_ERR_OUTPUT_TOO_DEEP.  Cancellable, as the next.
 */
extern bool mpk_concat(mpk_writer *writer, const mpk_document *a, const mpk_document *b,
					   mpk_error *error);

/*
 * Write the first document with all others merged into it, one after the
 * other, as RFC 7396 (JSON Merge Patch) has it: maps merge in depth, nil
 * deletes, anything else replaces.  count is 1 at least.  Takes time in
 * proportion to the documents' sizes all together, however many they are
 * (times n log n for keys made to collide).
 */
extern void mpk_merge(mpk_writer *writer, const mpk_document *documents, uint32 count);

#endif							/* MPK_MERGE_H */
