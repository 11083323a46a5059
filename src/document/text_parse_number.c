/*
 * text_parse_number.c
 *		Numbers of the text form.
 *
 * An integer is an integer as far as 64 bits go; beyond them it becomes a
 * float 64 that keeps its digits.  With a point or an exponent it is the
 * nearest float 64.
 */
#include "codec/port.h"

#include <float.h>
#include <math.h>

#include "port/pg_bitutils.h"

#include "codec/simd.h"
#include "document/text.h"
#include "document/text_internal.h"

#define INTEGER_MARKS \
	(MPK_MARK_BIT(MPK_MARK_U8) | MPK_MARK_BIT(MPK_MARK_U16) | MPK_MARK_BIT(MPK_MARK_U32) | \
	 MPK_MARK_BIT(MPK_MARK_U64) | MPK_MARK_BIT(MPK_MARK_I8) | MPK_MARK_BIT(MPK_MARK_I16) | \
	 MPK_MARK_BIT(MPK_MARK_I32) | MPK_MARK_BIT(MPK_MARK_I64))
#define FLOAT_MARKS		(MPK_MARK_BIT(MPK_MARK_F32) | MPK_MARK_BIT(MPK_MARK_F64))

#define INTEGER_RANGE \
	"an integer from -9223372036854775808 to 18446744073709551615, " \
	"or one whose digits a float 64 keeps"

/* Digits that a 64-bit integer holds whatever they are. */
#define SAFE_DIGITS		19

/* A number as it was read: its value is mantissa times 10^exponent, if nothing was left out. */
typedef struct number
{
	const uint8 *start;			/* the sign or the first digit */
	const uint8 *digits;		/* the first digit */
	const uint8 *end;
	uint64		mantissa;
	int64		exponent;
	int			mantissa_digits;	/* significant ones */
	bool		left_out;		/* more digits than the mantissa holds */
	bool		nonzero;
	bool		negative;
	bool		is_float;		/* has a point or an exponent */
} number;

static inline bool
is_digit(const mpk_parser *parser, const uint8 *p)
{
	return p < parser->end && *p >= '0' && *p <= '9';
}

/* ---- reading digits ---- */

/* One more digit of the mantissa; "scale" is 1 after the point. */
static inline void
take_digit(number *n, uint8 c, int scale)
{
	unsigned	digit = c - '0';

	if (likely(n->mantissa_digits < SAFE_DIGITS))
	{
		n->mantissa = n->mantissa * 10 + digit;
		n->mantissa_digits += n->mantissa != 0;
		n->exponent -= scale;
		return;
	}
	n->left_out = true;
	n->nonzero |= digit != 0;
	n->exponent += 1 - scale;
}

static bool
read_exponent(mpk_parser *parser, number *n)
{
	bool		negative;
	int64		exponent = 0;

	parser->p++;
	negative = parser->p < parser->end && *parser->p == '-';
	if (negative || (parser->p < parser->end && *parser->p == '+'))
		parser->p++;
	if (!is_digit(parser, parser->p))
		return mpk_parse_fail(parser, MPK_ERR_TEXT_SYNTAX, parser->p, "a digit of the exponent");
	for (; is_digit(parser, parser->p); parser->p++)
	{
		/* far beyond any float, and far below what overflows */
		if (exponent < INT64CONST(1000000000000))
			exponent = exponent * 10 + (*parser->p - '0');
	}
	n->exponent += negative ? -exponent : exponent;
	n->is_float = true;
	return true;
}

/* Point, fraction and exponent. */
static bool
read_fraction(mpk_parser *parser, number *n)
{
	if (parser->p < parser->end && *parser->p == '.')
	{
		n->is_float = true;
		parser->p++;
		if (!is_digit(parser, parser->p))
			return mpk_parse_fail(parser, MPK_ERR_TEXT_SYNTAX, parser->p,
								  "a digit after the decimal point");
		for (; is_digit(parser, parser->p); parser->p++)
			take_digit(n, *parser->p, 1);
	}
	if (parser->p < parser->end && (*parser->p | 0x20) == 'e')
		return read_exponent(parser, n);
	return true;
}

static bool
read_number(mpk_parser *parser, number *n)
{
	n->digits = parser->p;
	if (!is_digit(parser, parser->p))
		return mpk_parse_fail(parser, MPK_ERR_TEXT_SYNTAX, parser->p, "a digit");
	if (*parser->p == '0' && is_digit(parser, parser->p + 1))
		return mpk_parse_fail(parser, MPK_ERR_TEXT_SYNTAX, parser->p + 1,
							  "no digit after a leading zero");
	for (; is_digit(parser, parser->p); parser->p++)
		take_digit(n, *parser->p, 0);
	if (!read_fraction(parser, n))
		return false;
	n->end = parser->p;
	n->nonzero |= n->mantissa != 0;
	return true;
}

