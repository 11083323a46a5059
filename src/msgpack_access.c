/*
 * msgpack_access.c
 *		Reading by key, index and path.
 */
#include "msgpack_access.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "nodes/primnodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

/* --- steps from SQL arguments --- */

void
msgpack_step_text(mpk_step *step, mpk_step_kind kind, const text *t)
{
	size_t		length;
	const uint8 *s = msgpack_utf8_from_text(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t), &length);

	mpk_step_text(step, kind, s, length);
}

msgpack_path
msgpack_path_from_field(Datum argument)
{
	msgpack_path	list = {palloc(sizeof(mpk_step)), 1};

	msgpack_step_text(list.steps, MPK_STEP_FIELD, DatumGetTextPP(argument));
	return list;
}

static msgpack_path
path_from_number(Datum argument)
{
	msgpack_path	list = {palloc(sizeof(mpk_step)), 1};

	mpk_step_number(list.steps, DatumGetInt64(argument));
	return list;
}

static msgpack_path
path_from_key(Datum argument)
{
	msgpack_path	list = {palloc(sizeof(mpk_step)), 1};
	mpk_document key = msgpack_document(argument);

	mpk_step_key(list.steps, &key);
	return list;
}

msgpack_path
msgpack_path_from_array(Datum argument)
{
	msgpack_path	list = {NULL, 0};
	ArrayType  *path = DatumGetArrayTypeP(argument);
	Datum	   *elements;

	if (array_contains_nulls(path))
		return list;
	deconstruct_array(path, TEXTOID, -1, false, TYPALIGN_INT, &elements, NULL, &list.count);
	/* in no document does a path get further, to find that there is nothing more */
	list.count = Min(list.count, MPK_MAX_DEPTH + 1);
	list.steps = palloc(sizeof(mpk_step) * Max(list.count, 1));
	for (int i = 0; i < list.count; i++)
		msgpack_step_text(&list.steps[i], MPK_STEP_PATH, DatumGetTextPP(elements[i]));
	return list;
}

msgpack_path
msgpack_make_path_of_call(FunctionCallInfo fcinfo, msgpack_make_path make)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	MemoryContext old;
	msgpack_site *site;
	int16		length;
	bool		by_value;

	if (flinfo == NULL || flinfo->fn_extra != NULL)
		return make(PG_GETARG_DATUM(1));
	site = msgpack_site_make(flinfo);
	if (!msgpack_is_constant(flinfo, 1))
		return make(PG_GETARG_DATUM(1));
	/* of a copy, since what is in the plan may be toasted, and converting may not copy */
	old = MemoryContextSwitchTo(flinfo->fn_mcxt);
	get_typlenbyval(get_fn_expr_argtype(flinfo, 1), &length, &by_value);
	site->path = make(datumCopy(PG_GETARG_DATUM(1), by_value, length));
	MemoryContextSwitchTo(old);
	return site->path;
}

/* --- following them --- */

/* Where the steps lead in argument 0, or false. */
static inline bool
follow(FunctionCallInfo fcinfo, mpk_cursor *cursor, mpk_spot *spot, msgpack_path list)
{
	bool		found;

	if (list.steps == NULL)
		return false;
	msgpack_cursor_open(cursor, fcinfo, PG_GETARG_DATUM(0));
	found = mpk_spot_root(cursor, spot) &&
		mpk_path_follow(cursor, spot, list.steps, list.count);
	msgpack_cursor_check(cursor);
	return found;
}

/*
 * The value at the spot as a document of its own.  Its tables, if it has some,
 * are its index as they stand (doc/format.md, "Offset index").
 */
static Datum
fragment(mpk_cursor *cursor, const mpk_spot *spot)
{
	const uint8 *start;
	const uint8 *end;
	const uint8 *index;
	size_t		index_length = spot->table_end - spot->table;
	unsigned	flags;

	if (!mpk_spot_bytes(cursor, spot, &start, &end))
		msgpack_cursor_check(cursor);
	flags = msgpack_fragment_flags(cursor->flags, start, end);
	if (index_length == 0)
		return msgpack_from_payload(start, end - start, flags);
	index = mpk_cursor_get(cursor, spot->table, index_length);
	msgpack_cursor_check(cursor);
	return msgpack_from_parts(start, end - start, flags, index, index_length);
}

Datum
msgpack_extract(FunctionCallInfo fcinfo, msgpack_path path)
{
	mpk_cursor	cursor;
	mpk_spot	spot;

	if (!follow(fcinfo, &cursor, &spot, path))
		PG_RETURN_NULL();
	if (spot.place == cursor.payload)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	PG_RETURN_DATUM(fragment(&cursor, &spot));
}

static Datum
extract(FunctionCallInfo fcinfo, msgpack_make_path make)
{
	return msgpack_extract(fcinfo, msgpack_path_of_call(fcinfo, make));
}

#ifdef MPK_USE_SSE2
/* A str of up to 15 bytes, of which 16 can be read, as text; NULL when there is a NUL among them. */
static inline text *
short_str_as_text(const uint8 *s, uint32 length)
{
	__m128i		bytes = _mm_loadu_si128((const __m128i *) s);
	int			nuls = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
	text	   *result;

	if ((nuls & ((1 << length) - 1)) != 0)
		return NULL;
	result = palloc(VARHDRSZ + 16);
	_mm_storeu_si128((__m128i *) VARDATA(result), bytes);
	SET_VARSIZE(result, VARHDRSZ + length);
	return result;
}
#endif

