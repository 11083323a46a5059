/*
 * text_parse.c
 *		The parser of the text form: its structure, short strings and literals.
 *
 * One pass, straight into the output.  A container is opened by a one-byte
 * placeholder for its head and closed when its count is known; an explicit
 * stack holds those that are open.  Strings of any kind are text_parse_str.c,
 * numbers text_parse_number.c, values with a prefix text_parse_prefixed.c,
 * repeated keys text_keys.c.
 */
#include "codec/port.h"

#include "codec/utf8.h"
#include "document/text.h"
#include "document/text_internal.h"
#include "document/text_scan.h"

/* ---- helpers ---- */

bool
mpk_parse_fail(mpk_parser *parser, mpk_errcode code, const uint8 *at, const char *expected)
{
	if (parser->error != NULL)
	{
		parser->error->code = code;
		parser->error->offset = parser->passed + (size_t) (at - parser->start);
		parser->error->expected = expected;
	}
	return false;
}

uint8 *
mpk_parse_room(mpk_parser *parser, size_t n)
{
	uint8	   *out = mpk_writer_reserve(parser->out, n);

	if (likely(out != NULL && !parser->out->overflow))
		return out;
	mpk_parse_fail(parser, MPK_ERR_TEXT_TOO_LARGE, parser->p, NULL);
	return NULL;
}

/* ---- short strings ---- */

/*
 * A string of up to 31 bytes, none of them escaped, without a mark: the fixstr
 * that it is.  The cursor does not move when it is another string.  Most keys
 * end within the first 16 bytes; values are long or short as it happens, so
 * that 32 are looked at without asking.
 */
static pg_attribute_always_inline mpk_parse_cursor
parse_short_str(mpk_parse_cursor c, bool is_key)
{
	const uint8 *s = c.p + 1;
	mpk_scan16	scan;
	uint32		quote;
	uint32		other;			/* what only the general routine can do */
	uint32		high;
	uint32		within;			/* a bit for each byte up to the quote */
	int			length;

	scan = mpk_scan_bytes(s, '"');
	quote = scan.quote;
	other = scan.other;
	high = scan.high;
	mpk_copy16(c.out + 1, s);
	if (!is_key || quote == 0)
	{
		scan = mpk_scan_bytes(s + 16, '"');
		quote |= scan.quote << 16;
		other |= scan.other << 16;
		high |= scan.high << 16;
		mpk_copy16(c.out + 17, s + 16);
	}
	if (quote == 0)
		return c;
	within = quote ^ (quote - 1);
	length = pg_rightmost_one_pos32(quote);
	if ((other & within) != 0 || s[length + 1] == '_')
		return c;
	if (unlikely((high & within) != 0) && !mpk_is_utf8_short(s, length, high & within))
		return c;
	*c.out = (uint8) (MPK_FIXSTR | length);
	c.out += 1 + length;
	c.p = s + length + 1;
	return c;
}

static inline void
push_key(mpk_parser *parser, const uint8 *out, uint16 print)
{
	if (unlikely(parser->keys.used >= parser->keys.room))
		mpk_key_stack_grow(&parser->keys, 1);
	mpk_key_stack_push(&parser->keys, (uint32) (out - mpk_writer_data(parser->out)), print);
}

/* Stands for the text of keys that are not compared. */
static const uint8 no_text[16];

/*
 * The key that begins at "out", and its print, as far as that is known.  In the
 * text it is this one, of so many bytes from the quote to the colon, if it may
 * be compared with the next map's.
 */
static inline void
note_key(mpk_parser *parser, mpk_parse_frame *frame, const uint8 *out, uint16 print,
		 const uint8 *text, size_t size)
{
	uint32		slot = parser->keys.used - frame->first_key;

	if (slot < frame->slots)
		mpk_key_row_put(frame->row, slot, text, (uint8) Min(size, MPK_UNCOMPARED), print);
	frame->new_keys = true;
	push_key(parser, out, print);
}

