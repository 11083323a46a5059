/*
 * hash.c
 *		The hash of one scalar value, by value.
 *
 * doc/format.md, "Hashes", specifies every step, with test vectors; hashes lie
 * in hash indexes, GIN indexes and offset indexes on disk.
 */
#include "codec/hash.h"

#include "codec/number.h"
#include "codec/simd.h"

/* Odd, with about half their bits set, at no regular distance. */
#define K1		MPK_HASH_K1
#define K2		MPK_HASH_K2
#define K3		UINT64CONST(0xAEF17502108EF2D9)

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

static inline uint64
rotate_left(uint64 v, int bits)
{
	return (v << bits) | (v >> (64 - bits));
}

static inline uint64
absorb(uint64 h, uint64 word)
{
	return rotate_left(h ^ (word * K2), 29) * K3 + K1;
}

/* The last 1 to 7 bytes of fewer than 8, each in one place at least. */
static inline uint64
short_word(const uint8 *s, size_t length)
{
	if (length >= 4)
		return mpk_load32_le(s) | (uint64) mpk_load32_le(s + length - 4) << 32;
	return s[0] | (uint64) s[length / 2] << 8 | (uint64) s[length - 1] << 16;
}

uint64
mpk_hash_bytes(const uint8 *s, size_t length, uint64 seed)
{
	uint64		h = (seed + length) * K1;

	if (length >= 8)
	{
		const uint8 *last = s + length - 8;

		for (; s < last; s += 8)
			h = absorb(h, mpk_load64_le(s));
		h = absorb(h, mpk_load64_le(last));
	}
	else if (length > 0)
		h = absorb(h, short_word(s, length));
	return mpk_hash_mix(h);
}

static inline uint64
hash_word(uint64 v, uint64 seed)
{
	return mpk_hash_mix(absorb(seed * K1, v));
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
