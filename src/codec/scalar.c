/*
 * scalar.c
 *		Order and equality of values that are no containers.
 */
#include "codec/scalar.h"

#include "codec/number.h"
#include "codec/timestamp.h"

int
mpk_bytes_compare(const uint8 *a, size_t a_length, const uint8 *b, size_t b_length)
{
	int			cmp = memcmp(a, b, Min(a_length, b_length));

	if (cmp != 0)
		return cmp < 0 ? -1 : 1;
	return (a_length > b_length) - (a_length < b_length);
}

int
mpk_scalar_compare(const mpk_value *a, const mpk_value *b)
{
	int			rank = mpk_kind_rank(a->kind);
	int			other = mpk_kind_rank(b->kind);

	if (rank != other)
		return rank < other ? -1 : 1;
	switch (a->kind)
	{
		case MPK_NIL:
			return 0;
		case MPK_BOOLEAN:
			return (int) a->as.boolean - (int) b->as.boolean;
		case MPK_UINT:
		case MPK_INT:
		case MPK_FLOAT32:
		case MPK_FLOAT64:
			return mpk_number_compare(a, b);
		case MPK_TIMESTAMP:
			return mpk_timestamp_compare(a->as.timestamp, b->as.timestamp);
		case MPK_EXT:
			if (a->ext_code != b->ext_code)
				return a->ext_code < b->ext_code ? -1 : 1;
			return mpk_bytes_compare(a->body, a->length, b->body, b->length);
		case MPK_STR:
		case MPK_BIN:
			return mpk_bytes_compare(a->body, a->length, b->body, b->length);
		case MPK_ARRAY:
		case MPK_MAP:
			break;
	}
	Assert(false);				/* containers compare in document/compare.c */
	return 0;
}
