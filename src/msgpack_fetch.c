/*
 * msgpack_fetch.c
 *		Reading a msgpack argument without detoasting all of it.
 *
 * Of a value in TOAST only the parts that were asked for are read: chunks of an
 * uncompressed value, into a buffer of the value's size, whose rest is never
 * touched and so is address space, not memory; a prefix of a compressed one.
 *
 * What it costs, in units of one chunk read (about 2 us on the machine of
 * doc/performance.md): a fetch of its own costs about one more.  No chunk is
 * fetched twice, so reading a value piece by piece costs what reading it whole
 * costs, plus one for each piece; the number of pieces is bounded by a share
 * of the value's chunks.  Inflating cannot start in the middle, so of a
 * compressed value a short prefix is tried, and then all of it is inflated.
 *
 * Buffers are kept for the calls of one executor state that read the same
 * value: m->>'a', m->>'b' in one row.  See "keeping buffers" below.
 */
#include "msgpack_fetch.h"

#include "access/detoast.h"
#include "access/heaptoast.h"
#include "access/toast_compression.h"
#include "miscadmin.h"
#include "nodes/memnodes.h"
#include "nodes/pg_list.h"
#include "nodes/primnodes.h"
#include "storage/proc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* Uncompressed values up to so many chunks are fetched whole. */
#define WHOLE_CHUNKS		3

/* Fetches that a value may take before it is fetched whole: these, and one for so many chunks. */
#define FREE_FETCHES		3
#define CHUNKS_PER_FETCH	16

/* Compressed values are inflated whole, but for a share of their size ... */
#define PREFIX_SHARE		10
/* ... and the first prefix is at least this long. */
#define FIRST_PREFIX		4096

/* Prefixes, each at least twice as long as the one before, of a value of 1 GB at most. */
#define MAX_PREFIXES		20

/*
 * The first read takes a chunk for each so many of the value's, up to a few:
 * the larger the value, the longer its index, and the less a chunk matters.
 */
#define CHUNKS_PER_FIRST	128
#define MAX_FIRST_CHUNKS	4

/* A header of so many chunks is fetched whole when more of it than its first chunk is needed. */
#define HEADER_CHUNKS		8

/* Values that one executor state keeps. */
#define KEPT_VALUES			8

/* A value in TOAST, or compressed in line, and what of it has been read. */
typedef struct source
{
	struct varatt_external pointer; /* where it lies; only of kept ones */
	bool		kept;
	uint64		last_use;
	MemoryContext context;		/* of the buffers below */
	size_t		memory;			/* the most that they can come to */

	struct varlena *datum;		/* as the function got it */
	struct varlena *compressed; /* lz4: all of it, fetched; or the in-line datum; else NULL */
	uint8	   *bytes;			/* the buffer; uninitialised where nothing was read */
	size_t		length;
	bool		is_compressed;
	bool		complete;		/* all of it has been read */

	/* uncompressed: chunks that have been read */
	uint32		chunks;
	uint32		fetches;
	bool	   *present;

	/* compressed: the prefix that has been read, and bytes inflated in all */
	size_t		prefix;
	size_t		inflated;
	struct varlena *prefixes[MAX_PREFIXES]; /* all are kept, since cursors point to them */
	int			nprefixes;
} source;

/* What one executor state keeps; lies in a context of its own. */
typedef struct msgpack_cache
{
	MemoryContextCallback callback; /* by which call sites find it */
	MemoryContext context;
	LocalTransactionId lxid;	/* when these values were read */
	TransactionId horizon;
	uint64		clock;
	source		sources[KEPT_VALUES];
} cache;

/* --- uncompressed values: by chunk --- */

static void
fetch_chunks(source *s, uint32 first, uint32 last)
{
	size_t		start = (size_t) first * TOAST_MAX_CHUNK_SIZE;
	size_t		end = Min((size_t) (last + 1) * TOAST_MAX_CHUNK_SIZE, s->length);
	struct varlena *slice = detoast_attr_slice(s->datum, (int32) start, (int32) (end - start));

	if (VARSIZE_ANY_EXHDR(slice) != end - start)
		elog(ERROR, "unexpected size of a slice of a msgpack value");
	memcpy(s->bytes + start, VARDATA_ANY(slice), end - start);
	pfree(slice);
	memset(s->present + first, true, last - first + 1);
	s->fetches++;
}

