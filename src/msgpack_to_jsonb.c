/*
 * msgpack_to_jsonb.c
 *		msgpack as jsonb.
 *
 * The jsonb container is written directly (its layout is told in the server's
 * utils/jsonb.h), in one buffer that becomes the datum.  A map's pairs are
 * collected first and sorted as jsonb sorts keys, by length, then by bytes;
 * its values are then written in that order.
 */
#include "msgpack.h"

#include <math.h>

#include "common/base64.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "codec/simd.h"
#include "codec/utf8.h"
#include "document/locate.h"
#include "document/regular.h"
#include "document/spans.h"
#include "msgpack_json.h"
#include "msgpack_jsonb_pairs.h"
#include "msgpack_numeric.h"

PG_FUNCTION_INFO_V1(msgpack_to_jsonb);
PG_FUNCTION_INFO_V1(msgpack_to_jsonb_with);

/* Pairs that there is room for at first. */
#define FIRST_PAIRS		32

/* Strings of up to so many bytes are copied as a block of that size, where one may be read. */
#define BLOCK			32

/* From this depth on, the ends of containers come from a table (document/spans.h). */
#define SPANS_DEPTH		16

/* The least that a container inside another one takes: its entry and its header. */
#define LEAST_CONTAINER	(sizeof(JEntry) + sizeof(uint32))

typedef enum binary_rule
{
	BINARY_HEX,					/* \x00ff */
	BINARY_BASE64
} binary_rule;

typedef struct jsonb_rules
{
	bool		exact;			/* an error for what would not come back equal */
	bool		replace_nul;	/* NUL in strings becomes a replacement character */
	bool		last_key;		/* of keys with the same text the last counts */
	binary_rule binary;
} jsonb_rules;

/* How often a long loop looks for a query cancel: once per so many steps, less one (a mask). */
#define INTERRUPT_MASK	0xffff

static const char *const nul_rules[] = {"error", "replace", NULL};
static const char *const binary_rules[] = {"hex", "base64", NULL};
static const char *const clash_rules[] = {"error", "last", NULL};

typedef struct builder
{
	const jsonb_rules *rules;
	const uint8 *payload;
	size_t		payload_length;
	unsigned	flags;
	bool		is_utf8;		/* strings need no conversion */
	bool		plain;			/* every str is text as it stands, unless it holds NUL */
	const uint8 *blocks_end;	/* a BLOCK may be read where it begins below */

	char	   *out;			/* the jsonb, from its varlena header on */
	size_t		length;
	size_t		capacity;

	msgpack_pair *pairs;			/* those of the open maps */
	msgpack_pair *first_pairs;	/* where they are while they are few: on the stack */
	size_t		pair_count;
	size_t		pair_capacity;

	mpk_spans	spans;			/* of the container at SPANS_DEPTH that is open */
	int			depth;			/* of open containers */
} builder;

/* ----- errors ----- */

static int
detail_place(const builder *b, const uint8 *at)
{
	bool		ascii = GetDatabaseEncoding() != PG_UTF8;
	char	   *path = mpk_locate(b->payload, b->payload_length, at - b->payload, ascii);

	return path != NULL ? errdetail("At %s.", path) : 0;
}

static void
fail_exact(const builder *b, const mpk_value *value)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("msgpack %s cannot be converted to jsonb exactly",
					msgpack_kind_name(value->kind)),
			 detail_place(b, value->start)));
}

static void
fail_nul(const builder *b, const uint8 *at)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
			 errmsg("string with a NUL character cannot be converted to jsonb"),
			 detail_place(b, at),
			 b->rules->exact ? 0 : errhint("Use msgpack_to_jsonb() with nul => 'replace'.")));
}

static void
fail_utf8(const builder *b, const uint8 *at)
{
	ereport(ERROR,
			(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
			 errmsg("string that is not UTF-8 cannot be converted to jsonb"),
			 detail_place(b, at),
			 errhint("Use msgpack_binary() for its bytes, "
					 "or msgpack_regular() to repair the document.")));
}

