/*
 * msgpack_path_compat.h
 *		How the majors differ in what jsonpath needs of them, in one place.
 *
 * 17 brought methods that convert (.bigint(), .string() ...), 19 those of
 * strings (.lower(), .replace() ...).  Functions that can fail softly took a
 * bool up to 15, a Node since then, numeric's not before 19.
 */
#ifndef MSGPACK_PATH_COMPAT_H
#define MSGPACK_PATH_COMPAT_H

#include "compat.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/formatting.h"
#include "utils/jsonpath.h"
#include "utils/numeric.h"

#if PG_VERSION_NUM >= 170000
#define MSGPACK_PATH_CONVERSIONS
#endif
#if PG_VERSION_NUM >= 190000
#define MSGPACK_PATH_STRINGS
#endif

/* The time zone formats that to_timestamp knows: from 17 on TZ takes them all. */
#if PG_VERSION_NUM >= 170000
#define MSGPACK_PATH_TZ_FORMAT
#endif

/* A call that sets *failed, or (failed is NULL) raises what is wrong. */
#if PG_VERSION_NUM >= 160000
#define MSGPACK_SOFTLY(failed, result, call) \
	do { \
		ErrorSaveContext soft_context = {.type = T_ErrorSaveContext}; \
		Node	   *soft = (failed) != NULL ? (Node *) &soft_context : NULL; \
		(result) = call; \
		if ((failed) != NULL) \
			*(failed) = soft_context.error_occurred; \
	} while (0)
#endif

static inline Datum
msgpack_parse_datetime(text *string, text *format, Oid collation, Oid *type, int32 *typmod,
					   int *zone, bool *failed)
{
	Datum		result;

#if PG_VERSION_NUM >= 160000
	MSGPACK_SOFTLY(failed, result,
				   parse_datetime(string, format, collation, true, type, typmod, zone, soft));
#else
	result = parse_datetime(string, format, collation, true, type, typmod, zone, failed);
#endif
	return result;
}

/* What float8 input makes of a string, all of it. */
static inline double
msgpack_parse_double(char *s, bool *failed)
{
	double		result;

#if PG_VERSION_NUM >= 160000
	MSGPACK_SOFTLY(failed, result, float8in_internal(s, NULL, "double precision", s, soft));
#else
	*failed = false;
	result = float8in_internal_opt_error(s, NULL, "double precision", s, failed);
#endif
	return result;
}

/* numeric's arithmetic: a function of two numbers. */
#if PG_VERSION_NUM >= 190000
typedef Numeric (*msgpack_numeric_function) (Numeric a, Numeric b, Node *escontext);

#define MSGPACK_NUMERIC_ADD		numeric_add_safe
#define MSGPACK_NUMERIC_SUB		numeric_sub_safe
#define MSGPACK_NUMERIC_MUL		numeric_mul_safe
#define MSGPACK_NUMERIC_DIV		numeric_div_safe
#define MSGPACK_NUMERIC_MOD		numeric_mod_safe
#else
typedef Numeric (*msgpack_numeric_function) (Numeric a, Numeric b, bool *failed);

#define MSGPACK_NUMERIC_ADD		numeric_add_opt_error
#define MSGPACK_NUMERIC_SUB		numeric_sub_opt_error
#define MSGPACK_NUMERIC_MUL		numeric_mul_opt_error
#define MSGPACK_NUMERIC_DIV		numeric_div_opt_error
#define MSGPACK_NUMERIC_MOD		numeric_mod_opt_error
#endif

static inline Numeric
msgpack_numeric_operate(msgpack_numeric_function function, Numeric a, Numeric b, bool *failed)
{
	Numeric		result;

#if PG_VERSION_NUM >= 190000
	MSGPACK_SOFTLY(failed, result, function(a, b, soft));
#else
	if (failed != NULL)
		*failed = false;
	result = function(a, b, failed);
#endif
	return result;
}

static inline int32
msgpack_numeric_to_int4(Numeric number, bool *failed)
{
	int32		result;

#if PG_VERSION_NUM >= 190000
	MSGPACK_SOFTLY(failed, result, numeric_int4_safe(number, soft));
#else
	*failed = false;
	result = numeric_int4_opt_error(number, failed);
#endif
	return result;
}

#ifdef MSGPACK_PATH_CONVERSIONS
static inline int64
msgpack_numeric_to_int8(Numeric number, bool *failed)
{
	int64		result;

#if PG_VERSION_NUM >= 190000
	MSGPACK_SOFTLY(failed, result, numeric_int8_safe(number, soft));
#else
	*failed = false;
	result = numeric_int8_opt_error(number, failed);
#endif
	return result;
}

/*
 * numeric(precision, scale).  "failed": NULL for an error.  By way of numeric's typmod input
 * function, since what the server's jsonpath calls is not in every minor release.
 */
static inline int32
msgpack_numeric_typmod(int32 precision, int32 scale, bool *failed)
{
	char		words[2][12];	/* an int4 each */
	Datum		elements[2] = {CStringGetDatum(words[0]), CStringGetDatum(words[1])};
	ArrayType  *array;

	if (failed != NULL && (precision < 1 || precision > NUMERIC_MAX_PRECISION ||
						   scale < NUMERIC_MIN_SCALE || scale > NUMERIC_MAX_SCALE))
	{
		*failed = true;
		return -1;
	}
	pg_ltoa(precision, words[0]);
	pg_ltoa(scale, words[1]);
	array = construct_array_builtin(elements, 2, CSTRINGOID);
	return DatumGetInt32(DirectFunctionCall1(numerictypmodin, PointerGetDatum(array)));
}
#endif

/* like_regex's flags, which were checked when the path was read. */
static inline int
msgpack_regex_flags(uint32 flags)
{
#if PG_VERSION_NUM >= 160000
	int			result = 0;

	(void) jspConvertRegexFlags(flags, &result, NULL);
	return result;
#else
	return jspConvertRegexFlags(flags);
#endif
}

#endif							/* MSGPACK_PATH_COMPAT_H */
