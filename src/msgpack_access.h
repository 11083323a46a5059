/*
 * msgpack_access.h
 *		Reading along steps, for the functions and for subscripting.
 */
#ifndef MSGPACK_ACCESS_H
#define MSGPACK_ACCESS_H

#include "msgpack_fetch.h"

/* How an SQL argument becomes steps; palloc'd, and so is all that they refer to. */
typedef msgpack_path (*msgpack_make_path) (Datum argument);

/* The path of a call's argument 1; made once for the query when it is a constant. */
extern msgpack_path msgpack_make_path_of_call(FunctionCallInfo fcinfo, msgpack_make_path make);

static inline msgpack_path
msgpack_path_of_call(FunctionCallInfo fcinfo, msgpack_make_path make)
{
	if (likely(fcinfo->flinfo != NULL && fcinfo->flinfo->fn_extra != NULL))
	{
		const msgpack_site *site = fcinfo->flinfo->fn_extra;

		if (site->path.steps != NULL)
			return site->path;
	}
	return msgpack_make_path_of_call(fcinfo, make);
}

/* Of a text: one step as -> has it. */
extern msgpack_path msgpack_path_from_field(Datum argument);

/* Of a text[]: a path as #> has it, whose steps are NULL when an element is. */
extern msgpack_path msgpack_path_from_array(Datum argument);

/*
 * The value that the path leads to in argument 0, as a document of its own, or
 * as ->> gives it; NULL (fcinfo->isnull) when there is none.
 */
extern Datum msgpack_extract(FunctionCallInfo fcinfo, msgpack_path path);
extern Datum msgpack_extract_as_text(FunctionCallInfo fcinfo, msgpack_path path);

/*
 * The value itself, of a container the head alone, and the irregularities of
 * its document; false when there is none.
 */
extern bool msgpack_find_value(FunctionCallInfo fcinfo, msgpack_path path, mpk_value *value,
							   unsigned *flags);

/* Text in the database's encoding as a step of this kind; keeps to its bytes. */
extern void msgpack_step_text(mpk_step *step, mpk_step_kind kind, const text *t);

#endif							/* MSGPACK_ACCESS_H */
