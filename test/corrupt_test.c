/*
 * corrupt_test.c
 *		Damaged headers, one byte at a time: every byte, many values.
 *
 * Whatever a header says, reading a stored value stays inside it, and what is
 * read nests no deeper than readers have room for.  Run under the address
 * sanitizer, each value lies in a chunk of its own size.
 */
#include "postgres_fe.h"

#include "codec/validate.h"
#include "codec/write.h"
#include "document/compare.h"
#include "document/contain.h"
#include "document/edit.h"
#include "document/entries.h"
#include "document/index.h"
#include "document/nest.h"
#include "document/path.h"
#include "document/text.h"

#include "counting.h"


static void
check(bool ok, const char *what, size_t at)
{
	if (failed_check(ok))
		printf("FAILED: %s, byte %zu\n", what, at);
}

/* ----------
 * Documents that have tables of each form
 * ----------
 */

/* A str of bytes that read as values nested more than any document's are, should one land there. */
static void
write_trap(mpk_writer *writer)
{
	uint8		bytes[MPK_MAX_DEPTH + 8];

	memset(bytes, 0x91, sizeof(bytes));
	bytes[sizeof(bytes) - 1] = MPK_BYTE_NIL;
	mpk_write_str(writer, bytes, sizeof(bytes));
}

static void
write_map(mpk_writer *writer, uint32 pairs, bool traps)
{
	mpk_write_map_head(writer, pairs);
	for (uint32 i = 0; i < pairs; i++)
	{
		char		key[16];

		mpk_write_str(writer, key, snprintf(key, sizeof(key), "key%u", i));
		if (traps && i % 4 == 0)
			write_trap(writer);
		else if (i % 4 == 1)
			mpk_write_float64(writer, i);
		else
			mpk_write_bin(writer, key, 6);
	}
}

static void
write_array(mpk_writer *writer, uint32 elements)
{
	mpk_write_array_head(writer, elements);
	for (uint32 i = 0; i < elements; i++)
	{
		if (i % 16 == 5)
			write_trap(writer);
		else
			mpk_write_uint(writer, i * 1000);
	}
}

#define DOCUMENTS	5

static void
write_document(mpk_writer *writer, int number)
{
	switch (number)
	{
		case 0:
			write_map(writer, 12, false);
			break;
		case 1:
			write_map(writer, 12, true);
			break;
		case 2:
			write_map(writer, 80, false);
			break;
		case 3:
			write_array(writer, 200);
			break;
		default:
			mpk_write_map_head(writer, 9);
			for (uint32 i = 0; i < 9; i++)
			{
				mpk_write_uint(writer, i);
				if (i == 3)
					write_array(writer, 60);
				else if (i == 6)
					write_map(writer, 20, true);
				else
					mpk_write_nil(writer);
			}
	}
}

/* The stored bytes; *header is how many of them are the header. */
static uint8 *
make_stored(int number, size_t *header, size_t *length)
{
	mpk_writer	writer;
	mpk_index	index;
	unsigned	flags;
	uint8	   *stored;

	mpk_writer_init(&writer, 64);
	write_document(&writer, number);
	if (!mpk_validate(mpk_writer_data(&writer), writer.length, &flags, NULL))
		exit(1);
	mpk_index_build(&index, mpk_writer_data(&writer), writer.length, flags, NULL);
	*header = mpk_stored_header_length(flags, index.length);
	*length = *header + writer.length;
	stored = palloc(*length);
	mpk_stored_header_write(stored, flags, mpk_index_bytes(&index), index.length);
	memcpy(stored + *header, mpk_writer_data(&writer), writer.length);
	mpk_index_free(&index);
	pfree(writer.buffer);
	return stored;
}

/* ----------
 * Reading
 * ----------
 */

/* What readers do with a value that a path has led them to; false when it could overrun them. */
static bool
use(mpk_cursor *cursor, const mpk_spot *spot, const mpk_document *document)
{
	const uint8 *start;
	const uint8 *end;
	mpk_document value = {.flags = document->flags & MPK_IRREGULAR};
	mpk_text	text;

	if (!mpk_spot_bytes(cursor, spot, &start, &end))
		return cursor->corrupt;
	if (start < document->header || end > document->payload + document->length ||
		!mpk_nests_within(start, end, MPK_MAX_DEPTH))
		return false;
	value.payload = start;
	value.length = end - start;
	mpk_text_init(&text, 0, 64);
	mpk_print(&text, start, end, value.flags, &(mpk_text_style) {.marks = true});
	pfree(text.buffer);
	return mpk_compare(&value, &value) == 0;
}

