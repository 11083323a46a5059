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
#include "document/index.h"

/* How often a long loop looks for a query cancel: once per so many steps, less one (a mask). */
#define INTERRUPT_MASK	0xffff

/*
 * An array's scalars are gathered and sorted when more than so many entries are
 * still wanted of it, and searching one after the other has passed as many
 * elements as so many whole arrays: about what sorting takes.  What is found
 * near the array's beginning, or not at all, never gets there.
 */
#define FEW_WANTED		4
#define MANY_SEARCHES	16

/* Keys to which steps are made in advance. */
#define MAX_STEPS		64

typedef struct level
{
	mpk_spot	spot;			/* the container that is to contain */
	mpk_kind	kind;			/* of both containers */
	const uint8 *wanted;		/* the next entry that is wanted */
	uint32		left;			/* entries wanted, that one included */
	uint32		step;			/* number of the next wanted key among all of the document */

	/* arrays */
	uint32		count;			/* elements of the array that is to contain */
	bool		by_table;		/* some of them have tables: they are found by */
	mpk_table	table;
	const uint8 *start;			/* it and its end, when they are known: all of it is in memory */
	const uint8 *end;
	uint32		tried;			/* elements that were tried for the container that is wanted */
	uint32		candidate;		/* the one tried last, and where it lies if it has no tables */
	size_t		candidate_place;
	uint64		passed;			/* elements that were passed in search of scalars */
	uint32	   *scalars;		/* when gathered: places of scalars, sorted by value */
	uint32		scalar_count;
} level;

/* Levels that there is room for before memory is allocated. */
#define INLINE_LEVELS	8

typedef struct search
{
	mpk_cursor *cursor;
	const mpk_contained *contained;
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

/* The head of an array in memory, and its first element. */
static const uint8 *
first_element(const uint8 *start)
{
	mpk_value	array;

	return mpk_read(start, &array);
}

static pg_noinline void
make_room(search *s)
{
	level	   *levels = palloc(s->room * 2 * sizeof(level));

	memcpy(levels, s->levels, s->room * sizeof(level));
	if (s->levels != s->inline_levels)
		pfree(s->levels);
	s->levels = levels;
	s->room *= 2;
}

/* All of the level's array into memory; false when it is damaged. */
static bool
have_array(search *s, level *lv)
{
	if (lv->start == NULL && !mpk_spot_bytes(s->cursor, &lv->spot, &lv->start, &lv->end))
		return false;
	lv->spot.limit = lv->spot.place + (lv->end - lv->start);
	return true;
}

/*
 * The tables of the level's array.  They are of no use where all of its elements
 * are small: one is passed sooner than the next is found.
 */
static bool
read_table(search *s, level *lv)
{
	if (!mpk_table_read(s->cursor, &lv->spot, &lv->table))
		return false;
	lv->by_table = (lv->table.form & MPK_TABLE_CHILDREN) != 0;
	lv->spot.limit = lv->spot.place + lv->table.bytes;
	return true;
}

/*
 * Does a container of this kind lie at the spot, with as many entries as it
 * takes?  An array may have fewer than are wanted of it, a map not.
 */
static inline bool
is_alike(search *s, const mpk_spot *spot, const mpk_value *wanted, uint32 *count)
{
	const uint8 *p = mpk_cursor_get(s->cursor, spot->place, 1);
	mpk_value	found;

	if (p == NULL)
		return false;
	if ((*p & 0xf0) == MPK_FIXMAP && wanted->kind == MPK_MAP)
		return (*p & 0x0f) >= wanted->length;
	if (!mpk_begins_container(*p) || !mpk_spot_read(s->cursor, spot, &found))
		return false;
	*count = found.length;
	return found.kind == wanted->kind &&
		(found.kind == MPK_ARRAY || found.length >= wanted->length);
}

/*
 * Begin a level: the value at the spot is to contain the wanted container,
 * whose keys, or those in it, begin with number "step".
 */
static pg_attribute_always_inline outcome
begin_level(search *s, level *lv, const mpk_spot *spot, const mpk_value *wanted, uint32 step)
{
	uint32		count = 0;

	if (!is_alike(s, spot, wanted, &count))
		return FAILS;
	lv->spot = *spot;
	lv->kind = wanted->kind;
	lv->wanted = wanted->body;
	lv->left = wanted->length;
	lv->step = step;
	if (wanted->kind == MPK_ARRAY)
	{
		lv->count = count;
		lv->start = NULL;
		lv->tried = 0;
		lv->candidate = 0;
		lv->candidate_place = 0;
		lv->scalars = NULL;
		lv->passed = 0;
		/* of a value in TOAST all at once, since all may be needed */
		if (s->cursor->fetch != NULL && !have_array(s, lv))
			return FAILS;
		lv->by_table = false;
		if (spot->table_end > 0 && !read_table(s, lv))
			return FAILS;
	}
	s->depth++;
	return DEEPER;
}

static outcome
go_deeper(search *s, const mpk_spot *spot, const mpk_value *wanted, uint32 step)
{
	return begin_level(s, &s->levels[s->depth], spot, wanted, step);
}

static inline void
leave_level(level *lv)
{
	if (lv->kind == MPK_ARRAY && lv->scalars != NULL)
		pfree(lv->scalars);
}

/* --- scalars --- */

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
	return p + 1 + (mpk_is_fixstr(*p) ? *p & MPK_MAX_FIXSTR : 0);
}

