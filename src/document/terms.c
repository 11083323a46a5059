/*
 * terms.c
 *		What the GIN classes index of a value: terms of 64 bits.
 */
#include "document/terms.h"

#include "codec/hash.h"
#include "document/compare.h"
#include "document/path.h"

/* How often a long walk looks for a query cancel: once per so many entries, less one (a mask). */
#define INTERRUPT_MASK	0xffff

/* What tells the two uses of a value's hash apart, and what paths begin with. */
#define SEED_KEY		UINT64CONST(0x6D706B5F6B657931)	/* "mpk_key1" */
#define SEED_VALUE		UINT64CONST(0x6D706B5F76616C31)	/* "mpk_val1" */
#define SEED_PATH		UINT64CONST(0x6D706B5F70617468)	/* "mpk_path" */

/* A container being walked. */
typedef struct frame
{
	uint64		left;			/* elements, or keys and values, still to come */
	bool		is_map;			/* so a key comes whenever "left" is even */
	uint64		path;			/* of the container */
	uint64		entry_path;		/* of the value at hand */
} frame;

typedef void (*visit_key) (mpk_terms *terms, frame *map, const uint8 *key);
typedef void (*visit_scalar) (mpk_terms *terms, const frame *around, const mpk_value *value);

void
mpk_terms_init(mpk_terms *terms)
{
	terms->room = 32;
	terms->terms = palloc(terms->room * sizeof(uint64));
	terms->count = 0;
	terms->overflow = false;
}

void
mpk_terms_append(mpk_terms *terms, uint64 term)
{
	if (unlikely(terms->count == terms->room))
	{
		if (terms->room > MPK_MAX_ALLOC / sizeof(uint64) / 2)
		{
			terms->overflow = true;
			return;
		}
		terms->room *= 2;
		terms->terms = repalloc(terms->terms, terms->room * sizeof(uint64));
	}
	terms->terms[terms->count++] = term;
}

static inline uint64
key_term(uint64 hash)
{
	return mpk_hash_mix(hash ^ SEED_KEY);
}

static inline uint64
value_term(uint64 hash)
{
	return mpk_hash_mix(hash ^ SEED_VALUE);
}

static void
walk(mpk_terms *terms, const uint8 *p, visit_key on_key, visit_scalar on_scalar)
{
	frame		stack[MPK_MAX_DEPTH];
	frame		top = {1, false, SEED_PATH, SEED_PATH};
	int			depth = 0;
	uint32		passed = 0;

	for (;;)
	{
		mpk_value	value;

		if (unlikely((++passed & INTERRUPT_MASK) == 0))
			MPK_CHECK_FOR_INTERRUPTS();
		if (top.is_map && (top.left & 1) == 0)
		{
			on_key(terms, &top, p);
			p = mpk_skip(p);
			top.left--;
		}
		p = mpk_read(p, &value);
		if (mpk_is_container(value.kind))
		{
			stack[depth++] = top;
			top.is_map = value.kind == MPK_MAP;
			top.left = (uint64) value.length << top.is_map;
			top.path = top.entry_path;
			if (top.left > 0)
				continue;
			top = stack[--depth];
		}
		else
			on_scalar(terms, &top, &value);
		while (--top.left == 0)
		{
			if (depth == 0)
				return;
			top = stack[--depth];
		}
	}
}

/* --- entries --- */

static void
entry_key(mpk_terms *terms, frame *map pg_attribute_unused(), const uint8 *key)
{
	mpk_terms_append(terms, key_term(mpk_hash_value(key)));
}

/* A str that is an element is found as keys are, so that ? asks for one term. */
static void
entry_scalar(mpk_terms *terms, const frame *around, const mpk_value *value)
{
	uint64		hash = mpk_hash_scalar(value);

	mpk_terms_append(terms, value->kind == MPK_STR && !around->is_map ? key_term(hash) : value_term(hash));
}

void
mpk_terms_of_entries(mpk_terms *terms, const mpk_document *document)
{
	walk(terms, document->payload, entry_key, entry_scalar);
}

int
mpk_hashes_of_key(uint64 *hashes, const uint8 *s, size_t length)
{
	mpk_step	step;
	int			count = 0;

	mpk_step_text(&step, MPK_STEP_FIELD, s, length);
	hashes[count++] = mpk_hash_bytes(s, length, MPK_HASH_SEED_STR);
	hashes[count++] = mpk_hash_bytes(s, length, MPK_HASH_SEED_BIN);
	if (step.has_number)
		hashes[count++] = mpk_hash_scalar(&step.number);
	return count;
}

int
mpk_terms_of_key(uint64 *terms, const uint8 *s, size_t length)
{
	int			count = mpk_hashes_of_key(terms, s, length);

	for (int i = 0; i < count; i++)
		terms[i] = key_term(terms[i]);
	return count;
}

int
mpk_terms_of_scalar(uint64 *terms, const mpk_value *scalar)
{
	uint64		hash = mpk_hash_scalar(scalar);
	int			count = 0;

	terms[count++] = value_term(hash);
	if (scalar->kind == MPK_STR)
		terms[count++] = key_term(hash);
	return count;
}

/* --- paths --- */

uint64
mpk_path_root(void)
{
	return SEED_PATH;
}

uint64
mpk_path_under(uint64 path, uint64 key_hash)
{
	return mpk_hash_mix(path ^ key_hash) + SEED_PATH;
}

uint64
mpk_path_term(uint64 path, const mpk_value *scalar)
{
	return mpk_hash_mix(path ^ mpk_hash_scalar(scalar));
}

/* Elements of an array have the array's path. */
static void
path_key(mpk_terms *terms pg_attribute_unused(), frame *map, const uint8 *key)
{
	map->entry_path = mpk_path_under(map->path, mpk_hash_value(key));
}

static void
path_scalar(mpk_terms *terms, const frame *around, const mpk_value *value)
{
	mpk_terms_append(terms, mpk_path_term(around->entry_path, value));
}

void
mpk_terms_of_paths(mpk_terms *terms, const mpk_document *document)
{
	walk(terms, document->payload, path_key, path_scalar);
}
