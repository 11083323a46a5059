/*
 * model.c
 *		The naive model: values taken apart, compared, walked, edited and put together again.
 *
 * Recursive and slow, and as plain as can be: what it says is what the
 * documented rules say.
 */
#include "fuzz.h"

#include <math.h>

/* ----------
 * Values
 * ----------
 */

fuzz_node *
fuzz_take_apart(const uint8 *p, bool distinct)
{
	fuzz_node  *node = palloc0(sizeof(fuzz_node));
	uint32		count;

	node->end = mpk_read(p, &node->value);
	if (!mpk_is_container(node->value.kind))
		return node;
	count = fuzz_items(&node->value);
	node->items = palloc(count * sizeof(fuzz_node *));
	for (uint32 i = 0; i < count; i++)
	{
		bool		is_value = node->value.kind != MPK_MAP || i % 2 == 1;
		fuzz_node  *item = fuzz_take_apart(node->end, distinct || !is_value);
		int			place = -1;

		node->end = item->end;
		/* the key before it was put in last */
		if (is_value && distinct && node->value.kind == MPK_MAP)
		{
			node->count--;
			place = fuzz_find(node, node->items[node->count]);
			node->count++;
		}
		if (place < 0)
			node->items[node->count++] = item;
		else
		{
			node->items[place] = item;
			node->count--;
		}
	}
	return node;
}

static long double
number_of(const mpk_value *value)
{
	return value->kind == MPK_UINT ? (long double) value->as.u64 :
		value->kind == MPK_INT ? (long double) value->as.i64 : (long double) mpk_float_value(value);
}

static bool
equal_maps(const fuzz_node *a, const fuzz_node *b)
{
	for (uint32 i = 0; i < a->count; i += 2)
	{
		int			place = fuzz_find(b, a->items[i]);

		if (place < 0 || !fuzz_equal(a->items[i + 1], b->items[place]))
			return false;
	}
	return true;
}

bool
fuzz_equal(const fuzz_node *a, const fuzz_node *b)
{
	const mpk_value *v = &a->value;
	const mpk_value *w = &b->value;

	if (mpk_is_number(v->kind) && mpk_is_number(w->kind))
		return number_of(v) == number_of(w) || (isnan(number_of(v)) && isnan(number_of(w)));
	if (v->kind != w->kind || a->count != b->count)
		return false;
	switch (v->kind)
	{
		case MPK_NIL:
			return true;
		case MPK_BOOLEAN:
			return v->as.boolean == w->as.boolean;
		case MPK_TIMESTAMP:
			return v->as.timestamp.seconds == w->as.timestamp.seconds &&
				v->as.timestamp.nanoseconds == w->as.timestamp.nanoseconds;
		case MPK_MAP:
			return equal_maps(a, b);
		case MPK_ARRAY:
			for (uint32 i = 0; i < a->count; i++)
				if (!fuzz_equal(a->items[i], b->items[i]))
					return false;
			return true;
		default:
			return v->length == w->length && (v->kind != MPK_EXT || v->ext_code == w->ext_code) &&
				memcmp(v->body, w->body, v->length) == 0;
	}
}

int
fuzz_find(const fuzz_node *map, const fuzz_node *key)
{
	for (int i = (int) map->count - 2; i >= 0; i -= 2)
	{
		if (fuzz_equal(map->items[i], key))
			return i + 1;
	}
	return -1;
}

/* ----------
 * Steps
 * ----------
 */

/* A text that is the key's, or that an index would be. */
static mpk_step
text_step(fuzz_input *in, mpk_step_kind kind, const fuzz_node *key)
{
	mpk_step	step;
	char		digits[32];
	const uint8 *s = in->p;
	size_t		length = fuzz_below(in, 8);

	if (key != NULL && (key->value.kind == MPK_STR || key->value.kind == MPK_BIN))
	{
		s = key->value.body;
		length = key->value.length;
	}
	else if (key != NULL && mpk_is_number(key->value.kind))
	{
		length = snprintf(digits, sizeof(digits), key->value.kind == MPK_INT ? INT64_FORMAT :
						  UINT64_FORMAT, key->value.as.u64);
		s = (uint8 *) digits;
	}
	else
	{
		s = in->p;
		length = Min(length, (size_t) (in->end - in->p));
		in->p += length;
	}
	mpk_step_text(&step, kind, fuzz_copy(s, length), length);
	return step;
}

