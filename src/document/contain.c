/*
 * contain.c
 *		Does one value contain another?
 *
 * A search goes down both values at once, with an explicit stack.  A level is
 * a container that is to contain another one ("wanted"); it takes the wanted
 * entries in turn, and goes a level deeper for each that is a container.
 */
#include "document/contain.h"

#include "codec/scalar.h"
#include "codec/sort.h"
#include "document/path.h"

/* How often a long loop looks for a query cancel: once per so many steps, less one (a mask). */
#define INTERRUPT_MASK	0xffff

/* An array is gathered for searching when more than so many entries are wanted of it. */
#define FEW_WANTED		4

/* A level of a map is looked up by way of the index from so many pairs on: such may have tables. */
#define MANY_PAIRS		16

typedef struct level
{
	mpk_spot	spot;			/* the container that is to contain */
	mpk_kind	kind;			/* of both containers */
	const uint8 *wanted;		/* the next entry that is wanted */
	uint32		left;			/* entries wanted, that one included */

	/* arrays */
	const uint8 *start;			/* the array that is to contain, and its end */
	const uint8 *end;
	uint32		count;			/* its elements */
	const uint8 *candidate;		/* for a container that is wanted: the next to try */
	uint32		candidate_number;
	uint32	   *scalars;		/* when gathered: places of scalars, sorted by value */
	uint32		scalar_count;
} level;

/* Levels that there is room for before memory is allocated. */
#define INLINE_LEVELS	8

typedef struct search
{
	mpk_cursor *cursor;
	unsigned	wanted_flags;	/* irregularities of the contained document */
	int			depth;
	int			room;
	level	   *levels;
	level		inline_levels[INLINE_LEVELS];
} search;

typedef enum outcome
{
	HOLDS,
	FAILS,
	DEEPER						/* a level was added, on which it depends */
} outcome;

static outcome
damaged(search *s)
{
	s->cursor->corrupt = true;
	return FAILS;
}

/* The head of an array in memory, and its first element. */
static const uint8 *
first_element(const uint8 *start)
{
	mpk_value	array;

	return mpk_read(start, &array);
}

static level *
new_level(search *s)
{
	if (unlikely(s->depth == s->room))
	{
		level	   *levels = palloc(s->room * 2 * sizeof(level));

		memcpy(levels, s->levels, s->room * sizeof(level));
		if (s->levels != s->inline_levels)
			pfree(s->levels);
		s->levels = levels;
		s->room *= 2;
	}
	return &s->levels[s->depth];
}

/* The container at the spot, of so many entries, is to contain the wanted one of the same kind. */
static outcome
go_deeper(search *s, const mpk_spot *spot, uint32 count, const mpk_value *wanted)
{
	level	   *lv;

	if (wanted->kind == MPK_MAP && wanted->length > count)
		return FAILS;
	lv = new_level(s);
	lv->spot = *spot;
	lv->kind = wanted->kind;
	lv->wanted = wanted->body;
	lv->left = wanted->length;
	lv->count = count;
	lv->scalars = NULL;
	if (wanted->kind == MPK_ARRAY)
	{
		if (!mpk_spot_bytes(s->cursor, spot, &lv->start, &lv->end))
			return FAILS;
		lv->candidate = first_element(lv->start);
		lv->candidate_number = 0;
	}
	s->depth++;
	return DEEPER;
}

static void
leave_level(level *lv)
{
	if (lv->scalars != NULL)
		pfree(lv->scalars);
}

/* --- maps --- */

/* The step to a wanted key; returns the byte after the key. */
static inline const uint8 *
step_to_key(const search *s, const uint8 *key, mpk_step *step)
{
	mpk_document document = {.payload = key, .flags = s->wanted_flags};
	const uint8 *end;

	if (likely(*key >= MPK_FIXSTR && *key < MPK_BYTE_NIL))
	{
		mpk_step_short_str(step, key);
		return key + 1 + (*key & MPK_MAX_FIXSTR);
	}
	end = mpk_skip(key);
	document.length = end - key;
	mpk_step_key(step, &document);
	return end;
}

/* Values that equal only the same bytes: fixints from fixints and such, fixstr from fixstr. */
static inline bool
is_short_form(uint8 byte)
{
	return byte < MPK_FIXMAP || (byte >= MPK_FIXSTR && byte <= MPK_BYTE_NIL) ||
		byte == MPK_BYTE_FALSE || byte == MPK_BYTE_TRUE || byte >= MPK_NEGATIVE_FIXINT;
}

static inline const uint8 *
scalar_end(const uint8 *p)
{
	if (!is_short_form(*p))
		return mpk_skip(p);
	return p + 1 + (*p >= MPK_FIXSTR && *p < MPK_BYTE_NIL ? *p & MPK_MAX_FIXSTR : 0);
}

