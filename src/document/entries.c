/*
 * entries.c
 *		The entries of one container, one after another in the order of the document.
 */
#include "document/entries.h"

#include "codec/simd.h"

/* Of a value in TOAST so many bytes are asked for at first, and at most, beyond what was read. */
#define FIRST_AHEAD		8192
#define MOST_AHEAD		(256 * 1024)

/* A number of the index.  Always four bytes are read: a payload follows it (mpk_spot_root). */
static inline uint32
load(const uint8 *p, int width)
{
	return mpk_load32_le(p) & (PG_UINT32_MAX >> (32 - 8 * width));
}

/* Read the next line of the directory; children without tables of their own are not in it. */
static bool
next_child(mpk_entries *e)
{
	int			width = e->table.width;
	int			line = width + MPK_TABLE_DIRECTORY_WIDTH(e->table.form);
	const uint8 *p;
	uint32		start;

	e->child_place = 0;
	if (e->child == e->children)
		return true;
	p = mpk_cursor_get(e->cursor, e->lines + (size_t) e->child * line, line);
	if (p == NULL)
		return false;
	start = load(p + width, line - width);
	/* a child's tables end where those of the child before it begin */
	e->child_table_end = e->child == 0 ? e->container.table_end : e->child_table;
	e->child_table = e->container.table + start;
	if (e->child_table < e->lines + (size_t) e->children * line ||
		e->child_table >= e->child_table_end || load(p, width) == 0)
		return mpk_cursor_fail(e->cursor);
	e->child_place = e->container.place + load(p, width);
	e->child++;
	return true;
}

static bool
begin_directory(mpk_entries *e)
{
	size_t		room = e->container.table_end - e->table.directory;
	const uint8 *p;

	if ((e->table.form & MPK_TABLE_CHILDREN) == 0)
		return true;
	if (room < e->table.width)
		return mpk_cursor_fail(e->cursor);
	p = mpk_cursor_get(e->cursor, e->table.directory, e->table.width);
	if (p == NULL)
		return false;
	e->children = load(p, e->table.width);
	e->lines = e->table.directory + e->table.width;
	if ((uint64) e->children * (e->table.width + MPK_TABLE_DIRECTORY_WIDTH(e->table.form)) >
		room - e->table.width)
		return mpk_cursor_fail(e->cursor);
	return next_child(e);
}

bool
mpk_entries_begin(mpk_entries *e, mpk_cursor *cursor, const mpk_spot *spot)
{
	mpk_value	container;

	memset(e, 0, sizeof(*e));
	e->cursor = cursor;
	e->container = *spot;
	e->ahead = FIRST_AHEAD;
	e->indexed = (cursor->flags & MPK_HAS_INDEX) != 0;
	if (!mpk_spot_read(cursor, spot, &container))
		return false;
	e->kind = container.kind;
	if (!mpk_is_container(container.kind))
		return true;
	e->count = container.length;
	e->place = spot->place + (container.body - container.start);
	if (spot->table_end == 0)
		return true;
	if (!mpk_table_read(cursor, spot, &e->table))
		return false;
	if (e->table.count != e->count ||
		(MPK_TABLE_KIND(e->table.form) == MPK_TABLE_ARRAY) != (e->kind == MPK_ARRAY))
		return mpk_cursor_fail(cursor);
	return begin_directory(e);
}

/* --- keys alone --- */

/*
 * Sort numbers of so many bytes, a byte after the other from the lowest; there
 * is as much room at "spare".  Returns which of the two has them.
 */
static uint32 *
sort_by_bytes(uint32 *numbers, uint32 *spare, uint32 count, int width)
{
	for (int shift = 0; shift < 8 * width; shift += 8)
	{
		uint32		next[256] = {0};	/* where the next number with each byte goes */
		uint32	   *sorted = spare;
		uint32		sum = 0;

		for (uint32 i = 0; i < count; i++)
			next[numbers[i] >> shift & 0xff]++;
		for (int byte = 0; byte < 256; byte++)
		{
			uint32		n = next[byte];

			next[byte] = sum;
			sum += n;
		}
		for (uint32 i = 0; i < count; i++)
			sorted[next[numbers[i] >> shift & 0xff]++] = numbers[i];
		spare = numbers;
		numbers = sorted;
		MPK_CHECK_FOR_INTERRUPTS();
	}
	return numbers;
}

/* The places of a long map's keys, whose table has them in the order of their hashes. */
static bool
sort_keys(mpk_entries *e)
{
	int			width = e->table.width;
	uint32		count = e->count;
	size_t		pairs = e->table.place + 1 + (((size_t) 1 << e->table.shift) + 1) * width;
	const uint8 *p = mpk_cursor_get(e->cursor, pairs, (size_t) count * (1 + width));
	uint32	   *places;

	if (p == NULL)
		return false;
	places = palloc_extended((size_t) count * 2 * sizeof(uint32), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < count; i++)
		places[i] = load(p + (size_t) i * (1 + width) + 1, width);
	e->keys = sort_by_bytes(places, places + count, count, width);
	return true;
}

