/*
 * measured_times_npu_check.h - checks that kernel times were measured on the
 * simulated NPU
 *
 * A workload may state the SMs, clock, FLOP/s and memory bandwidth of the NPU
 * on which its times were measured (workloads/measurement_conditions.h).
 *
 * Errors   CONFIG_ERROR_CONFLICT if the platform has another NPU.  If the user
 *          has only changed a single key of the NPU, as for a what-if, a note
 *          is added to the graph instead.
 */
#ifndef MODELS_RUN_PREPARE_MEASURED_TIMES_NPU_CHECK_H
#define MODELS_RUN_PREPARE_MEASURED_TIMES_NPU_CHECK_H

#include "models/run/system.h"

G_GNUC_WARN_UNUSED_RESULT
gboolean measured_times_npu_check(const PlatformConfig *platform,
                                  OpGraph *graph, GError **error);

#endif
