/*
 * msgpack_path_exec.c
 *		The walk of a jsonpath: accessors, filters, variables.
 *
 * From the root, keys and constant subscripts are followed through the
 * document's cursor: by its offset index, and of a value in TOAST without
 * fetching what lies beside the way.  From there on items are whole values in
 * memory.
 */
#include "msgpack_path.h"

#include "miscadmin.h"
#include "utils/fmgrprotos.h"

#include "document/compare.h"

/* .** of which only leaves are wanted. */
#define LEVEL_LAST		PG_UINT32_MAX

/* What is asked of each entry of a container. */
typedef struct entries_walk
{
	const msgpack_node *node;	/* what they are given to; NULL: they are the result */
	msgpack_items *found;
	uint32		first;			/* levels, counted from 1 */
	uint32		last;
	bool		lenient;
	bool		unwrap;
} entries_walk;

/* --- passing values --- */

/* Bytes of the values from nil to int 64 whose type byte tells them; 0 of the others. */
static const uint8 extents[MPK_BYTE_INT64 - MPK_BYTE_NIL + 1] = {
	[MPK_BYTE_NIL - MPK_BYTE_NIL] = 1,
	[MPK_BYTE_FALSE - MPK_BYTE_NIL] = 1,
	[MPK_BYTE_TRUE - MPK_BYTE_NIL] = 1,
	[MPK_BYTE_FLOAT32 - MPK_BYTE_NIL] = 5,
	[MPK_BYTE_FLOAT64 - MPK_BYTE_NIL] = 9,
	[MPK_BYTE_UINT8 - MPK_BYTE_NIL] = 2,
	[MPK_BYTE_UINT16 - MPK_BYTE_NIL] = 3,
	[MPK_BYTE_UINT32 - MPK_BYTE_NIL] = 5,
	[MPK_BYTE_UINT64 - MPK_BYTE_NIL] = 9,
	[MPK_BYTE_INT8 - MPK_BYTE_NIL] = 2,
	[MPK_BYTE_INT16 - MPK_BYTE_NIL] = 3,
	[MPK_BYTE_INT32 - MPK_BYTE_NIL] = 5,
	[MPK_BYTE_INT64 - MPK_BYTE_NIL] = 9,
};

/* mpk_skip, without a call for what most values are. */
static inline const uint8 *
pass_value(const uint8 *p)
{
	uint8		byte = *p;

	if (byte < MPK_FIXMAP || byte >= MPK_NEGATIVE_FIXINT)
		return p + 1;
	if (mpk_is_short_str(byte))
		return p + 1 + (byte & 0x1f);
	if (byte >= MPK_BYTE_NIL && byte <= MPK_BYTE_INT64 && extents[byte - MPK_BYTE_NIL] > 0)
		return p + extents[byte - MPK_BYTE_NIL];
	return mpk_skip(p);
}

/* The end of an entry that was visited. */
static inline const uint8 *
pass_entry(const msgpack_walk *walk, const uint8 *p)
{
	if (walk->trail.map != p)
		return pass_value(p);
	p = walk->trail.reached;
	for (uint64 i = 0; i < walk->trail.left; i++)
		p = pass_value(p);
	return p;
}

/* --- entries of containers --- */

static msgpack_path_result
visit_entry(msgpack_walk *walk, const entries_walk *entries, const msgpack_item *entry)
{
	bool		lenient = walk->lenient;
	msgpack_path_result result;

	if (entries->node == NULL)
	{
		if (entries->found == NULL)
			return MSGPACK_PATH_OK;
		msgpack_items_append(entries->found, entry);
		return MSGPACK_PATH_NONE;
	}
	walk->lenient |= entries->lenient;
	result = msgpack_path_run(walk, entries->node, entry, entries->found, entries->unwrap);
	walk->lenient = lenient;
	return result;
}

static inline bool
is_final(msgpack_path_result result, const msgpack_items *found)
{
	return result == MSGPACK_PATH_ERROR || (result == MSGPACK_PATH_OK && found == NULL);
}

/*
 * Visit the entries of a container that are so many levels down, and those
 * below.  Sets *end to the container's end unless it stops before.
 */
