/*
 * alone.h - how long an operation takes an NPU that does nothing else
 *
 * Units    ps
 */
#ifndef MODELS_RUN_REPORT_ALONE_H
#define MODELS_RUN_REPORT_ALONE_H

#include "models/run/system.h"

/* Of a kernel, with the whole NPU to itself; of a stage, or of communication
 * that is not simulated, what it takes anyway; with what `perturb` makes of it.
 * 0: it is simulated. */
SimTime system_alone_ps(const System *system, uint32_t npu, uint32_t op,
                        uint64_t iteration);
SimTime system_gap_ps(const System *system, uint32_t npu, uint32_t op);

#endif
