/*
 * validate.c
 *		The one gate for bytes that come from outside.
 *
 * A loop for elements and one for pairs, with an explicit stack of the
 * containers that are open.  The branches go by the class of the first byte;
 * what has a fixed size is passed by a table, since no branch foresees how wide
 * the next integer is.
 *
 * A map's keys are put into a row, one for each depth, and compared with what
 * the last map there left: records in a row repeat their keys, which are then
 * known to be distinct and UTF-8, and whose lengths need not be waited for.
 */
#include "codec/validate.h"

#include "codec/keys.h"
#include "codec/simd.h"
#include "codec/utf8.h"

/* How often a query cancel is looked for. */
#define INTERRUPT_BYTES		(256 * 1024)

/*
 * With so many bytes ahead, a key that is a short str and the value after it are
 * looked at without asking for the end: 16 bytes of the first, 33 of the second.
 */
#define ROOMY				(MPK_PRINT_BYTES + 33)

/* Maps nested deeper, and those of more than MPK_ROW_KEYS pairs, have no row of keys. */
#define ROWS				16

/* A container that is open, or the object itself at the bottom. */
typedef struct frame
{
	uint64		left;			/* elements or pairs still to come */
	mpk_key_row *row;			/* a small map's keys; NULL: they are in validator.keys */
	uint32		key;			/* the slot of the next key, or the first of its keys there */
	uint32		start;			/* its place in the object */
	bool		is_map;
	bool		changed;		/* a key was put into the row */
	bool		owes_value;		/* a map: the last key's value is still to come */
} frame;

typedef struct validator
{
	const uint8 *data;			/* the object */
	const uint8 *base;			/* in the tail: where it would begin, seen from there */
	const uint8 *end;			/* of what is read, data or tail */
	const uint8 *limit;			/* up to there places are roomy */
	const uint8 *at;			/* where the value at fault begins, if a scan returns NULL */
	mpk_errcode error;			/* and what it is */
	unsigned	flags;
	mpk_layout *layout;			/* to be filled in, or NULL */
	uint8		known[ROWS];	/* by depth: so many slots hold the keys of one map, distinct */
	mpk_key_row rows[ROWS];
	frame		stack[1 + MPK_MAX_DEPTH];	/* the first is the object itself */
	mpk_key_stack keys;
	uint8		tail[2 * ROOMY];	/* a copy of the object's end, and zero bytes */
} validator;

static const uint8 *
fault(validator *v, const uint8 *at, mpk_errcode error)
{
	v->at = at;
	v->error = error;
	return NULL;
}

static void
check_utf8(validator *v, const uint8 *s, size_t length)
{
	if (!mpk_is_utf8(s, length))
		v->flags |= MPK_INVALID_UTF8;
}

/* Past the body of the value at "at", "length" bytes from "body" on. */
static inline const uint8 *
scan_body(validator *v, const uint8 *at, const uint8 *body, size_t length)
{
	if ((size_t) (v->end - body) < length)
		return fault(v, at, MPK_ERR_TRUNCATED);
	return body + length;
}

static inline const uint8 *
scan_str(validator *v, const uint8 *at, const uint8 *body, size_t length)
{
	const uint8 *next = scan_body(v, at, body, length);

	if (next != NULL)
		check_utf8(v, body, length);
	return next;
}

/* Of the bytes that begin a container. */
static inline bool
is_map_byte(uint8 byte)
{
	return byte < MPK_FIXARRAY || byte >= MPK_BYTE_MAP16;
}

/* The scalars from c0 to db that have a body, and c1. */
static const uint8 *
scan_sized(validator *v, const uint8 *p)
{
	size_t		head = mpk_head_size[*p & 0x1f];
	const uint8 *body = p + head;

	if ((size_t) (v->end - p) < head)
		return fault(v, p, MPK_ERR_TRUNCATED);
	switch (*p)
	{
		case MPK_BYTE_NEVER_USED:
			return fault(v, p, MPK_ERR_NEVER_USED);
		case MPK_BYTE_STR8:
			return scan_str(v, p, body, p[1]);
		case MPK_BYTE_STR16:
			return scan_str(v, p, body, mpk_load16(p + 1));
		case MPK_BYTE_STR32:
			return scan_str(v, p, body, mpk_load32(p + 1));
		case MPK_BYTE_BIN8:
		case MPK_BYTE_EXT8:
			return scan_body(v, p, body, p[1]);
		case MPK_BYTE_BIN16:
		case MPK_BYTE_EXT16:
			return scan_body(v, p, body, mpk_load16(p + 1));
		case MPK_BYTE_BIN32:
		case MPK_BYTE_EXT32:
			return scan_body(v, p, body, mpk_load32(p + 1));
		default:
			Assert(false);
			return NULL;
	}
}

