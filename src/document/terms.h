/*
 * terms.h
 *		What the GIN classes index of a value: terms of 64 bits.
 *
 * doc/format.md, "Index terms", specifies them; they are on disk.  Equal values
 * have equal terms, and a value that contains another (document/contain.h) has
 * all of its terms.
 */
#ifndef MPK_TERMS_H
#define MPK_TERMS_H

#include "document/stored.h"

/*
 * A growing list of terms in the context that was current when it began; terms
 * may repeat.  Past the limit of one allocation, some 67 million, no more are
 * taken, and "overflow" is set.
 */
typedef struct mpk_terms
{
	uint64	   *terms;
	uint32		count;
	uint32		room;
	bool		overflow;
} mpk_terms;

extern void mpk_terms_init(mpk_terms *terms);
extern void mpk_terms_append(mpk_terms *terms, uint64 term);

/*
 * Append the terms of a document that repeats no keys.  Of its entries: every
 * key, and every scalar, each by itself.  Cancellable.
 */
extern void mpk_terms_of_entries(mpk_terms *terms, const mpk_document *document);

/* The same of its paths: every scalar, with the keys that lead to it. */
extern void mpk_terms_of_paths(mpk_terms *terms, const mpk_document *document);

/*
 * The terms one of which a value has when mpk_exists (document/contain.h) finds
 * the text in it; returns how many, at most MPK_KEY_TERMS.
 */
#define MPK_KEY_TERMS	3
extern int	mpk_terms_of_key(uint64 *terms, const uint8 *s, size_t length);

/*
 * The terms of entries one of which a value has that holds this scalar anywhere
 * (but as a key); returns how many, at most MPK_SCALAR_TERMS.
 */
#define MPK_SCALAR_TERMS	2
extern int	mpk_terms_of_scalar(uint64 *terms, const mpk_value *scalar);

/*
 * Paths step by step.  The hashes of the keys that a text leads to
 * (document/path.h), at most MPK_KEY_TERMS; the path of a value under such a
 * key, from the path of the map (mpk_path_root() of the outermost one); the
 * term of a scalar there.
 */
extern int	mpk_hashes_of_key(uint64 *hashes, const uint8 *s, size_t length);
extern uint64 mpk_path_root(void);
extern uint64 mpk_path_under(uint64 path, uint64 key_hash);
extern uint64 mpk_path_term(uint64 path, const mpk_value *scalar);

#endif							/* MPK_TERMS_H */
