/*
 * msgpack_abbrev.c
 *		Abbreviated keys for sorting: a value's image, given up where values look alike.
 */
#include "msgpack_abbrev.h"

#include "common/hashfn.h"
#include "lib/hyperloglog.h"

#include "document/image.h"
#include "document/regular.h"

/* An image takes a Datum of 8 bytes. */
#if SIZEOF_DATUM == 8

/* Values looked at before the first judgement, and how many may share an image on average. */
#define JUDGE_AFTER		1000
#define ALIKE_MAX		2000.0

/* Distinct images that are enough for good. */
#define SURELY_DISTINCT	100000.0

/* An estimate of a relative error of some 3 per cent, in a kilobyte. */
#define ESTIMATOR_BITS	10

typedef struct abbreviation
{
	mpk_model  *model;			/* of the first value */
	int64		count;			/* values that were given an image */
	bool		judging;		/* not yet sure that images are worth it */
	hyperLogLogState images;	/* estimates how many are distinct */
} abbreviation;

/* The value's payload, or a copy of it without repeated keys; *owned is what to free, or NULL. */
static const uint8 *
regular_payload(Datum datum, size_t *length, void **owned)
{
	struct varlena *stored = PG_DETOAST_DATUM_PACKED(datum);
	mpk_document document = msgpack_document(PointerGetDatum(stored));
	mpk_writer	writer;

	*owned = (Pointer) stored != DatumGetPointer(datum) ? stored : NULL;
	*length = document.length;
	if ((document.flags & MPK_REPEATED_KEYS) == 0)
		return document.payload;
	mpk_writer_init(&writer, document.length);
	mpk_drop_repeated_keys(&writer, document.payload, MPK_KEEP_LAST);
	if (*owned != NULL)
		pfree(*owned);
	*owned = writer.buffer;
	*length = writer.length;
	return mpk_writer_data(&writer);
}

/* A model of a copy that lives as long as the sort. */
static mpk_model *
make_model(const uint8 *payload, size_t length, SortSupport ssup)
{
	MemoryContext caller = MemoryContextSwitchTo(ssup->ssup_cxt);
	uint8	   *copy = palloc(length);
	mpk_model  *model;

	memcpy(copy, payload, length);
	model = mpk_model_make(copy);
	MemoryContextSwitchTo(caller);
	return model;
}

static Datum
convert(Datum original, SortSupport ssup)
{
	abbreviation *state = ssup->ssup_extra;
	size_t		length;
	void	   *owned;
	const uint8 *payload = regular_payload(original, &length, &owned);
	uint64		image;

	if (state->model == NULL)
		state->model = make_model(payload, length, ssup);
	image = mpk_model_image(state->model, payload, payload + length);
	if (owned != NULL)
		pfree(owned);
	state->count++;
	if (state->judging)
		addHyperLogLog(&state->images,
					   hash_bytes_uint32((uint32) image ^ (uint32) (image >> 32)));
	return UInt64GetDatum(image);
}

/* Give up when most values that meet will have the same image. */
static bool
give_up(int memtupcount, SortSupport ssup)
{
	abbreviation *state = ssup->ssup_extra;
	double		distinct;

	if (!state->judging || memtupcount < JUDGE_AFTER || state->count < JUDGE_AFTER)
		return false;
	distinct = estimateHyperLogLog(&state->images);
	if (distinct > SURELY_DISTINCT)
		state->judging = false;
	return state->count / distinct > ALIKE_MAX;
}

void
msgpack_abbreviate(SortSupport ssup)
{
	MemoryContext caller = MemoryContextSwitchTo(ssup->ssup_cxt);
	abbreviation *state = palloc(sizeof(abbreviation));

	state->model = NULL;
	state->count = 0;
	state->judging = true;
	initHyperLogLog(&state->images, ESTIMATOR_BITS);
	ssup->ssup_extra = state;
	ssup->abbrev_full_comparator = ssup->comparator;
	ssup->comparator = ssup_datum_unsigned_cmp;
	ssup->abbrev_converter = convert;
	ssup->abbrev_abort = give_up;
	MemoryContextSwitchTo(caller);
}

#else

void
msgpack_abbreviate(SortSupport ssup)
{
	(void) ssup;
}

#endif							/* SIZEOF_DATUM == 8 */
