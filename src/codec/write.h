/*
 * write.h
 *		Writing MessagePack, shortest forms first.
 *
 * A writer grows one buffer in the memory context that was current at
 * mpk_writer_init.  Room for a varlena header is kept in front of the payload,
 * so that a finished value needs no copy (mpk_writer.start points past it).
 * The limit is sticky: once a write would pass MPK_MAX_PAYLOAD, nothing more
 * is written and "overflow" stays set; check it once, at the end.
 */
#ifndef MPK_WRITE_H
#define MPK_WRITE_H

#include "codec/format.h"

/* Bytes kept free before the payload. */
#define MPK_WRITER_HEADROOM		4

typedef struct mpk_writer
{
	uint8	   *buffer;			/* the palloc'd chunk */
	size_t		length;			/* payload bytes written */
	size_t		capacity;		/* payload bytes that fit */
	bool		overflow;		/* a write did not fit MPK_MAX_PAYLOAD */
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

/* Heads in shortest form, to a pointer with room for 9 bytes; each returns the bytes written. */
extern int	mpk_put_uint(uint8 *p, uint64 v);
extern int	mpk_put_int(uint8 *p, int64 v);
extern int	mpk_put_float32(uint8 *p, float v);
extern int	mpk_put_float64(uint8 *p, double v);
extern int	mpk_put_str_head(uint8 *p, uint32 length);
extern int	mpk_put_bin_head(uint8 *p, uint32 length);
extern int	mpk_put_ext_head(uint8 *p, int8 code, uint32 length);
extern int	mpk_put_array_head(uint8 *p, uint32 count);
extern int	mpk_put_map_head(uint8 *p, uint32 count);

/* Bytes of a shortest head. */
extern int	mpk_sizeof_array_head(uint32 count);
extern int	mpk_sizeof_map_head(uint32 count);

/* Values in shortest form, to a writer. */
extern void mpk_write_nil(mpk_writer *writer);
extern void mpk_write_boolean(mpk_writer *writer, bool v);
extern void mpk_write_uint(mpk_writer *writer, uint64 v);
extern void mpk_write_int(mpk_writer *writer, int64 v);
extern void mpk_write_float32(mpk_writer *writer, float v);
extern void mpk_write_float64(mpk_writer *writer, double v);
extern void mpk_write_str(mpk_writer *writer, const void *s, size_t length);
extern void mpk_write_bin(mpk_writer *writer, const void *s, size_t length);
extern void mpk_write_ext(mpk_writer *writer, int8 code, const void *s, size_t length);
extern void mpk_write_timestamp(mpk_writer *writer, mpk_timestamp timestamp);
extern void mpk_write_array_head(mpk_writer *writer, uint32 count);
extern void mpk_write_map_head(mpk_writer *writer, uint32 count);

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
