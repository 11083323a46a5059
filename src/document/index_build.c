/*
 * index_build.c
 *		Building the offset index.
 *
 * One pass over the payload with an explicit stack of open containers.  The
 * places of their entries are kept on a second stack, since only at its end
 * is it known whether a container will have tables.  Tables are then written
 * in front of those of the containers inside, so that the finished index begins
 * with the outermost container's without having been moved.
 *
 * Most containers are small and have no tables, nor has anything inside them:
 * they are passed as a whole and never opened.  Where they end is told by the
 * layout, or found by passing their values.
 */
#include "document/index_builder.h"

#include "codec/hash.h"
#include "codec/within.h"

/* How often a long walk looks for a query cancel: once per so many steps, less one (a mask). */
#define INTERRUPT_MASK		0xffff

/* pass_small relies on it. */
StaticAssertDecl(MPK_INDEX_INNER_PAIRS > 15, "a fixmap may have tables for its pairs");
StaticAssertDecl(MPK_INDEX_INNER_ARRAY_BYTES <= MPK_INDEX_MAP_BYTES,
				 "a map in a small array may be large");

typedef mpk_index_frame frame;
typedef mpk_index_child child;
typedef mpk_index_builder builder;

/* ----------
 * Memory
 * ----------
 */

/*
 * A stack that is larger by half at least, and has room for so many items;
 * "small" is where it lay before it was ever grown.
 */
static void *
grow_stack(void *stack, const void *small, size_t *capacity, size_t items, size_t item)
{
	size_t		room = Max(*capacity + *capacity / 2, items);
	void	   *grown = palloc_extended(room * item, MCXT_ALLOC_HUGE);

	memcpy(grown, stack, *capacity * item);
	if (stack != small)
		pfree(stack);
	*capacity = room;
	return grown;
}

/* Room for n more entries. */
static inline void
reserve_entries(builder *b, size_t n)
{
	if (unlikely(b->entry_capacity - b->entry_count < n))
		b->entries = grow_stack(b->entries, b->small_entries, &b->entry_capacity,
								b->entry_count + n, sizeof(uint32));
}

void
mpk_index_reserve_entries(builder *b, size_t n)
{
	reserve_entries(b, n);
}

static void
push_child(builder *b, uint32 place)
{
	if (b->child_count == b->child_capacity)
		b->children = grow_stack(b->children, b->small_children, &b->child_capacity,
								 b->child_count + 1, sizeof(child));
	b->children[b->child_count].place = place;
	b->children[b->child_count].from_end = (uint32) b->index->length;
	b->child_count++;
}

bool
mpk_index_push_tables(builder *b, uint32 place, const uint8 *tables, size_t length)
{
	uint8	   *p = mpk_index_reserve_front(b, length);

	if (p == NULL)
		return false;
	memcpy(p, tables, length);
	push_child(b, place);
	return true;
}

void
mpk_index_free(mpk_index *index)
{
	if (index->buffer != index->small)
		pfree(index->buffer);
}

/* ----------
 * The walk
 * ----------
 */

/* Is this an array whose first element is a container? */
static inline bool
begins_nest(const uint8 *p)
{
	if (*p > MPK_FIXARRAY && *p < MPK_FIXSTR)
		return mpk_begins_container(p[1]);
	return *p == MPK_BYTE_ARRAY16 && mpk_load16(p + 1) > 0 && mpk_begins_container(p[3]);
}

static const uint8 *pass_small_array(const uint8 *p, const uint8 *end);

/*
 * The end of the container at p when neither it nor anything in it has tables,
 * as far as can be told by passing less than "most" bytes of it; else NULL.
 */
static pg_attribute_always_inline const uint8 *
pass_within(const uint8 *p, const uint8 *end, size_t most, bool map)
{
	const uint8 *start = p;
	const uint8 *limit = p + Min((size_t) (end - p), most);
	uint64		owed = 1;

	do
	{
		uint8		byte = *p;

		if (mpk_is_fixstr(byte))
			p += 1 + (byte & 0x1f);
		/* a map with so many pairs as to have tables has a longer head than a fixmap */
		else if (unlikely(byte == MPK_BYTE_MAP16 || byte == MPK_BYTE_MAP32))
			return NULL;
		else if (map && mpk_begins_array(byte))
		{
			/* it has tables sooner; in one that has not, nothing is long enough */
			p = pass_small_array(p, end);
			if (p == NULL)
				return NULL;
		}
		else
			p = mpk_skip_one(p, &owed);
		owed--;
	} while (owed > 0 && likely(p < limit));
	return owed == 0 && (size_t) (p - start) < most ? p : NULL;
}

