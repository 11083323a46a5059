/*
 * msgpack_row.h
 *		Maps and arrays as rows.
 *
 * A map's keys find the columns of their names, by the key rule of
 * document/path.h; of equal keys the last counts, other keys are passed over.
 * An array is a positional row: its elements are the columns in order, dropped
 * ones not counted, and what is left over is passed over.
 */
#ifndef MSGPACK_ROW_H
#define MSGPACK_ROW_H

#include "msgpack_populate.h"

#include "access/htup.h"
#include "access/tupdesc.h"

#include "document/cursor.h"

/*
 * The row type of a plan of class MSGPACK_PLAN_ROW, as it is now; what it
 * returns lives as long as the plan.
 */
extern TupleDesc msgpack_row_type(msgpack_plan *plan);

/*
 * Fill the values and nulls of a row of the type that msgpack_row_type returned
 * last (arrays of its natts) from the map or array at p.  Columns of which the
 * document says nothing are as in "base", where that is not NULL.  Raises when
 * p is a scalar.  Returns the byte after the container.
 */
extern const uint8 *msgpack_row_fill(msgpack_plan *plan, const mpk_document *document,
									 const uint8 *p, HeapTupleHeader base, Datum *values,
									 bool *nulls);

/* The same as a datum; an empty container gives "base" itself. */
extern Datum msgpack_row_datum(msgpack_plan *plan, const mpk_document *document, const uint8 *p,
							   HeapTupleHeader base);

/*
 * The same of a document's root by look-up of each column, where that is
 * sooner: of a map that has an index, and is long or lies in TOAST.  False when
 * it is not, or when the document is damaged (cursor->corrupt).
 */
extern bool msgpack_row_lookup(msgpack_plan *plan, mpk_cursor *cursor, HeapTupleHeader base,
							   Datum *result);

#endif							/* MSGPACK_ROW_H */