/* A key that is such a string, which is noted. */
static inline mpk_parse_cursor
parse_short_key(mpk_parser *parser, mpk_parse_cursor c, mpk_parse_frame *frame)
{
	const uint8 *s = c.p + 1;
	mpk_parse_cursor next = parse_short_str(c, true);
	size_t		length = next.out - c.out - 1;

	if (unlikely(next.p == c.p))
		return c;
	note_key(parser, frame, c.out, likely(length <= MPK_PRINT_STR) ?
			 mpk_future_str_print(s, (uint32) length) : mpk_key_print(c.out),
			 c.p, likely(*next.p == ':') ? length + 3 : MPK_UNCOMPARED);
	return next;
}

/*
 * The key that stood at this place in the map before, and its colon.  The
 * cursor does not move when it is another one.
 */
static inline mpk_parse_cursor
parse_known_key(mpk_parser *parser, mpk_parse_cursor c, const mpk_parse_frame *frame)
{
	const mpk_key_row *row = frame->row;
	uint32		slot = parser->keys.used - frame->first_key;
	uint32		size;

	if (slot >= frame->known || !mpk_key_row_matches(row, slot, c.p))
		return c;
	size = row->sizes[slot];
	push_key(parser, c.out, row->prints[slot]);
	/* the head stands for the first quote; the other, and the colon, are written over */
	mpk_copy16(c.out, c.p);
	*c.out = (uint8) (MPK_FIXSTR | (size - 3));
	c.out += size - 2;
	c.p += size;
	return c;
}

/* ---- literals ---- */

static bool
parse_literal(mpk_parser *parser, const char *word, size_t length, uint8 byte)
{
	uint8	   *out;

	if ((size_t) (parser->end - parser->p) < length || memcmp(parser->p, word, length) != 0)
		return mpk_parse_fail_syntax(parser, "a value");
	out = mpk_parse_room(parser, 1);
	if (out == NULL)
		return false;
	*out = byte;
	mpk_writer_advance(parser->out, 1);
	parser->p += length;
	return true;
}

#define LITERAL(parser, word, byte)	parse_literal(parser, word, sizeof(word) - 1, byte)

/* ---- containers ---- */

/* The marks after an opening bracket. */
static bool
parse_container_marks(mpk_parser *parser, mpk_parse_frame *frame)
{
	static const struct
	{
		char		word[8];
		uint8		head;
		bool		dup;
	}			marks[] = {
		{"_16", 3, false}, {"_32", 5, false},
		{"_dup", 1, true}, {"_16_dup", 3, true}, {"_32_dup", 5, true}
	};
	size_t		length = mpk_word_length(parser, parser->p);

	for (size_t i = 0; i < lengthof(marks); i++)
	{
		if (strnlen(marks[i].word, sizeof(marks[i].word)) == length &&
			memcmp(marks[i].word, parser->p, length) == 0 && (frame->is_map || !marks[i].dup))
		{
			frame->head = marks[i].head;
			frame->dup = marks[i].dup;
			parser->p += length;
			return true;
		}
	}
	return mpk_parse_fail_syntax(parser, frame->is_map ? "a mark: _16, _32, _dup, _16_dup or _32_dup"
					   : "a width mark: _16 or _32");
}

