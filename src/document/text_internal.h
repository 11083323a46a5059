/*
 * text_internal.h
 *		What the files of the text form share among themselves.
 */
#ifndef MPK_TEXT_INTERNAL_H
#define MPK_TEXT_INTERNAL_H

#include "codec/keys.h"
#include "document/order.h"
#include "document/text.h"

/* ---- printing ---- */

/* Beside the bytes of a value: separator, quotes, prefix, mark, and a block of slack. */
#define MPK_VALUE_ROOM		96

/* A container being printed. */
typedef struct mpk_print_frame
{
	uint64		left;			/* elements, or keys and values, not begun yet */
	bool		is_map;
} mpk_print_frame;

/* A key and the head of a value: so much is read without looking for the end. */
#define MPK_PRINT_ROOMY		(32 + 33)

typedef struct mpk_printer
{
	mpk_text   *text;
	const mpk_text_style *style;
	const uint8 *end;			/* of the value */
	const uint8 *roomy;			/* below, MPK_PRINT_ROOMY bytes may be read */
	unsigned	flags;			/* irregularities of the document */
	mpk_order  *order;			/* which maps repeat keys; NULL: none does */
	int			depth;
	uint8		tail[2 * MPK_PRINT_ROOMY];	/* a copy of the end of the value, and zero bytes */
	mpk_print_frame frames[MPK_MAX_DEPTH];
} mpk_printer;

/* A value that is no container. */
extern bool mpk_print_scalar(mpk_printer *pr, const mpk_value *value);

/* A str that is UTF-8, in double quotes. */
extern bool mpk_print_str(mpk_printer *pr, const uint8 *s, size_t length);

/* prefix'hex' */
extern bool mpk_print_hex(mpk_printer *pr, const char *prefix, const uint8 *s, size_t length);

/* Is the value's head the shortest, so that it needs no width mark? */
extern bool mpk_head_is_shortest(const mpk_value *value);

/* Decimal digits of v; returns their number, at most 20.  Fewer than 8 are written as 8 bytes. */
extern int	mpk_put_digits(char *out, uint64 v);

/* Two lower-case hex digits a byte; returns the bytes written. */
extern size_t mpk_put_hex(char *out, const uint8 *s, size_t length);

/* A NaN with the bits that every encoder writes: printed by name. */
extern bool mpk_nan_is_usual(const mpk_value *value);

/* The text ends where a pointer into its room has got to. */
static inline void
mpk_text_end_at(mpk_text *text, const char *end)
{
	text->length = (size_t) (end - mpk_text_data(text));
}

static inline char *
mpk_put(char *out, const char *s, size_t length)
{
	memcpy(out, s, length);
	return out + length;
}

#define MPK_PUT(out, literal)	mpk_put(out, literal, sizeof(literal) - 1)

/* ---- parsing ---- */

/* A container being parsed. */
typedef struct mpk_parse_frame
{
	size_t		place;			/* its head, in the output */
	mpk_key_row *row;			/* map: its keys, after those of the one before, if it has slots */
	uint32		first_key;		/* map: where its keys begin in mpk_parser.keys */
	uint32		slots;			/* of the row, or 0 */
	uint32		known;			/* so many of them hold keys of one map, distinct */
	uint32		count;			/* elements, or pairs, so far */
	uint8		head;			/* bytes of the head that are written: 1, 3 or 5 */
	bool		is_map;
	bool		is_key;			/* is itself a key of the map around it */
	bool		dup;			/* map: marked _dup, repeated keys stay */
	bool		new_keys;		/* map: not all keys are those of the one before */
} mpk_parse_frame;

/* Where reading and writing have got to; handed around by value, to stay in registers. */
typedef struct mpk_parse_cursor
{
	const uint8 *p;
	uint8	   *out;
} mpk_parse_cursor;

/*
 * A number of up to 16 digits before the point, and 16 after it, without
 * exponent and mark, of which MPK_SHORT_NUMBER bytes may be read and 9
 * written.  The cursor does not move when it is another one, or none.
 */
#define MPK_SHORT_NUMBER	40
extern mpk_parse_cursor mpk_parse_short_number(mpk_parse_cursor c);

/*
 * With so many bytes of text ahead, a key and a value that are short are read
 * without looking for the end of the text.
 */
#define MPK_PARSE_ROOMY		(33 + 3 + MPK_SHORT_NUMBER)

/* Rows of keys by depth, but for the outermost map, which none follows. */
#define MPK_PARSE_ROWS			16

typedef struct mpk_parser
{
	const uint8 *start;			/* of the text, or of its tail */
	size_t		passed;			/* bytes of text before "start" */
	const uint8 *end;
	const uint8 *p;				/* what comes next */
	mpk_writer *out;
	mpk_error  *error;
	unsigned	flags;			/* irregularities so far */
	bool		recheck;		/* the flags must be found anew, by mpk_validate */
	mpk_layout *layout;			/* to be filled in, or NULL */

	mpk_key_stack keys;			/* of the maps that are open, as places in the output */

	/* keys as the text has them, from the opening quote to the colon */
	mpk_key_row rows[MPK_PARSE_ROWS];
	uint8		known[MPK_PARSE_ROWS];

	uint8		tail[2 * MPK_PARSE_ROOMY];	/* a copy of the end of the text, and zero bytes */
	mpk_parse_frame frames[1 + MPK_MAX_DEPTH];	/* the first is what is around the value */
} mpk_parser;

