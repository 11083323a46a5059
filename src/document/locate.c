/*
 * locate.c
 *		The path to a byte of a value that may be broken.
 */
#include "document/locate.h"

#include "lib/stringinfo.h"

#include "codec/format.h"
#include "codec/utf8.h"

/* What mpk_read may look at: a type byte, a length of 4, an ext code, a timestamp of 12. */
#define HEAD_READS		24

/* Bytes that one name adds before it is cut. */
#define NAME_MAX		60

/* Bytes kept of a path that is too long, at its end, where it tells most. */
#define TAIL_MAX		(MPK_PATH_MAX - 4)

/* A container that the byte is inside of. */
typedef struct place
{
	const uint8 *key;			/* of a map: the key of the pair under way */
	uint32		begun;			/* values begun: elements; of a map, keys and values */
	uint32		count;			/* of how many */
	bool		map;
} place;

/*
 * Read one head of bytes that nobody has checked, from a padded copy.  False
 * when the value does not fit before "end"; *next is the byte after the head,
 * and after the body too unless it is a container.
 */
static bool
read_unchecked(const uint8 *p, const uint8 *end, mpk_value *value, const uint8 **next)
{
	uint8		head[HEAD_READS] = {0};
	mpk_value	copied;
	size_t		readable = end - p;
	size_t		used;

	if (readable == 0 || *p == MPK_BYTE_NEVER_USED)
		return false;
	memcpy(head, p, Min(readable, HEAD_READS));
	mpk_read(head, &copied);
	used = copied.body - head;
	if (used > readable)
		return false;
	*value = copied;
	value->start = p;
	value->body = p + used;
	if (value->kind >= MPK_STR && !mpk_is_container(value->kind))
	{
		if (value->length > readable - used)
			return false;
		used += value->length;
	}
	*next = p + used;
	return true;
}

/*
 * Walk to the target, or as far as the bytes can be read.  Returns the depth of
 * the stack there, or -1 when the object ends before it.
 */
static int
walk_to(const uint8 *p, const uint8 *end, const uint8 *target, place *stack)
{
	int			depth = 0;

	for (;;)
	{
		mpk_value	value;
		const uint8 *next;

		MPK_CHECK_FOR_INTERRUPTS();
		if (depth > 0)
		{
			place	   *inside = &stack[depth - 1];

			if (inside->begun++ % 2 == 0)
				inside->key = p;
		}
		if (p >= target || !read_unchecked(p, end, &value, &next))
			return depth;
		if (next > target && !(mpk_is_container(value.kind) && next == target))
			return depth;
		p = next;
		if (mpk_is_container(value.kind) && value.length > 0)
		{
			if (depth == MPK_MAX_DEPTH)
				return depth;
			stack[depth].map = value.kind == MPK_MAP;
			stack[depth].begun = 0;
			stack[depth].count = stack[depth].map ? value.length * 2 : value.length;
			depth++;
			continue;
		}
		while (depth > 0 && stack[depth - 1].begun == stack[depth - 1].count)
			depth--;
		if (depth == 0)
			return -1;
	}
}

/* May the name follow a point? */
static bool
is_identifier(const uint8 *s, uint32 length)
{
	if (length == 0 || length > NAME_MAX)
		return false;
	for (uint32 i = 0; i < length; i++)
	{
		bool		letter = (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') ||
			s[i] == '_';

		if (!letter && (i == 0 || s[i] < '0' || s[i] > '9'))
			return false;
	}
	return true;
}

static void
append_character(StringInfo path, const uint8 *s, int length, uint32 codepoint, bool ascii)
{
	if (codepoint == '"' || codepoint == '\\')
		appendStringInfo(path, "\\%c", (int) codepoint);
	else if (codepoint < 0x20 || codepoint == 0x7f || (ascii && codepoint >= 0x80))
	{
		if (codepoint >= 0x10000)
		{
			codepoint -= 0x10000;
			appendStringInfo(path, "\\u%04x", 0xd800 + (codepoint >> 10));
			codepoint = 0xdc00 + (codepoint & 0x3ff);
		}
		appendStringInfo(path, "\\u%04x", codepoint);
	}
	else
		appendBinaryStringInfo(path, (const char *) s, length);
}

/* A name in quotes, cut when it is long.  It is UTF-8. */
static void
append_quoted(StringInfo path, const uint8 *s, uint32 length, bool ascii)
{
	const uint8 *end = s + length;
	int			start = path->len;

	appendStringInfoString(path, "[\"");
	while (s < end)
	{
		uint32		codepoint = 0;
		int			n = mpk_utf8_decode(s, end, &codepoint);

		if (path->len - start > NAME_MAX)
		{
			appendStringInfoString(path, "...");
			break;
		}
		append_character(path, s, n, codepoint, ascii);
		s += n;
	}
	appendStringInfoString(path, "\"]");
}

static void
append_key(StringInfo path, const place *step, const uint8 *end, bool ascii)
{
	mpk_value	key;
	const uint8 *next;

	if (!read_unchecked(step->key, end, &key, &next))
		key.kind = MPK_MAP;		/* told by its number, as a map is */

	if (key.kind == MPK_STR && mpk_is_utf8(key.body, key.length))
	{
		if (is_identifier(key.body, key.length))
			appendStringInfo(path, ".%.*s", (int) key.length, (const char *) key.body);
		else
			append_quoted(path, key.body, key.length, ascii);
	}
	else if (key.kind == MPK_NIL)
		appendStringInfoString(path, "{null}");
	else if (key.kind == MPK_BOOLEAN)
		appendStringInfoString(path, key.as.boolean ? "{true}" : "{false}");
	else if (key.kind == MPK_UINT)
		appendStringInfo(path, "{" UINT64_FORMAT "}", key.as.u64);
	else if (key.kind == MPK_INT)
		appendStringInfo(path, "{" INT64_FORMAT "}", key.as.i64);
	else
		appendStringInfo(path, "{#%u}", (step->begun - 1) / 2);
}

/* Leave out steps behind the "$" until the rest is short enough. */
static void
clip_path(StringInfo path, const int *steps, int depth)
{
	int			first = 0;

	if (depth == 0 || path->len <= MPK_PATH_MAX)
		return;
	while (first < depth - 1 && path->len - steps[first] > TAIL_MAX)
		first++;
	memmove(path->data + 4, path->data + steps[first], path->len - steps[first] + 1);
	path->len -= steps[first] - 4;
	memcpy(path->data + 1, "...", 3);
}

char *
mpk_locate(const uint8 *data, size_t length, size_t offset, bool ascii)
{
	place		stack[MPK_MAX_DEPTH];
	int			steps[MPK_MAX_DEPTH];
	StringInfoData path;
	int			depth = walk_to(data, data + length, data + Min(offset, length), stack);

	if (depth < 0)
		return NULL;
	initStringInfo(&path);
	appendStringInfoChar(&path, '$');
	for (int i = 0; i < depth; i++)
	{
		steps[i] = path.len;
		if (stack[i].map)
		{
			append_key(&path, &stack[i], data + length, ascii);
			if (stack[i].begun % 2 == 1)
			{
				/* inside a key: there is no path to its parts */
				depth = i + 1;
			}
		}
		else
			appendStringInfo(&path, "[%u]", stack[i].begun - 1);
	}
	clip_path(&path, steps, depth);
	return path.data;
}
