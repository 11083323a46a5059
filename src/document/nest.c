/*
 * nest.c
 *		How deep a value is nested.
 */
#include "document/nest.h"

bool
mpk_nests_within(const uint8 *p, const uint8 *end, uint32 levels)
{
	uint64		left[MPK_MAX_DEPTH];	/* values to come in each open container */
	uint32		depth = 0;

	/* each level takes a byte at least */
	if ((size_t) (end - p) <= levels)
		return true;
	while (p < end)
	{
		if (mpk_begins_container(*p))
		{
			mpk_value	value;

			if (depth == levels)
				return false;
			MPK_CHECK_FOR_INTERRUPTS();
			p = mpk_read(p, &value);
			left[depth++] = value.kind == MPK_MAP ? 2 * (uint64) value.length : value.length;
		}
		else
		{
			p = mpk_skip(p);
			if (depth > 0)
				left[depth - 1]--;
		}
		/* an empty container is over as soon as it is begun */
		while (depth > 0 && left[depth - 1] == 0)
		{
			depth--;
			if (depth > 0)
				left[depth - 1]--;
		}
	}
	return true;
}
