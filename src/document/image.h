/*
 * image.h
 *		A value's order in 64 bits, as far as they go: what a sort compares first.
 *
 * The values of one sort are mostly alike: documents with the same keys, many
 * of them with the same content, strings that begin the same.  So images are
 * made relative to a model, any one of the values, and spend next to nothing
 * on what is as it is in the model.  With one model
 *
 *		image(a) < image(b) means a < b in the order of document/compare.h;
 *
 * equal images say nothing.  Images live as long as a sort; nothing of them is
 * on disk.
 */
#ifndef MPK_IMAGE_H
#define MPK_IMAGE_H

#include "codec/format.h"

typedef struct mpk_model mpk_model;

/*
 * A model of the regular value at p, which must stay there.  Allocates in the
 * current context.
 */
extern mpk_model *mpk_model_make(const uint8 *p);

/*
 * The image of the regular value at p, whose bytes, or those of the document
 * that it is in, end at "end".  May allocate and free scratch memory in
 * the current context; the model has room that it uses.
 */
extern uint64 mpk_model_image(mpk_model *model, const uint8 *p, const uint8 *end);

#endif							/* MPK_IMAGE_H */
