/*
 * msgpack_record.c
 *		Documents as rows: populate_record, to_record, and their sets.
 *
 * What the result is comes from the first argument's type, from the first
 * argument itself where that is declared as record, or from the query's column
 * definition list.
 */
#include "msgpack.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

#include "msgpack_fetch.h"
#include "msgpack_row.h"

/* What a call site keeps from call to call. */
typedef struct record_site
{
	msgpack_site site;			/* first: what msgpack_fetch.c keeps */
	msgpack_planner planner;
	Oid			base_type;		/* declared type of the base argument; invalid if there is none */
	int32		query_typmod;	/* of the record type that the query defines; -1: not asked yet */
	Oid			set_type;		/* of the rows of earlier sets; invalid: none, or it need not be kept */
	int32		set_typmod;
	msgpack_plan plan;			/* of the result */
} record_site;

/* One call. */
typedef struct record_call
{
	record_site *site;
	const char *function;		/* for errors */
	HeapTupleHeader base;		/* NULL: none */
	bool		has_document;
	Datum		datum;
	mpk_document document;		/* once it was detoasted */
} record_call;

/* ----- the result's type ----- */

/* The msgpack type, which is the type of the function's last argument. */
static Oid
find_msgpack_type(Oid function)
{
	Oid		   *types;
	int			count;

	(void) get_func_signature(function, &types, &count);
	return types[count - 1];
}

static record_site *
get_site(FunctionCallInfo fcinfo, bool has_base)
{
	record_site *site = fcinfo->flinfo->fn_extra;

	if (site != NULL)
		return site;
	site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(record_site));
	site->planner.context = fcinfo->flinfo->fn_mcxt;
	site->planner.msgpack_type = find_msgpack_type(fcinfo->flinfo->fn_oid);
	site->query_typmod = -1;
	if (has_base)
	{
		site->base_type = get_fn_expr_argtype(fcinfo->flinfo, 0);
		if (!OidIsValid(site->base_type))
			elog(ERROR, "could not determine type of first argument");
	}
	fcinfo->flinfo->fn_extra = site;
	return site;
}

/* The typmod of the record type of the query's column definition list. */
static int32
query_typmod(record_call *call, FunctionCallInfo fcinfo)
{
	TupleDesc	type;

	if (call->site->query_typmod >= 0)
		return call->site->query_typmod;
	if (get_call_result_type(fcinfo, NULL, &type) != TYPEFUNC_COMPOSITE)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("could not determine row type for result of %s", call->function),
				 errhint("Provide a non-null record argument, "
						 "or call the function in the FROM clause "
						 "using a column definition list.")));
	if (type->tdtypeid != RECORDOID)
		elog(ERROR, "result of %s is of type %u", call->function, type->tdtypeid);
	if (type->tdtypmod < 0)
		assign_record_type_typmod(type);
	return call->site->query_typmod = type->tdtypmod;
}

/*
 * A plan is to replace the site's.  From the second one on they lie in a context
 * of their own, lest rows of types in turn add up.
 */
static void
drop_plan(record_site *site)
{
	MemoryContext parent = GetMemoryChunkContext(site);

	if (site->planner.context != parent)
		MemoryContextReset(site->planner.context);
	else if (OidIsValid(site->plan.type))
		site->planner.context = AllocSetContextCreate(parent, "plan of a msgpack row",
													  ALLOCSET_SMALL_SIZES);
}

/* Make the site's plan one of this type, unless it is. */
static void
set_plan(record_site *site, Oid type, int32 typmod)
{
	if (site->plan.type != type || site->plan.typmod != typmod)
	{
		drop_plan(site);
		msgpack_plan_init(&site->plan, &site->planner, type, typmod);
	}
	msgpack_plan_complete(&site->plan);
}

/* The plan of the row itself: the site's, below a domain. */
static msgpack_plan *
row_plan(record_site *site)
{
	return site->plan.class == MSGPACK_PLAN_DOMAIN ? site->plan.inner : &site->plan;
}