/* The head of a container whose content is complete, over its placeholder. */
static bool
write_head(mpk_parser *parser, const mpk_parse_frame *frame)
{
	uint8	   *head = mpk_writer_data(parser->out) + frame->place;

	switch (frame->head)
	{
		case 3:
			if (frame->count > PG_UINT16_MAX)
				return mpk_parse_fail(parser, MPK_ERR_TEXT_RANGE, parser->p,
									  "no more than 65535 entries under the width mark _16");
			head[0] = frame->is_map ? MPK_BYTE_MAP16 : MPK_BYTE_ARRAY16;
			mpk_store16(head + 1, (uint16) frame->count);
			return true;
		case 5:
			head[0] = frame->is_map ? MPK_BYTE_MAP32 : MPK_BYTE_ARRAY32;
			mpk_store32(head + 1, frame->count);
			return true;
		default:
			if (likely(frame->count < 16))
				*head = (uint8) ((frame->is_map ? MPK_FIXMAP : MPK_FIXARRAY) | frame->count);
			else if (frame->is_map)
				mpk_write_close_map(parser->out, frame->place, frame->count);
			else
				mpk_write_close_array(parser->out, frame->place, frame->count);
			return true;
	}
}

/* ---- the loop ---- */

static inline void
leave(mpk_parser *parser, mpk_parse_cursor c)
{
	parser->p = c.p;
	parser->out->length = (size_t) (c.out - mpk_writer_data(parser->out));
}

static inline mpk_parse_cursor
enter(mpk_parser *parser)
{
	mpk_parse_cursor c = {parser->p, mpk_writer_data(parser->out) + parser->out->length};

	return c;
}

static inline const uint8 *
past_space(const uint8 *p, const uint8 *end)
{
	for (; unlikely(p < end && *p <= ' ' && mpk_is_space(*p)); p++)
		MPK_CHECK_FOR_INTERRUPTS_AT(p);
	return p;
}

/* The byte at p, or 0 at the end. */
static inline uint8
peek(const uint8 *p, const uint8 *end)
{
	return likely(p < end) ? *p : 0;
}

/* What one turn of the loop writes without asking for room: a container's head, a short value. */
#define TURN_ROOM		MPK_PARSE_SLACK

/* Output after which to look for a query cancel. */
#define INTERRUPT_BYTES	(256 * 1024)

/* Up to where the output may get before the loop asks for room. */
static inline uint8 *
output_limit(const mpk_parser *parser)
{
	const mpk_writer *out = parser->out;
	size_t		left = out->capacity - out->length;

	return out->buffer + MPK_WRITER_HEADROOM + out->length +
		(left < TURN_ROOM ? 0 : Min(left - TURN_ROOM, INTERRUPT_BYTES));
}

/* Room for a turn, and for some to come. */
static bool
make_room(mpk_parser *parser)
{
	MPK_CHECK_FOR_INTERRUPTS();
	return mpk_parse_room(parser, 2 * TURN_ROOM) != NULL;
}

/* A value that is no container, through the parser's own p. */
static bool
parse_scalar(mpk_parser *parser, bool is_key)
{
	switch (mpk_parse_peek(parser))
	{
		case '"':
			return mpk_parse_str(parser);
		case '-':
		case '0':
		case '1':
		case '2':
		case '3':
		case '4':
		case '5':
		case '6':
		case '7':
		case '8':
		case '9':
		case 'N':
		case 'I':
			return mpk_parse_number(parser);
		case 't':
			return LITERAL(parser, "true", MPK_BYTE_TRUE);
		case 'n':
			return LITERAL(parser, "null", MPK_BYTE_NIL);
		case 'f':
			if (parser->end - parser->p < 2 || parser->p[1] != 'l')
				return LITERAL(parser, "false", MPK_BYTE_FALSE);
			return mpk_parse_prefixed(parser);
		case '\'':
		case 'h':
		case 'b':
		case 's':
		case 'D':
		case 'e':
			return mpk_parse_prefixed(parser);
		default:
			return mpk_parse_fail_syntax(parser, is_key ? "a key" : "a value");
	}
}

/* A key that is no container, through the parser's own p. */
static bool
parse_any_key(mpk_parser *parser, mpk_parse_frame *frame)
{
	size_t		place = parser->out->length;

	note_key(parser, frame, mpk_writer_data(parser->out) + place, 0, no_text, MPK_UNCOMPARED);
	if (!parse_scalar(parser, true))
		return false;
	if (likely(!parser->out->overflow))
		mpk_key_stack_set_print(&parser->keys,
								mpk_key_print(mpk_writer_data(parser->out) + place));
	return true;
}

