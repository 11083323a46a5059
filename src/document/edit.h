/*
 * edit.h
 *		Changing a document by splicing its bytes.
 *
 * The result is what lies before the change, the change, and what lies after
 * it; of the containers around it at most one counts its entries anew, and
 * only that one's head is written afresh, in its shortest form.  All else
 * keeps its bytes.
 *
 * Paths go by the key rule of document/path.h, and apart from it behave as
 * jsonb's: an index past the end of an array appends, a negative one beyond
 * its beginning prepends, a scalar on the way ends the path, and levels that
 * are missing are only made by MPK_EDIT_ASSIGN.
 */
#ifndef MPK_EDIT_H
#define MPK_EDIT_H

#include "codec/write.h"
#include "document/index.h"
#include "document/path.h"

typedef enum mpk_edit_kind
{
	MPK_EDIT_SET,				/* replace, or create the last step of the path */
	MPK_EDIT_REPLACE,			/* replace only */
	MPK_EDIT_INSERT_BEFORE,		/* an array element, or a key that is new */
	MPK_EDIT_INSERT_AFTER,
	MPK_EDIT_DELETE,
	MPK_EDIT_ASSIGN				/* replace, or create what is missing of the path, gaps with nil */
} mpk_edit_kind;

/* How an edit came out. */
typedef enum mpk_edit_result
{
	MPK_EDITED,
	MPK_EDIT_UNCHANGED,			/* nothing to do: nothing is written */
	/* errors, at "level" of the path */
	MPK_EDIT_NULL_STEP,			/* the path came to an element that is NULL */
	MPK_EDIT_NO_INDEX,			/* not an integer, and an array to go into */
	MPK_EDIT_OUT_OF_RANGE,		/* assignment before the beginning of an array */
	MPK_EDIT_KEY_EXISTS,		/* insertion in place of a key */
	MPK_EDIT_SCALAR,			/* assignment into a scalar */
	MPK_EDIT_TOO_DEEP			/* the result would be nested more than MPK_MAX_DEPTH deep */
} mpk_edit_result;

typedef struct mpk_edit
{
	mpk_edit_kind kind;
	const mpk_step *steps;
	int			count;			/* 1 at least, with the NULL step */
	int			null_level;		/* which of them is NULL, the first if several; -1: none */
	const mpk_document *value;	/* but for MPK_EDIT_DELETE */
	int			level;			/* set with an error: where in the path, from 0 */

	/* set with MPK_EDITED, for mpk_index_splice; path is NULL when it is no help */
	mpk_index_change change;
} mpk_edit;

/*
 * Write the edited document.  On anything but MPK_EDITED the writer is as it
 * was.  The result is irregular only if document or value are.  Cancellable.
 */
extern mpk_edit_result mpk_edit_path(mpk_writer *writer, const mpk_document *document,
									 mpk_edit *edit);

/*
 * Write the document, a map or an array, without the pairs that these texts (of
 * kind MPK_STEP_FIELD) lead to, or without the elements that are str of these
 * bytes.  False, and nothing written, when there are none.
 */
extern bool mpk_delete_texts(mpk_writer *writer, const mpk_document *document,
							 const mpk_step *texts, uint32 count);

/*
 * Write the document without the pairs of maps whose value is nil, at any
 * depth, and with in_arrays without the elements of arrays that are nil.
 * False, and nothing written, when there are none.  The document has no
 * repeated keys.
 */
extern bool mpk_strip_nils(mpk_writer *writer, const mpk_document *document, bool in_arrays);

#endif							/* MPK_EDIT_H */
