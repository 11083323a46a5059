/*
 * msgpack_agg.c
 *		Aggregates: rows to an array, a map, a stream, a merged document.
 *
 * A group's state is one buffer that grows, of finished MessagePack, with a
 * place for each key where keys matter; both die with the aggregate's context.
 * Encoders belong to the call site, since all groups share the types.
 *
 * The final functions copy, so that they can be called for every row of a
 * window.
 */
#include "msgpack_encode.h"

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Groups are often many and small. */
#define INITIAL_SIZE	128
#define INITIAL_KEYS	8

/* ----------
 * Common to all
 * ----------
 */

static MemoryContext
aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	return context;
}

/* The encoders of up to two arguments, kept at the call site. */
typedef struct call_site
{
	msgpack_encoder *encoders[2];
} call_site;

/* The encoder of argument n of a transition function, 1 being the first after the state. */
static msgpack_encoder *
argument_encoder(FmgrInfo *flinfo, int n)
{
	call_site  *site = flinfo->fn_extra;

	if (site == NULL)
		flinfo->fn_extra = site = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(call_site));
	if (site->encoders[n - 1] == NULL)
	{
		Oid			type = get_fn_expr_argtype(flinfo, n);

		if (!OidIsValid(type))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("could not determine input data type")));
		site->encoders[n - 1] =
			msgpack_encoder_create(type, msgpack_type_of_function(flinfo->fn_oid),
								   flinfo->fn_mcxt);
	}
	return site->encoders[n - 1];
}

static void
encode_argument(FunctionCallInfo fcinfo, int n, msgpack_sink *sink)
{
	if (PG_ARGISNULL(n))
		mpk_write_nil(&sink->writer);
	else
		msgpack_encode(argument_encoder(fcinfo->flinfo, n), PG_GETARG_DATUM(n), sink);
}

/* ----------
 * Arrays and maps
 * ----------
 */

/* Elements, or pairs, without a head. */
typedef struct group
{
	msgpack_sink sink;
	uint32		count;			/* of elements or pairs */
	uint32		keys_room;
	uint32	   *keys;			/* of a map: places of its keys in the sink; of an array NULL */
} group;

/*
 * A pair whose value was SQL NULL, and which an aggregate that is unique and
 * strict keeps for its key alone; beside the place, which takes 29 bits.
 */
#define ABSENT		0x80000000u

StaticAssertDecl(MPK_MAX_PAYLOAD < ABSENT, "places leave a bit free");

static group *
new_group(MemoryContext context, size_t capacity, bool is_map)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	group	   *g = palloc0(sizeof(group));

	msgpack_sink_init(&g->sink, capacity);
	msgpack_sink_enter(&g->sink, 1);
	if (is_map)
	{
		g->keys_room = INITIAL_KEYS;
		g->keys = palloc(g->keys_room * sizeof(uint32));
	}
	MemoryContextSwitchTo(old);
	return g;
}

/* The state, new for the first row. */
static group *
get_group(FunctionCallInfo fcinfo, bool is_map)
{
	MemoryContext context = aggregate_context(fcinfo);

	if (PG_ARGISNULL(0))
		return new_group(context, INITIAL_SIZE, is_map);
	return (group *) PG_GETARG_POINTER(0);
}

/* Make room for so many more keys, in the context that the keys are in. */
static void
reserve_keys(group *g, uint32 more)
{
	uint32		room = g->keys_room;

	if (room - g->count >= more)
		return;
	while (room - g->count < more)
		room *= 2;
	g->keys = repalloc_huge(g->keys, (size_t) room * sizeof(uint32));
	g->keys_room = room;
}

/* Add an element. */
static void
add_element(FunctionCallInfo fcinfo, group *g)
{
	encode_argument(fcinfo, 1, &g->sink);
	g->count++;
	msgpack_sink_check(&g->sink);
}

/* Add a pair. */
static void
add_pair(FunctionCallInfo fcinfo, group *g, uint32 absent)
{
	uint32		place = (uint32) g->sink.writer.length;

	msgpack_encode_key(argument_encoder(fcinfo->flinfo, 1), PG_GETARG_DATUM(1), &g->sink);
	encode_argument(fcinfo, 2, &g->sink);
	msgpack_sink_check(&g->sink);
	reserve_keys(g, 1);
	g->keys[g->count++] = place | absent;
}

static void
check_field_name(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("field name must not be null")));
}

/* ----------
 * Their ends
 * ----------
 */

/* Room for values, their head and, mostly, an offset index: then no copy is made for that. */
static size_t
finished_size(const group *g)
{
	return g->sink.writer.length + g->sink.writer.length / 12 + 64;
}

