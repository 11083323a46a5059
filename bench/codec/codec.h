/*
 * codec.h
 *		What the codec benchmark's libraries have in common.
 *
 * An operation goes through all documents of a collection and returns a sum
 * of what it found, by which the benchmark sees that every library did the
 * same.  The operations, and what each library does for them:
 *
 *	validate	Is the document well formed?  msgpuck: mp_check; mpack: its
 *				tokens, counted; msgpack-c: msgpack_unpack, which builds a
 *				tree, since it has nothing less.  These look at the structure
 *				alone; mpk also at depth, UTF-8 and repeated keys.
 *	skip		The byte after a document that is known to be valid.  mpack:
 *				its tokens; msgpack-c has no such thing.
 *	encode		Write the document from an array of events (below), value by
 *				value, in shortest form, into a buffer that grows.  One buffer
 *				is used for all documents, so that what is measured is encoding
 *				with the checks for room, not the allocator.  mpack writes into
 *				what room there is, msgpuck where there is enough: the
 *				benchmark grows it for them.
 *	decode		Visit every value and take its content: numbers as numbers, of
 *				bytes the length and the ends.  msgpuck, mpack, mpk: as they
 *				read, without memory; msgpack-c: the tree, then a walk over it.
 *	keys		Find four keys of the outermost map, the first, the middle, the
 *				last and one that is missing, one after another, and read what
 *				is there.  msgpack-c builds its tree once for the four.  mpk by
 *				the document's bytes alone, and as a column stores it, with the
 *				offset index.
 *	path		Follow one path of two or three steps.
 *
 * memcpy copies the documents: the limit for whoever reads each byte once.
 */
#ifndef CODEC_H
#define CODEC_H

#include "document/path.h"

/* One value, as a program has it that is about to encode it. */
typedef struct event
{
	uint8		kind;			/* mpk_kind, a timestamp as MPK_EXT */
	int8		ext_code;
	uint32		length;			/* bytes; elements; pairs */
	union
	{
		bool		boolean;
		uint64		u64;
		int64		i64;
		float		f32;
		double		f64;
		const uint8 *bytes;
	}			as;
} event;

typedef struct document
{
	const uint8 *data;
	size_t		length;
	const uint8 *stored;		/* the same as a column keeps it */
	size_t		stored_length;
	const event *events;		/* one for each value, in order */
	int			event_count;
} document;

#define KEYS		4
#define MAX_STEPS	3

/* A step of a path, or a key: a name, or without one an array's index. */
typedef struct name
{
	const char *s;
	uint32		length;			/* of the name, or the index */
} name;

typedef struct collection
{
	const char *shape;
	document   *documents;
	int			count;
	size_t		bytes;
	name		keys[KEYS];
	name		path[MAX_STEPS];
	int			path_length;	/* 0: this shape has none */
	mpk_step	key_steps[KEYS];	/* the same for mpk, which the server prepares once a query */
	mpk_step	path_steps[MAX_STEPS];
	bool		has_ext;		/* the documents hold ext types */
	bool		verify;			/* compare what is encoded with the document */
} collection;

#define FOR_EACH_DOCUMENT(d, c) \
	for (const document *d = (c)->documents; d < (c)->documents + (c)->count; d++)

/* The sum of an operation that a library cannot do on these documents. */
#define UNABLE		PG_UINT64_MAX

typedef uint64 (*operation) (const collection *c);

typedef enum operation_kind
{
	VALIDATE, SKIP, ENCODE, DECODE, FIND_KEYS, FIND_PATH
} operation_kind;

typedef struct entry
{
	operation_kind kind;
	const char *library;
	operation	run;
} entry;

/* Each library's entries end with one that has no name. */
extern const entry mpk_entries[];
extern const entry msgpuck_entries[];
extern const entry mpack_entries[];
extern const entry msgpack_c_entries[];

/* Read a file as bench/documents.py writes it; the shape is its name without the ending. */
extern collection load_collection(const char *file);

/* End the program. */
extern void give_up(const char *name, const char *why) pg_attribute_noreturn();

/* What decoding and look-ups add up. */
#define SUM_MISSING		1

static inline uint64
sum_bytes(const void *s, uint32 length)
{
	const uint8 *bytes = s;

	return length == 0 ? 2 : (uint64) length + bytes[0] + ((uint64) bytes[length - 1] << 8);
}

static inline uint64
sum_float(double v)
{
	uint64		bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

/* After an encoding, when asked for: is it the document? */
static inline void
verify_encoding(const collection *c, const document *d, const void *bytes, size_t length)
{
	if (unlikely(c->verify) && (length != d->length || memcmp(bytes, d->data, length) != 0))
		give_up(c->shape, "an encoding differs from the document");
}

#endif							/* CODEC_H */
