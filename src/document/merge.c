/*
 * merge.c
 *		One document out of several.
 *
 * Maps come together in one step, however many they are: the pairs of all are
 * listed, each finds the first pair with its key (document/pairs.h), and what
 * has one key forms a chain, in the order of the documents.  The chains then
 * give the pairs of the result.  Pairs that nothing happens to are copied in
 * runs as long as they lie.
 *
 * Merging goes down where a chain's values are maps, which lie one container
 * deeper each time: the recursion is bounded by MPK_MAX_DEPTH.
 */
#include "document/merge.h"

#include "port/pg_bitutils.h"

#include "codec/keys.h"
#include "codec/scalar.h"
#include "document/nest.h"
#include "document/pairs.h"

#define NONE	PG_UINT32_MAX

/* A value that takes part in a merge, in the place that is being made. */
typedef struct layer
{
	const uint8 *value;
	bool		is_patch;		/* nil deletes */
} layer;

/* One pair of a map that takes part. */
typedef struct entry
{
	const uint8 *value;
	const uint8 *end;			/* of the pair */
	uint32		map;			/* which one it is of */
	uint32		next;			/* in its chain; NONE at the end */
	bool		is_patch;
} entry;

typedef struct entries
{
	const uint8 **keys;
	entry	   *of;				/* beside the keys */
	uint32		count;
} entries;

/* What becomes of a chain: where its pair stands in the result. */
typedef struct chain
{
	uint32		place;			/* the entry whose key and place it takes; NONE: it is gone */
	uint32		last;			/* the last entry */
} chain;

/* ----------
 * Listing pairs
 * ----------
 */

static void
list_map(entries *list, const mpk_value *map, uint32 number, bool is_patch)
{
	const uint8 *p = map->body;

	for (uint32 i = 0; i < map->length; i++)
	{
		entry	   *e = &list->of[list->count];

		list->keys[list->count++] = p;
		e->value = mpk_skip(p);
		e->end = p = mpk_skip(e->value);
		e->map = number;
		e->next = NONE;
		e->is_patch = is_patch;
		MPK_CHECK_FOR_INTERRUPTS_AT(i);
	}
	MPK_CHECK_FOR_INTERRUPTS();
}

/* The pairs of all layers, which are maps. */
static void
list_maps(entries *list, const layer *layers, uint32 count)
{
	size_t		total = 0;
	mpk_value	map;

	for (uint32 i = 0; i < count; i++)
	{
		mpk_read(layers[i].value, &map);
		total += map.length;
	}
	list->keys = palloc_extended(Max(total, 1) * sizeof(uint8 *), MCXT_ALLOC_HUGE);
	list->of = palloc_extended(Max(total, 1) * sizeof(entry), MCXT_ALLOC_HUGE);
	list->count = 0;
	for (uint32 i = 0; i < count; i++)
	{
		mpk_read(layers[i].value, &map);
		list_map(list, &map, i, layers[i].is_patch);
	}
}

static void
free_entries(entries *list)
{
	pfree(list->keys);
	pfree(list->of);
}

/*
 * Link the entries with equal keys into chains; chains[i] is set for each
 * entry i that begins one.  Of equal keys of one map the last counts: it takes
 * over the link of the one before it.
 */
static void
link_chains(entries *list, unsigned flags, chain *chains, uint32 *first)
{
	mpk_keys_first(list->keys, list->count, flags, first);
	for (uint32 i = 0; i < list->count; i++)
	{
		chain	   *c = &chains[first[i]];

		MPK_CHECK_FOR_INTERRUPTS_AT(i);
		if (first[i] == i)
			c->place = i;
		else if (list->of[c->last].map == list->of[i].map)
		{
			list->of[c->last].value = list->of[i].value;
			list->of[c->last].end = NULL;	/* key and value lie apart */
			continue;
		}
		else
			list->of[c->last].next = i;
		c->last = i;
	}
}

/* ----------
 * Writing pairs
 * ----------
 */

/* Bytes of a document that are to be copied, not yet written: what follows on may join. */
typedef struct run
{
	mpk_writer *writer;
	const uint8 *start;
	const uint8 *end;
} run;