static Datum
finish_array(const group *g)
{
	mpk_writer	writer;
	const uint8 *elements = g->sink.writer.buffer + MPK_WRITER_HEADROOM;

	mpk_writer_init(&writer, finished_size(g));
	mpk_write_array_head(&writer, g->count);
	mpk_write_raw(&writer, elements, g->sink.writer.length);
	return msgpack_from_writer(&writer, g->sink.flags);
}

static mpk_pairs
pairs_of(const group *g, const uint32 *keys)
{
	mpk_pairs	pairs = {
		.data = g->sink.writer.buffer + MPK_WRITER_HEADROOM,
		.end = g->sink.writer.length,
		.keys = keys,
		.count = g->count,
		.flags = g->sink.flags
	};

	return pairs;
}

/* Of equal keys the last value, at the first one's place. */
static Datum
finish_map(const group *g)
{
	mpk_pairs	pairs = pairs_of(g, g->keys);
	msgpack_sink result;

	msgpack_sink_init(&result, finished_size(g));
	result.flags = g->sink.flags;
	result.dropped = !mpk_write_pairs(&result.writer, &pairs);
	return msgpack_sink_datum(&result);
}

/* Characters of a key that its error message shows. */
#define SHOWN_KEY	64

static void
raise_repeated(const uint8 *key)
{
	mpk_value	value;
	char	   *s;
	int			shown;

	mpk_read(key, &value);
	s = text_to_cstring(msgpack_text_from_utf8(value.body, value.length));
	shown = pg_mbcharcliplen(s, strlen(s), SHOWN_KEY);
	ereport(ERROR,
			(errcode(ERRCODE_DUPLICATE_JSON_OBJECT_KEY_VALUE),
			 errmsg("duplicate map key value: \"%.*s%s\"",
					shown, s, s[shown] != '\0' ? "..." : "")));
}

/* The pairs that are not absent, without a head; sets *count to how many. */
static void
write_present(mpk_writer *writer, const group *g, const mpk_pairs *pairs, uint32 *count)
{
	*count = 0;
	for (uint32 i = 0; i < pairs->count; i++)
	{
		size_t		end = i + 1 < pairs->count ? pairs->keys[i + 1] : pairs->end;

		MPK_CHECK_FOR_INTERRUPTS_AT(i);
		if (g->keys[i] & ABSENT)
			continue;
		mpk_write_raw(writer, pairs->data + pairs->keys[i], end - pairs->keys[i]);
		(*count)++;
	}
}

/* Keys that repeat are an error; absent pairs count for that, and then go. */
static Datum
finish_unique(const group *g)
{
	uint32	   *places = palloc_extended(Max(g->count, 1) * sizeof(uint32), MCXT_ALLOC_HUGE);
	mpk_pairs	pairs = pairs_of(g, places);
	const uint8 *repeated;
	mpk_writer	writer;
	size_t		place;
	uint32		count;

	for (uint32 i = 0; i < g->count; i++)
		places[i] = g->keys[i] & ~ABSENT;
	repeated = mpk_pairs_repeated(&pairs);
	if (repeated != NULL)
		raise_repeated(repeated);
	mpk_writer_init(&writer, finished_size(g));
	place = mpk_write_open(&writer);
	write_present(&writer, g, &pairs, &count);
	mpk_write_close_map(&writer, place, count);
	pfree(places);
	return msgpack_from_writer(&writer, g->sink.flags);
}

/* ----------
 * Their parts, in parallel
 * ----------
 */

/* What goes from worker to leader before keys and bytes: one machine, so as it lies in memory. */
typedef struct group_header
{
	uint32		count;
	uint32		flags;
	uint32		keys;			/* as many as count, or 0 */
} group_header;

static bytea *
serialize_group(const group *g)
{
	group_header header = {g->count, g->sink.flags, g->keys != NULL ? g->count : 0};
	size_t		keys_size = (size_t) header.keys * sizeof(uint32);
	size_t		size = VARHDRSZ + sizeof(header) + keys_size + g->sink.writer.length;
	bytea	   *result = palloc_extended(size, MCXT_ALLOC_HUGE);
	char	   *p = VARDATA(result);

	if (size > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("result is too large")));
	SET_VARSIZE(result, size);
	memcpy(p, &header, sizeof(header));
	p += sizeof(header);
	if (keys_size > 0)
		mpk_copy(p, g->keys, keys_size);
	mpk_copy(p + keys_size, g->sink.writer.buffer + MPK_WRITER_HEADROOM, g->sink.writer.length);
	return result;
}

