/*
 * msgpack_each.c
 *		Containers taken apart into rows: elements, pairs, keys, and whole trees.
 *
 * Rows come in document order.  Of repeated keys each is shown: whoever takes
 * a map apart sees all that is in it.
 */
#include "msgpack.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "document/entries.h"
#include "msgpack_fetch.h"
#include "msgpack_rows.h"

/* ----- one container ----- */

/* What is left of an array or map. */
typedef struct series
{
	mpk_cursor	cursor;
	mpk_entries entries;
} series;

/* Where no value can be left out, all at once is the least work. */
static void
fetch_all(mpk_cursor *cursor)
{
	if (cursor->fetch == NULL)
		return;
	(void) mpk_cursor_get(cursor, 0, cursor->length);
	cursor->fetch = NULL;
}

/*
 * Begin with the root of argument 0; false, and *kind, when it is of another
 * kind.  When the rows go one by one, or only keys are wanted, a value in TOAST
 * is fetched as they go.
 */
static bool
open_series(series *series, FunctionCallInfo fcinfo, mpk_kind wanted, bool keys_only,
			mpk_kind *kind)
{
	LOCAL_FCINFO(unshared, 0);
	mpk_document document;
	mpk_spot	root;

	if (msgpack_rows_are_stored(fcinfo) && !keys_only)
	{
		document = PG_GETARG_MSGPACK(0);
		mpk_cursor_init(&series->cursor, &document);
	}
	else
	{
		/* what is fetched must last as long as the series, so others have no share in it */
		InitFunctionCallInfoData(*unshared, NULL, 0, InvalidOid, NULL, NULL);
		msgpack_cursor_open(&series->cursor, unshared, PG_GETARG_DATUM(0));
	}
	if (mpk_spot_root(&series->cursor, &root))
		(void) mpk_entries_begin(&series->entries, &series->cursor, &root);
	msgpack_cursor_check(&series->cursor);
	if (msgpack_rows_are_stored(fcinfo) && series->entries.children == 0)
		fetch_all(&series->cursor);
	if (keys_only && !mpk_entries_keys_only(&series->entries))
		msgpack_cursor_check(&series->cursor);
	*kind = series->entries.kind;
	return *kind == wanted;
}

static inline bool
next_entry(series *series, mpk_entry *key, mpk_entry *value)
{
	bool		found = mpk_entries_next(&series->entries, key, value);

	if (!found)
		msgpack_cursor_check(&series->cursor);
	return found;
}

/* A value that has no tables of its own, and whose end is not known, as a document. */
static Datum
container_datum(series *series, mpk_entry *entry)
{
	unsigned	flags = series->cursor.flags & MPK_IRREGULAR;
	mpk_value	head;
	mpk_index	index;
	Datum		result;

	(void) mpk_read(entry->start, &head);
	if (flags != 0 || !series->entries.indexed || !mpk_index_wants_root(&head, 0))
	{
		mpk_entries_end(&series->entries, entry);
		flags = msgpack_fragment_flags(flags, entry->start, entry->end);
		if (series->entries.indexed && !mpk_index_wants_root(&head, entry->end - entry->start))
			return msgpack_from_parts(entry->start, entry->end - entry->start, flags, NULL, 0);
		return msgpack_from_payload(entry->start, entry->end - entry->start, flags);
	}
	/* its end is found while its index is built */
	mpk_entries_end_at(&series->entries, entry,
					   mpk_index_build_first(&index, entry->start,
											 series->cursor.length - entry->place, flags));
	result = msgpack_from_parts(entry->start, entry->end - entry->start, flags,
								mpk_index_bytes(&index), index.length);
	mpk_index_free(&index);
	return result;
}

/* The value of an entry as a document of its own. */
static Datum
value_datum(series *series, mpk_entry *entry)
{
	unsigned	flags;
	const uint8 *index;

	if (entry->table_end == 0 && entry->end == NULL)
		return container_datum(series, entry);
	mpk_entries_end(&series->entries, entry);
	flags = msgpack_fragment_flags(series->cursor.flags, entry->start, entry->end);
	if (!mpk_begins_container(*entry->start))
		return msgpack_from_parts(entry->start, entry->end - entry->start, flags, NULL, 0);
	if (entry->table_end == 0)
		return msgpack_from_payload(entry->start, entry->end - entry->start, flags);
	index = mpk_cursor_get(&series->cursor, entry->table, entry->table_end - entry->table);
	msgpack_cursor_check(&series->cursor);
	return msgpack_from_parts(entry->start, entry->end - entry->start, flags, index,
							  entry->table_end - entry->table);
}

/* As ->> has it: nil is NULL. */
static Datum
value_text_datum(series *series, mpk_entry *entry, bool *null)
{
	mpk_value	value;

	mpk_entries_end(&series->entries, entry);
	(void) mpk_read(entry->start, &value);
	if (value.kind == MPK_NIL)
	{
		*null = true;
		return (Datum) 0;
	}
	return PointerGetDatum(msgpack_value_text(&value, series->cursor.flags));
}

