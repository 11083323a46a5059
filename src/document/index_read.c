/*
 * index_read.c
 *		Following the offset index.
 *
 * Whatever is read from the index is checked before it is followed: places lie
 * inside their container, tables inside the tables around them.  What an
 * index says wrongly within those bounds gives a wrong answer or an error, not
 * a read outside the value; but for a container's end, which is looked at only
 * from its head and its last entry (see "Damaged data" in doc/security.md).
 */
#include "document/index.h"

#include "port/pg_bitutils.h"

#include "codec/hash.h"
#include "codec/scalar.h"
#include "codec/simd.h"
#include "codec/within.h"
#include "document/compare.h"

/* A bucket with more pairs than this is searched by halves. */
#define SMALL_BUCKET		16

/* A directory with more children than this is first searched by interpolation. */
#define SMALL_DIRECTORY		64

/* Asked for at first of elements that are passed. */
#define FIRST_PASS			256

/* The fast path looks through so many children. */
#define FEW_CHILDREN		8

/* What a lookup of one key found. */
#define NOT_FOUND			0

/* The container's own spot, what is asked of it, and how. */
typedef struct lookup
{
	mpk_cursor *cursor;
	const mpk_spot *spot;
	const mpk_table *table;
	const mpk_step *step;
	const mpk_value *wanted;
} lookup;

/* A number of the index.  Always four bytes are read: a payload follows it (mpk_spot_root). */
static inline uint32
load(const uint8 *p, int width)
{
	return mpk_load32_le(p) & (PG_UINT32_MAX >> (32 - 8 * width));
}

/* --- tables --- */

/* Bytes of an array's or long map's table proper, its leading byte included. */
static uint64
table_size(const mpk_table *table)
{
	uint64		count = table->count;

	if (MPK_TABLE_KIND(table->form) == MPK_TABLE_ARRAY)
		return 1 + ((count + (UINT64CONST(1) << table->shift) - 1) >> table->shift) *
			table->width;
	return 1 + ((UINT64CONST(1) << table->shift) + 1) * table->width + count * (1 + table->width);
}

bool
mpk_table_read(mpk_cursor *cursor, const mpk_spot *spot, mpk_table *table)
{
	size_t		room = spot->table_end - spot->table;
	const uint8 *p = mpk_cursor_get(cursor, spot->table, 1);
	int			width;
	size_t		head;
	uint64		size;

	if (p == NULL)
		return false;
	table->form = *p;
	table->width = width = MPK_TABLE_WIDTH(*p);
	head = 1 + 2 * width;
	if (room <= head)
		return mpk_cursor_fail(cursor);
	p = mpk_cursor_get(cursor, spot->table, head + 1);
	if (p == NULL)
		return false;
	table->bytes = load(p + 1, width);
	table->count = load(p + 1 + width, width);
	table->place = spot->table + head;
	if (MPK_TABLE_KIND(table->form) == MPK_TABLE_SHORT_MAP)
		size = (uint64) table->count * (1 + width);
	else
	{
		table->shift = p[head];
		if (table->shift > 31 || MPK_TABLE_KIND(table->form) == 0)
			return mpk_cursor_fail(cursor);
		size = table_size(table);
	}
	if (table->bytes > spot->limit - spot->place || table->count >= table->bytes ||
		table->count == 0 || size > room - head)
		return mpk_cursor_fail(cursor);
	table->directory = table->place + size;
	return true;
}

/* --- children --- */

/* One line of the directory. */
typedef struct directory
{
	mpk_cursor *cursor;
	size_t		lines;			/* where the first begins */
	uint32		count;
	int			width;			/* of a container's place */
	int			line;			/* bytes of a line */
} directory;

static bool
directory_line(const directory *d, uint32 i, uint32 *place, uint32 *tables)
{
	const uint8 *p = mpk_cursor_get(d->cursor, d->lines + (size_t) i * d->line, d->line);

	if (p == NULL)
		return false;
	*place = load(p, d->width);
	*tables = load(p + d->width, d->line - d->width);
	return true;
}

/*
 * The line of the child at a place: true, and its number and tables; false
 * when there is none.  Where children are about equally far from each other,
 * interpolation comes to the right bytes of a long directory at once.
 */