static inline mpk_parse_cursor
put_literal(mpk_parse_cursor c, size_t length, uint8 byte)
{
	*c.out++ = byte;
	c.p += length;
	return c;
}

/* A value that documents are made of most.  The cursor does not move for all else. */
static pg_attribute_always_inline mpk_parse_cursor
parse_short_value(mpk_parse_cursor c)
{
	if (*c.p == '"')
		return parse_short_str(c, false);
	if (*c.p <= '9')
		return mpk_parse_short_number(c);
	if (memcmp(c.p, "true", 4) == 0)
		return put_literal(c, 4, MPK_BYTE_TRUE);
	if (memcmp(c.p, "false", 5) == 0)
		return put_literal(c, 5, MPK_BYTE_FALSE);
	if (memcmp(c.p, "null", 4) == 0)
		return put_literal(c, 4, MPK_BYTE_NIL);
	return c;
}

/*
 * In a roomy place: the key that is due, and the value after it; or the value.
 * Goes as far as both are short and spaced as usual; *is_key tells what is due
 * then, or with *complete what was read last.
 */
static pg_attribute_always_inline mpk_parse_cursor
parse_roomy(mpk_parser *parser, mpk_parse_cursor c, mpk_parse_frame *frame, bool *is_key,
			bool *complete)
{
	mpk_parse_cursor next;

	if (*is_key)
	{
		next = parse_known_key(parser, c, frame);
		if (next.p == c.p)
		{
			if (unlikely(*c.p != '"'))
				return c;
			next = parse_short_key(parser, c, frame);
			*complete = next.p != c.p;
			if (unlikely(*next.p != ':' || !*complete))
				return next;
			next.p++;
		}
		*is_key = false;
		c = next;
		if (likely(*c.p == ' '))
			c.p++;
	}
	next = parse_short_value(c);
	*complete = next.p != c.p;
	return next;
}

/* Where the keys of a map are put, to be compared with those of the next one. */
static inline void
choose_row(mpk_parser *parser, mpk_parse_frame *frame)
{
	ptrdiff_t	row = frame - parser->frames - 2;

	frame->slots = 0;
	frame->known = 0;
	if (row >= 0 && row < MPK_PARSE_ROWS)
	{
		frame->row = &parser->rows[row];
		frame->slots = MPK_ROW_KEYS;
		frame->known = parser->known[row];
	}
}

/* At an opening bracket: fill in the frame of the container, and skip its placeholder. */
static inline mpk_parse_cursor
open_container(mpk_parser *parser, mpk_parse_cursor c, mpk_parse_frame *frame, bool is_key)
{
	const uint8 *end = parser->end;

	/* of a key that is a container the print does not matter */
	if (unlikely(is_key))
		note_key(parser, frame - 1, c.out, 0, no_text, MPK_UNCOMPARED);
	frame->place = (size_t) (c.out - mpk_writer_data(parser->out));
	frame->first_key = parser->keys.used;
	frame->count = 0;
	frame->head = 1;
	frame->is_map = *c.p++ == '{';
	frame->is_key = is_key;
	frame->dup = false;
	frame->new_keys = false;
	if (frame->is_map)
		choose_row(parser, frame);
	if (unlikely(peek(c.p, end) == '_'))
	{
		parser->p = c.p;
		if (!parse_container_marks(parser, frame))
		{
			c.p = NULL;
			return c;
		}
		c.p = parser->p;
	}
	c.out += frame->head;
	c.p = past_space(c.p, end);
	return c;
}

