/*
 * msgpack_from_jsonb.c
 *		jsonb as msgpack.
 *
 * The jsonb container is walked by its own entry array, in its order, and
 * written as it is met.  What msgpack cannot hold is a fault; the walk stops
 * at the first one, and the frames of the containers that are open then give
 * the path to it.
 */
#include "msgpack.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "codec/utf8.h"
#include "msgpack_numeric.h"

PG_FUNCTION_INFO_V1(msgpack_from_jsonb);
PG_FUNCTION_INFO_V1(jsonb_to_msgpack);
PG_FUNCTION_INFO_V1(jsonb_msgpack_check);

/* Digits of a number that an error shows. */
#define SHOWN_DIGITS	60

/* A string of up to so many bytes is copied as a block of that size. */
#define BLOCK			32

/* What becomes of a number that msgpack has no exact number for. */
typedef enum number_rule
{
	NUMBERS_EXACT,				/* an error */
	NUMBERS_ROUND,				/* the nearest float 64 */
	NUMBERS_STRING				/* a string of its digits */
} number_rule;

static const char *const number_rules[] = {"exact", "round", "string", NULL};

typedef enum fault
{
	FAULT_NONE,
	FAULT_NUMBER,				/* no msgpack number has these digits */
	FAULT_RANGE,				/* no float 64 is near */
	FAULT_DEPTH,				/* a container too deep */
	FAULT_ENCODING				/* a string that is not UTF-8 */
} fault;

/* An open container, and the element, or pair, that is being looked at. */
typedef struct frame
{
	const struct frame *up;
	JsonbContainer *container;
	uint32		index;
	int			depth;
} frame;

typedef struct encoder
{
	mpk_writer	writer;
	mpk_layout	layout;			/* of what is written */
	number_rule numbers;
	bool		is_utf8;		/* strings need neither check nor conversion */
	const char *end;			/* of the jsonb */

	fault		fault;
	ArrayType  *path;			/* to the fault */
	char	   *number;			/* its digits */
} encoder;

/* ----- faults ----- */

static text *
frame_step(const frame *at)
{
	JsonbContainer *container = at->container;
	char		digits[12];

	if (JsonContainerIsObject(container))
	{
		char	   *base = (char *) &container->children[JsonContainerSize(container) * 2];

		return cstring_to_text_with_len(base + getJsonbOffset(container, at->index),
										getJsonbLength(container, at->index));
	}
	return cstring_to_text_with_len(digits, pg_ultoa_n(at->index, digits));
}

/* The steps from the root, as #> takes them. */
static ArrayType *
frame_path(const frame *at)
{
	Datum		steps[MPK_MAX_DEPTH];
	int			count = at == NULL ? 0 : at->depth;

	/* a scalar's own array is no step */
	if (at != NULL && JsonContainerIsScalar(at->container))
		count = 0;
	for (int i = count - 1; i >= 0; i--, at = at->up)
		steps[i] = PointerGetDatum(frame_step(at));
	return construct_array(steps, count, TEXTOID, -1, false, TYPALIGN_INT);
}

static bool
fail(encoder *enc, fault fault, const frame *at)
{
	enc->fault = fault;
	enc->path = frame_path(at);
	return false;
}

static bool
fail_number(encoder *enc, fault fault, const frame *at, char *digits)
{
	enc->number = digits;
	return fail(enc, fault, at);
}

/* The array as array_out has it. */
static char *
path_text(ArrayType *path)
{
	Oid			output;
	bool		varlena;

	getTypeOutputInfo(TEXTARRAYOID, &output, &varlena);
	return OidOutputFunctionCall(output, PointerGetDatum(path));
}

/* The digits, cut where they are many. */
static const char *
shown_digits(const char *digits)
{
	if (strlen(digits) <= SHOWN_DIGITS)
		return digits;
	return psprintf("%.*s...", SHOWN_DIGITS, digits);
}

static void
raise_fault(const encoder *enc)
{
	switch (enc->fault)
	{
		case FAULT_NONE:
			break;
		case FAULT_NUMBER:
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("number %s cannot be converted to msgpack exactly",
							shown_digits(enc->number)),
					 errdetail("At path %s.", path_text(enc->path)),
					 errhint("Use jsonb_to_msgpack() with numbers => 'round' for the nearest "
							 "float, or numbers => 'string' to keep the digits.")));
			break;
		case FAULT_RANGE:
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("number %s is out of range for type msgpack",
							shown_digits(enc->number)),
					 errdetail("At path %s.", path_text(enc->path)),
					 errhint("Use jsonb_to_msgpack() with numbers => 'string' "
							 "to keep the digits.")));
			break;
		case FAULT_DEPTH:
			ereport(ERROR,
					(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
					 errmsg("jsonb value is nested too deeply for type msgpack"),
					 errdetail("A msgpack value is at most %d deep.", MPK_MAX_DEPTH)));
			break;
		case FAULT_ENCODING:
			ereport(ERROR,
					(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
					 errmsg("string that is not UTF-8 cannot be converted to msgpack"),
					 errdetail("At path %s.", path_text(enc->path))));
			break;
	}
}