static msgpack_path_result
visit_entries(msgpack_walk *walk, const entries_walk *entries, const mpk_value *container,
			  uint32 level, const uint8 **end)
{
	bool		leaves = entries->first == LEVEL_LAST && entries->last == LEVEL_LAST;
	msgpack_path_result result = MSGPACK_PATH_NONE;
	const uint8 *p = container->body;
	msgpack_item entry;

	check_stack_depth();
	entry.form = MSGPACK_ITEM_VALUE;
	for (uint32 i = 0; i < container->length; i++)
	{
		const uint8 *next = NULL;
		bool		is_container;

		CHECK_FOR_INTERRUPTS();
		if (container->kind == MPK_MAP)
			p = pass_value(p);
		mpk_read(p, &entry.value);
		is_container = mpk_is_container(entry.value.kind);
		if (level >= entries->first || (leaves && !is_container))
		{
			result = visit_entry(walk, entries, &entry);
			if (is_final(result, entries->found))
				return result;
		}
		if (level < entries->last && is_container)
		{
			result = visit_entries(walk, entries, &entry.value, level + 1, &next);
			if (is_final(result, entries->found))
				return result;
		}
		p = next != NULL ? next : pass_entry(walk, p);
	}
	*end = p;
	return result;
}

/* Give each element of an array (or each value of a map) to a node. */
static msgpack_path_result
run_entries(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *container,
			msgpack_items *found, bool unwrap)
{
	entries_walk entries = {node, found, 1, 1, false, unwrap};
	const uint8 *end;

	return visit_entries(walk, &entries, &container->value, 1, &end);
}

msgpack_path_result
msgpack_path_run(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
				 msgpack_items *found, bool unwrap)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (unwrap && node->unwraps && msgpack_item_is(item, MPK_ARRAY))
		return run_entries(walk, node, item, found, false);
	return node->function(walk, node, item, found, unwrap);
}

/* Replace the arrays in a list by their elements. */
static void
unwrap_items(msgpack_walk *walk, msgpack_items *list)
{
	msgpack_items unwrapped;
	int			arrays = 0;

	for (int i = 0; i < list->count; i++)
		arrays += msgpack_item_is(&list->items[i], MPK_ARRAY);
	if (arrays == 0)
		return;
	msgpack_items_init(&unwrapped);
	for (int i = 0; i < list->count; i++)
	{
		if (msgpack_item_is(&list->items[i], MPK_ARRAY))
			(void) run_entries(walk, NULL, &list->items[i], &unwrapped, false);
		else
			msgpack_items_append(&unwrapped, &list->items[i]);
	}
	list->count = 0;
	for (int i = 0; i < unwrapped.count; i++)
		msgpack_items_append(list, &unwrapped.items[i]);
	msgpack_items_free(&unwrapped);
}

msgpack_path_result
msgpack_path_operand(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
					 bool unwrap, msgpack_items *found)
{
	msgpack_path_result result;

	msgpack_items_init(found);
	if (node->function == msgpack_path_literal && node->next == NULL)
	{
		found->items = unconstify(msgpack_item *, &node->literal);
		found->count = found->room = 1;
		return MSGPACK_PATH_OK;
	}
	result = msgpack_path_run(walk, node, item, found, walk->lax);
	if (result == MSGPACK_PATH_ERROR)
		return result;
	if (unwrap && walk->lax)
		unwrap_items(walk, found);
	return MSGPACK_PATH_OK;
}

/* --- the root --- */

typedef enum step_result
{
	STEP_TAKEN,
	STEP_MISSING,				/* the right container, without such an entry */
	STEP_OTHER					/* another kind of value: for the node to decide */
} step_result;

static step_result
take_step(mpk_cursor *cursor, mpk_spot *spot, const msgpack_node *node)
{
	bool		is_key = node->type == jpiKey;
	mpk_kind	kind;
	uint32		count;

	/* a key leads nowhere but in a map; a number would find a map's integer key */
	if (is_key && mpk_step_follow(cursor, spot, &node->step))
		return STEP_TAKEN;
	msgpack_cursor_check(cursor);
	if (!mpk_spot_count(cursor, spot, &kind, &count))
	{
		msgpack_cursor_check(cursor);
		return STEP_OTHER;
	}
	if (kind != (is_key ? MPK_MAP : MPK_ARRAY))
		return STEP_OTHER;
	if (!is_key && mpk_step_follow(cursor, spot, &node->step))
		return STEP_TAKEN;
	msgpack_cursor_check(cursor);
	return STEP_MISSING;
}

/* The value at a spot, all of it in memory. */
static void
load(mpk_cursor *cursor, const mpk_spot *spot, msgpack_item *item)
{
	const uint8 *end;

	item->form = MSGPACK_ITEM_VALUE;
	if (cursor->fetch == NULL && (cursor->flags & MPK_HAS_INDEX) == 0)
	{
		/* no offset that was stored led here */
		mpk_read(cursor->bytes + spot->place, &item->value);
		return;
	}
	if (mpk_spot_read(cursor, spot, &item->value) && mpk_is_container(item->value.kind) &&
		mpk_spot_bytes(cursor, spot, &item->value.start, &end))
		mpk_read(item->value.start, &item->value);
	msgpack_cursor_check(cursor);
}

