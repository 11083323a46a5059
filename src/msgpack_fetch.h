/*
 * msgpack_fetch.h
 *		Reading a msgpack argument without detoasting all of it.
 */
#ifndef MSGPACK_FETCH_H
#define MSGPACK_FETCH_H

#include "msgpack.h"

#include "document/cursor.h"

/*
 * A cursor on a msgpack datum.  What lies in TOAST is fetched as the cursor
 * asks for it, and kept for the other calls of the same query that read the
 * same value: "fcinfo" tells which query, and may have no flinfo.  Bytes that
 * the cursor hands out are good until the function returns.  Raises XX001 on a
 * header that no version wrote.
 */
extern void msgpack_cursor_open(mpk_cursor *cursor, FunctionCallInfo fcinfo, Datum datum);

/* Raise XX001 when the cursor has come upon something that cannot be. */
static inline void
msgpack_cursor_check(const mpk_cursor *cursor)
{
	mpk_error	error = {MPK_ERR_CORRUPT, 0, NULL};

	if (unlikely(cursor->corrupt))
		msgpack_raise(&error);
}

#endif							/* MSGPACK_FETCH_H */
