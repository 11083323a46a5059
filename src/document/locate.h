/*
 * locate.h
 *		Where in a value a byte lies: the path to it, for people to read.
 *
 * The notation is jsonpath's as far as that goes, $.items[3].name, with names
 * that are no identifiers quoted: $["first name"].  Keys that jsonpath has not
 * stand in braces: {7}, {null}, {true}; {#2} is the third pair of its map,
 * whose key is long to write (a container, bytes, a float) or cannot be read.
 */
#ifndef MPK_LOCATE_H
#define MPK_LOCATE_H

#include "codec/port.h"

/* Bytes that a path has at most, beside its NUL; a longer one lacks steps after its "$". */
#define MPK_PATH_MAX	240

/*
 * The path to the value in which byte "offset" lies, or in whose place it
 * lies.  data[0 .. length) may be broken anywhere; it is read as far as it
 * makes sense.  A byte of a key is in the pair of that key.  Palloc'd, NUL-
 * terminated, UTF-8, or with "ascii" ASCII (other characters as \u escapes).
 * NULL when the byte lies after the whole object.
 */
extern char *mpk_locate(const uint8 *data, size_t length, size_t offset, bool ascii);

#endif							/* MPK_LOCATE_H */