static bool
directory_search(const directory *d, uint32 wanted, uint32 container, uint32 *number,
				 uint32 *tables)
{
	uint32		low = 0;
	uint32		high = d->count;	/* wanted is in [low, high) if anywhere */
	uint32		low_place = 0;
	uint32		high_place = container;

	for (int probes = 0; low < high; probes++)
	{
		uint32		middle = low + (high - low) / 2;
		uint32		place;

		/* every other time, lest skewed places make it slow */
		if (high - low > SMALL_DIRECTORY && (probes & 1) == 0 && wanted >= low_place &&
			wanted < high_place)
			middle = low + (uint32) ((uint64) (high - low) * (wanted - low_place) /
									 (high_place - low_place));
		if (!directory_line(d, middle, &place, tables))
			return false;
		if (place == wanted)
		{
			*number = middle;
			return true;
		}
		if (place < wanted)
		{
			low = middle + 1;
			low_place = place;
		}
		else
		{
			high = middle;
			high_place = place;
		}
	}
	return false;
}

/* Set the tables of the value found, if it has any. */
static bool
find_child(const lookup *l, mpk_spot *found)
{
	const mpk_table *t = l->table;
	size_t		own = l->spot->table;
	size_t		own_end = l->spot->table_end;
	directory	d;
	uint32		number;
	uint32		start;
	uint32		end;
	uint32		ignored;
	const uint8 *p;

	if (own_end - t->directory < t->width)
		return mpk_cursor_fail(l->cursor);
	p = mpk_cursor_get(l->cursor, t->directory, t->width);
	if (p == NULL)
		return false;
	d.cursor = l->cursor;
	d.count = load(p, t->width);
	d.lines = t->directory + t->width;
	d.width = t->width;
	d.line = t->width + MPK_TABLE_DIRECTORY_WIDTH(t->form);
	if ((uint64) d.count * d.line > own_end - d.lines)
		return mpk_cursor_fail(l->cursor);
	if (!directory_search(&d, (uint32) (found->place - l->spot->place), t->bytes, &number, &start))
		return !l->cursor->corrupt;

	/* they end where those of the child before it begin */
	end = (uint32) (own_end - own);
	if (number > 0 && !directory_line(&d, number - 1, &ignored, &end))
		return false;
	if (own + start < d.lines + (size_t) d.count * d.line || start >= end || own + end > own_end)
		return mpk_cursor_fail(l->cursor);
	found->table = own + start;
	found->table_end = own + end;
	return true;
}

/* --- keys --- */

/*
 * Compare the key wanted with the one at a place that the table gave, counted
 * from the container's start.  *end is set to the place after the key.  False
 * when the place is damaged.
 */
static bool
compare_any(const lookup *l, uint32 place, int *result, size_t *end)
{
	mpk_spot	spot;
	mpk_value	key;

	spot.place = l->spot->place + place;
	spot.limit = l->spot->place + l->table->bytes;
	spot.table = spot.table_end = 0;
	if (!mpk_spot_read(l->cursor, &spot, &key))
		return false;
	if (mpk_is_container(key.kind))
	{
		const uint8 *key_end;

		if (!mpk_spot_bytes(l->cursor, &spot, &key.start, &key_end))
			return false;
		*end = spot.place + (key_end - key.start);
	}
	else
		*end = spot.place + (mpk_value_end(&key) - key.start);
	*result = mpk_step_compare(l->step, l->wanted, &key, l->cursor->flags);
	return true;
}

/* The same, where nearly all keys are: short str, whose bytes tell at once. */
static inline bool
compare_at(const lookup *l, uint32 place, int *result, size_t *end)
{
	uint32		length = l->wanted->length;
	size_t		room;
	const uint8 *p;

	if (place >= l->table->bytes)
		return mpk_cursor_fail(l->cursor);
	room = l->table->bytes - place;
	if (l->wanted->kind == MPK_STR && length <= MPK_MAX_FIXSTR && length < room)
	{
		p = mpk_cursor_get(l->cursor, l->spot->place + place, 1 + length);
		if (p == NULL)
			return false;
		if (*p == (MPK_FIXSTR | length) && memcmp(p + 1, l->wanted->body, length) == 0)
		{
			*end = l->spot->place + place + 1 + length;
			*result = 0;
			return true;
		}
	}
	return compare_any(l, place, result, end);
}

/* Bit i is set when tags[i] equals tag, for i < count <= 16; "room" bytes may be read. */
static inline uint32
match_tags(const uint8 *tags, uint32 count, size_t room, uint8 tag)
{
	uint32		mask = 0;

#ifdef MPK_USE_SSE2
	if (likely(room >= 16))
	{
		__m128i		found = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *) tags),
										   _mm_set1_epi8((char) tag));

		return (uint32) _mm_movemask_epi8(found) & ((1u << count) - 1);
	}