static void
fail_clash(const builder *b, const msgpack_pair *p)
{
	char	   *key = pnstrdup(p->key, p->rank >> 32);

	ereport(ERROR,
			(errcode(ERRCODE_DUPLICATE_JSON_OBJECT_KEY_VALUE),
			 errmsg("two keys of a map become the same jsonb key: \"%s\"", key),
			 detail_place(b, p->key_value),
			 errhint("Use msgpack_to_jsonb() with key_clash => 'last'.")));
}

static void
fail_string_length(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("string too long to represent as jsonb string"),
			 errdetail("Due to an implementation restriction, "
					   "jsonb strings cannot exceed %d bytes.", JENTRY_OFFLENMASK)));
}

static void
fail_total_size(bool object)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 object
			 ? errmsg("total size of jsonb object elements exceeds the maximum of %u bytes",
					  JENTRY_OFFLENMASK)
			 : errmsg("total size of jsonb array elements exceeds the maximum of %u bytes",
					  JENTRY_OFFLENMASK)));
}

static void
fail_result_size(void)
{
	mpk_error	error = {MPK_ERR_OUTPUT_TOO_LARGE, 0, NULL};

	msgpack_raise(&error);
}

/* ----- the buffer ----- */

static void
grow(builder *b, size_t n)
{
	if (n > MaxAllocSize - b->length)
		fail_result_size();
	b->capacity = Min(Max(b->capacity * 2, b->length + n), MaxAllocSize);
	b->out = repalloc(b->out, b->capacity);
}

/* Room for n more bytes. */
static inline char *
reserve(builder *b, size_t n)
{
	if (unlikely(b->capacity - b->length < n))
		grow(b, n);
	return b->out + b->length;
}

/* Zeros up to the alignment of numerics and containers; "n" more bytes have room after them. */
static inline char *
reserve_aligned(builder *b, size_t n)
{
	char	   *p = reserve(b, n + sizeof(uint32));

	memset(p, 0, sizeof(uint32));
	b->length = INTALIGN(b->length);
	return b->out + b->length;
}

/* ----- strings ----- */

/* Among the first "length" bytes of a block at s, up to BLOCK of them, is there a NUL? */
static inline bool
block_has_nul(const uint8 *s, size_t length)
{
	return (mpk_zero_bytes_32(s) & (uint32) ((UINT64CONST(1) << length) - 1)) != 0;
}

/* A copy with every NUL replaced, by U+FFFD where the database is sure to have it. */
static const uint8 *
replace_nul(const builder *b, const uint8 *s, size_t *length)
{
	const char *replacement = b->is_utf8 ? "\xef\xbf\xbd" : "?";
	StringInfoData copy;

	initStringInfo(&copy);
	for (size_t i = 0; i < *length; i++)
	{
		MPK_CHECK_FOR_INTERRUPTS_AT(i);
		if (s[i] == '\0')
			appendStringInfoString(&copy, replacement);
		else
			appendStringInfoCharMacro(&copy, (char) s[i]);
	}
	*length = copy.len;
	return (const uint8 *) copy.data;
}

/*
 * A str's bytes as the database holds them: the same, or a palloc'd copy.
 * "at" is the value, for errors.
 */
static const char *
string_for_server(const builder *b, const uint8 *s, size_t *length, const uint8 *at)
{
	char	   *converted;

	if (unlikely(memchr(s, '\0', *length) != NULL))
	{
		if (!b->rules->replace_nul || b->rules->exact)
			fail_nul(b, at);
		s = replace_nul(b, s, length);
	}
	if (unlikely((b->flags & MPK_INVALID_UTF8) != 0) && !mpk_is_utf8(s, *length))
		fail_utf8(b, at);
	if (likely(b->is_utf8))
		return (const char *) s;
	converted = pg_any_to_server((const char *) s, (int) *length, PG_UTF8);
	if (converted != (const char *) s)
		*length = strlen(converted);
	return converted;
}