/* The values in the container at *p, pairs counted twice; *p becomes its first, or NULL. */
static uint64
scan_long_head(validator *v, const uint8 **p)
{
	const uint8 *head = *p;

	if (v->end - head < mpk_head_size[*head & 0x1f])
	{
		*p = fault(v, head, MPK_ERR_TRUNCATED);
		return 0;
	}
	*p += mpk_head_size[*head & 0x1f];
	if (*head == MPK_BYTE_ARRAY16 || *head == MPK_BYTE_MAP16)
		return (uint64) mpk_load16(head + 1) << is_map_byte(*head);
	return (uint64) mpk_load32(head + 1) << is_map_byte(*head);
}

/* Keys where prints do not answer it: are those in the first "count" slots distinct? */
static unsigned
check_row_exactly(validator *v, const mpk_key_row *row, uint32 count)
{
	uint32		offsets[MPK_ROW_KEYS];

	for (uint32 i = 0; i < count; i++)
	{
		const uint8 *key = row->keys[i];
		bool		in_tail = key >= v->tail && key < v->tail + sizeof(v->tail);

		offsets[i] = (uint32) (key - (in_tail ? v->base : v->data));
	}
	return mpk_keys_check_exactly(offsets, count, v->data);
}

/* Where the keys of a map are to be put. */
static inline void
begin_keys(validator *v, frame *map)
{
	size_t		depth = map - v->stack - 1;

	map->owes_value = false;
	if (likely(map->left <= MPK_ROW_KEYS && depth < ROWS))
	{
		map->row = &v->rows[depth];
		map->key = 0;
		map->changed = false;
		return;
	}
	map->row = NULL;
	map->key = v->keys.used;
	if (v->keys.room - v->keys.used < map->left)
		mpk_key_stack_grow(&v->keys, (uint32) map->left);
}

/* Are the keys of the map distinct? */
static inline void
check_keys(validator *v, const frame *map)
{
	unsigned	found = 0;

	if (unlikely(map->row == NULL))
	{
		if ((v->flags & MPK_REPEATED_KEYS) == 0)
			v->flags |= mpk_keys_check(&v->keys, map->key, v->data);
		v->keys.used = map->key;
	}
	else if (map->changed)
	{
		if (map->key > 1 && unlikely(!mpk_all_differ(map->row->prints, map->key)))
			found = check_row_exactly(v, map->row, map->key);
		v->flags |= found;
		v->known[map - v->stack - 1] = found == 0 ? map->key : 0;
	}
}

/* The container at hand ends before p: note where it lies. */
static pg_noinline void
add_to_layout(validator *v, const frame *top, const uint8 *p)
{
	uint32		pairs = 0;

	if (top->is_map)
		pairs = top->row != NULL ? top->key : v->keys.used - top->key;
	mpk_layout_add(v->layout, top->start, p - v->base, top->is_map, pairs);
}

/* A container begins that is a key. */
static inline void
begin_key(validator *v)
{
	if (v->layout != NULL)
		mpk_layout_spoil(v->layout);
}

/* Begin the container at *p, unless it is empty.  Returns the frame at hand; NULL at fault. */
static pg_attribute_always_inline frame *
open_container(validator *v, frame *top, const uint8 **p)
{
	const uint8 *head = *p;
	uint64		values;

	if (likely(*head < MPK_FIXSTR))
	{
		*p += 1;
		values = (uint64) (*head & 0x0f) << is_map_byte(*head);
	}
	else
	{
		values = scan_long_head(v, p);
		if (*p == NULL)
			return NULL;
	}
	if (unlikely(top == &v->stack[MPK_MAX_DEPTH]))
		*p = fault(v, head, MPK_ERR_TOO_DEEP);
	else if (unlikely(values > (uint64) (v->end - *p)))
		*p = fault(v, head, MPK_ERR_TRUNCATED);
	if (unlikely(*p == NULL))
		return NULL;
	if (values == 0)
		return top;
	top++;
	top->left = values;
	top->start = (uint32) (head - v->base);
	top->is_map = is_map_byte(*head);
	if (top->is_map)
	{
		top->left = values / 2;
		begin_keys(v, top);
	}
	return top;
}

