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
 * they are passed as a whole and never opened.
 */
#include "document/index_builder.h"

#include "codec/hash.h"
#include "codec/scalar.h"
#include "codec/sort.h"
#include "codec/within.h"
#include "document/compare.h"

/* How often a long walk looks for a query cancel: once per so many steps, less one (a mask). */
#define INTERRUPT_MASK		0xffff

/* pass_small relies on it. */
StaticAssertDecl(MPK_INDEX_INNER_PAIRS > 15, "a fixmap may have tables for its pairs");
StaticAssertDecl(MPK_INDEX_INNER_ARRAY_BYTES <= MPK_INDEX_MAP_BYTES,
				 "a map in a small array may be large");

/* Buckets up to this size are sorted by insertion. */
#define SMALL_BUCKET		8

typedef mpk_index_frame frame;
typedef mpk_index_child child;
typedef mpk_index_builder builder;

/* --- memory --- */

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

/* Room for n bytes in front of the index; NULL, and "full", when the value would be too large. */
static uint8 *
reserve_front(builder *b, size_t n)
{
	mpk_index  *index = b->index;
	size_t		needed = index->length + n;

	if (needed + b->length > MPK_MAX_ALLOC - MPK_PRELUDE - MPK_INDEX_PADDING - 8)
	{
		b->full = true;
		return NULL;
	}
	if (needed > index->capacity)
	{
		size_t		capacity = Max(index->capacity * 2, needed);
		uint8	   *buffer = palloc_extended(capacity, MCXT_ALLOC_HUGE);

		memcpy(buffer + capacity - index->length, mpk_index_bytes(index), index->length);
		mpk_index_free(index);
		index->buffer = buffer;
		index->capacity = capacity;
	}
	index->length = needed;
	return (uint8 *) mpk_index_bytes(index);
}

