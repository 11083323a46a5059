/*
 * msgpack_row.c
 *		Maps and arrays as rows: finding the columns.
 *
 * The keys of a map are read once, in the order in which they lie, and each
 * finds its column: first by the guess that this map has its keys where the
 * one before had them, then by a hash table of the column names.
 */
#include "msgpack_row.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/typcache.h"

#include "codec/hash.h"
#include "codec/number.h"
#include "document/path.h"
#include "msgpack_fetch.h"

typedef struct row_column
{
	bool		dropped;
	const char *name;
	mpk_step	step;			/* the name as a step into a map */
	msgpack_plan plan;
} row_column;

/* No column: the end of a chain, or a guess that was never made. */
#define NO_COLUMN	(-1)

typedef struct msgpack_row_plan
{
	uint64		identifier;		/* of the version of the row type that this is about */
	TupleDesc	type;
	int			ncolumns;
	row_column *columns;
	size_t		longest_name;
	uint32		mask;			/* size of the hash table, less one; a power of two, less one */
	int16	   *buckets;		/* the first column of each bucket */
	int16	   *chains;			/* by column: the next one of its bucket */
	int16	   *guesses;		/* by place in a map: the column of the key that was there */
	int			nguesses;
} msgpack_row_plan;

/* ----- plans ----- */

static uint32
name_hash(const uint8 *s, size_t length)
{
	return (uint32) mpk_hash_bytes(s, length, MPK_HASH_SEED_STR);
}

static void
plan_column(msgpack_row_plan *row, const msgpack_planner *planner, int i)
{
	Form_pg_attribute attribute = TupleDescAttr(row->type, i);
	row_column *column = &row->columns[i];
	size_t		length;
	const uint8 *name;
	uint32		bucket;

	column->dropped = attribute->attisdropped;
	row->chains[i] = NO_COLUMN;
	if (column->dropped)
		return;
	column->name = NameStr(attribute->attname);
	name = msgpack_utf8_from_text(column->name, (int) strlen(column->name), &length);
	mpk_step_text(&column->step, MPK_STEP_FIELD, name, length);
	msgpack_plan_init(&column->plan, planner, attribute->atttypid, attribute->atttypmod);

	row->longest_name = Max(row->longest_name, length);
	bucket = name_hash(name, length) & row->mask;
	row->chains[i] = row->buckets[bucket];
	row->buckets[bucket] = (int16) i;
}

static msgpack_row_plan *
make_row_plan(const msgpack_planner *planner, TupleDesc type, uint64 identifier)
{
	MemoryContext caller = MemoryContextSwitchTo(planner->context);
	msgpack_row_plan *row = palloc0(sizeof(msgpack_row_plan));
	int			n = type->natts;

	row->identifier = identifier;
	row->type = CreateTupleDescCopy(type);
	row->ncolumns = n;
	row->columns = palloc0(sizeof(row_column) * Max(n, 1));
	row->mask = pg_nextpower2_32(Max(2 * n, 2)) - 1;
	row->buckets = palloc(sizeof(int16) * (row->mask + 1));
	row->chains = palloc(sizeof(int16) * Max(n, 1));
	row->nguesses = 2 * n;
	row->guesses = palloc(sizeof(int16) * Max(row->nguesses, 1));
	for (uint32 i = 0; i <= row->mask; i++)
		row->buckets[i] = NO_COLUMN;
	for (int i = 0; i < row->nguesses; i++)
		row->guesses[i] = NO_COLUMN;
	for (int i = 0; i < n; i++)
		plan_column(row, planner, i);
	MemoryContextSwitchTo(caller);
	return row;
}

/* A type that was altered gets a new plan; the old one is left to its context: this is rare. */
TupleDesc
msgpack_row_type(msgpack_plan *plan)
{
	uint64		identifier = assign_record_type_identifier(plan->type, plan->typmod);

	if (plan->row == NULL || plan->row->identifier != identifier)
	{
		TupleDesc	type = lookup_rowtype_tupdesc(plan->type, plan->typmod);

		plan->row = make_row_plan(plan->planner, type, identifier);
		ReleaseTupleDesc(type);
	}
	return plan->row->type;
}

/* ----- finding columns ----- */

/* A column that was found in a map: the value, and how well its key matched. */
typedef struct match
{
	const uint8 *value;			/* NULL: there is none */
	int			rank;
} match;

