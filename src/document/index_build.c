/*
 * index_build.c
 *		Building the offset index.
 *
 * One pass over the payload with an explicit stack of open containers.  The
 * places of their entries are kept on a second stack, since only at its end
 * is it known whether a container will have tables.  Tables are then written
 * in front of those of the containers inside, so that the finished index begins
 * with the outermost container's without having been moved.
 */
#include "document/index.h"

#include "codec/hash.h"
#include "codec/scalar.h"
#include "codec/sort.h"
#include "codec/within.h"
#include "document/compare.h"

/* How often a long walk looks for a query cancel: once per so many steps, less one (a mask). */
#define INTERRUPT_MASK		0xffff

/* Entries and children that are kept without an allocation. */
#define INLINE_ENTRIES		64
#define INLINE_CHILDREN		8

/* Buckets up to this size are sorted by insertion. */
#define SMALL_BUCKET		8

/* A container that is open: its values are being passed. */
typedef struct frame
{
	uint32		start;			/* place of its type byte */
	uint32		count;			/* entries */
	uint64		remaining;		/* values still to come; a map has two for each entry */
	size_t		entries;		/* its first place on the stack of entries */
	size_t		children;		/* its first child on the stack of children */
	size_t		index_length;	/* when it was opened: what came since is its children's */
	bool		map;
	uint8		shift;			/* array: every 2^shift-th element is kept */
} frame;

/* A container that has tables: its place, and how far from the index's end they begin. */
typedef struct child
{
	uint32		place;
	uint32		from_end;
} child;

typedef struct builder
{
	mpk_index  *index;
	const uint8 *payload;
	size_t		length;
	unsigned	flags;
	bool		full;			/* the index would push the value past 1 GB */

	uint32	   *entries;
	size_t		entry_count;
	size_t		entry_capacity;
	child	   *children;
	size_t		child_count;
	size_t		child_capacity;

	int			depth;
	uint32		small_entries[INLINE_ENTRIES];
	child		small_children[INLINE_CHILDREN];
	frame		frames[MPK_MAX_DEPTH];
} builder;

/* --- memory --- */

/* A stack twice as large; "small" is where it lay before it was ever grown. */
static void *
grow_stack(void *stack, const void *small, size_t *capacity, size_t item)
{
	size_t		old = *capacity * item;
	void	   *grown = palloc_extended(old * 2, MCXT_ALLOC_HUGE);

	memcpy(grown, stack, old);
	if (stack != small)
		pfree(stack);
	*capacity *= 2;
	return grown;
}

static inline void
push_entry(builder *b, uint32 place)
{
	if (unlikely(b->entry_count == b->entry_capacity))
		b->entries = grow_stack(b->entries, b->small_entries, &b->entry_capacity, sizeof(uint32));
	b->entries[b->entry_count++] = place;
}

