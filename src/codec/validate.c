/*
 * validate.c
 *		The one gate for bytes that come from outside.
 *
 * One loop over the values, with an explicit stack of the containers that are
 * open.  The branches go by the class of the first byte, in the order in which
 * real documents use them; a map's key and value are taken in one round.
 */
#include "codec/validate.h"

#include "codec/keys.h"
#include "codec/simd.h"
#include "codec/utf8.h"

/* How often a query cancel is looked for. */
#define INTERRUPT_BYTES		(1024 * 1024)

/*
 * With so many bytes ahead, a key that is a short str and a value that is a
 * fixint or fixstr need no checks: the first is at most 16 bytes long, of the
 * second 33 are looked at.
 */
#define ROOMY				(MPK_PRINT_BYTES + 33)

/* A container that is open, or the object itself at the bottom. */
typedef struct frame
{
	uint64		left;			/* values still to come, the one at hand included */
	uint32		keys;			/* the first of its keys in validator.keys */
	bool		is_map;			/* so a key comes whenever "left" is even */
} frame;

typedef struct validator
{
	const uint8 *data;
	const uint8 *end;
	const uint8 *at;			/* where the value at fault begins, if a scan returns NULL */
	mpk_errcode error;			/* and what it is */
	unsigned	flags;
	uint32		depth;
	frame		stack[MPK_MAX_DEPTH];
	mpk_key_stack keys;
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

/* The fixstr at p, in a roomy place or not. */
static pg_attribute_always_inline const uint8 *
scan_fixstr(validator *v, const uint8 *p, bool roomy)
{
	uint32		length = *p & 0x1f;
	uint32		high_bits;

	if (!roomy && v->end - p <= 32)
		return scan_str(v, p, p + 1, length);
	high_bits = mpk_high_bits_32(p + 1) & ((1u << length) - 1);
	if (unlikely(high_bits != 0) && !mpk_is_utf8_short(p + 1, length, high_bits))
		v->flags |= MPK_INVALID_UTF8;
	return p + 1 + length;
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

/* The scalars from c0 to db. */
static inline const uint8 *
scan_typed(validator *v, const uint8 *p)
{
	uint32		head = mpk_head_size[*p & 0x1f];

	if (unlikely(!mpk_is_all_head(*p)))
		return scan_sized(v, p);
	if (unlikely((size_t) (v->end - p) < head))
		return fault(v, p, MPK_ERR_TRUNCATED);
	return p + head;
}

/* Past the head of a container; *count is set to its values, pairs doubled. */
static const uint8 *
scan_container_head(validator *v, const uint8 *p, uint64 *count)
{
	if (*p < MPK_FIXSTR)
	{
		*count = (uint64) (*p & 0x0f) << is_map_byte(*p);
		return p + 1;
	}
	if (v->end - p < mpk_head_size[*p & 0x1f])
		return fault(v, p, MPK_ERR_TRUNCATED);
	if (*p == MPK_BYTE_ARRAY16 || *p == MPK_BYTE_MAP16)
	{
		*count = (uint64) mpk_load16(p + 1) << is_map_byte(*p);
		return p + 3;
	}
	*count = (uint64) mpk_load32(p + 1) << is_map_byte(*p);
	return p + 5;
}

/* Begin the container at p, which may be empty. */
static inline const uint8 *
open_container(validator *v, frame *top, const uint8 *p)
{
	uint64		count;
	uint64		pairs;
	const uint8 *body = scan_container_head(v, p, &count);

	if (body == NULL)
		return NULL;
	if (v->depth >= MPK_MAX_DEPTH)
		return fault(v, p, MPK_ERR_TOO_DEEP);
	if (count > (uint64) (v->end - body))
		return fault(v, p, MPK_ERR_TRUNCATED);
	v->stack[v->depth++] = *top;
	top->left = count;
	top->is_map = is_map_byte(*p);
	top->keys = v->keys.used;
	pairs = top->is_map ? count / 2 : 0;
	if (unlikely(v->keys.room - v->keys.used < pairs))
		mpk_key_stack_grow(&v->keys, (uint32) pairs);
	return body;
}

/* End the container at hand, and go on in the one around it. */
static inline void
close_container(validator *v, frame *top)
{
	if (top->is_map)
	{
		if ((v->flags & MPK_REPEATED_KEYS) == 0)
			v->flags |= mpk_keys_check(&v->keys, top->keys, v->data);
		v->keys.used = top->keys;
	}
	*top = v->stack[--v->depth];
}

/* A value, or the head of a container; *opened tells. */
static pg_attribute_always_inline const uint8 *
scan_value(validator *v, const uint8 *p, frame *top, bool roomy, bool *opened)
{
	if (mpk_is_fixstr(*p))
		return scan_fixstr(v, p, roomy);
	if (mpk_is_fixint(*p))
		return p + 1;
	if (!mpk_begins_container(*p))
		return scan_typed(v, p);
	*opened = true;
	return open_container(v, top, p);
}

/* A key that is no short str, or at the end, and then the value unless the key is a container. */
static const uint8 *
scan_any_key(validator *v, const uint8 *p, frame *top, bool *opened)
{
	const uint8 *key = p;

	mpk_key_stack_push(&v->keys, (uint32) (p - v->data), 0);
	p = scan_value(v, p, top, false, opened);
	if (*opened || p == NULL)
		return p;
	mpk_key_stack_set_print(&v->keys, mpk_key_print(key));
	if (p >= v->end)
		return fault(v, p, MPK_ERR_TRUNCATED);
	top->left--;
	return scan_value(v, p, top, false, opened);
}

/*
 * A key and its value, or one value.  Returns the place after it, which for a
 * container is after its head; *opened tells.  NULL with v->error and v->at set.
 */
static pg_attribute_always_inline const uint8 *
scan_entry(validator *v, const uint8 *p, frame *top, bool roomy, bool *opened)
{
	*opened = false;
	if (top->is_map && (top->left & 1) == 0)
	{
		uint32		length = *p & 0x0f;
		bool		ascii;

		if (unlikely(!mpk_is_short_fixstr(*p) || (!roomy && v->end - p < MPK_PRINT_BYTES)))
			return scan_any_key(v, p, top, opened);
		mpk_key_stack_push(&v->keys, (uint32) (p - v->data),
						   mpk_short_str_print(p, length, &ascii));
		if (unlikely(!ascii))
			check_utf8(v, p + 1, length);
		p += 1 + length;
		if (!roomy && p >= v->end)
			return fault(v, p, MPK_ERR_TRUNCATED);
		top->left--;
	}
	return scan_value(v, p, top, roomy, opened);
}

/* Up to where places are roomy, and not too far on before the next look for a query cancel. */
static inline const uint8 *
roomy_limit(const validator *v, const uint8 *p)
{
	return v->end - p <= ROOMY ? p : p + Min(v->end - p - ROOMY, INTERRUPT_BYTES);
}

/* One object from v->data on.  Returns its end; NULL with v->error and v->at set. */
static const uint8 *
scan_object(validator *v)
{
	const uint8 *p = v->data;
	const uint8 *limit = roomy_limit(v, p);
	frame		top = {1, 0, false};

	for (;;)
	{
		bool		opened;

		if (likely(p < limit))
			p = scan_entry(v, p, &top, true, &opened);
		else if (p < v->end)
		{
			MPK_CHECK_FOR_INTERRUPTS();
			limit = roomy_limit(v, p);
			p = scan_entry(v, p, &top, false, &opened);
		}
		else
			return fault(v, p, MPK_ERR_TRUNCATED);

		if (unlikely(p == NULL))
			return NULL;
		if (opened)
		{
			if (top.left > 0)
				continue;
			close_container(v, &top);
		}
		while (--top.left == 0)
		{
			if (v->depth == 0)
				return p;
			close_container(v, &top);
		}
	}
}

/* The object at data; its end, or NULL. */
static const uint8 *
validate(const uint8 *data, size_t length, unsigned *flags, mpk_error *error)
{
	validator	v;				/* most of it is set only when used */
	const uint8 *p;

	v.data = data;
	v.end = data + length;
	v.flags = 0;
	v.depth = 0;
	mpk_key_stack_init(&v.keys);
	p = scan_object(&v);
	mpk_key_stack_free(&v.keys);
	if (p == NULL)
		mpk_fail(error, v.error, v.at - data);
	else
		/* a repeated key found answers what compound keys leave open */
		*flags = (v.flags & MPK_REPEATED_KEYS) ? v.flags & ~MPK_COMPOUND_KEYS : v.flags;
	return p;
}

bool
mpk_validate_first(const uint8 *data, size_t length, size_t *used, unsigned *flags,
				   mpk_error *error)
{
	const uint8 *p;

	if (length == 0)
		return mpk_fail(error, MPK_ERR_EMPTY, 0);
	/* an object within the limit may begin a longer run: look only so far */
	p = validate(data, Min(length, MPK_MAX_PAYLOAD), flags, error);
	if (p == NULL)
	{
		if (error->code == MPK_ERR_TRUNCATED && length > MPK_MAX_PAYLOAD)
			error->code = MPK_ERR_TOO_LARGE;
		return false;
	}
	*used = p - data;
	return true;
}

bool
mpk_validate(const uint8 *data, size_t length, unsigned *flags, mpk_error *error)
{
	size_t		used;

	if (!mpk_validate_first(data, length, &used, flags, error))
		return false;
	if (used < length)
		return mpk_fail(error, MPK_ERR_TRAILING, used);
	return true;
}