/* The bytes that a column is called by when this key means it; NULL: no column is. */
static const uint8 *
key_name(const mpk_value *key, char *digits, size_t *length)
{
	mpk_value	number;

	if (key->kind == MPK_STR || key->kind == MPK_BIN)
	{
		*length = key->length;
		return key->body;
	}
	*length = 0;
	if (!mpk_is_number(key->kind))
		return NULL;
	number = *key;
	mpk_number_normalize(&number);
	if (number.kind == MPK_FLOAT64)
		return NULL;
	*length = mpk_print_integer(&number, digits);
	return (const uint8 *) digits;
}

/* The column that a key is for, or NO_COLUMN; the key rule has the last word. */
static int
find_column(const msgpack_row_plan *row, const mpk_value *key, const uint8 *end, unsigned flags,
			int *rank)
{
	char		digits[MPK_INTEGER_TEXT];
	size_t		length;
	const uint8 *name = key_name(key, digits, &length);

	if (name == NULL || length > row->longest_name)
		return NO_COLUMN;
	for (int i = row->buckets[name_hash(name, length) & row->mask]; i != NO_COLUMN;
		 i = row->chains[i])
	{
		*rank = mpk_step_match(&row->columns[i].step, key->start, end, flags);
		if (*rank > 0)
			return i;
	}
	return NO_COLUMN;
}

/* Is the key the str that names this column? */
static inline bool
is_column(const row_column *column, const mpk_value *key)
{
	return key->kind == MPK_STR && key->length == column->step.key.length &&
		memcmp(key->body, column->step.key.body, key->length) == 0;
}

/* The same after a guess: the key at this place of the map is what it was last time. */
static int
guess_column(msgpack_row_plan *row, uint32 place, const mpk_value *key, const uint8 *end,
			 unsigned flags, int *rank)
{
	int			column;

	if (place >= (uint32) row->nguesses)
		return find_column(row, key, end, flags, rank);
	column = row->guesses[place];
	if (column != NO_COLUMN && is_column(&row->columns[column], key))
	{
		*rank = MPK_STEP_BEST;
		return column;
	}
	column = find_column(row, key, end, flags, rank);
	if (column != NO_COLUMN)
		row->guesses[place] = (int16) column;
	return column;
}

/* Both return the byte after the container. */
static const uint8 *
match_map(msgpack_row_plan *row, const mpk_document *document, const mpk_value *map,
		  match *matches)
{
	const uint8 *at = map->body;
	mpk_value	key;

	for (uint32 i = 0; i < map->length; i++)
	{
		int			rank;
		int			column;

		at = mpk_read(at, &key);
		if (mpk_is_container(key.kind))
			at = mpk_skip(key.start);
		column = guess_column(row, i, &key, at, document->flags, &rank);
		if (column != NO_COLUMN && rank >= matches[column].rank)
		{
			matches[column].value = at;
			matches[column].rank = rank;
		}
		at = mpk_skip(at);
		CHECK_FOR_INTERRUPTS();
	}
	return at;
}

static const uint8 *
match_array(msgpack_row_plan *row, const mpk_value *array, match *matches)
{
	const uint8 *at = array->body;
	uint32		left = array->length;

	for (int i = 0; i < row->ncolumns && left > 0; i++)
	{
		if (row->columns[i].dropped)
			continue;
		matches[i].value = at;
		at = mpk_skip(at);
		left--;
	}
	for (; left > 0; left--)
		at = mpk_skip(at);
	return at;
}

/* ----- rows ----- */

static void
start_row(const msgpack_row_plan *row, HeapTupleHeader base, Datum *values, bool *nulls)
{
	HeapTupleData tuple;

	if (base == NULL)
	{
		memset(values, 0, sizeof(Datum) * row->ncolumns);
		memset(nulls, true, sizeof(bool) * row->ncolumns);
		return;
	}
	tuple.t_len = HeapTupleHeaderGetDatumLength(base);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	tuple.t_data = base;
	heap_deform_tuple(&tuple, row->type, values, nulls);
}

static void
read_container(const uint8 *p, mpk_value *container)
{
	(void) mpk_read(p, container);
	if (!mpk_is_container(container->kind))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot make a row of a msgpack %s",
						msgpack_kind_name(container->kind))));
}

