/*
 * mpack.c
 *		The codec benchmark: libmpack, the C library of Neovim.
 *
 * It reads and writes tokens: a scalar or a head, and after the head of bytes
 * the bytes as a token of their own.
 */
#include "codec.h"

#include <mpack.h>

typedef struct reader
{
	mpack_tokbuf_t tokens;
	const char *p;
	size_t		left;
} reader;

static inline void
reader_init(reader *r, const document *d)
{
	r->tokens = (mpack_tokbuf_t) MPACK_TOKBUF_INITIAL_VALUE;
	r->p = (const char *) d->data;
	r->left = d->length;
}

/* The next value's token, its bytes passed; bytes is set to them. */
static inline bool
read_token(reader *r, mpack_token_t *token, const char **bytes)
{
	mpack_token_t chunk;

	if (mpack_read(&r->tokens, &r->p, &r->left, token) != MPACK_OK)
		return false;
	if (token->type < MPACK_TOKEN_BIN || token->length == 0)
		return true;
	if (mpack_read(&r->tokens, &r->p, &r->left, &chunk) != MPACK_OK ||
		chunk.length != token->length)
		return false;
	*bytes = chunk.data.chunk_ptr;
	return true;
}

/* Pass one value with all that is in it. */
static inline bool
pass_value(reader *r)
{
	mpack_token_t token;
	const char *bytes;

	for (uint64 owed = 1; owed > 0; owed--)
	{
		if (!read_token(r, &token, &bytes))
			return false;
		if (token.type == MPACK_TOKEN_ARRAY)
			owed += token.length;
		else if (token.type == MPACK_TOKEN_MAP)
			owed += 2 * (uint64) token.length;
	}
	return true;
}

static uint64
validate(const collection *c)
{
	uint64		sum = 0;

	FOR_EACH_DOCUMENT(d, c)
	{
		reader		r;

		reader_init(&r, d);
		sum += pass_value(&r) && r.left == 0;
	}
	return sum;
}

static uint64
skip(const collection *c)
{
	uint64		sum = 0;

	FOR_EACH_DOCUMENT(d, c)
	{
		reader		r;

		reader_init(&r, d);
		pass_value(&r);
		sum += d->length - r.left;
	}
	return sum;
}

/* mpack_pack_float makes a float 32 of it where that is exact: another document. */
static inline mpack_token_t
double_token(double v)
{
	mpack_token_t token = mpack_pack_float(v);
	uint64		bits;

	memcpy(&bits, &v, sizeof(bits));
	token.length = sizeof(bits);
	token.data.value.lo = (uint32) bits;
	token.data.value.hi = (uint32) (bits >> 32);
	return token;
}

static inline mpack_token_t
event_token(const event *e)
{
	switch (e->kind)
	{
		case MPK_NIL:
			return mpack_pack_nil();
		case MPK_BOOLEAN:
			return mpack_pack_boolean(e->as.boolean);
		case MPK_UINT:
			return mpack_pack_uint(e->as.u64);
		case MPK_INT:
			return mpack_pack_sint(e->as.i64);
		case MPK_FLOAT32:
			return mpack_pack_float(e->as.f32);
		case MPK_FLOAT64:
			return double_token(e->as.f64);
		case MPK_STR:
			return mpack_pack_str(e->length);
		case MPK_BIN:
			return mpack_pack_bin(e->length);
		case MPK_EXT:
			return mpack_pack_ext(e->ext_code, e->length);
		case MPK_ARRAY:
			return mpack_pack_array(e->length);
		default:
			return mpack_pack_map(e->length);
	}
}

/* A buffer that grows, which the library leaves to its user. */
typedef struct buffer
{
	mpack_tokbuf_t tokens;
	char	   *data;
	size_t		length;
	size_t		capacity;
} buffer;

static inline void
write_token(buffer *b, const mpack_token_t *token, size_t room)
{
	char	   *p;
	size_t		left;

	if (unlikely(b->capacity - b->length < room))
	{
		while (b->capacity - b->length < room)
			b->capacity *= 2;
		b->data = repalloc(b->data, b->capacity);
	}
	p = b->data + b->length;
	left = b->capacity - b->length;
	mpack_write(&b->tokens, &p, &left, token);
	b->length = p - b->data;
}

