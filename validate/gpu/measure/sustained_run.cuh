/*
 * sustained_run.cuh - times a kernel that runs for many seconds
 *
 * Steps run without a gap.  While one runs, the next two are enqueued, and the
 * driver is queried for clock, power and temperature.
 */
#ifndef VALIDATE_GPU_LAB_SUSTAINED_RUN_CUH
#define VALIDATE_GPU_LAB_SUSTAINED_RUN_CUH

#include <functional>

#include "validate/gpu/host/sustained_run_summary.h"
#include "validate/gpu/kernels/prepared_case.cuh"
#include "validate/gpu/measure/nvml_clocks.cuh"

/* Runs @work for @seconds and calls @on_second with the row of each second when
 * it ends.  Throws Failure if one launch is too long for a step. */
void run_sustained_kernel(
    GpuContext &gpu, const Nvml &nvml, Work &work, uint32_t seconds,
    const std::function<void(const MeasureResult &)> &on_second);

#endif
