/*
 * index_splice.c
 *		The offset index of an edited document, out of the index that it had.
 *
 * A container's tables depend on its bytes alone, so that all which hold no
 * part of the change are copied as they stand, those inside them included.
 * Only the containers around the change have their tables written anew, from
 * the places in the old ones.
 *
 * What is read from the old index is checked as far as memory goes; what may
 * still be wrong with it then is wrong in the new one too.  Whatever looks
 * damaged makes the caller build the index from the payload.
 */
#include "document/index_builder.h"

#include "codec/hash.h"
#include "codec/scalar.h"
#include "codec/sort.h"
#include "codec/within.h"

/* How often a long loop looks for a query cancel: once per so many steps, less one (a mask). */
#define INTERRUPT_MASK	0xffff

typedef struct splicer
{
	mpk_index_builder builder;
	mpk_cursor	cursor;			/* on the old document */
	const mpk_index_change *change;
	int64		head_moved;		/* by how much the changed container's head is longer */
	int64		tail_moved;		/* by how much what lies behind the change lies further back */
} splicer;

/* One container around the change: what the old index says of it. */
typedef struct old_container
{
	uint32		place;			/* in both payloads */
	uint32		end;			/* in the old payload */
	bool		is_changed;		/* the one that the change is in */
	mpk_spot	spot;
	mpk_table	table;
	const uint8 *bytes;			/* the tables, all of them in memory */
	size_t		length;
} old_container;

