/*
 * msgpack_strategy.h
 *		The operators' numbers in the GIN classes: those that jsonb's classes give the same operators.
 */
#ifndef MSGPACK_STRATEGY_H
#define MSGPACK_STRATEGY_H

#include "access/stratnum.h"

#define MSGPACK_CONTAINS_STRATEGY		7	/* @> */
#define MSGPACK_EXISTS_STRATEGY			9	/* ? */
#define MSGPACK_EXISTS_ANY_STRATEGY		10	/* ?| */
#define MSGPACK_EXISTS_ALL_STRATEGY		11	/* ?& */
#define MSGPACK_PATH_EXISTS_STRATEGY	15	/* @? */
#define MSGPACK_PATH_MATCH_STRATEGY		16	/* @@ */

#endif							/* MSGPACK_STRATEGY_H */
