/*
 * path.c
 *		Steps into a document.
 */
#include "document/path.h"

#include "codec/hash.h"
#include "codec/number.h"
#include "codec/scalar.h"
#include "codec/within.h"
#include "document/compare.h"
#include "document/index.h"

/* How text can match a key: see path.h.  Any other step matches best or not at all. */
#define RANK_NUMBER		1
#define RANK_BIN		2

/* Asked for at first of a container that has no table. */
#define FIRST_READ		256

/* How often a long scan looks for a query cancel: once per so many entries, less one (a mask). */
#define INTERRUPT_MASK	0xffff

/* --- making steps --- */

static void
set_integer(mpk_value *value, int64 number)
{
	memset(value, 0, sizeof(*value));
	value->kind = number >= 0 ? MPK_UINT : MPK_INT;
	value->as.i64 = number;
}

/* Digits to a magnitude; false when there are none, others than digits, or too many. */
static bool
parse_magnitude(const uint8 *s, const uint8 *end, uint64 *magnitude)
{
	uint64		v = 0;

	if (s == end)
		return false;
	for (; s < end; s++)
	{
		unsigned	digit = (unsigned) *s - '0';

		if (digit > 9 || v > (PG_UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*magnitude = v;
	return true;
}

/* Is the text an integer as it would be printed, in the range that MessagePack has? */
static bool
parse_plain_integer(const uint8 *s, size_t length, mpk_value *number)
{
	const uint8 *end = s + length;
	bool		negative = length > 0 && *s == '-';
	uint64		magnitude;

	s += negative;
	if (!parse_magnitude(s, end, &magnitude))
		return false;
	if (*s == '0' && (negative || end - s > 1))
		return false;
	if (negative && magnitude > (uint64) PG_INT64_MAX + 1)
		return false;
	memset(number, 0, sizeof(*number));
	number->kind = negative ? MPK_INT : MPK_UINT;
	number->as.u64 = negative ? 0 - magnitude : magnitude;
	return true;
}

static inline bool
is_blank(uint8 c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Is the text an array's index as jsonb takes it in a path: what strtol takes, whole? */
static bool
parse_index(const uint8 *s, size_t length, int64 *index)
{
	const uint8 *end = s + length;
	bool		negative = false;
	uint64		magnitude;

	while (s < end && is_blank(*s))
		s++;
	if (s < end && (*s == '-' || *s == '+'))
		negative = *s++ == '-';
	if (!parse_magnitude(s, end, &magnitude) || magnitude > (uint64) PG_INT64_MAX)
		return false;
	*index = negative ? -(int64) magnitude : (int64) magnitude;
	return true;
}

/* For the fast paths: the bytes of the str that is wanted, if it is short. */
static void
set_short_str(mpk_step *step, const uint8 *s, size_t length)
{
	step->head = 0;
	if (length > MPK_MAX_FIXSTR)
		return;
	step->head = (uint8) (MPK_FIXSTR | length);
	memset(step->short_str, 0, sizeof(step->short_str));
	step->short_str[0] = step->head;
	memcpy(step->short_str + 1, s, length);
}

void
mpk_step_text(mpk_step *step, mpk_step_kind kind, const uint8 *s, size_t length)
{
	step->kind = kind;
	step->key_flags = 0;
	step->key.start = NULL;
	step->key.kind = MPK_STR;
	step->key.body = s;
	step->key.length = (uint32) length;
	set_short_str(step, s, length);
	step->hash = mpk_hash_bytes(s, length, MPK_HASH_SEED_STR);
	step->has_number = step->has_index = false;
	/* most text begins with a letter and is no number */
	if (length > 0 && *s <= '9')
	{
		step->has_number = parse_plain_integer(s, length, &step->number);
		step->has_index = kind == MPK_STEP_PATH && parse_index(s, length, &step->index);
	}
}

void
mpk_step_number(mpk_step *step, int64 number)
{
	step->kind = MPK_STEP_NUMBER;
	step->head = 0;
	step->key_flags = 0;
	set_integer(&step->key, number);
	step->hash = mpk_hash_scalar(&step->key);
	step->has_number = false;
	step->has_index = true;
	step->index = number;
}

void
mpk_step_short_str(mpk_step *step, const uint8 *key)
{
	size_t		length = *key & MPK_MAX_FIXSTR;

	step->kind = MPK_STEP_KEY;
	step->key_flags = 0;
	step->key.start = key;
	step->key.kind = MPK_STR;
	step->key.body = key + 1;
	step->key.length = (uint32) length;
	set_short_str(step, key + 1, length);
	step->hash = mpk_hash_bytes(key + 1, length, MPK_HASH_SEED_STR);
	step->has_number = step->has_index = false;
}

void
mpk_step_key(mpk_step *step, const mpk_document *key)
{
	step->kind = MPK_STEP_KEY;
	step->key_flags = key->flags & MPK_IRREGULAR;
	mpk_read(key->payload, &step->key);
	step->head = 0;
	if (step->key.kind == MPK_STR)
		set_short_str(step, step->key.body, step->key.length);
	step->hash = mpk_is_container(step->key.kind) ? mpk_hash(key) : mpk_hash_scalar(&step->key);
	step->has_number = false;
	step->has_index = mpk_is_number(step->key.kind) &&
		mpk_number_as_int64(&step->key, &step->index);
}

/* --- matching --- */

int
mpk_step_compare(const mpk_step *step, const mpk_value *wanted, const mpk_value *key,
				 unsigned flags)
{
	int			rank_wanted = mpk_kind_rank(wanted->kind);
	int			rank_key = mpk_kind_rank(key->kind);
	mpk_document a = {0};
	mpk_document b = {0};

	if (rank_wanted != rank_key)
		return rank_wanted < rank_key ? -1 : 1;
	if (!mpk_is_container(key->kind))
		return mpk_scalar_compare(wanted, key);
	a.payload = wanted->start;
	a.length = mpk_skip(wanted->start) - wanted->start;
	a.flags = step->key_flags;
	b.payload = key->start;
	b.length = mpk_skip(key->start) - key->start;
	b.flags = flags & MPK_IRREGULAR;
	return mpk_compare(&a, &b);
}

static inline bool
bytes_match(const mpk_value *wanted, const mpk_value *key)
{
	return wanted->length == key->length && memcmp(wanted->body, key->body, key->length) == 0;
}

int
mpk_step_match(const mpk_step *step, const uint8 *key, const uint8 *end, unsigned flags)
{
	mpk_value	value;

	if (!mpk_read_within(key, end, &value))
		return 0;
	if (step->kind != MPK_STEP_FIELD && step->kind != MPK_STEP_PATH)
		return mpk_step_compare(step, &step->key, &value, flags) == 0 ? MPK_STEP_BEST : 0;
	if (value.kind == MPK_STR)
		return bytes_match(&step->key, &value) ? MPK_STEP_BEST : 0;
	if (value.kind == MPK_BIN)
		return bytes_match(&step->key, &value) ? RANK_BIN : 0;
	if (step->has_number && mpk_is_number(value.kind))
		return mpk_number_compare(&step->number, &value) == 0 ? RANK_NUMBER : 0;
	return 0;
}

bool
mpk_step_index(const mpk_step *step, uint32 count, uint32 *index)
{
	int64		i = step->index;

	if (!step->has_index)
		return false;
	if (i < 0)
		i += count;
	if (i < 0 || i >= (int64) count)
		return false;
	*index = (uint32) i;
	return true;
}

/* --- scanning containers that have no table --- */

typedef enum scan_result
{
	SCAN_FOUND,
	SCAN_MISSING,
	SCAN_SHORT,					/* the bytes ended before the answer */
	SCAN_UNKNOWN				/* not a case for the fast path */
} scan_result;

/* mpk_skip_within, with the shortest values passed here. */
static inline const uint8 *
pass_value(const uint8 *p, const uint8 *end)
{
	if (likely(p < end))
	{
		uint8		byte = *p;

		if (mpk_is_fixint(byte))
			return p + 1;
		if (mpk_is_fixstr(byte))
			p += mpk_fixstr_size(byte);
		else if (byte >= MPK_BYTE_NIL && mpk_is_all_head(byte))
			p += mpk_head_size[byte & 0x1f];
		else
			return mpk_skip_within(p, end);
		return p <= end ? p : NULL;
	}
	return NULL;
}

/* Is it a case for scan_map_fast: a short str, in a map whose keys are distinct? */
static inline bool
is_fast(const mpk_step *step, unsigned flags)
{
	return step->head != 0 && (flags & MPK_REPEATED_KEYS) == 0;
}

/* What a scan came to, and where the value lies that was found. */
typedef struct scan_answer
{
	scan_result result;
	const uint8 *found;
} scan_answer;

/*
 * What nearly all scans are: the same as scan_map, but when it comes upon a key
 * that is no short str it gives up.  "p" is the first key.
 */
static pg_attribute_always_inline scan_answer
scan_map_fast(const uint8 *p, uint32 count, const uint8 *end, const mpk_step *step)
{
	for (uint32 i = 0; i < count; i++)
	{
		size_t		size;

		if (unlikely(p >= end))
			return (scan_answer) {SCAN_SHORT, NULL};
		if (unlikely(!mpk_is_fixstr(*p)))
			return (scan_answer) {SCAN_UNKNOWN, NULL};
		size = mpk_fixstr_size(*p);
		if (unlikely((size_t) (end - p) <= size))
			return (scan_answer) {SCAN_SHORT, NULL};
		if (*p == step->head && mpk_step_is_short_str(step, p, end - p))
			return (scan_answer) {SCAN_FOUND, p + size};
		p = pass_value(p + size, end);
		if (unlikely(p == NULL))
			return (scan_answer) {SCAN_SHORT, NULL};
		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			MPK_CHECK_FOR_INTERRUPTS();
	}
	return (scan_answer) {SCAN_MISSING, NULL};
}

/*
 * Look through a map's pairs.  Stops at a match of the best rank where keys
 * are distinct, and goes on to the last one where they are not.
 */
static scan_result
scan_map(const mpk_value *map, const uint8 *end, const mpk_step *step, unsigned flags,
		 mpk_pair *pair)
{
	bool		distinct = (flags & MPK_REPEATED_KEYS) == 0;
	const uint8 *p = map->body;
	int			best = 0;

	for (uint32 i = 0; i < map->length; i++)
	{
		const uint8 *value = mpk_skip_within(p, end);
		int			rank;

		if (value == NULL || value == end)
			return SCAN_SHORT;
		rank = mpk_step_match(step, p, value, flags);
		if (rank > 0 && rank >= best)
		{
			best = rank;
			pair->key = p;
			pair->value = value;
			if (rank == MPK_STEP_BEST && distinct)
				return SCAN_FOUND;
		}
		p = mpk_skip_within(value, end);
		if (p == NULL)
			return SCAN_SHORT;
		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			MPK_CHECK_FOR_INTERRUPTS();
	}
	return best > 0 ? SCAN_FOUND : SCAN_MISSING;
}

static scan_result
scan_array(const mpk_value *array, const uint8 *end, uint32 index, const uint8 **element)
{
	const uint8 *p = mpk_skip_many_within(array->body, end, index);

	*element = p;
	return p != NULL && p < end ? SCAN_FOUND : SCAN_SHORT;
}

/* Look into the container that begins at p, of which the bytes before "end" are at hand. */
static scan_result
scan_container(const uint8 *p, const uint8 *end, const mpk_step *step, unsigned flags,
			   const uint8 **found)
{
	mpk_value	container;
	mpk_pair	pair = {NULL, NULL};
	scan_result result = SCAN_MISSING;
	uint32		index;

	if (!mpk_read_within(p, end, &container))
		return SCAN_SHORT;
	if (container.kind == MPK_MAP)
	{
		if (is_fast(step, flags))
		{
			scan_answer answer = scan_map_fast(container.body, container.length, end, step);

			*found = answer.found;
			if (answer.result != SCAN_UNKNOWN)
				return answer.result;
		}
		result = scan_map(&container, end, step, flags, &pair);
		*found = pair.value;
	}
	else if (container.kind == MPK_ARRAY)
	{
		if (mpk_step_index(step, container.length, &index))
			result = scan_array(&container, end, index, found);
	}
	else if (step->kind == MPK_STEP_NUMBER && (step->index == 0 || step->index == -1))
	{
		*found = p;
		result = SCAN_FOUND;
	}
	return result;
}

bool
mpk_map_find(const uint8 *map, const uint8 *end, unsigned flags, const mpk_step *step,
			 mpk_pair *pair)
{
	mpk_value	value;

	return mpk_read_within(map, end, &value) && value.kind == MPK_MAP &&
		scan_map(&value, end, step, flags, pair) == SCAN_FOUND;
}

/* --- following --- */

/*
 * Take any step from a container without tables, or a scalar.  Of a value that
 * is not in memory ever more bytes are asked for, until they have the answer.
 */
static pg_noinline bool
scan_any(mpk_cursor *cursor, mpk_spot *spot, const mpk_step *step)
{
	size_t		room = spot->limit - spot->place;
	size_t		length = cursor->fetch == NULL ? room : Min(room, FIRST_READ);

	for (;;)
	{
		const uint8 *p = mpk_cursor_get(cursor, spot->place, length);
		const uint8 *found = NULL;
		scan_result result;

		if (p == NULL)
			return false;
		result = scan_container(p, p + length, step, cursor->flags, &found);
		if (result == SCAN_FOUND)
		{
			spot->place += found - p;
			return true;
		}
		if (result == SCAN_MISSING)
			return false;
		if (length == room)
			return mpk_cursor_fail(cursor);
		length = Min(room, length * 4);
	}
}

/* The same; what nearly all scans are, in small maps in memory, without a detour. */
bool
mpk_scan_follow(mpk_cursor *cursor, mpk_spot *spot, const mpk_step *step)
{
	if (likely(cursor->fetch == NULL && is_fast(step, cursor->flags) &&
			   spot->place < spot->limit && (cursor->bytes[spot->place] & 0xf0) == MPK_FIXMAP))
	{
		const uint8 *map = cursor->bytes + spot->place;
		scan_answer answer = scan_map_fast(map + 1, *map & 0x0f, cursor->bytes + spot->limit, step);

		if (likely(answer.result == SCAN_FOUND))
			spot->place = answer.found - cursor->bytes;
		if (likely(answer.result <= SCAN_MISSING))
			return answer.result == SCAN_FOUND;
	}
	return scan_any(cursor, spot, step);
}

bool
mpk_spot_count(mpk_cursor *cursor, const mpk_spot *spot, mpk_kind *kind, uint32 *count)
{
	mpk_value	value;

	if (spot->table_end > 0)
	{
		mpk_table	table;

		if (!mpk_table_read(cursor, spot, &table))
			return false;
		*kind = MPK_TABLE_KIND(table.form) == MPK_TABLE_ARRAY ? MPK_ARRAY : MPK_MAP;
		*count = table.count;
		return true;
	}
	if (!mpk_spot_read(cursor, spot, &value))
		return false;
	*kind = value.kind;
	*count = value.length;
	return mpk_is_container(value.kind);
}
