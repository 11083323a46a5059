/*
 * timestamp.c
 *		The timestamp ext, and the calendar as far as text needs it.
 */
#include "codec/timestamp.h"

#define SECONDS_PER_DAY		86400
#define DAYS_PER_ERA		146097	/* 400 Gregorian years */

/* timestamp 64 holds seconds in 34 bits */
#define MAX_SECONDS_34		((INT64CONST(1) << 34) - 1)

bool
mpk_timestamp_decode(const uint8 *body, uint32 length, mpk_timestamp *timestamp)
{
	uint64		packed;

	switch (length)
	{
		case 4:
			timestamp->seconds = mpk_load32(body);
			timestamp->nanoseconds = 0;
			return true;
		case 8:
			packed = mpk_load64(body);
			timestamp->seconds = (int64) (packed & MAX_SECONDS_34);
			timestamp->nanoseconds = (uint32) (packed >> 34);
			break;
		case 12:
			timestamp->nanoseconds = mpk_load32(body);
			timestamp->seconds = (int64) mpk_load64(body + 4);
			break;
		default:
			return false;
	}
	return timestamp->nanoseconds <= MPK_MAX_NANOSECONDS;
}

void
mpk_timestamp_encode(mpk_timestamp timestamp, int width, uint8 *out)
{
	if (width == 4)
		mpk_store32(out, (uint32) timestamp.seconds);
	else if (width == 8)
		mpk_store64(out, ((uint64) timestamp.nanoseconds << 34) | (uint64) timestamp.seconds);
	else
	{
		mpk_store32(out, timestamp.nanoseconds);
		mpk_store64(out + 4, (uint64) timestamp.seconds);
	}
}

int
mpk_timestamp_width(mpk_timestamp timestamp)
{
	if (timestamp.seconds < 0 || timestamp.seconds > MAX_SECONDS_34)
		return 12;
	if (timestamp.nanoseconds != 0 || timestamp.seconds > (int64) PG_UINT32_MAX)
		return 8;
	return 4;
}

int
mpk_timestamp_compare(mpk_timestamp a, mpk_timestamp b)
{
	if (a.seconds != b.seconds)
		return a.seconds < b.seconds ? -1 : 1;
	if (a.nanoseconds != b.nanoseconds)
		return a.nanoseconds < b.nanoseconds ? -1 : 1;
	return 0;
}

/*
 * The calendar counts years from March, so that the leap day ends a year, and
 * in eras of 400 years, which all have the same days.
 */
int64
mpk_days_from_civil(int64 year, int month, int day)
{
	int64		y = month <= 2 ? year - 1 : year;
	int64		era = (y >= 0 ? y : y - 399) / 400;
	int			year_of_era = (int) (y - era * 400);
	int			month_from_march = (month + 9) % 12;
	int			day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
	int			day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

	/* 719468 days lie between 0000-03-01 and 1970-01-01 */
	return era * DAYS_PER_ERA + day_of_era - 719468;
}

void
mpk_civil_from_days(int64 days, int64 *year, int *month, int *day)
{
	int64		shifted = days + 719468;
	int64		era = (shifted >= 0 ? shifted : shifted - (DAYS_PER_ERA - 1)) / DAYS_PER_ERA;
	int			day_of_era = (int) (shifted - era * DAYS_PER_ERA);
	int			year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 -
							   day_of_era / 146096) / 365;
	int			day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int			month_from_march = (5 * day_of_year + 2) / 153;

	*day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
	*month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
	*year = era * 400 + year_of_era + (*month <= 2 ? 1 : 0);
}

/* "v" in exactly "digits" decimal digits. */
static char *
put_digits(char *out, uint32 v, int digits)
{
	for (int i = digits - 1; i >= 0; i--)
	{
		out[i] = (char) ('0' + v % 10);
		v /= 10;
	}
	return out + digits;
}

int
mpk_timestamp_print(mpk_timestamp timestamp, char *out)
{
	char	   *p = out;
	int64		days = timestamp.seconds / SECONDS_PER_DAY;
	int			second_of_day = (int) (timestamp.seconds % SECONDS_PER_DAY);
	int64		year;
	int			month;
	int			day;

	Assert(timestamp.seconds >= MPK_TIMESTAMP_MIN_SECONDS &&
		   timestamp.seconds <= MPK_TIMESTAMP_MAX_SECONDS);
	if (second_of_day < 0)
	{
		second_of_day += SECONDS_PER_DAY;
		days--;
	}
	mpk_civil_from_days(days, &year, &month, &day);

	p = put_digits(p, (uint32) year, 4);
	*p++ = '-';
	p = put_digits(p, (uint32) month, 2);
	*p++ = '-';
	p = put_digits(p, (uint32) day, 2);
	*p++ = 'T';
	p = put_digits(p, (uint32) second_of_day / 3600, 2);
	*p++ = ':';
	p = put_digits(p, (uint32) second_of_day / 60 % 60, 2);
	*p++ = ':';
	p = put_digits(p, (uint32) second_of_day % 60, 2);
	if (timestamp.nanoseconds != 0)
	{
		*p++ = '.';
		p = put_digits(p, timestamp.nanoseconds, 9);
		while (p[-1] == '0')
			p--;
	}
	*p++ = 'Z';
	return (int) (p - out);
}