/* The fixstr at p holds characters beyond ASCII. */
static void
check_fixstr(validator *v, const uint8 *p)
{
	uint32		length = *p & 0x1f;
	uint32		high_bits = mpk_high_bits_32(p + 1) & ((1u << length) - 1);

	if (!mpk_is_utf8_short(p + 1, length, high_bits))
		v->flags |= MPK_INVALID_UTF8;
}

/*
 * Pass the scalar at *p, in a roomy place.  False when it is a container, or
 * at fault, when *p becomes NULL.  In the tail there may be less of the value
 * than it says.
 */
static pg_attribute_always_inline bool
pass_scalar(validator *v, const uint8 **p)
{
	uint8		byte = **p;
	uint32		size;

	if (mpk_is_fixstr(byte))
	{
		/* what lies behind its end is shifted out, by one and by 31 less its length */
		if (unlikely(((mpk_high_bits_32(*p + 1) << 1) << (~byte & 0x1f)) != 0))
			check_fixstr(v, *p);
		*p += 1 + (byte & 0x1f);
		return true;
	}
	size = mpk_fixed_size[byte];
	*p += size;
	if (likely(size > 0))
		return true;
	if (mpk_begins_container(byte))
		return false;
	*p = scan_sized(v, *p);
	return *p != NULL;
}

/* Pass a scalar, as pass_scalar does, but not beyond the end. */
static pg_attribute_always_inline bool
pass_whole_scalar(validator *v, const uint8 **p, bool tail)
{
	const uint8 *at = *p;

	if (unlikely(!pass_scalar(v, p)))
		return false;
	if (tail && unlikely(*p > v->end))
	{
		*p = fault(v, at, MPK_ERR_TRUNCATED);
		return false;
	}
	return true;
}

/*
 * Pass the array at *p, if it is a short one of scalars, in a roomy place:
 * without a frame, which costs more than its elements.
 */
static pg_attribute_always_inline bool
pass_short_array(validator *v, const uint8 **p, const frame *top, const uint8 *limit)
{
	const uint8 *element = *p + 1;

	if ((**p & 0xf0) != MPK_FIXARRAY || unlikely(top == &v->stack[MPK_MAX_DEPTH]))
		return false;
	for (uint32 left = **p & 0x0f; left > 0; left--)
		if (element >= limit || !pass_scalar(v, &element))
			return false;
	if (v->layout != NULL)
		mpk_layout_add(v->layout, *p - v->base, element - v->base, false, **p & 0x0f);
	*p = element;
	return true;
}

/* Pass a scalar, or a short array; else as pass_scalar. */
static pg_attribute_always_inline bool
pass_value(validator *v, const uint8 **p, const frame *top, const uint8 *limit, bool tail)
{
	if (likely(pass_whole_scalar(v, p, tail)))
		return true;
	return !tail && *p != NULL && pass_short_array(v, p, top, limit);
}

/* The key at p, which is no short str: put it where the others are.  As pass_scalar. */
static bool
pass_other_key(validator *v, const uint8 **p, mpk_key_row *row, uint32 slot)
{
	const uint8 *key = *p;
	bool		scalar = pass_whole_scalar(v, p, true);
	uint16		print = 0;
	uint8		size = MPK_UNCOMPARED;

	if (*p == NULL)
		return false;
	if (scalar)
	{
		size = Min(*p - key, MPK_UNCOMPARED);
		print = mpk_key_print(key);
	}
	if (row != NULL)
		mpk_key_row_put(row, slot, key, size, print);
	else
		mpk_key_stack_push(&v->keys, (uint32) (key - v->base), print);
	return scalar;
}

/*
 * Elements of the array at hand, up to its end, to a container, or to where
 * places are roomy.  Returns the place; NULL with v->error and v->at set.
 */
static pg_attribute_always_inline const uint8 *
scan_elements(validator *v, const uint8 *p, frame *top, const uint8 *limit, bool tail)
{
	uint64		left = top->left;

	while (p < limit && pass_value(v, &p, top, limit, tail) && --left > 0)
		;
	top->left = left;
	return p;
}

/* A key ends at p: is there a value? */
static inline bool
value_follows(validator *v, const uint8 *key, const uint8 **p)
{
	if (likely(*p < v->end))
		return true;
	*p = fault(v, *p > v->end ? key : *p, MPK_ERR_TRUNCATED);
	return false;
}

