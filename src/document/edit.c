/*
 * edit.c
 *		Changing a document at the end of a path.
 *
 * The walk down the path ends in a container and decides what happens there: a
 * splice, which says what goes, what comes in its place and how many entries
 * the container has afterwards.  Then the result is written in one go.
 *
 * The walk passes the values in front and does not ask the offset index, which
 * could be damaged: a wrong answer to a reader is one thing, a document cut in
 * the middle of a value and stored another.
 */
#include "document/edit.h"

#include "document/nest.h"

/* How often a long scan looks for a query cancel: once per so many entries, less one (a mask). */
#define INTERRUPT_MASK		0xffff

/* What is to be done, and where. */
typedef struct splice
{
	mpk_value	container;		/* that the change is in */
	uint32		count;			/* its entries afterwards */
	const uint8 *start;			/* what goes: nothing when start is end */
	const uint8 *end;
	const mpk_value *key;		/* comes first: a new pair's key, or NULL */
	uint64		nils;			/* then so many nils, to fill a gap */
	const mpk_step *chain;		/* then containers for these steps, one in the other */
	int			chain_length;
	bool		has_value;		/* then the value */
	const uint8 *repeated_key;	/* or: all pairs with this key go, and nothing comes */
} splice;

/* A walk down a path. */
typedef struct walk
{
	const mpk_document *document;
	mpk_edit   *edit;
	int			level;
	uint32	   *path;			/* places of the containers; NULL without an index */
	splice		splice;
} walk;

static inline bool
is_last(const walk *w)
{
	return w->level == w->edit->count - 1;
}

/* Does the edit make what its path does not find? */
static inline bool
creates(const walk *w)
{
	return w->edit->kind != MPK_EDIT_REPLACE && w->edit->kind != MPK_EDIT_DELETE;
}

static inline const uint8 *
document_end(const walk *w)
{
	return w->document->payload + w->document->length;
}

static inline const mpk_step *
current_step(const walk *w)
{
	return &w->edit->steps[w->level];
}

/* ----------
 * What to do in the container at hand
 * ----------
 */

/* Put the value, and what leads to it from here, in at "at", as one more entry. */
static mpk_edit_result
insert(walk *w, const uint8 *at, uint64 nils)
{
	splice	   *s = &w->splice;

	s->start = s->end = at;
	s->nils = nils;
	s->chain = w->edit->steps + w->level + 1;
	s->chain_length = w->edit->count - w->level - 1;
	s->has_value = true;
	/* a count that is too large for its 32 bits goes with a result that is too large */
	s->count = s->container.length + (uint32) nils + 1;
	return MPK_EDITED;
}

static mpk_edit_result
replace(walk *w, const uint8 *value)
{
	splice	   *s = &w->splice;

	s->start = value;
	s->end = mpk_skip(value);
	s->has_value = true;
	s->count = s->container.length;
	return MPK_EDITED;
}

/* Take out an entry: an element, or a key and its value. */
static mpk_edit_result
take_out(walk *w, const uint8 *start, const uint8 *value)
{
	splice	   *s = &w->splice;

	s->start = start;
	s->end = mpk_skip(value);
	s->count = s->container.length - 1;
	return MPK_EDITED;
}

/* The path ends at this element. */
static mpk_edit_result
change_element(walk *w, const uint8 *element)
{
	switch (w->edit->kind)
	{
		case MPK_EDIT_DELETE:
			return take_out(w, element, element);
		case MPK_EDIT_INSERT_BEFORE:
			return insert(w, element, 0);
		case MPK_EDIT_INSERT_AFTER:
			return insert(w, mpk_skip(element), 0);
		default:
			return replace(w, element);
	}
}

/* The path ends at this pair. */
static mpk_edit_result
change_pair(walk *w, const mpk_pair *pair)
{
	switch (w->edit->kind)
	{
		case MPK_EDIT_DELETE:
			/* what counts goes, and what would then count with it */
			if (w->document->flags & MPK_REPEATED_KEYS)
				w->splice.repeated_key = pair->key;
			return take_out(w, pair->key, pair->value);
		case MPK_EDIT_INSERT_BEFORE:
		case MPK_EDIT_INSERT_AFTER:
			return MPK_EDIT_KEY_EXISTS;
		default:
			return replace(w, pair->value);
	}
}