/* Encodings of one value, as width marks name them; 0 when there is no mark. */
typedef enum mpk_mark
{
	MPK_MARK_NONE,
	MPK_MARK_8,
	MPK_MARK_16,
	MPK_MARK_32,
	MPK_MARK_64,
	MPK_MARK_96,
	MPK_MARK_U8,
	MPK_MARK_U16,
	MPK_MARK_U32,
	MPK_MARK_U64,
	MPK_MARK_I8,
	MPK_MARK_I16,
	MPK_MARK_I32,
	MPK_MARK_I64,
	MPK_MARK_F32,
	MPK_MARK_F64
} mpk_mark;

#define MPK_MARK_BIT(mark)		(1u << (mark))
#define MPK_LENGTH_MARKS \
	(MPK_MARK_BIT(MPK_MARK_8) | MPK_MARK_BIT(MPK_MARK_16) | MPK_MARK_BIT(MPK_MARK_32))

/*
 * Every mpk_parse_* reads one thing at parser->p, writes it, and leaves p
 * after it; or returns false with the error filled in.
 */
extern bool mpk_parse_fail(mpk_parser *parser, mpk_errcode code, const uint8 *at,
						   const char *expected);

/* The text is wrong at parser->p. */
static inline bool
mpk_parse_fail_syntax(mpk_parser *parser, const char *expected)
{
	return mpk_parse_fail(parser, MPK_ERR_TEXT_SYNTAX, parser->p, expected);
}

/* Room for n more bytes of output, or NULL with the error filled in. */
extern uint8 *mpk_parse_room(mpk_parser *parser, size_t n);

/* A width mark, if one follows; "allowed" has a bit for each that may stand here. */
extern bool mpk_parse_mark(mpk_parser *parser, unsigned allowed, const char *expected,
						   mpk_mark *mark);

/*
 * A str, bin or ext whose body of "length" bytes was put MPK_PARSE_GAP bytes
 * past the end of the output (any head fits the gap): read the width mark, if
 * one follows, and write it for good.
 */
#define MPK_PARSE_GAP			6
extern bool mpk_parse_finish(mpk_parser *parser, mpk_kind kind, int8 code, size_t length);

/* The same when the mark is known; the length fits it. */
extern bool mpk_parse_put(mpk_parser *parser, mpk_kind kind, int8 code, size_t length,
						  mpk_mark mark);

/* A string in double quotes, whatever is in it; p is at the opening one. */
extern bool mpk_parse_str(mpk_parser *parser);

/* A number: it begins with a digit, "-", "N" or "I". */
extern bool mpk_parse_number(mpk_parser *parser);

/* A value with a prefix: h'' b64'' '' str'' float'' DT'' ext(). */
extern bool mpk_parse_prefixed(mpk_parser *parser);

/* Between the quotes of DT'': a timestamp. */
extern bool mpk_parse_moment(mpk_parser *parser, mpk_timestamp *timestamp);

/* The value of a hex digit, or -1. */
static inline int
mpk_hex_value(uint8 c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Write the head of a str, bin or ext in the width that a mark asks for; room for 9 bytes. */
extern int	mpk_put_marked_head(uint8 *out, mpk_kind kind, int8 code, uint32 length,
								mpk_mark mark);

/* Can a head of the marked width count so much? */
static inline bool
mpk_mark_holds(mpk_mark mark, size_t length)
{
	return mark == MPK_MARK_8 ? length <= PG_UINT8_MAX :
		mark == MPK_MARK_16 ? length <= PG_UINT16_MAX : true;
}

/* The map of the innermost frame is read: see to its repeated keys. */
extern void mpk_parse_settle_keys(mpk_parser *parser, mpk_parse_frame *frame);

static inline bool
mpk_is_word(uint8 c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Bytes of the word that begins at s: a mark's name must match it whole. */
static inline size_t
mpk_word_length(const mpk_parser *parser, const uint8 *s)
{
	const uint8 *p = s;

	while (p < parser->end && mpk_is_word(*p))
		p++;
	return (size_t) (p - s);
}

static inline bool
mpk_is_space(uint8 c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static inline void
mpk_parse_space(mpk_parser *parser)
{
	for (; parser->p < parser->end && mpk_is_space(*parser->p); parser->p++)
		MPK_CHECK_FOR_INTERRUPTS_AT(parser->p);
}

/* The byte at hand, or 0 at the end (a NUL in the text fits nowhere either). */
static inline uint8
mpk_parse_peek(const mpk_parser *parser)
{
	return parser->p < parser->end ? *parser->p : 0;
}

#endif							/* MPK_TEXT_INTERNAL_H */