/* Bytes of a bin as text. */
static char *
binary_text(const builder *b, const mpk_value *value, size_t *length)
{
	char	   *out;

	/* longer in either form than jsonb allows: found before anything is allocated */
	if (value->length > JENTRY_OFFLENMASK / 4 * 3)
		fail_string_length();
	if (b->rules->binary == BINARY_BASE64)
	{
		int			size = pg_b64_enc_len((int) value->length);

		out = palloc(size + 1);
		*length = pg_b64_encode((const void *) value->body, (int) value->length, out, size + 1);
		return out;
	}
	*length = 2 + 2 * (size_t) value->length;
	out = palloc(*length);
	out[0] = '\\';
	out[1] = 'x';
	hex_encode((const char *) value->body, value->length, out + 2);
	return out;
}

/* What ->> gives of a container: its text form, in the database's encoding. */
static char *
container_text(const builder *b, const mpk_value *value, size_t *length)
{
	text	   *printed = msgpack_value_text(value, b->flags);
	char	   *out = text_to_cstring(printed);

	*length = VARSIZE_ANY_EXHDR(printed);
	pfree(printed);
	return out;
}

/* What stands in jsonb for a value that is no str: *length bytes, palloc'd. */
static char *
value_text(const builder *b, const mpk_value *value, size_t *length)
{
	mpk_text_style style = {0};
	mpk_text	printed;

	if (value->kind == MPK_BIN)
		return binary_text(b, value, length);
	if (mpk_is_container(value->kind))
		return container_text(b, value, length);

	/* ASCII, all of it */
	mpk_text_init(&printed, 0, 24);
	if (!mpk_print_value_text(&printed, value, b->flags, &style))
		fail_result_size();
	*length = printed.length;
	return printed.buffer;
}

/* Does a string lie in the document itself?  Others are palloc'd, at any address. */
static inline bool
in_document(const builder *b, const char *s)
{
	const uint8 *p = (const uint8 *) s;

	return p >= b->payload && p < b->payload + b->payload_length;
}

/* Free a string unless it lies in the document itself. */
static inline void
release(const builder *b, const char *s)
{
	if (unlikely(!in_document(b, s)))
		pfree(unconstify(char *, s));
}

static inline JEntry
put_string(builder *b, const char *s, size_t length)
{
	if (unlikely(length > JENTRY_OFFLENMASK))
		fail_string_length();
	memcpy(reserve(b, length), s, length);
	b->length += length;
	return JENTRY_ISSTRING;
}

/* Can the str of "length" bytes at s be copied as a block? */
static inline bool
is_short_str(const builder *b, const uint8 *s, size_t length)
{
	return b->plain && length <= BLOCK && s < b->blocks_end;
}

/* Such a str; "at" is its type byte. */
static inline void
put_short_str(builder *b, const uint8 *s, size_t length, const uint8 *at)
{
	char	   *out = reserve(b, BLOCK);

	if (unlikely(block_has_nul(s, length)))
		fail_nul(b, at);
	memcpy(out, s, BLOCK);
	b->length += length;
}

/* ----- scalars ----- */

/* Does the float 64 of its digits, which is what comes back, equal this float? */
static bool
float_comes_back(const mpk_value *value)
{
	char		numeric[MSGPACK_NUMERIC_MAX];
	mpk_value	back;

	if (!isfinite(mpk_float_value(value)))
		return false;
	if (mpk_float_value(value) == 0)
		return !signbit(mpk_float_value(value));
	if (value->kind == MPK_FLOAT64)
		return true;
	msgpack_numeric_write(value, numeric);
	return msgpack_numeric_read(numeric, &back) == MSGPACK_NUMERIC_EXACT &&
		back.as.f64 == (double) value->as.f32;
}