mpk_step
fuzz_step(fuzz_input *in, const fuzz_node *node)
{
	uint8		choice = fuzz_byte(in);
	const fuzz_node *key = NULL;
	mpk_document document;
	mpk_step	step;

	if ((choice & 4) == 0 && node != NULL && node->value.kind == MPK_MAP && node->count > 0)
		key = node->items[fuzz_below(in, node->count / 2) * 2];
	switch ((mpk_step_kind) (choice & 3))
	{
		case MPK_STEP_NUMBER:
			mpk_step_number(&step, (int8) fuzz_byte(in));
			return step;
		case MPK_STEP_KEY:
			document = key != NULL ? fuzz_open(key->value.start, key->end - key->value.start) :
				fuzz_document(in);
			mpk_step_key(&step, &document);
			return step;
		default:
			return text_step(in, (mpk_step_kind) (choice & 3), key);
	}
}

/* The item that the step leads to in a map: a str, else a bin, else a number; or the key. */
static int
follow_map(const fuzz_node *map, const mpk_step *step)
{
	bool		is_text = step->kind == MPK_STEP_FIELD || step->kind == MPK_STEP_PATH;
	fuzz_node  *key;
	fuzz_node	text = {.value = step->key};
	int			place;

	if (!is_text && mpk_is_container(step->key.kind))
	{
		key = fuzz_take_apart(step->key.start, true);
		return fuzz_find(map, key);
	}
	place = fuzz_find(map, &text);
	if (place >= 0 || !is_text)
		return place;
	text.value.kind = MPK_BIN;
	place = fuzz_find(map, &text);
	if (place >= 0 || !step->has_number)
		return place;
	text.value = step->number;
	return fuzz_find(map, &text);
}

int
fuzz_follow(const fuzz_node *node, const mpk_step *step)
{
	int64		index = step->index;

	if (node->value.kind == MPK_MAP)
		return follow_map(node, step);
	if (node->value.kind != MPK_ARRAY || !step->has_index)
		return -1;
	if (index < 0)
		index += node->count;
	return index >= 0 && index < node->count ? (int) index : -1;
}

mpk_step
fuzz_step_to(const fuzz_node *container, uint32 item)
{
	mpk_step	step;
	const fuzz_node *key = container->items[item];
	mpk_document document;

	if (container->value.kind == MPK_ARRAY)
		mpk_step_number(&step, (item & 1) != 0 ? (int64) item : (int64) item - container->count);
	else if (key->value.kind == MPK_STR && (item & 2) != 0)
		mpk_step_text(&step, MPK_STEP_FIELD, key->value.body, key->value.length);
	else
	{
		document = fuzz_open(key->value.start, key->end - key->value.start);
		mpk_step_key(&step, &document);
	}
	return step;
}

const fuzz_node *
fuzz_steps(fuzz_input *in, const fuzz_node *node, mpk_step *steps, int count)
{
	for (int i = 0; i < count; i++)
	{
		bool		stays;
		int			place;

		steps[i] = fuzz_step(in, node);
		if (node == NULL)
			continue;
		stays = !mpk_is_container(node->value.kind) && steps[i].kind == MPK_STEP_NUMBER &&
			(steps[i].index == 0 || steps[i].index == -1);
		place = fuzz_follow(node, &steps[i]);
		if (!stays)
			node = place < 0 ? NULL : node->items[place];
	}
	return node;
}

/* ----------
 * Containment
 * ----------
 */

bool
fuzz_contains(const fuzz_node *a, const fuzz_node *b)
{
	if (a->value.kind != b->value.kind || !mpk_is_container(a->value.kind))
		return fuzz_equal(a, b);
	for (uint32 i = 0; i < b->count; i++)
	{
		bool		found = false;

		if (b->value.kind == MPK_MAP)
		{
			int			place = fuzz_find(a, b->items[i++]);

			found = place >= 0 && fuzz_contains(a->items[place], b->items[i]);
		}
		for (uint32 j = 0; b->value.kind == MPK_ARRAY && j < a->count && !found; j++)
			found = fuzz_contains(a->items[j], b->items[i]);
		if (!found)
			return false;
	}
	return true;
}

bool
fuzz_contains_at_top(const fuzz_node *a, const fuzz_node *b)
{
	bool		found = fuzz_contains(a, b);

	for (uint32 i = 0; a->value.kind == MPK_ARRAY && b->value.kind < MPK_ARRAY && i < a->count; i++)
		found |= fuzz_equal(a->items[i], b);
	return found;
}

/* ----------
 * Edits
 * ----------
 */

fuzz_node *
fuzz_new(mpk_kind kind, uint32 room)
{
	fuzz_node  *node = palloc0(sizeof(fuzz_node));

	/* a head that counts so much is never taken for the old one */
	node->value.kind = kind;
	node->value.length = PG_UINT32_MAX;
	node->items = palloc(Max(room, 1) * sizeof(fuzz_node *));
	return node;
}