static msgpack_path_result
fail_missing_key(msgpack_walk *walk, const msgpack_node *node)
{
	msgpack_item name;
	size_t		length;

	if (walk->lenient)
		return MSGPACK_PATH_NONE;
	msgpack_item_set_string(&name, node->step.key.body, node->step.key.length);
	MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_SQL_JSON_MEMBER_NOT_FOUND),
					  errmsg("object does not contain key \"%s\"",
							 msgpack_item_cstring(&name, &length)));
}

static msgpack_path_result
fail_out_of_bounds(msgpack_walk *walk)
{
	if (walk->lenient)
		return MSGPACK_PATH_NONE;
	MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_INVALID_SQL_JSON_SUBSCRIPT),
					  errmsg("jsonpath array subscript is out of bounds"));
}

msgpack_path_result
msgpack_path_root(msgpack_walk *walk, const msgpack_node *node,
				  const msgpack_item *item pg_attribute_unused(), msgpack_items *found,
				  bool unwrap pg_attribute_unused())
{
	msgpack_path_base base = walk->base;
	mpk_spot	spot = walk->root;
	msgpack_path_result result;
	msgpack_item value;

	for (; node->next != NULL && node->next->is_step; node = node->next)
	{
		step_result step = take_step(walk->cursor, &spot, node->next);

		if (step == STEP_MISSING)
			return node->next->type == jpiKey ? fail_missing_key(walk, node->next)
				: fail_out_of_bounds(walk);
		if (step == STEP_OTHER)
			break;
	}
	if (node->next == NULL && found == NULL)
		return MSGPACK_PATH_OK;
	load(walk->cursor, &spot, &value);
	walk->base.start = value.value.start - (spot.place - walk->cursor->payload);
	walk->base.id = 0;
	result = msgpack_path_next(walk, node, &value, found);
	walk->base = base;
	return result;
}

/* --- accessors --- */

msgpack_path_result
msgpack_path_current(msgpack_walk *walk, const msgpack_node *node,
					 const msgpack_item *item pg_attribute_unused(), msgpack_items *found,
					 bool unwrap pg_attribute_unused())
{
	return msgpack_path_next(walk, node, walk->current, found);
}

/*
 * The value under a key in a map that lies in memory whole, or NULL.  Short
 * str keys, which most are, are told by their bytes; the key rule is needed
 * only where other keys are.
 */
static const uint8 *
find_value(msgpack_walk *walk, const mpk_value *map, const mpk_step *step)
{
	const uint8 *p = map->body;
	uint32		length = step->key.length;
	bool		is_short = length > 0 && length < 32;
	uint8		head = MPK_FIXSTR | (length & 0x1f);
	uint8		last = is_short ? step->key.body[length - 1] : 0;
	bool		others = !is_short;
	mpk_pair	pair;

	walk->trail.map = map->start;
	for (uint32 i = 0; i < map->length; i++)
	{
		const uint8 *key = p;

		others |= !mpk_is_short_str(*key);
		p = pass_value(p);
		/* the last byte tells most keys of one length apart */
		if (*key == head && is_short && key[length] == last &&
			memcmp(key + 1, step->key.body, length) == 0)
		{
			walk->trail.reached = p;
			walk->trail.left = ((uint64) map->length - i) * 2 - 1;
			return p;
		}
		p = pass_value(p);
	}
	walk->trail.reached = p;
	walk->trail.left = 0;
	if (others && mpk_map_find(map->start, p, 0, step, &pair))
		return pair.value;
	return NULL;
}

msgpack_path_result
msgpack_path_key(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
				 msgpack_items *found, bool unwrap pg_attribute_unused())
{
	const uint8 *p;
	msgpack_item value;

	if (msgpack_item_is(item, MPK_MAP))
	{
		p = find_value(walk, &item->value, &node->step);
		if (p == NULL)
			return fail_missing_key(walk, node);
		value.form = MSGPACK_ITEM_VALUE;
		mpk_read(p, &value.value);
		return msgpack_path_next(walk, node, &value, found);
	}
	if (walk->lenient)
		return MSGPACK_PATH_NONE;
	MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_SQL_JSON_MEMBER_NOT_FOUND),
					  errmsg("jsonpath member accessor can only be applied to an object"));
}

msgpack_path_result
msgpack_path_any_key(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
					 msgpack_items *found, bool unwrap pg_attribute_unused())
{
	if (msgpack_item_is(item, MPK_MAP))
		return run_entries(walk, node->next, item, found, walk->lax);
	if (walk->lenient)
		return MSGPACK_PATH_NONE;
	MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_SQL_JSON_OBJECT_NOT_FOUND),
					  errmsg("jsonpath wildcard member accessor can only be applied to an object"));
}