/* ---- floats ---- */

/*
 * The fast path is exact: mantissa and power of ten are both floats without
 * rounding, and one operation rounds once.  It needs that operations are done
 * in the type's own precision.
 */
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
#define EXACT_OPERATIONS	true
#else
#define EXACT_OPERATIONS	false
#endif

static const double powers_of_ten[] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
};

/* strtod or strtof of a number that is not followed by a NUL. */
static double
convert_slowly(const uint8 *start, const uint8 *end, bool single)
{
	char		buffer[128];
	size_t		length = (size_t) (end - start);
	char	   *copy = length < sizeof(buffer) ? buffer : palloc(length + 1);
	double		result;

	memcpy(copy, start, length);
	copy[length] = '\0';
	result = single ? (double) strtof(copy, NULL) : strtod(copy, NULL);
	if (copy != buffer)
		pfree(copy);
	return result;
}

static inline double
number_to_double(const number *n)
{
	double		v;

	if (!EXACT_OPERATIONS || n->left_out || n->mantissa > (UINT64CONST(1) << 53) ||
		n->exponent < -22 || n->exponent > 22)
		return convert_slowly(n->start, n->end, false);
	v = (double) n->mantissa;
	v = n->exponent < 0 ? v / powers_of_ten[-n->exponent] : v * powers_of_ten[n->exponent];
	return n->negative ? -v : v;
}

static float
number_to_float(const number *n)
{
	float		v;

	if (!EXACT_OPERATIONS || n->left_out || n->mantissa > (1 << 24) ||
		n->exponent < -10 || n->exponent > 10)
		return (float) convert_slowly(n->start, n->end, true);
	v = (float) n->mantissa;
	v = n->exponent < 0 ? v / (float) powers_of_ten[-n->exponent]
		: v * (float) powers_of_ten[n->exponent];
	return n->negative ? -v : v;
}

static bool
write_float(mpk_parser *parser, const number *n, bool single)
{
	double		v = single ? (double) number_to_float(n) : number_to_double(n);
	uint8	   *out = mpk_parse_room(parser, 9);

	if (unlikely(out == NULL))
		return false;
	if (unlikely(isinf(v) || (v == 0 && n->nonzero)))
		return mpk_parse_fail(parser, MPK_ERR_TEXT_RANGE, n->start,
							  single ? "a number in the range of a float 32"
							  : "a number in the range of a float 64");
	mpk_writer_advance(parser->out,
					   single ? mpk_put_float32(out, (float) v) : mpk_put_float64(out, v));
	return true;
}

bool
mpk_digits_to_float64(const uint8 *digits, size_t length, double *result)
{
	char		back[MPK_FLOAT_DIGITS];
	mpk_value	value;
	int			n;

	while (length > 1 && *digits == '0')
	{
		digits++;
		length--;
	}
	if (length > DBL_MAX_10_EXP + 1)
		return false;
	*result = convert_slowly(digits, digits + length, false);
	if (isinf(*result))
		return false;
	value.kind = MPK_FLOAT64;
	value.as.f64 = *result;
	n = mpk_print_float_digits(&value, back);
	return (size_t) n == length + 2 && memcmp(back, digits, length) == 0;
}

/* An integer beyond 64 bits. */
static bool
write_big_integer(mpk_parser *parser, const number *n)
{
	double		v;
	uint8	   *out;

	if (!mpk_digits_to_float64(n->digits, (size_t) (n->end - n->digits), &v))
		return mpk_parse_fail(parser, MPK_ERR_TEXT_RANGE, n->start, INTEGER_RANGE);
	out = mpk_parse_room(parser, 9);
	if (out == NULL)
		return false;
	mpk_writer_advance(parser->out, mpk_put_float64(out, n->negative ? -v : v));
	return true;
}

/* ---- integers ---- */

/* The magnitude of an integer, if 64 bits hold it with its sign. */
static inline bool
integer_magnitude(const number *n, uint64 *magnitude)
{
	*magnitude = n->mantissa;
	if (unlikely(n->left_out))
	{
		unsigned	last = n->end[-1] - '0';

		/* a twentieth digit is all that may have been left out */
		if (n->exponent != 1 || n->mantissa > (PG_UINT64_MAX - last) / 10)
			return false;
		*magnitude = n->mantissa * 10 + last;
	}
	return !n->negative || *magnitude <= (uint64) PG_INT64_MAX + 1;
}

