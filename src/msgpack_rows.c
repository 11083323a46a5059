/*
 * msgpack_rows.c
 *		The executor's two protocols for functions that return rows, and how many they return.
 */
#include "msgpack_rows.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

/*
 * Rows of more than so many bytes in all are made in a scratch context, which
 * is emptied each time that so many were used; few rows are not worth one.
 */
#define SCRATCH_BYTES	(64 * 1024)

/* What a row takes beside its values. */
#define ROW_BYTES		64

static void
begin_series(void **state, const msgpack_row_source *source, FunctionCallInfo fcinfo)
{
	*state = palloc0(source->state_size);
	source->begin(*state, fcinfo);
}

/* Empty the scratch context, and make it when there is none yet; it becomes the current one. */
static void
empty_scratch(MemoryContext *scratch)
{
	if (*scratch == NULL)
		*scratch = AllocSetContextCreate(CurrentMemoryContext, "msgpack rows",
										 ALLOCSET_DEFAULT_SIZES);
	else
		MemoryContextReset(*scratch);
	MemoryContextSwitchTo(*scratch);
}

/* All rows into a tuplestore. */
static Datum
materialize(FunctionCallInfo fcinfo, const msgpack_row_source *source)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext scratch = NULL;
	size_t		used = 0;
	size_t		bytes = 0;
	void	   *state;
	Datum		values[MSGPACK_ROW_COLUMNS];
	bool		nulls[MSGPACK_ROW_COLUMNS] = {false};

	begin_series(&state, source, fcinfo);

	MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
	result->setResult = tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0,
											  false, work_mem);
	/* setDesc stays NULL: the rows are of the type that the executor expects */
	result->returnMode = SFRM_Materialize;

	MemoryContextSwitchTo(caller);
	while (source->next(state, values, nulls, &bytes))
	{
		tuplestore_putvalues(result->setResult, result->expectedDesc, values, nulls);
		memset(nulls, 0, sizeof(nulls));
		used += bytes + ROW_BYTES;
		if (used > SCRATCH_BYTES)
		{
			empty_scratch(&scratch);
			used = 0;
		}
		CHECK_FOR_INTERRUPTS();
	}
	MemoryContextSwitchTo(caller);
	if (scratch != NULL)
		MemoryContextDelete(scratch);
	return (Datum) 0;
}

/* The row type, fit for tuples that travel as datums. */
static TupleDesc
row_type(FunctionCallInfo fcinfo)
{
	TupleDesc	type;

	if (get_call_result_type(fcinfo, NULL, &type) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return BlessTupleDesc(type);
}

/* One row for each call. */
static Datum
value_per_call(FunctionCallInfo fcinfo, const msgpack_row_source *source)
{
	FuncCallContext *series;
	size_t		bytes;
	Datum		values[MSGPACK_ROW_COLUMNS];
	bool		nulls[MSGPACK_ROW_COLUMNS] = {false};

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext caller;

		series = SRF_FIRSTCALL_INIT();
		caller = MemoryContextSwitchTo(series->multi_call_memory_ctx);
		begin_series(&series->user_fctx, source, fcinfo);
		if (source->columns > 1)
			series->tuple_desc = row_type(fcinfo);
		MemoryContextSwitchTo(caller);
	}
	series = SRF_PERCALL_SETUP();

	if (!source->next(series->user_fctx, values, nulls, &bytes))
		SRF_RETURN_DONE(series);
	if (source->columns > 1)
		SRF_RETURN_NEXT(series, HeapTupleGetDatum(heap_form_tuple(series->tuple_desc, values,
																  nulls)));
	if (nulls[0])
		SRF_RETURN_NEXT_NULL(series);
	SRF_RETURN_NEXT(series, values[0]);
}

bool
msgpack_rows_are_stored(FunctionCallInfo fcinfo)
{
	const ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	return (result->allowedModes & SFRM_Materialize_Preferred) != 0 &&
		result->expectedDesc != NULL;
}

Datum
msgpack_return_rows(FunctionCallInfo fcinfo, const msgpack_row_source *source)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	if (result == NULL || !IsA(result, ReturnSetInfo) ||
		(result->allowedModes & (SFRM_ValuePerCall | SFRM_Materialize)) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot accept a set")));

	if (msgpack_rows_are_stored(fcinfo))
		return materialize(fcinfo, source);
	return value_per_call(fcinfo, source);
}

/* ----- planner support ----- */

/*
 * The document that a call will be about, if the planner can know: functions
 * that return rows have it as their last argument.
 */
static bool
planned_document(const SupportRequestRows *request, mpk_document *document)
{
	Node	   *argument;

	if (!is_funcclause(request->node))
		return false;
	argument = llast(((FuncExpr *) request->node)->args);
	argument = estimate_expression_value(request->root, argument);
	if (!IsA(argument, Const) || ((Const *) argument)->constisnull)
		return false;
	*document = msgpack_document(((Const *) argument)->constvalue);
	return true;
}

/* Elements or pairs of the root; a scalar will raise an error, so any number will do. */
static double
count_entries(const mpk_document *document)
{
	mpk_value	root;

	(void) mpk_read(document->payload, &root);
	return mpk_is_container(root.kind) ? root.length : 0;
}

/* Values that are no keys: exact, but for containers that are keys. */
static double
count_nodes(const mpk_document *document)
{
	const uint8 *at = document->payload;
	const uint8 *end = at + document->length;
	double		nodes = 0;
	mpk_value	value;

	while (at < end)
	{
		at = mpk_read(at, &value);
		nodes += value.kind == MPK_MAP ? 1 - (double) value.length : 1;
		CHECK_FOR_INTERRUPTS();
	}
	return nodes;
}

/* Answer a request for the number of rows with "count" of the document, if that is known. */
static Node *
support_rows(Node *node, double (*count) (const mpk_document *document))
{
	SupportRequestRows *request = (SupportRequestRows *) node;
	mpk_document document;

	if (!IsA(node, SupportRequestRows) || !planned_document(request, &document))
		return NULL;
	/* the planner takes no function to return no row at all */
	request->rows = Max(count(&document), 1);
	return node;
}

PG_FUNCTION_INFO_V1(msgpack_entries_support);

Datum
msgpack_entries_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(support_rows((Node *) PG_GETARG_POINTER(0), count_entries));
}

PG_FUNCTION_INFO_V1(msgpack_tree_support);

Datum
msgpack_tree_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(support_rows((Node *) PG_GETARG_POINTER(0), count_nodes));
}