static inline void
flush_run(run *r)
{
	if (r->start != r->end)
		mpk_write_span(r->writer, r->start, r->end);
	r->start = r->end = NULL;
}

static inline void
add_to_run(run *r, const uint8 *start, const uint8 *end)
{
	if (r->end != start)
	{
		flush_run(r);
		r->start = start;
	}
	r->end = end;
}

/* A pair as it is. */
static void
copy_pair(run *r, const uint8 *key, const entry *e)
{
	if (e->end != NULL)
		add_to_run(r, key, e->end);
	else
	{
		add_to_run(r, key, mpk_skip(key));
		add_to_run(r, e->value, mpk_skip(e->value));
	}
}

/* The head of a map; the one it had, when the count is the same. */
static void
write_head(run *r, const uint8 *map, uint32 count)
{
	mpk_value	value;

	mpk_read_typed(map, &value);
	if (value.length == count)
		add_to_run(r, value.start, value.body);
	else
		mpk_write_map_head(r->writer, count);
}

/* ----------
 * Merging
 * ----------
 */

/* Set each chain's place: its first entry since the last nil.  Returns how many have one. */
static uint32
place_merged(const entries *list, chain *chains, const uint32 *first)
{
	uint32		count = 0;

	for (uint32 i = 0; i < list->count; i++)
	{
		uint32		place = NONE;

		MPK_CHECK_FOR_INTERRUPTS_AT(i);
		if (first[i] != i)
			continue;
		for (uint32 e = i; e != NONE; e = list->of[e].next)
		{
			if (list->of[e].is_patch && *list->of[e].value == MPK_BYTE_NIL)
				place = NONE;
			else if (place == NONE)
				place = e;
		}
		chains[i].place = place;
		count += (place != NONE);
	}
	return count;
}

static void write_merged(mpk_writer *writer, const layer *layers, uint32 count, unsigned flags);

/* The value of a chain of more than one entry, or of a patch. */
static void
write_chain(mpk_writer *writer, const entries *list, const chain *c, unsigned flags)
{
	uint32		count = 0;
	layer	   *layers;

	for (uint32 e = c->place; e != NONE; e = list->of[e].next)
		count++;
	layers = palloc_extended(count * sizeof(layer), MCXT_ALLOC_HUGE);
	count = 0;
	for (uint32 e = c->place; e != NONE; e = list->of[e].next)
	{
		layers[count].value = list->of[e].value;
		layers[count++].is_patch = list->of[e].is_patch;
	}
	write_merged(writer, layers, count, flags);
	pfree(layers);
}

/* The pair that stands at entry i. */
static void
write_merged_pair(run *r, const entries *list, uint32 i, const chain *c, unsigned flags)
{
	const entry *last = &list->of[c->last];

	if (!mpk_begins_map(*last->value) || (c->last == i && !last->is_patch))
	{
		/* only the last value counts */
		if (c->last == i)
			copy_pair(r, list->keys[i], last);
		else
		{
			add_to_run(r, list->keys[i], mpk_skip(list->keys[i]));
			add_to_run(r, last->value, mpk_skip(last->value));
		}
		return;
	}
	add_to_run(r, list->keys[i], mpk_skip(list->keys[i]));
	flush_run(r);
	write_chain(r->writer, list, c, flags);
}

/* Layers that are all maps, the first of them perhaps the target. */
static void
write_merged_maps(mpk_writer *writer, const layer *layers, uint32 count, unsigned flags)
{
	entries		list;
	chain	   *chains;
	uint32	   *first;
	run			r = {writer, NULL, NULL};

	list_maps(&list, layers, count);
	chains = palloc_extended(Max(list.count, 1) * sizeof(chain), MCXT_ALLOC_HUGE);
	first = palloc_extended(Max(list.count, 1) * sizeof(uint32), MCXT_ALLOC_HUGE);
	link_chains(&list, flags, chains, first);
	write_head(&r, layers[0].value, place_merged(&list, chains, first));
	for (uint32 i = 0; i < list.count && !writer->overflow; i++)
	{
		MPK_CHECK_FOR_INTERRUPTS();
		if (chains[first[i]].place == i)
			write_merged_pair(&r, &list, i, &chains[first[i]], flags);
	}
	flush_run(&r);
	pfree(first);
	pfree(chains);
	free_entries(&list);
}

