/*
 * write.h
 *		Writing MessagePack, shortest forms first.
 *
 * A writer grows one buffer in the memory context that was current at
 * mpk_writer_init.  Room for a varlena header is kept in front of the payload,
 * so that a finished value needs no copy (mpk_writer_data is past it).
 * The limit is sticky: once a write would pass it, nothing more is written and
 * "overflow" stays set; check it once, at the end.
 */
#ifndef MPK_WRITE_H
#define MPK_WRITE_H

#include "codec/format.h"

#include "port/pg_bitutils.h"

/* Bytes kept free before the payload. */
#define MPK_WRITER_HEADROOM		4

typedef struct mpk_writer
{
	uint8	   *buffer;			/* the palloc'd chunk */
	size_t		length;			/* payload bytes written */
	size_t		capacity;		/* payload bytes that fit */
	size_t		limit;			/* and that ever may: MPK_MAX_PAYLOAD, or a little more for who
								 * asks for room in advance and looks at the length in the end */
	bool		overflow;		/* a write did not fit the limit */
	uint8		spill[32];		/* where small writes go once overflowed */
} mpk_writer;

/* Begin, with room for so many payload bytes. */
extern void mpk_writer_init(mpk_writer *writer, size_t capacity);

/* The first payload byte; valid until the next write. */
static inline uint8 *
mpk_writer_data(mpk_writer *writer)
{
	return writer->buffer + MPK_WRITER_HEADROOM;
}

/* Make room for n more bytes.  False, and "overflow", past the limit. */
extern bool mpk_writer_grow(mpk_writer *writer, size_t n);

/* Room for n more bytes, and a pointer to them (or, for n <= 32, to the spill); NULL past the limit. */
static inline uint8 *
mpk_writer_reserve(mpk_writer *writer, size_t n)
{
	if (likely(writer->capacity - writer->length >= n))
		return mpk_writer_data(writer) + writer->length;
	if (mpk_writer_grow(writer, n))
		return mpk_writer_data(writer) + writer->length;
	return n <= sizeof(writer->spill) ? writer->spill : NULL;
}

/* Count n bytes as written, after mpk_writer_reserve. */
static inline void
mpk_writer_advance(mpk_writer *writer, size_t n)
{
	if (likely(!writer->overflow))
		writer->length += n;
}

/*
 * Scalars and heads in shortest form, to a pointer with room for MPK_MAX_HEAD
 * bytes (all of which may be overwritten); each returns the bytes written.
 */
#define MPK_MAX_HEAD	9		/* type byte and eight more */

extern int	mpk_put_long_str_head(uint8 *p, uint32 length);
extern int	mpk_put_long_array_head(uint8 *p, uint32 count);
extern int	mpk_put_long_map_head(uint8 *p, uint32 count);
extern int	mpk_put_bin_head(uint8 *p, uint32 length);
extern int	mpk_put_ext_head(uint8 *p, int8 code, uint32 length);

/* Widths of 1, 2, 4 and 8 bytes, as 0 to 3, by the number of bits that they must hold, less one. */
static const uint8 mpk_width_for[64] = {
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3
};

/* The type byte of the narrowest of four widths and so many bytes of v: no branch foresees which. */
static inline int
mpk_put_width(uint8 *p, uint8 narrowest, int width, uint64 v)
{
	p[0] = narrowest + width;
	mpk_store64(p + 1, v << (64 - (8 << width)));
	return 1 + (1 << width);
}

static inline int
mpk_put_uint(uint8 *p, uint64 v)
{
	if (v < MPK_FIXMAP)
	{
		p[0] = (uint8) v;
		return 1;
	}
	return mpk_put_width(p, MPK_BYTE_UINT8, mpk_width_for[pg_leftmost_one_pos64(v)], v);
}

static inline int
mpk_put_int(uint8 *p, int64 v)
{
	if (v >= 0)
		return mpk_put_uint(p, (uint64) v);
	if (v >= -32)
	{
		p[0] = (uint8) v;
		return 1;
	}
	/* one bit more, for the sign */
	return mpk_put_width(p, MPK_BYTE_INT8,
						 mpk_width_for[pg_leftmost_one_pos64(~(uint64) v) + 1], (uint64) v);
}

static inline int
mpk_put_float32(uint8 *p, float v)
{
	uint32		bits;

	memcpy(&bits, &v, sizeof(bits));
	p[0] = MPK_BYTE_FLOAT32;
	mpk_store32(p + 1, bits);
	return 5;
}

static inline int
mpk_put_float64(uint8 *p, double v)
{
	uint64		bits;

	memcpy(&bits, &v, sizeof(bits));
	p[0] = MPK_BYTE_FLOAT64;
	mpk_store64(p + 1, bits);
	return 9;
}

static inline int
mpk_put_str_head(uint8 *p, uint32 length)
{
	p[0] = (uint8) (MPK_FIXSTR | length);
	return length <= MPK_MAX_FIXSTR ? 1 : mpk_put_long_str_head(p, length);
}

