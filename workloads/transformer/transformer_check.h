/*
 * transformer_check.h - whether a model can be divided as it is asked for
 *
 * Errors   CONFIG_ERROR at Transformer.node, or at the section
 */
#ifndef WORKLOADS_TRANSFORMER_TRANSFORMER_CHECK_H
#define WORKLOADS_TRANSFORMER_TRANSFORMER_CHECK_H

#include "workloads/transformer/transformer.h"

/* Checks that the axes of the mesh divide the model. */
G_GNUC_WARN_UNUSED_RESULT
gboolean transformer_check(const Transformer *t, GError **error);

/* Checks the way of tokens to their experts; .load is complete. */
G_GNUC_WARN_UNUSED_RESULT
gboolean transformer_check_exchange(const Transformer *t, GError **error);

#endif
