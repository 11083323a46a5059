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

/* Digits are put so many at a time. */
#define EIGHT_DIGITS	100000000

/*
 * The eight decimal digits of v, below 10^8, as numbers from 0 to 9, the first
 * in the lowest byte: halves are split into halves three times, side by side.
 * The products are quotients by 100 and 10 for all that can be there.
 */
static inline uint64
split_digits(uint32 v)
{
	uint64		fours = v / 10000 | (uint64) (v % 10000) << 32;
	uint64		hundreds = ((fours * 10486) >> 20) & UINT64CONST(0x0000007f0000007f);
	uint64		pairs = hundreds | (fours - hundreds * 100) << 16;
	uint64		tens = ((pairs * 103) >> 10) & UINT64CONST(0x000f000f000f000f);

	return tens | (pairs - tens * 10) << 8;
}

/* Digits from split_digits to out, as characters, without the first so many. */
static inline void
put_split_digits(char *out, uint64 digits, int without)
{
	digits = (digits | UINT64CONST(0x3030303030303030)) >> (8 * without);
#ifdef WORDS_BIGENDIAN
	digits = pg_bswap64(digits);
#endif
	memcpy(out, &digits, sizeof(digits));
}

int
mpk_put_digits(char *out, uint64 v)
{
	uint64		digits;
	int			zeros;
	int			n;

	if (v < 10)
	{
		*out = (char) ('0' + v);
		return 1;
	}
	if (unlikely(v >= EIGHT_DIGITS))
	{
		n = mpk_put_digits(out, v / EIGHT_DIGITS);
		put_split_digits(out + n, split_digits((uint32) (v % EIGHT_DIGITS)), 0);
		return n + 8;
	}
	digits = split_digits((uint32) v);
	zeros = pg_rightmost_one_pos64(digits) / 8;
	put_split_digits(out, digits, zeros);
	return 8 - zeros;
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
	uint64		fraction;
	int			n;

	if (!(magnitude >= 1e-4 && magnitude < 1e9))
		return 0;
	m = (uint64) (magnitude * 1e6 + 0.5);
	if ((double) m / 1e6 != magnitude)
		return 0;

	out[0] = '-';
	n = v < 0;
	n += mpk_put_digits(out + n, m / 1000000);
	out[n++] = '.';
	/* six digits and two zeros; those at the end go, but for the first digit */
	fraction = split_digits((uint32) (m % 1000000) * 100);
	put_split_digits(out + n, fraction, 0);
	return n + pg_leftmost_one_pos64(fraction | 1) / 8 + 1;
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
