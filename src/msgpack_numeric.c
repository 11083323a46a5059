/*
 * msgpack_numeric.c
 *		Numbers to and from the bytes of PostgreSQL's numeric.
 *
 * A numeric is a varlena with, after the length word, in the machine's byte
 * order:
 *
 *	short form	uint16 header: 10 s dddddd wwwwwww (from the top bit)
 *					s sign, d display scale, w weight, two's complement
 *	long form	uint16 header: 00 or 01 (negative), 14 bits of display scale
 *				int16 weight
 *	special		uint16 header: 11 00 NaN, 11 01 infinity, 11 11 -infinity
 *	then		int16 digits in base 10,000, the most significant first
 *
 * The value is the sum of digit[i] * 10000 ^ (weight - i).  Neither the first
 * nor the last digit is 0; zero has no digits.  No digit says more than the
 * display scale shows.  The short form is used where it has room.
 */
#include "msgpack_numeric.h"

#include <float.h>
#include <math.h>

#include "common/int.h"
#include "common/shortest_dec.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#define NBASE				10000
#define NBASE_DIGITS		4

#define FORM_MASK			0xC000
#define FORM_NEGATIVE		0x4000	/* long form below zero */
#define FORM_SHORT			0x8000
#define FORM_SPECIAL		0xC000

#define SPECIAL_MASK		0xF000
#define SPECIAL_INFINITY	0xD000
#define SPECIAL_MINUS_INFINITY	0xF000

#define SHORT_NEGATIVE		0x2000
#define SHORT_SCALE_SHIFT	7
#define SHORT_SCALE_MAX		63
#define SHORT_WEIGHT_MASK	0x007F
#define SHORT_WEIGHT_SIGN	0x0040
#define SHORT_WEIGHT_MAX	63
#define SHORT_WEIGHT_MIN	(-64)

#define LONG_SCALE_MASK		0x3FFF

/* Decimals of so many digits survive a trip through float 64: they are its shortest. */
#define FLOAT64_SAFE_LIMIT	UINT64CONST(1000000000000000)	/* 10 ^ DBL_DIG */

/* Powers of ten that float 64 holds exactly end here. */
#define EXACT_POWER_MAX		22

static const double power_of_ten[EXACT_POWER_MAX + 1] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
};

static const uint16 small_power[NBASE_DIGITS + 1] = {1, 10, 100, 1000, 10000};

/* A finite numeric, taken apart. */
typedef struct numeric_parts
{
	bool		negative;
	int			scale;
	int			weight;
	int			ndigits;
	const int16 *digits;
} numeric_parts;

/* A finite number: sign, and coefficient * 10 ^ exponent. */
typedef struct decimal
{
	bool		negative;
	uint64		coefficient;
	int			exponent;
} decimal;

/* ----- writing ----- */

/* Zeros at the decimal end of a base-10,000 digit other than 0. */
static inline int
trailing_zeros(unsigned digit)
{
	int			zeros = 0;

	if (digit % 100 == 0)
	{
		zeros = 2;
		digit /= 100;
	}
	return zeros + (digit % 10 == 0 ? 1 : 0);
}

/*
 * Put header and digits together.  "digits" are "count" base-10,000 digits,
 * the least significant first; digits[0] counts 10000 ^ lowest.
 */
static int
put_numeric(char *out, bool negative, int scale, int lowest, const int16 *digits, int count)
{
	int			skip = 0;
	int			weight;
	int			size = VARHDRSZ;
	uint16		header;

	while (count > 0 && digits[count - 1] == 0)
		count--;
	while (skip < count && digits[skip] == 0)
		skip++;
	weight = count > 0 ? lowest + count - 1 : 0;
	if (count == 0)
		negative = false;

	if (scale <= SHORT_SCALE_MAX && weight <= SHORT_WEIGHT_MAX && weight >= SHORT_WEIGHT_MIN)
	{
		header = FORM_SHORT | (negative ? SHORT_NEGATIVE : 0) |
			(scale << SHORT_SCALE_SHIFT) | (weight & SHORT_WEIGHT_MASK);
		memcpy(out + size, &header, sizeof(header));
		size += sizeof(header);
	}
	else
	{
		int16		long_weight = weight;

		header = (negative ? FORM_NEGATIVE : 0) | scale;
		memcpy(out + size, &header, sizeof(header));
		size += sizeof(header);
		memcpy(out + size, &long_weight, sizeof(long_weight));
		size += sizeof(long_weight);
	}
	for (int i = count - 1; i >= skip; i--)
	{
		memcpy(out + size, &digits[i], sizeof(int16));
		size += sizeof(int16);
	}
	SET_VARSIZE(out, size);
	return size;
}

