/*
 * msgpack_op.c
 *		Comparison operators, and the support functions of the btree and hash classes.
 *
 * document/compare.h has the order and the hash.  There is no equalimage
 * function, since equal values may differ in bytes.
 */
#include "msgpack.h"

#include "utils/sortsupport.h"

#include "document/compare.h"
#include "msgpack_abbrev.h"

/* A value being compared.  Detoasted copies are freed: index code calls in long-lived contexts. */
typedef struct operand
{
	struct varlena *stored;
	bool		copied;
	mpk_document document;
} operand;

/* Most values are neither in TOAST nor headed: no calls for those. */
static inline void
open_operand(operand *op, Datum datum)
{
	struct varlena *stored = (struct varlena *) DatumGetPointer(datum);

	op->copied = VARATT_IS_EXTERNAL(stored) || VARATT_IS_COMPRESSED(stored);
	if (op->copied)
		stored = PG_DETOAST_DATUM_PACKED(datum);
	op->stored = stored;
	if (VARSIZE_ANY_EXHDR(stored) > 0 && (uint8) *VARDATA_ANY(stored) != MPK_BYTE_NEVER_USED)
	{
		op->document.payload = (const uint8 *) VARDATA_ANY(stored);
		op->document.length = VARSIZE_ANY_EXHDR(stored);
		op->document.flags = 0;
	}
	else
		op->document = msgpack_document(PointerGetDatum(stored));
}

static inline void
close_operand(operand *op)
{
	if (op->copied)
		pfree(op->stored);
}

static int
compare_datums(Datum a, Datum b)
{
	operand		left;
	operand		right;
	int			result;

	open_operand(&left, a);
	open_operand(&right, b);
	result = mpk_compare(&left.document, &right.document);
	close_operand(&left);
	close_operand(&right);
	return result;
}

static bool
equal_datums(Datum a, Datum b)
{
	operand		left;
	operand		right;
	bool		result;

	open_operand(&left, a);
	open_operand(&right, b);
	result = mpk_equal(&left.document, &right.document);
	close_operand(&left);
	close_operand(&right);
	return result;
}

static uint64
hash_datum(Datum datum)
{
	operand		op;
	uint64		hash;

	open_operand(&op, datum);
	hash = mpk_hash(&op.document);
	close_operand(&op);
	return hash;
}

static int
compare_for_sort(Datum a, Datum b, SortSupport ssup pg_attribute_unused())
{
	return compare_datums(a, b);
}

/* ----------
 * Operators
 * ----------
 */

PG_FUNCTION_INFO_V1(msgpack_eq);

Datum
msgpack_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(equal_datums(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

PG_FUNCTION_INFO_V1(msgpack_ne);

Datum
msgpack_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!equal_datums(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

PG_FUNCTION_INFO_V1(msgpack_lt);

Datum
msgpack_lt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_datums(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)) < 0);
}

PG_FUNCTION_INFO_V1(msgpack_le);

Datum
msgpack_le(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_datums(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)) <= 0);
}

PG_FUNCTION_INFO_V1(msgpack_gt);

Datum
msgpack_gt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_datums(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)) > 0);
}

PG_FUNCTION_INFO_V1(msgpack_ge);

Datum
msgpack_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_datums(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)) >= 0);
}

/* ----------
 * Support functions
 * ----------
 */

PG_FUNCTION_INFO_V1(msgpack_cmp);

Datum
msgpack_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_datums(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

PG_FUNCTION_INFO_V1(msgpack_sortsupport);

Datum
msgpack_sortsupport(PG_FUNCTION_ARGS)
{
	SortSupport ssup = (SortSupport) PG_GETARG_POINTER(0);

	ssup->comparator = compare_for_sort;
	if (ssup->abbreviate)
		msgpack_abbreviate(ssup);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(msgpack_hash);

Datum
msgpack_hash(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32((int32) mpk_hash_fold(hash_datum(PG_GETARG_DATUM(0))));
}

PG_FUNCTION_INFO_V1(msgpack_hash_extended);

Datum
msgpack_hash_extended(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64((int64) mpk_hash_seed(hash_datum(PG_GETARG_DATUM(0)),
										  (uint64) PG_GETARG_INT64(1)));
}

/* ----------
 * Aggregates
 * ----------
 */

PG_FUNCTION_INFO_V1(msgpack_larger);

Datum
msgpack_larger(PG_FUNCTION_ARGS)
{
	Datum		a = PointerGetDatum(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0)));
	Datum		b = PointerGetDatum(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(1)));

	PG_RETURN_DATUM(compare_datums(a, b) >= 0 ? a : b);
}

PG_FUNCTION_INFO_V1(msgpack_smaller);

Datum
msgpack_smaller(PG_FUNCTION_ARGS)
{
	Datum		a = PointerGetDatum(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0)));
	Datum		b = PointerGetDatum(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(1)));

	PG_RETURN_DATUM(compare_datums(a, b) <= 0 ? a : b);
}
