/*
 * msgpack_gin.c
 *		The GIN classes msgpack_ops and msgpack_path_ops.
 *
 * Both index terms of 64 bits (document/terms.h), as int8: of msgpack_ops every
 * key and every scalar by itself, of msgpack_path_ops every scalar with the
 * keys that lead to it.  Terms are hashes, and say nothing of structure, so
 * every match is checked again against the document.
 *
 * extra_data is, for each term of ?, ?| and ?&, the number of its key; of @? and
 * @@ its first element is the query (msgpack_path_gin.h).
 */
#include "msgpack.h"

#include "access/gin.h"
#include "catalog/pg_type.h"
#include "utils/array.h"

#include "document/terms.h"
#include "msgpack_path_gin.h"
#include "msgpack_strategy.h"

typedef void (*terms_function) (mpk_terms *terms, const mpk_document *document);

/* A query in the making: terms, and for each the number of the key that it stands for. */
typedef struct key_query
{
	mpk_terms	terms;
	Pointer    *key_of;
	int			keys;
} key_query;

/* Terms as the index has them. */
static Datum *
datums_of(const mpk_terms *terms)
{
#if SIZEOF_DATUM == 8
	return (Datum *) terms->terms;
#else
	Datum	   *datums = palloc(Max(terms->count, 1) * sizeof(Datum));

	for (uint32 i = 0; i < terms->count; i++)
		datums[i] = Int64GetDatum((int64) terms->terms[i]);
	return datums;
#endif
}

static Datum *
extract(Datum datum, terms_function terms_of, int32 *count)
{
	mpk_document document = msgpack_document(datum);
	mpk_document distinct = msgpack_distinct(&document);
	mpk_terms	terms;

	mpk_terms_init(&terms);
	terms_of(&terms, &distinct);
	if (terms.overflow)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("msgpack value has too many entries to be indexed")));
	*count = (int32) terms.count;
	return datums_of(&terms);
}

/* The document of @>: all its terms; without any, everything may contain it. */
static Datum *
extract_contained(Datum datum, terms_function terms_of, int32 *count, int32 *search_mode)
{
	Datum	   *datums = extract(datum, terms_of, count);

	if (*count == 0)
		*search_mode = GIN_SEARCH_MODE_ALL;
	return datums;
}

static void
add_key(key_query *query, text *key)
{
	size_t		length;
	const uint8 *s = msgpack_utf8_from_text(VARDATA_ANY(key), VARSIZE_ANY_EXHDR(key), &length);
	uint64		terms[MPK_KEY_TERMS];
	int			count = mpk_terms_of_key(terms, s, length);

	for (int i = 0; i < count; i++)
	{
		mpk_terms_append(&query->terms, terms[i]);
		query->key_of[query->terms.count - 1] = (Pointer) (intptr_t) query->keys;
	}
	query->keys++;
}

/* The keys of ?, ?| and ?&. */
static Datum *
extract_keys(Datum argument, StrategyNumber strategy, int32 *count, Pointer **extra_data,
			 int32 *search_mode)
{
	key_query	query = {.keys = 0};
	Datum	   *keys = &argument;
	bool		not_null = false;
	bool	   *nulls = &not_null;
	int			n = 1;

	if (strategy != MSGPACK_EXISTS_STRATEGY)
		deconstruct_array(DatumGetArrayTypeP(argument), TEXTOID, -1, false, TYPALIGN_INT, &keys,
						  &nulls, &n);
	mpk_terms_init(&query.terms);
	query.key_of = palloc(Max(n, 1) * MPK_KEY_TERMS * sizeof(Pointer));
	for (int i = 0; i < n; i++)
		if (!nulls[i])
			add_key(&query, DatumGetTextPP(keys[i]));
	if (query.keys == 0 && strategy == MSGPACK_EXISTS_ALL_STRATEGY)
		*search_mode = GIN_SEARCH_MODE_ALL;
	*count = (int32) query.terms.count;
	*extra_data = query.key_of;
	return datums_of(&query.terms);
}

/* The path of @? or @@; where the index can say nothing of it, everything may match. */
static Datum *
extract_path_query(Datum argument, StrategyNumber strategy, bool of_paths, int32 *count,
				   Pointer **extra_data, int32 *search_mode)
{
	msgpack_jsonpath *path = msgpack_path_compile(DatumGetJsonPathP(argument));
	msgpack_path_query *query;
	mpk_terms	terms;

	mpk_terms_init(&terms);
	query = msgpack_path_extract(path, strategy == MSGPACK_PATH_MATCH_STRATEGY, of_paths, &terms);
	*count = (int32) terms.count;
	if (query == NULL)
	{
		*search_mode = GIN_SEARCH_MODE_ALL;
		return NULL;
	}
	*extra_data = palloc0(terms.count * sizeof(Pointer));
	(*extra_data)[0] = (Pointer) query;
	return datums_of(&terms);
}