/* ----------
 * Walking
 * ----------
 */

/* The index that stands for any before the first element. */
#define BEFORE_FIRST	(-1)

static mpk_edit_result
element_index(const walk *w, uint32 count, int64 *index)
{
	const mpk_step *step = current_step(w);

	if (!step->has_index)
		return step->kind == MPK_STEP_KEY ? MPK_EDIT_UNCHANGED : MPK_EDIT_NO_INDEX;
	*index = step->index;
	if (*index >= 0)
		return MPK_EDITED;
	*index += count;
	if (*index >= 0)
		return MPK_EDITED;
	*index = BEFORE_FIRST;
	return w->edit->kind == MPK_EDIT_ASSIGN ? MPK_EDIT_OUT_OF_RANGE : MPK_EDITED;
}

/* The byte after the container at hand. */
static const uint8 *
container_end(const walk *w)
{
	const uint8 *container = w->splice.container.start;

	return container == w->document->payload ? document_end(w) : mpk_skip(container);
}

/* There is no element at the index. */
static mpk_edit_result
add_element(walk *w, int64 index)
{
	const mpk_value *array = &w->splice.container;
	bool		assign = w->edit->kind == MPK_EDIT_ASSIGN;

	if (!creates(w) || !(is_last(w) || assign))
		return MPK_EDIT_UNCHANGED;
	if (index == BEFORE_FIRST)
		return insert(w, array->body, 0);
	return insert(w, container_end(w), assign ? (uint64) index - array->length : 0);
}

/* The element of this number, which there is. */
static const uint8 *
find_element(const walk *w, uint32 index)
{
	const uint8 *element = w->splice.container.body;

	for (uint32 i = 0; i < index; i++)
	{
		element = mpk_skip(element);
		MPK_CHECK_FOR_INTERRUPTS();
	}
	return element;
}

/* Go into an array.  Sets *next to go on with, or to NULL when the edit is settled. */
static mpk_edit_result
walk_array(walk *w, const uint8 **next)
{
	const mpk_value *array = &w->splice.container;
	const uint8 *element;
	int64		index;
	mpk_edit_result result = element_index(w, array->length, &index);

	*next = NULL;
	if (result != MPK_EDITED)
		return result;
	if (index < 0 || index >= (int64) array->length)
		return add_element(w, index);
	element = find_element(w, (uint32) index);
	if (is_last(w))
		return change_element(w, element);
	*next = element;
	return MPK_EDITED;
}

/*
 * The pair of a short text, in a map all of whose keys so far are short str.
 * Returns 1 when it is found, 0 when it is not there, and -1 when that remains
 * to be asked of mpk_map_find.
 */
static int
find_short_text(const mpk_value *map, const mpk_step *step, mpk_pair *pair)
{
	const uint8 *text = step->key.body;
	uint32		length = step->key.length;
	uint8		head = (uint8) (MPK_FIXSTR | length);
	const uint8 *p = map->body;
	uint64		none = 0;		/* what scalars hold */

	if ((step->kind != MPK_STEP_FIELD && step->kind != MPK_STEP_PATH) || length > 0x1f)
		return -1;
	for (uint32 i = 0; i < map->length; i++)
	{
		const uint8 *key = p;

		if (!mpk_is_fixstr(*key))
			return -1;
		p += 1 + (*key & 0x1f);
		if (*key == head && memcmp(key + 1, text, length) == 0)
		{
			pair->key = key;
			pair->value = p;
			return 1;
		}
		p = mpk_begins_container(*p) ? mpk_skip(p) : mpk_skip_one(p, &none);
		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			MPK_CHECK_FOR_INTERRUPTS();
	}
	return 0;
}

/* The pair that the step leads to. */
static bool
find_pair(const walk *w, mpk_pair *pair)
{
	const mpk_value *map = &w->splice.container;
	int			found = -1;

	/* of keys that repeat the last counts */
	if ((w->document->flags & MPK_REPEATED_KEYS) == 0)
		found = find_short_text(map, current_step(w), pair);
	if (found >= 0)
		return found > 0;
	return mpk_map_find(map->start, document_end(w), w->document->flags, current_step(w), pair);
}