msgpack_path_result
msgpack_path_any_array(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
					   msgpack_items *found, bool unwrap pg_attribute_unused())
{
	if (msgpack_item_is(item, MPK_ARRAY))
		return run_entries(walk, node->next, item, found, walk->lax);
	if (walk->lax)
		return msgpack_path_next(walk, node, item, found);
	if (walk->lenient)
		return MSGPACK_PATH_NONE;
	MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_SQL_JSON_ARRAY_NOT_FOUND),
					  errmsg("jsonpath wildcard array accessor can only be applied to an array"));
}

msgpack_path_result
msgpack_path_any(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
				 msgpack_items *found, bool unwrap pg_attribute_unused())
{
	entries_walk entries = {node->next, found, node->first, node->last, true, walk->lax};
	msgpack_path_result result = MSGPACK_PATH_NONE;
	const uint8 *end;

	if (node->first == 0)
	{
		bool		lenient = walk->lenient;

		walk->lenient = true;
		result = msgpack_path_next(walk, node, item, found);
		walk->lenient = lenient;
		if (result == MSGPACK_PATH_OK && found == NULL)
			return result;
	}
	/* what is below decides, even where nothing of it is asked for */
	if (item->form == MSGPACK_ITEM_VALUE && mpk_is_container(item->value.kind))
		result = node->last == 0 ? MSGPACK_PATH_NONE
			: visit_entries(walk, &entries, &item->value, 1, &end);
	return result;
}

/* --- subscripts --- */

/* The integer that a subscript's expression gives, truncated. */
static msgpack_path_result
find_index(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item, int32 *index)
{
	msgpack_items found;
	int64		integer;
	bool		failed = false;

	if (msgpack_path_operand(walk, node, item, false, &found) == MSGPACK_PATH_ERROR)
		return MSGPACK_PATH_ERROR;
	if (found.count != 1 || !msgpack_item_is_number(&found.items[0]))
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_INVALID_SQL_JSON_SUBSCRIPT),
						  errmsg("jsonpath array subscript is not a single numeric value"));
	if (msgpack_item_integer(&found.items[0], &integer))
	{
		*index = (int32) integer;
		failed = *index != integer;
	}
	else
	{
		Numeric		number = msgpack_item_numeric(&found.items[0]);
		Datum		whole = DirectFunctionCall2(numeric_trunc, NumericGetDatum(number),
												Int32GetDatum(0));

		*index = msgpack_numeric_to_int4(DatumGetNumeric(whole), &failed);
	}
	if (failed)
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_INVALID_SQL_JSON_SUBSCRIPT),
						  errmsg("jsonpath array subscript is out of integer range"));
	return MSGPACK_PATH_OK;
}

/* Hand on the elements of one subscript, first to last; what is no array is its own element. */
static msgpack_path_result
run_range(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
		  msgpack_items *found, int64 first, int64 last)
{
	msgpack_path_result result = MSGPACK_PATH_NONE;
	const uint8 *p = item->value.body;
	msgpack_item element;

	if (first > last)
		return result;
	if (!msgpack_item_is(item, MPK_ARRAY))
		return msgpack_path_next(walk, node, item, found);
	for (int64 i = 0; i < first; i++)
		p = pass_value(p);
	element.form = MSGPACK_ITEM_VALUE;
	for (int64 i = first; i <= last; i++)
	{
		mpk_read(p, &element.value);
		result = msgpack_path_next(walk, node, &element, found);
		if (is_final(result, found))
			break;
		p = pass_entry(walk, p);
	}
	return result;
}

static msgpack_path_result
run_subscript(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
			  msgpack_items *found, const msgpack_subscript *subscript)
{
	int64		size = walk->array_size;
	int32		first;
	int32		last;

	if (find_index(walk, subscript->from, item, &first) == MSGPACK_PATH_ERROR)
		return MSGPACK_PATH_ERROR;
	last = first;
	if (subscript->to != NULL &&
		find_index(walk, subscript->to, item, &last) == MSGPACK_PATH_ERROR)
		return MSGPACK_PATH_ERROR;
	if ((first < 0 || first > last || last >= size) && !walk->lenient)
		return fail_out_of_bounds(walk);
	return run_range(walk, node, item, found, Max(first, 0), Min(last, size - 1));
}

