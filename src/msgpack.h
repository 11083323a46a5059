/*
 * msgpack.h
 *		The msgpack type as the server sees it: Datums in, Datums out, errors raised.
 *
 * Every SQL function of the type includes this.  Reading goes through
 * msgpack_document ("the MessagePack bytes of this datum, and its flags");
 * making goes through msgpack_from_writer and msgpack_from_payload, which
 * every new value ends with.
 */
#ifndef MSGPACK_H
#define MSGPACK_H

#include "compat.h"

#include "codec/error.h"
#include "codec/format.h"
#include "codec/write.h"
#include "document/stored.h"
#include "document/text.h"

/*
 * The document in a msgpack datum, detoasted in the current context if need
 * be.  Raises XX001 on a header that no version wrote.
 */
extern mpk_document msgpack_document(Datum datum);

/*
 * The outline of a document: its lengths and flags are right, but only so many
 * first bytes of its payload are there (zeros after a shorter one's end), and
 * of its header none.  Fetches no more of a value in TOAST than that takes;
 * raises XX001 as msgpack_document does.
 */
extern mpk_document msgpack_outline(Datum datum, size_t payload_bytes);

#define PG_GETARG_MSGPACK(n)	msgpack_document(PG_GETARG_DATUM(n))

/*
 * A datum of a payload with its irregularities and its offset index (document/
 * index.h) of so many bytes, 0 when it has none; copies.  Only for who has the
 * index already: all others take msgpack_from_payload, which builds it.
 */
extern Datum msgpack_from_parts(const uint8 *payload, size_t length, unsigned flags,
								const uint8 *index, size_t index_length);

/*
 * A datum of a payload that is known to be valid, with its irregularities;
 * copies.  For payloads of our own making that are regular, flags are 0.
 */
extern Datum msgpack_from_payload(const uint8 *payload, size_t length, unsigned flags);

/* The same where the layout (codec/layout.h) is known, so that the index is made sooner. */
extern Datum msgpack_from_laid_payload(const uint8 *payload, size_t length, unsigned flags,
									   const mpk_layout *layout);

/*
 * The same of a finished writer, without a copy where the form is plain; the
 * writer is spent.  Raises 54000 when it overflowed.
 */
extern Datum msgpack_from_writer(mpk_writer *writer, unsigned flags);

/* The same where the layout is known. */
extern Datum msgpack_from_laid_writer(mpk_writer *writer, unsigned flags,
									  const mpk_layout *layout);

/* The irregularities of a part of a document that has these. */
extern unsigned msgpack_fragment_flags(unsigned flags, const uint8 *start, const uint8 *end);

/*
 * A datum of a value inside a document: a fragment.  Irregularities are found
 * anew when the document has any.
 */
extern Datum msgpack_fragment(const mpk_document *document, const uint8 *start, const uint8 *end);

/*
 * The document, or a copy of it in the current context that repeats no keys (the
 * last of equal ones counts), whose index is left out.
 */
extern mpk_document msgpack_distinct(const mpk_document *document);

/* The same as a datum, with its index. */
extern Datum msgpack_distinct_datum(const mpk_document *document);

/* The irregularities of a payload that is known to be valid, found anew. */
extern unsigned msgpack_find_flags(const uint8 *payload, size_t length);

/*
 * Check bytes from outside and make a datum of them; copies.  On invalid bytes
 * the error goes to escontext (soft where the server can), and the result is 0.
 */
extern Datum msgpack_admit(const uint8 *data, size_t length, Node *escontext);

/* Raise, or report softly, what a lower layer found in MessagePack bytes. */
extern void msgpack_report(const mpk_error *error, const uint8 *data, size_t length,
						   Node *escontext);

/*
 * The same of text input, as UTF-8: says what was expected, at which character
 * and what is there instead.
 */
extern void msgpack_report_text(const mpk_error *error, const uint8 *utf8, size_t length,
								Node *escontext);

/* Raise what cannot be blamed on input bytes: MPK_ERR_CORRUPT, MPK_ERR_OUTPUT_TOO_*. */
pg_noreturn extern void msgpack_raise(const mpk_error *error);

/*
 * The server makes wide characters of a string, in one allocation, to search it
 * by words or by a regular expression: raise an error (54000) if it has too many
 * bytes for that.  "what" is what it is searched for.
 */
extern void msgpack_check_wide(size_t length, const char *what);

/* The message of a code, as it is in errors, untranslated. */
extern const char *msgpack_error_message(mpk_errcode code);

/*
 * The path to byte "offset" of data, which may be broken, in characters that
 * the database has (document/locate.h); NULL when it lies after the object.
 */
extern char *msgpack_path_to(const uint8 *data, size_t length, size_t offset);

/*
 * The place in "choices", which ends with NULL, of the value given for an
 * argument; raises 22023 naming the argument and the choices when it is none
 * of them.
 */
extern int	msgpack_option(const char *argument, const text *value, const char *const *choices);

/* The name of a kind as msgpack_typeof gives it. */
extern const char *msgpack_kind_name(mpk_kind kind);

/*
 * A str's or bin's bytes as text in the database's encoding.  Raises 22P05 for
 * NUL, 22021 for bytes that are not UTF-8 or that the encoding lacks.
 */
extern text *msgpack_text_from_utf8(const uint8 *s, size_t length);

/* The same of a str in a document with these irregularities: sooner where all are UTF-8. */
extern text *msgpack_text_from_str(const mpk_value *value, unsigned flags);

/* Can the database hold the bytes of a str, in a document with these irregularities, as text? */
extern bool msgpack_is_text(const mpk_value *value, unsigned flags);

/* The database's text as UTF-8: *length bytes, palloc'd or the input itself. */
extern const uint8 *msgpack_utf8_from_text(const char *s, int length, size_t *utf8_length);

/*
 * What ->> gives of a value that is not nil, in the database's encoding;
 * "flags" are the irregularities of its document.  Raises what
 * msgpack_text_from_utf8 does of a str, 54000 past 1 GB.
 */
extern text *msgpack_value_text(const mpk_value *value, unsigned flags);

/* A value of text that is known to be JSON, in the database's encoding; raises what input does. */
extern Datum msgpack_from_json_text(const char *s, size_t length);

/* mpk_print_json, or the like of it */
typedef bool (*msgpack_printer) (mpk_text *text, const uint8 *p, const uint8 *end,
								 unsigned flags, const mpk_text_style *style, mpk_error *error);

/*
 * Print the value of "length" bytes at p to an empty text, in the database's
 * encoding, with a NUL after it; characters that it lacks as \u escapes.
 * False with the printer's error (which may be NULL), or past the limit.
 */
extern bool msgpack_render(mpk_text *text, const uint8 *p, size_t length, unsigned flags,
						   mpk_text_style *style, msgpack_printer print, mpk_error *error);

/* A rendered text, its headroom VARHDRSZ, as a datum; the mpk_text is spent. */
extern text *msgpack_text_datum(mpk_text *rendered);

#endif							/* MSGPACK_H */
