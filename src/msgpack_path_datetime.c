/*
 * msgpack_path_datetime.c
 *		jsonpath's dates and times: .datetime() and its like, and comparing them.
 *
 * A MessagePack timestamp is a timestamp with time zone.  It keeps its
 * nanoseconds where it is compared; methods round it to the microsecond.
 */
#include "msgpack_path.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "codec/timestamp.h"
#include "msgpack_cast.h"

/* Seconds from MessagePack's epoch, 1970, to PostgreSQL's, 2000. */
#define EPOCH_SECONDS	((POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * (int64) SECS_PER_DAY)

/* A point in time as it is compared. */
typedef struct moment
{
	Oid			type;
	Datum		value;			/* a MessagePack timestamp's rounded down */
	int			rest;			/* 1: it is that and some nanoseconds */
	int			beyond;			/* -1, 1: before or after all that PostgreSQL has */
} moment;

const char *
msgpack_path_datetime_name(Oid type)
{
	switch (type)
	{
		case DATEOID:
			return "date";
		case TIMEOID:
			return "time without time zone";
		case TIMETZOID:
			return "time with time zone";
		case TIMESTAMPOID:
			return "timestamp without time zone";
		case TIMESTAMPTZOID:
			return "timestamp with time zone";
		default:
			elog(ERROR, "unrecognized SQL/JSON datetime type oid: %u", type);
	}
}

void
msgpack_path_check_zone(const msgpack_walk *walk, const char *from, const char *to)
{
	if (!walk->use_tz)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot convert value from %s to %s without time zone usage", from, to),
				 errhint("Use *_tz() function for time zone support.")));
}

/* --- comparing --- */

static moment
moment_of_timestamp(mpk_timestamp timestamp)
{
	moment		m = {TIMESTAMPTZOID, (Datum) 0, 0, 0};
	TimestampTz microseconds;

	/* so far inside 64 bits that nothing below overflows */
	if (timestamp.seconds < MIN_TIMESTAMP / USECS_PER_SEC)
		m.beyond = -1;
	else if (timestamp.seconds > END_TIMESTAMP / USECS_PER_SEC + EPOCH_SECONDS)
		m.beyond = 1;
	else
	{
		microseconds = (timestamp.seconds - EPOCH_SECONDS) * USECS_PER_SEC +
			timestamp.nanoseconds / 1000;
		m.value = TimestampTzGetDatum(microseconds);
		m.rest = timestamp.nanoseconds % 1000 != 0;
		if (!IS_VALID_TIMESTAMP(microseconds))
			m.beyond = microseconds < 0 ? -1 : 1;
	}
	return m;
}

static moment
moment_of(const msgpack_item *item)
{
	moment		m = {0};

	if (item->form == MSGPACK_ITEM_VALUE)
		return moment_of_timestamp(item->value.as.timestamp);
	m.type = item->as.datetime.type;
	m.value = item->as.datetime.value;
	return m;
}

static inline bool
is_time_of_day(Oid type)
{
	return type == TIMEOID || type == TIMETZOID;
}

static int
compare_by(PGFunction function, Datum a, Datum b)
{
	return DatumGetInt32(DirectFunctionCall2(function, a, b));
}

static Datum
with_zone(const msgpack_walk *walk, const moment *m)
{
	if (m->type == TIMETZOID)
		return m->value;
	msgpack_path_check_zone(walk, "time", "timetz");
	return DirectFunctionCall1(time_timetz, m->value);
}

static int
compare_times(const msgpack_walk *walk, const moment *a, const moment *b)
{
	if (a->type == TIMEOID && b->type == TIMEOID)
		return compare_by(time_cmp, a->value, b->value);
	return compare_by(timetz_cmp, with_zone(walk, a), with_zone(walk, b));
}

/* From date over timestamp to timestamptz, each can be made the next. */
static inline int
rank(Oid type)
{
	return type == DATEOID ? 0 : type == TIMESTAMPOID ? 1 : 2;
}

