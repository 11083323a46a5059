/*
 * text_json.c
 *		Values as JSON proper: what JSON has not becomes a string.
 *
 * The same strings stand here as in jsonb (src/msgpack_to_jsonb.c), so that a
 * json value and what it is as jsonb agree.  Keys become strings too, and two
 * of one map may become the same string: the keys of the maps that are open
 * are remembered, and looked through at the end of each map in which that can
 * be.
 */
#include "codec/port.h"

#include <math.h>

#include "codec/sort.h"
#include "codec/utf8.h"
#include "document/text.h"
#include "document/text_internal.h"

#define FIRST_KEYS		64

/* A key as it was printed, without its quotes. */
typedef struct json_key
{
	uint32		place;			/* in the text */
	uint32		length;
	const uint8 *at;			/* in the payload */
} json_key;

typedef struct json_printer
{
	mpk_printer base;
	const uint8 *start;			/* of the payload */
	mpk_error  *error;

	json_key   *keys;			/* of the open maps */
	size_t		key_count;
	size_t		key_capacity;

	/* by depth: the open map's first key, and a bit for each kind that its keys are of */
	size_t		first_key[MPK_MAX_DEPTH];
	uint32		key_kinds[MPK_MAX_DEPTH];
} json_printer;

#define KIND_BIT(kind)	((uint32) 1 << (kind))

/* Different keys of one of these kinds may have the same text; [1.5] and [1.5_f32]. */
#define MERGING_KINDS	(KIND_BIT(MPK_ARRAY) | KIND_BIT(MPK_MAP))

/* ---- scalars ---- */

/* A value whose ->> text is ASCII without anything to escape, in quotes. */
static bool
print_quoted_text(json_printer *jp, const mpk_value *value)
{
	static const mpk_text_style plain = {0};
	mpk_text   *text = jp->base.text;

	mpk_text_append(text, "\"", 1);
	if (!mpk_print_value_text(text, value, jp->base.flags, &plain))
		return false;
	mpk_text_append(text, "\"", 1);
	return !text->overflow;
}

/* "\x00ff", whose backslash is escaped. */
static bool
print_quoted_bin(json_printer *jp, const mpk_value *value)
{
	char	   *out = mpk_text_reserve(jp->base.text, 2 * (size_t) value->length + MPK_VALUE_ROOM);

	if (out == NULL)
		return false;
	out = MPK_PUT(out, "\"\\\\x");
	out += mpk_put_hex(out, value->body, value->length);
	*out++ = '"';
	mpk_text_end_at(jp->base.text, out);
	return true;
}

/* A container's text form, as a string. */
static bool
print_quoted_container(json_printer *jp, const mpk_value *value, const uint8 *end)
{
	static const mpk_text_style plain = {0};
	mpk_text	form;
	bool		printed;

	mpk_text_init(&form, 0, mpk_text_estimate((size_t) (end - value->start)));
	printed = mpk_print(&form, value->start, end, jp->base.flags, &plain) &&
		mpk_print_str(&jp->base, (const uint8 *) mpk_text_data(&form), form.length);
	if (!printed)
		jp->base.text->overflow = true;
	pfree(form.buffer);
	return printed;
}

static bool
print_str(json_printer *jp, const mpk_value *value)
{
	if (unlikely(jp->base.flags & MPK_INVALID_UTF8) && !mpk_is_utf8(value->body, value->length))
		return mpk_fail(jp->error, MPK_ERR_STR_NOT_UTF8, (size_t) (value->start - jp->start));
	return mpk_print_str(&jp->base, value->body, value->length);
}

static bool
print_json_scalar(json_printer *jp, const mpk_value *value)
{
	switch (value->kind)
	{
		case MPK_STR:
			return print_str(jp, value);
		case MPK_BIN:
			return print_quoted_bin(jp, value);
		case MPK_TIMESTAMP:
		case MPK_EXT:
			return print_quoted_text(jp, value);
		case MPK_FLOAT32:
		case MPK_FLOAT64:
			if (!isfinite(mpk_float_value(value)))
				return print_quoted_text(jp, value);
			break;
		default:
			break;
	}
	return mpk_print_scalar(&jp->base, value);
}

/* ---- keys ---- */

static void
grow_keys(json_printer *jp)
{
	size_t		capacity = jp->key_capacity == 0 ? FIRST_KEYS : jp->key_capacity * 2;
	json_key   *keys = palloc_extended(capacity * sizeof(json_key), MCXT_ALLOC_HUGE);

	if (jp->keys != NULL)
	{
		memcpy(keys, jp->keys, jp->key_count * sizeof(json_key));
		pfree(jp->keys);
	}
	jp->keys = keys;
	jp->key_capacity = capacity;
}

/* Print the key at p as a string, and remember it; returns the byte after it, NULL on failure. */
static const uint8 *
print_key(json_printer *jp, const uint8 *p)
{
	mpk_value	key;
	const uint8 *next = mpk_read(p, &key);
	size_t		place = jp->base.text->length + 1;
	bool		printed;
	json_key   *entry;

	if (mpk_is_container(key.kind))
	{
		next = mpk_skip(p);
		printed = print_quoted_container(jp, &key, next);
	}
	else if (key.kind == MPK_STR)
		printed = print_str(jp, &key);
	else if (key.kind == MPK_BIN)
		printed = print_quoted_bin(jp, &key);
	else
		printed = print_quoted_text(jp, &key);
	if (unlikely(!printed))
		return NULL;

	if (unlikely(jp->key_count == jp->key_capacity))
		grow_keys(jp);
	entry = &jp->keys[jp->key_count++];
	entry->place = (uint32) place;
	entry->length = (uint32) (jp->base.text->length - place - 1);
	entry->at = p;
	jp->key_kinds[jp->base.depth - 1] |= KIND_BIT(key.kind);
	return next;
}

