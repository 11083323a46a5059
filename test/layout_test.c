/*
 * layout_test.c
 *		The index that is built by a layout is the one that is built without.
 *
 * Random documents, as the validator notes them and as the parser of their text
 * form does: short maps and long ones, arrays in arrays, containers in keys,
 * heads longer than needed, and chains of containers that all have tables.
 */
#include "counting.h"

#include "codec/layout.h"
#include "codec/validate.h"
#include "codec/write.h"
#include "document/index.h"
#include "document/regular.h"
#include "document/text.h"

#define DOCUMENTS		4000
#define MOST_BYTES		100000

typedef struct random_state
{
	uint64		state;
} random_state;

static uint32
below(random_state *r, uint32 n)
{
	r->state = r->state * UINT64CONST(6364136223846793005) + UINT64CONST(1442695040888963407);
	return (uint32) (r->state >> 33) % n;
}

/* ----------
 * Documents
 * ----------
 */

static void
write_scalar(random_state *r, mpk_writer *writer)
{
	static const uint16 lengths[] = {0, 1, 5, 12, 31, 32, 300, 2100};
	uint8		bytes[2100];

	memset(bytes, 'a' + below(r, 20), sizeof(bytes));
	switch (below(r, 8))
	{
		case 0:
			mpk_write_nil(writer);
			break;
		case 1:
			mpk_write_float64(writer, below(r, 1000) / 8.0);
			break;
		case 2:
			mpk_write_str(writer, bytes, lengths[below(r, lengthof(lengths))]);
			break;
		case 3:
			mpk_write_bin(writer, bytes, lengths[below(r, 6)]);
			break;
		default:
			mpk_write_int(writer, (int64) below(r, 100000) - 1000);
			break;
	}
}

static void write_value(random_state *r, mpk_writer *writer, int depth);

/* Keys of all kinds; most are different. */
static void
write_key(random_state *r, mpk_writer *writer, uint32 i, int depth)
{
	char		key[64];

	switch (below(r, 40))
	{
		case 0:
			mpk_write_uint(writer, i);
			break;
		case 1:
			snprintf(key, sizeof(key), "a key that no short head holds, number %u", i);
			mpk_write_str(writer, key, strlen(key));
			break;
		case 2:
			if (depth > 0 && below(r, 8) == 0)
			{
				write_value(r, writer, depth - 1);
				break;
			}
			/* FALLTHROUGH */
		default:
			snprintf(key, sizeof(key), "k%u", below(r, 500) == 0 ? 0 : i);
			mpk_write_str(writer, key, strlen(key));
			break;
	}
}

static uint32
pick_count(random_state *r, int depth)
{
	static const uint16 counts[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 300};

	return counts[below(r, depth > 2 ? lengthof(counts) - 4 : lengthof(counts))];
}

/* A head as wide as can be, or the shortest. */
static void
write_head(random_state *r, mpk_writer *writer, bool map, uint32 count)
{
	uint8		head[5];

	if (below(r, 12) > 0)
	{
		if (map)
			mpk_write_map_head(writer, count);
		else
			mpk_write_array_head(writer, count);
		return;
	}
	head[0] = map ? MPK_BYTE_MAP32 : MPK_BYTE_ARRAY32;
	mpk_store32(head + 1, count);
	mpk_write_raw(writer, head, sizeof(head));
}

static void
write_value(random_state *r, mpk_writer *writer, int depth)
{
	bool		map = below(r, 2) == 0;
	uint32		count;

	if (depth == 0 || below(r, 3) == 0)
	{
		write_scalar(r, writer);
		return;
	}
	/* what became long is finished with short values */
	count = writer->length > MOST_BYTES ? below(r, 3) : pick_count(r, depth);
	write_head(r, writer, map, count);
	for (uint32 i = 0; i < count; i++)
	{
		if (map)
			write_key(r, writer, i, depth);
		write_value(r, writer, depth - 1);
	}
}

/* Arrays in arrays; each holds some containers worth a record before the next. */
static void
write_chain(mpk_writer *writer, int depth)
{
	for (int i = 0; i < depth; i++)
	{
		mpk_write_array_head(writer, 9);
		for (int j = 0; j < 8; j++)
		{
			mpk_write_array_head(writer, 1);
			mpk_write_str(writer, "0123456789abcdef", 16);
		}
	}
	mpk_write_nil(writer);
}

/* ----------
 * Checks
 * ----------
 */

static void
check(bool ok, const char *what, int number)
{
	if (failed_check(ok))
		printf("FAILED: %s, document %d\n", what, number);
}

static bool
same_index(const mpk_index *a, const mpk_index *b)
{
	return a->length == b->length && a->containers == b->containers &&
		memcmp(mpk_index_bytes(a), mpk_index_bytes(b), a->length) == 0;
}