static inline void
write_event(buffer *b, const event *e)
{
	mpack_token_t token = event_token(e);

	write_token(b, &token, MPACK_MAX_TOKEN_LEN);
	if (e->kind >= MPK_STR && e->kind <= MPK_EXT && e->length > 0)
	{
		token = mpack_pack_chunk((const char *) e->as.bytes, e->length);
		write_token(b, &token, e->length);
	}
}

static uint64
encode(const collection *c)
{
	buffer		b = {MPACK_TOKBUF_INITIAL_VALUE, palloc(64), 0, 64};
	uint64		sum = 0;

	FOR_EACH_DOCUMENT(d, c)
	{
		b.length = 0;
		for (int j = 0; j < d->event_count; j++)
			write_event(&b, &d->events[j]);
		verify_encoding(c, d, b.data, b.length);
		sum += b.length;
	}
	pfree(b.data);
	return sum;
}

static inline uint64
sum_token(const mpack_token_t *token, const char *bytes)
{
	switch (token->type)
	{
		case MPACK_TOKEN_NIL:
			return 0;
		case MPACK_TOKEN_BOOLEAN:
			return mpack_unpack_boolean(*token);
		case MPACK_TOKEN_UINT:
			return mpack_unpack_uint(*token);
		case MPACK_TOKEN_SINT:
			return (uint64) mpack_unpack_sint(*token);
		case MPACK_TOKEN_FLOAT:
			return sum_float(mpack_unpack_float(*token));
		case MPACK_TOKEN_ARRAY:
		case MPACK_TOKEN_MAP:
			return token->length;
		default:
			return sum_bytes(bytes, token->length);
	}
}

static uint64
decode(const collection *c)
{
	uint64		sum = 0;

	FOR_EACH_DOCUMENT(d, c)
	{
		mpack_token_t token;
		const char *bytes = NULL;
		reader		r;

		reader_init(&r, d);
		while (r.left > 0 && read_token(&r, &token, &bytes))
			sum += sum_token(&token, bytes);
	}
	return sum;
}

/* To the value of a map's key, or an array's element. */
static inline bool
take_step(reader *r, const name *step)
{
	mpack_token_t container;
	mpack_token_t token;
	const char *bytes = NULL;

	if (!read_token(r, &container, &bytes))
		return false;
	if (step->s == NULL)
	{
		if (container.type != MPACK_TOKEN_ARRAY || container.length <= step->length)
			return false;
		for (uint32 i = 0; i < step->length; i++)
			pass_value(r);
		return true;
	}
	if (container.type != MPACK_TOKEN_MAP)
		return false;
	/* the keys here are strings, which are all one token */
	for (uint32 i = 0; i < container.length; i++)
	{
		if (!read_token(r, &token, &bytes))
			return false;
		if (token.type == MPACK_TOKEN_STR && token.length == step->length &&
			memcmp(bytes, step->s, step->length) == 0)
			return true;
		pass_value(r);
	}
	return false;
}

static inline uint64
find(const document *d, const name *steps, int count)
{
	reader		r;
	mpack_token_t token;
	const char *bytes = NULL;

	reader_init(&r, d);
	for (int i = 0; i < count; i++)
	{
		if (!take_step(&r, &steps[i]))
			return SUM_MISSING;
	}
	return read_token(&r, &token, &bytes) ? sum_token(&token, bytes) : SUM_MISSING;
}

static uint64
find_keys(const collection *c)
{
	uint64		sum = 0;

	FOR_EACH_DOCUMENT(d, c)
		for (int k = 0; k < KEYS; k++)
			sum += find(d, &c->keys[k], 1);
	return sum;
}

static uint64
find_path(const collection *c)
{
	uint64		sum = 0;

	FOR_EACH_DOCUMENT(d, c)
		sum += find(d, c->path, c->path_length);
	return sum;
}

const entry mpack_entries[] = {
	{VALIDATE, "mpack", validate},
	{SKIP, "mpack", skip},
	{ENCODE, "mpack", encode},
	{DECODE, "mpack", decode},
	{FIND_KEYS, "mpack", find_keys},
	{FIND_PATH, "mpack", find_path},
	{0, NULL, NULL}
};