static mpk_edit_result
walk_map(walk *w, const uint8 **next)
{
	const mpk_step *step = current_step(w);
	mpk_pair	pair;

	*next = NULL;
	if (find_pair(w, &pair))
	{
		if (is_last(w))
			return change_pair(w, &pair);
		*next = pair.value;
		return MPK_EDITED;
	}
	if (!creates(w) || !(is_last(w) || w->edit->kind == MPK_EDIT_ASSIGN))
		return MPK_EDIT_UNCHANGED;
	w->splice.key = &step->key;
	return insert(w, container_end(w), 0);
}

/* Walk to where the change is; w->splice tells it. */
static mpk_edit_result
walk_path(walk *w)
{
	const uint8 *p = w->document->payload;

	for (w->level = 0;; w->level++)
	{
		mpk_edit_result result;

		MPK_CHECK_FOR_INTERRUPTS();
		if (w->level == w->edit->null_level)
			return MPK_EDIT_NULL_STEP;
		mpk_read(p, &w->splice.container);
		if (!mpk_is_container(w->splice.container.kind))
			return w->edit->kind == MPK_EDIT_ASSIGN ? MPK_EDIT_SCALAR : MPK_EDIT_UNCHANGED;
		/* of containers alone there are no more than there is room for */
		if (w->path != NULL)
			w->path[w->level] = (uint32) (p - w->document->payload);
		if (w->splice.container.kind == MPK_ARRAY)
			result = walk_array(w, &p);
		else
			result = walk_map(w, &p);
		if (p == NULL || result != MPK_EDITED)
			return result;
	}
}

/* ----------
 * Writing
 * ----------
 */

/* A step's key, of the step's own type. */
static void
write_key(mpk_writer *writer, const mpk_value *key)
{
	if (key->start != NULL)
		mpk_write_span(writer, key->start, mpk_value_end(key));
	else if (key->kind == MPK_UINT)
		mpk_write_uint(writer, key->as.u64);
	else if (key->kind == MPK_INT)
		mpk_write_int(writer, key->as.i64);
	else
		mpk_write_str(writer, key->body, key->length);
}

static void
write_nils(mpk_writer *writer, uint64 count)
{
	uint8	   *p;

	if (count > MPK_MAX_PAYLOAD)
		count = MPK_MAX_PAYLOAD + 1;	/* too many, whatever size_t is */
	p = mpk_writer_reserve(writer, (size_t) count);
	if (writer->overflow)
		return;
	memset(p, MPK_BYTE_NIL, (size_t) count);
	mpk_writer_advance(writer, (size_t) count);
}

/* The containers that lead on to the value: an array where the step can be an index. */
static void
write_chain(mpk_writer *writer, const mpk_step *steps, int count)
{
	for (int i = 0; i < count; i++)
	{
		if (steps[i].has_index)
		{
			uint64		nils = steps[i].index > 0 ? (uint64) steps[i].index : 0;

			mpk_write_array_head(writer, (uint32) nils + 1);
			write_nils(writer, nils);
		}
		else
		{
			mpk_write_map_head(writer, 1);
			write_key(writer, &steps[i].key);
		}
	}
}

static void
write_head(mpk_writer *writer, const mpk_value *container, uint32 count)
{
	if (count == container->length)
		mpk_write_span(writer, container->start, container->body);
	else if (container->kind == MPK_MAP)
		mpk_write_map_head(writer, count);
	else
		mpk_write_array_head(writer, count);
}

/* The container, a map, without all pairs of one key. */
static void
write_without_key(mpk_writer *writer, const walk *w)
{
	const splice *s = &w->splice;
	mpk_document key = {.payload = s->repeated_key,.flags = w->document->flags};
	const uint8 *p = s->container.body;
	size_t		place = mpk_write_open(writer);
	uint32		count = 0;
	mpk_step	step;

	key.length = mpk_skip(key.payload) - key.payload;
	mpk_step_key(&step, &key);
	for (uint32 i = 0; i < s->container.length; i++)
	{
		const uint8 *next = mpk_skip(mpk_skip(p));

		MPK_CHECK_FOR_INTERRUPTS();
		if (mpk_step_match(&step, p, next, w->document->flags) == 0)
		{
			mpk_write_span(writer, p, next);
			count++;
		}
		p = next;
	}
	mpk_write_close_map(writer, place, count);
	mpk_write_span(writer, p, document_end(w));
}