/* Is the value at the spot the wanted scalar of these bytes? */
static outcome
compare_scalar(search *s, const mpk_spot *spot, const uint8 *wanted, size_t length)
{
	const uint8 *p = mpk_cursor_get(s->cursor, spot->place, 1);
	mpk_value	a;
	mpk_value	b;

	if (p == NULL)
		return FAILS;
	if (s->cursor->fetch == NULL)
	{
		if (*p == *wanted && spot->limit - spot->place >= length &&
			memcmp(p, wanted, length) == 0)
			return HOLDS;
		if (is_short_form(*p) && is_short_form(*wanted))
			return FAILS;
	}
	if (!mpk_spot_read(s->cursor, spot, &a) || mpk_is_container(a.kind))
		return FAILS;
	mpk_read(wanted, &b);
	return mpk_scalar_compare(&a, &b) == 0 ? HOLDS : FAILS;
}

/* The next wanted pair. */
static outcome
advance_pair(search *s, level *lv)
{
	mpk_spot	spot = lv->spot;
	mpk_step	step;
	const uint8 *value = step_to_key(s, lv->wanted, &step);
	mpk_value	wanted;
	mpk_value	found;

	if (!mpk_step_follow(s->cursor, &spot, &step))
		return FAILS;
	if (!mpk_begins_container(*value))
	{
		lv->wanted = scalar_end(value);
		lv->left--;
		return compare_scalar(s, &spot, value, lv->wanted - value);
	}
	mpk_read(value, &wanted);
	if (!mpk_spot_read(s->cursor, &spot, &found) || found.kind != wanted.kind)
		return FAILS;
	return go_deeper(s, &spot, found.length, &wanted);
}

/* --- arrays --- */

static int
compare_places(uint32 a, uint32 b, const void *start)
{
	mpk_value	x;
	mpk_value	y;

	mpk_read((const uint8 *) start + a, &x);
	mpk_read((const uint8 *) start + b, &y);
	return mpk_scalar_compare(&x, &y);
}

static void
gather_scalars(level *lv)
{
	const uint8 *p = first_element(lv->start);

	lv->scalars = palloc_extended(Max(lv->count, 1) * sizeof(uint32), MCXT_ALLOC_HUGE);
	lv->scalar_count = 0;
	for (uint32 i = 0; i < lv->count; i++)
	{
		mpk_value	element;

		mpk_read(p, &element);
		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			MPK_CHECK_FOR_INTERRUPTS();
		if (!mpk_is_container(element.kind))
			lv->scalars[lv->scalar_count++] = (uint32) (p - lv->start);
		p = mpk_value_end(&element);
	}
	mpk_sort_places(lv->scalars, lv->scalar_count, compare_places, lv->start);
}

