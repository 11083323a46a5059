/*
 * image.h
 *		A value's order in 64 bits, as far as they go: what a sort compares first.
 *
 * mpk_order_image(a) < mpk_order_image(b) means a < b in the order of
 * document/compare.h; equal images say nothing.  Images live as long as a sort.
 *
 *	bits 60-63	the rank of the kind
 *	below		boolean: itself
 *				number: the nearest float 64, bits arranged to ascend, less the lowest 4
 *				str, bin: the first 7 1/2 bytes
 *				timestamp: 36 bits of seconds (1,089 years either way), 24 of the second
 *				ext: 8 bits of code, then the first 6 1/2 bytes
 *				array: the image of its first element, less the lowest 4 bits
 *				map: the count of pairs
 */
#ifndef MPK_IMAGE_H
#define MPK_IMAGE_H

#include "codec/format.h"

/* Payload bytes that an image may depend on: 15 array heads, a last head and 8 bytes. */
#define MPK_IMAGE_BYTES		112

/*
 * Of the regular value that begins at p, of which MPK_IMAGE_BYTES are readable,
 * or all.
 */
extern uint64 mpk_order_image(const uint8 *p);

#endif							/* MPK_IMAGE_H */
