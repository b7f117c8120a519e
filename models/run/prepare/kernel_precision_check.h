/*
 * kernel_precision_check.h - checks that the NPU has the precisions of a graph
 *
 * Products of fp8, mxfp8 and nvfp4 need a separate peak, since that of 16 bits
 * would be wrong by a factor.
 *
 * Errors   CONFIG_ERROR_CONFLICT at the node of the operation
 */
#ifndef MODELS_RUN_PREPARE_KERNEL_PRECISION_CHECK_H
#define MODELS_RUN_PREPARE_KERNEL_PRECISION_CHECK_H

#include "models/npu/kernel_time.h"

/* Returns FALSE if a product of @graph has a precision that @npu lacks. */
G_GNUC_WARN_UNUSED_RESULT
gboolean kernel_precision_check(const NpuConfig *npu, const OpGraph *graph,
                                GError **error);

#endif