/* Fetch what is missing of the chunks, each run of them at once. */
static void
fetch_missing(source *s, uint32 first, uint32 last)
{
	for (uint32 i = first; i <= last; i++)
	{
		uint32		run = i;

		if (s->present[i])
			continue;
		while (run < last && !s->present[run + 1])
			run++;
		fetch_chunks(s, i, run);
		i = run;
	}
}

static void
read_chunks(source *s, size_t header, size_t place, size_t length)
{
	uint32		first = place / TOAST_MAX_CHUNK_SIZE;
	uint32		last = (place + length - 1) / TOAST_MAX_CHUNK_SIZE;

	if (s->fetches == 0 && first == 0)
		last = Max(last, Min(s->chunks / CHUNKS_PER_FIRST, MAX_FIRST_CHUNKS - 1));
	/* who needs a part of the index will need another */
	else if (last > 0 && place < header && header <= HEADER_CHUNKS * TOAST_MAX_CHUNK_SIZE)
		last = Max(last, (uint32) ((header - 1) / TOAST_MAX_CHUNK_SIZE));

	if (s->chunks <= WHOLE_CHUNKS || s->fetches >= FREE_FETCHES + s->chunks / CHUNKS_PER_FETCH ||
		last - first + 1 >= s->chunks - s->chunks / 4)
	{
		fetch_missing(s, 0, s->chunks - 1);
		s->complete = true;
	}
	else
		fetch_missing(s, first, last);
}

/* The run of chunks around a place that have been read, as a cursor's window. */
static void
set_window_to_chunks(mpk_cursor *cursor, const source *s, size_t place, size_t length)
{
	uint32		first = place / TOAST_MAX_CHUNK_SIZE;
	uint32		last = (place + length - 1) / TOAST_MAX_CHUNK_SIZE;

	while (last + 1 < s->chunks && s->present[last + 1])
		last++;
	cursor->start = (size_t) first * TOAST_MAX_CHUNK_SIZE;
	cursor->end = Min((size_t) (last + 1) * TOAST_MAX_CHUNK_SIZE, s->length);
}

/* --- compressed values: by prefix --- */

/* What there is to inflate from; pglz needs only the beginning of it for a prefix. */
static struct varlena *
inflatable(source *s)
{
	if (s->compressed == NULL &&
		toast_get_compression_id(s->datum) == TOAST_LZ4_COMPRESSION_ID)
		s->compressed = detoast_external_attr(s->datum);
	return s->compressed != NULL ? s->compressed : s->datum;
}

static void
read_prefix(source *s, size_t end)
{
	MemoryContext old = MemoryContextSwitchTo(s->context);
	struct varlena *inflated;
	size_t		wanted = Max(Max(end, s->prefix * 2), FIRST_PREFIX);

	if (s->inflated + wanted > s->length / PREFIX_SHARE || s->nprefixes == MAX_PREFIXES - 1)
		wanted = s->length;
	/* the last time nothing is left to inflate, so that there is no need to keep it */
	if (wanted == s->length)
		inflated = detoast_attr(s->compressed != NULL ? s->compressed : s->datum);
	else
		inflated = detoast_attr_slice(inflatable(s), 0, (int32) wanted);
	MemoryContextSwitchTo(old);
	if (VARSIZE_ANY_EXHDR(inflated) != wanted)
		elog(ERROR, "unexpected size of an inflated msgpack value");
	s->prefixes[s->nprefixes++] = inflated;
	s->bytes = (uint8 *) VARDATA_ANY(inflated);
	s->prefix = wanted;
	s->inflated += wanted;
	s->complete = wanted == s->length;
}

/* --- the cursor's side --- */

static void
fetch(mpk_cursor *cursor, size_t place, size_t length)
{
	source	   *s = cursor->fetch_arg;

	if (!s->complete)
	{
		if (!s->is_compressed)
			read_chunks(s, cursor->payload, place, length);
		else if (place + length + MPK_CURSOR_SLACK > s->prefix)
			read_prefix(s, place + length + MPK_CURSOR_SLACK);
	}
	cursor->start = 0;
	cursor->end = s->length;
	if (!s->complete)
	{
		if (s->is_compressed)
			cursor->end = s->prefix - MPK_CURSOR_SLACK;
		else
			set_window_to_chunks(cursor, s, place, length);
	}
	cursor->bytes = s->bytes + cursor->start;
}

