/*
 * msgpack_fold.h
 *		Chains of steps as one function: what the planner and the functions agree on.
 *
 * A chain's steps are a constant of type msgpack, an array: a str is text after
 * ->, an integer is an integer after ->, a bin is an element of a path after #>.
 * So doc->'a'->0 #> '{b}' is msgpack_follow(doc, '["a", 0, ''b'']').
 */
#ifndef MSGPACK_FOLD_H
#define MSGPACK_FOLD_H

#include "msgpack_fetch.h"

/* The steps that such a constant stands for. */
extern msgpack_path msgpack_fold_path(Datum steps);

#endif							/* MSGPACK_FOLD_H */
