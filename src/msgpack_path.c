/*
 * msgpack_path.c
 *		The jsonpath functions and operators: msgpack_path_exists, _match, _query and so on, @? and @@.
 */
#include "msgpack_path.h"

#include "utils/memutils.h"

#include "msgpack_encode.h"
#include "msgpack_rows.h"

/* What a call site keeps: beside what every reader does, the path it has read last. */
typedef struct path_site
{
	msgpack_site site;			/* first: it is what fn_extra is to the cursor */
	MemoryContext context;		/* of the two below */
	JsonPath   *value;
	msgpack_jsonpath *path;
	bool		is_constant;	/* the path is the query's, and so always the same */
} path_site;

/* A call of one of the functions: (target, path [, vars, silent]). */
typedef struct path_call
{
	msgpack_walk walk;
	mpk_cursor	cursor;
	mpk_document vars;
	unsigned	flags;			/* irregularities of what may be found */
	bool		silent;
} path_call;

/* --- arguments --- */

static msgpack_jsonpath *
keep_path(path_site *site, JsonPath *value, MemoryContext parent)
{
	MemoryContext old;

	if (site->context == NULL)
		site->context = AllocSetContextCreate(parent, "jsonpath of msgpack",
											  ALLOCSET_SMALL_SIZES);
	else
	{
		site->value = NULL;
		MemoryContextReset(site->context);
	}
	old = MemoryContextSwitchTo(site->context);
	site->path = msgpack_path_compile(memcpy(palloc(VARSIZE(value)), value, VARSIZE(value)));
	site->value = memcpy(palloc(VARSIZE(value)), value, VARSIZE(value));
	MemoryContextSwitchTo(old);
	return site->path;
}

/* The path of a call; read once for as long as it stays the same. */
static msgpack_jsonpath *
path_of_call(FunctionCallInfo fcinfo)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	JsonPath   *value;
	path_site  *site;

	if (flinfo == NULL)
		return msgpack_path_compile(PG_GETARG_JSONPATH_P(1));
	site = flinfo->fn_extra;
	if (site == NULL)
	{
		site = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(path_site));
		site->is_constant = msgpack_is_constant(flinfo, 1);
		flinfo->fn_extra = site;
	}
	if (site->is_constant && site->value != NULL)
		return site->path;
	value = PG_GETARG_JSONPATH_P(1);
	if (site->value != NULL && VARSIZE(site->value) == VARSIZE(value) &&
		memcmp(site->value, value, VARSIZE(value)) == 0)
		return site->path;
	return keep_path(site, value, flinfo->fn_mcxt);
}

static void
take_vars(path_call *call, Datum datum)
{
	mpk_document document = msgpack_document(datum);

	if (!mpk_begins_map(*document.payload))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"vars\" argument is not an object"),
				 errdetail("Jsonpath parameters should be encoded as key-value pairs of \"vars\" object.")));
	call->vars = msgpack_distinct(&document);
	call->walk.vars = &call->vars;
	call->flags |= call->vars.flags & MPK_IRREGULAR;
}

/* The operators have two arguments, and are silent. */
static msgpack_path_result
run_path(FunctionCallInfo fcinfo, path_call *call, const msgpack_jsonpath *path, bool use_tz,
		 msgpack_items *found)
{
	msgpack_path_result result;

	msgpack_cursor_open_distinct(&call->cursor, fcinfo, PG_GETARG_DATUM(0));
	call->flags = call->cursor.flags & MPK_IRREGULAR;
	call->walk.cursor = &call->cursor;
	call->walk.vars = NULL;
	call->silent = true;
	if (PG_NARGS() > 2)
	{
		take_vars(call, PG_GETARG_DATUM(2));
		call->silent = PG_GETARG_BOOL(3);
	}
	call->walk.raise = !call->silent;
	call->walk.use_tz = use_tz;
	result = msgpack_path_walk(&call->walk, path, found);
	msgpack_cursor_check(&call->cursor);
	return result;
}

static msgpack_path_result
run_call(FunctionCallInfo fcinfo, path_call *call, bool use_tz, msgpack_items *found)
{
	const msgpack_jsonpath *path = path_of_call(fcinfo);

	if (found != NULL)
		msgpack_items_init(found);
	return run_path(fcinfo, call, path, use_tz, found);
}

/* --- results --- */

/* The item as a span of the document that it lies in; false when it was computed. */
static bool
find_span(const path_call *call, const msgpack_item *item, mpk_document *span)
{
	if (item->form != MSGPACK_ITEM_VALUE || item->value.start == NULL)
		return false;
	memset(span, 0, sizeof(*span));
	span->payload = item->value.start;
	span->length = mpk_value_end(&item->value) - item->value.start;
	span->flags = msgpack_fragment_flags(call->flags, span->payload, span->payload + span->length);
	return true;
}

static Datum
item_datum(const path_call *call, const msgpack_item *item)
{
	mpk_document span;
	mpk_writer	writer;

	if (find_span(call, item, &span))
		return msgpack_from_payload(span.payload, span.length, span.flags);
	mpk_writer_init(&writer, 32);
	msgpack_item_write(&writer, item);
	return msgpack_from_writer(&writer, 0);
}

static Datum
path_exists(FunctionCallInfo fcinfo, bool use_tz)
{
	path_call	call;
	msgpack_path_result result = run_call(fcinfo, &call, use_tz, NULL);

	if (result == MSGPACK_PATH_ERROR)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(result == MSGPACK_PATH_OK);
}

