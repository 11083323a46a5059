/*
 * cursor.c
 *		Reading a stored value that may not all be in memory.
 */
#include "document/cursor.h"

#include "document/index.h"
#include "document/nest.h"

/* Asked for at first: of a scalar, whose head then tells how much it is; of any value. */
#define FIRST_READ		32
#define FIRST_VALUE		256

const uint8 *
mpk_cursor_get_more(mpk_cursor *cursor, size_t place, size_t length)
{
	/* nobody who has a sound place asks for no bytes */
	if (length == 0 || place > cursor->length || length > cursor->length - place)
	{
		cursor->corrupt = true;
		return NULL;
	}
	cursor->fetch(cursor, place, length);
	return cursor->bytes + (place - cursor->start);
}

bool
mpk_spot_root_indexed(mpk_cursor *cursor, mpk_spot *spot)
{
	const uint8 *prelude = mpk_cursor_get(cursor, 0, MPK_PRELUDE);

	if (prelude == NULL)
		return false;
	spot->table = prelude[3];
	spot->table_end = cursor->payload;
	if (spot->table < MPK_PRELUDE || spot->table >= spot->table_end ||
		cursor->length - cursor->payload < MPK_INDEXED_PAYLOAD)
		return mpk_cursor_fail(cursor);
	return true;
}

bool
mpk_spot_read_more(mpk_cursor *cursor, const mpk_spot *spot, mpk_value *value)
{
	size_t		room = spot->limit - spot->place;
	size_t		length = Min(room, FIRST_READ);
	const uint8 *p = mpk_cursor_get(cursor, spot->place, length);
	size_t		extent;

	if (p == NULL || length == 0)
		return mpk_cursor_fail(cursor);
	extent = mpk_extent(p, p + length);
	if (extent == 0 || extent > room)
		return mpk_cursor_fail(cursor);
	if (extent > length)
		p = mpk_cursor_get(cursor, spot->place, extent);
	if (p == NULL)
		return false;
	mpk_read(p, value);
	return true;
}

bool
mpk_spot_bytes(mpk_cursor *cursor, const mpk_spot *spot, const uint8 **start, const uint8 **end)
{
	size_t		room = spot->limit - spot->place;
	size_t		length = cursor->fetch == NULL ? room : Min(room, FIRST_VALUE);

	if (spot->table_end > 0)
	{
		mpk_table	table;

		if (!mpk_table_read(cursor, spot, &table))
			return false;
		/* all of it at once, before its head and its last entry are looked at */
		*start = mpk_cursor_get(cursor, spot->place, table.bytes);
		if (*start == NULL)
			return false;
		*end = *start + table.bytes;
		return mpk_index_check_end(cursor, spot, &table);
	}
	for (;;)
	{
		*start = mpk_cursor_get(cursor, spot->place, length);
		if (*start == NULL)
			return false;
		*end = mpk_skip_within(*start, *start + length);
		/* a damaged place may lie in a str whose bytes read as anything; such values are short */
		if (*end != NULL)
			return (cursor->flags & MPK_HAS_INDEX) == 0 ||
				mpk_nests_within(*start, *end, MPK_MAX_DEPTH) || mpk_cursor_fail(cursor);
		if (length == room)
			return mpk_cursor_fail(cursor);
		length = Min(room, length * 4);
	}
}
