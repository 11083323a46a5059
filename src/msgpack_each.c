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

#include "msgpack_rows.h"

/* ----- one container ----- */

/* What is left of an array or map. */
typedef struct entries
{
	mpk_document document;
	const uint8 *at;			/* the next element or key */
	uint32		left;			/* elements or pairs */
} entries;

/* Begin with the root of argument 0; false, and *kind, when it is of another kind. */
static bool
open_entries(entries *entries, FunctionCallInfo fcinfo, mpk_kind wanted, mpk_kind *kind)
{
	mpk_value	root;

	entries->document = PG_GETARG_MSGPACK(0);
	entries->at = mpk_read(entries->document.payload, &root);
	entries->left = root.length;
	*kind = root.kind;
	return root.kind == wanted;
}

/* Read the next element, or key; false after the last. */
static bool
next_entry(entries *entries, mpk_value *value)
{
	if (entries->left == 0)
		return false;
	entries->left--;
	entries->at = mpk_read(entries->at, value);
	return true;
}

/* As a document of its own.  Moves *at, which is where mpk_read left off, past the value. */
static Datum
value_datum(const mpk_document *document, const mpk_value *value, const uint8 **at)
{
	if (mpk_is_container(value->kind))
		*at = mpk_skip(value->start);
	return msgpack_fragment(document, value->start, *at);
}

/* As ->> has it: nil is NULL. */
static Datum
value_text_datum(const mpk_document *document, const mpk_value *value, const uint8 **at,
				 bool *null)
{
	if (mpk_is_container(value->kind))
		*at = mpk_skip(value->start);
	if (value->kind == MPK_NIL)
	{
		*null = true;
		return (Datum) 0;
	}
	return PointerGetDatum(msgpack_value_text(value, document->flags));
}

/* A key as text: ->> text, and "null" for nil. */
static Datum
key_text_datum(const mpk_document *document, const mpk_value *key)
{
	if (key->kind == MPK_NIL)
		return CStringGetTextDatum("null");
	return PointerGetDatum(msgpack_value_text(key, document->flags));
}

/* ----- msgpack_array_elements ----- */

static void
begin_elements(void *state, FunctionCallInfo fcinfo)
{
	mpk_kind	kind;

	if (!open_entries(state, fcinfo, MPK_ARRAY, &kind))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 kind == MPK_MAP
				 ? errmsg("cannot extract elements from a map")
				 : errmsg("cannot extract elements from a scalar")));
}

static bool
next_element(void *state, Datum *values, bool *nulls, size_t *bytes)
{
	entries    *entries = state;
	mpk_value	element;

	(void) nulls;
	if (!next_entry(entries, &element))
		return false;
	values[0] = value_datum(&entries->document, &element, &entries->at);
	*bytes = entries->at - element.start;
	return true;
}

static bool
next_element_text(void *state, Datum *values, bool *nulls, size_t *bytes)
{
	entries    *entries = state;
	mpk_value	element;

	if (!next_entry(entries, &element))
		return false;
	values[0] = value_text_datum(&entries->document, &element, &entries->at, &nulls[0]);
	*bytes = entries->at - element.start;
	return true;
}

PG_FUNCTION_INFO_V1(msgpack_array_elements);

Datum
msgpack_array_elements(PG_FUNCTION_ARGS)
{
	static const msgpack_row_source source = {
		1, sizeof(entries), begin_elements, next_element
	};

	return msgpack_return_rows(fcinfo, &source);
}

PG_FUNCTION_INFO_V1(msgpack_array_elements_text);

Datum
msgpack_array_elements_text(PG_FUNCTION_ARGS)
{
	static const msgpack_row_source source = {
		1, sizeof(entries), begin_elements, next_element_text
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

	if (!open_entries(state, fcinfo, MPK_MAP, &kind))
		raise_not_map("msgpack_each", kind);
}

static void
begin_each_text(void *state, FunctionCallInfo fcinfo)
{
	mpk_kind	kind;

	if (!open_entries(state, fcinfo, MPK_MAP, &kind))
		raise_not_map("msgpack_each_text", kind);
}

static void
begin_keys(void *state, FunctionCallInfo fcinfo)
{
	mpk_kind	kind;

	if (!open_entries(state, fcinfo, MPK_MAP, &kind))
		raise_not_map("msgpack_object_keys", kind);
}

/* Read a key, give its text, and read the value after it. */
static bool
next_pair(entries *entries, Datum *key_text, mpk_value *value, size_t *bytes)
{
	mpk_value	key;

	if (!next_entry(entries, &key))
		return false;
	*key_text = key_text_datum(&entries->document, &key);
	if (mpk_is_container(key.kind))
		entries->at = mpk_skip(key.start);
	*bytes = entries->at - key.start;
	entries->at = mpk_read(entries->at, value);
	return true;
}

static bool
next_each(void *state, Datum *values, bool *nulls, size_t *bytes)
{
	entries    *entries = state;
	mpk_value	value;

	(void) nulls;
	if (!next_pair(entries, &values[0], &value, bytes))
		return false;
	values[1] = value_datum(&entries->document, &value, &entries->at);
	*bytes += entries->at - value.start;
	return true;
}

static bool
next_each_text(void *state, Datum *values, bool *nulls, size_t *bytes)
{
	entries    *entries = state;
	mpk_value	value;

	if (!next_pair(entries, &values[0], &value, bytes))
		return false;
	values[1] = value_text_datum(&entries->document, &value, &entries->at, &nulls[1]);
	*bytes += entries->at - value.start;
	return true;
}

static bool
next_key(void *state, Datum *values, bool *nulls, size_t *bytes)
{
	entries    *entries = state;
	mpk_value	value;

	(void) nulls;
	if (!next_pair(entries, &values[0], &value, bytes))
		return false;
	entries->at = mpk_is_container(value.kind) ? mpk_skip(value.start) : entries->at;
	return true;
}

PG_FUNCTION_INFO_V1(msgpack_each);

Datum
msgpack_each(PG_FUNCTION_ARGS)
{
	static const msgpack_row_source source = {2, sizeof(entries), begin_each, next_each};

	return msgpack_return_rows(fcinfo, &source);
}

PG_FUNCTION_INFO_V1(msgpack_each_text);

Datum
msgpack_each_text(PG_FUNCTION_ARGS)
{
	static const msgpack_row_source source = {
		2, sizeof(entries), begin_each_text, next_each_text
	};

	return msgpack_return_rows(fcinfo, &source);
}

PG_FUNCTION_INFO_V1(msgpack_object_keys);

Datum
msgpack_object_keys(PG_FUNCTION_ARGS)
{
	static const msgpack_row_source source = {1, sizeof(entries), begin_keys, next_key};

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
	MemoryContextSwitchTo(walk->context);
	level->step = key_text_datum(&walk->document, &key);
	MemoryContextSwitchTo(row);
	return value_datum(&walk->document, &key, &walk->at);
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
	values[3] = value_datum(&walk->document, &value, &end);
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
