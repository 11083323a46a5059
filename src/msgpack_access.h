/*
 * msgpack_access.h
 *		Reading along steps, for the functions and for subscripting.
 */
#ifndef MSGPACK_ACCESS_H
#define MSGPACK_ACCESS_H

#include "msgpack_fetch.h"

/*
 * The value that the steps lead to in argument 0, as a document of its own;
 * NULL (fcinfo->isnull) when there is none.
 */
extern Datum msgpack_extract(FunctionCallInfo fcinfo, msgpack_path path);

/* Text in the database's encoding as a step of this kind; keeps to its bytes. */
extern void msgpack_step_text(mpk_step *step, mpk_step_kind kind, const text *t);

#endif							/* MSGPACK_ACCESS_H */
