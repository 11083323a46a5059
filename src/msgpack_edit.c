/*
 * msgpack_edit.c
 *		Edits: set, insert, delete, strip, and the operators - and #-.
 *
 * Errors, and what is no error, are jsonb's.
 */
#include "msgpack_edit.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "document/regular.h"
#include "msgpack_access.h"

/* ----------
 * Edits of datums
 * ----------
 */

/* The text of the step at which an edit failed, as the database has it. */
static char *
step_text(const mpk_edit *edit)
{
	const mpk_value *key = &edit->steps[edit->level].key;

	return text_to_cstring(msgpack_text_from_utf8(key->body, key->length));
}

void
msgpack_raise_edit(mpk_edit_result result, const mpk_edit *edit)
{
	mpk_error	error = {MPK_ERR_OUTPUT_TOO_DEEP, 0, NULL};
	int			position = edit->level + 1;

	switch (result)
	{
		case MPK_EDIT_NULL_STEP:
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("path element at position %d is null", position)));
			break;
		case MPK_EDIT_NO_INDEX:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					 errmsg("path element at position %d is not an integer: \"%s\"",
							position, step_text(edit))));
			break;
		case MPK_EDIT_OUT_OF_RANGE:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("path element at position %d is out of range: %lld",
							position, (long long) edit->steps[edit->level].index)));
			break;
		case MPK_EDIT_KEY_EXISTS:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("cannot replace existing key"),
					 errhint("Try using the function msgpack_set to replace key value.")));
			break;
		case MPK_EDIT_SCALAR:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("cannot replace existing key"),
					 errdetail("The path assumes key is a composite object, "
							   "but it is a scalar value.")));
			break;
		case MPK_EDIT_TOO_DEEP:
		case MPK_EDITED:
		case MPK_EDIT_UNCHANGED:
			break;
	}
	Assert(result == MPK_EDIT_TOO_DEEP);
	msgpack_raise(&error);
}

Datum
msgpack_edited(mpk_writer *writer, unsigned flags)
{
	/* what was irregular may have gone */
	if ((flags & MPK_IRREGULAR) != 0 && !writer->overflow)
		flags = msgpack_find_flags(mpk_writer_data(writer), writer->length);
	return msgpack_from_writer(writer, flags & MPK_IRREGULAR);
}

/* The datum of a regular document that was edited: its index comes out of the old one. */
static Datum
spliced(mpk_writer *writer, const mpk_edit *edit)
{
	const uint8 *payload = mpk_writer_data(writer);
	mpk_index	index;
	Datum		result;

	if (edit->change.path == NULL || writer->overflow ||
		!mpk_index_splice(&index, payload, writer->length, &edit->change))
		return msgpack_from_writer(writer, 0);
	result = msgpack_from_parts(payload, writer->length, 0, mpk_index_bytes(&index),
								index.length);
	mpk_index_free(&index);
	pfree(writer->buffer);
	return result;
}

/* Room for gaps and heads; more grows. */
#define SPARE_ROOM	64

Datum
msgpack_edit_datum(Datum datum, const mpk_document *document, mpk_edit *edit)
{
	size_t		value_length = edit->value != NULL ? edit->value->length : 0;
	unsigned	value_flags = edit->value != NULL ? edit->value->flags : 0;
	mpk_writer	writer;
	mpk_edit_result result;

	mpk_writer_init(&writer, document->length + value_length + SPARE_ROOM);
	result = mpk_edit_path(&writer, document, edit);
	if (result == MPK_EDITED && ((document->flags | value_flags) & MPK_IRREGULAR) == 0)
		return spliced(&writer, edit);
	if (result == MPK_EDITED)
		return msgpack_edited(&writer, document->flags | value_flags);
	pfree(writer.buffer);
	if (result != MPK_EDIT_UNCHANGED)
		msgpack_raise_edit(result, edit);
	return datum;
}

/* ----------
 * Paths
 * ----------
 */

static void
check_one_dimension(const ArrayType *array)
{
	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("wrong number of array subscripts")));
}

/* An edit of this kind at the end of a path. */
static mpk_edit
edit_at(ArrayType *path, mpk_edit_kind kind, const mpk_document *value)
{
	mpk_edit	edit = {.kind = kind,.null_level = -1,.value = value};
	mpk_step   *steps;
	Datum	   *elements;
	bool	   *nulls;
	int			count;

	deconstruct_array(path, TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &edit.count);
	/* in no document does a path get further */
	count = Min(edit.count, MPK_MAX_DEPTH + 1);
	steps = palloc(Max(count, 1) * sizeof(mpk_step));
	for (int i = 0; i < count; i++)
	{
		if (nulls[i])
		{
			edit.null_level = i;
			break;				/* no edit gets further */
		}
		msgpack_step_text(&steps[i], MPK_STEP_PATH, DatumGetTextPP(elements[i]));
	}
	edit.steps = steps;
	return edit;
}