/* Make the values of a row whose columns were found. */
static void
fill_row(msgpack_row_plan *row, const mpk_document *document, const match *matches,
		 HeapTupleHeader base, Datum *values, bool *nulls)
{
	start_row(row, base, values, nulls);
	for (int i = 0; i < row->ncolumns; i++)
	{
		row_column *column = &row->columns[i];

		/* without a base a column that is not there is as nil: a domain may have its say */
		if (column->dropped)
			nulls[i] = true;
		else if (matches[i].value != NULL || base == NULL)
			values[i] = msgpack_populate(&column->plan, document, matches[i].value,
										 nulls[i] ? (Datum) 0 : values[i], column->name,
										 &nulls[i]);
	}
}

static match *
make_matches(const msgpack_row_plan *row)
{
	return palloc0(sizeof(match) * Max(row->ncolumns, 1));
}

const uint8 *
msgpack_row_fill(msgpack_plan *plan, const mpk_document *document, const uint8 *p,
				 HeapTupleHeader base, Datum *values, bool *nulls)
{
	msgpack_row_plan *row = plan->row;
	match	   *matches = make_matches(row);
	mpk_value	container;
	const uint8 *end;

	read_container(p, &container);
	if (container.kind == MPK_MAP)
		end = match_map(row, document, &container, matches);
	else
		end = match_array(row, &container, matches);
	fill_row(row, document, matches, base, values, nulls);
	pfree(matches);
	return end;
}

/* The tuple of a row whose columns were found. */
static Datum
form_row(msgpack_row_plan *row, const mpk_document *document, match *matches,
		 HeapTupleHeader base)
{
	Datum	   *values = palloc(sizeof(Datum) * Max(row->ncolumns, 1));
	bool	   *nulls = palloc(sizeof(bool) * Max(row->ncolumns, 1));
	HeapTuple	tuple;

	fill_row(row, document, matches, base, values, nulls);
	tuple = heap_form_tuple(row->type, values, nulls);
	pfree(values);
	pfree(nulls);
	pfree(matches);
	return HeapTupleGetDatum(tuple);
}

Datum
msgpack_row_datum(msgpack_plan *plan, const mpk_document *document, const uint8 *p,
				  HeapTupleHeader base)
{
	mpk_value	container;
	match	   *matches;

	(void) msgpack_row_type(plan);
	read_container(p, &container);
	if (base != NULL && container.length == 0)
		return HeapTupleHeaderGetDatum(base);
	matches = make_matches(plan->row);
	if (container.kind == MPK_MAP)
		(void) match_map(plan->row, document, &container, matches);
	else
		(void) match_array(plan->row, &container, matches);
	return form_row(plan->row, document, matches, base);
}

/* ----- rows by look-up ----- */

/* In memory a look-up costs about what passing so many pairs does. */
#define PAIRS_PER_LOOKUP	4

/* Is it sooner to look each column up in the map at the spot than to read the map? */
static bool
prefers_lookup(const msgpack_row_plan *row, mpk_cursor *cursor, const mpk_spot *root)
{
	mpk_kind	kind;
	uint32		count;

	if (root->table_end == 0 || !mpk_spot_count(cursor, root, &kind, &count) || kind != MPK_MAP)
		return false;
	return cursor->fetch != NULL || count / PAIRS_PER_LOOKUP >= (uint32) row->ncolumns;
}

bool
msgpack_row_lookup(msgpack_plan *plan, mpk_cursor *cursor, HeapTupleHeader base, Datum *result)
{
	mpk_document document = {.flags = cursor->flags};
	mpk_spot	root;
	match	   *matches;

	(void) msgpack_row_type(plan);
	if (!mpk_spot_root(cursor, &root) || !prefers_lookup(plan->row, cursor, &root))
		return false;
	matches = make_matches(plan->row);
	for (int i = 0; i < plan->row->ncolumns; i++)
	{
		mpk_spot	spot = root;
		const uint8 *end;

		if (!plan->row->columns[i].dropped &&
			mpk_step_follow(cursor, &spot, &plan->row->columns[i].step))
			(void) mpk_spot_bytes(cursor, &spot, &matches[i].value, &end);
		msgpack_cursor_check(cursor);
	}
	*result = form_row(plan->row, &document, matches, base);
	return true;
}
