/*
 * msgpack_path_gin.h
 *		What a GIN index can say of a jsonpath.
 */
#ifndef MSGPACK_PATH_GIN_H
#define MSGPACK_PATH_GIN_H

#include "msgpack_path.h"

#include "access/gin.h"

#include "document/terms.h"

/* Terms joined by "and" and "or": a document without them does not match. */
typedef struct msgpack_path_query msgpack_path_query;

/*
 * Extract the query of a path: of the operator @@ when it is a "predicate",
 * else of @?; with the terms of paths, or those of entries (document/terms.h).
 * Appends the terms, in the order in which msgpack_path_may_match has them.
 * NULL when the index can rule out nothing.
 */
extern msgpack_path_query *msgpack_path_extract(const msgpack_jsonpath *path, bool predicate,
												bool of_paths, mpk_terms *terms);

/* May a document match that has these terms? */
extern bool msgpack_path_may_match(const msgpack_path_query *query, const GinTernaryValue *check);

#endif							/* MSGPACK_PATH_GIN_H */