/* A key as text: ->> text, and "null" for nil. */
static Datum
key_text_datum(unsigned flags, const uint8 *start)
{
	mpk_value	key;

	(void) mpk_read(start, &key);
	if (key.kind == MPK_STR)
		return PointerGetDatum(msgpack_text_from_str(&key, flags));
	if (key.kind == MPK_NIL)
		return CStringGetTextDatum("null");
	return PointerGetDatum(msgpack_value_text(&key, flags));
}

/* ----- msgpack_array_elements ----- */

static void
begin_elements(void *state, FunctionCallInfo fcinfo)
{
	mpk_kind	kind;

	if (!open_series(state, fcinfo, MPK_ARRAY, false, &kind))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 kind == MPK_MAP
				 ? errmsg("cannot extract elements from a map")
				 : errmsg("cannot extract elements from a scalar")));
}

static bool
next_element(void *state, Datum *values, bool *nulls, size_t *bytes)
{
	mpk_entry	element;

	(void) nulls;
	if (!next_entry(state, NULL, &element))
		return false;
	values[0] = value_datum(state, &element);
	*bytes = element.end - element.start;
	return true;
}

static bool
next_element_text(void *state, Datum *values, bool *nulls, size_t *bytes)
{
	mpk_entry	element;

	if (!next_entry(state, NULL, &element))
		return false;
	values[0] = value_text_datum(state, &element, &nulls[0]);
	*bytes = element.end - element.start;
	return true;
}

PG_FUNCTION_INFO_V1(msgpack_array_elements);

Datum
msgpack_array_elements(PG_FUNCTION_ARGS)
{
	static const msgpack_row_source source = {
		1, sizeof(series), begin_elements, next_element
	};

	return msgpack_return_rows(fcinfo, &source);
}

PG_FUNCTION_INFO_V1(msgpack_array_elements_text);

Datum
msgpack_array_elements_text(PG_FUNCTION_ARGS)
{
	static const msgpack_row_source source = {
		1, sizeof(series), begin_elements, next_element_text
	};

	return msgpack_return_rows(fcinfo, &source);
}

/* ----- msgpack_each, msgpack_object_keys ----- */

static void
raise_not_map(const char *function, mpk_kind kind)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 kind == MPK_ARRAY
			 ? errmsg("cannot call %s on an array", function)
			 : errmsg("cannot call %s on a scalar", function)));
}

static void
begin_each(void *state, FunctionCallInfo fcinfo)
{
	mpk_kind	kind;

	if (!open_series(state, fcinfo, MPK_MAP, false, &kind))
		raise_not_map("msgpack_each", kind);
}

static void
begin_each_text(void *state, FunctionCallInfo fcinfo)
{
	mpk_kind	kind;

	if (!open_series(state, fcinfo, MPK_MAP, false, &kind))
		raise_not_map("msgpack_each_text", kind);
}

static void
begin_keys(void *state, FunctionCallInfo fcinfo)
{
	mpk_kind	kind;

	if (!open_series(state, fcinfo, MPK_MAP, true, &kind))
		raise_not_map("msgpack_object_keys", kind);
}

/* The next pair, and its key's text. */
static bool
next_pair(series *series, Datum *key_text, mpk_entry *value, size_t *bytes)
{
	mpk_entry	key;

	if (!next_entry(series, &key, value))
		return false;
	*key_text = key_text_datum(series->cursor.flags, key.start);
	*bytes = key.end - key.start;
	return true;
}

static bool
next_each(void *state, Datum *values, bool *nulls, size_t *bytes)
{
	mpk_entry	value;

	(void) nulls;
	if (!next_pair(state, &values[0], &value, bytes))
		return false;
	values[1] = value_datum(state, &value);
	*bytes += value.end - value.start;
	return true;
}

static bool
next_each_text(void *state, Datum *values, bool *nulls, size_t *bytes)
{
	mpk_entry	value;

	if (!next_pair(state, &values[0], &value, bytes))
		return false;
	values[1] = value_text_datum(state, &value, &nulls[1]);
	*bytes += value.end - value.start;
	return true;
}

static bool
next_key(void *state, Datum *values, bool *nulls, size_t *bytes)
{
	series	   *series = state;
	mpk_entry	value;

	(void) nulls;
	if (!next_pair(series, &values[0], &value, bytes))
		return false;
	mpk_entries_end(&series->entries, &value);
	return true;
}

PG_FUNCTION_INFO_V1(msgpack_each);

Datum
msgpack_each(PG_FUNCTION_ARGS)
{
	static const msgpack_row_source source = {2, sizeof(series), begin_each, next_each};

	return msgpack_return_rows(fcinfo, &source);
}

PG_FUNCTION_INFO_V1(msgpack_each_text);

Datum
msgpack_each_text(PG_FUNCTION_ARGS)
{
	static const msgpack_row_source source = {
		2, sizeof(series), begin_each_text, next_each_text
	};

	return msgpack_return_rows(fcinfo, &source);
}