/*
 * What the first bytes tell of two scalars, of which "length" bytes are wanted
 * and "room" are at hand at p: HOLDS, FAILS, or DEEPER when their values must
 * be compared.
 */
static inline outcome
compare_bytes(const uint8 *p, size_t room, const uint8 *wanted, size_t length)
{
	if (*p == *wanted && (length == 1 || (room >= length && memcmp(p, wanted, length) == 0)))
		return HOLDS;
	return is_short_form(*p) && is_short_form(*wanted) ? FAILS : DEEPER;
}

/* Is the value at the spot the wanted scalar of these bytes? */
static inline outcome
compare_scalar(search *s, const mpk_spot *spot, const uint8 *wanted, size_t length)
{
	size_t		room = Min(spot->limit - spot->place, length);
	const uint8 *p = mpk_cursor_get(s->cursor, spot->place, room);
	outcome		result;
	mpk_value	a;
	mpk_value	b;

	if (p == NULL)
		return FAILS;
	result = compare_bytes(p, room, wanted, length);
	if (result != DEEPER)
		return result;
	if (!mpk_spot_read(s->cursor, spot, &a) || mpk_is_container(a.kind))
		return FAILS;
	mpk_read(wanted, &b);
	return mpk_scalar_compare(&a, &b) == 0 ? HOLDS : FAILS;
}

/* --- maps --- */

/* The step to the wanted key at p. */
static pg_noinline void
make_step(unsigned flags, const uint8 *p, mpk_step *step)
{
	mpk_document document = {.payload = p, .flags = flags};

	if (mpk_is_fixstr(*p))
		mpk_step_short_str(step, p);
	else
	{
		document.length = mpk_skip(p) - p;
		mpk_step_key(step, &document);
	}
}

/* The step to the next wanted key, for which there is "room" if it has to be made. */
static inline const mpk_step *
next_step(const search *s, level *lv, mpk_step *room)
{
	if (s->contained->steps != NULL)
		return &s->contained->steps[lv->step++];
	make_step(s->contained->document.flags, lv->wanted, room);
	return room;
}