bool
mpk_entries_keys_only(mpk_entries *e)
{
	e->keys_only = true;
	if (e->cursor->fetch != NULL || e->container.table_end == 0 ||
		MPK_TABLE_KIND(e->table.form) != MPK_TABLE_LONG_MAP)
		return true;
	return sort_keys(e);
}

/* The next key of a map whose keys are sorted; its value is not looked at. */
static bool
next_key(mpk_entries *e, mpk_entry *key, mpk_entry *value)
{
	uint32		place = e->keys[e->next - 1];
	mpk_spot	spot = {e->container.place + place, e->container.place + e->table.bytes, 0, 0};

	if (place >= e->table.bytes || !mpk_spot_bytes(e->cursor, &spot, &key->start, &key->end))
		return mpk_cursor_fail(e->cursor);
	key->place = spot.place;
	memset(value, 0, sizeof(*value));
	return true;
}

/* --- one entry after another --- */

/* The end of a child, by its own tables, which are looked at more closely. */
static bool
child_end(mpk_entries *e, mpk_entry *value)
{
	mpk_spot	spot = {value->place, e->cursor->length, value->table, value->table_end};
	mpk_table	table;

	if (!mpk_table_read(e->cursor, &spot, &table) ||
		!mpk_index_check_end(e->cursor, &spot, &table))
		return false;
	mpk_entries_end_at(e, value, value->start + table.bytes);
	return true;
}

/* The value at e->place, whose bytes are all in memory. */
static inline bool
value_in_memory(mpk_entries *e, mpk_entry *value)
{
	mpk_value	head;
	const uint8 *end;

	value->place = e->place;
	value->start = e->cursor->bytes + e->place;
	value->end = NULL;
	value->table = value->table_end = 0;
	end = mpk_read(value->start, &head);
	if (!mpk_is_container(head.kind))
	{
		mpk_entries_end_at(e, value, end);
		return true;
	}
	if (e->place != e->child_place)
		return true;
	value->table = e->child_table;
	value->table_end = e->child_table_end;
	return next_child(e) && child_end(e, value);
}

/* Have what comes next fetched in ever larger pieces: who reads on is likely to go on reading. */
static bool
fetch_ahead(mpk_entries *e, size_t limit)
{
	size_t		length = Min(limit - e->place, e->ahead);

	if (e->place < e->fetched)
		return true;
	e->fetched = e->place + length;
	e->ahead = Min(e->ahead * 2, MOST_AHEAD);
	return mpk_cursor_get(e->cursor, e->place, length) != NULL;
}

/* Pass the value at the spot, which has tables, without fetching it. */
static bool
pass_value(mpk_entries *e, const mpk_spot *spot, mpk_entry *value)
{
	mpk_table	table;

	if (!mpk_table_read(e->cursor, spot, &table) ||
		!mpk_index_check_end(e->cursor, spot, &table))
		return false;
	value->start = value->end = NULL;
	e->place += table.bytes;
	return true;
}

/* The value at e->place, of which all is fetched if it is wanted. */
static bool
fetch_value(mpk_entries *e, mpk_entry *value, bool wanted)
{
	mpk_spot	spot = {e->place, e->cursor->length, 0, 0};

	if (e->container.table_end > 0)
		spot.limit = e->container.place + e->table.bytes;
	if (e->place == e->child_place)
	{
		spot.table = e->child_table;
		spot.table_end = e->child_table_end;
		if (!next_child(e))
			return false;
	}
	if (e->place >= spot.limit)
		return mpk_cursor_fail(e->cursor);
	value->place = e->place;
	value->table = spot.table;
	value->table_end = spot.table_end;
	if (!wanted && spot.table_end > 0)
		return pass_value(e, &spot, value);
	if (!fetch_ahead(e, spot.limit))
		return false;
	if (!mpk_spot_bytes(e->cursor, &spot, &value->start, &value->end))
		return false;
	mpk_entries_end_at(e, value, value->end);
	return true;
}

static inline bool
next_value(mpk_entries *e, mpk_entry *value, bool wanted)
{
	return likely(e->cursor->fetch == NULL) ? value_in_memory(e, value)
		: fetch_value(e, value, wanted);
}

bool
mpk_entries_next(mpk_entries *e, mpk_entry *key, mpk_entry *value)
{
	if (e->next == e->count)
		return false;
	e->next++;
	if (e->keys != NULL)
		return next_key(e, key, value);
	if (e->kind == MPK_MAP)
	{
		if (!next_value(e, key, true))
			return false;
		mpk_entries_end(e, key);
	}
	return next_value(e, value, !e->keys_only);
}