static inline int
mpk_put_array_head(uint8 *p, uint32 count)
{
	p[0] = (uint8) (MPK_FIXARRAY | count);
	return count < 16 ? 1 : mpk_put_long_array_head(p, count);
}

static inline int
mpk_put_map_head(uint8 *p, uint32 count)
{
	p[0] = (uint8) (MPK_FIXMAP | count);
	return count < 16 ? 1 : mpk_put_long_map_head(p, count);
}

/* Bytes of a shortest head. */
extern int	mpk_sizeof_array_head(uint32 count);
extern int	mpk_sizeof_map_head(uint32 count);

/*
 * Values in shortest form, to a writer.  What programs write by the thousand
 * is inline.
 */
static inline void
mpk_write_byte(mpk_writer *writer, uint8 byte)
{
	*mpk_writer_reserve(writer, 1) = byte;
	mpk_writer_advance(writer, 1);
}

static inline void
mpk_write_nil(mpk_writer *writer)
{
	mpk_write_byte(writer, MPK_BYTE_NIL);
}

static inline void
mpk_write_boolean(mpk_writer *writer, bool v)
{
	mpk_write_byte(writer, v ? MPK_BYTE_TRUE : MPK_BYTE_FALSE);
}

static inline void
mpk_write_uint(mpk_writer *writer, uint64 v)
{
	mpk_writer_advance(writer, mpk_put_uint(mpk_writer_reserve(writer, MPK_MAX_HEAD), v));
}

static inline void
mpk_write_int(mpk_writer *writer, int64 v)
{
	mpk_writer_advance(writer, mpk_put_int(mpk_writer_reserve(writer, MPK_MAX_HEAD), v));
}

static inline void
mpk_write_float32(mpk_writer *writer, float v)
{
	mpk_writer_advance(writer, mpk_put_float32(mpk_writer_reserve(writer, MPK_MAX_HEAD), v));
}

static inline void
mpk_write_float64(mpk_writer *writer, double v)
{
	mpk_writer_advance(writer, mpk_put_float64(mpk_writer_reserve(writer, MPK_MAX_HEAD), v));
}

static inline void
mpk_write_array_head(mpk_writer *writer, uint32 count)
{
	mpk_writer_advance(writer,
					   mpk_put_array_head(mpk_writer_reserve(writer, MPK_MAX_HEAD), count));
}

static inline void
mpk_write_map_head(mpk_writer *writer, uint32 count)
{
	mpk_writer_advance(writer, mpk_put_map_head(mpk_writer_reserve(writer, MPK_MAX_HEAD), count));
}

/*
 * memcpy of up to 31 bytes without a call: two blocks, which overlap where the
 * length is none of theirs.
 */
static inline void
mpk_copy_short(uint8 *to, const uint8 *from, size_t length)
{
	if (length >= 16)
	{
		memcpy(to, from, 16);
		memcpy(to + length - 16, from + length - 16, 16);
	}
	else if (length >= 8)
	{
		memcpy(to, from, 8);
		memcpy(to + length - 8, from + length - 8, 8);
	}
	else if (length >= 4)
	{
		memcpy(to, from, 4);
		memcpy(to + length - 4, from + length - 4, 4);
	}
	else if (length > 0)
	{
		to[0] = from[0];
		to[length / 2] = from[length / 2];
		to[length - 1] = from[length - 1];
	}
}

/* mpk_write_str of any length; what is short and fits is written without it. */
extern void mpk_write_long_str(mpk_writer *writer, const void *s, size_t length);

static inline void
mpk_write_str(mpk_writer *writer, const void *s, size_t length)
{
	uint8	   *p;

	if (unlikely(length > MPK_MAX_FIXSTR || writer->capacity - writer->length <= length))
	{
		mpk_write_long_str(writer, s, length);
		return;
	}
	p = mpk_writer_data(writer) + writer->length;
	p[0] = (uint8) (MPK_FIXSTR | length);
	mpk_copy_short(p + 1, s, length);
	writer->length += 1 + length;
}

extern void mpk_write_bin(mpk_writer *writer, const void *s, size_t length);
extern void mpk_write_ext(mpk_writer *writer, int8 code, const void *s, size_t length);
extern void mpk_write_timestamp(mpk_writer *writer, mpk_timestamp timestamp);

/* Bytes as they are: already MessagePack, or part of it. */
extern void mpk_write_raw(mpk_writer *writer, const void *s, size_t length);

static inline void
mpk_write_span(mpk_writer *writer, const uint8 *start, const uint8 *end)
{
	mpk_write_raw(writer, start, end - start);
}

/*
 * Containers whose count is known only at their end: open remembers a place
 * and writes a one-byte head; close fixes it, moving the content only where
 * the count needs a longer head.  Close inner containers first.
 */
extern size_t mpk_write_open(mpk_writer *writer);
extern void mpk_write_close_array(mpk_writer *writer, size_t place, uint32 count);
extern void mpk_write_close_map(mpk_writer *writer, size_t place, uint32 count);

#endif							/* MPK_WRITE_H */