#endif
	(void) room;
	for (uint32 i = 0; i < count; i++)
		mask |= (uint32) (tags[i] == tag) << i;
	return mask;
}

/* The place after the last key of a short map that equals the one wanted. */
static size_t
find_in_short_map(const lookup *l, uint64 hash)
{
	const mpk_table *t = l->table;
	const uint8 *tags = mpk_cursor_get(l->cursor, t->place, (size_t) t->count * (1 + t->width));
	bool		distinct = (l->cursor->flags & MPK_REPEATED_KEYS) == 0;
	size_t		found = NOT_FOUND;
	size_t		room;

	if (tags == NULL)
		return NOT_FOUND;
	room = l->cursor->end - t->place;
	for (uint32 base = 0; base < t->count; base += 16)
	{
		uint32		mask = match_tags(tags + base, Min(t->count - base, 16), room - base,
									  MPK_TABLE_TAG(hash));

		for (; mask != 0; mask &= mask - 1)
		{
			uint32		i = base + pg_rightmost_one_pos32(mask);
			int			result;
			size_t		end;

			if (!compare_at(l, load(tags + t->count + (size_t) i * t->width, t->width),
							&result, &end))
				return NOT_FOUND;
			if (result != 0)
				continue;
			found = end;
			if (distinct)
				return found;
		}
	}
	return found;
}

/*
 * Order of the key wanted and pair i of a long map: by tag, then by key.  A
 * pair equal to it sets *found.  False when something is damaged.
 */
static bool
compare_pair(const lookup *l, size_t pairs, uint32 i, uint8 tag, int *result, size_t *found)
{
	int			width = l->table->width;
	const uint8 *p = mpk_cursor_get(l->cursor, pairs + (size_t) i * (1 + width), 1 + width);
	size_t		end;

	if (p == NULL)
		return false;
	*result = (int) tag - (int) *p;
	if (*result != 0)
		return true;
	if (!compare_at(l, load(p + 1, width), result, &end))
		return false;
	if (*result == 0)
		*found = end;
	return true;
}

/* The same in a long map. */
static size_t
find_in_long_map(const lookup *l, uint64 hash)
{
	const mpk_table *t = l->table;
	uint64		bucket = hash & ((UINT64CONST(1) << t->shift) - 1);
	size_t		starts = t->place + 1;
	size_t		pairs = starts + (((size_t) 1 << t->shift) + 1) * t->width;
	const uint8 *p = mpk_cursor_get(l->cursor, starts + bucket * t->width, 2 * t->width);
	size_t		found = NOT_FOUND;
	uint32		low;
	uint32		high;
	int			result;

	if (p == NULL)
		return NOT_FOUND;
	low = load(p, t->width);
	high = load(p + t->width, t->width);
	if (low > high || high > t->count)
	{
		mpk_cursor_fail(l->cursor);
		return NOT_FOUND;
	}
	/* halve a large bucket; of equal keys the last is the one that counts */
	while (high - low > SMALL_BUCKET)
	{
		uint32		middle = low + (high - low) / 2;

		if (!compare_pair(l, pairs, middle, MPK_TABLE_TAG(hash), &result, &found))
			return NOT_FOUND;
		if (result < 0)
			high = middle;
		else
			low = middle + 1;
	}
	for (; low < high; low++)
	{
		if (!compare_pair(l, pairs, low, MPK_TABLE_TAG(hash), &result, &found))
			return NOT_FOUND;
		if (result < 0)
			break;
	}
	return found;
}

/* The place of the value of the key wanted, or NOT_FOUND. */
static size_t
find_key(lookup *l, const mpk_value *wanted, uint64 hash)
{
	l->wanted = wanted;
	return MPK_TABLE_KIND(l->table->form) == MPK_TABLE_SHORT_MAP
		? find_in_short_map(l, hash) : find_in_long_map(l, hash);
}

/* The key that text stands for when it is not a str in the map: a bin, or an integer. */
static size_t
find_other_key(lookup *l)
{
	mpk_value	bin = l->step->key;
	size_t		found;

	bin.kind = MPK_BIN;
	found = find_key(l, &bin, mpk_hash_scalar(&bin));
	if (found == NOT_FOUND && l->step->has_number)
		found = find_key(l, &l->step->number, mpk_hash_scalar(&l->step->number));
	return found;
}