/* ----- scalars ----- */

/* From another encoding than UTF-8; SQL_ASCII holds any bytes, so they are checked. */
static pg_noinline bool
write_foreign_string(encoder *enc, const char *s, uint32 length, const frame *at)
{
	size_t		utf8_length;
	const uint8 *utf8;

	if (GetDatabaseEncoding() == PG_SQL_ASCII)
	{
		if (!mpk_is_utf8((const uint8 *) s, length))
			return fail(enc, FAULT_ENCODING, at);
		mpk_write_str(&enc->writer, s, length);
		return true;
	}
	utf8 = msgpack_utf8_from_text(s, (int) length, &utf8_length);
	mpk_write_str(&enc->writer, utf8, utf8_length);
	if (utf8 != (const uint8 *) s)
		pfree(unconstify(uint8 *, utf8));
	return true;
}

/* Of UTF-8, one that is no short one in the midst of the document. */
static pg_noinline bool
write_long_string(encoder *enc, const char *s, uint32 length)
{
	mpk_write_str(&enc->writer, s, length);
	return true;
}

static pg_attribute_always_inline bool
write_string(encoder *enc, const char *s, uint32 length, const frame *at)
{
	uint8	   *p;

	if (unlikely(!enc->is_utf8))
		return write_foreign_string(enc, s, length, at);
	if (unlikely(length >= BLOCK || (size_t) (enc->end - s) < BLOCK))
		return write_long_string(enc, s, length);
	/* a block of known size is copied without a call; what it has too much is overwritten */
	p = mpk_writer_reserve(&enc->writer, 1 + BLOCK);
	if (likely(p != NULL))
	{
		p[0] = (uint8) (MPK_FIXSTR | length);
		memcpy(p + 1, s, BLOCK);
		mpk_writer_advance(&enc->writer, 1 + length);
	}
	return true;
}

/* A number that msgpack has not, by the rule for them. */
static bool
write_odd_number(encoder *enc, void *numeric, const mpk_value *rounded,
				 msgpack_numeric_fit fit, const frame *at)
{
	char	   *digits;

	if (enc->numbers == NUMBERS_ROUND && fit == MSGPACK_NUMERIC_ROUNDED)
	{
		mpk_write_float64(&enc->writer, rounded->as.f64);
		return true;
	}
	digits = DatumGetCString(DirectFunctionCall1(numeric_out, PointerGetDatum(numeric)));
	if (enc->numbers == NUMBERS_STRING)
	{
		mpk_write_str(&enc->writer, digits, strlen(digits));
		pfree(digits);
		return true;
	}
	return fail_number(enc, enc->numbers == NUMBERS_ROUND ? FAULT_RANGE : FAULT_NUMBER, at,
					   digits);
}

/* Any number. */
static pg_noinline bool
write_large_number(encoder *enc, char *numeric, const frame *at)
{
	mpk_value	value;
	msgpack_numeric_fit fit;

	/* jsonb holds them with a long header only, but its own readers take any */
	if (unlikely(!VARATT_IS_4B_U(numeric)))
		numeric = (char *) DatumGetNumeric(PointerGetDatum(numeric));
	fit = msgpack_numeric_read(numeric, &value);
	if (unlikely(fit != MSGPACK_NUMERIC_EXACT))
		return write_odd_number(enc, numeric, &value, fit, at);
	if (value.kind == MPK_UINT)
		mpk_write_uint(&enc->writer, value.as.u64);
	else if (value.kind == MPK_INT)
		mpk_write_int(&enc->writer, value.as.i64);
	else
		mpk_write_float64(&enc->writer, value.as.f64);
	return true;
}

static pg_attribute_always_inline bool
write_number(encoder *enc, char *numeric, const frame *at)
{
	unsigned	small;

	/* small integers, by far the most frequent */
	if (!msgpack_numeric_is_small(numeric, &small))
		return write_large_number(enc, numeric, at);
	mpk_write_uint(&enc->writer, small);
	return true;
}

/* ----- containers ----- */

static bool write_container(encoder *enc, JsonbContainer *container, const frame *up);