static bool
follow(const mpk_document *document, const mpk_step *steps, int count)
{
	mpk_cursor	cursor;
	mpk_spot	spot;

	mpk_cursor_init(&cursor, document);
	if (!mpk_spot_root(&cursor, &spot) || !mpk_path_follow(&cursor, &spot, steps, count))
		return true;
	return use(&cursor, &spot, document);
}

/* An edit goes by the payload; the index that is made for its result reads the damaged one. */
static bool
edit(const mpk_document *document, const mpk_step *steps, int count, mpk_edit_kind kind)
{
	static const uint8 nil[] = {MPK_BYTE_NIL};
	mpk_document value = {.payload = nil,.length = sizeof(nil)};
	mpk_edit	change = {.kind = kind,.steps = steps,.count = count,.null_level = -1,
	.value = &value};
	mpk_writer	writer;
	mpk_index	index;
	unsigned	flags;
	mpk_error	error;
	bool		ok = true;

	mpk_writer_init(&writer, document->length);
	if (mpk_edit_path(&writer, document, &change) == MPK_EDITED)
	{
		ok = mpk_validate(mpk_writer_data(&writer), writer.length, &flags, &error);
		if (change.change.path != NULL &&
			mpk_index_splice(&index, mpk_writer_data(&writer), writer.length, &change.change))
			mpk_index_free(&index);
	}
	pfree(writer.buffer);
	return ok;
}

/* The keys of a long map, which are found by its table: each lies inside the value. */
static bool
walk_keys(const mpk_document *document)
{
	mpk_cursor	cursor;
	mpk_spot	root;
	mpk_entries entries;
	mpk_entry	key;
	mpk_entry	value;
	bool		ok = true;

	mpk_cursor_init(&cursor, document);
	if (!mpk_spot_root(&cursor, &root) || !mpk_entries_begin(&entries, &cursor, &root) ||
		!mpk_entries_keys_only(&entries) || entries.keys == NULL)
		return true;
	while (mpk_entries_next(&entries, &key, &value))
		ok &= key.start >= document->header &&
			key.end <= document->payload + document->length;
	return ok;
}

/* Everything that one can ask of the value. */
static bool
read_all(const uint8 *stored, size_t length, const mpk_document *wanted)
{
	mpk_document document;
	mpk_cursor	cursor;
	mpk_step	steps[2];
	mpk_contained contained;
	bool		ok = true;

	if (!mpk_document_open(stored, length, &document, NULL) || document.header == NULL)
		return true;
	for (int i = 0; i < 12; i++)
	{
		char		key[16];

		mpk_step_text(&steps[0], MPK_STEP_FIELD, (uint8 *) key,
					  snprintf(key, sizeof(key), "key%d", i * 3));
		ok &= follow(&document, steps, 1);
		mpk_step_number(&steps[0], i * 11);
		ok &= follow(&document, steps, 1);
		mpk_step_number(&steps[0], i % 2 ? 3 : 6);
		mpk_step_text(&steps[1], MPK_STEP_PATH, (uint8 *) key,
					  snprintf(key, sizeof(key), i % 2 ? "%d" : "key%d", i));
		ok &= follow(&document, steps, 2);
		/* as long as the payload begins where it does */
		if (i % 4 == 0 && document.length == wanted->length)
		{
			ok &= edit(&document, steps, 2, MPK_EDIT_SET);
			ok &= edit(&document, steps, 1, MPK_EDIT_SET);
			ok &= edit(&document, steps, 1, MPK_EDIT_INSERT_AFTER);
			ok &= edit(&document, steps, 2, MPK_EDIT_DELETE);
		}
	}
	mpk_cursor_init(&cursor, &document);
	mpk_contained_init(&contained, wanted);
	if (wanted->length % 2 == 0)
		mpk_contained_prepare(&contained);
	mpk_contains(&cursor, &contained);
	mpk_step_text(&steps[0], MPK_STEP_FIELD, (const uint8 *) "key7", 4);
	mpk_exists(&cursor, &steps[0]);
	return ok & walk_keys(&document);
}

static const uint8 damages[] = {
	0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x03, 0x07, 0x0f, 0x1f, 0x3f, 0x7f, 0xff, 0x55
};