/* Some short strs among the keys in these slots hold characters beyond ASCII. */
static void
check_row_utf8(validator *v, const mpk_key_row *row, uint32 first, uint32 count)
{
	for (uint32 i = first; i < count; i++)
		if (mpk_is_short_fixstr(row->keys[i][0]))
			check_utf8(v, row->keys[i] + 1, row->sizes[i] - 1);
}

/*
 * The same of a small map's keys and values.  Left before a value, which then
 * is no scalar or lies beyond the limit, the map owes it unless it is opened now.
 */
static pg_attribute_always_inline const uint8 *
scan_pairs(validator *v, const uint8 *p, frame *top, const uint8 *limit, bool tail)
{
	mpk_key_row *row = top->row;
	uint32		known = v->known[row - v->rows];
	uint32		slot = top->key;
	uint64		left = top->left;
	uint64		seen[2] = {0, 0};	/* the bytes of keys, all together */

	do
	{
		const uint8 *key = p;

		if (likely(slot < known) && likely(mpk_key_row_matches(row, slot, p)))
			p += row->sizes[slot];
		else
		{
			top->changed = true;
			if (likely(mpk_is_short_fixstr(*p)))
			{
				uint64		words[2];
				uint32		size = 1 + (*p & 0x0f);

				mpk_load_prefix_16(p, size, words);
				seen[0] |= words[0];
				seen[1] |= words[1];
				mpk_key_row_put(row, slot, p, size, mpk_words_print(words));
				p += size;
			}
			else if (!pass_other_key(v, &p, row, slot) || p >= limit)
			{
				/* a container, or a key that left the roomy place */
				top->owes_value = true;
				slot++;
				break;
			}
		}
		slot++;
		if (tail && !value_follows(v, key, &p))
			return NULL;
		if (unlikely(!pass_value(v, &p, top, limit, tail)))
		{
			top->owes_value = p >= limit;
			break;
		}
	} while (--left > 0 && p < limit);
	top->left = left;
	if (unlikely(!mpk_words_ascii(seen)) && p != NULL)
		check_row_utf8(v, row, top->key, slot);
	top->key = slot;
	return p;
}

/* The same of a large map, or one that is deep inside. */
static const uint8 *
scan_many_pairs(validator *v, const uint8 *p, frame *top)
{
	const uint8 *limit = v->limit;

	do
	{
		const uint8 *key = p;

		if (likely(mpk_is_short_fixstr(*p)))
		{
			uint64		words[2];
			uint32		size = 1 + (*p & 0x0f);

			mpk_load_prefix_16(p, size, words);
			mpk_key_stack_push(&v->keys, (uint32) (p - v->base), mpk_words_print(words));
			if (unlikely(!mpk_words_ascii(words)))
				check_utf8(v, p + 1, size - 1);
			p += size;
		}
		else if (!pass_other_key(v, &p, NULL, 0) || p >= limit)
		{
			top->owes_value = true;
			return p;
		}
		if (!value_follows(v, key, &p))
			return NULL;
		if (!pass_whole_scalar(v, &p, true))
		{
			top->owes_value = p >= limit;
			return p;
		}
	} while (--top->left > 0 && p < limit);
	return p;
}

/* The value that is owed; as pass_scalar. */
static bool
pass_owed_value(validator *v, const uint8 **p, frame *top)
{
	top->owes_value = false;
	if (!pass_whole_scalar(v, p, true))
		return false;
	top->left--;
	return true;
}

/* Entries of the container at hand, as far as scan_elements goes. */
static pg_attribute_always_inline const uint8 *
scan_entries(validator *v, const uint8 *p, frame *top, const uint8 *limit, bool tail)
{
	if (!top->is_map)
		return scan_elements(v, p, top, limit, tail);
	if (unlikely(top->owes_value) &&
		(!pass_owed_value(v, &p, top) || top->left == 0 || p >= limit))
		return p;
	if (likely(top->row != NULL))
		return scan_pairs(v, p, top, limit, tail);
	return scan_many_pairs(v, p, top);
}

