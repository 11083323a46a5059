/*
 * msgpack_abbrev.c
 *		Abbreviated keys for sorting: a value's image, given up where values look alike.
 */
#include "msgpack_abbrev.h"

#include "common/hashfn.h"
#include "lib/hyperloglog.h"

#include "document/image.h"
#include "document/regular.h"

/* Values looked at before the first judgement, and how many may share an image on average. */
#define JUDGE_AFTER		1000
#define ALIKE_MAX		50.0

/* Distinct images that are enough for good. */
#define SURELY_DISTINCT	100000.0

/* An estimate of a relative error of some 3 per cent, in a kilobyte. */
#define ESTIMATOR_BITS	10

typedef struct abbreviation
{
	int64		count;			/* values that were given an image */
	bool		judging;		/* not yet sure that images are worth it */
	hyperLogLogState images;	/* estimates how many are distinct */
} abbreviation;

/* Where keys are repeated the count of pairs says nothing: look at a copy in which they are not. */
static uint64
image_of_irregular(Datum datum)
{
	struct varlena *stored = PG_DETOAST_DATUM_PACKED(datum);
	mpk_document document = msgpack_document(PointerGetDatum(stored));
	mpk_writer	writer;
	uint64		image;

	mpk_writer_init(&writer, document.length);
	mpk_drop_repeated_keys(&writer, document.payload, MPK_KEEP_LAST);
	image = mpk_order_image(mpk_writer_data(&writer));
	pfree(writer.buffer);
	if ((Pointer) stored != DatumGetPointer(datum))
		pfree(stored);
	return image;
}

/* Without detoasting more than it takes. */
static uint64
image_of(Datum datum)
{
	struct varlena *stored = (struct varlena *) DatumGetPointer(datum);
	mpk_document document;
	uint64		image;

	if (VARATT_IS_EXTERNAL(stored) || VARATT_IS_COMPRESSED(stored))
	{
		document = msgpack_outline(datum, MPK_IMAGE_BYTES);
		image = mpk_order_image(document.payload);
		pfree(unconstify(uint8 *, document.payload));
	}
	else
	{
		document = msgpack_document(datum);
		image = mpk_order_image(document.payload);
	}
	return document.flags & MPK_REPEATED_KEYS ? image_of_irregular(datum) : image;
}

static Datum
convert(Datum original, SortSupport ssup)
{
	abbreviation *state = ssup->ssup_extra;
	uint64		image = image_of(original);

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
#if SIZEOF_DATUM == 8
	MemoryContext caller = MemoryContextSwitchTo(ssup->ssup_cxt);
	abbreviation *state = palloc(sizeof(abbreviation));

	state->count = 0;
	state->judging = true;
	initHyperLogLog(&state->images, ESTIMATOR_BITS);
	ssup->ssup_extra = state;
	ssup->abbrev_full_comparator = ssup->comparator;
	ssup->comparator = ssup_datum_unsigned_cmp;
	ssup->abbrev_converter = convert;
	ssup->abbrev_abort = give_up;
	MemoryContextSwitchTo(caller);
#endif
}