/* The place of the value that a step leads to in a map: the key rule. */
static size_t
find_value(lookup *l)
{
	const mpk_step *step = l->step;
	size_t		found = find_key(l, &step->key, step->hash);

	if (found != NOT_FOUND || (l->table->form & MPK_TABLE_OTHER_KEYS) == 0 ||
		(step->kind != MPK_STEP_FIELD && step->kind != MPK_STEP_PATH))
		return found;
	return find_other_key(l);
}

/* --- the fast path --- */

typedef enum fast_result
{
	FAST_UNKNOWN,				/* not a case for the fast path */
	FAST_FOUND,
	FAST_MISSING
} fast_result;

/* A number of the index where its width is known to the compiler. */
static pg_attribute_always_inline uint32
load_fixed(const uint8 *p, int width)
{
	return width == 1 ? p[0] : load(p, width);
}

/*
 * find_fast for one width of places.  "table_end" is the end of the container's
 * tables, "end" that of what may be read, "room" the most bytes that the map
 * can have.  The two numbers at the tables' begin are read before it is known
 * that they are there; else the payload is.
 */
static pg_attribute_always_inline fast_result
find_fast_by_width(const uint8 *table, const uint8 *table_end, const uint8 *end,
				   const uint8 *map, size_t room, const mpk_step *step, int width,
				   const uint8 **value)
{
	uint32		bytes = load_fixed(table + 1, width);
	uint32		count = load_fixed(table + 1 + width, width);
	const uint8 *tags = table + 1 + 2 * width;
	uint32		base = 0;

	if (count > MPK_INDEX_SHORT_MAP || tags + count * (1 + width) > table_end || bytes > room)
		return FAST_UNKNOWN;
	do
	{
		uint32		mask = match_tags(tags + base, Min(count - base, 16), end - tags - base,
									  MPK_TABLE_TAG(step->hash));

		for (; mask != 0; mask &= mask - 1)
		{
			uint32		i = base + pg_rightmost_one_pos32(mask);
			uint32		place = load_fixed(tags + count + i * width, width);
			const uint8 *key = map + place;

			/* in 64 bits, where a damaged place does not wrap around */
			if ((uint64) place + step->key.length + 1 >= bytes)
				return FAST_UNKNOWN;
			if (mpk_step_is_short_str(step, key, end - key))
			{
				*value = key + 1 + step->key.length;
				return FAST_FOUND;
			}
			if (!mpk_is_fixstr(*key))
				return FAST_UNKNOWN;
		}
		base += 16;
	} while (unlikely(base < count));
	return (*table & MPK_TABLE_OTHER_KEYS) != 0 ? FAST_UNKNOWN : FAST_MISSING;
}

/*
 * What nearly all lookups are: text of up to 31 bytes as a key of a short map,
 * all in memory, keys distinct.  The same as find_value, without the cursor.
 */
static inline fast_result
find_fast(const mpk_cursor *cursor, const mpk_spot *spot, const mpk_step *step,
		  const uint8 **value)
{
	const uint8 *table = cursor->bytes + spot->table;
	const uint8 *table_end = cursor->bytes + spot->table_end;
	const uint8 *end = cursor->bytes + cursor->end;
	const uint8 *map = cursor->bytes + spot->place;
	size_t		room = spot->limit - spot->place;

	if (step->head == 0 || cursor->fetch != NULL || (cursor->flags & MPK_REPEATED_KEYS) != 0 ||
		MPK_TABLE_KIND(*table) != MPK_TABLE_SHORT_MAP)
		return FAST_UNKNOWN;
	if (MPK_TABLE_WIDTH(*table) == 1)
		return find_fast_by_width(table, table_end, end, map, room, step, 1, value);
	return find_fast_by_width(table, table_end, end, map, room, step,
							  MPK_TABLE_WIDTH(*table), value);
}

/* --- arrays --- */

/*
 * Pass "count" elements from a place on.  Their end must not lie beyond
 * "limit".  Sets *place to where the next one begins.
 */
static bool
pass_elements(mpk_cursor *cursor, size_t *place, size_t limit, uint32 count)
{
	size_t		room = limit - *place;
	size_t		length = cursor->fetch == NULL ? room : Min(room, FIRST_PASS);

	while (count > 0)
	{
		const uint8 *start = mpk_cursor_get(cursor, *place, length);
		const uint8 *end;

		if (start == NULL)
			return false;
		end = mpk_skip_many_within(start, start + length, count);
		if (end != NULL)
		{
			*place += end - start;
			return true;
		}
		if (length == room)
			return mpk_cursor_fail(cursor);
		length = Min(room, length * 4);
	}
	return true;
}