/* Go on at *p, up to the limit.  Returns the frame at hand; NULL at the end or at fault. */
static pg_attribute_always_inline frame *
scan_until(validator *v, const uint8 **p, frame *top, bool tail)
{
	const uint8 *limit = v->limit;

	while (*p < limit)
	{
		*p = scan_entries(v, *p, top, limit, tail);
		if (unlikely(*p == NULL))
			return NULL;
		if (top->left > 0)
		{
			if (*p >= limit)
				break;
			if (unlikely(top->is_map && top->owes_value))
				begin_key(v);
			else
				top->left--;
			top = open_container(v, top, p);
			if (unlikely(top == NULL))
				return NULL;
		}
		for (; top->left == 0; top--)
		{
			if (top == v->stack)
				return NULL;
			if (v->layout != NULL)
				add_to_layout(v, top, *p);
			if (top->is_map)
				check_keys(v, top);
		}
	}
	return top;
}

/*
 * Copy the object's end to the tail.  Long before it is read: what was just
 * written is slow to be read in other widths.
 */
static inline void
copy_tail(validator *v)
{
	size_t		length = Min(v->end - v->data, ROOMY);

	memcpy(v->tail, v->end - length, length);
	memset(v->tail + length, 0, ROOMY);
}

/* Read on in the tail. */
static inline const uint8 *
enter_tail(validator *v, const uint8 *p)
{
	size_t		length = Min(v->end - v->data, ROOMY);
	ptrdiff_t	distance = v->tail - (v->end - length);

	v->base += distance;
	v->end = v->limit = v->tail + length;
	return p + distance;
}

/* One object from v->data on.  Returns its end; NULL with v->error and v->at set. */
static const uint8 *
scan_object(validator *v)
{
	const uint8 *p = v->data;
	frame	   *top = v->stack;

	top->left = 1;
	top->is_map = false;
	copy_tail(v);
	while (v->end - p > ROOMY)
	{
		v->limit = p + Min(v->end - p - ROOMY, INTERRUPT_BYTES);
		top = scan_until(v, &p, top, false);
		if (top == NULL)
			return p;
		MPK_CHECK_FOR_INTERRUPTS();
	}
	p = enter_tail(v, p);
	top = scan_until(v, &p, top, true);
	return top == NULL ? p : fault(v, p, MPK_ERR_TRUNCATED);
}

/* The object at data; its end, or NULL. */
static const uint8 *
validate(const uint8 *data, size_t length, unsigned *flags, mpk_layout *layout, mpk_error *error)
{
	validator	v;				/* most of it is set only when used */
	const uint8 *p;

	v.base = v.data = data;
	v.end = data + length;
	v.flags = 0;
	v.layout = layout;
	memset(v.known, 0, sizeof(v.known));
	mpk_key_stack_init(&v.keys);
	p = scan_object(&v);
	mpk_key_stack_free(&v.keys);
	if (p == NULL)
	{
		mpk_fail(error, v.error, v.at - v.base);
		return NULL;
	}
	/* a repeated key found answers what compound keys leave open */
	*flags = (v.flags & MPK_REPEATED_KEYS) ? v.flags & ~MPK_COMPOUND_KEYS : v.flags;
	return data + (p - v.base);
}

/* The same with the error for what begins a run too long. */
static const uint8 *
validate_first(const uint8 *data, size_t length, unsigned *flags, mpk_layout *layout,
			   mpk_error *error)
{
	const uint8 *p;

	if (length == 0)
	{
		mpk_fail(error, MPK_ERR_EMPTY, 0);
		return NULL;
	}
	/* an object within the limit may begin a longer run: look only so far */
	p = validate(data, Min(length, MPK_MAX_PAYLOAD), flags, layout, error);
	if (p == NULL && length > MPK_MAX_PAYLOAD && error != NULL &&
		error->code == MPK_ERR_TRUNCATED)
		error->code = MPK_ERR_TOO_LARGE;
	return p;
}

bool
mpk_validate_first(const uint8 *data, size_t length, size_t *used, unsigned *flags,
				   mpk_error *error)
{
	const uint8 *p = validate_first(data, length, flags, NULL, error);

	if (p == NULL)
		return false;
	*used = p - data;
	return true;
}

bool
mpk_validate_layout(const uint8 *data, size_t length, unsigned *flags, mpk_layout *layout,
					mpk_error *error)
{
	const uint8 *p = validate_first(data, length, flags, layout, error);

	if (p == NULL)
		return false;
	if (p < data + length)
		return mpk_fail(error, MPK_ERR_TRAILING, p - data);
	return true;
}

bool
mpk_validate(const uint8 *data, size_t length, unsigned *flags, mpk_error *error)
{
	return mpk_validate_layout(data, length, flags, NULL, error);
}