/* What a mark names. */
typedef struct integer_width
{
	uint8		byte;
	uint8		bytes;
	uint64		most;			/* greatest value */
	uint64		least;			/* magnitude of the least one */
	const char *expected;
} integer_width;

static const integer_width integer_widths[] = {
	{MPK_BYTE_UINT8, 1, PG_UINT8_MAX, 0, "an integer from 0 to 255 for the mark _u8"},
	{MPK_BYTE_UINT16, 2, PG_UINT16_MAX, 0, "an integer from 0 to 65535 for the mark _u16"},
	{MPK_BYTE_UINT32, 4, PG_UINT32_MAX, 0, "an integer from 0 to 4294967295 for the mark _u32"},
	{MPK_BYTE_UINT64, 8, PG_UINT64_MAX, 0,
	"an integer from 0 to 18446744073709551615 for the mark _u64"},
	{MPK_BYTE_INT8, 1, PG_INT8_MAX, (uint64) PG_INT8_MAX + 1,
	"an integer from -128 to 127 for the mark _i8"},
	{MPK_BYTE_INT16, 2, PG_INT16_MAX, (uint64) PG_INT16_MAX + 1,
	"an integer from -32768 to 32767 for the mark _i16"},
	{MPK_BYTE_INT32, 4, PG_INT32_MAX, (uint64) PG_INT32_MAX + 1,
	"an integer from -2147483648 to 2147483647 for the mark _i32"},
	{MPK_BYTE_INT64, 8, PG_INT64_MAX, (uint64) PG_INT64_MAX + 1,
	"an integer from -9223372036854775808 to 9223372036854775807 for the mark _i64"}
};

static bool
write_marked_integer(mpk_parser *parser, const number *n, mpk_mark mark)
{
	const integer_width *width = &integer_widths[mark - MPK_MARK_U8];
	uint8	   *out = mpk_parse_room(parser, 9);
	uint64		v;

	if (out == NULL)
		return false;
	if (!integer_magnitude(n, &v) || v > (n->negative ? width->least : width->most))
		return mpk_parse_fail(parser, MPK_ERR_TEXT_RANGE, n->start, width->expected);
	if (n->negative)
		v = 0 - v;
	out[0] = width->byte;
	for (int i = width->bytes; i > 0; i--)
	{
		out[i] = (uint8) v;
		v >>= 8;
	}
	mpk_writer_advance(parser->out, 1 + width->bytes);
	return true;
}

static inline bool
write_integer(mpk_parser *parser, const number *n)
{
	uint8	   *out = mpk_parse_room(parser, 9);
	uint64		magnitude;

	if (unlikely(out == NULL))
		return false;
	if (unlikely(!integer_magnitude(n, &magnitude)))
		return write_big_integer(parser, n);
	mpk_writer_advance(parser->out, n->negative ? mpk_put_int(out, (int64) (0 - magnitude))
					   : mpk_put_uint(out, magnitude));
	return true;
}

/* ---- names ---- */

static bool
parse_name(mpk_parser *parser, const char *name, size_t length)
{
	if ((size_t) (parser->end - parser->p) < length || memcmp(parser->p, name, length) != 0)
		return mpk_parse_fail(parser, MPK_ERR_TEXT_SYNTAX, parser->p, "a value");
	parser->p += length;
	return true;
}

/* Written by their bits: NaN has those that every encoder writes. */
static bool
parse_named_float(mpk_parser *parser, bool negative)
{
	bool		nan = *parser->p == 'N';
	mpk_mark	mark;
	uint8	   *out;

	if (!(nan ? parse_name(parser, "NaN", 3) : parse_name(parser, "Infinity", 8)) ||
		!mpk_parse_mark(parser, FLOAT_MARKS, "the width mark _f32", &mark))
		return false;
	out = mpk_parse_room(parser, 9);
	if (out == NULL)
		return false;
	if (mark == MPK_MARK_F32)
	{
		out[0] = MPK_BYTE_FLOAT32;
		mpk_store32(out + 1, nan ? 0x7fc00000 : negative ? 0xff800000 : 0x7f800000);
		mpk_writer_advance(parser->out, 5);
		return true;
	}
	out[0] = MPK_BYTE_FLOAT64;
	mpk_store64(out + 1, nan ? UINT64CONST(0x7ff8000000000000) :
				negative ? UINT64CONST(0xfff0000000000000) : UINT64CONST(0x7ff0000000000000));
	mpk_writer_advance(parser->out, 9);
	return true;
}