bool
mpk_index_push_tables(builder *b, uint32 place, const uint8 *tables, size_t length)
{
	uint8	   *p = reserve_front(b, length);

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

/* --- writing tables --- */

/* The least width, 1 to 4 bytes, that holds v. */
static inline int
width_of(size_t v)
{
	return v < 0x100 ? 1 : v < 0x10000 ? 2 : v < 0x1000000 ? 3 : 4;
}

static inline uint8 *
put(uint8 *p, uint32 v, int width)
{
	for (int i = 0; i < width; i++)
	{
		*p++ = (uint8) v;
		v >>= 8;
	}
	return p;
}

/* Places of a container's entries, every "step"-th of them. */
static uint8 *
put_places(uint8 *p, const frame *f, const uint32 *entries, uint32 count, uint32 step, int width)
{
	if (width == 1)
	{
		for (uint32 i = 0; i < count; i++)
			*p++ = (uint8) (entries[(size_t) i * step] - f->start);
		return p;
	}
	if (width == 2)
	{
		for (uint32 i = 0; i < count; i++)
			p = put(p, entries[(size_t) i * step] - f->start, 2);
		return p;
	}
	for (uint32 i = 0; i < count; i++)
		p = put(p, entries[(size_t) i * step] - f->start, width);
	return p;
}

/* The document that a key is, for keys that are containers. */
static mpk_document
key_document(const builder *b, const uint8 *key)
{
	mpk_document document = {0};

	document.payload = key;
	document.length = mpk_skip(key) - key;
	document.flags = b->flags & MPK_IRREGULAR;
	return document;
}

/* The hash of a key that is no fixstr. */
static uint64
hash_any_key(const builder *b, const uint8 *key, bool *other_keys)
{
	mpk_value	value;

	mpk_read(key, &value);
	if (value.kind != MPK_STR)
		*other_keys = true;
	if (mpk_is_container(value.kind))
	{
		mpk_document document = key_document(b, key);

		return mpk_hash(&document);
	}
	return mpk_hash_scalar(&value);
}

static inline uint64
hash_key(const builder *b, const uint8 *key, bool *other_keys)
{
	if (likely(mpk_is_fixstr(*key)))
		return mpk_hash_bytes(key + 1, *key & 0x1f, MPK_HASH_SEED_STR);
	return hash_any_key(b, key, other_keys);
}

/* Bytes of the directory, none without children, and the width v that goes with it. */
static size_t
size_directory(const builder *b, const frame *f, size_t own, int width, int *directory_width)
{
	size_t		children = b->child_count - f->children;
	size_t		tables = b->index->length - f->index_length;

	*directory_width = 1;
	if (children == 0)
		return 0;
	for (;;)
	{
		size_t		size = width + children * (width + *directory_width);

		if (width_of(own + size + tables) <= *directory_width)
			return size;
		(*directory_width)++;
	}
}

/* The directory to p, once there is room for all of the container's tables. */
static void
put_directory(const builder *b, const frame *f, uint8 *p, int width, int directory_width)
{
	size_t		count = b->child_count - f->children;

	if (count == 0)
		return;
	p = put(p, (uint32) count, width);
	for (size_t i = f->children; i < b->child_count; i++)
	{
		const child *c = &b->children[i];

		p = put(p, c->place - f->start, width);
		p = put(p, (uint32) (b->index->length - c->from_end), directory_width);
	}
}

/*
 * Make room for one container's tables, of which the table proper takes "size"
 * bytes, and write all but that.  Returns where it goes, or NULL.
 */
static uint8 *
begin_tables(builder *b, const frame *f, uint32 bytes, int kind, size_t size)
{
	int			width = width_of(bytes);
	size_t		own = 1 + 2 * width + size;
	int			directory_width;
	size_t		directory = size_directory(b, f, own, width, &directory_width);
	uint8	   *p = reserve_front(b, own + directory);

	if (p == NULL)
		return NULL;
	put_directory(b, f, p + own, width, directory_width);
	*p++ = (uint8) (kind | (directory > 0 ? MPK_TABLE_CHILDREN : 0) |
					(width - 1) << 3 | (directory_width - 1) << 5);
	p = put(p, bytes, width);
	return put(p, f->count, width);
}

int
mpk_index_array_shift(uint32 count, uint32 bytes)
{
	int			shift = 0;

	while (((uint64) bytes << (shift + 1)) <= (uint64) count * MPK_INDEX_ARRAY_STRIDE)
		shift++;
	return shift;
}

static void
write_array(builder *b, const frame *f, uint32 bytes)
{
	int			width = width_of(bytes);
	int			shift = mpk_index_array_shift(f->count, bytes);
	uint32		samples;
	uint8	   *p;

	samples = (uint32) (((uint64) f->count + (1u << shift) - 1) >> shift);
	p = begin_tables(b, f, bytes, MPK_TABLE_ARRAY, 1 + (size_t) samples * width);
	if (p == NULL)
		return;
	*p++ = (uint8) shift;
	put_places(p, f, b->entries + f->entries, samples, 1u << (shift - f->shift), width);
}

static void
write_short_map(builder *b, const frame *f, uint32 bytes)
{
	int			width = width_of(bytes);
	const uint32 *entries = b->entries + f->entries;
	bool		other_keys = false;
	uint8	   *tags = begin_tables(b, f, bytes, MPK_TABLE_SHORT_MAP,
									(size_t) f->count * (1 + width));

	if (tags == NULL)
		return;
	if (f->tags != NULL)
	{
		memcpy(tags, f->tags, f->count);
		other_keys = f->other_keys;
	}
	else
		for (uint32 i = 0; i < f->count; i++)
			tags[i] = MPK_TABLE_TAG(hash_key(b, b->payload + entries[i], &other_keys));
	put_places(tags + f->count, f, entries, f->count, 1, width);
	if (other_keys)
		*(uint8 *) mpk_index_bytes(b->index) |= MPK_TABLE_OTHER_KEYS;
}

/* --- long maps --- */

/* What orders the pairs of a long map. */
typedef struct bucket_order
{
	const builder *builder;
	const uint32 *entries;		/* places of the keys, by number of the pair */
	const uint64 *hashes;
} bucket_order;

/* Two pairs of one bucket, by their numbers: tag, key, place. */
static int
compare_pairs(uint32 a, uint32 b, const void *context)
{
	const bucket_order *order = context;
	int			tag_a = MPK_TABLE_TAG(order->hashes[a]);
	int			tag_b = MPK_TABLE_TAG(order->hashes[b]);
	mpk_value	key_a;
	mpk_value	key_b;
	int			result;

	if (tag_a != tag_b)
		return tag_a - tag_b;
	mpk_read(order->builder->payload + order->entries[a], &key_a);
	mpk_read(order->builder->payload + order->entries[b], &key_b);
	if (mpk_is_container(key_a.kind) && key_a.kind == key_b.kind)
	{
		mpk_document document_a = key_document(order->builder, key_a.start);
		mpk_document document_b = key_document(order->builder, key_b.start);

		result = mpk_compare(&document_a, &document_b);
	}
	else if (mpk_is_container(key_a.kind) || mpk_is_container(key_b.kind))
		result = (int) key_a.kind - (int) key_b.kind;
	else
		result = mpk_scalar_compare(&key_a, &key_b);
	return result != 0 ? result : (a > b) - (a < b);
}

static void
sort_bucket(uint32 *pairs, size_t count, const bucket_order *order)
{
	if (count > SMALL_BUCKET)
	{
		mpk_sort_places(pairs, count, compare_pairs, order);
		return;
	}
	for (size_t i = 1; i < count; i++)
	{
		uint32		pair = pairs[i];
		size_t		j = i;

		for (; j > 0 && compare_pairs(pairs[j - 1], pair, order) > 0; j--)
			pairs[j] = pairs[j - 1];
		pairs[j] = pair;
	}
}

/* Put the pairs' numbers into buckets, each sorted; starts has 2^bits + 1 places. */
static void
fill_buckets(const bucket_order *order, uint32 count, int bits, uint32 *starts, uint32 *pairs)
{
	uint64		mask = (UINT64CONST(1) << bits) - 1;

	/* count the bucket after each, then sum up: starts[i + 1] ends as bucket i's end */
	memset(starts, 0, sizeof(uint32) * (mask + 2));
	for (uint32 i = 0; i < count; i++)
		starts[(order->hashes[i] & mask) + 1]++;
	for (uint64 i = 1; i <= mask + 1; i++)
		starts[i] += starts[i - 1];
	/* from the last pair to the first, so that each bucket keeps their order */
	for (uint32 i = count; i-- > 0;)
		pairs[--starts[(order->hashes[i] & mask) + 1]] = i;
	/* that moved every start to where its bucket begins, one place too far right */
	memmove(starts, starts + 1, sizeof(uint32) * (mask + 1));
	starts[mask + 1] = count;

	for (uint64 i = 0; i <= mask; i++)
	{
		sort_bucket(pairs + starts[i], starts[i + 1] - starts[i], order);
		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			MPK_CHECK_FOR_INTERRUPTS();
	}
}

static uint64 *
hash_keys(const builder *b, const frame *f, bool *other_keys)
{
	const uint32 *entries = b->entries + f->entries;
	uint64	   *hashes = palloc_extended((size_t) f->count * sizeof(uint64), MCXT_ALLOC_HUGE);

	for (uint32 i = 0; i < f->count; i++)
	{
		hashes[i] = hash_key(b, b->payload + entries[i], other_keys);
		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			MPK_CHECK_FOR_INTERRUPTS();
	}
	return hashes;
}

int
mpk_index_bucket_bits(uint32 count)
{
	int			bits = 0;

	while (((uint64) 4 << bits) < count)
		bits++;
	return bits;
}

/* A long map's tables, of its pairs' tags and entries in the order of the table. */
static void
write_buckets(builder *b, const frame *f, uint32 bytes, const uint32 *starts, const uint8 *tags,
			  const uint32 *entries, bool other_keys)
{
	int			width = width_of(bytes);
	int			bits = mpk_index_bucket_bits(f->count);
	size_t		buckets = (size_t) 1 << bits;
	uint8	   *p = begin_tables(b, f, bytes, MPK_TABLE_LONG_MAP,
								 1 + (buckets + 1) * width + (size_t) f->count * (1 + width));

	if (p == NULL)
		return;
	*p++ = (uint8) bits;
	for (size_t i = 0; i <= buckets; i++)
		p = put(p, starts[i], width);
	for (uint32 i = 0; i < f->count; i++)
	{
		*p++ = tags[i];
		p = put(p, entries[i] - f->start, width);
	}
	if (other_keys)
		*(uint8 *) mpk_index_bytes(b->index) |= MPK_TABLE_OTHER_KEYS;
}

/* The same of pairs in the order of the document. */
static void
sort_into_buckets(builder *b, const frame *f, uint32 bytes)
{
	const uint32 *entries = b->entries + f->entries;
	bool		other_keys = false;
	uint64	   *hashes = hash_keys(b, f, &other_keys);
	uint32	   *pairs = palloc_extended((size_t) f->count * sizeof(uint32), MCXT_ALLOC_HUGE);
	uint8	   *tags = palloc_extended(f->count, MCXT_ALLOC_HUGE);
	int			bits = mpk_index_bucket_bits(f->count);
	uint32	   *starts = palloc_extended((((size_t) 1 << bits) + 1) * sizeof(uint32),
										 MCXT_ALLOC_HUGE);
	bucket_order order = {b, entries, hashes};

	fill_buckets(&order, f->count, bits, starts, pairs);
	for (uint32 i = 0; i < f->count; i++)
	{
		tags[i] = MPK_TABLE_TAG(hashes[pairs[i]]);
		pairs[i] = entries[pairs[i]];
	}
	write_buckets(b, f, bytes, starts, tags, pairs, other_keys);
	pfree(hashes);
	pfree(pairs);
	pfree(tags);
	pfree(starts);
}

static void
write_long_map(builder *b, const frame *f, uint32 bytes)
{
	if (f->tags != NULL)
		write_buckets(b, f, bytes, f->starts, f->tags, b->entries + f->entries, f->other_keys);
	else
		sort_into_buckets(b, f, bytes);
}

/* --- the walk --- */

/* Are these many bytes, or pairs, reason enough for tables? */
static bool
wants_tables(bool root, bool map, uint32 count, uint32 bytes)
{
	if (!map)
		return bytes >= (root ? MPK_INDEX_ROOT_ARRAY_BYTES : MPK_INDEX_INNER_ARRAY_BYTES);
	return bytes >= MPK_INDEX_MAP_BYTES ||
		count >= (root ? MPK_INDEX_ROOT_PAIRS : MPK_INDEX_INNER_PAIRS);
}

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

/* The end of the container at p when it is soon told that nothing in it has tables; else NULL. */
static const uint8 *
pass_small(builder *b, const uint8 *p)
{
	const uint8 *end = b->payload + b->length;
	const uint8 *passed;

	/* what fails must not be tried again and again, at each level of deep nesting */
	if (b->wasted > (size_t) (p - b->payload))
		return NULL;
	passed = mpk_begins_map(*p) ? pass_small_map(p, end) : pass_small_array(p, end);
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
		(b->child_count > f->children || wants_tables(b->depth == 0, f->map, f->count, bytes)))
	{
		if (!f->map)
			write_array(b, f, bytes);
		else if (f->count <= MPK_INDEX_SHORT_MAP)
			write_short_map(b, f, bytes);
		else
			write_long_map(b, f, bytes);
		b->child_count = f->children;
		b->index->containers++;
		push_child(b, f->start);
	}
	b->entry_count = f->entries;
}