void
fuzz_add(fuzz_node *node, uint32 place, fuzz_node *item)
{
	fuzz_node **items = palloc((node->count + 1) * sizeof(fuzz_node *));

	memcpy(items, node->items, place * sizeof(fuzz_node *));
	items[place] = item;
	memcpy(items + place + 1, node->items + place, (node->count - place) * sizeof(fuzz_node *));
	node->items = items;
	node->count++;
}

void
fuzz_remove(fuzz_node *node, uint32 place)
{
	node->count--;
	memmove(node->items + place, node->items + place + 1,
			(node->count - place) * sizeof(fuzz_node *));
}

/* Containers keep their head while they count the same; all else keeps its bytes. */
static void
write_node(mpk_writer *writer, const fuzz_node *node)
{
	bool		is_map = node->value.kind == MPK_MAP;
	uint32		entries = is_map ? node->count / 2 : node->count;

	if (!mpk_is_container(node->value.kind))
		mpk_write_span(writer, node->value.start, node->end);
	else if (entries == node->value.length)
		mpk_write_span(writer, node->value.start, node->value.body);
	else
		(is_map ? mpk_write_map_head : mpk_write_array_head) (writer, entries);
	for (uint32 i = 0; i < node->count; i++)
	{
		/* keys are taken apart without what they repeat */
		if (is_map && i % 2 == 0)
			mpk_write_span(writer, node->items[i]->value.start, node->items[i]->end);
		else
			write_node(writer, node->items[i]);
	}
}

mpk_document
fuzz_put_together(const fuzz_node *node)
{
	mpk_writer	writer;

	mpk_writer_init(&writer, 16);
	write_node(&writer, node);
	return fuzz_written(&writer);
}

/* The key that a step makes, as a value of its own. */
static fuzz_node *
key_of(const mpk_step *step)
{
	mpk_writer	writer;

	if (step->key.start != NULL)
		return fuzz_take_apart(step->key.start, true);
	mpk_writer_init(&writer, 16);
	if (step->key.kind == MPK_STR)
		mpk_write_str(&writer, step->key.body, step->key.length);
	else if (step->key.kind == MPK_INT)
		mpk_write_int(&writer, step->key.as.i64);
	else
		mpk_write_uint(&writer, step->key.as.u64);
	return fuzz_take_apart(mpk_writer_data(&writer), true);
}

static fuzz_node *
nil(void)
{
	return fuzz_take_apart(fuzz_copy("\xc0", 1), false);
}

/* The value inside the containers that so many steps call for. */
static fuzz_node *
chain(const mpk_step *steps, int count, fuzz_node *value)
{
	fuzz_node  *node;

	if (count == 0)
		return value;
	node = fuzz_new(steps->has_index ? MPK_ARRAY : MPK_MAP, 0);
	if (!steps->has_index)
		fuzz_add(node, 0, key_of(steps));
	for (int64 i = 0; steps->has_index && i < steps->index; i++)
		fuzz_add(node, (uint32) i, nil());
	fuzz_add(node, node->count, chain(steps + 1, count - 1, value));
	return node;
}

static mpk_edit_result
edit_found(fuzz_node *node, int place, const mpk_edit *edit, fuzz_node *value)
{
	bool		is_map = node->value.kind == MPK_MAP;
	bool		inserts = edit->kind == MPK_EDIT_INSERT_BEFORE || edit->kind == MPK_EDIT_INSERT_AFTER;
	const fuzz_node *key = is_map ? node->items[place - 1] : NULL;

	if (inserts && is_map)
		return MPK_EDIT_KEY_EXISTS;
	if (inserts)
		fuzz_add(node, place + (edit->kind == MPK_EDIT_INSERT_AFTER), value);
	else if (edit->kind != MPK_EDIT_DELETE)
		node->items[place] = value;
	else if (!is_map)
		fuzz_remove(node, place);
	else
	{
		while ((place = fuzz_find(node, key)) >= 0)
		{
			fuzz_remove(node, place);
			fuzz_remove(node, place - 1);
		}
	}
	return MPK_EDITED;
}

/* There is nothing at the step; -1 as the index is before the first element. */
static mpk_edit_result
edit_missing(fuzz_node *node, int64 index, const mpk_step *steps, int count, const mpk_edit *edit,
			 fuzz_node *value)
{
	uint32		nils = 0;

	if (edit->kind == MPK_EDIT_REPLACE || edit->kind == MPK_EDIT_DELETE ||
		(count > 1 && edit->kind != MPK_EDIT_ASSIGN))
		return MPK_EDIT_UNCHANGED;
	value = chain(steps + 1, count - 1, value);
	if (node->value.kind == MPK_MAP)
		fuzz_add(node, node->count, key_of(steps));
	else if (edit->kind == MPK_EDIT_ASSIGN)
		nils = (uint32) (index - node->count);
	while (nils-- > 0)
		fuzz_add(node, node->count, nil());
	fuzz_add(node, index < 0 ? 0 : node->count, value);
	return MPK_EDITED;
}

