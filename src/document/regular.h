/*
 * regular.h
 *		Irregular values: finding what is irregular, and making a regular copy.
 *
 * Repeated keys and str that are not UTF-8 are legal, kept, and flagged
 * (codec/validate.h).  Keys are equal as values are (document/compare.h).
 */
#ifndef MPK_REGULAR_H
#define MPK_REGULAR_H

#include "codec/validate.h"
#include "codec/write.h"
#include "document/order.h"

/*
 * Close the question that mpk_validate leaves open: the flags it gave for the
 * payload, with MPK_COMPOUND_KEYS replaced by MPK_REPEATED_KEYS or by nothing.
 */
extern unsigned mpk_resolve_flags(const uint8 *payload, unsigned flags);

/* One irregularity, and the place of the key or str. */
typedef struct mpk_irregularity
{
	unsigned	flag;			/* MPK_REPEATED_KEYS, MPK_INVALID_UTF8; 0: there is none */
	size_t		offset;
} mpk_irregularity;

/* The first in a valid payload whose resolved flags are these. */
extern mpk_irregularity mpk_first_irregularity(const uint8 *payload, unsigned flags);

/* What becomes of a str that is not UTF-8. */
typedef enum mpk_utf8_repair
{
	MPK_UTF8_BINARY,			/* a bin of the same bytes */
	MPK_UTF8_REPLACE			/* U+FFFD for each piece that is no character */
} mpk_utf8_repair;

/*
 * Write the payload's value with every str UTF-8; else byte for byte.  The
 * result may have keys repeated that were different before.
 */
extern void mpk_repair_utf8(mpk_writer *writer, const uint8 *payload, mpk_utf8_repair repair);

/*
 * Write the payload's value with one of each run of equal keys kept: the first
 * pair, or the last pair at the first one's place.  All else byte for byte, but
 * for the head of a map that loses pairs, which is the shortest.
 */
extern void mpk_drop_repeated_keys(mpk_writer *writer, const uint8 *payload, mpk_keep keep);

#endif							/* MPK_REGULAR_H */