/*
 * Pass what is left of the innermost container.  Returns its end, or the place
 * of a container in it that must be opened; then f->remaining is not 0.
 */
static const uint8 *
pass_values(builder *b, frame *f, const uint8 *p)
{
	uint64		remaining = f->remaining;
	uint64		mask = f->map ? 1 : (UINT64CONST(1) << f->shift) - 1;
	uint64		noted = f->map ? 0 : f->count & mask;	/* of "remaining", when it is an entry's */
	uint32	   *entry = b->entries + b->entry_count;
	uint64		none = 0;		/* what scalars hold */

	for (; remaining > 0; remaining--)
	{
		if ((remaining & mask) == noted)
		{
			*entry++ = (uint32) (p - b->payload);
			/* most keys: take the value in the same round */
			if (f->map && mpk_is_fixstr(*p))
			{
				p += 1 + (*p & 0x1f);
				remaining--;
			}
		}
		if (mpk_begins_container(*p))
		{
			const uint8 *end;

			/* nothing in a key has tables: else keys nested in keys were hashed at each level */
			if (f->map && (remaining & 1) == 0)
				end = mpk_skip(p);
			else
				/* an array of containers is likely a long one: see to each of them */
				end = begins_nest(p) ? NULL : pass_small(b, p);
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

		p = pass_values(b, f, p);
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

/* Can a payload that begins so have an index? */
static bool
may_have_index(builder *b)
{
	mpk_value	root;

	if (!mpk_begins_container(*b->payload))
		return false;
	mpk_read(b->payload, &root);
	return wants_tables(true, root.kind == MPK_MAP, root.length, (uint32) b->length) ||
		pass_small(b, b->payload) == NULL;
}

void
mpk_index_begin(builder *b, mpk_index *index, const uint8 *payload, size_t length, unsigned flags)
{
	index->buffer = index->small;
	index->capacity = MPK_INDEX_INLINE;
	index->length = 0;
	index->containers = 0;

	b->index = index;
	b->payload = payload;
	b->length = length;
	b->flags = flags;
	b->full = false;
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

void
mpk_index_build(mpk_index *index, const uint8 *payload, size_t length, unsigned flags)
{
	builder		b;

	mpk_index_begin(&b, index, payload, length, flags);
	if (may_have_index(&b))
		(void) walk(&b, payload);
	mpk_index_end(&b);
}

const uint8 *
mpk_index_build_first(mpk_index *index, const uint8 *payload, size_t length, unsigned flags)
{
	builder		b;
	const uint8 *end;

	mpk_index_begin(&b, index, payload, length, flags);
	end = walk(&b, payload);
	if (b.full)
		end = mpk_skip(payload);
	mpk_index_end(&b);
	return end;
}