static inline JEntry
put_number(builder *b, const mpk_value *value)
{
	char	   *p;

	if (value->kind >= MPK_FLOAT32)
	{
		double		v = mpk_float_value(value);

		if (unlikely(b->rules->exact) && !float_comes_back(value))
			fail_exact(b, value);
		if (unlikely(isnan(v)))
			return put_string(b, "NaN", 3);
		if (unlikely(isinf(v)))
			return v > 0 ? put_string(b, "Infinity", 8) : put_string(b, "-Infinity", 9);
	}
	p = reserve_aligned(b, MSGPACK_NUMERIC_MAX);
	b->length += msgpack_numeric_write(value, p);
	return JENTRY_ISNUMERIC;
}

/* Kinds that jsonb has not: strings, unless that would not do. */
static JEntry
put_foreign(builder *b, const mpk_value *value)
{
	size_t		length;
	char	   *s;

	if (b->rules->exact)
		fail_exact(b, value);
	s = value_text(b, value, &length);
	put_string(b, s, length);
	pfree(s);
	return JENTRY_ISSTRING;
}

/* A str that is not put by put_short_str. */
static JEntry
put_str(builder *b, const mpk_value *value)
{
	size_t		length = value->length;
	const char *s = string_for_server(b, value->body, &length, value->start);

	put_string(b, s, length);
	if (length > 0)
		release(b, s);
	return JENTRY_ISSTRING;
}

static pg_attribute_always_inline JEntry
put_scalar(builder *b, const mpk_value *value)
{
	switch (value->kind)
	{
		case MPK_NIL:
			return JENTRY_ISNULL;
		case MPK_BOOLEAN:
			return value->as.boolean ? JENTRY_ISBOOL_TRUE : JENTRY_ISBOOL_FALSE;
		case MPK_UINT:
		case MPK_INT:
		case MPK_FLOAT32:
		case MPK_FLOAT64:
			return put_number(b, value);
		case MPK_STR:
			return put_str(b, value);
		default:
			return put_foreign(b, value);
	}
}

/* ----- the pairs of a map ----- */

/* Room for so many pairs more: they follow the result. */
static msgpack_pair *
reserve_pairs(builder *b, size_t n)
{
	size_t		most = MaxAllocSize / sizeof(msgpack_pair);

	if (unlikely(b->pair_capacity - b->pair_count < n))
	{
		msgpack_pair *pairs;

		if (n > most - b->pair_count)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("number of jsonb object pairs exceeds the maximum allowed (%zu)",
							most)));
		b->pair_capacity = Min(Max(b->pair_capacity * 2, b->pair_count + n), most);
		pairs = palloc(b->pair_capacity * sizeof(msgpack_pair));
		memcpy(pairs, b->pairs, b->pair_count * sizeof(msgpack_pair));
		if (b->pairs != b->first_pairs)
			pfree(b->pairs);
		b->pairs = pairs;
	}
	return b->pairs + b->pair_count;
}

/* Leave the last of pairs with the same key, "from" being the first of some; returns how many. */
static size_t
drop_clashes(const builder *b, msgpack_pair *pairs, size_t count, size_t from)
{
	size_t		kept = from;

	for (size_t i = from; i < count; i++)
	{
		if (kept > 0 && msgpack_compare_keys(&pairs[kept - 1], &pairs[i]) == 0)
		{
			if (!b->rules->last_key)
				fail_clash(b, &pairs[i]);
			kept--;
		}
		pairs[kept++] = pairs[i];
	}
	return kept;
}

/* See to it that no key occurs twice among sorted pairs; returns how many are left. */
static inline size_t
settle_clashes(const builder *b, msgpack_pair *pairs, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (unlikely(msgpack_compare_keys(&pairs[i - 1], &pairs[i]) == 0))
			return drop_clashes(b, pairs, count, i);
	return count;
}

