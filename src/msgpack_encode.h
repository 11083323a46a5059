/*
 * msgpack_encode.h
 *		SQL values as MessagePack: what to_msgpack, the other constructors and the aggregates write.
 *
 * An encoder knows how values of one SQL type are written; it is made once and
 * kept where the call site keeps it (fn_extra), so that catalogs are read once
 * for a query and not for every value.  A sink is where values are written.
 */
#ifndef MSGPACK_ENCODE_H
#define MSGPACK_ENCODE_H

#include "msgpack.h"

#include "document/pairs.h"

/* MessagePack being made. */
typedef struct msgpack_sink
{
	mpk_writer	writer;
	unsigned	flags;			/* irregularities of what was written */
	bool		dropped;		/* something was taken out again, perhaps what flags are for */
	uint32		depth;			/* containers that are open around the next value */
} msgpack_sink;

typedef struct msgpack_encoder msgpack_encoder;

/* Begin, with room for so many bytes in the current context. */
extern void msgpack_sink_init(msgpack_sink *sink, size_t capacity);

/* Raise 54000 when so many more containers cannot be opened here; else open them. */
extern void msgpack_sink_enter(msgpack_sink *sink, uint32 levels);

static inline void
msgpack_sink_leave(msgpack_sink *sink, uint32 levels)
{
	sink->depth -= levels;
}

/* Raise 54000 when a write did not fit. */
extern void msgpack_sink_check(const msgpack_sink *sink);

/* Put a document in, byte for byte. */
extern void msgpack_sink_embed(msgpack_sink *sink, const mpk_document *document);

/* The datum of what was written; the sink is spent. */
extern Datum msgpack_sink_datum(msgpack_sink *sink);

/*
 * The oid of the msgpack type that goes with a function of the extension,
 * which need not have it among its own types.
 */
extern Oid	msgpack_type_of_function(Oid function);

/*
 * Make the encoder of a type, in a context that lives as long as it.
 * "msgpack" is the oid of the type msgpack.
 */
extern msgpack_encoder *msgpack_encoder_create(Oid type, Oid msgpack, MemoryContext context);

/* The type that the encoder is for. */
extern Oid	msgpack_encoder_type(const msgpack_encoder *encoder);

/* Write a value that is not NULL. */
extern void msgpack_encode(msgpack_encoder *encoder, Datum value, msgpack_sink *sink);

/*
 * Write the text of a value that is not NULL as a str, as jsonb makes keys.
 * Raises 22023 for a value that is no scalar.
 */
extern void msgpack_encode_key(msgpack_encoder *encoder, Datum value, msgpack_sink *sink);

#endif							/* MSGPACK_ENCODE_H */