/* Take base-10,000 digits off v, the least significant first; returns how many. */
static inline int
split_digits(uint64 v, int16 *digits)
{
	int			count = 0;

	while (v >= NBASE)
	{
		uint64		rest = v / NBASE;

		digits[count++] = (int16) (v - rest * NBASE);
		v = rest;
	}
	digits[count++] = (int16) v;
	return count;
}

/* Header and up to two digits, of which the first is not 0: the short form at its shortest. */
static inline int
put_two_digits(char *out, uint16 header, uint32 first, uint32 second)
{
	uint16		words[3];
	int			size = VARHDRSZ + (second == 0 ? 2 : 3) * (int) sizeof(uint16);

	words[0] = FORM_SHORT | header;
	words[1] = (uint16) first;
	words[2] = (uint16) second;
	SET_VARSIZE(out, size);
	memcpy(out + VARHDRSZ, words, sizeof(words));
	return size;
}

static int
put_integer(char *out, bool negative, uint64 magnitude)
{
	int16		digits[5];

	if (magnitude < MSGPACK_NUMERIC_SMALL && !negative)
		return msgpack_numeric_write_small((unsigned) magnitude, out);
	if (magnitude < NBASE * NBASE && magnitude >= NBASE)
		return put_two_digits(out, (negative ? SHORT_NEGATIVE : 0) | 1,
							  (uint32) magnitude / NBASE, (uint32) magnitude % NBASE);
	return put_numeric(out, negative, 0, 0, digits, split_digits(magnitude, digits));
}

/* A float's digits, with at least one after the point. */
static int
put_decimal(char *out, const decimal *number)
{
	int16		digits[7];
	int			count = 0;
	int			shift = number->exponent & (NBASE_DIGITS - 1);
	int			lowest = (number->exponent - shift) / NBASE_DIGITS;
	uint64		rest = number->coefficient;

	/* bring the exponent to a multiple of 4 without widening the coefficient */
	if (shift > 0)
	{
		uint64		divisor = small_power[NBASE_DIGITS - shift];

		digits[count++] = (int16) (rest % divisor * small_power[shift]);
		rest /= divisor;
	}
	count += split_digits(rest, digits + count);
	return put_numeric(out, number->negative, Max(1, -number->exponent), lowest, digits, count);
}

/* Read what the shortest-digits routines print: -12.5, 1e+300, 0.001. */
static decimal
decimal_from_text(const char *s, int length)
{
	decimal		number = {false, 0, 0};
	bool		fraction = false;

	for (int i = 0; i < length; i++)
	{
		if (s[i] == '-')
			number.negative = true;
		else if (s[i] == '.')
			fraction = true;
		else if (s[i] == 'e')
		{
			int			exponent = 0;
			bool		down = s[++i] == '-';

			while (++i < length)
				exponent = exponent * 10 + (s[i] - '0');
			number.exponent += down ? -exponent : exponent;
		}
		else
		{
			number.coefficient = number.coefficient * 10 + (s[i] - '0');
			number.exponent -= fraction ? 1 : 0;
		}
	}
	while (number.coefficient != 0 && number.coefficient % 10 == 0)
	{
		number.coefficient /= 10;
		number.exponent++;
	}
	return number;
}

static decimal
decimal_from_float64(double v)
{
	char		text[DOUBLE_SHORTEST_DECIMAL_LEN];

	return decimal_from_text(text, double_to_shortest_decimal_bufn(v, text));
}

static decimal
decimal_from_float32(float v)
{
	char		text[FLOAT_SHORTEST_DECIMAL_LEN];

	return decimal_from_text(text, float_to_shortest_decimal_bufn(v, text));
}

/*
 * Is v a decimal of at most 15 digits, "places" (4 or 8) of them after the
 * point?  If so it is the shortest: two decimals of 15 digits never round to
 * the same float 64.  The division, of exact operands, rounds correctly.
 */
static inline bool
short_decimal(double magnitude, double scale, uint64 *scaled)
{
	double		product = magnitude * scale;

	if (FLT_EVAL_METHOD != 0 || !(product < (double) FLOAT64_SAFE_LIMIT))
		return false;
	*scaled = (uint64) (product + 0.5);
	return (double) *scaled / scale == magnitude;
}