static void
write_splice(mpk_writer *writer, const walk *w)
{
	const splice *s = &w->splice;

	mpk_write_span(writer, w->document->payload, s->container.start);
	if (s->repeated_key != NULL)
	{
		write_without_key(writer, w);
		return;
	}
	write_head(writer, &s->container, s->count);
	mpk_write_span(writer, s->container.body, s->start);
	if (s->key != NULL)
		write_key(writer, s->key);
	write_nils(writer, s->nils);
	write_chain(writer, s->chain, s->chain_length);
	if (s->has_value)
		mpk_write_span(writer, w->edit->value->payload,
				   w->edit->value->payload + w->edit->value->length);
	mpk_write_span(writer, s->end, document_end(w));
}

/* May this stand below so many containers? */
static bool
fits_below(int depth, const uint8 *start, const uint8 *end)
{
	return depth <= MPK_MAX_DEPTH &&
		mpk_nests_within(start, end, (uint32) (MPK_MAX_DEPTH - depth));
}

static bool
key_fits_below(int depth, const mpk_value *key)
{
	return !mpk_is_container(key->kind) || fits_below(depth, key->start, mpk_value_end(key));
}

/* Is there room for what comes, keys and value, below the containers around it? */
static bool
addition_fits(const walk *w)
{
	const splice *s = &w->splice;
	const mpk_document *value = w->edit->value;
	int			depth = w->level + 1;

	if (!s->has_value)
		return true;
	if (s->key != NULL && !key_fits_below(depth, s->key))
		return false;
	for (int i = 0; i < s->chain_length; i++)
	{
		depth++;
		if (!s->chain[i].has_index && !key_fits_below(depth, &s->chain[i].key))
			return false;
	}
	return fits_below(depth, value->payload, value->payload + value->length);
}

/* Note the containers on the way where that helps to make the result's index. */
static void
begin_walk(walk *w)
{
	w->path = NULL;
	if ((w->document->flags & MPK_HAS_INDEX) != 0 && mpk_document_is_regular(w->document))
		w->path = palloc(Min(w->edit->count, MPK_MAX_DEPTH) * sizeof(uint32));
}

/* Bytes that the container's head grows by. */
static int
head_growth(const splice *s)
{
	int			old = (int) (s->container.body - s->container.start);

	if (s->count == s->container.length)
		return 0;
	return (s->container.kind == MPK_MAP ? mpk_sizeof_map_head(s->count)
			: mpk_sizeof_array_head(s->count)) - old;
}

/* Tell how the new payload, of so many bytes, came out of the old one. */
static void
describe_change(const walk *w, size_t length)
{
	const splice *s = &w->splice;
	mpk_index_change *change = &w->edit->change;
	const uint8 *payload = w->document->payload;

	change->old = w->document;
	change->path = w->path;
	change->depth = w->level + 1;
	change->start = (uint32) (s->start - payload);
	change->end = (uint32) (s->end - payload);
	change->length = (uint32) (length - (w->document->length - (s->end - s->start)) -
							   head_growth(s));
	change->is_value = s->container.kind == MPK_MAP && s->key == NULL && s->has_value;
}

mpk_edit_result
mpk_edit_path(mpk_writer *writer, const mpk_document *document, mpk_edit *edit)
{
	walk		w = {.document = document,.edit = edit};
	size_t		before = writer->length;
	mpk_edit_result result;

	begin_walk(&w);
	result = walk_path(&w);
	edit->level = w.level;
	if (result == MPK_EDITED && !addition_fits(&w))
		result = MPK_EDIT_TOO_DEEP;
	if (result == MPK_EDITED)
	{
		write_splice(writer, &w);
		describe_change(&w, writer->length - before);
	}
	return result;
}
