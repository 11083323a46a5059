/*
 * text_print_str.c
 *		Strings in double quotes, escaped where they must be.
 *
 * They are copied in blocks of 16 bytes while they are searched for what must
 * be escaped.
 */
#include "codec/port.h"

#include "codec/utf8.h"
#include "document/text.h"
#include "document/text_internal.h"
#include "document/text_scan.h"

/* A str with something to escape is printed in runs of so many bytes. */
#define ESCAPE_RUN		4096

static const char hex_digits[] = "0123456789abcdef";

static char *
put_u_escape(char *out, uint32 unit)
{
	out = MPK_PUT(out, "\\u");
	for (int shift = 12; shift >= 0; shift -= 4)
		*out++ = hex_digits[(unit >> shift) & 15];
	return out;
}

/* The short escape letters; other controls are \u00xx. */
static const char escape_letter[0x60] = {
	['\b'] = 'b',['\t'] = 't',['\n'] = 'n',['\f'] = 'f',['\r'] = 'r',['"'] = '"',['\\'] = '\\'
};

static inline char *
put_escaped(char *out, uint8 c)
{
	if (escape_letter[c] == 0)
		return put_u_escape(out, c);
	out[0] = '\\';
	out[1] = escape_letter[c];
	return out + 2;
}

/*
 * Copy to "out", which has 16 bytes more than needed, until a byte must be
 * escaped or the end; returns the bytes copied.
 */
static inline size_t
copy_clean(char *out, const uint8 *s, size_t length)
{
	size_t		i = 0;

	for (; i + 16 <= length; i += 16)
	{
		unsigned	special = mpk_special_bytes(s + i, '"');

		mpk_copy16(out + i, s + i);
		if (unlikely(special != 0))
			return i + pg_rightmost_one_pos32(special);
	}
	if (i + 8 <= length && !mpk_word_has_special(mpk_word(s + i), '"'))
	{
		memcpy(out + i, s + i, 8);
		i += 8;
	}
	for (; i < length; i++)
	{
		if (mpk_is_special(s[i], '"'))
			return i;
		out[i] = (char) s[i];
	}
	return length;
}

/* The rest of a str, from its first byte to be escaped on, without the closing quote. */
static bool
print_escaped(mpk_printer *pr, const uint8 *s, size_t length)
{
	while (length > 0)
	{
		size_t		run = Min(length, ESCAPE_RUN);
		const uint8 *end = s + run;
		char	   *out = mpk_text_reserve(pr->text, 6 * run + 16);

		MPK_CHECK_FOR_INTERRUPTS();
		if (out == NULL)
			return false;
		length -= run;
		while (s < end)
		{
			size_t		clean = copy_clean(out, s, (size_t) (end - s));

			s += clean;
			out += clean;
			if (s < end)
				out = put_escaped(out, *s++);
		}
		mpk_text_end_at(pr->text, out);
	}
	return true;
}

/* As print_escaped, for a reader that may lack characters; a character at a time. */
static bool
print_held(mpk_printer *pr, const uint8 *s, size_t length)
{
	const uint8 *end = s + length;

	while (s < end)
	{
		char	   *out = mpk_text_reserve(pr->text, 12);
		uint32		c = 0;
		int			n = mpk_utf8_decode(s, end, &c);

		MPK_CHECK_FOR_INTERRUPTS();
		if (out == NULL)
			return false;
		n = Max(n, 1);
		if (n == 1 && mpk_is_special(*s, '"'))
			out = put_escaped(out, *s);
		else if (n == 1 || pr->style->holds(s, n, pr->style->holds_arg))
			out = mpk_put(out, (const char *) s, n);
		else if (c < 0x10000)
			out = put_u_escape(out, c);
		else
		{
			out = put_u_escape(out, 0xd800 + ((c - 0x10000) >> 10));
			out = put_u_escape(out, 0xdc00 + ((c - 0x10000) & 0x3ff));
		}
		mpk_text_end_at(pr->text, out);
		s += n;
	}
	return true;
}

/* Two overlapping halves cover a string of 4 to 16 bytes without reading or writing beyond it. */
static inline bool
copy_short_clean(char *out, const uint8 *s, size_t length)
{
	if (length >= 8)
	{
		uint64		head = mpk_word(s);
		uint64		tail = mpk_word(s + length - 8);

		memcpy(out, &head, 8);
		memcpy(out + length - 8, &tail, 8);
		return !mpk_word_has_special(head, '"') && !mpk_word_has_special(tail, '"');
	}
	if (length >= 4)
	{
		uint32		head;
		uint32		tail;

		memcpy(&head, s, 4);
		memcpy(&tail, s + length - 4, 4);
		memcpy(out, &head, 4);
		memcpy(out + length - 4, &tail, 4);
		return !mpk_word_has_special((uint64) head << 32 | tail, '"');
	}
	for (size_t i = 0; i < length; i++)
	{
		out[i] = (char) s[i];
		if (mpk_is_special(s[i], '"'))
			return false;
	}
	return true;
}

/* Over 16 bytes: blocks, the last of them overlapping the one before it. */
static inline bool
copy_long_clean(char *out, const uint8 *s, size_t length)
{
	unsigned	special = 0;

	for (size_t i = 0; i + 16 < length; i += 16)
	{
		special |= mpk_special_bytes(s + i, '"');
		mpk_copy16(out + i, s + i);
	}
	special |= mpk_special_bytes(s + length - 16, '"');
	mpk_copy16(out + length - 16, s + length - 16);
	return special == 0;
}

bool
mpk_print_str(mpk_printer *pr, const uint8 *s, size_t length)
{
	char	   *out = mpk_text_reserve(pr->text, length + MPK_VALUE_ROOM);
	bool		printed;

	if (unlikely(out == NULL))
		return false;
	*out++ = '"';
	if (likely(pr->style->holds == NULL) &&
		likely(length <= 16 ? copy_short_clean(out, s, length) : copy_long_clean(out, s, length)))
	{
		out[length] = '"';
		pr->text->length += length + 2;
		return true;
	}
	pr->text->length++;
	printed = pr->style->holds == NULL ? print_escaped(pr, s, length) : print_held(pr, s, length);
	mpk_text_append(pr->text, "\"", 1);
	return printed && !pr->text->overflow;
}