static void
damage_every_byte(int number)
{
	size_t		header;
	size_t		length;
	uint8	   *stored = make_stored(number, &header, &length);
	mpk_document whole;
	mpk_document wanted = {0};

	if (!mpk_document_open(stored, length, &whole, NULL))
		exit(1);
	wanted.payload = palloc(whole.length);
	wanted.length = whole.length;
	memcpy((uint8 *) wanted.payload, whole.payload, whole.length);
	check(read_all(stored, length, &wanted), "undamaged", number);
	for (size_t at = 0; at < header; at++)
	{
		uint8		was = stored[at];
		bool		ok = true;

		/* each bit alone, what is near, and the extremes; under a sanitizer all values take a minute */
		for (size_t i = 0; i < lengthof(damages); i++)
		{
			stored[at] = (uint8) (was ^ damages[i]);
			ok &= read_all(stored, length, &wanted);
		}
		for (int value = 0; value <= PG_UINT8_MAX; value += PG_UINT8_MAX)
		{
			stored[at] = (uint8) value;
			ok &= read_all(stored, length, &wanted);
		}
		stored[at] = was;
		check(ok, "reading with damage in the header", at);
	}
	pfree((uint8 *) wanted.payload);
	pfree(stored);
}

static void
put_le(uint8 *p, uint32 v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8) (v >> 8 * i);
}

/*
 * A short map whose table, of four bytes a number, gives one place for all keys:
 * from the map's end up to the largest number there is.
 */
static void
check_places(uint32 place)
{
	enum
	{
		PAIRS = 12
	};
	uint8		index[1 + 2 * 4 + PAIRS * (1 + 4)];
	uint8	   *at = index;
	uint8	   *stored;
	size_t		header = mpk_stored_header_length(MPK_HAS_INDEX, sizeof(index));
	mpk_writer	writer;
	mpk_document wanted = {0};

	mpk_writer_init(&writer, 64);
	write_map(&writer, PAIRS, false);
	wanted.payload = mpk_writer_data(&writer);
	wanted.length = writer.length;
	*at++ = MPK_TABLE_SHORT_MAP | 3 << 3;
	put_le(at, (uint32) writer.length);
	put_le(at + 4, PAIRS);
	at += 8;
	for (uint32 i = 0; i < PAIRS; i++)
	{
		mpk_step	step;
		char		key[16];

		mpk_step_text(&step, MPK_STEP_FIELD, (uint8 *) key,
					  snprintf(key, sizeof(key), "key%u", i));
		at[i] = MPK_TABLE_TAG(step.hash);
		put_le(at + PAIRS + 4 * i, place);
	}
	stored = palloc(header + writer.length);
	mpk_stored_header_write(stored, MPK_HAS_INDEX, index, sizeof(index));
	memcpy(stored + header, wanted.payload, wanted.length);
	check(read_all(stored, header + wanted.length, &wanted), "a place beyond the map", place);
	pfree(stored);
	pfree(writer.buffer);
}

/* {"a": nil, "b": nil ...} behind an index of these bytes: is asking for "c" sound? */
static bool
look_up(const uint8 *index, size_t index_length)
{
	enum
	{
		PAIRS = 8
	};
	uint8		payload[1 + 3 * PAIRS] = {MPK_FIXMAP | PAIRS};
	size_t		header = mpk_stored_header_length(0, index_length);
	size_t		length = header + sizeof(payload);
	uint8	   *stored = palloc(length);
	mpk_document document;
	mpk_step	step;
	bool		ok;

	for (int i = 0; i < PAIRS; i++)
	{
		payload[1 + 3 * i] = MPK_FIXSTR | 1;
		payload[2 + 3 * i] = (uint8) ('a' + i);
		payload[3 + 3 * i] = MPK_BYTE_NIL;
	}
	mpk_stored_header_write(stored, 0, index, index_length);
	memcpy(stored + header, payload, sizeof(payload));
	mpk_step_text(&step, MPK_STEP_FIELD, (const uint8 *) "c", 1);
	ok = mpk_document_open(stored, length, &document, NULL) && follow(&document, &step, 1);
	pfree(stored);
	return ok;
}

/* Tables that end anywhere, and say anything of their kind, behind which the payload is short. */
static void
cut_tables(void)
{
	for (size_t length = 1; length < 16; length++)
		for (int form = 0; form <= PG_UINT8_MAX; form++)
		{
			uint8		index[16] = {(uint8) form};

			check(look_up(index, length), "cut tables", length * 1000 + form);
		}
}