/* The byte after a value that was just read. */
static inline const uint8 *
value_end(const builder *b, const mpk_value *value, const uint8 *next)
{
	if (!mpk_is_container(value->kind) || value->length == 0)
		return next;
	if (b->depth >= SPANS_DEPTH)
		return mpk_spans_end(&b->spans, value->start);
	return mpk_skip(value->start);
}

static inline const uint8 *
skip_value(const builder *b, const uint8 *p)
{
	uint64		values = 0;
	const uint8 *next = mpk_skip_one(p, &values);

	if (values == 0)
		return next;
	return b->depth >= SPANS_DEPTH ? mpk_spans_end(&b->spans, p) : mpk_skip(p);
}

/* A key that is not the usual short str: its text, and the byte after it. */
static const uint8 *
read_key(builder *b, const uint8 *p, const char **text, size_t *length)
{
	mpk_value	key;
	const uint8 *next = mpk_read(p, &key);

	if (key.kind == MPK_STR)
	{
		*length = key.length;
		*text = string_for_server(b, key.body, length, p);
	}
	else
	{
		if (b->rules->exact)
			fail_exact(b, &key);
		next = value_end(b, &key, next);
		*text = value_text(b, &key, length);
	}
	if (*length > JENTRY_OFFLENMASK)
		fail_string_length();
	return next;
}

/* Read one pair of a map at p; returns the byte after it. */
static inline const uint8 *
read_pair(builder *b, const uint8 *p, msgpack_pair *it)
{
	it->key_value = p;
	if (likely((*p & 0xe0) == MPK_FIXSTR && is_short_str(b, p + 1, *p & 0x1f)))
	{
		size_t		length = *p & 0x1f;
		uint32		head = mpk_load32(p + 1);

		if (unlikely(block_has_nul(p + 1, length)))
			fail_nul(b, p);
		if (length < 4)
			head &= ~(PG_UINT32_MAX >> (8 * length));
		it->key = (const char *) p + 1;
		it->rank = (uint64) length << 32 | head;
		p += 1 + length;
	}
	else
	{
		size_t		length;

		p = read_key(b, p, &it->key, &length);
		it->rank = msgpack_key_rank(it->key, length);
	}
	it->value = p;
	return skip_value(b, p);
}

/* ----- containers ----- */

static const uint8 *put_container(builder *b, const mpk_value *value);

/*
 * Write the value at p; sets its type bits, and returns the byte after it.
 * The first bytes that begin most values have a way of their own.
 */
static inline const uint8 *
put_value(builder *b, const uint8 *p, JEntry *entry)
{
	mpk_value	value;
	const uint8 *next;

	if ((*p & 0xe0) == MPK_FIXSTR && is_short_str(b, p + 1, *p & 0x1f))
	{
		*entry = JENTRY_ISSTRING;
		put_short_str(b, p + 1, *p & 0x1f, p);
		return p + 1 + (*p & 0x1f);
	}
	if (*p < MPK_FIXMAP)
	{
		char	   *out = reserve_aligned(b, MSGPACK_NUMERIC_MAX);

		*entry = JENTRY_ISNUMERIC;
		b->length += msgpack_numeric_write_small(*p, out);
		return p + 1;
	}
	next = mpk_read(p, &value);
	if (mpk_is_container(value.kind))
	{
		*entry = JENTRY_ISCONTAINER;
		return put_container(b, &value);
	}
	*entry = put_scalar(b, &value);
	return next;
}

/* A container's children, as far as they are written. */
typedef struct children
{
	size_t		entries;		/* where the entries begin, in the buffer */
	size_t		data;			/* where the data begins */
	size_t		end;			/* and where it ends so far */
	uint32		count;
	bool		object;
} children;

