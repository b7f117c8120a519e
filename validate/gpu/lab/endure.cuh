/*
 * endure.cuh - times a kernel that goes on for many seconds
 *
 * Steps follow each other without a gap: while one runs, the next two are
 * enqueued and the driver is asked for clock, power and temperature.
 */
#ifndef VALIDATE_GPU_LAB_ENDURE_CUH
#define VALIDATE_GPU_LAB_ENDURE_CUH

#include <functional>

#include "validate/gpu/host/sustain.h"
#include "validate/gpu/kernels/work.cuh"
#include "validate/gpu/lab/clocks.cuh"

/* Calls @take with each second's row as it ends; throws Failure when a launch
 * is too long for a step. */
void endure(Lab &lab, const Nvml &nvml, Work &work, uint32_t seconds,
            const std::function<void(const MeasureResult &)> &take);

#endif
