/*
 * validate.h
 *		The one gate for bytes that come from outside.
 */
#ifndef MPK_VALIDATE_H
#define MPK_VALIDATE_H

#include "codec/error.h"
#include "codec/format.h"
#include "codec/layout.h"

/*
 * Irregularities: legal MessagePack that needs care.  A value without them is
 * regular.  The bits are those of the stored header (document/stored.h).
 */
#define MPK_REPEATED_KEYS		0x02	/* some map holds two equal keys */
#define MPK_INVALID_UTF8		0x04	/* some str is not UTF-8 */
#define MPK_IRREGULAR			(MPK_REPEATED_KEYS | MPK_INVALID_UTF8)

/*
 * Not an irregularity but a question left open: some map has two or more keys
 * that are containers or exts, whose equality the document layer decides
 * (document/regular.h).  Never stored.
 */
#define MPK_COMPOUND_KEYS		0x80

/*
 * Is data[0 .. length) exactly one well-formed object within the limits of
 * codec/format.h?  Returns true and sets *flags to the irregularities found,
 * or false with *error: the code and the offset of the value at fault.  Time
 * is O(n log n) at worst, for maps whose keys collide; O(n) else.  Allocates
 * and frees scratch memory in the current context; cancellable.
 */
extern bool mpk_validate(const uint8 *data, size_t length, unsigned *flags, mpk_error *error);

/*
 * The same, and note the layout of the object in a fresh one.  Of an object
 * that is not well-formed it is of no use, but to be freed.
 */
extern bool mpk_validate_layout(const uint8 *data, size_t length, unsigned *flags,
								mpk_layout *layout, mpk_error *error);

/*
 * Does one well-formed object begin at data?  As mpk_validate, but bytes may
 * follow; *used is the object's length.
 */
extern bool mpk_validate_first(const uint8 *data, size_t length, size_t *used, unsigned *flags,
							   mpk_error *error);

#endif							/* MPK_VALIDATE_H */