static const uint8 *
pass_small_array(const uint8 *p, const uint8 *end)
{
	return pass_within(p, end, MPK_INDEX_INNER_ARRAY_BYTES, false);
}

static const uint8 *
pass_small_map(const uint8 *p, const uint8 *end)
{
	return pass_within(p, end, MPK_INDEX_MAP_BYTES, true);
}

static const uint8 *
pass_small_at(const uint8 *p, const uint8 *end)
{
	return mpk_begins_map(*p) ? pass_small_map(p, end) : pass_small_array(p, end);
}

/* The end of the container at p when it is soon told that nothing in it has tables; else NULL. */
static const uint8 *
pass_small(builder *b, const uint8 *p)
{
	const uint8 *passed;

	/* what fails must not be tried again and again, at each level of deep nesting */
	if (b->wasted > (size_t) (p - b->payload))
		return NULL;
	passed = pass_small_at(p, b->payload + b->length);
	if (unlikely(passed == NULL))
		b->wasted += MPK_INDEX_MAP_BYTES;
	return passed;
}

/* The container may be empty; returns the place after its head. */
const uint8 *
mpk_index_open(builder *b, const uint8 *p)
{
	size_t		rest = b->payload + b->length - p;
	const uint8 *body;
	mpk_value	container;
	frame	   *f;

	MPK_CHECK_FOR_INTERRUPTS();
	body = mpk_read(p, &container);
	if (unlikely(b->depth == b->frame_capacity))
		b->frames = grow_stack(b->frames, b->small_frames, &b->frame_capacity, b->depth + 1,
							   sizeof(frame));
	f = &b->frames[b->depth++];
	f->start = (uint32) (p - b->payload);
	f->count = container.length;
	f->map = container.kind == MPK_MAP;
	f->remaining = (uint64) f->count << f->map;
	f->entries = b->entry_count;
	f->children = b->child_count;
	f->index_length = b->index->length;
	f->shift = 0;
	f->tags = NULL;
	f->starts = NULL;
	/* the array has at most the rest of the payload: write_array's shift will not be less */
	if (!f->map)
		f->shift = (uint8) mpk_index_array_shift(f->count, (uint32) rest);
	reserve_entries(b, ((size_t) f->count >> f->shift) + 1);
	return body;
}

void
mpk_index_close(builder *b, const uint8 *p)
{
	frame	   *f = &b->frames[--b->depth];
	uint32		bytes = (uint32) (p - b->payload - f->start);

	if (f->count > 0 && !b->full &&
		(b->child_count > f->children || mpk_index_wants_tables(b->depth == 0, f->map, f->count, bytes)))
	{
		mpk_index_put_tables(b, f, bytes);
		b->child_count = f->children;
		b->index->containers++;
		push_child(b, f->start);
	}
	b->entry_count = f->entries;
}

/* Past the container at p by the layout, when it has no tables; else NULL. */
static const uint8 *
pass_by_layout(builder *b, const uint8 *p)
{
	const mpk_layout_record *record = &b->layout->records[b->next];

	/* what is not kept is short */
	if (b->next == b->layout->used || record->start != (size_t) (p - b->payload))
		return mpk_skip(p);
	b->next++;
	if ((record->end & MPK_LAYOUT_TABLES) != 0)
		return NULL;
	return b->payload + record->end;
}

/* Past the container at p, when nothing in it has tables as far as is soon told; else NULL. */
static inline const uint8 *
pass_container(builder *b, const uint8 *p)
{
	if (b->layout != NULL)
		return pass_by_layout(b, p);
	/* an array of containers is likely a long one: see to each of them */
	return begins_nest(p) ? NULL : pass_small(b, p);
}

/*
 * Pass what is left of the innermost container, a map.  Returns its end, or the
 * place of a container in it that must be opened; then f->remaining is not 0.
 */