bool
mpk_parse_number(mpk_parser *parser)
{
	number		n = {.start = parser->p};
	mpk_mark	mark = MPK_MARK_NONE;

	n.negative = *parser->p == '-';
	parser->p += n.negative;
	if (parser->p < parser->end &&
		(*parser->p == 'I' || (*parser->p == 'N' && !n.negative)))
		return parse_named_float(parser, n.negative);
	if (!read_number(parser, &n))
		return false;
	if (unlikely(parser->p < parser->end && *parser->p == '_') &&
		!(n.is_float ? mpk_parse_mark(parser, FLOAT_MARKS, "the width mark _f32", &mark)
		  : mpk_parse_mark(parser, INTEGER_MARKS | FLOAT_MARKS,
						   "a width mark: _u8, _u16, _u32, _u64, _i8, _i16, _i32, _i64 or _f32",
						   &mark)))
		return false;
	if (mark == MPK_MARK_F32 || mark == MPK_MARK_F64 || n.is_float)
		return write_float(parser, &n, mark == MPK_MARK_F32);
	return mark == MPK_MARK_NONE ? write_integer(parser, &n)
		: write_marked_integer(parser, &n, mark);
}

/* ---- short numbers ---- */

static inline bool
is_ascii_digit(uint8 c)
{
	return (uint8) (c - '0') <= 9;
}

/* The number that eight digits are, the first in the lowest byte, as numbers from 0 to 9. */
static inline uint32
join_digits(uint64 digits)
{
	/* neighbours to pairs, pairs to fours, fours to all */
	digits = (digits * (10 * 256 + 1)) >> 8;
	digits = ((digits & UINT64CONST(0x00ff00ff00ff00ff)) * (100 * 65536 + 1)) >> 16;
	digits = ((digits & UINT64CONST(0x0000ffff0000ffff)) *
			  (UINT64CONST(10000) * (UINT64CONST(1) << 32) + 1)) >> 32;
	return (uint32) digits;
}

/* Append the digits at p to *v, eight at most.  Returns where they end. */
static inline const uint8 *
take_eight(const uint8 *p, uint64 *v)
{
	static const uint32 powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
	uint64		digits = mpk_load64_le(p) ^ UINT64CONST(0x3030303030303030);
	/* in bytes that are no digit the high bit; above the first of them it may be wrong */
	uint64		other = ((digits + UINT64CONST(0x7676767676767676)) | digits) & MPK_HIGH_BITS;
	int			n = other == 0 ? 8 : pg_rightmost_one_pos64(other) / 8;

	if (n == 0)
		return p;
	*v = *v * powers[n] + join_digits(digits << (64 - 8 * n));
	return p + n;
}

/* The same, sixteen at most. */
static inline const uint8 *
take_sixteen(const uint8 *p, uint64 *v)
{
	const uint8 *end = take_eight(p, v);

	return unlikely(end == p + 8) ? take_eight(end, v) : end;
}

mpk_parse_cursor
mpk_parse_short_number(mpk_parse_cursor c)
{
	bool		negative = *c.p == '-';
	const uint8 *s = c.p + negative;
	uint64		v = 0;
	const uint8 *p = take_sixteen(s, &v);
	int			decimals = 0;

	if (p == s || (*s == '0' && p > s + 1))
		return c;
	if (*p == '.')
	{
		const uint8 *fraction = p + 1;

		p = take_sixteen(fraction, &v);
		decimals = (int) (p - fraction);
		/* 19 digits and the point cannot have overflowed */
		if (decimals == 0 || !EXACT_OPERATIONS || p - s > SAFE_DIGITS + 1 ||
			v > (UINT64CONST(1) << 53))
			return c;
	}
	if (*p != ',' && (is_ascii_digit(*p) || (*p | 0x20) == 'e' || *p == '.' || *p == '_'))
		return c;

	c.p = p;
	if (decimals > 0)
	{
		double		f = (double) v / powers_of_ten[decimals];

		c.out += mpk_put_float64(c.out, negative ? -f : f);
	}
	else if (!negative && v <= PG_INT8_MAX)
		*c.out++ = (uint8) v;
	else
		c.out += negative ? mpk_put_int(c.out, -(int64) v) : mpk_put_uint(c.out, v);
	return c;
}