static bool
has_any(const GinTernaryValue *check, int32 count)
{
	for (int32 i = 0; i < count; i++)
		if (check[i] != GIN_FALSE)
			return true;
	return false;
}

static bool
has_all(const GinTernaryValue *check, int32 count)
{
	for (int32 i = 0; i < count; i++)
		if (check[i] == GIN_FALSE)
			return false;
	return true;
}

/* Has every key one of its terms?  The terms of a key stand together. */
static bool
has_all_keys(const GinTernaryValue *check, int32 count, Pointer *key_of)
{
	for (int32 i = 0; i < count;)
	{
		int32		first = i;

		while (i < count && key_of[i] == key_of[first])
			i++;
		if (!has_any(check + first, i - first))
			return false;
	}
	return true;
}

static bool
may_match(StrategyNumber strategy, const GinTernaryValue *check, int32 count, Pointer *key_of)
{
	switch (strategy)
	{
		case MSGPACK_CONTAINS_STRATEGY:
			return has_all(check, count);
		case MSGPACK_EXISTS_STRATEGY:
		case MSGPACK_EXISTS_ANY_STRATEGY:
			return has_any(check, count);
		case MSGPACK_EXISTS_ALL_STRATEGY:
			return has_all_keys(check, count, key_of);
		case MSGPACK_PATH_EXISTS_STRATEGY:
		case MSGPACK_PATH_MATCH_STRATEGY:
			return count == 0 ||
				msgpack_path_may_match((const msgpack_path_query *) key_of[0], check);
		default:
			elog(ERROR, "unrecognized strategy number: %d", strategy);
	}
}

PG_FUNCTION_INFO_V1(gin_extract_msgpack);

Datum
gin_extract_msgpack(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(extract(PG_GETARG_DATUM(0), mpk_terms_of_entries,
							  (int32 *) PG_GETARG_POINTER(1)));
}

PG_FUNCTION_INFO_V1(gin_extract_msgpack_path);

Datum
gin_extract_msgpack_path(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(extract(PG_GETARG_DATUM(0), mpk_terms_of_paths,
							  (int32 *) PG_GETARG_POINTER(1)));
}

PG_FUNCTION_INFO_V1(gin_extract_msgpack_query);

Datum
gin_extract_msgpack_query(PG_FUNCTION_ARGS)
{
	Datum		query = PG_GETARG_DATUM(0);
	int32	   *count = (int32 *) PG_GETARG_POINTER(1);
	StrategyNumber strategy = PG_GETARG_UINT16(2);
	Pointer   **extra_data = (Pointer **) PG_GETARG_POINTER(4);
	int32	   *search_mode = (int32 *) PG_GETARG_POINTER(6);

	switch (strategy)
	{
		case MSGPACK_CONTAINS_STRATEGY:
			PG_RETURN_POINTER(extract_contained(query, mpk_terms_of_entries, count, search_mode));
		case MSGPACK_PATH_EXISTS_STRATEGY:
		case MSGPACK_PATH_MATCH_STRATEGY:
			PG_RETURN_POINTER(extract_path_query(query, strategy, false, count, extra_data,
												 search_mode));
		default:
			PG_RETURN_POINTER(extract_keys(query, strategy, count, extra_data, search_mode));
	}
}

PG_FUNCTION_INFO_V1(gin_extract_msgpack_query_path);

Datum
gin_extract_msgpack_query_path(PG_FUNCTION_ARGS)
{
	Datum		query = PG_GETARG_DATUM(0);
	int32	   *count = (int32 *) PG_GETARG_POINTER(1);
	StrategyNumber strategy = PG_GETARG_UINT16(2);
	Pointer   **extra_data = (Pointer **) PG_GETARG_POINTER(4);
	int32	   *search_mode = (int32 *) PG_GETARG_POINTER(6);

	if (strategy == MSGPACK_CONTAINS_STRATEGY)
		PG_RETURN_POINTER(extract_contained(query, mpk_terms_of_paths, count, search_mode));
	PG_RETURN_POINTER(extract_path_query(query, strategy, true, count, extra_data, search_mode));
}

PG_FUNCTION_INFO_V1(gin_triconsistent_msgpack);

Datum
gin_triconsistent_msgpack(PG_FUNCTION_ARGS)
{
	GinTernaryValue *check = (GinTernaryValue *) PG_GETARG_POINTER(0);
	StrategyNumber strategy = PG_GETARG_UINT16(1);
	int32		count = PG_GETARG_INT32(3);
	Pointer    *key_of = (Pointer *) PG_GETARG_POINTER(4);

	PG_RETURN_GIN_TERNARY_VALUE(may_match(strategy, check, count, key_of) ?
								GIN_MAYBE : GIN_FALSE);
}