/* The wanted pairs of the level, or up to one that takes a deeper level. */
static outcome
advance_map(search *s, level *lv)
{
	outcome		result = HOLDS;

	for (; result == HOLDS && lv->left > 0; lv->left--)
	{
		mpk_step	made;
		const mpk_step *step = next_step(s, lv, &made);
		mpk_spot	spot = lv->spot;
		mpk_value	wanted;
		const uint8 *value;

		MPK_CHECK_FOR_INTERRUPTS();
		if (!mpk_step_follow(s->cursor, &spot, step))
			return FAILS;
		value = mpk_value_end(&step->key);
		if (mpk_begins_container(*value))
		{
			mpk_read(value, &wanted);
			return go_deeper(s, &spot, &wanted, lv->step);
		}
		lv->wanted = scalar_end(value);
		result = compare_scalar(s, &spot, value, lv->wanted - value);
	}
	return result;
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
is_str_of(const mpk_value *value, const mpk_value *wanted)
{
	return value->kind == MPK_STR && value->length == wanted->length &&
		memcmp(value->body, wanted->body, wanted->length) == 0;
}

/*
 * Find a str: most that is looked for is one.  Short ones are compared where
 * they lie, and most others are passed without being read.
 */
static bool
find_str_by_scan(level *lv, const mpk_value *wanted)
{
	const uint8 *p = first_element(lv->start);

	for (uint32 i = 0; i < lv->count; i++, lv->passed++)
	{
		mpk_value	element;

		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			MPK_CHECK_FOR_INTERRUPTS();
		if (mpk_is_fixstr(*p))
		{
			uint32		length = *p++ & 0x1f;

			if (length == wanted->length && memcmp(p, wanted->body, length) == 0)
				return true;
			p += length;
		}
		else if (mpk_is_fixint(*p))
			p++;
		else if (*p >= MPK_BYTE_NIL && mpk_is_all_head(*p))
			p += mpk_head_size[*p & 0x1f];
		else
		{
			mpk_read(p, &element);
			if (is_str_of(&element, wanted))
				return true;
			p = mpk_value_end(&element);
		}
	}
	return false;
}

/* The scalar's own bytes serve where they are known (wanted->start). */
static bool
find_by_scan(level *lv, const mpk_value *wanted)
{
	const uint8 *p = first_element(lv->start);
	const uint8 *bytes = wanted->start;
	size_t		length = bytes == NULL ? 0 : mpk_value_end(wanted) - bytes;

	if (wanted->kind == MPK_STR)
		return find_str_by_scan(lv, wanted);
	for (uint32 i = 0; i < lv->count; i++, lv->passed++)
	{
		outcome		found = bytes == NULL ? DEEPER : compare_bytes(p, lv->end - p, bytes, length);

		if (found == DEEPER && !mpk_begins_container(*p))
		{
			mpk_value	element;

			mpk_read(p, &element);
			if (mpk_scalar_compare(&element, wanted) == 0)
				found = HOLDS;
		}
		if (found == HOLDS)
			return true;
		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			MPK_CHECK_FOR_INTERRUPTS();
		p = mpk_begins_container(*p) ? mpk_skip(p) : scalar_end(p);
	}
	return false;
}

static bool
array_has_scalar(search *s, level *lv, const mpk_value *wanted)
{
	if (!have_array(s, lv))
		return false;
	if (lv->scalars == NULL && lv->left > FEW_WANTED &&
		lv->passed > MANY_SEARCHES * (uint64) lv->count)
		gather_scalars(lv);
	return lv->scalars != NULL ? find_gathered(lv, wanted) : find_by_scan(lv, wanted);
}

/* The place of the candidate, behind the one before it; false when the array is damaged. */
static bool
pass_candidate(search *s, level *lv)
{
	mpk_value	array;
	size_t		room;
	const uint8 *p;
	const uint8 *end;

	if (lv->candidate == 0)
	{
		if (!mpk_spot_read(s->cursor, &lv->spot, &array))
			return false;
		lv->candidate_place = lv->spot.place + (array.body - array.start);
	}
	else
	{
		room = lv->spot.limit - lv->candidate_place;
		p = mpk_cursor_get(s->cursor, lv->candidate_place, room);
		if (p == NULL)
			return false;
		end = mpk_skip_within(p, p + room);
		if (end == NULL)
			return mpk_cursor_fail(s->cursor);
		lv->candidate_place += end - p;
	}
	return lv->candidate_place < lv->spot.limit || mpk_cursor_fail(s->cursor);
}

/*
 * The candidate after the one that was tried last, or at first that one: what is
 * wanted often lies in the same order, and then each is found at once.
 */
static bool
next_candidate(search *s, level *lv, mpk_spot *spot)
{
	bool		again = lv->tried == 0 && lv->candidate_place > 0;

	if (lv->tried > 0 && ++lv->candidate == lv->count)
		lv->candidate = 0;
	lv->tried++;
	*spot = lv->spot;
	if (lv->by_table)
		return mpk_index_element(s->cursor, spot, &lv->table, lv->candidate);
	if (!again && !pass_candidate(s, lv))
		return false;
	spot->place = lv->candidate_place;
	spot->table = spot->table_end = 0;
	return true;
}

/* Go deeper with the next element that is like the wanted container. */
static outcome
try_candidate(search *s, level *lv, const mpk_value *wanted)
{
	while (lv->tried < lv->count)
	{
		mpk_spot	spot;

		if (!next_candidate(s, lv, &spot))
			return FAILS;
		if (go_deeper(s, &spot, wanted, lv->step) == DEEPER)
			return DEEPER;
		MPK_CHECK_FOR_INTERRUPTS();
	}
	return FAILS;
}

/* The wanted elements of the level, or up to one that takes a deeper level. */
static outcome
advance_array(search *s, level *lv)
{
	for (; lv->left > 0; lv->left--)
	{
		mpk_value	wanted;

		MPK_CHECK_FOR_INTERRUPTS();
		mpk_read(lv->wanted, &wanted);
		if (mpk_is_container(wanted.kind))
			return try_candidate(s, lv, &wanted);
		if (!array_has_scalar(s, lv, &wanted))
			return FAILS;
		lv->wanted = mpk_value_end(&wanted);
	}
	return HOLDS;
}

/* --- the search --- */

/* The level that "lv" depended on holds. */
static inline void
entry_holds(level *lv, const level *deeper)
{
	lv->wanted = deeper->wanted;
	lv->step = deeper->step;
	lv->left--;
	if (lv->kind == MPK_ARRAY)
		lv->tried = 0;
}

/* Run the levels until the first one is decided. */
static bool
decide(search *s)
{
	while (s->depth > 0)
	{
		level	   *lv;
		outcome		result;

		/* for a deeper level */
		if (unlikely(s->depth == s->room))
			make_room(s);
		lv = &s->levels[s->depth - 1];
		result = lv->kind == MPK_MAP ? advance_map(s, lv) : advance_array(s, lv);
		if (result == DEEPER)
			continue;
		leave_level(lv);
		if (--s->depth == 0)
			return result == HOLDS;
		if (result == HOLDS)
			entry_holds(lv - 1, lv);
		else
			/* an array may have another candidate; a map has not */
			while (s->depth > 0 && s->levels[s->depth - 1].kind == MPK_MAP)
				leave_level(&s->levels[--s->depth]);
	}
	return false;
}

/* Does the array at the spot have the scalar? */
static bool
root_array_has(mpk_cursor *cursor, const mpk_spot *spot, const mpk_value *wanted)
{
	level		lv;
	mpk_value	array;

	if (!mpk_spot_bytes(cursor, spot, &lv.start, &lv.end))
		return false;
	mpk_read(lv.start, &array);
	lv.count = array.length;
	lv.passed = 0;
	return find_by_scan(&lv, wanted);
}

/* The same of any root. */
static bool
root_has_scalar(mpk_cursor *cursor, const mpk_spot *root, const mpk_value *wanted)
{
	mpk_value	value;

	if (!mpk_spot_read(cursor, root, &value))
		return false;
	if (value.kind == MPK_ARRAY)
		return root_array_has(cursor, root, wanted);
	return value.kind != MPK_MAP && mpk_scalar_compare(&value, wanted) == 0;
}

bool
mpk_contains(mpk_cursor *cursor, const mpk_contained *contained)
{
	search		s;				/* levels are set when they are entered */
	mpk_spot	root;
	bool		result;

	if (!mpk_spot_root(cursor, &root))
		return false;
	if (!mpk_is_container(contained->value.kind))
		return root_has_scalar(cursor, &root, &contained->value);
	s.cursor = cursor;
	s.contained = contained;
	s.depth = 0;
	s.room = INLINE_LEVELS;
	s.levels = s.inline_levels;
	result = begin_level(&s, s.inline_levels, &root, &contained->value, 0) == DEEPER &&
		decide(&s);
	if (unlikely(s.levels != s.inline_levels))
		pfree(s.levels);
	return result;
}

/* Steps to the keys of the maps in a value, up to MAX_STEPS; returns how many keys there are. */
static uint32
make_steps(const mpk_document *document, mpk_step *steps)
{
	struct
	{
		uint64		left;		/* elements, or keys and values, still to come */
		bool		is_map;		/* so a key comes whenever "left" is even */
	}			stack[MPK_MAX_DEPTH + 1];
	const uint8 *p = document->payload;
	int			depth = 0;
	uint32		count = 0;
	uint32		passed = 0;

	stack[0].left = 1;
	stack[0].is_map = false;
	while (depth >= 0 && count <= MAX_STEPS)
	{
		mpk_value	value;

		MPK_CHECK_FOR_INTERRUPTS_AT(++passed);
		if (stack[depth].left == 0)
		{
			depth--;
			continue;
		}
		if (stack[depth].is_map && stack[depth].left % 2 == 0)
		{
			if (count < MAX_STEPS)
				make_step(document->flags, p, &steps[count]);
			count++;
			p = mpk_skip(p);
			stack[depth].left--;
		}
		stack[depth].left--;
		p = mpk_read(p, &value);
		if (mpk_is_container(value.kind))
		{
			depth++;
			stack[depth].is_map = value.kind == MPK_MAP;
			stack[depth].left = (uint64) value.length << stack[depth].is_map;
		}
	}
	return count;
}

void
mpk_contained_init(mpk_contained *contained, const mpk_document *document)
{
	contained->document = *document;
	(void) mpk_read(document->payload, &contained->value);
	contained->steps = NULL;
}

void
mpk_contained_prepare(mpk_contained *contained)
{
	mpk_step   *steps = palloc(MAX_STEPS * sizeof(mpk_step));
	uint32		count = make_steps(&contained->document, steps);

	if (count > 0 && count <= MAX_STEPS)
		contained->steps = repalloc(steps, count * sizeof(mpk_step));
	else
		pfree(steps);
}

bool
mpk_exists(mpk_cursor *cursor, const mpk_step *step)
{
	mpk_spot	root;
	mpk_value	wanted = step->key;
	const uint8 *p;

	if (!mpk_spot_root(cursor, &root))
		return false;
	p = mpk_cursor_get(cursor, root.place, 1);
	if (p == NULL || mpk_begins_map(*p))
		return p != NULL && mpk_step_follow(cursor, &root, step);
	/* a step from text knows the bytes of a short str alone */
	if (step->head != 0)
	{
		wanted.start = step->short_str;
		wanted.body = step->short_str + 1;
	}
	return root_has_scalar(cursor, &root, &wanted);
}
