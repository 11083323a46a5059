/*
 * text_keys.c
 *		Repeated keys in the text form.
 *
 * Maps almost always hold distinct keys, which mpk_keys_check tells cheaply.
 * Otherwise, unless the map is marked _dup, the last value of a string key
 * moves to the place of the first, and the others go.
 */
#include "codec/port.h"

#include "codec/keys.h"
#include "codec/scalar.h"
#include "codec/sort.h"
#include "document/text_internal.h"

typedef struct map_entry
{
	uint32		key;			/* places in the output */
	uint32		value;
	uint32		end;
	uint32		source;			/* index of the entry whose value stands here */
	bool		dropped;
} map_entry;

typedef struct sort_context
{
	const uint8 *data;
	const map_entry *entries;
} sort_context;

static int
compare_places(uint32 a, uint32 b, const void *context)
{
	(void) context;
	return (a > b) - (a < b);
}

/* Indexes of entries, by the bytes of their keys. */
static int
compare_entries(uint32 a, uint32 b, const void *context)
{
	const sort_context *sort = (const sort_context *) context;
	mpk_value	x;
	mpk_value	y;

	mpk_read(sort->data + sort->entries[a].key, &x);
	mpk_read(sort->data + sort->entries[b].key, &y);
	return mpk_bytes_compare(x.body, x.length, y.body, y.length);
}

/* Where the entries of the map lie, in document order. */
static map_entry *
find_entries(mpk_parser *parser, uint32 *keys, uint32 count)
{
	const uint8 *data = mpk_writer_data(parser->out);
	map_entry  *entries = palloc_extended(count * sizeof(map_entry), MCXT_ALLOC_HUGE);

	/* mpk_keys_check may have left them in another order */
	mpk_sort_places(keys, count, compare_places, NULL);
	for (uint32 i = 0; i < count; i++)
	{
		MPK_CHECK_FOR_INTERRUPTS();
		entries[i].key = keys[i];
		entries[i].value = (uint32) (mpk_skip(data + keys[i]) - data);
		entries[i].end = i + 1 < count ? keys[i + 1] : (uint32) parser->out->length;
		entries[i].source = i;
		entries[i].dropped = false;
	}
	return entries;
}

/* Let the first of equal string keys have the last one's value; true when there are such. */
static bool
mark_dropped(mpk_parser *parser, map_entry *entries, uint32 count)
{
	sort_context context = {mpk_writer_data(parser->out), entries};
	uint32	   *order = palloc_extended(count * sizeof(uint32), MCXT_ALLOC_HUGE);
	uint32		strings = 0;
	bool		found = false;

	for (uint32 i = 0; i < count; i++)
	{
		mpk_value	key;

		mpk_read(context.data + entries[i].key, &key);
		if (key.kind == MPK_STR)
			order[strings++] = i;
	}
	mpk_sort_places(order, strings, compare_entries, &context);
	for (uint32 i = 1, first = 0; i < strings; i++)
	{
		if (compare_entries(order[first], order[i], &context) != 0)
		{
			first = i;
			continue;
		}
		entries[order[i]].dropped = true;
		entries[order[first]].source = order[i];
		found = true;
	}
	pfree(order);
	return found;
}

/* Write the map's entries anew, without the dropped ones. */
static void
rewrite_entries(mpk_parser *parser, mpk_parse_frame *frame, const map_entry *entries)
{
	uint8	   *content = mpk_writer_data(parser->out) + entries[0].key;
	size_t		length = parser->out->length - entries[0].key;
	uint8	   *copy = palloc(length);
	uint8	   *out = content;
	uint32		kept = 0;

	memcpy(copy, content, length);
	for (uint32 i = 0; i < frame->count; i++)
	{
		const map_entry *entry = &entries[i];
		const map_entry *source = &entries[entry->source];

		MPK_CHECK_FOR_INTERRUPTS();
		if (entry->dropped)
			continue;
		memcpy(out, copy + (entry->key - entries[0].key), entry->value - entry->key);
		out += entry->value - entry->key;
		memcpy(out, copy + (source->value - entries[0].key), source->end - source->value);
		out += source->end - source->value;
		kept++;
	}
	pfree(copy);
	parser->out->length = (size_t) (out - mpk_writer_data(parser->out));
	frame->count = kept;
}

static void
drop_repeated(mpk_parser *parser, mpk_parse_frame *frame, uint32 *keys)
{
	map_entry  *entries = find_entries(parser, keys, frame->count);

	if (mark_dropped(parser, entries, frame->count))
	{
		rewrite_entries(parser, frame, entries);
		/* keys of other kinds may still repeat, and what was dropped have been irregular */
		parser->recheck = true;
	}
	pfree(entries);
}

void
mpk_parse_settle_keys(mpk_parser *parser, mpk_parse_frame *frame)
{
	if (frame->new_keys)
	{
		unsigned	found = mpk_keys_check(&parser->keys, frame->first_key,
										   mpk_writer_data(parser->out));

		if (unlikely((found & MPK_REPEATED_KEYS) != 0) && !frame->dup)
			drop_repeated(parser, frame, parser->keys.offsets + frame->first_key);
		parser->flags |= found;
		if (frame->slots > 0)
			parser->known[frame->row - parser->rows] =
				found == 0 ? (uint8) Min(frame->count, MPK_ROW_KEYS) : 0;
	}
	parser->keys.used = frame->first_key;
}