/* The document's count; -1 when it is a scalar. */
static int64
root_count(const mpk_document *document, mpk_kind *kind)
{
	mpk_value	value;

	mpk_read(document->payload, &value);
	*kind = value.kind;
	return mpk_is_container(value.kind) ? (int64) value.length : -1;
}

static void
raise_scalar(const char *message)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s", _(message))));
}

/* What jsonb_set and its kin do: "empty" tells whether there is nothing to do in an empty root. */
static Datum
edit_path(Datum datum, ArrayType *path, mpk_edit_kind kind, const mpk_document *value,
		  const char *scalar_message)
{
	mpk_document document;
	mpk_edit	edit;
	mpk_kind	root;
	int64		count;

	check_one_dimension(path);
	document = msgpack_document(datum);
	count = root_count(&document, &root);
	if (count < 0)
		raise_scalar(scalar_message);
	/* not even an element that is NULL is an error in a root that is empty */
	if (count == 0 && (kind == MPK_EDIT_REPLACE || kind == MPK_EDIT_DELETE))
		return datum;
	edit = edit_at(path, kind, value);
	if (edit.count == 0)
		return datum;
	return msgpack_edit_datum(datum, &document, &edit);
}

static Datum
set_path(FunctionCallInfo fcinfo, mpk_edit_kind kind)
{
	mpk_document value = PG_GETARG_MSGPACK(2);

	return edit_path(PG_GETARG_DATUM(0), PG_GETARG_ARRAYTYPE_P(1), kind, &value,
					 gettext_noop("cannot set path in scalar"));
}

static Datum
delete_path(FunctionCallInfo fcinfo)
{
	return edit_path(PG_GETARG_DATUM(0), PG_GETARG_ARRAYTYPE_P(1), MPK_EDIT_DELETE, NULL,
					 gettext_noop("cannot delete path in scalar"));
}

/* ----------
 * msgpack_set, msgpack_set_lax, msgpack_insert, #-
 * ----------
 */

PG_FUNCTION_INFO_V1(msgpack_set);

Datum
msgpack_set(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(set_path(fcinfo, PG_GETARG_BOOL(3) ? MPK_EDIT_SET : MPK_EDIT_REPLACE));
}

/* What becomes of an SQL NULL as the new value. */
static const char *const null_treatments[] = {
	"raise_exception", "use_json_null", "delete_key", "return_target", NULL
};

static int
null_treatment(FunctionCallInfo fcinfo)
{
	char	   *treatment = PG_ARGISNULL(4) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(4));

	for (int i = 0; treatment != NULL && null_treatments[i] != NULL; i++)
		if (strcmp(treatment, null_treatments[i]) == 0)
			return i;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("null_value_treatment must be \"delete_key\", \"return_target\", "
					"\"use_json_null\", or \"raise_exception\"")));
	return 0;
}

/* The new value is NULL, or the treatment, which is an error. */
static Datum
set_null(FunctionCallInfo fcinfo)
{
	static const uint8 nil[] = {MPK_BYTE_NIL};
	mpk_document value = {.payload = nil,.length = sizeof(nil)};

	switch (null_treatment(fcinfo))
	{
		case 0:
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("msgpack value must not be null"),
					 errdetail("Exception was raised because null_value_treatment is "
							   "\"raise_exception\"."),
					 errhint("To avoid, either change the null_value_treatment argument or "
							 "ensure that an SQL NULL is not passed.")));
			break;
		case 1:
			return edit_path(PG_GETARG_DATUM(0), PG_GETARG_ARRAYTYPE_P(1),
							 PG_GETARG_BOOL(3) ? MPK_EDIT_SET : MPK_EDIT_REPLACE, &value,
							 gettext_noop("cannot set path in scalar"));
		case 2:
			return delete_path(fcinfo);
		default:
			break;
	}
	return PG_GETARG_DATUM(0);
}

PG_FUNCTION_INFO_V1(msgpack_set_lax);

Datum
msgpack_set_lax(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(3))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(2) || PG_ARGISNULL(4))
		PG_RETURN_DATUM(set_null(fcinfo));
	return msgpack_set(fcinfo);
}

PG_FUNCTION_INFO_V1(msgpack_insert);

Datum
msgpack_insert(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(set_path(fcinfo, PG_GETARG_BOOL(3) ?
							 MPK_EDIT_INSERT_AFTER : MPK_EDIT_INSERT_BEFORE));
}

PG_FUNCTION_INFO_V1(msgpack_delete_path);

Datum
msgpack_delete_path(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(delete_path(fcinfo));
}

/* ----------
 * -, msgpack_delete
 * ----------
 */

