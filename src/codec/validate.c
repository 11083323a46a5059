/*
 * validate.c
 *		The one gate for bytes that come from outside.
 *
 * One loop over the values, with an explicit stack of the containers that are
 * open.  The branches go by the class of the first byte, in the order in which
 * real documents use them.  "far" is where the loop leaves its fast path: near
 * the end, where reads need checks, and every so many bytes for a query cancel.
 */
#include "codec/validate.h"

#include "codec/keys.h"
#include "codec/simd.h"
#include "codec/utf8.h"

/* A head and the 32 bytes that are looked at for a fixstr. */
#define FAST_READS			40

#define INTERRUPT_BYTES		(1024 * 1024)

/* Offsets of keys that fit before memory is allocated. */
#define INLINE_KEYS			256

/* A container that is open, or the object itself at the bottom. */
typedef struct frame
{
	uint64		left;			/* values still to come, the one at hand included */
	uint32		keys;			/* first of its keys in validator.keys */
	bool		is_map;			/* so a key comes whenever "left" is even */
} frame;

typedef struct validator
{
	const uint8 *data;
	const uint8 *end;
	unsigned	flags;
	mpk_errcode error;			/* set where a scan returns NULL */

	uint32	   *keys;			/* offsets of the keys of all open maps */
	uint32		keys_used;
	uint32		keys_room;
	uint32		inline_keys[INLINE_KEYS];

	uint32		depth;
	frame		stack[MPK_MAX_DEPTH];
} validator;

static inline const uint8 *
fault(validator *v, mpk_errcode error)
{
	v->error = error;
	return NULL;
}

static inline void
check_utf8(validator *v, const uint8 *s, size_t length)
{
	if (!mpk_is_utf8(s, length))
		v->flags |= MPK_INVALID_UTF8;
}

/* Past a body of "length" bytes that begins at "body". */
static inline const uint8 *
scan_body(validator *v, const uint8 *body, size_t length)
{
	if ((size_t) (v->end - body) < length)
		return fault(v, MPK_ERR_TRUNCATED);
	return body + length;
}

static inline const uint8 *
scan_str(validator *v, const uint8 *body, size_t length)
{
	const uint8 *next = scan_body(v, body, length);

	if (next != NULL)
		check_utf8(v, body, length);
	return next;
}

/* Bytes of a head of c4 .. df, by its low bits: the type byte and what has a fixed size after it. */
static const uint8 typed_head[32] = {
	1, 1, 1, 1,					/* c0 nil, c1 (never used), c2 false, c3 true */
	2, 3, 5,					/* c4 bin 8, c5 bin 16, c6 bin 32 */
	3, 4, 6,					/* c7 ext 8, c8 ext 16, c9 ext 32 */
	5, 9,						/* ca float 32, cb float 64 */
	2, 3, 5, 9,					/* cc uint 8, cd uint 16, ce uint 32, cf uint 64 */
	2, 3, 5, 9,					/* d0 int 8, d1 int 16, d2 int 32, d3 int 64 */
	3, 4, 6, 10, 18,			/* d4 fixext 1, d5 2, d6 4, d7 8, d8 16: whole */
	2, 3, 5,					/* d9 str 8, da str 16, db str 32 */
	3, 5,						/* dc array 16, dd array 32 */
	3, 5						/* de map 16, df map 32 */
};

/*
 * The types from c0 to df.  For a container *count is set to its values
 * (pairs doubled), else it stays.
 */
static const uint8 *
scan_typed(validator *v, const uint8 *p, uint64 *count)
{
	size_t		head = typed_head[*p & 0x1f];
	const uint8 *body = p + head;

	if ((size_t) (v->end - p) < head)
		return fault(v, *p == MPK_BYTE_NEVER_USED ? MPK_ERR_NEVER_USED : MPK_ERR_TRUNCATED);
	switch (*p)
	{
		case MPK_BYTE_NEVER_USED:
			return fault(v, MPK_ERR_NEVER_USED);
		case MPK_BYTE_STR8:
			return scan_str(v, body, p[1]);
		case MPK_BYTE_STR16:
			return scan_str(v, body, mpk_load16(p + 1));
		case MPK_BYTE_STR32:
			return scan_str(v, body, mpk_load32(p + 1));
		case MPK_BYTE_BIN8:
		case MPK_BYTE_EXT8:
			return scan_body(v, body, p[1]);
		case MPK_BYTE_BIN16:
		case MPK_BYTE_EXT16:
			return scan_body(v, body, mpk_load16(p + 1));
		case MPK_BYTE_BIN32:
		case MPK_BYTE_EXT32:
			return scan_body(v, body, mpk_load32(p + 1));
		case MPK_BYTE_ARRAY16:
			*count = mpk_load16(p + 1);
			return body;
		case MPK_BYTE_ARRAY32:
			*count = mpk_load32(p + 1);
			return body;
		case MPK_BYTE_MAP16:
			*count = 2 * (uint64) mpk_load16(p + 1);
			return body;
		case MPK_BYTE_MAP32:
			*count = 2 * (uint64) mpk_load32(p + 1);
			return body;
		default:
			return body;
	}
}

