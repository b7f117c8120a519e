/*
 * transformer_check.h - checks that a model can be divided as the configuration
 * requests
 *
 * Errors   CONFIG_ERROR at Transformer.node, or at the section
 */
#ifndef WORKLOADS_TRANSFORMER_TRANSFORMER_CHECK_H
#define WORKLOADS_TRANSFORMER_TRANSFORMER_CHECK_H

#include "workloads/transformer/transformer.h"

/* Checks that the axes of the mesh divide the model. */
G_GNUC_WARN_UNUSED_RESULT
gboolean transformer_check(const Transformer *t, GError **error);

/* Checks how tokens are sent to their experts; .load must be complete. */
G_GNUC_WARN_UNUSED_RESULT
gboolean transformer_check_exchange(const Transformer *t, GError **error);

#endif