/* Where an element lies, whose number is below the table's count. */
static bool
find_element(const lookup *l, uint32 index, mpk_spot *element)
{
	const mpk_table *t = l->table;
	uint32		sample;
	uint32		place;
	uint32		next = t->bytes;
	bool		last;
	const uint8 *p;

	sample = index >> t->shift;
	last = sample == (t->count - 1) >> t->shift;
	p = mpk_cursor_get(l->cursor, t->place + 1 + (size_t) sample * t->width,
					   last ? t->width : 2 * t->width);
	if (p == NULL)
		return false;
	place = load(p, t->width);
	if (!last)
		next = load(p + t->width, t->width);
	if (place >= next || next > t->bytes)
		return mpk_cursor_fail(l->cursor);
	element->place = l->spot->place + place;
	element->limit = l->spot->place + next;
	return pass_elements(l->cursor, &element->place, element->limit,
						 index & ((1u << t->shift) - 1)) &&
		(element->place < element->limit || mpk_cursor_fail(l->cursor));
}

/* --- where a container ends --- */

/* The place of the last entry in the order of the document, and how many elements begin there. */
static bool
find_last_entry(const lookup *l, uint32 *place, uint32 *elements)
{
	const mpk_table *t = l->table;
	size_t		first = t->place;
	size_t		step = t->width;
	uint32		count = t->count;

	*elements = 1;
	*place = 0;
	if (MPK_TABLE_KIND(t->form) == MPK_TABLE_LONG_MAP)
	{
		first += 1 + (((size_t) 1 << t->shift) + 1) * t->width + 1;
		step = 1 + t->width;
	}
	else if (MPK_TABLE_KIND(t->form) == MPK_TABLE_SHORT_MAP)
		first += t->count;
	else
	{
		count = ((t->count - 1) >> t->shift) + 1;
		*elements = t->count - ((count - 1) << t->shift);
		first++;
	}
	/* a long map's pairs are in no order; all others ascend */
	for (uint32 i = MPK_TABLE_KIND(t->form) == MPK_TABLE_LONG_MAP ? 0 : count - 1; i < count; i++)
	{
		const uint8 *p = mpk_cursor_get(l->cursor, first + i * step, t->width);

		if (p == NULL)
			return false;
		*place = Max(*place, load(p, t->width));
	}
	return *place < t->bytes || mpk_cursor_fail(l->cursor);
}

/* Pass the value at *place, by its own tables if it has some. */
static bool
pass_last_value(const lookup *l, size_t *place)
{
	mpk_spot	value = {*place, l->spot->place + l->table->bytes, 0, 0};
	mpk_table	table;

	if (value.place >= value.limit)
		return mpk_cursor_fail(l->cursor);
	if ((l->table->form & MPK_TABLE_CHILDREN) != 0 && !find_child(l, &value))
		return false;
	if (value.table_end == 0)
		return pass_elements(l->cursor, place, value.limit, 1);
	if (!mpk_table_read(l->cursor, &value, &table))
		return false;
	*place += table.bytes;
	return true;
}

bool
mpk_index_check_end(mpk_cursor *cursor, const mpk_spot *spot, const mpk_table *table)
{
	lookup		l = {cursor, spot, table, NULL, NULL};
	bool		map = MPK_TABLE_KIND(table->form) != MPK_TABLE_ARRAY;
	size_t		limit = spot->place + table->bytes;
	mpk_spot	head = {spot->place, limit, 0, 0};
	mpk_value	container;
	uint32		last;
	uint32		elements;
	size_t		place;

	if (!mpk_spot_read(cursor, &head, &container) || !find_last_entry(&l, &last, &elements))
		return false;
	if (container.kind != (map ? MPK_MAP : MPK_ARRAY) || container.length != table->count)
		return mpk_cursor_fail(cursor);
	place = spot->place + last;
	/* a map's last value comes after its key, an array's after what has no place of its own */
	if (!pass_elements(cursor, &place, limit, map ? 1 : elements - 1) ||
		!pass_last_value(&l, &place))
		return false;
	return place == limit || mpk_cursor_fail(cursor);
}

/* --- following --- */

