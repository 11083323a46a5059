/*
 * number.c
 *		Numbers compared exactly, by value.
 */
#include "codec/number.h"

#include <math.h>

#define TWO_63		9223372036854775808.0
#define TWO_64		18446744073709551616.0

static inline int
compare_uint(uint64 a, uint64 b)
{
	return (a > b) - (a < b);
}

static inline int
compare_int(int64 a, int64 b)
{
	return (a > b) - (a < b);
}

/* NaN equals itself and is above all others. */
static int
compare_float(double a, double b)
{
	if (isnan(a) || isnan(b))
		return (isnan(a) != 0) - (isnan(b) != 0);
	return (a > b) - (a < b);
}

/* An integer against the fraction that truncation took off: only its sign matters. */
static inline int
compare_fraction(double f, double truncated)
{
	return (truncated > f) - (truncated < f);
}

/* v >= 0 against f.  Truncating first keeps the comparison in integers, hence exact. */
static int
compare_uint_float(uint64 v, double f)
{
	int			cmp;

	if (isnan(f) || f >= TWO_64)
		return -1;
	if (f < 0)
		return 1;
	cmp = compare_uint(v, (uint64) f);
	return cmp != 0 ? cmp : compare_fraction(f, trunc(f));
}

/* v < 0 against f. */
static int
compare_int_float(int64 v, double f)
{
	int			cmp;

	if (isnan(f) || f >= 0)
		return -1;
	if (f < -TWO_63)
		return 1;
	cmp = compare_int(v, (int64) f);
	return cmp != 0 ? cmp : compare_fraction(f, trunc(f));
}

int
mpk_number_compare(const mpk_value *a, const mpk_value *b)
{
	bool		a_float = a->kind >= MPK_FLOAT32;
	bool		b_float = b->kind >= MPK_FLOAT32;

	Assert(mpk_is_number(a->kind) && mpk_is_number(b->kind));
	if (a_float && b_float)
		return compare_float(mpk_float_value(a), mpk_float_value(b));
	if (b_float)
		return a->kind == MPK_UINT ? compare_uint_float(a->as.u64, mpk_float_value(b))
			: compare_int_float(a->as.i64, mpk_float_value(b));
	if (a_float)
		return -mpk_number_compare(b, a);
	if (a->kind != b->kind)
		return a->kind == MPK_UINT ? 1 : -1;
	return a->kind == MPK_UINT ? compare_uint(a->as.u64, b->as.u64)
		: compare_int(a->as.i64, b->as.i64);
}

void
mpk_number_normalize(mpk_value *value)
{
	double		f;

	if (value->kind < MPK_FLOAT32)
		return;
	f = mpk_float_value(value);
	if (f >= 0 && f < TWO_64 && f == trunc(f))
	{
		value->kind = MPK_UINT;
		value->as.u64 = (uint64) f;
	}
	else if (f < 0 && f >= -TWO_63 && f == trunc(f))
	{
		value->kind = MPK_INT;
		value->as.i64 = (int64) f;
	}
	else
	{
		uint64		bits = UINT64CONST(0x7ff8000000000000);

		value->kind = MPK_FLOAT64;
		if (isnan(f))
			memcpy(&value->as.f64, &bits, sizeof(bits));
		else
			value->as.f64 = f;
	}
}

bool
mpk_number_as_int64(const mpk_value *value, int64 *result)
{
	mpk_value	copy = *value;

	mpk_number_normalize(&copy);
	if (copy.kind == MPK_UINT && copy.as.u64 <= (uint64) PG_INT64_MAX)
	{
		*result = (int64) copy.as.u64;
		return true;
	}
	if (copy.kind == MPK_INT)
	{
		*result = copy.as.i64;
		return true;
	}
	return false;
}
