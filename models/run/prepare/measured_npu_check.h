/*
 * measured_npu_check.h - checks that kernel times were measured on the
 * simulated NPU
 *
 * A workload may state the SMs, clock, FLOP/s and memory bandwidth of the NPU
 * on which its times were measured (workloads/measurement_conditions.h).
 *
 * Errors   CONFIG_ERROR_CONFLICT if the platform has another NPU.  A single key
 *          that the user set apart from the NPU's own file is a what-if: it is
 *          no error, and a note is added to the graph.
 */
#ifndef MODELS_RUN_PREPARE_MEASURED_NPU_CHECK_H
#define MODELS_RUN_PREPARE_MEASURED_NPU_CHECK_H

#include "models/run/system.h"

G_GNUC_WARN_UNUSED_RESULT
gboolean measured_npu_check(const PlatformConfig *platform, OpGraph *graph,
                            GError **error);

#endif