/* The container is complete, its head longer by so many bytes than when it was opened. */
static pg_noinline void
add_to_layout(mpk_parser *parser, const mpk_parse_frame *frame, size_t moved)
{
	if (unlikely(frame->is_key))
		mpk_layout_spoil(parser->layout);
	if (unlikely(moved > 0))
		mpk_layout_move(parser->layout, frame->place, (uint32) moved);
	mpk_layout_add(parser->layout, frame->place, parser->out->length, frame->is_map,
				   frame->count);
}

/* At the closing bracket of the innermost container; p is NULL on error. */
static inline mpk_parse_cursor
close_container(mpk_parser *parser, mpk_parse_cursor c, mpk_parse_frame *frame)
{
	size_t		length;

	leave(parser, c);
	if (frame->is_map)
		mpk_parse_settle_keys(parser, frame);
	length = parser->out->length;
	if (!write_head(parser, frame))
	{
		c.p = NULL;
		return c;
	}
	if (parser->layout != NULL)
		add_to_layout(parser, frame, parser->out->length - length);
	parser->p++;
	return enter(parser);
}

/* What should have followed a value in the container, or a key. */
static bool
fail_after(mpk_parser *parser, const uint8 *at, const mpk_parse_frame *frame, bool is_key)
{
	return mpk_parse_fail(parser, MPK_ERR_TEXT_SYNTAX, at,
						  is_key ? "\":\"" :
						  frame->is_map ? "\",\" or \"}\"" : "\",\" or \"]\"");
}

/*
 * From the end of a value, or of a key, to where the next one is due, closing
 * the containers that end on the way; p is NULL on error.
 */
static pg_attribute_always_inline mpk_parse_cursor
parse_between(mpk_parser *parser, mpk_parse_cursor c, mpk_parse_frame **frame, bool *is_key)
{
	const uint8 *end = parser->end;

	while (*frame != parser->frames)
	{
		mpk_parse_frame *top = *frame;
		uint8		byte;

		c.p = past_space(c.p, end);
		byte = peek(c.p, end);
		if (*is_key)
		{
			if (unlikely(byte != ':'))
				break;
			*is_key = false;
			c.p++;
			return c;
		}
		top->count++;
		if (byte == ',')
		{
			*is_key = top->is_map;
			c.p++;
			return c;
		}
		if (unlikely(byte != (top->is_map ? '}' : ']')))
			break;
		*is_key = top->is_key;
		*frame = top - 1;
		c = close_container(parser, c, top);
		if (unlikely(c.p == NULL))
			return c;
	}
	if (unlikely(*frame != parser->frames))
	{
		fail_after(parser, c.p, *frame, *is_key);
		c.p = NULL;
	}
	return c;
}

/* Go on in a copy of the rest of the text, in which all places are roomy.  Returns its start. */
static const uint8 *
enter_tail(mpk_parser *parser, const uint8 *p)
{
	size_t		length = (size_t) (parser->end - p);

	Assert(length <= MPK_PARSE_ROOMY);
	memcpy(parser->tail, p, length);
	memset(parser->tail + length, 0, MPK_PARSE_ROOMY);
	parser->passed += (size_t) (p - parser->start);
	parser->start = parser->tail;
	parser->end = parser->tail + length;
	return parser->tail;
}