/* A payload that is too short for the index in front of it. */
static void
short_payloads(void)
{
	mpk_step	step;

	mpk_step_text(&step, MPK_STEP_FIELD, (const uint8 *) "c", 1);
	for (size_t payload = 1; payload < 16; payload++)
		for (int form = 0; form <= PG_UINT8_MAX; form++)
		{
			size_t		length = MPK_PRELUDE + 1 + payload;
			uint8	   *stored = palloc0(length);
			mpk_document document;

			mpk_stored_header_write(stored, 0, (uint8[]) {(uint8) form}, 1);
			stored[length - payload] = MPK_BYTE_NIL;
			check(mpk_document_open(stored, length, &document, NULL) &&
				  follow(&document, &step, 1), "short payloads", payload * 1000 + form);
			pfree(stored);
		}
}

/* A map that ends after the key that is looked for. */
static void
check_no_value(const uint8 *bytes, size_t length, const char *key)
{
	uint8	   *stored = memcpy(palloc(length), bytes, length);
	mpk_document document;
	mpk_cursor	cursor;
	mpk_spot	spot;
	mpk_step	step;

	mpk_step_text(&step, MPK_STEP_FIELD, (const uint8 *) key, strlen(key));
	check(mpk_document_open(stored, length, &document, NULL), "open", length);
	mpk_cursor_init(&cursor, &document);
	check(mpk_spot_root(&cursor, &spot) && !mpk_step_follow(&cursor, &spot, &step) &&
		  cursor.corrupt, "a key without a value", length);
	pfree(stored);
}

/* An array whose table has the last element for the first: behind it there is none. */
static void
check_no_element(void)
{
	static const uint8 payload[] = {0x9f, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	static const uint8 index[] = {MPK_TABLE_ARRAY, sizeof(payload), 15, 4, 15};
	size_t		header = mpk_stored_header_length(MPK_HAS_INDEX, sizeof(index));
	uint8	   *stored = palloc(header + sizeof(payload));
	mpk_document document;
	mpk_cursor	cursor;
	mpk_spot	spot;
	mpk_step	step;

	mpk_stored_header_write(stored, MPK_HAS_INDEX, index, sizeof(index));
	memcpy(stored + header, payload, sizeof(payload));
	check(mpk_document_open(stored, header + sizeof(payload), &document, NULL), "open", 0);
	mpk_cursor_init(&cursor, &document);
	mpk_step_number(&step, 1);
	check(mpk_spot_root(&cursor, &spot) && !mpk_step_follow(&cursor, &spot, &step) &&
		  cursor.corrupt, "an element behind the last", 0);
	pfree(stored);
}

/* Edits by a path that goes on where a scalar lies as deep as one can: its place is not noted. */
static void
edit_below_deepest(void)
{
	mpk_writer	writer;
	mpk_document document = {.flags = MPK_HAS_INDEX};
	mpk_step	steps[MPK_MAX_DEPTH + 1];

	mpk_writer_init(&writer, 4 * MPK_MAX_DEPTH);
	mpk_write_array_head(&writer, 2);
	for (int i = 1; i < MPK_MAX_DEPTH; i++)
		mpk_write_array_head(&writer, 1);
	mpk_write_nil(&writer);
	mpk_write_nil(&writer);
	document.payload = mpk_writer_data(&writer);
	document.length = writer.length;
	for (int i = 0; i <= MPK_MAX_DEPTH; i++)
		mpk_step_number(&steps[i], 0);
	check(edit(&document, steps, MPK_MAX_DEPTH + 1, MPK_EDIT_SET),
		  "set below the deepest", MPK_MAX_DEPTH);
	check(edit(&document, steps, MPK_MAX_DEPTH + 1, MPK_EDIT_DELETE),
		  "delete below the deepest", MPK_MAX_DEPTH);
	pfree(writer.buffer);
}

int
main(void)
{
	check_no_element();
	check_no_value((const uint8 *) "\x81\xa1k", 3, "k");
	check_no_value((const uint8 *) "\x81\xd9\1k", 4, "k");
	check_no_value((const uint8 *) "\x81\xc4\1k", 4, "k");
	check_no_value((const uint8 *) "\x81\x07", 2, "7");

	for (int number = 0; number < DOCUMENTS; number++)
		damage_every_byte(number);
	for (uint32 below = 0; below < 64; below++)
		check_places(PG_UINT32_MAX - below);
	check_places(PG_INT32_MAX);
	cut_tables();
	short_payloads();
	edit_below_deepest();
	return finish();
}