/* mpk_place_compare: "context" is the printer */
static int
compare_keys(uint32 a, uint32 b, const void *context)
{
	const json_printer *jp = context;
	const char *data = mpk_text_data(jp->base.text);
	const json_key *x = &jp->keys[a];
	const json_key *y = &jp->keys[b];

	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return memcmp(data + x->place, data + y->place, x->length);
}

/* Are the open map's keys, all of which are printed, different strings? */
static bool
check_keys(json_printer *jp, size_t first)
{
	size_t		count = jp->key_count - first;
	uint32	   *places = palloc_extended(count * sizeof(uint32), MCXT_ALLOC_HUGE);
	bool		distinct = true;

	for (size_t i = 0; i < count; i++)
		places[i] = (uint32) (first + i);
	mpk_sort_places(places, count, compare_keys, jp);
	for (size_t i = 1; i < count && distinct; i++)
		if (compare_keys(places[i - 1], places[i], jp) == 0)
			distinct = mpk_fail(jp->error, MPK_ERR_KEY_CLASH,
								(size_t) (jp->keys[places[i]].at - jp->start));
	pfree(places);
	return distinct;
}

/* ---- containers ---- */

static bool
open_container(json_printer *jp, const mpk_value *value)
{
	mpk_print_frame *frame = &jp->base.frames[jp->base.depth];

	frame->is_map = value->kind == MPK_MAP;
	frame->left = frame->is_map ? 2 * (uint64) value->length : value->length;
	jp->first_key[jp->base.depth] = jp->key_count;
	jp->key_kinds[jp->base.depth] = 0;
	jp->base.depth++;
	mpk_text_append(jp->base.text, frame->is_map ? "{" : "[", 1);
	return !jp->base.text->overflow;
}

/* Close the containers that are full. */
static bool
close_containers(json_printer *jp)
{
	while (jp->base.depth > 0 && jp->base.frames[jp->base.depth - 1].left == 0)
	{
		int			at = --jp->base.depth;
		uint32		kinds = jp->key_kinds[at];

		/* keys of one kind are distinct strings as they are distinct keys */
		if (((kinds & (kinds - 1)) != 0 || (kinds & MERGING_KINDS) != 0) &&
			!check_keys(jp, jp->first_key[at]))
			return false;
		jp->key_count = jp->first_key[at];
		mpk_text_append(jp->base.text, jp->base.frames[at].is_map ? "}" : "]", 1);
	}
	return !jp->base.text->overflow;
}

/* The next entry of the innermost container; returns the byte after what was printed. */
static const uint8 *
print_entry(json_printer *jp, const uint8 *p, bool first)
{
	mpk_print_frame *frame = jp->base.depth > 0 ? &jp->base.frames[jp->base.depth - 1] : NULL;
	mpk_value	value;

	if (frame != NULL)
	{
		bool		is_key = frame->is_map && (frame->left & 1) == 0;

		frame->left--;
		if (frame->is_map && !is_key)
			mpk_text_append(jp->base.text, ": ", 2);
		else if (!first)
			mpk_text_append(jp->base.text, ", ", 2);
		if (is_key)
			return print_key(jp, p);
	}
	p = mpk_read(p, &value);
	if (mpk_is_container(value.kind))
		return open_container(jp, &value) ? p : NULL;
	return print_json_scalar(jp, &value) ? p : NULL;
}

static bool
print_all(json_printer *jp, const uint8 *p)
{
	unsigned	turns = 0;
	int			depth = 0;

	do
	{
		/* a container that has just been opened has no entry before this one */
		bool		first = jp->base.depth > depth;

		depth = jp->base.depth;
		p = print_entry(jp, p, first);
		if (unlikely(p == NULL || jp->base.text->overflow))
			return false;
		if (!close_containers(jp))
			return false;
		depth = Min(depth, jp->base.depth);
		if (unlikely((++turns & 0xffff) == 0))
			MPK_CHECK_FOR_INTERRUPTS();
	} while (jp->base.depth > 0);
	return true;
}

bool
mpk_print_json(mpk_text *text, const uint8 *p, const uint8 *end, unsigned flags,
			   const mpk_text_style *style, mpk_error *error)
{
	json_printer jp;			/* the arrays by depth are written before they are read */
	bool		printed;

	jp.base.text = text;
	jp.base.style = style;
	jp.base.end = end;
	jp.base.flags = flags;
	jp.base.order = NULL;
	jp.base.depth = 0;
	jp.start = p;
	jp.error = error;
	jp.keys = NULL;
	jp.key_count = jp.key_capacity = 0;

	printed = print_all(&jp, p);
	if (text->overflow)
		printed = mpk_fail(error, MPK_ERR_OUTPUT_TOO_LARGE, 0);
	if (jp.keys != NULL)
		pfree(jp.keys);
	return printed;
}