/* One value, and whitespace before it.  frames[0] stands for what is around it. */
static bool
parse_one(mpk_parser *parser)
{
	const uint8 *end = parser->end;
	const uint8 *roomy = end - Min((size_t) (end - parser->p), MPK_PARSE_ROOMY);
	mpk_parse_frame *frame = parser->frames;
	mpk_parse_cursor c = enter(parser);
	uint8	   *limit = output_limit(parser);
	bool		is_key = false; /* is what is due, or was read last, a key? */

	do
	{
		mpk_parse_frame *outer = frame;
		bool		complete = false;

		/*
		 * Most spaces come one at a time.  A branch, which is foreseen: p must
		 * not wait for the byte.
		 */
		if (likely(c.p < end && *c.p == ' '))
			c.p++;
		c.p = past_space(c.p, end);
		if (unlikely(c.out >= limit))
		{
			leave(parser, c);
			if (!make_room(parser))
				return false;
			c = enter(parser);
			limit = output_limit(parser);
		}
		if (unlikely(c.p >= roomy))
		{
			c.p = enter_tail(parser, c.p);
			end = parser->end;
			roomy = end + 1;
		}
		c = parse_roomy(parser, c, frame, &is_key, &complete);
		if (!complete)
		{
			c.p = past_space(c.p, end);
			if ((peek(c.p, end) | 0x20) == '{')
			{
				if (unlikely(frame == parser->frames + MPK_MAX_DEPTH))
					return mpk_parse_fail(parser, MPK_ERR_TEXT_TOO_DEEP, c.p, NULL);
				c = open_container(parser, c, ++frame, is_key);
				if (unlikely(c.p == NULL))
					return false;
				is_key = frame->is_map;
				if (peek(c.p, end) != (is_key ? '}' : ']'))
					continue;
				frame->count--; /* what follows counts what it takes for a value */
				is_key = false;
			}
			else
			{
				leave(parser, c);
				if (!(is_key ? parse_any_key(parser, frame) : parse_scalar(parser, false)))
					return false;
				c = enter(parser);
				limit = output_limit(parser);
			}
		}
		c = parse_between(parser, c, &frame, &is_key);
		if (unlikely(c.p == NULL))
			return false;
		/* the head of what was closed may have grown the buffer */
		if (frame < outer)
			limit = output_limit(parser);
	} while (frame != parser->frames);
	leave(parser, c);
	return true;
}

/* All of the text: one value, and nothing but whitespace around it. */
static bool
parse_all(mpk_parser *parser, size_t place)
{
	mpk_writer *out = parser->out;

	if (!parse_one(parser))
		return false;
	mpk_parse_space(parser);
	if (parser->p < parser->end)
		return mpk_parse_fail(parser, MPK_ERR_TEXT_TRAILING, parser->p, "the end of the input");
	if (out->overflow || out->length > MPK_MAX_PAYLOAD)
		return mpk_parse_fail(parser, MPK_ERR_TEXT_TOO_LARGE, parser->p, NULL);
	if (!parser->recheck)
		return true;
	if (parser->layout != NULL)
		mpk_layout_spoil(parser->layout);
	return mpk_validate(mpk_writer_data(out) + place, out->length - place, &parser->flags,
						parser->error);
}

bool
mpk_parse_text_layout(const uint8 *s, size_t length, mpk_writer *writer, unsigned *flags,
					  mpk_layout *layout, mpk_error *error)
{
	mpk_parser	parser;
	bool		parsed;

	/* the frames are not initialized: only what depth covers is ever read */
	parser.start = s;
	parser.passed = 0;
	parser.end = s + length;
	parser.p = s;
	parser.out = writer;
	parser.error = error;
	parser.flags = 0;
	parser.recheck = false;
	parser.layout = layout;
	mpk_key_stack_init(&parser.keys);
	memset(parser.known, 0, sizeof(parser.known));
	/* the last turn asks for as much room as any */
	writer->limit = MPK_MAX_PAYLOAD + 2 * TURN_ROOM;
	parsed = parse_all(&parser, writer->length);
	writer->limit = MPK_MAX_PAYLOAD;
	mpk_key_stack_free(&parser.keys);
	/* as mpk_validate: a repeated key found answers what compound keys leave open */
	if ((parser.flags & MPK_REPEATED_KEYS) != 0)
		parser.flags &= ~MPK_COMPOUND_KEYS;
	*flags = parser.flags;
	return parsed;
}

bool
mpk_parse_text(const uint8 *s, size_t length, mpk_writer *writer, unsigned *flags,
			   mpk_error *error)
{
	return mpk_parse_text_layout(s, length, writer, flags, NULL, error);
}
