/*
 * index_tables.c
 *		Writing the tables of the offset index.
 *
 * An index being built grows at its front: a container's tables are written
 * when those of the containers inside it stand there already.
 */
#include "document/index_builder.h"

#include "codec/hash.h"
#include "codec/scalar.h"
#include "codec/sort.h"
#include "document/compare.h"

/* How often a long loop looks for a query cancel: once per so many steps, less one (a mask). */
#define INTERRUPT_MASK		0xffff

/* Buckets up to this size are sorted by insertion. */
#define SMALL_BUCKET		8

typedef mpk_index_frame frame;
typedef mpk_index_child child;
typedef mpk_index_builder builder;

uint8 *
mpk_index_reserve_front(builder *b, size_t n)
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
		return mpk_hash_bytes_inline(key + 1, *key & 0x1f, MPK_HASH_SEED_STR);
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
	uint8	   *p = mpk_index_reserve_front(b, own + directory);

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

/* ----- long maps ----- */

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
	{
		starts[(order->hashes[i] & mask) + 1]++;
		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			MPK_CHECK_FOR_INTERRUPTS();
	}
	for (uint64 i = 1; i <= mask + 1; i++)
		starts[i] += starts[i - 1];
	/* from the last pair to the first, so that each bucket keeps their order */
	for (uint32 i = count; i-- > 0;)
	{
		pairs[--starts[(order->hashes[i] & mask) + 1]] = i;
		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			MPK_CHECK_FOR_INTERRUPTS();
	}
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

/* ----- either ----- */

void
mpk_index_put_tables(builder *b, const frame *f, uint32 bytes)
{
	if (!f->map)
		write_array(b, f, bytes);
	else if (f->count <= MPK_INDEX_SHORT_MAP)
		write_short_map(b, f, bytes);
	else
		write_long_map(b, f, bytes);
}

void
mpk_index_put_short_map(mpk_index *index, uint32 bytes, uint32 count, const uint8 *tags,
						const uint16 *places)
{
	int			width = width_of(bytes);
	uint8	   *p;

	Assert(width <= 2);
	index->length = 1 + 2 * width + (size_t) count * (1 + width);
	index->containers = 1;
	p = (uint8 *) mpk_index_bytes(index);
	*p++ = (uint8) (MPK_TABLE_SHORT_MAP | (width - 1) << 3);
	p = put(p, bytes, width);
	p = put(p, count, width);
	memcpy(p, tags, count);
	p += count;
	if (width == 1)
		for (uint32 i = 0; i < count; i++)
			*p++ = (uint8) places[i];
	else
		for (uint32 i = 0; i < count; i++)
			p = put(p, places[i], 2);
}
