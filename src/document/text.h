/*
 * text.h
 *		The text form of a value: JSON, and beside it what JSON cannot say (doc/text.md).
 *
 * Text here is UTF-8, whatever the database's encoding; the faces convert.
 * Parsing writes MessagePack as it reads; printing fills an mpk_text.  Both
 * are one pass and keep an explicit stack.
 */
#ifndef MPK_TEXT_H
#define MPK_TEXT_H

#include "codec/error.h"
#include "codec/format.h"
#include "codec/validate.h"
#include "codec/write.h"

/*
 * Text that grows: a chunk of the memory context that was current at
 * mpk_text_init, with "headroom" bytes free in front (VARHDRSZ for a text
 * datum, 0 for a C string).  The limit, MPK_MAX_ALLOC, is sticky as a
 * writer's is: check "overflow" once, at the end.
 */
typedef struct mpk_text
{
	char	   *buffer;			/* the palloc'd chunk */
	size_t		headroom;
	size_t		length;			/* bytes written */
	size_t		capacity;		/* bytes that fit, a final NUL not counted */
	bool		overflow;		/* something did not fit; the content is of no use */
} mpk_text;

/* Begin, with room for so many bytes (fewer if that would pass the limit). */
extern void mpk_text_init(mpk_text *text, size_t headroom, size_t capacity);

/* Make room for n more bytes.  False, and "overflow", past the limit. */
extern bool mpk_text_grow(mpk_text *text, size_t n);

static inline char *
mpk_text_data(const mpk_text *text)
{
	return text->buffer + text->headroom;
}

/* Room for n more bytes, and a pointer to them; NULL past the limit. */
static inline char *
mpk_text_reserve(mpk_text *text, size_t n)
{
	if (unlikely(text->capacity - text->length < n) && !mpk_text_grow(text, n))
		return NULL;
	return mpk_text_data(text) + text->length;
}

extern void mpk_text_append(mpk_text *text, const void *s, size_t length);

/*
 * How to print.  All zeros is the text form for reading: one line, without
 * width marks, every character as it is.
 */
typedef struct mpk_text_style
{
	bool		marks;			/* with width marks: parses back to the same bytes */
	bool		pretty;			/* a line for each entry, indented by four spaces */

	/*
	 * Can the reader hold this character?  Those that it cannot are printed as
	 * \u escapes (and a bin with one of them as h'').  NULL: it holds all.
	 */
	bool		(*holds) (const uint8 *character, int length, void *arg);
	void	   *holds_arg;
} mpk_text_style;

/*
 * Append the value from p to "end", which lies in a validated payload whose
 * irregularities are "flags" (more than it has do no harm, only cost time).
 * False when the text would pass the limit: text->overflow is set.
 */
extern bool mpk_print(mpk_text *text, const uint8 *p, const uint8 *end, unsigned flags,
					  const mpk_text_style *style);

/*
 * The same as JSON proper, of "marks" and "pretty" neither: what JSON has not
 * becomes a string, NaN and infinities "NaN" and so on, and all else what ->>
 * gives; so do keys.  The payload begins at p, and no map in it repeats keys.
 * On false the error is MPK_ERR_STR_NOT_UTF8, MPK_ERR_KEY_CLASH or
 * MPK_ERR_OUTPUT_TOO_LARGE.
 */
extern bool mpk_print_json(mpk_text *text, const uint8 *p, const uint8 *end, unsigned flags,
						   const mpk_text_style *style, mpk_error *error);

/*
 * Append what ->> gives of a value: a str's or (as "\x00ff") a bin's bytes, a
 * number's digits (never an exponent, a float's always with a fraction: what
 * the jsonb number prints), a timestamp as "2026-11-30T17:13:31.5Z", the text
 * form without width marks of everything else; nil is "null" here.  A str's
 * bytes are appended unchecked.  False past the limit, as mpk_print.
 */
extern bool mpk_print_value_text(mpk_text *text, const mpk_value *value, unsigned flags,
								 const mpk_text_style *style);

/*
 * The digits of a float by its shortest representation that round-trips (of
 * its own width), as "-0.00001" or "1000.0": no exponent, always a fraction;
 * or NaN, Infinity, -Infinity.  Writes no NUL; returns the bytes written, at
 * most MPK_FLOAT_DIGITS.
 */
#define MPK_FLOAT_DIGITS		350
extern int	mpk_print_float_digits(const mpk_value *value, char *out);

/*
 * A float as the text form has it: "1.0", "1e+300", "NaN", "float'7ff8…1'";
 * without the width mark _f32.  At most MPK_FLOAT_TEXT bytes, no NUL.
 */
#define MPK_FLOAT_TEXT			32
extern int	mpk_print_float(const mpk_value *value, char *out);

/* An integer's digits; returns their number.  Room for MPK_INTEGER_TEXT bytes is used; no NUL. */
#define MPK_INTEGER_TEXT		20
extern int	mpk_print_integer(const mpk_value *value, char *out);

/* An upper bound, generous but not the worst case, of the text form of so many payload bytes. */
static inline size_t
mpk_text_estimate(size_t payload_length)
{
	return payload_length + payload_length / 2 + 192;
}

/*
 * Parse s[0 .. length), which must be one value and JSON whitespace around it,
 * and append its MessagePack bytes to the writer.  Sets *flags to the
 * irregularities of what was written, MPK_COMPOUND_KEYS included: what
 * mpk_validate would find.  On false the error's offset is that of the byte
 * of s at fault, and "expected" says what would have been right there.
 *
 * Of equal string keys in one map the last value stands at the first one's
 * place, as in JSON, unless the map is marked {_dup ...}.  Equal keys of other
 * kinds, which JSON does not know, are all kept: the value is irregular.
 *
 * The writer's buffer is not grown while it has MPK_PARSE_SLACK bytes more
 * than what is written.
 */
#define MPK_PARSE_SLACK		128
extern bool mpk_parse_text(const uint8 *s, size_t length, mpk_writer *writer, unsigned *flags,
						   mpk_error *error);

/* The same to an empty writer, and note the layout of what is written in a fresh one. */
extern bool mpk_parse_text_layout(const uint8 *s, size_t length, mpk_writer *writer,
								  unsigned *flags, mpk_layout *layout, mpk_error *error);

/*
 * Bytes written as pairs of hex digits, with whitespace between pairs if need
 * be: what follows "\x".  Appends them to the writer, unchecked.
 */
extern bool mpk_parse_hex(const uint8 *s, size_t length, mpk_writer *writer, mpk_error *error);

/*
 * Is s[0 .. length) a moment as DT'...' writes it, such as
 * 2026-11-30T17:13:31.5Z or with an offset in place of Z, and nothing else?
 */
extern bool mpk_scan_moment(const uint8 *s, size_t length, mpk_timestamp *timestamp);

/* Does the integer that these digits (no sign, any number of them) write survive as a float 64? */
extern bool mpk_digits_to_float64(const uint8 *digits, size_t length, double *result);

#endif							/* MPK_TEXT_H */