bool
mpk_index_element(mpk_cursor *cursor, mpk_spot *spot, const mpk_table *table, uint32 index)
{
	lookup		l = {cursor, spot, table, NULL, NULL};
	mpk_spot	found = {0, 0, 0, 0};

	if (MPK_TABLE_KIND(table->form) != MPK_TABLE_ARRAY || index >= table->count)
		return mpk_cursor_fail(cursor);
	if (!find_element(&l, index, &found) ||
		((table->form & MPK_TABLE_CHILDREN) != 0 && !find_child(&l, &found)))
		return false;
	*spot = found;
	return true;
}

/* Any step from a container of any kind. */
static pg_noinline bool
follow_table(mpk_cursor *cursor, mpk_spot *spot, const mpk_step *step)
{
	mpk_table	table;
	lookup		l = {cursor, spot, &table, step, NULL};
	mpk_spot	found = {0, 0, 0, 0};

	if (!mpk_table_read(cursor, spot, &table))
		return false;
	if (MPK_TABLE_KIND(table.form) == MPK_TABLE_ARRAY)
	{
		uint32		index;

		if (!mpk_step_index(step, table.count, &index) || !find_element(&l, index, &found))
			return false;
	}
	else
	{
		found.place = find_value(&l);
		found.limit = spot->place + table.bytes;
		if (found.place == NOT_FOUND)
			return false;
		if (found.place >= found.limit)
			return mpk_cursor_fail(cursor);
	}
	if ((table.form & MPK_TABLE_CHILDREN) != 0 && !find_child(&l, &found))
		return false;
	*spot = found;
	return true;
}

/*
 * The tables of the container at "place" where those of its own map's children
 * are few: FAST_FOUND, and *spot's tables are set, or FAST_MISSING.  For the fast
 * path, which has checked the map's table up to its end at "lines".
 */
static inline fast_result
find_among_few(const mpk_cursor *cursor, mpk_spot *spot, const uint8 *lines, uint32 place)
{
	const uint8 *own = cursor->bytes + spot->table;
	const uint8 *own_end = cursor->bytes + spot->table_end;
	int			width = MPK_TABLE_WIDTH(*own);
	int			line = width + MPK_TABLE_DIRECTORY_WIDTH(*own);
	uint32		count;
	size_t		end = own_end - own;

	if (own_end - lines < width)
		return FAST_UNKNOWN;
	count = load(lines, width);
	lines += width;
	if (count > FEW_CHILDREN || own_end - lines < (ptrdiff_t) count * line)
		return FAST_UNKNOWN;
	for (uint32 i = 0; i < count; i++, lines += line)
	{
		uint32		start = load(lines + width, line - width);

		if (load(lines, width) == place)
		{
			/* they end where those of the child before it begin, at the most where the map's do */
			if (start >= end || own + start < lines + (size_t) (count - i) * line)
				return FAST_UNKNOWN;
			spot->table_end = spot->table + end;
			spot->table += start;
			return FAST_FOUND;
		}
		end = Min(start, end);
	}
	return FAST_MISSING;
}

/* The tables of a value that the fast path has found. */
static pg_noinline bool
find_tables(mpk_cursor *cursor, mpk_spot *spot, size_t place)
{
	mpk_table	table;
	lookup		l = {cursor, spot, &table, NULL, NULL};
	mpk_spot	found = {place, 0, 0, 0};

	if (!mpk_table_read(cursor, spot, &table))
		return false;
	found.limit = spot->place + table.bytes;
	if (!find_child(&l, &found))
		return false;
	*spot = found;
	return true;
}

bool
mpk_index_follow(mpk_cursor *cursor, mpk_spot *spot, const mpk_step *step)
{
	const uint8 *value = NULL;
	const uint8 *table;
	fast_result result = find_fast(cursor, spot, step, &value);

	if (result == FAST_MISSING)
		return false;
	if (result == FAST_UNKNOWN)
		return follow_table(cursor, spot, step);
	/* a scalar has no tables */
	table = cursor->bytes + spot->table;
	result = FAST_MISSING;
	if ((*table & MPK_TABLE_CHILDREN) != 0 && mpk_begins_container(*value))
	{
		int			width = MPK_TABLE_WIDTH(*table);
		const uint8 *lines = table + 1 + 2 * width + load(table + 1 + width, width) *
			(1 + width);

		result = find_among_few(cursor, spot, lines,
								(uint32) (value - cursor->bytes - spot->place));
		if (result == FAST_UNKNOWN)
			return find_tables(cursor, spot, value - cursor->bytes);
	}
	spot->place = value - cursor->bytes;
	if (result == FAST_MISSING)
		spot->table = spot->table_end = 0;
	return true;
}