static const uint8 *
pass_pairs(builder *b, frame *f, const uint8 *p)
{
	uint64		pairs = f->remaining / 2;	/* what is opened is a value: a key comes next */
	uint32	   *entry = b->entries + b->entry_count;
	uint64		none = 0;		/* what scalars hold */

	f->remaining = 0;
	for (; pairs > 0; pairs--)
	{
		*entry++ = (uint32) (p - b->payload);
		/* nothing in a key has tables: else keys nested in keys were hashed at each level */
		p = likely(mpk_is_fixstr(*p)) ? p + 1 + (*p & 0x1f) : mpk_skip(p);
		if (mpk_is_fixstr(*p))
			p += 1 + (*p & 0x1f);
		else if (mpk_begins_container(*p))
		{
			const uint8 *end = pass_container(b, p);

			if (end == NULL)
			{
				f->remaining = 2 * pairs - 1;
				break;
			}
			p = end;
		}
		else
			p = mpk_skip_one(p, &none);
		if (unlikely((pairs & INTERRUPT_MASK) == 0))
			MPK_CHECK_FOR_INTERRUPTS();
	}
	b->entry_count = entry - b->entries;
	return p;
}

/* The same of an array. */
static const uint8 *
pass_elements(builder *b, frame *f, const uint8 *p)
{
	uint32		remaining = (uint32) f->remaining;
	uint32		mask = ((uint32) 1 << f->shift) - 1;
	uint32		noted = f->count & mask;	/* of "remaining", when the place is kept */
	uint32	   *entry = b->entries + b->entry_count;
	uint64		none = 0;		/* what scalars hold */

	for (; remaining > 0; remaining--)
	{
		if ((remaining & mask) == noted)
			*entry++ = (uint32) (p - b->payload);
		if (mpk_begins_container(*p))
		{
			const uint8 *end = pass_container(b, p);

			if (end == NULL)
				break;
			p = end;
		}
		else
			p = mpk_skip_one(p, &none);
		if (unlikely((remaining & INTERRUPT_MASK) == 0))
			MPK_CHECK_FOR_INTERRUPTS();
	}
	b->entry_count = entry - b->entries;
	f->remaining = remaining;
	return p;
}

/* Pass the container at p, opening it; returns its end, unless the index became too large. */
static const uint8 *
walk(builder *b, const uint8 *p)
{
	size_t		base = b->depth;

	p = mpk_index_open(b, p);
	while (!b->full)
	{
		frame	   *f = &b->frames[b->depth - 1];

		p = f->map ? pass_pairs(b, f, p) : pass_elements(b, f, p);
		if (f->remaining > 0)
		{
			f->remaining--;
			p = mpk_index_open(b, p);
			continue;
		}
		mpk_index_close(b, p);
		if (b->depth == base)
			break;
	}
	return p;
}

const uint8 *
mpk_index_walk(builder *b, const uint8 *p)
{
	const uint8 *end;

	if (!mpk_begins_container(*p))
		return mpk_skip(p);
	end = pass_small(b, p);
	return end != NULL ? end : walk(b, p);
}

/*
 * The number of pairs of the map at p, with the place of the first, when the
 * outermost container's tables would be those of a short map; else 0.
 */
static inline uint32
short_root(const uint8 *p, const uint8 **body)
{
	uint32		count = 0;

	if ((*p & 0xf0) == MPK_FIXMAP)
	{
		count = *p & 0x0f;
		*body = p + 1;
	}
	else if (*p == MPK_BYTE_MAP16)
	{
		count = mpk_load16(p + 1);
		*body = p + 3;
	}
	return count >= MPK_INDEX_ROOT_PAIRS && count <= MPK_INDEX_SHORT_MAP ? count : 0;
}

/*
 * Most documents that have an index are such: a short map, keys that are short
 * strs, values that are scalars or small.  One loop, without stacks.  Returns
 * its end; NULL, with nothing done, when it is another.
 */