/* Of moments in the order of their ranks. */
static int
compare_ranked(const msgpack_walk *walk, const moment *a, const moment *b)
{
	int			order;

	if (b->type == TIMESTAMPTZOID && a->type != TIMESTAMPTZOID)
		msgpack_path_check_zone(walk, a->type == DATEOID ? "date" : "timestamp", "timestamptz");
	if (a->beyond != b->beyond)
		return a->beyond < b->beyond ? -1 : 1;
	if (a->type == b->type)
		order = compare_by(a->type == DATEOID ? date_cmp : timestamp_cmp, a->value, b->value);
	else if (a->type == TIMESTAMPOID)
		order = timestamp_cmp_timestamptz_internal(DatumGetTimestamp(a->value),
												   DatumGetTimestampTz(b->value));
	else if (b->type == TIMESTAMPOID)
		order = date_cmp_timestamp_internal(DatumGetDateADT(a->value),
											DatumGetTimestamp(b->value));
	else
		order = date_cmp_timestamptz_internal(DatumGetDateADT(a->value),
											  DatumGetTimestampTz(b->value));
	return order != 0 ? order : a->rest - b->rest;
}

bool
msgpack_path_compare_datetimes(const msgpack_walk *walk, const msgpack_item *a,
							   const msgpack_item *b, int *order)
{
	moment		x;
	moment		y;

	if (a->form == MSGPACK_ITEM_VALUE && b->form == MSGPACK_ITEM_VALUE)
	{
		*order = mpk_timestamp_compare(a->value.as.timestamp, b->value.as.timestamp);
		return true;
	}
	x = moment_of(a);
	y = moment_of(b);
	if (is_time_of_day(x.type) != is_time_of_day(y.type))
		return false;
	if (is_time_of_day(x.type))
		*order = compare_times(walk, &x, &y);
	else if (rank(x.type) <= rank(y.type))
		*order = compare_ranked(walk, &x, &y);
	else
		*order = -compare_ranked(walk, &y, &x);
	return true;
}

/* --- from strings --- */

/* The formats that are tried in turn when a path gives none. */
#ifdef MSGPACK_PATH_TZ_FORMAT
#define ZONED(time)		time "TZ"
#else
#define ZONED(time)		time "TZH:TZM", time "TZH"
#endif
#define DATE			"yyyy-mm-dd"
#define TIME			"HH24:MI:SS"
#define FRACTION		".US"

static const char *const formats[] = {
	DATE,
	ZONED(TIME FRACTION),
	ZONED(TIME),
	TIME FRACTION,
	TIME,
	ZONED(DATE " " TIME FRACTION),
	ZONED(DATE " " TIME),
	ZONED(DATE "\"T\"" TIME FRACTION),
	ZONED(DATE "\"T\"" TIME),
	DATE " " TIME FRACTION,
	DATE " " TIME,
	DATE "\"T\"" TIME FRACTION,
	DATE "\"T\"" TIME
};

static bool
parse(msgpack_item *item, text *string, text *format, bool raise)
{
	bool		failed = false;

	item->form = MSGPACK_ITEM_DATETIME;
	item->as.datetime.typmod = -1;
	item->as.datetime.zone = 0;
	item->as.datetime.value =
		msgpack_parse_datetime(string, format, DEFAULT_COLLATION_OID, &item->as.datetime.type,
							   &item->as.datetime.typmod, &item->as.datetime.zone,
							   raise ? NULL : &failed);
	return !failed;
}

static bool
parse_iso(msgpack_item *item, text *string)
{
	for (size_t i = 0; i < lengthof(formats); i++)
	{
		text	   *format = cstring_to_text(formats[i]);
		bool		fits = parse(item, string, format, false);

		pfree(format);
		if (fits)
			return true;
	}
	return false;
}

static msgpack_path_result
fail_not_recognized(msgpack_walk *walk, const char *what, const char *string)
{
	MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION),
					  errmsg("%s format is not recognized: \"%s\"", what, string),
					  strcmp(what, "datetime") != 0 ? 0 :
					  errhint("Use a datetime template argument to specify the input data format."));
}

/* --- to the type that a method asks for --- */

#ifdef MSGPACK_PATH_CONVERSIONS

typedef struct conversion
{
	JsonPathItemType method;
	Oid			from;
	PGFunction	function;		/* NULL: it is of that type */
	bool		uses_zone;
} conversion;