/* Begin to read a value; all but the buffers' bytes is set. */
static void
source_init(source *s, struct varlena *datum, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);

	memset(s, 0, sizeof(*s));
	s->context = context;
	s->datum = datum;
	s->length = toast_raw_datum_size(PointerGetDatum(datum)) - VARHDRSZ;
	if (VARATT_IS_COMPRESSED(datum))
	{
		s->is_compressed = true;
		s->compressed = datum;
	}
	else
	{
		VARATT_EXTERNAL_GET_POINTER(s->pointer, datum);
		s->is_compressed = MSGPACK_EXTERNAL_IS_COMPRESSED(s->pointer);
	}
	if (!s->is_compressed)
	{
		s->bytes = palloc(Max(s->length, 1));
		s->chunks = (s->length + TOAST_MAX_CHUNK_SIZE - 1) / TOAST_MAX_CHUNK_SIZE;
		s->present = palloc0(Max(s->chunks, 1));
	}
	MemoryContextSwitchTo(old);
}

/*
 * Keeping buffers
 *
 * All call sites of one executor state share the memory context of their
 * FmgrInfo.  The first to read a value from TOAST makes a child of it with a
 * cache inside; the others find it there, once each, and remember it in
 * fn_extra.  It goes when the context goes, at the end of the query or in an
 * error's clean-up, and nothing outside points to it.
 *
 * A toast pointer tells a value for as long as the value cannot have been
 * vacuumed away and its number given to another: while the transaction is the
 * same and its horizon (the oldest transaction that its snapshots may see as
 * running) has not moved.  Else everything that was kept is dropped.
 *
 * All kept values together are bounded by work_mem; one that would be larger
 * alone is read into the caller's context and not kept.
 */

/* It does nothing: its address tells the cache's context from others. */
static void
cache_mark(void *arg)
{
	(void) arg;
}

static cache *
find_cache(MemoryContext parent)
{
	for (MemoryContext child = parent->firstchild; child != NULL; child = child->nextchild)
	{
		for (MemoryContextCallback *cb = child->reset_cbs; cb != NULL; cb = cb->next)
		{
			if (cb->func == cache_mark)
				return cb->arg;
		}
	}
	return NULL;
}

static cache *
make_cache(MemoryContext parent)
{
	MemoryContext context = AllocSetContextCreate(parent, "detoasted msgpack values",
												  ALLOCSET_START_SMALL_SIZES);
	cache	   *c = MemoryContextAllocZero(context, sizeof(cache));

	c->context = context;
	c->lxid = MSGPACK_MY_LXID;
	c->horizon = TransactionXmin;
	c->callback.func = cache_mark;
	c->callback.arg = c;
	MemoryContextRegisterResetCallback(context, &c->callback);
	return c;
}

static void
drop_source(source *s)
{
	s->kept = false;
	if (!s->is_compressed)
	{
		pfree(s->bytes);
		pfree(s->present);
	}
	for (int i = 0; i < s->nprefixes; i++)
		pfree(s->prefixes[i]);
	if (s->compressed != NULL)
		pfree(s->compressed);
}

static void
drop_stale(cache *c)
{
	if (c->lxid == MSGPACK_MY_LXID && c->horizon == TransactionXmin)
		return;
	for (int i = 0; i < KEPT_VALUES; i++)
	{
		if (c->sources[i].kept)
			drop_source(&c->sources[i]);
	}
	c->lxid = MSGPACK_MY_LXID;
	c->horizon = TransactionXmin;
}

/* The kept value that was not used for longest; NULL when none is kept. */
static source *
oldest(cache *c)
{
	source	   *result = NULL;

	for (int i = 0; i < KEPT_VALUES; i++)
	{
		source	   *s = &c->sources[i];

		if (s->kept && (result == NULL || s->last_use < result->last_use))
			result = s;
	}
	return result;
}

/*
 * A free place in the cache with room for so many bytes more, for which others
 * are dropped; NULL when they are more than may be kept at all.
 */
static source *
make_room(cache *c, size_t bytes)
{
	size_t		limit = (size_t) work_mem * 1024;
	source	   *place = NULL;

	if (bytes > limit)
		return NULL;
	for (;;)
	{
		size_t		total = bytes;

		place = NULL;
		for (int i = 0; i < KEPT_VALUES; i++)
		{
			if (c->sources[i].kept)
				total += c->sources[i].memory;
			else
				place = &c->sources[i];
		}
		if (place != NULL && total <= limit)
			return place;
		drop_source(oldest(c));
	}
}

static source *
find_source(cache *c, const struct varatt_external *pointer)
{
	for (int i = 0; i < KEPT_VALUES; i++)
	{
		source	   *s = &c->sources[i];

		if (s->kept && memcmp(&s->pointer, pointer, sizeof(*pointer)) == 0)
			return s;
	}
	return NULL;
}

