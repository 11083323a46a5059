/*
 * compare.c
 *		The laws of order, equality, hash and canonical form, on pairs and triples.
 */
#include "fuzz.h"

#include "document/canonical.h"
#include "document/compare.h"
#include "document/image.h"

static mpk_document
canonical(const mpk_document *document)
{
	mpk_writer	writer;
	mpk_document result;

	mpk_writer_init(&writer, 16);
	mpk_canonical(&writer, document);
	result = fuzz_written(&writer);
	CHECK(mpk_is_canonical(&result) && mpk_equal(document, &result));
	CHECK(mpk_is_canonical(document) == fuzz_identical(&result, document));
	return result;
}

static void
laws(const mpk_document *a, const mpk_document *b, const mpk_document *c)
{
	int			order = mpk_compare(a, b);
	int			next = mpk_compare(b, c);
	mpk_document x = canonical(a), y = canonical(b);

	CHECK(order >= -1 && order <= 1 && mpk_compare(b, a) == -order && mpk_compare(a, a) == 0);
	CHECK(order * next < 0 || mpk_compare(a, c) == (order != 0 ? order : next));
	CHECK(mpk_equal(a, b) == (order == 0));
	CHECK(fuzz_equal(fuzz_apart(a), fuzz_apart(b)) == (order == 0));
	CHECK(order != 0 || mpk_hash(a) == mpk_hash(b));
	CHECK(fuzz_identical(&x, &y) == (order == 0));
	if (((a->flags | b->flags | c->flags) & MPK_IRREGULAR) == 0)
	{
		mpk_model  *model = mpk_model_make(c->payload);
		uint64		image = mpk_model_image(model, a->payload, a->payload + a->length);

		CHECK(image >= mpk_model_image(model, b->payload, b->payload + b->length) || order < 0);
	}
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	fuzz_input	in = fuzz_begin(data, size);
	mpk_document a = fuzz_document(&in);
	mpk_document b = fuzz_document(&in);
	mpk_document c = fuzz_document(&in);

	laws(&a, &b, &c);
	laws(&b, &c, &a);
	laws(&c, &a, &b);
	return 0;
}
