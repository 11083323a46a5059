/*
 * port.h
 *		What the two lower layers need of their surroundings.
 *
 * src/codec and src/document compile in the server and, with -DFRONTEND,
 * against libpgcommon and libpgport alone.  Memory is palloc's in both; there
 * is no other allocator and no mutable static state.
 */
#ifndef MPK_PORT_H
#define MPK_PORT_H

#ifndef FRONTEND
#include "postgres.h"
#include "miscadmin.h"
#define MPK_CHECK_FOR_INTERRUPTS()	CHECK_FOR_INTERRUPTS()
#else
#include "postgres_fe.h"
#define MPK_CHECK_FOR_INTERRUPTS()	((void) 0)
#endif

/*
 * In a loop that passes one long value byte by byte, of which "place" is the
 * address or the number: a look once in 64 KB, which costs next to nothing.
 */
#define MPK_CHECK_FOR_INTERRUPTS_AT(place) \
	do { \
		if (unlikely(((uintptr_t) (place) & 0xffff) == 0)) \
			MPK_CHECK_FOR_INTERRUPTS(); \
	} while (0)

/* memcpy of what may be very long, between looks for a query cancel. */
#define MPK_COPY_STEP			((size_t) 8 * 1024 * 1024)

static inline void
mpk_copy(void *to, const void *from, size_t length)
{
	for (; unlikely(length > MPK_COPY_STEP); length -= MPK_COPY_STEP)
	{
		memcpy(to, from, MPK_COPY_STEP);
		to = (uint8 *) to + MPK_COPY_STEP;
		from = (const uint8 *) from + MPK_COPY_STEP;
		MPK_CHECK_FOR_INTERRUPTS();
	}
	memcpy(to, from, length);
}

#include "port/pg_bswap.h"

/* The most that one allocation may hold; palloc would raise an error of its own above it. */
#define MPK_MAX_ALLOC			((size_t) 0x3fffffff)

/* Memory that will soon be written to, if the compiler has a way to say so. */
#ifdef __GNUC__
#define mpk_prefetch(p)		__builtin_prefetch(p, 1)
#else
#define mpk_prefetch(p)		((void) 0)
#endif

/* Big-endian loads and stores at any alignment. */
static inline uint16
mpk_load16(const uint8 *p)
{
	uint16		v;

	memcpy(&v, p, sizeof(v));
	return pg_ntoh16(v);
}

static inline uint32
mpk_load32(const uint8 *p)
{
	uint32		v;

	memcpy(&v, p, sizeof(v));
	return pg_ntoh32(v);
}

static inline uint64
mpk_load64(const uint8 *p)
{
	uint64		v;

	memcpy(&v, p, sizeof(v));
	return pg_ntoh64(v);
}

static inline void
mpk_store16(uint8 *p, uint16 v)
{
	v = pg_hton16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void
mpk_store32(uint8 *p, uint32 v)
{
	v = pg_hton32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void
mpk_store64(uint8 *p, uint64 v)
{
	v = pg_hton64(v);
	memcpy(p, &v, sizeof(v));
}

#endif							/* MPK_PORT_H */
