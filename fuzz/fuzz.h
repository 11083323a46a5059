/*
 * fuzz.h
 *		What the fuzz targets share: documents out of any bytes, a naive model, memory.
 *
 * A target is one function, LLVMFuzzerTestOneInput, in fuzz/TARGET.c; dev/fuzz
 * builds and runs them all.  Memory is palloc's as a server would have it: a
 * request that palloc would refuse, or pfree of anything but a chunk, ends the
 * run, and so does a request for far more than the input could need.  All that
 * is not freed goes when the next input begins.
 */
#ifndef MPK_FUZZ_H
#define MPK_FUZZ_H

#include "document/edit.h"
#include "document/index.h"
#include "document/path.h"
#include "document/regular.h"
#include "document/stored.h"

extern int	LLVMFuzzerTestOneInput(const uint8 *data, size_t size);

/* Say what does not hold and stop. */
pg_attribute_noreturn() extern void fuzz_fail(const char *what, const char *file, int line);

#define CHECK(condition) \
	do { \
		if (!(condition)) \
			fuzz_fail(#condition, __FILE__, __LINE__); \
	} while (0)

/* ---- input ---- */

typedef struct fuzz_input
{
	const uint8 *p;
	const uint8 *end;
} fuzz_input;

/* Begin with an input: frees what the last one has left. */
extern fuzz_input fuzz_begin(const uint8 *data, size_t size);

/* The next byte; 0 from the end on. */
extern uint8 fuzz_byte(fuzz_input *in);

/* The next byte, below n; 0 when n is 0. */
extern uint32 fuzz_below(fuzz_input *in, uint32 n);

/* A chunk of exactly these bytes, so that reading past them is noticed. */
extern uint8 *fuzz_copy(const void *bytes, size_t length);

/*
 * The next document of the input.  Whatever is there becomes one: counts and
 * lengths that are too large are cut, what is missing is nil, so that valid
 * documents come out as they are and every mutation is of use.
 */
extern mpk_document fuzz_document(fuzz_input *in);

/*
 * Damage in the header, as the input tells, of a copy that the document then is.  False when
 * there is no header, or when the damage is seen at once.
 */
extern bool fuzz_damage(fuzz_input *in, mpk_document *stored);

/* The document of a payload in plain form, its flags found. */
extern mpk_document fuzz_open(const uint8 *payload, size_t length);

/* What was written, as a document. */
static inline mpk_document
fuzz_written(mpk_writer *writer)
{
	return fuzz_open(mpk_writer_data(writer), writer->length);
}

/* The document as it is stored: with its header and index; in plain form when it has none. */
extern mpk_document fuzz_stored(const mpk_document *plain);

static inline bool
fuzz_same(const void *a, size_t a_length, const void *b, size_t b_length)
{
	return a_length == b_length && memcmp(a, b, a_length) == 0;
}

/* Do both have the same payload? */
static inline bool
fuzz_identical(const mpk_document *a, const mpk_document *b)
{
	return fuzz_same(a->payload, a->length, b->payload, b->length);
}

static inline bool
fuzz_same_index(mpk_index *a, mpk_index *b)
{
	return fuzz_same(mpk_index_bytes(a), a->length, mpk_index_bytes(b), b->length);
}

/* ---- the model ---- */

/* A value taken apart. */
typedef struct fuzz_node
{
	mpk_value	value;
	const uint8 *end;			/* of its bytes */
	uint32		count;			/* of items: elements, or keys and values in turn */
	struct fuzz_node **items;
} fuzz_node;

/* Values in a container: elements, or keys and values in turn; none in a scalar. */
static inline uint64
fuzz_items(const mpk_value *value)
{
	return mpk_is_container(value->kind) ? (uint64) value->length << (value->kind == MPK_MAP) : 0;
}

/* With "distinct", of equal keys the last value stands at the first one's place. */
extern fuzz_node *fuzz_take_apart(const uint8 *p, bool distinct);

/* A document so, of equal keys the last counting. */
static inline fuzz_node *
fuzz_apart(const mpk_document *document)
{
	return fuzz_take_apart(document->payload, true);
}

/* Equality by meaning, of values that repeat no keys; slowly. */
extern bool fuzz_equal(const fuzz_node *a, const fuzz_node *b);

/* The item number of the value that a map has under an equal key, the last; -1: none. */
extern int	fuzz_find(const fuzz_node *map, const fuzz_node *key);

/*
 * A step, of which the input chooses the kind and what it says, often so that it
 * leads somewhere in the node, which may be NULL.  *wanted is set to the key.
 */
extern mpk_step fuzz_step(fuzz_input *in, const fuzz_node *node);

/* The step to an entry of a container, of the node's item number (a key's in a map). */
extern mpk_step fuzz_step_to(const fuzz_node *container, uint32 item);

/* So many steps of the input; the node to which they lead, or NULL.  -> of a scalar stays there. */
extern const fuzz_node *fuzz_steps(fuzz_input *in, const fuzz_node *node, mpk_step *steps,
								   int count);

/* The item number to which the step leads by the rule in document/path.h; -1: nowhere. */
extern int	fuzz_follow(const fuzz_node *node, const mpk_step *step);

/*
 * Does a contain b, both of distinct keys?  At the top, and only there, an array also
 * contains a scalar that it has.
 */
extern bool fuzz_contains(const fuzz_node *a, const fuzz_node *b);
extern bool fuzz_contains_at_top(const fuzz_node *a, const fuzz_node *b);

/* A container without items yet, and changing one. */
extern fuzz_node *fuzz_new(mpk_kind kind, uint32 room);
extern void fuzz_add(fuzz_node *node, uint32 place, fuzz_node *item);
extern void fuzz_remove(fuzz_node *node, uint32 place);

/* Edit in place, by steps of which none is NULL; what mpk_edit_path gives. */
extern mpk_edit_result fuzz_edit(fuzz_node *node, const mpk_edit *edit, fuzz_node *value);

/* Bring together two values of distinct keys; uses up both. */
extern fuzz_node *fuzz_concat(fuzz_node *a, fuzz_node *b);
extern fuzz_node *fuzz_merge(fuzz_node *target, fuzz_node *patch);

/* Take out pairs, and elements if asked, that are nil; false when there are none. */
extern bool fuzz_strip(fuzz_node *node, bool in_arrays);

/* Containers in one another. */
extern int	fuzz_depth(const fuzz_node *node);

/* The value as a document. */
extern mpk_document fuzz_put_together(const fuzz_node *node);

/* ---- a document in pieces ---- */

/* A cursor that gets the document piece by piece, each in a chunk of its own. */
extern void fuzz_cursor(mpk_cursor *cursor, const mpk_document *document);

#endif							/* MPK_FUZZ_H */
