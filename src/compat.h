/*
 * compat.h
 *		Differences between PostgreSQL majors 15 to 19, in one place.
 */
#ifndef MSGPACK_COMPAT_H
#define MSGPACK_COMPAT_H

#include "postgres.h"

#if PG_VERSION_NUM < 150000
#error "mpk needs PostgreSQL 15 or later"
#endif

/* Before 16 nothing was hidden, so PGDLLEXPORT is empty there; we hide all but SQL functions. */
#if PG_VERSION_NUM < 160000
#undef PGDLLEXPORT
#define PGDLLEXPORT __attribute__((visibility("default")))
#endif

#include "fmgr.h"

/* And its PG_FUNCTION_INFO_V1 leaves the function itself hidden. */
#if PG_VERSION_NUM < 160000
#undef PG_FUNCTION_INFO_V1
#define PG_FUNCTION_INFO_V1(funcname) \
extern PGDLLEXPORT Datum funcname(PG_FUNCTION_ARGS); \
extern PGDLLEXPORT const Pg_finfo_record *CppConcat(pg_finfo_, funcname) (void); \
const Pg_finfo_record * \
CppConcat(pg_finfo_, funcname) (void) \
{ \
	static const Pg_finfo_record record = {1}; \
	return &record; \
} \
extern int no_such_variable
#endif

/* The VARSIZE macros moved out of postgres.h. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* From 18 on a prefix of the declaration. */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

/* Soft errors: before 16 an input function can only raise. */
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#else
typedef struct Node Node;
#define ereturn(context, dummy_value, ...) \
	do { \
		(void) (context); \
		ereport(ERROR, __VA_ARGS__); \
		return dummy_value; \
	} while (0)
#endif

/* VARATT_EXTERNAL_IS_COMPRESSED, which compares signed with unsigned. */
#define MSGPACK_EXTERNAL_IS_COMPRESSED(pointer) \
	(VARATT_EXTERNAL_GET_EXTSIZE(pointer) < (uint32) (pointer).va_rawsize - VARHDRSZ)

/* The number of the transaction in its backend: MyProc->lxid, which 17 moved. */
#if PG_VERSION_NUM >= 170000
#define MSGPACK_MY_LXID		(MyProc->vxid.lxid)
#else
#define MSGPACK_MY_LXID		(MyProc->lxid)
#endif

#endif							/* MSGPACK_COMPAT_H */