PG_FUNCTION_INFO_V1(msgpack_object_keys);

Datum
msgpack_object_keys(PG_FUNCTION_ARGS)
{
	static const msgpack_row_source source = {1, sizeof(series), begin_keys, next_key};

	return msgpack_return_rows(fcinfo, &source);
}

/* ----- msgpack_tree ----- */

/* A container on the way down to the next row. */
typedef struct tree_level
{
	uint32		count;			/* elements or pairs */
	uint32		next;			/* the one to come, from 0 */
	bool		is_map;
	Datum		step;			/* text of the key or index that was last taken */
} tree_level;

typedef struct tree_walk
{
	mpk_document document;
	MemoryContext context;		/* of the walk: levels and steps */
	const uint8 *at;			/* the root, or the next element or key */
	bool		started;
	int			depth;			/* open containers */
	int			capacity;
	tree_level *levels;
} tree_walk;

static void
begin_tree(void *state, FunctionCallInfo fcinfo)
{
	tree_walk  *walk = state;

	walk->document = PG_GETARG_MSGPACK(0);
	walk->context = CurrentMemoryContext;
	walk->at = walk->document.payload;
	walk->capacity = 8;
	walk->levels = palloc(sizeof(tree_level) * walk->capacity);
}

static void
push_level(tree_walk *walk, const mpk_value *container)
{
	tree_level *level;

	if (walk->depth == walk->capacity)
	{
		walk->capacity *= 2;
		walk->levels = repalloc(walk->levels, sizeof(tree_level) * walk->capacity);
	}
	level = &walk->levels[walk->depth++];
	level->count = container->length;
	level->next = 0;
	level->is_map = container->kind == MPK_MAP;
	level->step = (Datum) 0;
}

/* The next key as document and as step, then its value is what follows. */
static Datum
take_key(tree_walk *walk, tree_level *level)
{
	MemoryContext row = CurrentMemoryContext;
	mpk_value	key;

	walk->at = mpk_read(walk->at, &key);
	if (mpk_is_container(key.kind))
		walk->at = mpk_skip(key.start);
	MemoryContextSwitchTo(walk->context);
	level->step = key_text_datum(walk->document.flags, key.start);
	MemoryContextSwitchTo(row);
	return msgpack_fragment(&walk->document, key.start, walk->at);
}

/* The next index as document and as step. */
static Datum
take_index(tree_walk *walk, tree_level *level)
{
	MemoryContext row = CurrentMemoryContext;
	char		digits[MAXINT8LEN];
	int			length = pg_ultoa_n(level->next, digits);
	mpk_writer	writer;

	MemoryContextSwitchTo(walk->context);
	level->step = PointerGetDatum(cstring_to_text_with_len(digits, length));
	MemoryContextSwitchTo(row);
	mpk_writer_init(&writer, 5);
	mpk_write_uint(&writer, level->next);
	return msgpack_from_writer(&writer, 0);
}

/* Close what is finished, and step on to the next key or index; false at the end of the tree. */
static bool
tree_step(tree_walk *walk, Datum *key)
{
	for (; walk->depth > 0; walk->depth--)
	{
		tree_level *level = &walk->levels[walk->depth - 1];

		if (level->step != (Datum) 0)
			pfree(DatumGetPointer(level->step));
		level->step = (Datum) 0;
		if (level->next < level->count)
		{
			*key = level->is_map ? take_key(walk, level) : take_index(walk, level);
			level->next++;
			return true;
		}
	}
	return false;
}

static Datum
tree_path(const tree_walk *walk)
{
	Datum	   *steps = palloc(sizeof(Datum) * Max(walk->depth, 1));

	for (int i = 0; i < walk->depth; i++)
		steps[i] = walk->levels[i].step;
	return PointerGetDatum(construct_array(steps, walk->depth, TEXTOID, -1, false,
										   TYPALIGN_INT));
}

static bool
next_node(void *state, Datum *values, bool *nulls, size_t *bytes)
{
	tree_walk  *walk = state;
	mpk_value	value;
	const uint8 *end;

	if (walk->started)
	{
		if (!tree_step(walk, &values[1]))
			return false;
	}
	else
		nulls[1] = true;		/* the root has no key */
	walk->started = true;

	values[0] = tree_path(walk);
	walk->at = end = mpk_read(walk->at, &value);
	values[2] = CStringGetTextDatum(msgpack_kind_name(value.kind));
	if (mpk_is_container(value.kind))
		end = mpk_skip(value.start);
	values[3] = msgpack_fragment(&walk->document, value.start, end);
	*bytes = VARSIZE_ANY(DatumGetPointer(values[0])) + (end - value.start);
	if (mpk_is_container(value.kind))
		push_level(walk, &value);
	return true;
}

PG_FUNCTION_INFO_V1(msgpack_tree);

Datum
msgpack_tree(PG_FUNCTION_ARGS)
{
	static const msgpack_row_source source = {4, sizeof(tree_walk), begin_tree, next_node};

	return msgpack_return_rows(fcinfo, &source);
}
