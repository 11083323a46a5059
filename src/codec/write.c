/*
 * write.c
 *		Writing MessagePack, shortest forms first.
 */
#include "codec/write.h"

#include "codec/timestamp.h"

void
mpk_writer_init(mpk_writer *writer, size_t capacity)
{
	writer->capacity = Min(Max(capacity, 64), MPK_MAX_PAYLOAD);
	writer->buffer = palloc(MPK_WRITER_HEADROOM + writer->capacity);
	writer->length = 0;
	writer->limit = MPK_MAX_PAYLOAD;
	writer->overflow = false;
}

bool
mpk_writer_grow(mpk_writer *writer, size_t n)
{
	size_t		capacity = writer->capacity;

	if (writer->overflow || n > writer->limit - writer->length)
	{
		/* later writes that would fit must not follow one that is missing */
		writer->overflow = true;
		writer->capacity = writer->length;
		return false;
	}
	while (capacity - writer->length < n)
		capacity = Min(capacity * 2, writer->limit);
	writer->buffer = repalloc(writer->buffer, MPK_WRITER_HEADROOM + capacity);
	writer->capacity = capacity;
	return true;
}

/* The 16 and 32 bit heads: "byte16" and the one after it. */
static inline int
put_head16_or_32(uint8 *p, uint8 byte16, uint32 n)
{
	if (n <= PG_UINT16_MAX)
	{
		p[0] = byte16;
		mpk_store16(p + 1, (uint16) n);
		return 3;
	}
	p[0] = byte16 + 1;
	mpk_store32(p + 1, n);
	return 5;
}

int
mpk_put_long_str_head(uint8 *p, uint32 length)
{
	if (length <= PG_UINT8_MAX)
	{
		p[0] = MPK_BYTE_STR8;
		p[1] = (uint8) length;
		return 2;
	}
	return put_head16_or_32(p, MPK_BYTE_STR16, length);
}

int
mpk_put_bin_head(uint8 *p, uint32 length)
{
	if (length <= PG_UINT8_MAX)
	{
		p[0] = MPK_BYTE_BIN8;
		p[1] = (uint8) length;
		return 2;
	}
	return put_head16_or_32(p, MPK_BYTE_BIN16, length);
}

int
mpk_put_ext_head(uint8 *p, int8 code, uint32 length)
{
	int			n;

	switch (length)
	{
		case 1:
		case 2:
		case 4:
		case 8:
		case 16:
			n = 1;
			p[0] = MPK_BYTE_FIXEXT1;
			for (uint32 l = length; l > 1; l >>= 1)
				p[0]++;
			break;
		default:
			if (length <= PG_UINT8_MAX)
			{
				n = 2;
				p[0] = MPK_BYTE_EXT8;
				p[1] = (uint8) length;
			}
			else
				n = put_head16_or_32(p, MPK_BYTE_EXT16, length);
			break;
	}
	p[n] = (uint8) code;
	return n + 1;
}

int
mpk_put_long_array_head(uint8 *p, uint32 count)
{
	return put_head16_or_32(p, MPK_BYTE_ARRAY16, count);
}

int
mpk_put_long_map_head(uint8 *p, uint32 count)
{
	return put_head16_or_32(p, MPK_BYTE_MAP16, count);
}

int
mpk_sizeof_array_head(uint32 count)
{
	return count < 16 ? 1 : count <= PG_UINT16_MAX ? 3 : 5;
}

int
mpk_sizeof_map_head(uint32 count)
{
	return mpk_sizeof_array_head(count);
}

void
mpk_write_raw(mpk_writer *writer, const void *s, size_t length)
{
	uint8	   *p = mpk_writer_reserve(writer, length);

	if (writer->overflow || length == 0)
		return;
	mpk_copy(p, s, length);
	mpk_writer_advance(writer, length);
}

/*
 * A length beyond 32 bits cannot be written as a head, nor would its bytes
 * fit: let mpk_writer_grow set overflow.
 */
static bool
fits(mpk_writer *writer, size_t length)
{
	return length <= MPK_MAX_PAYLOAD || mpk_writer_grow(writer, length);
}

void
mpk_write_long_str(mpk_writer *writer, const void *s, size_t length)
{
	if (!fits(writer, length))
		return;
	mpk_writer_advance(writer, mpk_put_str_head(mpk_writer_reserve(writer, MPK_MAX_HEAD),
												(uint32) length));
	mpk_write_raw(writer, s, length);
}

void
mpk_write_bin(mpk_writer *writer, const void *s, size_t length)
{
	if (!fits(writer, length))
		return;
	mpk_writer_advance(writer, mpk_put_bin_head(mpk_writer_reserve(writer, MPK_MAX_HEAD),
												(uint32) length));
	mpk_write_raw(writer, s, length);
}

void
mpk_write_ext(mpk_writer *writer, int8 code, const void *s, size_t length)
{
	if (!fits(writer, length))
		return;
	mpk_writer_advance(writer, mpk_put_ext_head(mpk_writer_reserve(writer, MPK_MAX_HEAD), code,
												(uint32) length));
	mpk_write_raw(writer, s, length);
}

void
mpk_write_timestamp(mpk_writer *writer, mpk_timestamp timestamp)
{
	uint8		body[12];
	int			width = mpk_timestamp_width(timestamp);

	mpk_timestamp_encode(timestamp, width, body);
	mpk_write_ext(writer, MPK_EXT_TIMESTAMP, body, width);
}

size_t
mpk_write_open(mpk_writer *writer)
{
	size_t		place = writer->length;

	mpk_write_nil(writer);		/* any byte: close overwrites it */
	return place;
}

/* Put a head of "size" bytes where a one-byte placeholder stands. */
static void
close_with(mpk_writer *writer, size_t place, const uint8 *head, int size)
{
	uint8	   *p;

	if (size > 1)
	{
		if (mpk_writer_reserve(writer, size - 1) == NULL || writer->overflow)
			return;
		p = mpk_writer_data(writer) + place;
		memmove(p + size, p + 1, writer->length - place - 1);
		writer->length += size - 1;
	}
	if (writer->overflow)
		return;
	memcpy(mpk_writer_data(writer) + place, head, size);
}

void
mpk_write_close_array(mpk_writer *writer, size_t place, uint32 count)
{
	uint8		head[MPK_MAX_HEAD];

	close_with(writer, place, head, mpk_put_array_head(head, count));
}

void
mpk_write_close_map(mpk_writer *writer, size_t place, uint32 count)
{
	uint8		head[MPK_MAX_HEAD];

	close_with(writer, place, head, mpk_put_map_head(head, count));
}
