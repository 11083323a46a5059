/*
 * text_number.c
 *		Numbers as text: printing them, shortest digits first of all.
 *
 * (Parsing them is text_parse_number.c.)
 */
#include "codec/port.h"

#include <math.h>

#include "common/shortest_dec.h"
#include "port/pg_bitutils.h"
#include "document/text.h"
#include "document/text_internal.h"

static const char two_digits[] =
"00010203040506070809" "10111213141516171819" "20212223242526272829" "30313233343536373839"
"40414243444546474849" "50515253545556575859" "60616263646566676869" "70717273747576777879"
"80818283848586878889" "90919293949596979899";

static const uint64 power_of_ten[] = {
	UINT64CONST(1), UINT64CONST(10), UINT64CONST(100), UINT64CONST(1000), UINT64CONST(10000),
	UINT64CONST(100000), UINT64CONST(1000000), UINT64CONST(10000000), UINT64CONST(100000000),
	UINT64CONST(1000000000), UINT64CONST(10000000000), UINT64CONST(100000000000),
	UINT64CONST(1000000000000), UINT64CONST(10000000000000), UINT64CONST(100000000000000),
	UINT64CONST(1000000000000000), UINT64CONST(10000000000000000),
	UINT64CONST(100000000000000000), UINT64CONST(1000000000000000000),
	UINT64CONST(10000000000000000000)
};

/* How many decimal digits v has, which is at least 10. */
static inline int
count_digits(uint64 v)
{
	/* log10(2) is 1233 / 4096, well enough for 64 bits; then it is this or one more */
	int			n = ((pg_leftmost_one_pos64(v) + 1) * 1233) >> 12;

	return n + (v >= power_of_ten[n]);
}

