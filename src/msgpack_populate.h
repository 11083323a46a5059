/*
 * msgpack_populate.h
 *		MessagePack values as columns, rows and arrays of PostgreSQL's types.
 *
 * A plan says how to make values of one type.  It is found out when the first
 * such value is met, and kept: plans live in a context that outlasts the calls
 * (a function's fn_mcxt), one for each place in the tree of types.  Values are
 * made in the caller's context.
 */
#ifndef MSGPACK_POPULATE_H
#define MSGPACK_POPULATE_H

#include "msgpack.h"

/* What all plans of one call site share. */
typedef struct msgpack_planner
{
	MemoryContext context;		/* where plans live */
	Oid			msgpack_type;
} msgpack_planner;

typedef enum msgpack_plan_class
{
	MSGPACK_PLAN_NONE = 0,		/* not yet found out */
	MSGPACK_PLAN_SCALAR,
	MSGPACK_PLAN_ARRAY,
	MSGPACK_PLAN_ROW,
	MSGPACK_PLAN_DOMAIN
} msgpack_plan_class;

/* How a scalar comes from a value of the right kind; all else goes through its input function. */
typedef enum msgpack_route
{
	MSGPACK_ROUTE_INPUT,
	MSGPACK_ROUTE_CAST,			/* booleans, numbers, timestamptz: msgpack_cast.h */
	MSGPACK_ROUTE_TEXT,			/* text, varchar: from str */
	MSGPACK_ROUTE_BYTEA,		/* from bin */
	MSGPACK_ROUTE_JSON,			/* json, jsonb: from everything */
	MSGPACK_ROUTE_MSGPACK
} msgpack_route;

struct msgpack_row_plan;

/* How to make values of one type. */
typedef struct msgpack_plan
{
	const msgpack_planner *planner;
	Oid			type;
	int32		typmod;
	msgpack_plan_class class;

	/* scalars, and what comes as a string in place of an array or row */
	msgpack_route route;
	int			target;			/* MSGPACK_ROUTE_CAST: msgpack_target */
	FmgrInfo	input;
	Oid			input_parameter;

	/* arrays: of the elements; domains: of the base type */
	struct msgpack_plan *inner;
	int16		typlen;			/* arrays: of the elements */
	bool		typbyval;
	char		typalign;

	struct msgpack_row_plan *row;	/* rows */
	void	   *domain_cache;	/* domains: domain_check's */
} msgpack_plan;

/* Begin a plan; nothing is looked up before the first value. */
extern void msgpack_plan_init(msgpack_plan *plan, const msgpack_planner *planner, Oid type,
							  int32 typmod);

/* Find out what kind of type it is, if that is not yet known. */
extern void msgpack_plan_complete(msgpack_plan *plan);

/*
 * Make the value at p of a document, or of nothing (p NULL) which is as nil.
 * "base" is what was there before, 0 for nothing: rows take from it what the
 * document does not say.  "name" is the column's, for errors, or NULL.  Sets
 * *null.  Raises what the type's input function and domain checks raise.
 */
extern Datum msgpack_populate(msgpack_plan *plan, const mpk_document *document, const uint8 *p,
							  Datum base, const char *name, bool *null);

#endif							/* MSGPACK_POPULATE_H */
