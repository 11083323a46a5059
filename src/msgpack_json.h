/*
 * msgpack_json.h
 *		Documents as json and jsonb, as the casts give them.
 */
#ifndef MSGPACK_JSON_H
#define MSGPACK_JSON_H

#include "msgpack.h"

#include "utils/jsonb.h"

/*
 * Both take a document or, with its flags, a value inside one.  Of repeated
 * keys the last counts.  Raise what the casts raise for what JSON cannot hold.
 */
extern Jsonb *msgpack_jsonb_of(const mpk_document *document);
extern text *msgpack_json_of(const mpk_document *document);

#endif							/* MSGPACK_JSON_H */