static void
push_child(builder *b, uint32 place)
{
	if (b->child_count == b->child_capacity)
		b->children = grow_stack(b->children, b->small_children, &b->child_capacity,
								 sizeof(child));
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

static uint64
hash_key(const builder *b, const uint8 *key, bool *other_keys)
{
	mpk_value	value;

	if (*key >= MPK_FIXSTR && *key < MPK_BYTE_NIL)
		return mpk_hash_bytes(key + 1, *key & 0x1f, MPK_HASH_SEED_STR);
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

static void
write_array(builder *b, const frame *f, uint32 bytes)
{
	int			width = width_of(bytes);
	int			shift = f->shift;
	uint32		samples;
	uint8	   *p;

	while (((uint64) bytes << (shift + 1)) <= (uint64) f->count * MPK_INDEX_ARRAY_STRIDE)
		shift++;
	samples = (uint32) (((uint64) f->count + (1u << shift) - 1) >> shift);
	p = begin_tables(b, f, bytes, MPK_TABLE_ARRAY, 1 + (size_t) samples * width);
	if (p == NULL)
		return;
	*p++ = (uint8) shift;
	for (uint32 i = 0; i < samples; i++)
		p = put(p, b->entries[f->entries + ((size_t) i << (shift - f->shift))] - f->start, width);
}

static void
write_short_map(builder *b, const frame *f, uint32 bytes)
{
	int			width = width_of(bytes);
	const uint32 *entries = b->entries + f->entries;
	bool		other_keys = false;
	uint8	   *tags = begin_tables(b, f, bytes, MPK_TABLE_SHORT_MAP,
									(size_t) f->count * (1 + width));
	uint8	   *places;

	if (tags == NULL)
		return;
	places = tags + f->count;
	for (uint32 i = 0; i < f->count; i++)
	{
		tags[i] = MPK_TABLE_TAG(hash_key(b, b->payload + entries[i], &other_keys));
		places = put(places, entries[i] - f->start, width);
	}
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

static void
write_long_map(builder *b, const frame *f, uint32 bytes)
{
	int			width = width_of(bytes);
	int			bits = 0;
	bool		other_keys = false;
	uint64	   *hashes = hash_keys(b, f, &other_keys);
	uint32	   *pairs = palloc_extended((size_t) f->count * sizeof(uint32), MCXT_ALLOC_HUGE);
	bucket_order order = {b, b->entries + f->entries, hashes};
	size_t		buckets;
	uint32	   *starts;
	uint8	   *p;

	while (((uint64) 4 << bits) < f->count)
		bits++;
	buckets = (size_t) 1 << bits;
	starts = palloc_extended((buckets + 1) * sizeof(uint32), MCXT_ALLOC_HUGE);
	fill_buckets(&order, f->count, bits, starts, pairs);

	p = begin_tables(b, f, bytes, MPK_TABLE_LONG_MAP,
					 1 + (buckets + 1) * width + (size_t) f->count * (1 + width));
	if (p != NULL)
	{
		*p++ = (uint8) bits;
		for (size_t i = 0; i <= buckets; i++)
			p = put(p, starts[i], width);
		for (uint32 i = 0; i < f->count; i++)
		{
			*p++ = MPK_TABLE_TAG(hashes[pairs[i]]);
			p = put(p, order.entries[pairs[i]] - f->start, width);
		}
		if (other_keys)
			*(uint8 *) mpk_index_bytes(b->index) |= MPK_TABLE_OTHER_KEYS;
	}
	pfree(hashes);
	pfree(pairs);
	pfree(starts);
}

/* --- the walk --- */

/* Is this container to have tables? */
static bool
wants_tables(const builder *b, const frame *f, uint32 bytes)
{
	bool		root = f == b->frames;

	if (b->child_count > f->children)
		return true;
	if (!f->map)
		return bytes >= (root ? MPK_INDEX_ROOT_ARRAY_BYTES : MPK_INDEX_INNER_ARRAY_BYTES);
	return bytes >= MPK_INDEX_MAP_BYTES ||
		f->count >= (root ? MPK_INDEX_ROOT_PAIRS : MPK_INDEX_INNER_PAIRS);
}

static void
open_container(builder *b, const mpk_value *container)
{
	frame	   *f = &b->frames[b->depth++];
	size_t		rest = b->payload + b->length - container->start;

	f->start = (uint32) (container->start - b->payload);
	f->count = container->length;
	f->map = container->kind == MPK_MAP;
	f->remaining = (uint64) f->count << f->map;
	f->entries = b->entry_count;
	f->children = b->child_count;
	f->index_length = b->index->length;
	f->shift = 0;
	/* the array has at most the rest of the payload: write_array's shift will not be less */
	while (!f->map &&
		   ((uint64) rest << (f->shift + 1)) <= (uint64) f->count * MPK_INDEX_ARRAY_STRIDE)
		f->shift++;
}

/* The container's last value ends at p. */
static void
close_container(builder *b, const uint8 *p)
{
	frame	   *f = &b->frames[--b->depth];
	uint32		bytes = (uint32) (p - b->payload - f->start);

	if (!b->full && wants_tables(b, f, bytes))
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

/* Keep the place of the value at p when it is an entry's. */
static inline void
note_entry(builder *b, const frame *f, const uint8 *p)
{
	if (f->map ? (f->remaining & 1) == 0
		: ((f->count - f->remaining) & ((1u << f->shift) - 1)) == 0)
		push_entry(b, (uint32) (p - b->payload));
}

/*
 * Pass the value's head, and its body unless it is a container that is not
 * empty, which is opened (the result is then true).
 */
static inline bool
pass(builder *b, const uint8 **p)
{
	uint8		byte = **p;
	mpk_value	value;

	if (byte < MPK_FIXMAP || byte >= MPK_NEGATIVE_FIXINT)
	{
		(*p)++;
		return false;
	}
	if (byte >= MPK_FIXSTR && byte < MPK_BYTE_NIL)
	{
		*p += 1 + (byte & 0x1f);
		return false;
	}
	value.length = 0;
	*p = mpk_read(*p, &value);
	if (!mpk_is_container(value.kind) || value.length == 0)
		return false;
	open_container(b, &value);
	return true;
}

static void
walk(builder *b)
{
	const uint8 *p = b->payload;
	uint64		passed = 0;

	if (!pass(b, &p))
		return;
	while (b->depth > 0 && !b->full)
	{
		note_entry(b, &b->frames[b->depth - 1], p);
		if (!pass(b, &p))
		{
			while (b->depth > 0 && --b->frames[b->depth - 1].remaining == 0)
				close_container(b, p);
		}
		if (unlikely((++passed & INTERRUPT_MASK) == 0))
			MPK_CHECK_FOR_INTERRUPTS();
	}
}

void
mpk_index_build(mpk_index *index, const uint8 *payload, size_t length, unsigned flags)
{
	builder		b;

	index->buffer = index->small;
	index->capacity = MPK_INDEX_INLINE;
	index->length = 0;
	index->containers = 0;
	/* a scalar, or a container too short for anything */
	if (length < MPK_INDEX_ROOT_PAIRS * 2)
		return;

	b.index = index;
	b.payload = payload;
	b.length = length;
	b.flags = flags;
	b.full = false;
	b.entries = b.small_entries;
	b.entry_count = 0;
	b.entry_capacity = INLINE_ENTRIES;
	b.children = b.small_children;
	b.child_count = 0;
	b.child_capacity = INLINE_CHILDREN;
	b.depth = 0;
	walk(&b);
	if (b.full)
		index->length = 0;
	if (b.entries != b.small_entries)
		pfree(b.entries);
	if (b.children != b.small_children)
		pfree(b.children);
}
