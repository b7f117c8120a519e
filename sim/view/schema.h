/*
 * schema.h - JSON Schema of our files, out of the tables that read them
 *
 * Draft 07, which the YAML language servers of editors take: types, units as
 * patterns, ranges, defaults, kinds, and help.  A schema cannot say what only
 * holds together, nor the range of a quantity with a unit (its text does);
 * acesim check does both.
 *
 * In the schema of a sweep nothing is required of `base`: axes may bring it.
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_VIEW_SCHEMA_H
#define SIM_VIEW_SCHEMA_H

#include "sim/view/topics.h"

/* Of a file that holds @topic, which has one. */
GString *schema_text(const Topic *topic);

#endif
