/*
 * error.h
 *		How the lower layers report what went wrong: a code and a place.
 *
 * Nothing below the faces raises.  A function that can fail returns false (or
 * NULL) and fills the caller's mpk_error; src/msgpack_error.c holds the one
 * table from codes to SQLSTATE, message, detail and hint.
 */
#ifndef MPK_ERROR_H
#define MPK_ERROR_H

#include "codec/port.h"

typedef enum mpk_errcode
{
	MPK_OK = 0,

	/* bytes that are not one well-formed object: SQLSTATE 22P03 */
	MPK_ERR_EMPTY,				/* no bytes at all */
	MPK_ERR_TRUNCATED,			/* ends inside a value, or a length or count beyond the end */
	MPK_ERR_NEVER_USED,			/* type byte 0xC1 */
	MPK_ERR_TRAILING,			/* bytes after the object */
	MPK_ERR_TOO_DEEP,			/* nesting beyond MPK_MAX_DEPTH */
	MPK_ERR_TOO_LARGE,			/* payload beyond MPK_MAX_PAYLOAD */

	/* a stored value that no version of mpk wrote: XX001 */
	MPK_ERR_CORRUPT,

	/* output that would pass the allocation limit, or nest too deep: 54000 */
	MPK_ERR_OUTPUT_TOO_LARGE,
	MPK_ERR_OUTPUT_TOO_DEEP,

	/* text that is not one value: 22P02; offset counts bytes of the text */
	MPK_ERR_TEXT_SYNTAX,		/* "expected" names what was expected there */
	MPK_ERR_TEXT_TRAILING,		/* text after the value */
	MPK_ERR_TEXT_ENCODING,		/* text that is not UTF-8: 22021 */
	MPK_ERR_TEXT_RANGE,			/* number, timestamp or width out of range: 22003 */
	MPK_ERR_TEXT_TOO_DEEP,		/* nesting beyond MPK_MAX_DEPTH */
	MPK_ERR_TEXT_TOO_LARGE,		/* payload beyond MPK_MAX_PAYLOAD */

	/* a value that JSON cannot hold; offset counts bytes of the payload */
	MPK_ERR_STR_NOT_UTF8,		/* 22021 */
	MPK_ERR_KEY_CLASH			/* different keys of a map become the same string: 22030 */
} mpk_errcode;

typedef struct mpk_error
{
	mpk_errcode code;
	size_t		offset;			/* byte of the input at which it was found */
	const char *expected;		/* constant; what MPK_ERR_TEXT_* wanted there, else NULL */
} mpk_error;

/* Fill *error (which may be NULL) and return false, so that callers can "return mpk_fail(...)". */
static inline bool
mpk_fail(mpk_error *error, mpk_errcode code, size_t offset)
{
	if (error != NULL)
	{
		error->code = code;
		error->offset = offset;
		error->expected = NULL;
	}
	return false;
}

#endif							/* MPK_ERROR_H */