int
mpk_put_digits(char *out, uint64 v)
{
	int			n;
	char	   *p;

	if (v < 10)
	{
		*out = (char) ('0' + v);
		return 1;
	}
	n = count_digits(v);
	p = out + n;
	while (v >= 100)
	{
		p -= 2;
		memcpy(p, two_digits + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10)
		memcpy(out, two_digits + v * 2, 2);
	else
		*out = (char) ('0' + v);
	return n;
}

int
mpk_print_integer(const mpk_value *value, char *out)
{
	if (value->kind == MPK_UINT)
		return mpk_put_digits(out, value->as.u64);
	*out = '-';
	return 1 + mpk_put_digits(out + 1, 0 - (uint64) value->as.i64);
}

/*
 * A double of at most 15 significant digits, six of them after the point: most
 * that people write.  Returns 0 when v is none.
 *
 * v times 10^6 is rounded to an integer m below 10^15, and m / 10^6, one
 * correctly rounded division of two exact numbers, gives v back: then v is the
 * double nearest to that decimal.  Decimals of up to 15 digits have doubles of
 * their own, so that no shorter one has the same double.  The bounds are those
 * within which the shortest form has no exponent.
 */
static int
put_short_double(double v, char *out)
{
	double		magnitude = fabs(v);
	uint64		m;
	uint32		fraction;
	int			digits = 6;
	int			n = 0;

	if (!(magnitude >= 1e-4 && magnitude < 1e9))
		return 0;
	m = (uint64) (magnitude * 1e6 + 0.5);
	if ((double) m / 1e6 != magnitude)
		return 0;

	if (v < 0)
		out[n++] = '-';
	n += mpk_put_digits(out + n, m / 1000000);
	out[n++] = '.';
	fraction = (uint32) (m % 1000000);
	if (fraction % 1000 == 0)
	{
		fraction /= 1000;
		digits = 3;
	}
	while (digits > 1 && fraction % 10 == 0)
	{
		fraction /= 10;
		digits--;
	}
	for (int i = digits - 1; i >= 0; i--)
	{
		out[n + i] = (char) ('0' + fraction % 10);
		fraction /= 10;
	}
	return n + digits;
}

/* NaN of unusual bits, as hex digits; the usual ones and infinities by name. */
static int
put_special_float(const mpk_value *value, char *out)
{
	double		v = mpk_float_value(value);
	int			width = value->kind == MPK_FLOAT32 ? 4 : 8;
	int			n;

	if (isinf(v))
	{
		n = v < 0 ? 9 : 8;
		memcpy(out, v < 0 ? "-Infinity" : "Infinity", n);
		return n;
	}
	if (mpk_nan_is_usual(value))
	{
		memcpy(out, "NaN", 3);
		return 3;
	}
	memcpy(out, "float'", 6);
	n = 6 + mpk_put_hex(out + 6, value->start + 1, width);
	out[n++] = '\'';
	return n;
}

/* The bits of a NaN are looked at where they are stored: a float register may change them. */
bool
mpk_nan_is_usual(const mpk_value *value)
{
	if (value->kind == MPK_FLOAT32)
		return mpk_load32(value->start + 1) == 0x7fc00000;
	return mpk_load64(value->start + 1) == UINT64CONST(0x7ff8000000000000);
}

/* Digits and perhaps an exponent, with neither point nor exponent where the value is integral. */
static int
put_shortest(const mpk_value *value, char *out)
{
	if (value->kind == MPK_FLOAT32)
		return float_to_shortest_decimal_bufn(value->as.f32, out);
	return double_to_shortest_decimal_bufn(value->as.f64, out);
}

int
mpk_print_float(const mpk_value *value, char *out)
{
	int			n;

	if (unlikely(!isfinite(mpk_float_value(value))))
		return put_special_float(value, out);
	if (value->kind == MPK_FLOAT64 && (n = put_short_double(value->as.f64, out)) > 0)
		return n;

	n = put_shortest(value, out);
	for (int i = 0; i < n; i++)
	{
		if (out[i] == '.' || out[i] == 'e')
			return n;
	}
	memcpy(out + n, ".0", 2);
	return n + 2;
}

/* Write "length" digits with the point after the first "whole" (which may lie outside of them). */
static int
put_positional(char *out, const char *digits, int length, int whole)
{
	int			n = 0;

	if (whole <= 0)
	{
		out[n++] = '0';
		out[n++] = '.';
		memset(out + n, '0', -whole);
		n += -whole;
		memcpy(out + n, digits, length);
		return n + length;
	}
	if (whole >= length)
	{
		memcpy(out, digits, length);
		memset(out + length, '0', whole - length);
		memcpy(out + whole, ".0", 2);
		return whole + 2;
	}
	memcpy(out, digits, whole);
	out[whole] = '.';
	memcpy(out + whole + 1, digits + whole, length - whole);
	return length + 1;
}

int
mpk_print_float_digits(const mpk_value *value, char *out)
{
	char		shortest[MPK_FLOAT_TEXT];
	char		digits[MPK_FLOAT_TEXT];
	int			length = 0;
	int			whole;
	int			n;
	char	   *mantissa = shortest;
	char	   *exponent;

	if (isnan(mpk_float_value(value)))
	{
		memcpy(out, "NaN", 3);
		return 3;
	}
	if (mpk_float_value(value) == 0)
	{
		/* numeric has no negative zero */
		memcpy(out, "0.0", 3);
		return 3;
	}
	n = mpk_print_float(value, shortest);
	shortest[n] = '\0';
	exponent = strchr(shortest, 'e');
	if (exponent == NULL)
	{
		memcpy(out, shortest, n);
		return n;
	}

	/* d.ddde+xx: one digit before the point, or no point at all */
	n = 0;
	if (*mantissa == '-')
		out[n++] = *mantissa++;
	for (; mantissa < exponent; mantissa++)
	{
		if (*mantissa != '.')
			digits[length++] = *mantissa;
	}
	whole = 1 + atoi(exponent + 1);
	return n + put_positional(out + n, digits, length, whole);
}