/* Only to be read, by append_group: its values stay where they are. */
static group *
deserialize_group(bytea *serialized, bool is_map)
{
	char	   *p = VARDATA(serialized);
	group_header *header = (group_header *) p;
	group	   *g = palloc0(sizeof(group));
	size_t		keys_size = (size_t) header->keys * sizeof(uint32);

	p += sizeof(group_header);
	if (is_map)
		g->keys = (uint32 *) p;
	p += keys_size;
	g->sink.writer.buffer = (uint8 *) p - MPK_WRITER_HEADROOM;
	g->sink.writer.length = VARSIZE(serialized) - VARHDRSZ - sizeof(group_header) - keys_size;
	g->sink.flags = header->flags;
	g->count = header->count;
	return g;
}

/* Append one group's values to another's. */
static void
append_group(group *to, const group *from)
{
	uint32		moved = (uint32) to->sink.writer.length;

	mpk_write_raw(&to->sink.writer, from->sink.writer.buffer + MPK_WRITER_HEADROOM,
				  from->sink.writer.length);
	msgpack_sink_check(&to->sink);
	if (from->keys != NULL)
	{
		reserve_keys(to, from->count);
		for (uint32 i = 0; i < from->count; i++)
			to->keys[to->count + i] = from->keys[i] + moved;
	}
	to->count += from->count;
	to->sink.flags |= from->sink.flags;
}

/* NULL when both are. */
static group *
combine_groups(FunctionCallInfo fcinfo, bool is_map)
{
	MemoryContext context = aggregate_context(fcinfo);
	group	   *to = PG_ARGISNULL(0) ? NULL : (group *) PG_GETARG_POINTER(0);
	const group *from = PG_ARGISNULL(1) ? NULL : (group *) PG_GETARG_POINTER(1);

	if (from == NULL)
		return to;
	if (to == NULL)
		to = new_group(context, from->sink.writer.length, is_map);
	append_group(to, from);
	return to;
}

/* ----------
 * msgpack_agg, msgpack_agg_strict
 * ----------
 */

PG_FUNCTION_INFO_V1(msgpack_agg_transfn);

Datum
msgpack_agg_transfn(PG_FUNCTION_ARGS)
{
	group	   *g = get_group(fcinfo, false);

	add_element(fcinfo, g);
	PG_RETURN_POINTER(g);
}

PG_FUNCTION_INFO_V1(msgpack_agg_strict_transfn);

Datum
msgpack_agg_strict_transfn(PG_FUNCTION_ARGS)
{
	group	   *g = get_group(fcinfo, false);

	if (!PG_ARGISNULL(1))
		add_element(fcinfo, g);
	PG_RETURN_POINTER(g);
}

PG_FUNCTION_INFO_V1(msgpack_agg_combinefn);