/* The header, and room for the entries. */
static inline children
open_children(builder *b, uint32 header, size_t count, size_t entries)
{
	bool		object = (header & JB_FOBJECT) != 0;
	uint32		word = header | (uint32) count;
	char	   *p = reserve_aligned(b, sizeof(word) + entries * sizeof(JEntry));
	children	c;

	if (count > JB_CMASK)
		fail_total_size(object);
	memcpy(p, &word, sizeof(word));
	c.entries = b->length + sizeof(word);
	c.data = c.end = b->length = c.entries + entries * sizeof(JEntry);
	c.count = 0;
	c.object = object;
	return c;
}

/* The entry of child i: its length, or now and then where in the data it ends. */
static inline JEntry
child_entry(JEntry type, uint32 i, size_t total, size_t length)
{
	return type | (i % JB_OFFSET_STRIDE == 0 ? (JEntry) total | JENTRY_HAS_OFF : (JEntry) length);
}

/* The child that ends where the buffer does; padding in front of it is counted with it. */
static inline void
add_child(builder *b, children *c, JEntry type)
{
	size_t		total = b->length - c->data;
	JEntry		entry = child_entry(type, c->count, total, b->length - c->end);

	if (unlikely(total > JENTRY_OFFLENMASK))
		fail_total_size(c->object);
	memcpy(b->out + c->entries + (size_t) c->count * sizeof(JEntry), &entry, sizeof(entry));
	c->end = b->length;
	c->count++;
}

static const uint8 *
put_array(builder *b, const mpk_value *array)
{
	const uint8 *p = array->body;
	JEntry		type;
	children	c = open_children(b, JB_FARRAY, array->length, array->length);

	for (uint32 i = 0; i < array->length; i++)
	{
		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			CHECK_FOR_INTERRUPTS();
		p = put_value(b, p, &type);
		add_child(b, &c, type);
	}
	return p;
}

/* The keys of an object, whose room is reserved in one piece; they are checked already. */
static void
put_keys(builder *b, children *c, const msgpack_pair *pairs, size_t count)
{
	size_t		total = 0;
	char	   *start;
	char	   *out;
	char	   *entries;

	for (size_t i = 0; i < count; i++)
		total += msgpack_key_length(&pairs[i]);
	if (total > JENTRY_OFFLENMASK)
		fail_total_size(true);
	start = out = reserve(b, total + BLOCK);
	entries = b->out + c->entries;
	for (size_t i = 0; i < count; i++)
	{
		uint32		length = msgpack_key_length(&pairs[i]);
		JEntry		entry;

		if (likely(in_document(b, pairs[i].key) &&
				   is_short_str(b, (const uint8 *) pairs[i].key, length)))
			memcpy(out, pairs[i].key, BLOCK);
		else
		{
			memcpy(out, pairs[i].key, length);
			if (length > 0)
				release(b, pairs[i].key);
		}
		out += length;
		entry = child_entry(JENTRY_ISSTRING, (uint32) i, out - start, length);
		memcpy(entries + i * sizeof(JEntry), &entry, sizeof(entry));
	}
	b->length += total;
	c->end = b->length;
	c->count = (uint32) count;
}

static const uint8 *
put_map(builder *b, const mpk_value *map)
{
	size_t		first = b->pair_count;
	const uint8 *p = map->body;
	msgpack_pair *pairs = reserve_pairs(b, map->length);
	size_t		count;
	JEntry		type;
	children	c;

	for (uint32 i = 0; i < map->length; i++)
	{
		if (unlikely((i & INTERRUPT_MASK) == INTERRUPT_MASK))
			CHECK_FOR_INTERRUPTS();
		p = read_pair(b, p, &pairs[i]);
	}
	msgpack_sort_pairs(pairs, map->length);
	count = settle_clashes(b, pairs, map->length);
	b->pair_count += count;

	c = open_children(b, JB_FOBJECT, count, count * 2);
	put_keys(b, &c, pairs, count);
	for (size_t i = 0; i < count; i++)
	{
		/* maps inside this one may move the pairs */
		put_value(b, b->pairs[first + i].value, &type);
		add_child(b, &c, type);
	}
	b->pair_count = first;
	return p;
}