/* One value out of layers, of which the last is not a patch of nil. */
static void
write_merged(mpk_writer *writer, const layer *layers, uint32 count, unsigned flags)
{
	uint32		start = count;

	/* what is not a map makes all before it of no account, itself too if a map follows */
	while (start > 0 && mpk_begins_map(*layers[start - 1].value))
		start--;
	if (start == count || (count == 1 && !layers[0].is_patch))
		mpk_write_span(writer, layers[count - 1].value, mpk_skip(layers[count - 1].value));
	else
		write_merged_maps(writer, layers + start, count - start, flags);
}

void
mpk_merge(mpk_writer *writer, const mpk_document *documents, uint32 count)
{
	layer	   *layers = palloc_extended(count * sizeof(layer), MCXT_ALLOC_HUGE);
	unsigned	flags = 0;

	for (uint32 i = 0; i < count; i++)
	{
		layers[i].value = documents[i].payload;
		layers[i].is_patch = i > 0;
		flags |= documents[i].flags & MPK_IRREGULAR;
	}
	write_merged(writer, layers, count, flags);
	pfree(layers);
}

/* ----------
 * Concatenating
 * ----------
 */

/* The pair that stands at entry i, its chain's first: the last value counts. */
static void
write_concatenated_pair(run *r, const entries *list, uint32 i, const chain *c)
{
	const entry *last = &list->of[c->last];

	if (c->last == i)
	{
		copy_pair(r, list->keys[i], last);
		return;
	}
	add_to_run(r, list->keys[i], mpk_skip(list->keys[i]));
	add_to_run(r, last->value, mpk_skip(last->value));
}

/* Any two maps. */
static void
concat_maps(mpk_writer *writer, const mpk_document *a, const mpk_document *b)
{
	layer		layers[2] = {{a->payload, false}, {b->payload, false}};
	entries		list;
	chain	   *chains;
	uint32	   *first;
	uint32		count = 0;
	run			r = {writer, NULL, NULL};

	list_maps(&list, layers, 2);
	chains = palloc_extended(Max(list.count, 1) * sizeof(chain), MCXT_ALLOC_HUGE);
	first = palloc_extended(Max(list.count, 1) * sizeof(uint32), MCXT_ALLOC_HUGE);
	link_chains(&list, (a->flags | b->flags) & MPK_IRREGULAR, chains, first);
	for (uint32 i = 0; i < list.count; i++)
		count += (first[i] == i);
	write_head(&r, a->payload, count);
	for (uint32 i = 0; i < list.count && !writer->overflow; i++)
	{
		MPK_CHECK_FOR_INTERRUPTS();
		if (first[i] == i)
			write_concatenated_pair(&r, &list, i, &chains[i]);
	}
	flush_run(&r);
	pfree(first);
	pfree(chains);
	free_entries(&list);
}

/* A map of few pairs, whose keys are scalars. */
#define FEW_PAIRS	16

typedef struct few_pairs
{
	uint32		count;
	const uint8 *keys[FEW_PAIRS + 1];	/* and where the last pair ends */
	uint16		prints[MPK_PRINTS_READ];
} few_pairs;

/* A pair of the one map whose key is that of a pair of the other. */
typedef struct match
{
	const uint8 *value;
	const uint8 *end;
	uint32		pair;			/* number in the other */
} match;

static inline uint16
print_of(const uint8 *key, const uint8 *end)
{
	if (mpk_is_short_fixstr(*key) && end - key >= MPK_PRINT_BYTES)
		return mpk_short_str_print(key, *key & 0x0f);
	return mpk_key_print(key);
}

/* False when the map has too many pairs, or a key that is a container. */
static bool
list_few(few_pairs *few, const mpk_value *map, const uint8 *end)
{
	const uint8 *p = map->body;

	if (map->length > FEW_PAIRS)
		return false;
	few->count = map->length;
	memset(few->prints, 0, sizeof(few->prints));
	for (uint32 i = 0; i < few->count; i++)
	{
		if (mpk_begins_container(*p))
			return false;
		few->keys[i] = p;
		few->prints[i] = print_of(p, end);
		p = mpk_skip(mpk_skip(p));
	}
	few->keys[few->count] = p;
	return true;
}

