/*
 * shapes.h - whether layers fit behind each other
 *
 * Layers are a list in forward order, branches one after the other, so that a
 * layer's input need not be what the layer before it gives.  What it takes is
 * accepted where it is
 *
 *     what an earlier layer took or gave          chains, branches, additions
 *     a sum of what several earlier layers gave   concatenations
 *     c m^2 of an image of m x m and c channels   flattening
 *     a multiple of what each step of a sequence gave
 *     a part of what an elementwise layer handled splits, such as gates
 *
 * and anything is where a layer of unknown shape stands before it.  An image is
 * as large as an earlier one, a whole number of times as large, or smaller by
 * a whole factor (within a pixel), as pooling may be left out.
 *
 * Errors   CONFIG_ERROR_CONFLICT at the value that does not fit
 */
#ifndef WORKLOADS_SHAPES_H
#define WORKLOADS_SHAPES_H

#include "sim/config/config.h"

/* @layers, of ConfigVariant, blocks too. */
G_GNUC_WARN_UNUSED_RESULT
gboolean shapes_check(const ConfigList *layers, GError **error);

#endif
