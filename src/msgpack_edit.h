/*
 * msgpack_edit.h
 *		Edits of datums, for the functions and for subscripting.
 */
#ifndef MSGPACK_EDIT_H
#define MSGPACK_EDIT_H

#include "msgpack.h"

#include "document/edit.h"

/* Raise what an edit came to that is neither MPK_EDITED nor MPK_EDIT_UNCHANGED. */
pg_noreturn extern void msgpack_raise_edit(mpk_edit_result result, const mpk_edit *edit);

/*
 * The datum of a document made out of others, whose irregularities together
 * are "flags"; the writer is spent.
 */
extern Datum msgpack_edited(mpk_writer *writer, unsigned flags);

/* The edited document; "datum", which it is in, when nothing is to be done.  Raises errors. */
extern Datum msgpack_edit_datum(Datum datum, const mpk_document *document, mpk_edit *edit);

#endif							/* MSGPACK_EDIT_H */