static bool
find_gathered(const level *lv, const mpk_value *wanted)
{
	uint32		low = 0;
	uint32		high = lv->scalar_count;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;
		mpk_value	element;
		int			cmp;

		mpk_read(lv->start + lv->scalars[middle], &element);
		cmp = mpk_scalar_compare(&element, wanted);
		if (cmp == 0)
			return true;
		if (cmp < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static bool
find_by_scan(const level *lv, const mpk_value *wanted)
{
	const uint8 *p = first_element(lv->start);

	for (uint32 i = 0; i < lv->count; i++)
	{
		mpk_value	element;

		mpk_read(p, &element);
		if (!mpk_is_container(element.kind) && mpk_scalar_compare(&element, wanted) == 0)
			return true;
		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			MPK_CHECK_FOR_INTERRUPTS();
		p = mpk_value_end(&element);
	}
	return false;
}

static bool
array_has_scalar(level *lv, const mpk_value *wanted)
{
	if (lv->scalars == NULL && lv->left > FEW_WANTED && lv->count > FEW_WANTED)
		gather_scalars(lv);
	return lv->scalars != NULL ? find_gathered(lv, wanted) : find_by_scan(lv, wanted);
}

/* Where an element of the array lies, with its tables if it may have some. */
static bool
spot_of_element(search *s, const level *lv, const mpk_value *element, uint32 number,
				mpk_spot *spot)
{
	*spot = lv->spot;
	if (lv->spot.table_end > 0 && element->kind == MPK_MAP && element->length >= MANY_PAIRS)
	{
		mpk_step	step;

		mpk_step_number(&step, number);
		return mpk_step_follow(s->cursor, spot, &step);
	}
	spot->place = lv->spot.place + (element->start - lv->start);
	spot->limit = lv->spot.place + (lv->end - lv->start);
	spot->table = 0;
	spot->table_end = 0;
	return true;
}

/* Go deeper with the next element of the wanted container's kind. */
static outcome
try_candidate(search *s, level *lv, const mpk_value *wanted)
{
	while (lv->candidate_number < lv->count)
	{
		mpk_value	element;
		uint32		number = lv->candidate_number++;
		mpk_spot	spot;

		mpk_read(lv->candidate, &element);
		lv->candidate = mpk_value_end(&element);
		if (element.kind != wanted->kind ||
			(element.kind == MPK_MAP && element.length < wanted->length))
			continue;
		if (!spot_of_element(s, lv, &element, number, &spot))
			return damaged(s);
		return go_deeper(s, &spot, element.length, wanted);
	}
	return FAILS;
}

/* The next wanted element. */
static outcome
advance_element(search *s, level *lv)
{
	mpk_value	wanted;

	mpk_read(lv->wanted, &wanted);
	if (mpk_is_container(wanted.kind))
		return try_candidate(s, lv, &wanted);
	if (!array_has_scalar(lv, &wanted))
		return FAILS;
	lv->wanted = mpk_value_end(&wanted);
	lv->left--;
	return HOLDS;
}

/* --- the search --- */

/* All wanted entries of the level, or up to where it takes a deeper one. */
static outcome
advance(search *s, level *lv)
{
	outcome		result = HOLDS;

	while (result == HOLDS && lv->left > 0)
	{
		MPK_CHECK_FOR_INTERRUPTS();
		result = lv->kind == MPK_MAP ? advance_pair(s, lv) : advance_element(s, lv);
	}
	return result;
}

/* The level that lv depended on holds; its wanted container ended at "end". */
static void
entry_holds(level *lv, const uint8 *end)
{
	lv->wanted = end;
	lv->left--;
	if (lv->kind == MPK_ARRAY)
	{
		lv->candidate = first_element(lv->start);
		lv->candidate_number = 0;
	}
}

/* Run the levels until the first one is decided. */
static bool
decide(search *s)
{
	while (s->depth > 0)
	{
		level	   *lv = &s->levels[s->depth - 1];
		outcome		result = advance(s, lv);

		if (result == DEEPER)
			continue;
		leave_level(lv);
		if (--s->depth == 0 && result == HOLDS)
			return true;
		if (s->depth > 0 && result == HOLDS)
			entry_holds(&s->levels[s->depth - 1], lv->wanted);
		else
			/* an array may have another candidate; a map has not */
			while (s->depth > 0 && s->levels[s->depth - 1].kind == MPK_MAP)
				leave_level(&s->levels[--s->depth]);
	}
	return false;
}

static bool
container_contains(mpk_cursor *cursor, const mpk_spot *spot, uint32 count,
				   const mpk_value *wanted, unsigned wanted_flags)
{
	search		s;				/* levels are set when they are entered */
	bool		result;

	s.cursor = cursor;
	s.wanted_flags = wanted_flags;
	s.depth = 0;
	s.room = INLINE_LEVELS;
	s.levels = s.inline_levels;
	result = go_deeper(&s, spot, count, wanted) == DEEPER && decide(&s);
	if (s.levels != s.inline_levels)
		pfree(s.levels);
	return result;
}

/* Does the array at the spot have the scalar? */
static bool
root_array_has(mpk_cursor *cursor, const mpk_spot *spot, uint32 count, const mpk_value *wanted)
{
	level		lv = {.count = count};

	if (!mpk_spot_bytes(cursor, spot, &lv.start, &lv.end))
		return false;
	return find_by_scan(&lv, wanted);
}

bool
mpk_contains(mpk_cursor *cursor, const mpk_document *contained)
{
	mpk_spot	root;
	mpk_value	value;
	mpk_value	wanted;

	if (!mpk_spot_root(cursor, &root) || !mpk_spot_read(cursor, &root, &value))
		return false;
	mpk_read(contained->payload, &wanted);
	if (!mpk_is_container(wanted.kind))
	{
		if (value.kind == MPK_ARRAY)
			return root_array_has(cursor, &root, value.length, &wanted);
		return !mpk_is_container(value.kind) && mpk_scalar_compare(&value, &wanted) == 0;
	}
	return value.kind == wanted.kind &&
		container_contains(cursor, &root, value.length, &wanted, contained->flags);
}

bool
mpk_exists(mpk_cursor *cursor, const uint8 *s, size_t length)
{
	mpk_spot	root;
	mpk_value	value;
	mpk_step	step;

	mpk_step_text(&step, MPK_STEP_FIELD, s, length);
	if (!mpk_spot_root(cursor, &root) || !mpk_spot_read(cursor, &root, &value))
		return false;
	if (value.kind == MPK_MAP)
		return mpk_step_follow(cursor, &root, &step);
	if (value.kind == MPK_ARRAY)
		return root_array_has(cursor, &root, value.length, &step.key);
	return mpk_scalar_compare(&value, &step.key) == 0;
}