bool
msgpack_is_constant(FmgrInfo *flinfo, int number)
{
	Node	   *expr = flinfo->fn_expr;
	List	   *arguments = NIL;

	if (expr != NULL && IsA(expr, FuncExpr))
		arguments = ((FuncExpr *) expr)->args;
	else if (expr != NULL && IsA(expr, OpExpr))
		arguments = ((OpExpr *) expr)->args;
	return list_length(arguments) > number && IsA(list_nth(arguments, number), Const);
}

msgpack_site *
msgpack_site_make(FmgrInfo *flinfo)
{
	if (flinfo == NULL)
		return NULL;
	flinfo->fn_extra = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(msgpack_site));
	return flinfo->fn_extra;
}

/* The cache of the site's executor state. */
static cache *
cache_of(msgpack_site *site, MemoryContext parent)
{
	if (site->cache == NULL)
		site->cache = find_cache(parent);
	if (site->cache == NULL)
		site->cache = make_cache(parent);
	drop_stale(site->cache);
	return site->cache;
}

/* The most that the buffers of a value can come to. */
static size_t
memory_of(const struct varatt_external *pointer)
{
	size_t		raw = pointer->va_rawsize;

	if (!MSGPACK_EXTERNAL_IS_COMPRESSED(*pointer))
		return raw + raw / TOAST_MAX_CHUNK_SIZE + 1;
	return VARATT_EXTERNAL_GET_EXTSIZE(*pointer) + raw + raw / PREFIX_SHARE;
}

/* A value that lies outside, kept if it may be. */
static source *
open_external(msgpack_site *site, MemoryContext parent, struct varlena *datum)
{
	struct varatt_external pointer;
	cache	   *c;
	source	   *s;

	VARATT_EXTERNAL_GET_POINTER(pointer, datum);
	c = cache_of(site, parent);
	s = find_source(c, &pointer);
	if (s == NULL)
	{
		s = make_room(c, memory_of(&pointer));
		if (s == NULL)
			return NULL;
		source_init(s, datum, c->context);
		s->memory = memory_of(&pointer);
		s->kept = true;
	}
	s->datum = datum;
	s->last_use = ++c->clock;
	return s;
}

/* --- opening --- */

/* Is it to be had only by detoasting it whole, or too small for pieces? */
static inline bool
is_whole(const struct varlena *datum)
{
	if (VARATT_IS_EXTERNAL(datum))
		return !VARATT_IS_EXTERNAL_ONDISK(datum);
	return VARDATA_COMPRESSED_GET_EXTSIZE(datum) < FIRST_PREFIX * PREFIX_SHARE;
}

/* Read the prelude and set what it tells. */
static void
open_source(mpk_cursor *cursor, source *s)
{
	const uint8 *prelude;
	mpk_document document;
	mpk_error	error;

	memset(cursor, 0, sizeof(*cursor));
	cursor->length = s->length;
	cursor->fetch = fetch;
	cursor->fetch_arg = s;
	prelude = mpk_cursor_get(cursor, 0, Min(s->length, MPK_PRELUDE));
	if (!mpk_document_open(prelude, s->length, &document, &error))
		msgpack_raise(&error);
	cursor->payload = document.header_length;
	cursor->flags = document.flags;
}

void
msgpack_cursor_open_toasted(mpk_cursor *cursor, FunctionCallInfo fcinfo, Datum datum)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);
	msgpack_site *site;
	source	   *s = NULL;

	if (is_whole(value))
	{
		mpk_document document = msgpack_document(datum);

		mpk_cursor_init(cursor, &document);
		return;
	}
	site = msgpack_site_of(fcinfo);
	if (VARATT_IS_EXTERNAL(value) && site != NULL)
		s = open_external(site, fcinfo->flinfo->fn_mcxt, value);
	if (s == NULL)
	{
		s = palloc(sizeof(source));
		source_init(s, value, CurrentMemoryContext);
	}
	open_source(cursor, s);
}

void
msgpack_cursor_open_copy(mpk_cursor *cursor, FunctionCallInfo fcinfo, Datum datum)
{
	mpk_document document = msgpack_document(datum);

	msgpack_cursor_open(cursor, fcinfo, msgpack_distinct_datum(&document));
}

void
msgpack_raise_corrupt(void)
{
	mpk_error	error = {MPK_ERR_CORRUPT, 0, NULL};

	msgpack_raise(&error);
}
