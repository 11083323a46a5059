/*
 * path.h
 *		Steps into a document: the key rule, in one place.
 *
 * A step leads from a container to one of its values.  How it finds it:
 *
 *	- Text matches a str key of those bytes; if the map has none, a bin key of
 *	  those bytes; if none and the text is an integer's plain digits ("0",
 *	  "-5": no sign but "-", no leading zeros), the key equal to that integer.
 *	- A number is an array's element, counted from 0, or from the end when it is
 *	  negative; in a map it is the key equal to it.
 *	- A key of any type matches the key equal to it.
 *	- On arrays, text does what it does in jsonb: nothing after the operator ->,
 *	  in a path an index (blanks before and a sign are allowed there).
 *	- A scalar is, as in jsonb, its own element 0 and -1 for ->; a path finds
 *	  nothing in it.
 *	- Of equal keys in one map the last counts.
 *
 * Equal is document/compare.h's: 1, 1 as uint 8 and 1.0 are one key.
 */
#ifndef MPK_PATH_H
#define MPK_PATH_H

#include "codec/simd.h"
#include "document/cursor.h"

typedef enum mpk_step_kind
{
	MPK_STEP_FIELD,				/* text after -> */
	MPK_STEP_NUMBER,			/* an integer after -> */
	MPK_STEP_PATH,				/* a text element of a path */
	MPK_STEP_KEY				/* a key of any type */
} mpk_step_kind;

/* Made by the mpk_step_* functions alone; borrows the bytes that it is made of. */
typedef struct mpk_step
{
	mpk_step_kind kind;
	bool		has_index;		/* what it means to an array, if anything */
	bool		has_number;		/* text: it is an integer's plain digits */
	uint8		head;			/* text or a str of up to 31 bytes: a str's type byte; else 0 */
	uint8		short_str[MPK_MAX_FIXSTR + 1];	/* then: the whole str, zeros behind it */
	unsigned	key_flags;		/* MPK_STEP_KEY: irregularities of the key */
	int64		index;
	uint64		hash;			/* of key */
	mpk_value	key;			/* text as a str, the number, or the key */
	mpk_value	number;			/* if has_number */
} mpk_step;

/* Text in UTF-8: a field, or with MPK_STEP_PATH an element of a path. */
extern void mpk_step_text(mpk_step *step, mpk_step_kind kind, const uint8 *s, size_t length);

extern void mpk_step_number(mpk_step *step, int64 number);

/* The document is the key. */
extern void mpk_step_key(mpk_step *step, const mpk_document *key);

/* The same of the fixstr at "key", which nearly all keys are. */
extern void mpk_step_short_str(mpk_step *step, const uint8 *key);

/*
 * Is the short str that a step asks for (head is not 0) the one at p, where
 * its type byte stands and all of its bytes are among the "room" at hand?
 */
static inline bool
mpk_step_is_short_str(const mpk_step *step, const uint8 *p, size_t room)
{
	uint32		length = 1 + (step->head & 0x1f);

#ifdef MPK_USE_SSE2
	if (likely(room >= 16 && length <= 16))
	{
		__m128i		same = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *) p),
										  _mm_loadu_si128((const __m128i *) step->short_str));

		/* the lowest bits, one for each byte of the str */
		return ((~(uint32) _mm_movemask_epi8(same)) << (32 - length)) == 0;
	}
#endif
	(void) room;
	return memcmp(p, step->short_str, length) == 0;
}

/*
 * Take the step from *spot: true, and *spot is the value found; false when
 * there is nothing there, or when the stored value is damaged (cursor->corrupt).
 */
static inline bool mpk_step_follow(mpk_cursor *cursor, mpk_spot *spot, const mpk_step *step);

/* The same from a container without tables, or a scalar; from one with tables (index.h). */
extern bool mpk_scan_follow(mpk_cursor *cursor, mpk_spot *spot, const mpk_step *step);
extern bool mpk_index_follow(mpk_cursor *cursor, mpk_spot *spot, const mpk_step *step);

static inline bool
mpk_step_follow(mpk_cursor *cursor, mpk_spot *spot, const mpk_step *step)
{
	return spot->table_end > 0 ? mpk_index_follow(cursor, spot, step)
		: mpk_scan_follow(cursor, spot, step);
}

/* Take "count" steps one after another. */
static inline bool
mpk_path_follow(mpk_cursor *cursor, mpk_spot *spot, const mpk_step *steps, int count)
{
	for (int i = 0; i < count; i++)
	{
		if (!mpk_step_follow(cursor, spot, &steps[i]))
			return false;
	}
	return true;
}

/* Number of an array's elements or of a map's pairs at the spot; false when it is a scalar. */
extern bool mpk_spot_count(mpk_cursor *cursor, const mpk_spot *spot, mpk_kind *kind,
						   uint32 *count);

/* One pair of a map in memory. */
typedef struct mpk_pair
{
	const uint8 *key;
	const uint8 *value;
} mpk_pair;

/*
 * Find the pair that a step leads to in a map whose bytes [map, end) lie in
 * memory; "flags" are its document's irregularities.  For those who are at the
 * map already and have no index to ask: it reads every key in turn.
 */
extern bool mpk_map_find(const uint8 *map, const uint8 *end, unsigned flags,
						 const mpk_step *step, mpk_pair *pair);

/*
 * The rank at which a step matches a key (0: not at all), which lies in memory
 * whole, before "end"; of the keys of one map, the step leads to the one of
 * highest rank, and to the last of those.
 */
extern int	mpk_step_match(const mpk_step *step, const uint8 *key, const uint8 *end,
						   unsigned flags);

/* The rank above which none is. */
#define MPK_STEP_BEST	3

/*
 * Order of a key that a step asks for (step->key, or the same bytes as a bin,
 * or step->number) and a key in a document, whose bytes begin at "key" and are
 * all there: -1, 0 or 1, by document/compare.h.  "flags" are the irregularities
 * of the key's document.
 */
extern int	mpk_step_compare(const mpk_step *step, const mpk_value *wanted, const mpk_value *key,
							 unsigned flags);

/*
 * An array's index, from 0, of a step's index into so many elements.  False
 * when it lies outside.
 */
extern bool mpk_step_index(const mpk_step *step, uint32 count, uint32 *index);

#endif							/* MPK_PATH_H */