static bool
scalars_equal(const uint8 *a, const uint8 *b)
{
	mpk_value	x;
	mpk_value	y;

	mpk_read(a, &x);
	mpk_read(b, &y);
	return !mpk_is_container(x.kind) && mpk_scalar_compare(&x, &y) == 0;
}

/* The pairs of the map that the few have too, in order.  Both have distinct keys. */
static uint32
find_matches(const mpk_value *map, const uint8 *end, const few_pairs *few, match *matches)
{
	const uint8 *p = map->body;
	uint32		count = 0;

	for (uint32 i = 0; i < map->length; i++)
	{
		const uint8 *value = mpk_skip(p);
		const uint8 *next = mpk_skip(value);
		uint32		alike = mpk_match_16(few->prints, print_of(p, end)) &
			((1u << few->count) - 1);

		for (; alike != 0; alike &= alike - 1)
		{
			uint32		pair = (uint32) pg_rightmost_one_pos32(alike);

			if (scalars_equal(p, few->keys[pair]))
				matches[count++] = (match) {value, next, pair};
		}
		p = next;
	}
	MPK_CHECK_FOR_INTERRUPTS();
	return count;
}

/* concat_maps where b has few pairs, and all keys are distinct.  False when it is not for this. */
static bool
concat_few(mpk_writer *writer, const mpk_value *a, const uint8 *a_end, const mpk_value *b,
		   const uint8 *b_end)
{
	few_pairs	few;
	match		matches[FEW_PAIRS];
	uint32		count;
	uint32		used = 0;		/* pairs of b that are in a, a bit each */
	run			r = {writer, NULL, NULL};
	const uint8 *p = a->body;

	if (!list_few(&few, b, b_end))
		return false;
	count = find_matches(a, a_end, &few, matches);
	write_head(&r, a->start, a->length + few.count - count);
	for (uint32 i = 0; i < count; i++)
	{
		uint32		pair = matches[i].pair;

		add_to_run(&r, p, matches[i].value);
		add_to_run(&r, mpk_skip(few.keys[pair]), few.keys[pair + 1]);
		p = matches[i].end;
		used |= 1u << pair;
	}
	add_to_run(&r, p, a_end);
	for (uint32 i = 0; i < few.count; i++)
		if ((used & (1u << i)) == 0)
			add_to_run(&r, few.keys[i], few.keys[i + 1]);
	flush_run(&r);
	return true;
}

/* What a document gives to an array: an array its elements, all else itself. */
typedef struct part
{
	const uint8 *start;
	const uint8 *end;
	uint32		count;
} part;

static part
part_of(const mpk_document *document, const mpk_value *value)
{
	part		p = {document->payload, document->payload + document->length, 1};

	if (value->kind == MPK_ARRAY)
	{
		p.start = value->body;
		p.count = value->length;
	}
	return p;
}

/* Would this document, put into an array, be nested too deep? */
static bool
too_deep_inside(const mpk_document *document, const mpk_value *value)
{
	return value->kind == MPK_MAP &&
		!mpk_nests_within(document->payload, document->payload + document->length,
						  MPK_MAX_DEPTH - 1);
}

bool
mpk_concat(mpk_writer *writer, const mpk_document *a, const mpk_document *b, mpk_error *error)
{
	mpk_value	x;
	mpk_value	y;
	part		left;
	part		right;

	mpk_read(a->payload, &x);
	mpk_read(b->payload, &y);
	if (x.kind == MPK_MAP && y.kind == MPK_MAP)
	{
		if (!mpk_document_is_regular(a) || !mpk_document_is_regular(b) ||
			!concat_few(writer, &x, a->payload + a->length, &y, b->payload + b->length))
			concat_maps(writer, a, b);
		return true;
	}
	if (too_deep_inside(a, &x) || too_deep_inside(b, &y))
		return mpk_fail(error, MPK_ERR_OUTPUT_TOO_DEEP, 0);
	left = part_of(a, &x);
	right = part_of(b, &y);
	mpk_write_array_head(writer, left.count + right.count);
	mpk_write_span(writer, left.start, left.end);
	mpk_write_span(writer, right.start, right.end);
	return true;
}
