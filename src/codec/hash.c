/*
 * hash.c
 *		The hash of one scalar value, by value.
 *
 * doc/format.md, "Hashes", specifies every step, with test vectors; hashes lie
 * in hash indexes, GIN indexes and offset indexes on disk.
 */
#include "codec/hash.h"

#include "codec/number.h"

/*
 * What tells kinds apart.  Numbers of all kinds that are integral share one.
 * Where a small number joins a seed it does so in the upper half, where no
 * length reaches it.
 */
#define SEED_NIL		UINT64CONST(0x6E696C)
#define SEED_BOOLEAN	UINT64CONST(0x626F6F6C)
#define SEED_UINT		UINT64CONST(0x75696E74)
#define SEED_INT		UINT64CONST(0x696E74)
#define SEED_FLOAT		UINT64CONST(0x666C6F6174)
#define SEED_TIMESTAMP	UINT64CONST(0x74696D65)

uint64
mpk_hash_bytes(const uint8 *s, size_t length, uint64 seed)
{
	return mpk_hash_bytes_inline(s, length, seed);
}

static inline uint64
hash_word(uint64 v, uint64 seed)
{
	return mpk_hash_mix(mpk_hash_absorb(seed * MPK_HASH_K1, v));
}

static uint64
hash_float(const mpk_value *value)
{
	mpk_value	number = *value;
	uint64		bits;

	mpk_number_normalize(&number);
	if (number.kind == MPK_UINT)
		return hash_word(number.as.u64, SEED_UINT);
	if (number.kind == MPK_INT)
		return hash_word((uint64) number.as.i64, SEED_INT);
	memcpy(&bits, &number.as.f64, sizeof(bits));
	return hash_word(bits, SEED_FLOAT);
}

uint64
mpk_hash_scalar(const mpk_value *value)
{
	switch (value->kind)
	{
		case MPK_NIL:
			return hash_word(0, SEED_NIL);
		case MPK_BOOLEAN:
			return hash_word(value->as.boolean, SEED_BOOLEAN);
		case MPK_UINT:
			return hash_word(value->as.u64, SEED_UINT);
		case MPK_INT:
			return hash_word((uint64) value->as.i64, SEED_INT);
		case MPK_FLOAT32:
		case MPK_FLOAT64:
			return hash_float(value);
		case MPK_STR:
			return mpk_hash_bytes(value->body, value->length, MPK_HASH_SEED_STR);
		case MPK_BIN:
			return mpk_hash_bytes(value->body, value->length, MPK_HASH_SEED_BIN);
		case MPK_TIMESTAMP:
			return hash_word((uint64) value->as.timestamp.seconds,
							 SEED_TIMESTAMP + ((uint64) value->as.timestamp.nanoseconds << 32));
		case MPK_EXT:
			return mpk_hash_bytes(value->body, value->length,
								  MPK_HASH_SEED_EXT + ((uint64) (uint8) value->ext_code << 32));
		case MPK_ARRAY:
		case MPK_MAP:
			break;
	}
	Assert(false);				/* containers hash in document/compare.c */
	return 0;
}