/* Delete by one step. */
static Datum
delete_step(Datum datum, const mpk_document *document, const mpk_step *step)
{
	mpk_edit	edit = {.kind = MPK_EDIT_DELETE,.steps = step,.count = 1,.null_level = -1};

	return msgpack_edit_datum(datum, document, &edit);
}

/* Delete by any number of texts. */
static Datum
delete_texts(Datum datum, const mpk_document *document, const mpk_step *texts, uint32 count)
{
	mpk_writer	writer;

	mpk_writer_init(&writer, document->length);
	if (mpk_delete_texts(&writer, document, texts, count))
		return msgpack_edited(&writer, document->flags);
	pfree(writer.buffer);
	return datum;
}

static mpk_document
container_to_delete_from(Datum datum, mpk_kind *kind)
{
	mpk_document document = msgpack_document(datum);

	if (root_count(&document, kind) < 0)
		raise_scalar(gettext_noop("cannot delete from scalar"));
	return document;
}

PG_FUNCTION_INFO_V1(msgpack_delete_text);

Datum
msgpack_delete_text(PG_FUNCTION_ARGS)
{
	mpk_kind	kind;
	mpk_document document = container_to_delete_from(PG_GETARG_DATUM(0), &kind);
	mpk_step	step;

	msgpack_step_text(&step, MPK_STEP_FIELD, PG_GETARG_TEXT_PP(1));
	if (kind == MPK_MAP)
		PG_RETURN_DATUM(delete_step(PG_GETARG_DATUM(0), &document, &step));
	PG_RETURN_DATUM(delete_texts(PG_GETARG_DATUM(0), &document, &step, 1));
}

/* The texts of an array as steps, without NULLs. */
static mpk_step *
texts_of(ArrayType *array, uint32 *count)
{
	Datum	   *elements;
	bool	   *nulls;
	int			n;
	mpk_step   *steps;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &n);
	steps = palloc_extended((Size) Max(n, 1) * sizeof(mpk_step), MCXT_ALLOC_HUGE);
	*count = 0;
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!nulls[i])
			msgpack_step_text(&steps[(*count)++], MPK_STEP_FIELD, DatumGetTextPP(elements[i]));
	}
	return steps;
}

PG_FUNCTION_INFO_V1(msgpack_delete_array);

Datum
msgpack_delete_array(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(1);
	mpk_document document;
	mpk_kind	kind;
	mpk_step   *steps;
	uint32		count;

	check_one_dimension(array);
	document = container_to_delete_from(PG_GETARG_DATUM(0), &kind);
	steps = texts_of(array, &count);
	PG_RETURN_DATUM(delete_texts(PG_GETARG_DATUM(0), &document, steps, count));
}

PG_FUNCTION_INFO_V1(msgpack_delete_number);

Datum
msgpack_delete_number(PG_FUNCTION_ARGS)
{
	mpk_kind	kind;
	mpk_document document = container_to_delete_from(PG_GETARG_DATUM(0), &kind);
	mpk_step	step;

	mpk_step_number(&step, PG_GETARG_INT64(1));
	PG_RETURN_DATUM(delete_step(PG_GETARG_DATUM(0), &document, &step));
}

PG_FUNCTION_INFO_V1(msgpack_delete);

Datum
msgpack_delete(PG_FUNCTION_ARGS)
{
	mpk_kind	kind;
	mpk_document document = container_to_delete_from(PG_GETARG_DATUM(0), &kind);
	mpk_document key = PG_GETARG_MSGPACK(1);
	mpk_step	step;

	mpk_step_key(&step, &key);
	PG_RETURN_DATUM(delete_step(PG_GETARG_DATUM(0), &document, &step));
}

/* ----------
 * msgpack_strip_nulls
 * ----------
 */

/* A document with distinct keys. */
static mpk_document
without_repeated_keys(const mpk_document *document)
{
	mpk_document result = *document;
	mpk_writer	writer;

	mpk_writer_init(&writer, document->length);
	mpk_drop_repeated_keys(&writer, document->payload, MPK_KEEP_LAST);
	result.payload = mpk_writer_data(&writer);
	result.length = writer.length;
	return result;
}

static Datum
strip_nulls(Datum datum, bool in_arrays)
{
	mpk_document document = msgpack_document(datum);
	mpk_writer	writer;

	/* a nil that does not count is not to be uncovered, nor to be taken for one that does */
	if (document.flags & MPK_REPEATED_KEYS)
		document = without_repeated_keys(&document);
	mpk_writer_init(&writer, document.length);
	if (mpk_strip_nils(&writer, &document, in_arrays))
		return msgpack_edited(&writer, document.flags);
	pfree(writer.buffer);
	return datum;
}

PG_FUNCTION_INFO_V1(msgpack_strip_nulls);

Datum
msgpack_strip_nulls(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(strip_nulls(PG_GETARG_DATUM(0), PG_GETARG_BOOL(1)));
}
