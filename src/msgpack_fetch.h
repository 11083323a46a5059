/*
 * msgpack_fetch.h
 *		Reading a msgpack argument without detoasting all of it.
 */
#ifndef MSGPACK_FETCH_H
#define MSGPACK_FETCH_H

#include "msgpack.h"

#include "document/cursor.h"
#include "document/path.h"

/* Steps, and how many; steps is NULL when they lead nowhere. */
typedef struct msgpack_path
{
	mpk_step   *steps;
	int			count;
} msgpack_path;

/*
 * What a call site remembers from call to call, in its FmgrInfo's fn_extra: the
 * values that its query has fetched, and what it asks for when that is a constant.
 */
typedef struct msgpack_site
{
	struct msgpack_cache *cache;	/* NULL until a value in TOAST was read */
	msgpack_path path;			/* its steps are NULL when it is no constant */
	struct mpk_contained *contained;	/* NULL when it is no constant */
} msgpack_site;

/* The site of a call, made when there is none; NULL without an FmgrInfo. */
extern msgpack_site *msgpack_site_make(FmgrInfo *flinfo);

/*
 * Is argument "number", from 0, of the call a constant in the query?
 * (get_fn_expr_arg_stable also says so of parameters, which PL/pgSQL changes
 * from one evaluation of an expression to the next.)
 */
extern bool msgpack_is_constant(FmgrInfo *flinfo, int number);

static inline msgpack_site *
msgpack_site_of(FunctionCallInfo fcinfo)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;

	if (likely(flinfo != NULL && flinfo->fn_extra != NULL))
		return flinfo->fn_extra;
	return msgpack_site_make(flinfo);
}

/* Raise XX001. */
pg_noreturn extern void msgpack_raise_corrupt(void);

/*
 * A cursor on a msgpack datum.  What lies in TOAST is fetched as the cursor
 * asks for it, and kept for the other calls of the same query that read the
 * same value: "fcinfo" tells which query, and may have no flinfo.  Bytes that
 * the cursor hands out are good until the function returns.  Raises XX001 on a
 * header that no version wrote.
 */
extern void msgpack_cursor_open_toasted(mpk_cursor *cursor, FunctionCallInfo fcinfo, Datum datum);

static inline void
msgpack_cursor_open(mpk_cursor *cursor, FunctionCallInfo fcinfo, Datum datum)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);

	/* a toast pointer also looks like a value with a short header */
	if (unlikely(VARATT_IS_EXTERNAL(value) || VARATT_IS_COMPRESSED(value)))
	{
		msgpack_cursor_open_toasted(cursor, fcinfo, datum);
		return;
	}
	if (!mpk_cursor_open(cursor, (const uint8 *) VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)))
		msgpack_raise_corrupt();
}

/* The same of a document as it is without its repeated keys, of which the last ones count. */
extern void msgpack_cursor_open_copy(mpk_cursor *cursor, FunctionCallInfo fcinfo, Datum datum);

static inline void
msgpack_cursor_open_distinct(mpk_cursor *cursor, FunctionCallInfo fcinfo, Datum datum)
{
	msgpack_cursor_open(cursor, fcinfo, datum);
	if (unlikely((cursor->flags & MPK_REPEATED_KEYS) != 0))
		msgpack_cursor_open_copy(cursor, fcinfo, datum);
}

/* Raise XX001 when the cursor has come upon something that cannot be. */
static inline void
msgpack_cursor_check(const mpk_cursor *cursor)
{
	if (unlikely(cursor->corrupt))
		msgpack_raise_corrupt();
}

#endif							/* MSGPACK_FETCH_H */