static Datum
path_match(FunctionCallInfo fcinfo, bool use_tz)
{
	path_call	call;
	msgpack_items found;

	(void) run_call(fcinfo, &call, use_tz, &found);
	if (found.count == 1 && msgpack_item_is(&found.items[0], MPK_BOOLEAN))
		PG_RETURN_BOOL(found.items[0].value.as.boolean);
	if (!call.silent && (found.count != 1 || !msgpack_item_is(&found.items[0], MPK_NIL)))
		ereport(ERROR,
				(errcode(ERRCODE_SINGLETON_SQL_JSON_ITEM_REQUIRED),
				 errmsg("single boolean result is expected")));
	PG_RETURN_NULL();
}

static Datum
path_query_array(FunctionCallInfo fcinfo, bool use_tz)
{
	path_call	call;
	msgpack_items found;
	msgpack_sink sink;
	mpk_document span;

	(void) run_call(fcinfo, &call, use_tz, &found);
	msgpack_sink_init(&sink, 256);
	msgpack_sink_enter(&sink, 1);
	mpk_write_array_head(&sink.writer, (uint32) found.count);
	for (int i = 0; i < found.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (find_span(&call, &found.items[i], &span))
			msgpack_sink_embed(&sink, &span);
		else
			msgpack_item_write(&sink.writer, &found.items[i]);
	}
	PG_RETURN_DATUM(msgpack_sink_datum(&sink));
}

static Datum
path_query_first(FunctionCallInfo fcinfo, bool use_tz)
{
	path_call	call;
	msgpack_items found;

	(void) run_call(fcinfo, &call, use_tz, &found);
	if (found.count == 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(item_datum(&call, &found.items[0]));
}

/* --- the items as rows --- */

typedef struct query_rows
{
	path_call	call;
	msgpack_items found;
	int			next;
} query_rows;

/* The document is read without a call site: fn_extra is the series'. */
static void
begin_rows(query_rows *rows, FunctionCallInfo fcinfo, bool use_tz)
{
	LOCAL_FCINFO(siteless, 4);

	InitFunctionCallInfoData(*siteless, NULL, PG_NARGS(), fcinfo->fncollation, NULL, NULL);
	memcpy(siteless->args, fcinfo->args, PG_NARGS() * sizeof(NullableDatum));
	msgpack_items_init(&rows->found);
	(void) run_path(siteless, &rows->call, msgpack_path_compile(PG_GETARG_JSONPATH_P_COPY(1)),
					use_tz, &rows->found);
}

static void
begin_query(void *state, FunctionCallInfo fcinfo)
{
	begin_rows(state, fcinfo, false);
}

static void
begin_query_tz(void *state, FunctionCallInfo fcinfo)
{
	begin_rows(state, fcinfo, true);
}

static bool
next_row(void *state, Datum *values, bool *nulls pg_attribute_unused(), size_t *bytes)
{
	query_rows *rows = state;

	if (rows->next >= rows->found.count)
		return false;
	values[0] = item_datum(&rows->call, &rows->found.items[rows->next++]);
	*bytes = VARSIZE_ANY(DatumGetPointer(values[0]));
	return true;
}

static const msgpack_row_source query_source = {1, sizeof(query_rows), begin_query, next_row};
static const msgpack_row_source query_tz_source = {1, sizeof(query_rows), begin_query_tz, next_row};

/* --- the functions --- */

PG_FUNCTION_INFO_V1(msgpack_path_exists);

Datum
msgpack_path_exists(PG_FUNCTION_ARGS)
{
	return path_exists(fcinfo, false);
}

PG_FUNCTION_INFO_V1(msgpack_path_exists_tz);

Datum
msgpack_path_exists_tz(PG_FUNCTION_ARGS)
{
	return path_exists(fcinfo, true);
}

PG_FUNCTION_INFO_V1(msgpack_path_exists_opr);

Datum
msgpack_path_exists_opr(PG_FUNCTION_ARGS)
{
	return path_exists(fcinfo, false);
}

PG_FUNCTION_INFO_V1(msgpack_path_match);

Datum
msgpack_path_match(PG_FUNCTION_ARGS)
{
	return path_match(fcinfo, false);
}

PG_FUNCTION_INFO_V1(msgpack_path_match_tz);

Datum
msgpack_path_match_tz(PG_FUNCTION_ARGS)
{
	return path_match(fcinfo, true);
}

PG_FUNCTION_INFO_V1(msgpack_path_match_opr);

Datum
msgpack_path_match_opr(PG_FUNCTION_ARGS)
{
	return path_match(fcinfo, false);
}

PG_FUNCTION_INFO_V1(msgpack_path_query);

Datum
msgpack_path_query(PG_FUNCTION_ARGS)
{
	return msgpack_return_rows(fcinfo, &query_source);
}

PG_FUNCTION_INFO_V1(msgpack_path_query_tz);

Datum
msgpack_path_query_tz(PG_FUNCTION_ARGS)
{
	return msgpack_return_rows(fcinfo, &query_tz_source);
}

PG_FUNCTION_INFO_V1(msgpack_path_query_array);

Datum
msgpack_path_query_array(PG_FUNCTION_ARGS)
{
	return path_query_array(fcinfo, false);
}

PG_FUNCTION_INFO_V1(msgpack_path_query_array_tz);

Datum
msgpack_path_query_array_tz(PG_FUNCTION_ARGS)
{
	return path_query_array(fcinfo, true);
}

PG_FUNCTION_INFO_V1(msgpack_path_query_first);

Datum
msgpack_path_query_first(PG_FUNCTION_ARGS)
{
	return path_query_first(fcinfo, false);
}

PG_FUNCTION_INFO_V1(msgpack_path_query_first_tz);

Datum
msgpack_path_query_first_tz(PG_FUNCTION_ARGS)
{
	return path_query_first(fcinfo, true);
}
