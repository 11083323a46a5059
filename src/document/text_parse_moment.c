/*
 * text_parse_moment.c
 *		ISO 8601 moments: 2026-11-30T17:13:31.5Z, with an offset in place of Z.
 */
#include "codec/port.h"

#include "codec/timestamp.h"
#include "document/text_internal.h"

#define SECONDS_PER_DAY		86400

/* Exactly "count" digits, whose value must lie within bounds. */
static bool
parse_field(mpk_parser *parser, int count, int least, int most, const char *expected, int *value)
{
	const uint8 *at = parser->p;

	*value = 0;
	for (int i = 0; i < count; i++, parser->p++)
	{
		if (parser->p >= parser->end || *parser->p < '0' || *parser->p > '9')
			return mpk_parse_fail(parser, MPK_ERR_TEXT_SYNTAX, parser->p, expected);
		*value = *value * 10 + (*parser->p - '0');
	}
	if (*value < least || *value > most)
		return mpk_parse_fail(parser, MPK_ERR_TEXT_RANGE, at, expected);
	return true;
}

static bool
parse_separator(mpk_parser *parser, uint8 c, const char *expected)
{
	if (parser->p >= parser->end || *parser->p != c)
		return mpk_parse_fail(parser, MPK_ERR_TEXT_SYNTAX, parser->p, expected);
	parser->p++;
	return true;
}

static int
days_in_month(int year, int month)
{
	static const uint8 days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool		leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

/* 2026-11-30, as days since 1970-01-01. */
static bool
parse_date(mpk_parser *parser, int64 *days)
{
	int			year;
	int			month;
	int			day;

	if (!parse_field(parser, 4, 1, 9999, "a year from 0001 to 9999", &year) ||
		!parse_separator(parser, '-', "\"-\" after the year") ||
		!parse_field(parser, 2, 1, 12, "a month from 01 to 12", &month) ||
		!parse_separator(parser, '-', "\"-\" after the month") ||
		!parse_field(parser, 2, 1, days_in_month(year, month), "a day of that month", &day))
		return false;
	*days = mpk_days_from_civil(year, month, day);
	return true;
}

/* 17:13:31 */
static bool
parse_time(mpk_parser *parser, int64 *seconds)
{
	int			hour;
	int			minute;
	int			second;

	if (!parse_field(parser, 2, 0, 23, "an hour from 00 to 23", &hour) ||
		!parse_separator(parser, ':', "\":\" after the hour") ||
		!parse_field(parser, 2, 0, 59, "a minute from 00 to 59", &minute) ||
		!parse_separator(parser, ':', "\":\" after the minute") ||
		!parse_field(parser, 2, 0, 59, "a second from 00 to 59", &second))
		return false;
	*seconds = (hour * 60 + minute) * 60 + second;
	return true;
}

/* .5, if there is one */
static bool
parse_nanoseconds(mpk_parser *parser, uint32 *nanoseconds)
{
	uint32		unit = 100000000;
	const uint8 *at;

	*nanoseconds = 0;
	if (parser->p >= parser->end || *parser->p != '.')
		return true;
	at = ++parser->p;
	for (; parser->p < parser->end && *parser->p >= '0' && *parser->p <= '9'; parser->p++)
	{
		if (unit == 0)
			return mpk_parse_fail(parser, MPK_ERR_TEXT_SYNTAX, parser->p,
								  "no more than 9 digits of a second's fraction");
		*nanoseconds += (uint32) (*parser->p - '0') * unit;
		unit /= 10;
	}
	if (parser->p == at)
		return mpk_parse_fail(parser, MPK_ERR_TEXT_SYNTAX, parser->p,
							  "a digit of a second's fraction");
	return true;
}

/* Z, +02:00 or -05:30: how far local time is ahead of UTC. */
static bool
parse_offset(mpk_parser *parser, int64 *seconds)
{
	uint8		sign = parser->p < parser->end ? *parser->p : 0;
	int			hours;
	int			minutes;

	*seconds = 0;
	if (sign != 'Z' && sign != '+' && sign != '-')
		return mpk_parse_fail(parser, MPK_ERR_TEXT_SYNTAX, parser->p,
							  "\"Z\" or an offset such as \"+02:00\"");
	parser->p++;
	if (sign == 'Z')
		return true;
	if (!parse_field(parser, 2, 0, 23, "hours of an offset from 00 to 23", &hours) ||
		!parse_separator(parser, ':', "\":\" inside an offset") ||
		!parse_field(parser, 2, 0, 59, "minutes of an offset from 00 to 59", &minutes))
		return false;
	*seconds = (hours * 60 + minutes) * 60;
	if (sign == '-')
		*seconds = -*seconds;
	return true;
}

bool
mpk_parse_moment(mpk_parser *parser, mpk_timestamp *timestamp)
{
	int64		days;
	int64		time;
	int64		offset;

	if (!parse_date(parser, &days) ||
		!parse_separator(parser, 'T', "\"T\" between date and time") ||
		!parse_time(parser, &time) ||
		!parse_nanoseconds(parser, &timestamp->nanoseconds) ||
		!parse_offset(parser, &offset))
		return false;
	timestamp->seconds = days * SECONDS_PER_DAY + time - offset;
	return true;
}

bool
mpk_scan_moment(const uint8 *s, size_t length, mpk_timestamp *timestamp)
{
	mpk_parser	parser;

	parser.start = parser.p = s;
	parser.passed = 0;
	parser.end = s + length;
	parser.error = NULL;
	return mpk_parse_moment(&parser, timestamp) && parser.p == parser.end;
}