static const conversion conversions[] = {
	{jpiDate, DATEOID, NULL, false},
	{jpiDate, TIMESTAMPOID, timestamp_date, false},
	{jpiDate, TIMESTAMPTZOID, timestamptz_date, true},
	{jpiTime, TIMEOID, NULL, false},
	{jpiTime, TIMETZOID, timetz_time, true},
	{jpiTime, TIMESTAMPOID, timestamp_time, false},
	{jpiTime, TIMESTAMPTZOID, timestamptz_time, true},
	{jpiTimeTz, TIMETZOID, NULL, false},
	{jpiTimeTz, TIMEOID, time_timetz, true},
	{jpiTimeTz, TIMESTAMPTZOID, timestamptz_timetz, false},
	{jpiTimestamp, TIMESTAMPOID, NULL, false},
	{jpiTimestamp, DATEOID, date_timestamp, false},
	{jpiTimestamp, TIMESTAMPTZOID, timestamptz_timestamp, true},
	{jpiTimestampTz, TIMESTAMPTZOID, NULL, false},
	{jpiTimestampTz, DATEOID, date_timestamptz, true},
	{jpiTimestampTz, TIMESTAMPOID, timestamp_timestamptz, true},
};

static const conversion *
find_conversion(JsonPathItemType method, Oid from)
{
	for (size_t i = 0; i < lengthof(conversions); i++)
		if (conversions[i].method == method && conversions[i].from == from)
			return &conversions[i];
	return NULL;
}

static Oid
type_of_method(JsonPathItemType method)
{
	return method == jpiDate ? DATEOID : method == jpiTime ? TIMEOID
		: method == jpiTimeTz ? TIMETZOID : method == jpiTimestamp ? TIMESTAMPOID
		: TIMESTAMPTZOID;
}

/* What conversions call the types. */
static const char *
short_name(Oid type)
{
	return type == DATEOID ? "date" : type == TIMEOID ? "time" : type == TIMETZOID ? "timetz"
		: type == TIMESTAMPOID ? "timestamp" : "timestamptz";
}

/* The zone of a timestamptz that was made by the session's. */
static int
session_zone(TimestampTz value)
{
	struct pg_tm tm;
	fsec_t		fraction;
	int			zone = 0;

	if (timestamp2tm(value, &zone, &tm, &fraction, NULL, NULL) != 0)
		return 0;
	return zone;
}

static void
reduce_precision(msgpack_item *item, int32 precision)
{
	Datum	   *value = &item->as.datetime.value;
	Oid			type = item->as.datetime.type;
	bool		has_zone = type == TIMETZOID || type == TIMESTAMPTZOID;

	if (is_time_of_day(type))
	{
		precision = anytime_typmod_check(has_zone, precision);
		if (has_zone)
			AdjustTimeForTypmod(&DatumGetTimeTzADTP(*value)->time, precision);
		else
		{
			TimeADT		t = DatumGetTimeADT(*value);

			AdjustTimeForTypmod(&t, precision);
			*value = TimeADTGetDatum(t);
		}
	}
	else
	{
		Timestamp	t = DatumGetTimestamp(*value);

		precision = anytimestamp_typmod_check(has_zone, precision);
		(void) AdjustTimestampForTypmod(&t, precision, NULL);
		*value = TimestampGetDatum(t);
	}
	item->as.datetime.typmod = precision;
}

/* Convert what was read; "string" is for errors.  The item becomes of the method's type. */
static msgpack_path_result
convert(msgpack_walk *walk, const msgpack_node *node, msgpack_item *item, const char *string)
{
	Oid			from = item->as.datetime.type;
	Oid			to = type_of_method(node->type);
	const conversion *how = find_conversion(node->type, from);
	int32		precision;
	bool		failed;

	if (how == NULL)
		return fail_not_recognized(walk, jspOperationName(node->type), string);
	if (how->uses_zone)
		msgpack_path_check_zone(walk, short_name(from), short_name(to));
	if (how->function != NULL)
		item->as.datetime.value = DirectFunctionCall1(how->function, item->as.datetime.value);
	if (to == TIMESTAMPTZOID && from != to)
		item->as.datetime.zone = session_zone(DatumGetTimestampTz(item->as.datetime.value));
	item->as.datetime.type = to;
	if (node->left != NULL)
	{
		precision = msgpack_numeric_to_int4(node->left->literal.as.numeric.number, &failed);
		Assert(!failed);
		if (precision != -1)
			reduce_precision(item, precision);
	}
	return MSGPACK_PATH_OK;
}