msgpack_path_result
msgpack_path_subscripts(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
						msgpack_items *found, bool unwrap pg_attribute_unused())
{
	bool		is_array = msgpack_item_is(item, MPK_ARRAY);
	int64		outer_size = walk->array_size;
	msgpack_path_result result = MSGPACK_PATH_NONE;

	if (!is_array && !walk->lax)
	{
		if (walk->lenient)
			return MSGPACK_PATH_NONE;
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_SQL_JSON_ARRAY_NOT_FOUND),
						  errmsg("jsonpath array accessor can only be applied to an array"));
	}
	for (int i = 0; i < node->subscript_count && !is_final(result, found); i++)
	{
		walk->array_size = is_array ? item->value.length : 1;
		result = run_subscript(walk, node, item, found, &node->subscripts[i]);
		walk->array_size = outer_size;
	}
	return result;
}

msgpack_path_result
msgpack_path_last(msgpack_walk *walk, const msgpack_node *node,
				  const msgpack_item *item pg_attribute_unused(), msgpack_items *found,
				  bool unwrap pg_attribute_unused())
{
	msgpack_item last;

	if (walk->array_size < 0)
		elog(ERROR, "evaluating jsonpath LAST outside of array subscript");
	msgpack_item_set_integer(&last, walk->array_size - 1);
	return msgpack_path_next(walk, node, &last, found);
}

/* --- filters, literals, variables --- */

msgpack_path_result
msgpack_path_filter(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
					msgpack_items *found, bool unwrap pg_attribute_unused())
{
	const msgpack_item *outer = walk->current;
	msgpack_path_bool passes;

	walk->current = item;
	passes = msgpack_path_predicate(walk, node->left, item);
	walk->current = outer;
	if (passes != MSGPACK_PATH_TRUE)
		return MSGPACK_PATH_NONE;
	return msgpack_path_next(walk, node, item, found);
}

msgpack_path_result
msgpack_path_literal(msgpack_walk *walk, const msgpack_node *node,
					 const msgpack_item *item pg_attribute_unused(), msgpack_items *found,
					 bool unwrap pg_attribute_unused())
{
	return msgpack_path_next(walk, node, &node->literal, found);
}

/* A variable that is missing is no error that jsonpath can suppress. */
static const uint8 *
find_variable(msgpack_walk *walk, const msgpack_node *node)
{
	const uint8 *p = NULL;
	msgpack_item name;
	size_t		length;
	mpk_value	vars;

	if (walk->vars != NULL)
	{
		mpk_read(walk->vars->payload, &vars);
		p = find_value(walk, &vars, &node->step);
	}
	if (p == NULL)
	{
		msgpack_item_set_string(&name, node->step.key.body, node->step.key.length);
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("could not find jsonpath variable \"%s\"",
						msgpack_item_cstring(&name, &length))));
	}
	return p;
}

msgpack_path_result
msgpack_path_variable(msgpack_walk *walk, const msgpack_node *node,
					  const msgpack_item *item pg_attribute_unused(), msgpack_items *found,
					  bool unwrap pg_attribute_unused())
{
	const uint8 *p = find_variable(walk, node);
	msgpack_path_base base = walk->base;
	msgpack_path_result result;
	msgpack_item value;

	value.form = MSGPACK_ITEM_VALUE;
	mpk_read(p, &value.value);
	walk->base.start = walk->vars->payload;
	walk->base.id = 1;
	result = msgpack_path_next(walk, node, &value, found);
	walk->base = base;
	return result;
}

/* --- the walk --- */

msgpack_path_result
msgpack_path_walk(msgpack_walk *walk, const msgpack_jsonpath *path, msgpack_items *found)
{
	msgpack_item nothing;
	msgpack_items all;
	msgpack_path_result result;

	/* a path begins with $, a variable or a literal, so no node looks at this */
	msgpack_item_set_nil(&nothing);
	walk->current = &nothing;
	walk->base.start = NULL;
	walk->base.id = 0;
	walk->trail.map = NULL;
	walk->next_base = walk->vars != NULL ? 2 : 1;
	walk->array_size = -1;
	walk->lax = walk->lenient = path->lax;
	if (!mpk_spot_root(walk->cursor, &walk->root))
		msgpack_cursor_check(walk->cursor);
	if (path->lax || found != NULL)
		return msgpack_path_run(walk, path->root, &nothing, found, path->lax);

	/* strict: an error anywhere is the answer, so all must be seen */
	msgpack_items_init(&all);
	result = msgpack_path_run(walk, path->root, &nothing, &all, false);
	if (result != MSGPACK_PATH_ERROR)
		result = all.count > 0 ? MSGPACK_PATH_OK : MSGPACK_PATH_NONE;
	msgpack_items_free(&all);
	return result;
}