/* Recursion is bounded by MPK_MAX_DEPTH. */
static const uint8 *
put_container(builder *b, const mpk_value *value)
{
	const uint8 *end;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (++b->depth == SPANS_DEPTH &&
		!mpk_spans_build(&b->spans, value->start, JENTRY_OFFLENMASK / LEAST_CONTAINER))
		fail_total_size(value->kind == MPK_MAP);
	end = value->kind == MPK_MAP ? put_map(b, value) : put_array(b, value);
	b->depth--;
	return end;
}

/* A scalar stands in an array of its own. */
static void
put_root(builder *b)
{
	mpk_value	value;
	children	c;

	mpk_read(b->payload, &value);
	if (mpk_is_container(value.kind))
	{
		put_container(b, &value);
		return;
	}
	c = open_children(b, JB_FARRAY | JB_FSCALAR, 1, 1);
	add_child(b, &c, put_scalar(b, &value));
}

static Jsonb *
build(const uint8 *payload, size_t length, unsigned flags, const jsonb_rules *rules)
{
	msgpack_pair first_pairs[FIRST_PAIRS];
	builder		b = {.rules = rules,.payload = payload,.payload_length = length,.flags = flags};

	b.is_utf8 = GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII;
	b.plain = GetDatabaseEncoding() == PG_UTF8 && (flags & MPK_INVALID_UTF8) == 0 &&
		!rules->replace_nul;
	b.blocks_end = length >= BLOCK ? payload + length - BLOCK + 1 : payload;
	b.capacity = Min(2 * length + 64, MaxAllocSize);
	b.out = palloc(b.capacity);
	b.length = VARHDRSZ;
	b.pair_capacity = FIRST_PAIRS;
	b.pairs = b.first_pairs = first_pairs;
	mpk_spans_init(&b.spans);

	put_root(&b);

	mpk_spans_free(&b.spans);
	if (b.pairs != first_pairs)
		pfree(b.pairs);
	SET_VARSIZE(b.out, b.length);
	return (Jsonb *) b.out;
}

/* Repeated keys are settled on a copy: there the last one counts, as for every reader. */
static Jsonb *
convert(const mpk_document *document, const jsonb_rules *rules)
{
	mpk_writer	regular;
	Jsonb	   *result;

	if (likely((document->flags & MPK_REPEATED_KEYS) == 0))
		return build(document->payload, document->length, document->flags, rules);

	mpk_writer_init(&regular, document->length);
	mpk_drop_repeated_keys(&regular, document->payload, MPK_KEEP_LAST);
	result = build(mpk_writer_data(&regular), regular.length,
				   document->flags & ~MPK_REPEATED_KEYS, rules);
	pfree(regular.buffer);
	return result;
}

Jsonb *
msgpack_jsonb_of(const mpk_document *document)
{
	jsonb_rules rules = {0};

	return convert(document, &rules);
}

/* ----- SQL functions ----- */

Datum
msgpack_to_jsonb(PG_FUNCTION_ARGS)
{
	mpk_document document = PG_GETARG_MSGPACK(0);

	PG_RETURN_JSONB_P(msgpack_jsonb_of(&document));
}

Datum
msgpack_to_jsonb_with(PG_FUNCTION_ARGS)
{
	mpk_document document = PG_GETARG_MSGPACK(0);
	jsonb_rules rules;

	rules.exact = PG_GETARG_BOOL(1);
	rules.replace_nul = msgpack_option("nul", PG_GETARG_TEXT_PP(2), nul_rules) == 1;
	rules.binary = (binary_rule) msgpack_option("binary", PG_GETARG_TEXT_PP(3), binary_rules);
	rules.last_key = msgpack_option("key_clash", PG_GETARG_TEXT_PP(4), clash_rules) == 1;
	PG_RETURN_JSONB_P(convert(&document, &rules));
}