/* A precision that is no int4 is complained of before the string is looked at. */
static bool
has_bad_precision(const msgpack_node *node)
{
	bool		failed = false;

	if (node->type == jpiDatetime || node->left == NULL)
		return false;
	if (node->left->type != jpiNumeric)
		elog(ERROR, "invalid jsonpath item type for %s argument", jspOperationName(node->type));
	(void) msgpack_numeric_to_int4(node->left->literal.as.numeric.number, &failed);
	return failed;
}

#else

static inline msgpack_path_result
convert(msgpack_walk *walk pg_attribute_unused(), const msgpack_node *node pg_attribute_unused(),
		msgpack_item *item pg_attribute_unused(), const char *string pg_attribute_unused())
{
	return MSGPACK_PATH_OK;
}

static inline bool
has_bad_precision(const msgpack_node *node pg_attribute_unused())
{
	return false;
}

#endif							/* MSGPACK_PATH_CONVERSIONS */

/* --- the methods --- */

/* A MessagePack timestamp as what methods work on, rounded to the microsecond. */
static bool
set_timestamp(msgpack_item *result, const msgpack_item *item)
{
	result->form = MSGPACK_ITEM_DATETIME;
	result->as.datetime.type = TIMESTAMPTZOID;
	result->as.datetime.typmod = -1;
	result->as.datetime.zone = 0;
	return msgpack_try_cast(&item->value, MSGPACK_AS_TIMESTAMPTZ, &result->as.datetime.value) ==
		MSGPACK_CAST_OK;
}

/* Read the string, by the template that .datetime() may have. */
static msgpack_path_result
read_string(msgpack_walk *walk, const msgpack_node *node, msgpack_item *result, char *string,
			size_t length)
{
	text	   *t = cstring_to_text_with_len(string, (int) length);
	const msgpack_item *template;
	size_t		template_length;
	char	   *format;

	if (node->type != jpiDatetime || node->left == NULL)
	{
		if (parse_iso(result, t))
			return MSGPACK_PATH_OK;
		return fail_not_recognized(walk, jspOperationName(node->type), string);
	}
	if (node->left->type != jpiString)
		elog(ERROR, "invalid jsonpath item type for .datetime() argument");
	template = &node->left->literal;
	format = msgpack_item_cstring(template, &template_length);
	if (!parse(result, t, cstring_to_text_with_len(format, (int) template_length), walk->raise))
		return MSGPACK_PATH_ERROR;
	return MSGPACK_PATH_OK;
}

msgpack_path_result
msgpack_path_datetime(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
					  msgpack_items *found, bool unwrap pg_attribute_unused())
{
	bool		is_timestamp = msgpack_item_is(item, MPK_TIMESTAMP);
	size_t		length = 0;
	char	   *string = NULL;
	msgpack_item result;

	/* it is one already */
	if (is_timestamp && node->type == jpiDatetime && node->left == NULL)
		return msgpack_path_next(walk, node, item, found);
	if (is_timestamp && node->type != jpiDatetime)
		string = text_to_cstring(msgpack_value_text(&item->value, 0));
	else if (msgpack_item_is(item, MPK_STR))
		string = msgpack_item_cstring(item, &length);
	if (string == NULL)
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION),
						  errmsg("jsonpath item method .%s() can only be applied to a string",
								 jspOperationName(node->type)));
	if (has_bad_precision(node))
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION),
						  errmsg("time precision of jsonpath item method .%s() is out of range for type integer",
								 jspOperationName(node->type)));
	if (!is_timestamp)
	{
		if (read_string(walk, node, &result, string, length) == MSGPACK_PATH_ERROR)
			return MSGPACK_PATH_ERROR;
	}
	else if (!set_timestamp(&result, item))
		MSGPACK_PATH_FAIL(walk, errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
						  errmsg("timestamp out of range"));
	if (node->type != jpiDatetime && convert(walk, node, &result, string) == MSGPACK_PATH_ERROR)
		return MSGPACK_PATH_ERROR;
	return msgpack_path_next(walk, node, &result, found);
}
