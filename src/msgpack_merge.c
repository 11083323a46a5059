/*
 * msgpack_merge.c
 *		Documents brought together: ||, msgpack_merge, msgpack_merge_agg.
 */
#include "msgpack_edit.h"

#include "lib/stringinfo.h"
#include "utils/memutils.h"

#include "document/merge.h"

/* ----------
 * ||
 * ----------
 */

/*
 * As jsonb does: an empty map changes no map, and an empty array no array.
 * Returns the one that is then the result, or NULL.
 */
static const mpk_document *
unchanged_by_other(const mpk_document *a, const mpk_document *b)
{
	mpk_value	x;
	mpk_value	y;

	mpk_read(a->payload, &x);
	mpk_read(b->payload, &y);
	if (x.kind != y.kind || !mpk_is_container(x.kind))
		return NULL;
	return x.length == 0 ? b : y.length == 0 ? a : NULL;
}

/*
 * A few pairs into a large map are so many edits, each of which finds its place
 * by the offset index and leaves most of the index as it is.
 */
#define LARGE_MAP	8192
#define FEW_PAIRS	4

static bool
are_few_for_large(const mpk_document *a, const mpk_document *b)
{
	mpk_value	x;
	mpk_value	y;

	if (a->length < LARGE_MAP || (a->flags & MPK_HAS_INDEX) == 0 || b->length > a->length / 8 ||
		!mpk_document_is_regular(a) || !mpk_document_is_regular(b))
		return false;
	mpk_read(a->payload, &x);
	mpk_read(b->payload, &y);
	return x.kind == MPK_MAP && y.kind == MPK_MAP && y.length <= FEW_PAIRS;
}

static Datum
set_pairs(Datum datum, const mpk_document *document, const mpk_document *pairs)
{
	mpk_document at = *document;
	mpk_value	map;
	const uint8 *p = mpk_read(pairs->payload, &map);

	for (uint32 i = 0; i < map.length; i++)
	{
		const uint8 *value_start = mpk_skip(p);
		const uint8 *end = mpk_skip(value_start);
		mpk_document key = {.payload = p,.length = value_start - p};
		mpk_document value = {.payload = value_start,.length = end - value_start};
		mpk_step	step;
		mpk_edit	edit = {.kind = MPK_EDIT_SET,.steps = &step,.count = 1,.null_level = -1,
		.value = &value};
		Datum		result;

		mpk_step_key(&step, &key);
		result = msgpack_edit_datum(datum, &at, &edit);
		if (i > 0)
			pfree(DatumGetPointer(datum));
		datum = result;
		at = msgpack_document(datum);
		p = end;
	}
	return datum;
}

static Datum
concatenate(Datum datum_a, Datum datum_b)
{
	mpk_document a = msgpack_document(datum_a);
	mpk_document b = msgpack_document(datum_b);
	const mpk_document *same = unchanged_by_other(&a, &b);
	mpk_writer	writer;
	mpk_error	error;

	if (same != NULL)
		return same == &a ? datum_a : datum_b;
	if (are_few_for_large(&a, &b))
		return set_pairs(datum_a, &a, &b);
	/* an array's head is the longest that may be added */
	mpk_writer_init(&writer, a.length + b.length + 5);
	if (!mpk_concat(&writer, &a, &b, &error))
		msgpack_raise(&error);
	return msgpack_edited(&writer, a.flags | b.flags);
}

PG_FUNCTION_INFO_V1(msgpack_concat);

Datum
msgpack_concat(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(concatenate(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

/* ----------
 * msgpack_merge
 * ----------
 */

PG_FUNCTION_INFO_V1(msgpack_merge);

Datum
msgpack_merge(PG_FUNCTION_ARGS)
{
	mpk_document documents[2];
	mpk_writer	writer;

	documents[0] = PG_GETARG_MSGPACK(0);
	documents[1] = PG_GETARG_MSGPACK(1);
	mpk_writer_init(&writer, documents[0].length + documents[1].length);
	mpk_merge(&writer, documents, 2);
	PG_RETURN_DATUM(msgpack_edited(&writer, documents[0].flags | documents[1].flags));
}

/* ----------
 * msgpack_merge_agg
 * ----------
 */

/*
 * A group's documents, one after the other.  When they have grown to twice
 * what they came to when they were last merged, they are merged again: so the
 * state is in proportion to the result, and the time to all that went in.
 */
typedef struct merge_group
{
	StringInfoData bytes;
	uint32		count;
	unsigned	flags;
	int			merge_at;		/* bytes.len at which to merge */
} merge_group;

/* No merging below. */
#define FIRST_MERGE		(64 * 1024)

static merge_group *
new_merge_group(MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	merge_group *g = palloc0(sizeof(merge_group));

	initStringInfo(&g->bytes);
	g->merge_at = FIRST_MERGE;
	MemoryContextSwitchTo(old);
	return g;
}

/* Merge what there is into the writer. */
static void
merge_documents(const merge_group *g, mpk_writer *writer)
{
	mpk_document *documents = palloc_extended(g->count * sizeof(mpk_document), MCXT_ALLOC_HUGE);
	const uint8 *p = (const uint8 *) g->bytes.data;

	for (uint32 i = 0; i < g->count; i++)
	{
		const uint8 *end = mpk_skip(p);

		documents[i] = (mpk_document) {.payload = p,.length = end - p,.flags = g->flags};
		p = end;
	}
	mpk_writer_init(writer, g->bytes.len);
	mpk_merge(writer, documents, g->count);
	pfree(documents);
	if (writer->overflow)
	{
		mpk_error	error = {MPK_ERR_OUTPUT_TOO_LARGE, 0, NULL};

		msgpack_raise(&error);
	}
}

static void
compact(merge_group *g)
{
	mpk_writer	writer;

	merge_documents(g, &writer);
	resetStringInfo(&g->bytes);
	appendBinaryStringInfo(&g->bytes, (const char *) mpk_writer_data(&writer),
						   (int) writer.length);
	pfree(writer.buffer);
	g->count = 1;
	g->merge_at = Max(FIRST_MERGE, g->bytes.len * 2);
}

static void
add_document(merge_group *g, const mpk_document *document)
{
	appendBinaryStringInfo(&g->bytes, (const char *) document->payload, (int) document->length);
	g->count++;
	g->flags |= document->flags & MPK_IRREGULAR;
	if (g->bytes.len >= g->merge_at && g->count > 1)
		compact(g);
}

PG_FUNCTION_INFO_V1(msgpack_merge_agg_transfn);

Datum
msgpack_merge_agg_transfn(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	merge_group *g;
	mpk_document document;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	g = PG_ARGISNULL(0) ? NULL : (merge_group *) PG_GETARG_POINTER(0);
	if (!PG_ARGISNULL(1))
	{
		if (g == NULL)
			g = new_merge_group(context);
		document = PG_GETARG_MSGPACK(1);
		add_document(g, &document);
	}
	if (g == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(g);
}

PG_FUNCTION_INFO_V1(msgpack_merge_agg_finalfn);

Datum
msgpack_merge_agg_finalfn(PG_FUNCTION_ARGS)
{
	const merge_group *g;
	mpk_writer	writer;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate function called in non-aggregate context");
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	g = (const merge_group *) PG_GETARG_POINTER(0);
	merge_documents(g, &writer);
	PG_RETURN_DATUM(msgpack_edited(&writer, g->flags));
}