/* A number of 1 to 4 bytes, little-endian. */
static inline uint32
load(const uint8 *p, int width)
{
	uint32		v = 0;

	for (int i = width; i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

static inline bool
is_map_table(const old_container *old)
{
	return MPK_TABLE_KIND(old->table.form) != MPK_TABLE_ARRAY;
}

/* Where a byte of the old payload, that is not of the change, is now. */
static inline uint32
moved(const splicer *s, uint32 place)
{
	const mpk_index_change *c = s->change;

	if (place >= c->end)
		return (uint32) (place + s->tail_moved);
	if (place > c->path[c->depth - 1])
		return (uint32) (place + s->head_moved);
	return place;
}

/* ----------
 * Entries
 * ----------
 */

/* ----- in the order of the document ----- */

/* The entries that came with the change. */
static void
push_new_entries(splicer *s, bool is_map)
{
	const uint8 *p = s->builder.payload + s->change->start + s->head_moved;
	const uint8 *end = p + s->change->length;

	if (s->change->is_value)
		return;
	while (p < end)
	{
		mpk_index_push_entry(&s->builder, (uint32) (p - s->builder.payload));
		p = mpk_skip(p);
		if (is_map)
			p = mpk_skip(p);
	}
}

/*
 * Push the entries, whose places in the old container ascend, as they are now.
 * False when a place cannot be.
 */
static bool
push_entries(splicer *s, const old_container *old, const uint32 *places, uint32 count)
{
	bool		pending = old->is_changed;	/* the new ones are still to come */
	uint32		last = 0;

	for (uint32 i = 0; i < count; i++)
	{
		uint32		place = old->place + places[i];

		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			MPK_CHECK_FOR_INTERRUPTS();
		if (places[i] <= last || places[i] >= old->table.bytes)
			return false;
		last = places[i];
		if (pending && place >= s->change->start)
		{
			push_new_entries(s, is_map_table(old));
			pending = false;
		}
		if (old->is_changed && place >= s->change->start && place < s->change->end)
			continue;
		mpk_index_push_entry(&s->builder, moved(s, place));
	}
	if (pending)
		push_new_entries(s, is_map_table(old));
	return true;
}

static int
compare_places(uint32 a, uint32 b, const void *context pg_attribute_unused())
{
	return a < b ? -1 : a > b;
}

/* The places of a map's keys, in the order of the document. */
static void
list_keys(const old_container *old, uint32 *places)
{
	const mpk_table *t = &old->table;
	const uint8 *p = old->bytes + (t->place - old->spot.table);
	int			width = t->width;
	int			step = width;

	if (MPK_TABLE_KIND(t->form) == MPK_TABLE_SHORT_MAP)
		p += t->count;
	else
	{
		p += 1 + (((size_t) 1 << t->shift) + 1) * width + 1;
		step++;
	}
	for (uint32 i = 0; i < t->count; i++)
		places[i] = load(p + (size_t) i * step, width);
	if (MPK_TABLE_KIND(t->form) == MPK_TABLE_LONG_MAP)
		mpk_sort_places(places, t->count, compare_places, NULL);
}

/* ----- maps whose tags are taken over ----- */

/* The table of a long map. */
typedef struct old_buckets
{
	const uint8 *starts;
	const uint8 *pairs;
	int			width;
	uint32		count;			/* of buckets */
} old_buckets;

static old_buckets
buckets_of(const old_container *old)
{
	const mpk_table *t = &old->table;
	old_buckets b = {.width = t->width,.count = (uint32) 1 << t->shift};

	b.starts = old->bytes + (t->place - old->spot.table) + 1;
	b.pairs = b.starts + ((size_t) b.count + 1) * t->width;
	return b;
}

/* The pair that came with the change, of which there is one at most. */
typedef struct new_pair
{
	bool		pending;		/* it is not in the table yet */
	uint32		place;
	uint32		bucket;
	uint8		tag;
	mpk_value	key;
} new_pair;

static void
find_new_pair(const splicer *s, const old_container *old, const old_buckets *buckets,
			  new_pair *pair)
{
	uint64		hash;

	pair->pending = old->is_changed && !s->change->is_value && s->change->length > 0;
	if (!pair->pending)
		return;
	pair->place = (uint32) (s->change->start + s->head_moved);
	mpk_read(s->builder.payload + pair->place, &pair->key);
	if (mpk_is_container(pair->key.kind))
		return;
	hash = mpk_hash_scalar(&pair->key);
	pair->tag = MPK_TABLE_TAG(hash);
	pair->bucket = (uint32) hash & (buckets->count - 1);
}

/* Does the new pair come before the one of this tag and place in its bucket?  -1: cannot tell. */
static int
comes_before(const splicer *s, const old_container *old, const new_pair *pair, uint8 tag,
			 uint32 place)
{
	const uint8 *start = s->change->old->payload + old->place;
	mpk_value	key;

	if (pair->tag != tag)
		return pair->tag < tag;
	if (!mpk_read_within(start + place, start + old->table.bytes, &key) ||
		mpk_is_container(key.kind))
		return -1;
	return mpk_scalar_compare(&pair->key, &key) < 0;
}

/* What the table of a long map is made of. */
typedef struct new_buckets
{
	uint32	   *starts;
	uint8	   *tags;
	uint32		count;			/* of pairs so far */
	uint32		room;
} new_buckets;

/* False when there are more than there can be. */
static bool
add_pair(splicer *s, new_buckets *b, uint8 tag, uint32 place)
{
	if (b->count == b->room)
		return false;
	b->tags[b->count++] = tag;
	mpk_index_push_entry(&s->builder, place);
	return true;
}

/* One bucket, without the pair that went and with the one that came.  False when it is damaged. */
static bool
copy_bucket(splicer *s, const old_container *old, const old_buckets *from, uint32 bucket,
			new_pair *pair, new_buckets *to)
{
	uint32		i = load(from->starts + (size_t) bucket * from->width, from->width);
	uint32		end = load(from->starts + (size_t) (bucket + 1) * from->width, from->width);
	bool		here = pair->pending && pair->bucket == bucket;

	if (end > old->table.count)
		return false;
	to->starts[bucket] = to->count;
	for (; i < end; i++)
	{
		const uint8 *p = from->pairs + (size_t) i * (1 + from->width);
		uint32		place = load(p + 1, from->width);
		uint32		at = old->place + place;
		int			before = here ? comes_before(s, old, pair, *p, place) : 0;

		if (place >= old->table.bytes || before < 0)
			return false;
		if (before > 0)
		{
			if (!add_pair(s, to, pair->tag, pair->place))
				return false;
			pair->pending = here = false;
		}
		if (old->is_changed && at >= s->change->start && at < s->change->end)
			continue;
		if (!add_pair(s, to, *p, moved(s, at)))
			return false;
	}
	if (!here)
		return true;
	pair->pending = false;
	return add_pair(s, to, pair->tag, pair->place);
}

/* Can the buckets be taken over?  Not when there are to be more or fewer. */
static bool
keeps_buckets(const splicer *s, const old_container *old, const mpk_index_frame *frame)
{
	bool		deletes = old->is_changed && !s->change->is_value && s->change->length == 0;

	return MPK_TABLE_KIND(old->table.form) == MPK_TABLE_LONG_MAP &&
		frame->count > MPK_INDEX_SHORT_MAP &&
		mpk_index_bucket_bits(frame->count) == old->table.shift &&
		mpk_index_bucket_bits(old->table.count) == old->table.shift &&
	/* the last key that is no str may go */
		!(deletes && (old->table.form & MPK_TABLE_OTHER_KEYS) != 0);
}

/* Push the entries in the order of the table, and set the frame's tags and starts. */
static bool
push_buckets(splicer *s, const old_container *old, mpk_index_frame *frame)
{
	old_buckets from = buckets_of(old);
	new_buckets to = {.room = frame->count};
	new_pair	pair;

	find_new_pair(s, old, &from, &pair);
	if (pair.pending && mpk_is_container(pair.key.kind))
		return false;
	to.starts = palloc_extended(((size_t) from.count + 1) * sizeof(uint32), MCXT_ALLOC_HUGE);
	to.tags = palloc_extended(frame->count, MCXT_ALLOC_HUGE);
	frame->starts = to.starts;
	frame->tags = to.tags;
	frame->other_keys = (old->table.form & MPK_TABLE_OTHER_KEYS) != 0 ||
		(pair.pending && pair.key.kind != MPK_STR);
	for (uint32 i = 0; i < from.count; i++)
	{
		if (!copy_bucket(s, old, &from, i, &pair, &to))
			return false;
	}
	to.starts[from.count] = to.count;
	MPK_CHECK_FOR_INTERRUPTS();
	return to.count == frame->count;
}

static bool
push_map_entries(splicer *s, const old_container *old, mpk_index_frame *frame)
{
	bool		is_short = MPK_TABLE_KIND(old->table.form) == MPK_TABLE_SHORT_MAP;
	uint32		few[MPK_INDEX_SHORT_MAP];
	uint32	   *places = few;
	bool		done;

	if (keeps_buckets(s, old, frame))
		return push_buckets(s, old, frame);
	if (old->table.count > lengthof(few))
		places = palloc_extended(old->table.count * sizeof(uint32), MCXT_ALLOC_HUGE);
	list_keys(old, places);
	done = push_entries(s, old, places, old->table.count);
	/* keys that stay keep their tags */
	if (is_short && (!old->is_changed || s->change->is_value))
	{
		frame->tags = old->bytes + (old->table.place - old->spot.table);
		frame->other_keys = (old->table.form & MPK_TABLE_OTHER_KEYS) != 0;
	}
	if (places != few)
		pfree(places);
	return done;
}

/* ----- arrays ----- */

/* The places of all elements, those between the ones in the table found by passing elements. */
static bool
list_elements(const splicer *s, const old_container *old, uint32 *places)
{
	const mpk_table *t = &old->table;
	const uint8 *start = s->change->old->payload + old->place;
	const uint8 *end = start + t->bytes;
	const uint8 *samples = old->bytes + (t->place - old->spot.table) + 1;
	uint32		mask = (UINT64CONST(1) << t->shift) - 1;

	for (uint32 i = 0; i < t->count; i++)
	{
		if ((i & mask) == 0)
			places[i] = load(samples + (size_t) (i >> t->shift) * t->width, t->width);
		else
		{
			const uint8 *next = mpk_skip_within(start + places[i - 1], end);

			if (next == NULL)
				return false;
			places[i] = (uint32) (next - start);
		}
		if (places[i] >= t->bytes)
			return false;
		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			MPK_CHECK_FOR_INTERRUPTS();
	}
	return true;
}

/* The samples, of an array that has as many elements as before and keeps its shift. */
static bool
push_samples(splicer *s, const old_container *old)
{
	const mpk_table *t = &old->table;
	const uint8 *samples = old->bytes + (t->place - old->spot.table) + 1;
	uint32		count = (uint32) (((uint64) t->count + (UINT64CONST(1) << t->shift) - 1) >> t->shift);
	uint32		last = 0;

	for (uint32 i = 0; i < count; i++)
	{
		uint32		place = load(samples + (size_t) i * t->width, t->width);

		if (place <= last || place >= t->bytes)
			return false;
		last = place;
		/* an element that was replaced begins where the old one did */
		place += old->place;
		if (old->is_changed && place == s->change->start)
			place = (uint32) (place + s->head_moved);
		else
			place = moved(s, place);
		mpk_index_push_entry(&s->builder, place);
	}
	return true;
}

static bool
push_array_entries(splicer *s, const old_container *old, mpk_index_frame *frame, uint32 bytes)
{
	int			shift = mpk_index_array_shift(frame->count, bytes);
	uint32	   *places;
	bool		done;

	frame->shift = 0;
	if (frame->count == old->table.count && shift == old->table.shift)
	{
		frame->shift = (uint8) shift;
		return push_samples(s, old);
	}
	places = palloc_extended(old->table.count * sizeof(uint32), MCXT_ALLOC_HUGE);
	done = list_elements(s, old, places) && push_entries(s, old, places, old->table.count);
	pfree(places);
	return done;
}

/* ----------
 * Children
 * ----------
 */

/* A container's directory. */
typedef struct children
{
	const uint8 *lines;
	uint32		count;
	int			width;			/* of a place */
	int			line;			/* bytes of a line */
} children;

/* False when it does not lie in the tables. */
static bool
read_directory(const old_container *old, children *c)
{
	size_t		place = old->table.directory - old->spot.table;

	c->count = 0;
	if ((old->table.form & MPK_TABLE_CHILDREN) == 0)
		return true;
	c->width = old->table.width;
	c->line = c->width + MPK_TABLE_DIRECTORY_WIDTH(old->table.form);
	if (place > old->length || old->length - place < (size_t) c->width)
		return false;
	c->count = load(old->bytes + place, c->width);
	c->lines = old->bytes + place + c->width;
	return (uint64) c->count * c->line <= old->length - place - c->width;
}

/* A child's place in the old payload, and where its tables begin and end; false when damaged. */
static bool
read_child(const old_container *old, const children *c, uint32 i, uint32 *place, size_t *start,
		   size_t *end)
{
	const uint8 *line = c->lines + (size_t) i * c->line;

	*place = old->place + load(line, c->width);
	*start = load(line + c->width, c->line - c->width);
	*end = i == 0 ? old->length : load(line - c->line + c->width, c->line - c->width);
	return *start < *end && *end <= old->length &&
		*start >= (size_t) (c->lines - old->bytes) + (size_t) c->count * c->line;
}

static bool splice_container(splicer *s, int level, size_t table, size_t table_end);

/* The values that came with the change, and their tables. */
static void
walk_new_values(splicer *s)
{
	const uint8 *p = s->builder.payload + s->change->start + s->head_moved;
	const uint8 *end = p + s->change->length;

	while (p < end && !s->builder.full)
		p = mpk_index_walk(&s->builder, p);
}

/* What the change is in, or is: "table" is that of the next container around it, if it has one. */
static bool
splice_inside(splicer *s, int level, size_t table, size_t table_end)
{
	if (level < s->change->depth - 1)
		return splice_container(s, level + 1, table, table_end);
	walk_new_values(s);
	return true;
}

/* The children, in the order of the document. */
static bool
push_children(splicer *s, const old_container *old, int level)
{
	bool		changed = level == s->change->depth - 1;
	uint32		inside = changed ? s->change->start : s->change->path[level + 1];
	bool		pending = true;
	children	c;

	if (!read_directory(old, &c))
		return false;
	for (uint32 i = 0; i < c.count; i++)
	{
		uint32		place;
		size_t		start;
		size_t		end;

		if (!read_child(old, &c, i, &place, &start, &end))
			return false;
		if (pending && place >= inside)
		{
			bool		is_it = !changed && place == inside;

			pending = false;
			if (!splice_inside(s, level, is_it ? old->spot.table + start : 0,
							   is_it ? old->spot.table + end : 0))
				return false;
			if (is_it)
				continue;
		}
		if (changed && place >= s->change->start && place < s->change->end)
			continue;
		if (place >= old->end ||
			!mpk_index_push_tables(&s->builder, moved(s, place), old->bytes + start, end - start))
			return false;
	}
	return !pending || splice_inside(s, level, 0, 0);
}

/* ----------
 * Containers
 * ----------
 */

/* Read what the old index has for the container.  False when it is damaged. */
static bool
read_old(splicer *s, int level, size_t table, size_t table_end, old_container *old)
{
	mpk_cursor *cursor = &s->cursor;

	old->place = s->change->path[level];
	old->is_changed = level == s->change->depth - 1;
	old->spot.place = cursor->payload + old->place;
	old->spot.limit = cursor->length;
	old->spot.table = table;
	old->spot.table_end = table_end;
	old->length = table_end - table;
	old->bytes = mpk_cursor_get(cursor, table, old->length);
	if (old->bytes == NULL || !mpk_table_read(cursor, &old->spot, &old->table))
		return false;
	old->end = old->place + old->table.bytes;
	return s->change->end <= old->end;
}

/*
 * Are the entries that were pushed for the container as many as it has, and can
 * keys be read where they are?  (Keys that are containers are left to the
 * caller's way: more could be wrong with them.)
 */
static bool
are_entries(const mpk_index_builder *b, const uint8 *end)
{
	const mpk_index_frame *f = &b->frames[b->depth - 1];
	const uint32 *entries = b->entries + f->entries;
	size_t		count = b->entry_count - f->entries;

	if (count != ((uint64) f->count + (UINT64CONST(1) << f->shift) - 1) >> f->shift)
		return false;
	if (!f->map || f->tags != NULL)
		return true;			/* nothing is read there */
	for (size_t i = 0; i < count; i++)
	{
		const uint8 *key = b->payload + entries[i];

		if (key >= end || mpk_begins_container(*key) || mpk_skip_within(key, end) == NULL)
			return false;
	}
	return true;
}

/* Write the tables of the container at this level of the path anew. */
static bool
splice_container(splicer *s, int level, size_t table, size_t table_end)
{
	mpk_index_builder *b = &s->builder;
	const uint8 *start = b->payload + s->change->path[level];
	mpk_value	container;
	old_container old;
	uint32		bytes;
	uint32	   *starts;
	uint8	   *tags;
	bool		done;

	/* without tables it is small, or was: pass all of it */
	if (table_end == 0)
	{
		(void) mpk_index_walk(b, start);
		return !b->full;
	}
	if (!read_old(s, level, table, table_end, &old))
		return false;
	mpk_read(start, &container);
	if (container.length == 0)
		return true;
	bytes = (uint32) (old.table.bytes + s->tail_moved);
	if (bytes > b->length - s->change->path[level] ||
		is_map_table(&old) != (container.kind == MPK_MAP))
		return false;
	(void) mpk_index_open(b, start);
	done = container.kind == MPK_MAP ? push_map_entries(s, &old, &b->frames[b->depth - 1])
		: push_array_entries(s, &old, &b->frames[b->depth - 1], bytes);
	starts = unconstify(uint32 *, b->frames[b->depth - 1].starts);
	tags = unconstify(uint8 *, b->frames[b->depth - 1].tags);
	if (!done || !are_entries(b, start + bytes) || !push_children(s, &old, level) || b->full)
		return false;
	mpk_index_close(b, start + bytes);
	if (starts != NULL)
	{
		pfree(starts);
		pfree(tags);
	}
	return true;
}

/* By how much the head of the changed container has grown. */
static int64
head_growth(const uint8 *payload, const mpk_index_change *change)
{
	uint32		place = change->path[change->depth - 1];
	mpk_value	old;
	mpk_value	new;

	mpk_read(change->old->payload + place, &old);
	mpk_read(payload + place, &new);
	return (new.body - new.start) - (old.body - old.start);
}

bool
mpk_index_splice(mpk_index *index, const uint8 *payload, size_t length,
				 const mpk_index_change *change)
{
	splicer		s;
	mpk_spot	root;
	bool		done;

	if ((change->old->flags & MPK_HAS_INDEX) == 0)
		return false;
	mpk_cursor_init(&s.cursor, change->old);
	if (!mpk_spot_root(&s.cursor, &root) || root.table_end == 0)
		return false;
	s.change = change;
	s.head_moved = head_growth(payload, change);
	s.tail_moved = (int64) length - (int64) change->old->length;
	mpk_index_begin(&s.builder, index, payload, length, 0);
	done = splice_container(&s, 0, root.table, root.table_end);
	mpk_index_end(&s.builder);
	if (!done)
		mpk_index_free(index);
	return done;
}