static void
check_row_plan(const record_call *call)
{
	if (row_plan(call->site)->class != MSGPACK_PLAN_ROW)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("first argument of %s must be a row type", call->function)));
}

/* The result's type, and the base row. */
static void
find_result_type(record_call *call, FunctionCallInfo fcinfo, bool has_base)
{
	record_site *site = call->site;
	bool		declared = has_base && site->base_type != RECORDOID;

	call->base = NULL;
	if (declared)
	{
		set_plan(site, site->base_type, -1);
		check_row_plan(call);	/* before the base is taken for a row */
	}
	if (has_base && !PG_ARGISNULL(0))
		call->base = PG_GETARG_HEAPTUPLEHEADER(0);
	if (declared)
		return;
	if (call->base != NULL)
		set_plan(site, HeapTupleHeaderGetTypeId(call->base), HeapTupleHeaderGetTypMod(call->base));
	else
		set_plan(site, RECORDOID, query_typmod(call, fcinfo));
}

/* The arguments, (base, document) or the document alone, and the result's type. */
static void
begin_call(record_call *call, FunctionCallInfo fcinfo, const char *function, bool has_base)
{
	int			document_argument = has_base ? 1 : 0;

	call->site = get_site(fcinfo, has_base);
	call->function = function;
	find_result_type(call, fcinfo, has_base);
	call->has_document = !PG_ARGISNULL(document_argument);
	call->datum = PG_GETARG_DATUM(document_argument);
}

/* ----- one row ----- */

/* The row of the document, by look-up if it may be. */
static Datum
row_of_document(record_call *call, FunctionCallInfo fcinfo)
{
	msgpack_plan *row = row_plan(call->site);
	mpk_cursor	cursor;
	Datum		result;

	msgpack_cursor_open(&cursor, fcinfo, call->datum);
	if (msgpack_row_lookup(row, &cursor, call->base, &result))
		return result;
	msgpack_cursor_check(&cursor);
	if (cursor.fetch != NULL)
		call->document = msgpack_document(call->datum);
	else
		mpk_cursor_document(&cursor, &call->document);
	return msgpack_row_datum(row, &call->document, call->document.payload, call->base);
}

static Datum
make_record(FunctionCallInfo fcinfo, const char *function, bool has_base)
{
	record_call call;
	msgpack_plan *plan;
	Datum		result;

	begin_call(&call, fcinfo, function, has_base);
	if (!call.has_document)
	{
		if (call.base == NULL)
			PG_RETURN_NULL();
		return HeapTupleHeaderGetDatum(call.base);
	}
	result = row_of_document(&call, fcinfo);
	plan = &call.site->plan;
	if (plan != row_plan(call.site))
		domain_check(result, false, plan->type, &plan->domain_cache,
					 call.site->planner.context);
	return result;
}

PG_FUNCTION_INFO_V1(msgpack_populate_record);

Datum
msgpack_populate_record(PG_FUNCTION_ARGS)
{
	return make_record(fcinfo, "msgpack_populate_record", true);
}

PG_FUNCTION_INFO_V1(msgpack_to_record);

Datum
msgpack_to_record(PG_FUNCTION_ARGS)
{
	return make_record(fcinfo, "msgpack_to_record", false);
}

/* ----- sets of rows ----- */

/* Rows are made in a scratch context that is emptied each time so much of the document was read. */
#define SCRATCH_BYTES	(64 * 1024)

/* The elements of the array that the document must be. */
static const uint8 *
open_set(const record_call *call, uint32 *count)
{
	mpk_value	root;
	const uint8 *first = mpk_read(call->document.payload, &root);

	if (root.kind != MPK_ARRAY)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot call %s on a non-array", call->function)));
	*count = root.length;
	return first;
}

static void
check_set_element(const record_call *call, const uint8 *p)
{
	mpk_value	element;

	(void) mpk_read(p, &element);
	if (!mpk_is_container(element.kind))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument of %s must be an array of maps or of arrays",
						call->function)));
}

