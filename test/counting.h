/*
 * counting.h
 *		What the C tests share: counting checks.
 */
#ifndef TEST_COUNTING_H
#define TEST_COUNTING_H

#include "codec/port.h"

/* Failures that are told one by one. */
#define TOLD_FAILURES	20

static int	passed;
static int	failed;

/* Count a check.  True when it failed and is to be told. */
static inline bool
failed_check(bool ok)
{
	if (ok)
		passed++;
	else
		failed++;
	return !ok && failed <= TOLD_FAILURES;
}

/* The last line of a test program; returns its exit status. */
static inline int
finish(void)
{
	printf("%d passed, %d failed\n", passed, failed);
	return failed == 0 && passed > 0 ? 0 : 1;
}

#endif							/* TEST_COUNTING_H */