/* The value with this entry, from "offset" to "next" of the container's data. */
static pg_attribute_always_inline bool
write_entry(encoder *enc, JEntry entry, char *base, uint32 offset, uint32 next, const frame *at)
{
	switch (entry & JENTRY_TYPEMASK)
	{
		case JENTRY_ISSTRING:
			return write_string(enc, base + offset, next - offset, at);
		case JENTRY_ISNUMERIC:
			return write_number(enc, base + INTALIGN(offset), at);
		case JENTRY_ISBOOL_FALSE:
			mpk_write_boolean(&enc->writer, false);
			return true;
		case JENTRY_ISBOOL_TRUE:
			mpk_write_boolean(&enc->writer, true);
			return true;
		case JENTRY_ISNULL:
			mpk_write_nil(&enc->writer);
			return true;
		case JENTRY_ISCONTAINER:
			return write_container(enc, (JsonbContainer *) (base + INTALIGN(offset)), at);
		default:
			elog(ERROR, "unknown jsonb entry type: 0x%08x", entry);
	}
}

static bool
write_object(encoder *enc, JsonbContainer *object, frame *at)
{
	uint32		count = JsonContainerSize(object);
	JEntry	   *entries = object->children;
	char	   *base = (char *) &entries[(size_t) count * 2];
	uint32		key_offset = 0;
	uint32		value_offset = getJsonbOffset(object, count);

	mpk_write_map_head(&enc->writer, count);
	for (uint32 i = 0; i < count; i++)
	{
		uint32		next = key_offset;

		at->index = i;
		JBE_ADVANCE_OFFSET(next, entries[i]);
		if (!write_string(enc, base + key_offset, next - key_offset, at))
			return false;
		key_offset = next;

		next = value_offset;
		JBE_ADVANCE_OFFSET(next, entries[i + count]);
		if (!write_entry(enc, entries[i + count], base, value_offset, next, at))
			return false;
		value_offset = next;
	}
	return true;
}

static bool
write_elements(encoder *enc, JsonbContainer *array, frame *at)
{
	uint32		count = JsonContainerSize(array);
	JEntry	   *entries = array->children;
	char	   *base = (char *) &entries[count];
	uint32		offset = 0;

	/* a scalar stands in an array of its own */
	if (!JsonContainerIsScalar(array))
		mpk_write_array_head(&enc->writer, count);
	for (uint32 i = 0; i < count; i++)
	{
		uint32		next = offset;

		at->index = i;
		JBE_ADVANCE_OFFSET(next, entries[i]);
		if (!write_entry(enc, entries[i], base, offset, next, at))
			return false;
		offset = next;
	}
	return true;
}

/* Recursion is bounded by MPK_MAX_DEPTH. */
static bool
write_container(encoder *enc, JsonbContainer *container, const frame *up)
{
	frame		at = {up, container, 0, up == NULL ? 1 : up->depth + 1};
	size_t		start = enc->writer.length;
	bool		map = JsonContainerIsObject(container);

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (at.depth > MPK_MAX_DEPTH)
		return fail(enc, FAULT_DEPTH, up);
	if (!(map ? write_object(enc, container, &at) : write_elements(enc, container, &at)))
		return false;
	/* a scalar's own array is none */
	if (!JsonContainerIsScalar(container))
		mpk_layout_add(&enc->layout, start, enc->writer.length, map,
					   JsonContainerSize(container));
	return true;
}

/* Write the document; false at the first fault, which enc then holds. */
static bool
encode(encoder *enc, Jsonb *doc, number_rule numbers)
{
	enc->numbers = numbers;
	enc->is_utf8 = GetDatabaseEncoding() == PG_UTF8;
	enc->end = (const char *) doc + VARSIZE(doc);
	enc->fault = FAULT_NONE;
	mpk_layout_init(&enc->layout);
	/* no value is longer in msgpack than in jsonb, but for strings of 64 KB and more by a byte */
	mpk_writer_init(&enc->writer, VARSIZE(doc) + VARSIZE(doc) / PG_UINT16_MAX + 2 * BLOCK);
	return write_container(enc, &doc->root, NULL);
}

static Datum
convert(Jsonb *doc, number_rule numbers)
{
	encoder		enc;
	Datum		result;

	if (!encode(&enc, doc, numbers))
		raise_fault(&enc);
	result = msgpack_from_laid_writer(&enc.writer, 0, &enc.layout);
	mpk_layout_free(&enc.layout);
	return result;
}

/* ----- SQL functions ----- */

Datum
msgpack_from_jsonb(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(convert(PG_GETARG_JSONB_P(0), NUMBERS_EXACT));
}

Datum
jsonb_to_msgpack(PG_FUNCTION_ARGS)
{
	Jsonb	   *doc = PG_GETARG_JSONB_P(0);
	int			numbers = msgpack_option("numbers", PG_GETARG_TEXT_PP(1), number_rules);

	PG_RETURN_DATUM(convert(doc, (number_rule) numbers));
}

Datum
jsonb_msgpack_check(PG_FUNCTION_ARGS)
{
	encoder		enc;

	if (encode(&enc, PG_GETARG_JSONB_P(0), NUMBERS_EXACT))
		PG_RETURN_NULL();
	PG_RETURN_ARRAYTYPE_P(enc.path);
}