/* Is the index by this layout the one that is made without? */
static void
check_index(const uint8 *payload, size_t length, unsigned flags, const mpk_layout *layout,
			const char *what, int number)
{
	mpk_index	wanted;
	mpk_index	found;

	mpk_index_build(&wanted, payload, length, flags, NULL);
	mpk_index_build(&found, payload, length, flags, layout);
	check(same_index(&found, &wanted), what, number);
	mpk_index_free(&wanted);
	mpk_index_free(&found);
}

/* And is the one that is made as if the container began a document as large as can be? */
static void
check_first(const uint8 *payload, size_t length, unsigned flags, int number)
{
	mpk_index	wanted;
	mpk_index	found;

	mpk_index_build(&wanted, payload, length, flags, NULL);
	check(mpk_index_build_first(&found, payload, MPK_MAX_ALLOC, flags) == payload + length &&
		  same_index(&found, &wanted), "by its beginning", number);
	mpk_index_free(&wanted);
	mpk_index_free(&found);
}

/* The payload, as the validator sees it.  Returns the irregularities. */
static unsigned
check_validated(const uint8 *payload, size_t length, int number, bool *spoilt)
{
	mpk_layout	layout;
	unsigned	flags;

	mpk_layout_init(&layout);
	if (!mpk_validate_layout(payload, length, &flags, &layout, NULL))
	{
		check(false, "is valid", number);
		return 0;
	}
	flags = mpk_resolve_flags(payload, flags);
	check_index(payload, length, flags, &layout, "by the validator", number);
	if (mpk_begins_container(*payload))
		check_first(payload, length, flags, number);
	*spoilt = layout.spoilt;
	check(!layout.spoilt || layout.used == 0, "nothing is kept of what is not used", number);
	mpk_layout_free(&layout);
	return flags;
}

/* A text, as the parser sees it. */
static void
check_text(const uint8 *text, size_t length, const char *what, int number)
{
	mpk_layout	layout;
	mpk_writer	writer;
	unsigned	flags;

	mpk_layout_init(&layout);
	mpk_writer_init(&writer, length);
	if (!mpk_parse_text_layout(text, length, &writer, &flags, &layout, NULL))
	{
		check(false, "parses", number);
		return;
	}
	flags = mpk_resolve_flags(mpk_writer_data(&writer), flags);
	check_index(mpk_writer_data(&writer), writer.length, flags, &layout, what, number);
	mpk_layout_free(&layout);
	pfree(writer.buffer);
}

/* The text form of the payload, and JSON that repeats a key. */
static void
check_printed(const uint8 *payload, size_t length, unsigned flags, int number)
{
	static const char head[] = "{\"a\": [1, 2], \"a\": ";
	mpk_text	text;
	char	   *repeated;

	mpk_text_init(&text, 0, 64);
	check(mpk_print(&text, payload, payload + length, flags,
					&(mpk_text_style) {.marks = true}), "prints", number);
	check_text((const uint8 *) text.buffer, text.length, "by the parser", number);

	repeated = palloc(sizeof(head) + text.length);
	memcpy(repeated, head, sizeof(head) - 1);
	memcpy(repeated + sizeof(head) - 1, text.buffer, text.length);
	repeated[sizeof(head) - 1 + text.length] = '}';
	check_text((const uint8 *) repeated, sizeof(head) + text.length, "by the parser, with a key "
			   "that is repeated", number);
	pfree(repeated);
	pfree(text.buffer);
}

static bool
check_document(const mpk_writer *writer, int number)
{
	const uint8 *payload = writer->buffer + MPK_WRITER_HEADROOM;
	bool		spoilt = false;
	unsigned	flags = check_validated(payload, writer->length, number, &spoilt);

	check_printed(payload, writer->length, flags, number);
	return spoilt;
}

int
main(void)
{
	random_state r = {20261130};
	mpk_writer	writer;
	int			spoilt = 0;

	for (int i = 0; i < DOCUMENTS; i++)
	{
		mpk_writer_init(&writer, 64);
		write_value(&r, &writer, below(&r, 6));
		spoilt += check_document(&writer, i);
		pfree(writer.buffer);
	}
	/* keys that are containers must have come up, and not in every other document */
	check(spoilt > 0 && spoilt < DOCUMENTS / 2, "layouts that were spoilt", spoilt);
	for (int depth = 1; depth <= MPK_MAX_DEPTH - 1; depth *= 2)
	{
		mpk_writer_init(&writer, 64);
		write_chain(&writer, depth);
		check(check_document(&writer, depth) == (depth >= 64), "a chain's layout", depth);
		pfree(writer.buffer);
	}
	return finish();
}
