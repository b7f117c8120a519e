/*
 * layer_shape_check.h - checks that the inputs and outputs of layers fit
 *
 * Layers are a list in forward order.  Branches follow one after the other, so
 * the input of a layer is not always the output of the layer before.  An input
 * is accepted if it is
 *
 *     an earlier input or output                   chains, branches, additions
 *     a sum of several earlier outputs             concatenations
 *     c m^2 of an image of m x m and c channels    flattening
 *     a multiple of the output of each step of a sequence
 *     a part of the output of an elementwise layer splits, such as gates
 *
 * After a layer of unknown shape, any input is accepted.  An image may have the
 * height of an earlier image, a multiple of it, or a whole fraction of it
 * (within one pixel), because pooling layers may be omitted.
 *
 * Errors   CONFIG_ERROR_CONFLICT at the value that does not fit
 */
#ifndef WORKLOADS_LAYER_SHAPE_CHECK_H
#define WORKLOADS_LAYER_SHAPE_CHECK_H

#include "sim/config/config.h"

/* Checks @layers, a list of ConfigVariant, including blocks. */
G_GNUC_WARN_UNUSED_RESULT
gboolean shapes_check(const ConfigList *layers, GError **error);

#endif
