/*
 * fuzz.c
 *		What the fuzz targets share: memory, and documents out of any bytes.
 */
#include "fuzz.h"

/* ----------
 * Memory, as the server has it
 * ----------
 */

/* No document of a few kilobytes needs more at once. */
#define MOST_MEMORY		((size_t) 64 << 20)

/* The chunks of this input.  Only the fuzzers have state; what they test has none. */
static void **chunks;
static size_t chunk_count;
static size_t chunk_room;

void
fuzz_fail(const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
	abort();
}

static size_t
find_chunk(const void *chunk)
{
	for (size_t i = chunk_count; i-- > 0;)
	{
		if (chunks[i] == chunk)
			return i;
	}
	fuzz_fail("freed is a chunk", __FILE__, __LINE__);
}

void *
palloc(Size size)
{
	void	   *chunk;

	CHECK(size <= MPK_MAX_ALLOC && size <= MOST_MEMORY);
	if (chunk_count == chunk_room)
	{
		chunk_room = chunk_room * 2 + 64;
		chunks = realloc(chunks, chunk_room * sizeof(void *));
	}
	/* malloc fills with what is no sensible value: see dev/fuzz */
	chunk = malloc(size);
	CHECK(chunks != NULL && chunk != NULL);
	chunks[chunk_count++] = chunk;
	return chunk;
}

void *
palloc_extended(Size size, int flags)
{
	void	   *chunk = palloc(size);

	return (flags & MCXT_ALLOC_ZERO) != 0 ? memset(chunk, 0, size) : chunk;
}

void *
palloc0(Size size)
{
	return memset(palloc(size), 0, size);
}

void
pfree(void *chunk)
{
	size_t		i = find_chunk(chunk);

	free(chunk);
	chunks[i] = chunks[--chunk_count];
}

void *
repalloc(void *chunk, Size size)
{
	size_t		i = find_chunk(chunk);

	CHECK(size <= MPK_MAX_ALLOC && size <= MOST_MEMORY);
	chunks[i] = realloc(chunk, size);
	return chunks[i];
}

/* ----------
 * Input
 * ----------
 */

fuzz_input
fuzz_begin(const uint8 *data, size_t size)
{
	while (chunk_count > 0)
		free(chunks[--chunk_count]);
	return (fuzz_input) {data, data + size};
}

uint8
fuzz_byte(fuzz_input *in)
{
	return in->p < in->end ? *in->p++ : 0;
}

uint32
fuzz_below(fuzz_input *in, uint32 n)
{
	return n == 0 ? 0 : fuzz_byte(in) % n;
}

uint8 *
fuzz_copy(const void *bytes, size_t length)
{
	uint8	   *copy = palloc(length);

	if (length > 0)
		memcpy(copy, bytes, length);
	return copy;
}

/* So many bytes of the input, at most n. */
static uint32
take_bytes(fuzz_input *in, mpk_writer *writer, uint64 n)
{
	n = Min(n, (uint64) (in->end - in->p));
	mpk_write_raw(writer, in->p, n);
	in->p += n;
	return (uint32) n;
}

/* A length or count of so many bytes; what it says is set right when it is known. */
static uint32
take_number(fuzz_input *in, int bytes)
{
	uint32		n = 0;

	for (int i = 0; i < bytes; i++)
		n = n << 8 | fuzz_byte(in);
	return n;
}

static void
put_number(mpk_writer *writer, size_t place, int bytes, uint32 n)
{
	for (int i = bytes; i-- > 0; n >>= 8)
		mpk_writer_data(writer)[place + i] = (uint8) n;
}

/* A str, bin or ext: its length in so many bytes after the type byte, or in the low bits. */
static void
take_body(fuzz_input *in, mpk_writer *writer, int bytes, bool is_ext)
{
	uint32		length = take_number(in, bytes);
	size_t		place = writer->length;
	uint8		code = is_ext ? fuzz_byte(in) : 0;

	mpk_write_raw(writer, "\0\0\0\0", bytes);
	if (is_ext)
		mpk_write_raw(writer, &code, 1);
	put_number(writer, place, bytes, take_bytes(in, writer, length));
}

/* So many bytes, zeros where the input ends. */
static void
take_fixed(fuzz_input *in, mpk_writer *writer, int bytes)
{
	for (; bytes > 0; bytes--)
	{
		uint8		byte = fuzz_byte(in);

		mpk_write_raw(writer, &byte, 1);
	}
}

