/*
 * timestamp.h
 *		The timestamp ext, and the calendar as far as text needs it.
 */
#ifndef MPK_TIMESTAMP_H
#define MPK_TIMESTAMP_H

#include "codec/format.h"

/* Decode the body of an ext -1.  False when it is no proper timestamp. */
extern bool mpk_timestamp_decode(const uint8 *body, uint32 length, mpk_timestamp *timestamp);

/*
 * Write the body in "width" bytes (4, 8 or 12) to out.  The value fits: see
 * mpk_timestamp_width.
 */
extern void mpk_timestamp_encode(mpk_timestamp timestamp, int width, uint8 *out);

/* The shortest width that holds the value: 4, 8 or 12. */
extern int	mpk_timestamp_width(mpk_timestamp timestamp);

static inline bool
mpk_timestamp_fits(mpk_timestamp timestamp, int width)
{
	return width == 12 || width >= mpk_timestamp_width(timestamp);
}

/* -1, 0 or 1. */
extern int	mpk_timestamp_compare(mpk_timestamp a, mpk_timestamp b);

/* Proleptic Gregorian days since 1970-01-01, and back.  Any year; month 1-12, day 1-31. */
extern int64 mpk_days_from_civil(int64 year, int month, int day);
extern void mpk_civil_from_days(int64 days, int64 *year, int *month, int *day);

/* Seconds of 0001-01-01 00:00:00 and of the last second of year 9999. */
#define MPK_TIMESTAMP_MIN_SECONDS	INT64CONST(-62135596800)
#define MPK_TIMESTAMP_MAX_SECONDS	INT64CONST(253402300799)

/*
 * ISO 8601 in UTC, "2026-11-30T17:13:31.5Z", as many fraction digits as needed.
 * For values in years 1 to 9999 only.  Writes no NUL; returns the bytes
 * written, at most MPK_TIMESTAMP_TEXT.
 */
#define MPK_TIMESTAMP_TEXT		30
extern int	mpk_timestamp_print(mpk_timestamp timestamp, char *out);

#endif							/* MPK_TIMESTAMP_H */