static int
put_float64(char *out, double v)
{
	int16		digits[6];
	uint64		scaled;
	int			places = 0;
	int			scale = 1;
	double		magnitude = fabs(v);
	decimal		number;

	if (short_decimal(magnitude, 1e4, &scaled))
	{
		places = 1;
		if (scaled < NBASE * NBASE && scaled >= NBASE)
		{
			/* prices and measures: one digit before the point, one behind it */
			uint32		fraction = (uint32) scaled % NBASE;

			if (fraction != 0)
				scale = NBASE_DIGITS - trailing_zeros(fraction);
			return put_two_digits(out, (v < 0 ? SHORT_NEGATIVE : 0) | (scale << SHORT_SCALE_SHIFT),
								  (uint32) scaled / NBASE, fraction);
		}
	}
	else if (short_decimal(magnitude, 1e8, &scaled))
		places = 2;
	if (places > 0)
	{
		int			count = split_digits(scaled, digits);

		while (count <= places)
			digits[count++] = 0;
		for (int i = 0; i < places; i++)
			if (digits[i] != 0)
			{
				scale = (places - i) * NBASE_DIGITS - trailing_zeros(digits[i]);
				break;
			}
		return put_numeric(out, v < 0, scale, -places, digits, count);
	}
	number = decimal_from_float64(v);
	return put_decimal(out, &number);
}

int
msgpack_numeric_write(const mpk_value *value, char *out)
{
	switch (value->kind)
	{
		case MPK_UINT:
			return put_integer(out, false, value->as.u64);
		case MPK_INT:
			return put_integer(out, true, -(uint64) value->as.i64);
		case MPK_FLOAT64:
			return put_float64(out, value->as.f64);
		default:
			{
				decimal		number = decimal_from_float32(value->as.f32);

				Assert(value->kind == MPK_FLOAT32);
				return put_decimal(out, &number);
			}
	}
}

/* ----- reading ----- */

static bool
numeric_open(const char *numeric, numeric_parts *parts, uint16 *header)
{
	int			size = VARSIZE(numeric) - VARHDRSZ - (int) sizeof(uint16);
	const char *rest = numeric + VARHDRSZ + sizeof(uint16);

	memcpy(header, numeric + VARHDRSZ, sizeof(uint16));
	switch (*header & FORM_MASK)
	{
		case FORM_SPECIAL:
			return false;
		case FORM_SHORT:
			parts->negative = (*header & SHORT_NEGATIVE) != 0;
			parts->scale = (*header >> SHORT_SCALE_SHIFT) & SHORT_SCALE_MAX;
			parts->weight = (int) (*header & SHORT_WEIGHT_MASK) -
				((*header & SHORT_WEIGHT_SIGN) ? SHORT_WEIGHT_MASK + 1 : 0);
			break;
		default:
			{
				int16		weight;

				memcpy(&weight, rest, sizeof(weight));
				parts->negative = (*header & FORM_NEGATIVE) != 0;
				parts->scale = *header & LONG_SCALE_MASK;
				parts->weight = weight;
				rest += sizeof(weight);
				size -= sizeof(weight);
			}
			break;
	}
	parts->ndigits = size / (int) sizeof(int16);
	parts->digits = (const int16 *) rest;
	return true;
}

/* Set *value to the integer, if it is one of 64 bits. */
static inline bool
read_integer(const numeric_parts *parts, mpk_value *value)
{
	uint64		magnitude = 0;

	if (parts->scale != 0 || parts->weight > 4 || parts->ndigits > parts->weight + 1)
		return false;
	for (int i = 0; i <= parts->weight; i++)
	{
		uint64		digit = i < parts->ndigits ? parts->digits[i] : 0;

		/* four digits of base 10,000 cannot overflow, a fifth may */
		if (i < 4)
			magnitude = magnitude * NBASE + digit;
		else if (pg_mul_u64_overflow(magnitude, NBASE, &magnitude) ||
				 pg_add_u64_overflow(magnitude, digit, &magnitude))
			return false;
	}
	if (!parts->negative)
	{
		value->kind = MPK_UINT;
		value->as.u64 = magnitude;
		return true;
	}
	if (magnitude > (uint64) PG_INT64_MAX + 1)
		return false;
	value->kind = MPK_INT;
	value->as.i64 = (int64) -magnitude;
	return true;
}

/*
 * The coefficient without trailing zeros, and its exponent.  False when 64
 * bits do not hold it: then it has more digits (17) than any float 64 shows.
 */
