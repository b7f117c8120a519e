/*
 * measured_npu.h - whether measured times are of the NPU that they run on
 *
 * A workload may state the SMs, clock, FLOP/s and memory bandwidth of the NPU
 * on which its times were measured (workloads/measured_on.h).
 *
 * Errors   CONFIG_ERROR_CONFLICT where the platform has another NPU; a single
 *          key that is set apart from the NPU's own text is a what-if, which is
 *          noted in the graph
 */
#ifndef MODELS_RUN_PREPARE_MEASURED_NPU_H
#define MODELS_RUN_PREPARE_MEASURED_NPU_H

#include "models/run/system.h"

G_GNUC_WARN_UNUSED_RESULT
gboolean measured_npu_check(const PlatformConfig *platform, OpGraph *graph,
                            GError **error);

#endif