Datum
msgpack_agg_combinefn(PG_FUNCTION_ARGS)
{
	group	   *g = combine_groups(fcinfo, false);

	if (g == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(g);
}

PG_FUNCTION_INFO_V1(msgpack_agg_serialfn);

Datum
msgpack_agg_serialfn(PG_FUNCTION_ARGS)
{
	(void) aggregate_context(fcinfo);
	PG_RETURN_BYTEA_P(serialize_group((group *) PG_GETARG_POINTER(0)));
}

PG_FUNCTION_INFO_V1(msgpack_agg_deserialfn);

Datum
msgpack_agg_deserialfn(PG_FUNCTION_ARGS)
{
	(void) aggregate_context(fcinfo);
	PG_RETURN_POINTER(deserialize_group(PG_GETARG_BYTEA_P(0), false));
}

PG_FUNCTION_INFO_V1(msgpack_agg_finalfn);

Datum
msgpack_agg_finalfn(PG_FUNCTION_ARGS)
{
	(void) aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(finish_array((group *) PG_GETARG_POINTER(0)));
}

/* ----------
 * msgpack_object_agg, _strict, _unique, _unique_strict
 * ----------
 */

PG_FUNCTION_INFO_V1(msgpack_object_agg_transfn);

Datum
msgpack_object_agg_transfn(PG_FUNCTION_ARGS)
{
	group	   *g = get_group(fcinfo, true);

	check_field_name(fcinfo);
	add_pair(fcinfo, g, 0);
	PG_RETURN_POINTER(g);
}

PG_FUNCTION_INFO_V1(msgpack_object_agg_strict_transfn);

Datum
msgpack_object_agg_strict_transfn(PG_FUNCTION_ARGS)
{
	group	   *g = get_group(fcinfo, true);

	check_field_name(fcinfo);
	if (!PG_ARGISNULL(2))
		add_pair(fcinfo, g, 0);
	PG_RETURN_POINTER(g);
}

PG_FUNCTION_INFO_V1(msgpack_object_agg_unique_strict_transfn);

Datum
msgpack_object_agg_unique_strict_transfn(PG_FUNCTION_ARGS)
{
	group	   *g = get_group(fcinfo, true);

	check_field_name(fcinfo);
	add_pair(fcinfo, g, PG_ARGISNULL(2) ? ABSENT : 0);
	PG_RETURN_POINTER(g);
}

PG_FUNCTION_INFO_V1(msgpack_object_agg_finalfn);

Datum
msgpack_object_agg_finalfn(PG_FUNCTION_ARGS)
{
	(void) aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(finish_map((group *) PG_GETARG_POINTER(0)));
}

PG_FUNCTION_INFO_V1(msgpack_object_agg_combinefn);

Datum
msgpack_object_agg_combinefn(PG_FUNCTION_ARGS)
{
	group	   *g = combine_groups(fcinfo, true);

	if (g == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(g);
}

PG_FUNCTION_INFO_V1(msgpack_object_agg_deserialfn);

Datum
msgpack_object_agg_deserialfn(PG_FUNCTION_ARGS)
{
	(void) aggregate_context(fcinfo);
	PG_RETURN_POINTER(deserialize_group(PG_GETARG_BYTEA_P(0), true));
}

PG_FUNCTION_INFO_V1(msgpack_object_agg_unique_finalfn);

Datum
msgpack_object_agg_unique_finalfn(PG_FUNCTION_ARGS)
{
	(void) aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(finish_unique((group *) PG_GETARG_POINTER(0)));
}

/* ----------
 * msgpack_stream_agg: one object after the other
 * ----------
 */

/* The state, new for the first row. */
static StringInfo
get_stream(FunctionCallInfo fcinfo)
{
	MemoryContext context = aggregate_context(fcinfo);
	MemoryContext old;
	StringInfo	stream;

	if (!PG_ARGISNULL(0))
		return (StringInfo) PG_GETARG_POINTER(0);
	old = MemoryContextSwitchTo(context);
	stream = makeStringInfo();
	MemoryContextSwitchTo(old);
	return stream;
}

static bytea *
stream_as_bytea(const StringInfoData *stream)
{
	return DatumGetByteaP(PointerGetDatum(cstring_to_text_with_len(stream->data, stream->len)));
}

PG_FUNCTION_INFO_V1(msgpack_stream_agg_transfn);

Datum
msgpack_stream_agg_transfn(PG_FUNCTION_ARGS)
{
	StringInfo	stream;
	mpk_document document;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_POINTER(PG_GETARG_POINTER(0));
	}
	stream = get_stream(fcinfo);
	document = PG_GETARG_MSGPACK(1);
	appendBinaryStringInfo(stream, (const char *) document.payload, (int) document.length);
	PG_RETURN_POINTER(stream);
}

PG_FUNCTION_INFO_V1(msgpack_stream_agg_combinefn);

Datum
msgpack_stream_agg_combinefn(PG_FUNCTION_ARGS)
{
	StringInfo	to = PG_ARGISNULL(0) ? NULL : (StringInfo) PG_GETARG_POINTER(0);
	StringInfo	from = PG_ARGISNULL(1) ? NULL : (StringInfo) PG_GETARG_POINTER(1);

	if (from != NULL)
	{
		to = get_stream(fcinfo);
		appendBinaryStringInfo(to, from->data, from->len);
	}
	if (to == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(to);
}

PG_FUNCTION_INFO_V1(msgpack_stream_agg_serialfn);

Datum
msgpack_stream_agg_serialfn(PG_FUNCTION_ARGS)
{
	(void) aggregate_context(fcinfo);
	PG_RETURN_BYTEA_P(stream_as_bytea((StringInfo) PG_GETARG_POINTER(0)));
}

PG_FUNCTION_INFO_V1(msgpack_stream_agg_deserialfn);

Datum
msgpack_stream_agg_deserialfn(PG_FUNCTION_ARGS)
{
	bytea	   *serialized = PG_GETARG_BYTEA_PP(0);
	StringInfo	stream = makeStringInfo();

	(void) aggregate_context(fcinfo);
	appendBinaryStringInfo(stream, VARDATA_ANY(serialized), VARSIZE_ANY_EXHDR(serialized));
	PG_RETURN_POINTER(stream);
}

PG_FUNCTION_INFO_V1(msgpack_stream_agg_finalfn);

Datum
msgpack_stream_agg_finalfn(PG_FUNCTION_ARGS)
{
	(void) aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_BYTEA_P(stream_as_bytea((StringInfo) PG_GETARG_POINTER(0)));
}