static inline bool
read_decimal(const numeric_parts *parts, decimal *number)
{
	int			last = parts->ndigits - 1;
	int			zeros;

	number->negative = parts->negative;
	number->coefficient = 0;
	number->exponent = 0;
	if (last < 0)
		return true;
	if (last > 4)
		return false;
	for (int i = 0; i < last; i++)
		number->coefficient = number->coefficient * NBASE + parts->digits[i];

	zeros = trailing_zeros(parts->digits[last]);
	number->exponent = (parts->weight - last) * NBASE_DIGITS + zeros;
	return !pg_mul_u64_overflow(number->coefficient, small_power[NBASE_DIGITS - zeros],
								&number->coefficient) &&
		!pg_add_u64_overflow(number->coefficient, parts->digits[last] / small_power[zeros],
							 &number->coefficient);
}

/* The nearest float 64 by way of the C library, which rounds correctly.  False out of range. */
static bool
float64_from_text(const char *text, double *v)
{
	/* the server keeps LC_NUMERIC at C, as float8's input requires too */
	*v = strtod(text, NULL);
	return !isinf(*v);
}

static bool
float64_from_decimal(const decimal *number, double *v)
{
	char		text[48];
	int			length;

	length = pg_ulltoa_n(number->coefficient, text);
	text[length++] = 'e';
	pg_ltoa(number->exponent, text + length);
	return float64_from_text(text, v);
}

/* More than float 64 shows: rounded. */
static msgpack_numeric_fit
read_rounded(const void *numeric, mpk_value *value)
{
	char	   *text = DatumGetCString(DirectFunctionCall1(numeric_out,
														   PointerGetDatum(numeric)));
	double		v;
	bool		fits = float64_from_text(text, &v) && v != 0;

	pfree(text);
	value->kind = MPK_FLOAT64;
	value->as.f64 = v;
	return fits ? MSGPACK_NUMERIC_ROUNDED : MSGPACK_NUMERIC_OUT_OF_RANGE;
}

/* A decimal that may or may not be some float's shortest digits. */
static msgpack_numeric_fit
read_long_decimal(const decimal *number, mpk_value *value)
{
	double		v;
	decimal		back;

	value->kind = MPK_FLOAT64;
	if (!float64_from_decimal(number, &v) || v == 0)
		return MSGPACK_NUMERIC_OUT_OF_RANGE;
	value->as.f64 = number->negative ? -v : v;

	back = decimal_from_float64(v);
	if (back.coefficient == number->coefficient && back.exponent == number->exponent)
		return MSGPACK_NUMERIC_EXACT;
	return MSGPACK_NUMERIC_ROUNDED;
}

static msgpack_numeric_fit
read_special(uint16 header, mpk_value *value)
{
	value->kind = MPK_FLOAT64;
	if ((header & SPECIAL_MASK) == SPECIAL_INFINITY)
		value->as.f64 = INFINITY;
	else if ((header & SPECIAL_MASK) == SPECIAL_MINUS_INFINITY)
		value->as.f64 = -INFINITY;
	else
	{
		uint64		bits = UINT64CONST(0x7ff8000000000000);

		memcpy(&value->as.f64, &bits, sizeof(bits));
	}
	return MSGPACK_NUMERIC_EXACT;
}

msgpack_numeric_fit
msgpack_numeric_read(const void *numeric, mpk_value *value)
{
	numeric_parts parts;
	decimal		number;
	uint16		header;

	if (!numeric_open(numeric, &parts, &header))
		return read_special(header, value);
	if (read_integer(&parts, value))
		return MSGPACK_NUMERIC_EXACT;
	if (!read_decimal(&parts, &number))
		return read_rounded(numeric, value);

	/*
	 * At most 15 digits, and a power of ten that float 64 holds: one division
	 * of exact operands gives the nearest float, and its shortest digits are
	 * these.  Not so above the point: 7e22 lies half way between two floats,
	 * and the server prints neither of them so.
	 */
	if (FLT_EVAL_METHOD == 0 && number.coefficient < FLOAT64_SAFE_LIMIT &&
		number.exponent >= -EXACT_POWER_MAX && number.exponent <= 0)
	{
		double		v = (double) number.coefficient / power_of_ten[-number.exponent];

		value->kind = MPK_FLOAT64;
		value->as.f64 = number.negative ? -v : v;
		return MSGPACK_NUMERIC_EXACT;
	}
	return read_long_decimal(&number, value);
}