static mpk_edit_result
edit_node(fuzz_node *node, const mpk_step *steps, int count, const mpk_edit *edit,
		  fuzz_node *value)
{
	int			place = fuzz_follow(node, steps);
	int64		index = 0;

	if (!mpk_is_container(node->value.kind))
		return edit->kind == MPK_EDIT_ASSIGN ? MPK_EDIT_SCALAR : MPK_EDIT_UNCHANGED;
	if (node->value.kind == MPK_ARRAY)
	{
		if (!steps->has_index)
			return steps->kind == MPK_STEP_KEY ? MPK_EDIT_UNCHANGED : MPK_EDIT_NO_INDEX;
		index = steps->index < 0 ? steps->index + node->count : steps->index;
		if (index < 0 && edit->kind == MPK_EDIT_ASSIGN)
			return MPK_EDIT_OUT_OF_RANGE;
	}
	if (place < 0)
		return edit_missing(node, index, steps, count, edit, value);
	if (count == 1)
		return edit_found(node, place, edit, value);
	return edit_node(node->items[place], steps + 1, count - 1, edit, value);
}

mpk_edit_result
fuzz_edit(fuzz_node *node, const mpk_edit *edit, fuzz_node *value)
{
	mpk_edit_result result = edit_node(node, edit->steps, edit->count, edit, value);

	return result == MPK_EDITED && fuzz_depth(node) > MPK_MAX_DEPTH ? MPK_EDIT_TOO_DEEP : result;
}

/* ----------
 * Two documents brought together
 * ----------
 */

/* The map with the other's pairs, the last of equal keys counting, at the first one's place. */
static void
add_pairs(fuzz_node *map, const fuzz_node *other)
{
	for (uint32 i = 0; i < other->count; i += 2)
	{
		int			place = fuzz_find(map, other->items[i]);

		if (place >= 0)
			map->items[place] = other->items[i + 1];
		else
		{
			fuzz_add(map, map->count, other->items[i]);
			fuzz_add(map, map->count, other->items[i + 1]);
		}
	}
}

static void
add_elements(fuzz_node *array, fuzz_node *other)
{
	if (other->value.kind != MPK_ARRAY)
		fuzz_add(array, array->count, other);
	else
		for (uint32 i = 0; i < other->count; i++)
			fuzz_add(array, array->count, other->items[i]);
}

fuzz_node *
fuzz_concat(fuzz_node *a, fuzz_node *b)
{
	fuzz_node  *node;

	if (a->value.kind == MPK_MAP && b->value.kind == MPK_MAP)
	{
		add_pairs(a, b);
		return a;
	}
	node = fuzz_new(MPK_ARRAY, 0);
	add_elements(node, a);
	add_elements(node, b);
	return node;
}

/* RFC 7396, with target NULL where there is none. */
fuzz_node *
fuzz_merge(fuzz_node *target, fuzz_node *patch)
{
	if (patch->value.kind != MPK_MAP)
		return patch;
	if (target == NULL || target->value.kind != MPK_MAP)
		target = fuzz_new(MPK_MAP, 0);
	for (uint32 i = 0; i < patch->count; i += 2)
	{
		int			place = fuzz_find(target, patch->items[i]);
		fuzz_node  *value = patch->items[i + 1];

		if (value->value.kind != MPK_NIL)
		{
			if (place >= 0)
				target->items[place] = fuzz_merge(target->items[place], value);
			else
			{
				fuzz_add(target, target->count, patch->items[i]);
				fuzz_add(target, target->count, fuzz_merge(NULL, value));
			}
		}
		else if (place >= 0)
		{
			fuzz_remove(target, place);
			fuzz_remove(target, place - 1);
		}
	}
	return target;
}

bool
fuzz_strip(fuzz_node *node, bool in_arrays)
{
	bool		is_map = node->value.kind == MPK_MAP;
	bool		stripped = false;

	for (int i = (int) node->count - 1; i >= 0; i -= is_map ? 2 : 1)
	{
		if (node->items[i]->value.kind != MPK_NIL || !(is_map || in_arrays))
			stripped |= fuzz_strip(node->items[i], in_arrays);
		else
		{
			stripped = true;
			fuzz_remove(node, i);
			if (is_map)
				fuzz_remove(node, i - 1);
		}
	}
	return stripped;
}

int
fuzz_depth(const fuzz_node *node)
{
	int			deepest = 0;

	for (uint32 i = 0; i < node->count; i++)
	{
		int			depth = fuzz_depth(node->items[i]);

		deepest = Max(deepest, depth);
	}
	return deepest + mpk_is_container(node->value.kind);
}