static void
take_scalar(fuzz_input *in, mpk_writer *writer, uint8 byte)
{
	/* bytes after the type byte of 0xca to 0xd8 */
	static const uint8 fixed[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17};

	if (byte == MPK_BYTE_NEVER_USED)
		byte = MPK_BYTE_NIL;
	mpk_write_raw(writer, &byte, 1);
	if (byte >= MPK_FIXSTR && byte < MPK_BYTE_NIL)
	{
		size_t		place = writer->length - 1;

		mpk_writer_data(writer)[place] = MPK_FIXSTR | take_bytes(in, writer, byte & 0x1f);
	}
	else if (byte >= MPK_BYTE_BIN8 && byte <= MPK_BYTE_BIN32)
		take_body(in, writer, 1 << (byte - MPK_BYTE_BIN8), false);
	else if (byte >= MPK_BYTE_EXT8 && byte <= MPK_BYTE_EXT32)
		take_body(in, writer, 1 << (byte - MPK_BYTE_EXT8), true);
	else if (byte >= MPK_BYTE_STR8 && byte <= MPK_BYTE_STR32)
		take_body(in, writer, 1 << (byte - MPK_BYTE_STR8), false);
	else if (byte >= MPK_BYTE_FLOAT32 && byte <= MPK_BYTE_FIXEXT16)
		take_fixed(in, writer, fixed[byte - MPK_BYTE_FLOAT32]);
}

static void
take_value(fuzz_input *in, mpk_writer *writer, int depth)
{
	uint8		byte = in->p < in->end ? fuzz_byte(in) : MPK_BYTE_NIL;
	bool		is_map = mpk_begins_map(byte);
	int			bytes = byte < MPK_FIXSTR ? 0 : byte & 1 ? 4 : 2;
	size_t		place = writer->length;
	uint32		wanted;
	uint32		count;

	if (!mpk_begins_container(byte) || depth == MPK_MAX_DEPTH)
	{
		take_scalar(in, writer, mpk_begins_container(byte) ? MPK_BYTE_NIL : byte);
		return;
	}
	mpk_write_raw(writer, &byte, 1);
	wanted = bytes > 0 ? take_number(in, bytes) : byte & 0x0f;
	mpk_write_raw(writer, "\0\0\0\0", bytes);
	for (count = 0; count < wanted && in->p < in->end; count++)
	{
		take_value(in, writer, depth + 1);
		if (is_map)
			take_value(in, writer, depth + 1);
	}
	if (bytes > 0)
		put_number(writer, place + 1, bytes, count);
	else
		mpk_writer_data(writer)[place] = (byte & 0xf0) | count;
}

mpk_document
fuzz_document(fuzz_input *in)
{
	mpk_writer	writer;

	mpk_writer_init(&writer, 64);
	take_value(in, &writer, 0);
	return fuzz_written(&writer);
}

mpk_document
fuzz_open(const uint8 *payload, size_t length)
{
	mpk_document document = {.payload = fuzz_copy(payload, length),.length = length};

	CHECK(mpk_validate(document.payload, length, &document.flags, NULL));
	document.flags = mpk_resolve_flags(document.payload, document.flags);
	return document;
}

mpk_document
fuzz_stored(const mpk_document *plain)
{
	mpk_index	index;
	size_t		header;
	uint8	   *bytes;
	mpk_document stored;

	mpk_index_build(&index, plain->payload, plain->length, plain->flags, NULL);
	header = mpk_stored_header_length(plain->flags, index.length);
	bytes = palloc(header + plain->length);
	if (header > 0)
		mpk_stored_header_write(bytes, plain->flags, mpk_index_bytes(&index), index.length);
	memcpy(bytes + header, plain->payload, plain->length);
	CHECK(mpk_document_open(bytes, header + plain->length, &stored, NULL));
	CHECK(stored.header_length == header && stored.length == plain->length);
	CHECK(stored.flags == (plain->flags | (index.length > 0 ? MPK_HAS_INDEX : 0)));
	return stored;
}

bool
fuzz_damage(fuzz_input *in, mpk_document *stored)
{
	size_t		length = stored->header_length + stored->length;
	uint8	   *bytes;

	if (stored->header == NULL)
		return false;
	bytes = fuzz_copy(stored->header, length);
	for (int i = fuzz_below(in, 6); i >= 0; i--)
	{
		uint32		place = fuzz_byte(in) << 8;

		place |= fuzz_byte(in);
		bytes[place % stored->header_length] ^= fuzz_byte(in);
	}
	return mpk_document_open(bytes, length, stored, NULL);
}

/* ----------
 * A document that is not all in memory
 * ----------
 */

static void
fetch(mpk_cursor *cursor, size_t place, size_t length)
{
	const mpk_document *document = cursor->fetch_arg;
	const uint8 *stored = document->header != NULL ? document->header : document->payload;
	uint8	   *bytes;
	size_t		slack;

	CHECK(place <= cursor->length && length <= cursor->length - place && length > 0);
	slack = Min(cursor->length - place - length, MPK_CURSOR_SLACK);
	bytes = fuzz_copy(stored + place, length + slack);
	memset(bytes + length, 0xee, slack);
	cursor->bytes = bytes;
	cursor->start = place;
	cursor->end = place + length;
}

void
fuzz_cursor(mpk_cursor *cursor, const mpk_document *document)
{
	mpk_cursor_init(cursor, document);
	cursor->bytes = NULL;
	cursor->start = cursor->end = 0;
	cursor->fetch = fetch;
	cursor->fetch_arg = (void *) document;
}