static const uint8 *
build_short_map(mpk_index *index, const uint8 *payload, size_t length)
{
	const uint8 *p;
	uint32		count = short_root(payload, &p);
	uint64		none = 0;		/* what scalars hold */
	uint8		tags[MPK_INDEX_SHORT_MAP];
	uint16		places[MPK_INDEX_SHORT_MAP];

	if (count == 0)
		return NULL;
	for (uint32 i = 0; i < count; i++)
	{
		uint32		key_length = *p & 0x1f;

		if (unlikely(!mpk_is_fixstr(*p)))
			return NULL;
		places[i] = (uint16) (p - payload);
		tags[i] = MPK_TABLE_TAG(mpk_hash_bytes_inline(p + 1, key_length, MPK_HASH_SEED_STR));
		p += 1 + key_length;
		if (mpk_is_fixstr(*p))
			p += 1 + (*p & 0x1f);
		else if (mpk_begins_container(*p))
		{
			p = begins_nest(p) ? NULL : pass_small_at(p, payload + length);
			if (p == NULL)
				return NULL;
		}
		else
			p = mpk_skip_one(p, &none);
	}
	if (unlikely(p - payload > PG_UINT16_MAX))
		return NULL;
	mpk_index_put_short_map(index, (uint32) (p - payload), count, tags, places);
	return p;
}

/* Can a payload that begins so have an index? */
static bool
may_have_index(builder *b)
{
	mpk_value	root;

	if (!mpk_begins_container(*b->payload))
		return false;
	mpk_read(b->payload, &root);
	return mpk_index_wants_root(&root, b->length) || pass_small(b, b->payload) == NULL;
}

static inline void
init_index(mpk_index *index)
{
	index->buffer = index->small;
	index->capacity = MPK_INDEX_INLINE;
	index->length = 0;
	index->containers = 0;
}

void
mpk_index_begin(builder *b, mpk_index *index, const uint8 *payload, size_t length, unsigned flags)
{
	init_index(index);
	b->index = index;
	b->payload = payload;
	b->length = length;
	b->flags = flags;
	b->full = false;
	b->layout = NULL;
	b->next = 0;
	b->wasted = 0;
	b->entries = b->small_entries;
	b->entry_count = 0;
	b->entry_capacity = MPK_INDEX_INLINE_ENTRIES;
	b->children = b->small_children;
	b->child_count = 0;
	b->child_capacity = MPK_INDEX_INLINE_CHILDREN;
	b->frames = b->small_frames;
	b->depth = 0;
	b->frame_capacity = MPK_INDEX_INLINE_FRAMES;
}

void
mpk_index_end(builder *b)
{
	if (b->full)
		b->index->length = 0;
	if (b->entries != b->small_entries)
		pfree(b->entries);
	if (b->children != b->small_children)
		pfree(b->children);
	if (b->frames != b->small_frames)
		pfree(b->frames);
}

static void
build(mpk_index *index, const uint8 *payload, size_t length, unsigned flags,
	  const mpk_layout *layout)
{
	builder		b;

	mpk_index_begin(&b, index, payload, length, flags);
	b.layout = layout;
	if (layout != NULL ? pass_by_layout(&b, payload) == NULL : may_have_index(&b))
		(void) walk(&b, payload);
	mpk_index_end(&b);
}

void
mpk_index_build(mpk_index *index, const uint8 *payload, size_t length, unsigned flags,
				const mpk_layout *layout)
{
	init_index(index);
	if (layout != NULL && layout->spoilt)
		layout = NULL;
	/* with a layout, only what holds no container worth a record */
	if ((layout == NULL || layout->used <= 1) &&
		build_short_map(index, payload, length) != NULL)
		return;
	build(index, payload, length, flags, layout);
}

const uint8 *
mpk_index_build_first(mpk_index *index, const uint8 *payload, size_t length, unsigned flags)
{
	builder		b;
	const uint8 *end;

	init_index(index);
	end = build_short_map(index, payload, length);
	if (end != NULL)
		return end;
	mpk_index_begin(&b, index, payload, length, flags);
	end = walk(&b, payload);
	mpk_index_end(&b);
	if (unlikely(b.full))
	{
		/* too large with all of "length"; maybe not with the container alone */
		end = mpk_skip(payload);
		mpk_index_free(index);
		mpk_index_build(index, payload, end - payload, flags, NULL);
	}
	return end;
}