static inline bool
is_map_byte(uint8 byte)
{
	return byte < MPK_FIXARRAY || byte >= MPK_BYTE_MAP16;
}

/* Room for the offsets of "count" more keys; their bytes are known to be there. */
static void
make_room_for_keys(validator *v, uint64 count)
{
	uint64		room = Max((uint64) v->keys_room * 2, v->keys_used + count);

	room = Min(room, MPK_MAX_ALLOC / sizeof(uint32));
	if (v->keys == v->inline_keys)
	{
		v->keys = palloc(room * sizeof(uint32));
		memcpy(v->keys, v->inline_keys, v->keys_used * sizeof(uint32));
	}
	else
		v->keys = repalloc(v->keys, room * sizeof(uint32));
	v->keys_room = (uint32) room;
}

/* Begin a container of "count" values at the byte "type", which "body" follows. */
static inline bool
open_container(validator *v, frame *top, uint8 type, const uint8 *body, uint64 count)
{
	if (v->depth >= MPK_MAX_DEPTH)
		v->error = MPK_ERR_TOO_DEEP;
	else if (count > (uint64) (v->end - body))
		v->error = MPK_ERR_TRUNCATED;
	else
	{
		v->stack[v->depth++] = *top;
		top->left = count;
		top->is_map = is_map_byte(type);
		top->keys = v->keys_used;
		if (top->is_map && v->keys_room - v->keys_used < count / 2)
			make_room_for_keys(v, count / 2);
		return true;
	}
	return false;
}

/* End the container at hand, and go on in the one around it. */
static inline void
close_container(validator *v, frame *top)
{
	if (top->is_map)
	{
		if ((v->flags & MPK_REPEATED_KEYS) == 0)
			v->flags |= mpk_keys_check(v->data, v->end, v->keys + top->keys,
									   v->keys_used - top->keys);
		v->keys_used = top->keys;
	}
	*top = v->stack[--v->depth];
}

/* Where to leave the fast path next. */
static inline const uint8 *
next_far(const validator *v, const uint8 *p)
{
	if (v->end - p <= FAST_READS)
		return p;
	return p + Min(v->end - p - FAST_READS, INTERRUPT_BYTES);
}

/* One object from v->data on.  Returns its end; NULL with v->error and *at set. */
static const uint8 *
scan_object(validator *v, const uint8 **at)
{
	const uint8 *p = v->data;
	const uint8 *far = next_far(v, p);
	frame		top = {1, 0, false};

	for (;;)
	{
		bool		fast = p < far;
		uint8		byte;

		*at = p;
		if (unlikely(!fast))
		{
			if (p >= v->end)
				return fault(v, MPK_ERR_TRUNCATED);
			MPK_CHECK_FOR_INTERRUPTS();
			far = next_far(v, p);
		}
		byte = *p;
		if (top.is_map && (top.left & 1) == 0)
			v->keys[v->keys_used++] = (uint32) (p - v->data);

		if (byte >= MPK_FIXSTR && byte < MPK_BYTE_NIL)
		{
			uint32		length = byte & 0x1f;

			if (likely(fast))
			{
				if (unlikely(mpk_high_bits_32(p + 1) & ((1u << length) - 1)))
					check_utf8(v, p + 1, length);
				p += 1 + length;
			}
			else if ((p = scan_str(v, p + 1, length)) == NULL)
				return NULL;
		}
		else if (byte < MPK_FIXMAP || byte >= MPK_NEGATIVE_FIXINT)
			p++;
		else
		{
			uint64		count = PG_UINT64_MAX;

			if (byte >= MPK_BYTE_NIL)
				p = scan_typed(v, p, &count);
			else
			{
				count = (uint64) (byte & 0x0f) << (byte < MPK_FIXARRAY);
				p++;
			}
			if (p == NULL)
				return NULL;
			if (count != PG_UINT64_MAX)
			{
				if (!open_container(v, &top, byte, p, count))
					return NULL;
				if (count > 0)
					continue;
				close_container(v, &top);
			}
		}

		while (--top.left == 0)
		{
			if (v->depth == 0)
				return p;
			close_container(v, &top);
		}
	}
}

/* The stack is not initialized: only what "depth" covers is ever read. */
static void
validator_init(validator *v, const uint8 *data, size_t length)
{
	v->data = data;
	v->end = data + length;
	v->flags = 0;
	v->error = MPK_OK;
	v->keys = v->inline_keys;
	v->keys_used = 0;
	v->keys_room = INLINE_KEYS;
	v->depth = 0;
}

/* The object at data; its end, or NULL. */
static const uint8 *
validate(const uint8 *data, size_t length, unsigned *flags, mpk_error *error)
{
	validator	v;
	const uint8 *at = data;
	const uint8 *p;

	validator_init(&v, data, length);
	p = scan_object(&v, &at);
	if (v.keys != v.inline_keys)
		pfree(v.keys);
	if (p == NULL)
		mpk_fail(error, v.error, at - data);
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
