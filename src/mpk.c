/*
 * mpk.c
 *		The module: one magic block, no state, no hooks.
 */
#include "compat.h"

PG_MODULE_MAGIC;