/*
 * A str of up to 255 bytes, in memory, as text: without the calls that other
 * values take.  NULL when it is none such, or one to be refused.
 */
static inline text *
str_as_text(const mpk_cursor *cursor, const mpk_spot *spot)
{
	size_t		room = spot->limit - spot->place;
	size_t		head = 1;
	size_t		length;
	const uint8 *p;

	if (cursor->fetch != NULL)
		return NULL;
	p = cursor->bytes + spot->place;
	if (!(mpk_is_fixstr(*p) || *p == MPK_BYTE_STR8) || room < 2 ||
		(cursor->flags & MPK_INVALID_UTF8) != 0 || GetDatabaseEncoding() != PG_UTF8)
		return NULL;
	length = *p == MPK_BYTE_STR8 ? p[head++] : *p & MPK_MAX_FIXSTR;
#ifdef MPK_USE_SSE2
	if (length < 16 && cursor->end - spot->place >= head + 16)
		return short_str_as_text(p + head, length);
#endif
	if (length > room - head || memchr(p + head, '\0', length) != NULL)
		return NULL;
	return cstring_to_text_with_len((const char *) p + head, (int) length);
}

Datum
msgpack_extract_as_text(FunctionCallInfo fcinfo, msgpack_path path)
{
	mpk_cursor	cursor;
	mpk_spot	spot;
	mpk_value	value;
	const uint8 *end;
	text	   *result;

	if (!follow(fcinfo, &cursor, &spot, path))
		PG_RETURN_NULL();
	result = str_as_text(&cursor, &spot);
	if (likely(result != NULL))
		PG_RETURN_TEXT_P(result);
	if (!mpk_spot_read(&cursor, &spot, &value))
		msgpack_cursor_check(&cursor);
	/* of a container only the head is sure to be there, and its end is not sure to be right */
	if (mpk_is_container(value.kind) && !mpk_spot_bytes(&cursor, &spot, &value.start, &end))
		msgpack_cursor_check(&cursor);
	if (value.kind == MPK_NIL)
		PG_RETURN_NULL();
	if (value.kind == MPK_STR)
		PG_RETURN_TEXT_P(msgpack_text_from_str(&value, cursor.flags));
	PG_RETURN_TEXT_P(msgpack_value_text(&value, cursor.flags));
}

static Datum
extract_text(FunctionCallInfo fcinfo, msgpack_make_path make)
{
	return msgpack_extract_as_text(fcinfo, msgpack_path_of_call(fcinfo, make));
}

bool
msgpack_find_value(FunctionCallInfo fcinfo, msgpack_path path, mpk_value *value, unsigned *flags)
{
	mpk_cursor	cursor;
	mpk_spot	spot;

	if (!follow(fcinfo, &cursor, &spot, path))
		return false;
	if (!mpk_spot_read(&cursor, &spot, value))
		msgpack_cursor_check(&cursor);
	*flags = cursor.flags;
	return true;
}

/* --- the operators -> and ->>, #> and #>> --- */

PG_FUNCTION_INFO_V1(msgpack_object_field);

Datum
msgpack_object_field(PG_FUNCTION_ARGS)
{
	return extract(fcinfo, msgpack_path_from_field);
}

PG_FUNCTION_INFO_V1(msgpack_object_field_text);

Datum
msgpack_object_field_text(PG_FUNCTION_ARGS)
{
	return extract_text(fcinfo, msgpack_path_from_field);
}

PG_FUNCTION_INFO_V1(msgpack_array_element);

Datum
msgpack_array_element(PG_FUNCTION_ARGS)
{
	return extract(fcinfo, path_from_number);
}

PG_FUNCTION_INFO_V1(msgpack_array_element_text);

Datum
msgpack_array_element_text(PG_FUNCTION_ARGS)
{
	return extract_text(fcinfo, path_from_number);
}

PG_FUNCTION_INFO_V1(msgpack_extract_path);

Datum
msgpack_extract_path(PG_FUNCTION_ARGS)
{
	return extract(fcinfo, msgpack_path_from_array);
}

PG_FUNCTION_INFO_V1(msgpack_extract_path_text);

Datum
msgpack_extract_path_text(PG_FUNCTION_ARGS)
{
	return extract_text(fcinfo, msgpack_path_from_array);
}

/* --- keys of any type --- */

PG_FUNCTION_INFO_V1(msgpack_get);

Datum
msgpack_get(PG_FUNCTION_ARGS)
{
	return extract(fcinfo, path_from_key);
}

PG_FUNCTION_INFO_V1(msgpack_has);

Datum
msgpack_has(PG_FUNCTION_ARGS)
{
	mpk_cursor	cursor;
	mpk_spot	spot;

	PG_RETURN_BOOL(follow(fcinfo, &cursor, &spot, msgpack_path_of_call(fcinfo, path_from_key)));
}

/* --- counting --- */

PG_FUNCTION_INFO_V1(msgpack_array_length);

Datum
msgpack_array_length(PG_FUNCTION_ARGS)
{
	mpk_cursor	cursor;
	mpk_spot	spot;
	mpk_kind	kind;
	uint32		count;

	msgpack_cursor_open(&cursor, fcinfo, PG_GETARG_DATUM(0));
	if (!mpk_spot_root(&cursor, &spot) || !mpk_spot_count(&cursor, &spot, &kind, &count))
	{
		msgpack_cursor_check(&cursor);
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot get array length of a scalar")));
	}
	if (kind != MPK_ARRAY)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot get array length of a non-array")));
	PG_RETURN_INT32((int32) count);
}
