/*
 * isolated_run.h - the time of an operation on an NPU that does nothing else
 *
 * Units    ps
 */
#ifndef MODELS_RUN_REPORT_ISOLATED_RUN_H
#define MODELS_RUN_REPORT_ISOLATED_RUN_H

#include "models/run/system.h"

/* Returns the time of @op on @npu in @iteration without contention, including
 * `perturb`: for a kernel the time with the whole NPU, for a stage or recorded
 * communication its given time.  Returns 0 for simulated communication. */
SimTime system_isolated_op_time_ps(const System *system, uint32_t npu,
                                   uint32_t op, uint64_t iteration);
/* Returns the gap before @op on @npu. */
SimTime system_gap_before_op_ps(const System *system, uint32_t npu,
                                uint32_t op);

#endif
