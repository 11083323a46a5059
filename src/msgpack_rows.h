/*
 * msgpack_rows.h
 *		Functions that return rows, as producers of one row after another.
 *
 * A source says how to begin and how to make the next row; msgpack_return_rows
 * speaks both of the executor's protocols.  In FROM all rows go straight to
 * the executor's tuplestore; in a select list each call makes one row, so that
 * what nobody fetches (LIMIT) costs nothing.
 */
#ifndef MSGPACK_ROWS_H
#define MSGPACK_ROWS_H

#include "msgpack.h"

/* Columns that a row has at most. */
#define MSGPACK_ROW_COLUMNS		4

typedef struct msgpack_row_source
{
	int			columns;		/* 1: the rows are plain values, not tuples */
	size_t		state_size;		/* what begin and next share; zeroed before begin */

	/*
	 * Take the arguments.  The current context lives as long as the series:
	 * documents are detoasted in it.  Raises what is wrong with the arguments.
	 */
	void		(*begin) (void *state, FunctionCallInfo fcinfo);

	/*
	 * Make a row, in a context that lives no longer than the row; nulls are
	 * false beforehand.  False after the last one.  *bytes, if it is set, is
	 * about how much memory the row took.
	 */
	bool		(*next) (void *state, Datum *values, bool *nulls, size_t *bytes);
} msgpack_row_source;

/* Do all rows of this call go straight to the executor's tuplestore? */
extern bool msgpack_rows_are_stored(FunctionCallInfo fcinfo);

/* The whole of a set-returning function. */
extern Datum msgpack_return_rows(FunctionCallInfo fcinfo, const msgpack_row_source *source);

#endif							/* MSGPACK_ROWS_H */
