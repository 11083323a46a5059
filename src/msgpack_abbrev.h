/*
 * msgpack_abbrev.h
 *		Abbreviated keys for sorting.
 */
#ifndef MSGPACK_ABBREV_H
#define MSGPACK_ABBREV_H

#include "msgpack.h"

#include "utils/sortsupport.h"

/* Let the sort compare images (document/image.h) before it compares values by ssup->comparator. */
extern void msgpack_abbreviate(SortSupport ssup);

#endif							/* MSGPACK_ABBREV_H */