/*
 * The row at p, made in the current context, which can then be emptied.
 * Returns the byte after it.
 */
static const uint8 *
put_row(record_call *call, TupleDesc type, const uint8 *p, Tuplestorestate *rows,
		Datum *values, bool *nulls)
{
	msgpack_plan *row = row_plan(call->site);
	const uint8 *end;

	check_set_element(call, p);
	end = msgpack_row_fill(row, &call->document, p, call->base, values, nulls);
	if (row != &call->site->plan)
	{
		HeapTuple	tuple = heap_form_tuple(type, values, nulls);

		domain_check(HeapTupleGetDatum(tuple), false, call->site->plan.type,
					 &call->site->plan.domain_cache, call->site->planner.context);
	}
	tuplestore_putvalues(rows, type, values, nulls);
	return end;
}

static void
put_rows(record_call *call, TupleDesc type, Tuplestorestate *rows)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext scratch = AllocSetContextCreate(caller, "msgpack rows", ALLOCSET_DEFAULT_SIZES);
	Datum	   *values = palloc(sizeof(Datum) * Max(type->natts, 1));
	bool	   *nulls = palloc(sizeof(bool) * Max(type->natts, 1));
	uint32		count;
	const uint8 *at = open_set(call, &count);
	const uint8 *emptied = at;

	MemoryContextSwitchTo(scratch);
	for (uint32 i = 0; i < count; i++)
	{
		at = put_row(call, type, at, rows, values, nulls);
		if (at - emptied > SCRATCH_BYTES)
		{
			MemoryContextReset(scratch);
			emptied = at;
		}
		CHECK_FOR_INTERRUPTS();
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(scratch);
}

/*
 * Where the query does not tell the rows' type, in a select list, the executor reads the rows of
 * all calls as those of the first: a pointer as a number, or a number as a pointer.
 */
static void
check_set_type(const record_call *call, const ReturnSetInfo *result, TupleDesc type)
{
	record_site *site = call->site;

	if (result->expectedDesc != NULL)
		return;					/* the executor compares */
	if (!OidIsValid(site->set_type))
	{
		site->set_type = type->tdtypeid;
		site->set_typmod = type->tdtypmod;
	}
	else if (site->set_type != type->tdtypeid || site->set_typmod != type->tdtypmod)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("%s was called with rows of different types", call->function),
				 errhint("Call the function in the FROM clause using a column definition list.")));
}

static Datum
make_recordset(FunctionCallInfo fcinfo, const char *function, bool has_base)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	record_call call;
	MemoryContext caller;
	TupleDesc	type;

	if (result == NULL || !IsA(result, ReturnSetInfo))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot accept a set")));
	if ((result->allowedModes & SFRM_Materialize) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("materialize mode required, but it is not allowed in this context")));
	result->returnMode = SFRM_Materialize;

	begin_call(&call, fcinfo, function, has_base);
	if (!call.has_document)
		PG_RETURN_NULL();
	call.document = msgpack_document(call.datum);
	type = msgpack_row_type(row_plan(call.site));
	check_set_type(&call, result, type);

	caller = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
	result->setResult = tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0,
											  false, work_mem);
	/* the executor frees it, while the plan goes on */
	result->setDesc = CreateTupleDescCopy(type);
	MemoryContextSwitchTo(caller);
	put_rows(&call, type, result->setResult);
	PG_RETURN_NULL();
}

PG_FUNCTION_INFO_V1(msgpack_populate_recordset);

Datum
msgpack_populate_recordset(PG_FUNCTION_ARGS)
{
	return make_recordset(fcinfo, "msgpack_populate_recordset", true);
}

PG_FUNCTION_INFO_V1(msgpack_to_recordset);

Datum
msgpack_to_recordset(PG_FUNCTION_ARGS)
{
	return make_recordset(fcinfo, "msgpack_to_recordset", false);
}
