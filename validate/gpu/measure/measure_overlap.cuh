/*
 * measure_overlap.cuh - measures a compute kernel and a partner, alone and
 * together
 *
 * Each repetition has three consecutive windows: the kernel alone, the partner
 * alone, and both.  A drift of the clocks therefore affects all three equally.
 */
#ifndef VALIDATE_GPU_LAB_OVERLAP_CUH
#define VALIDATE_GPU_LAB_OVERLAP_CUH

#include "validate/gpu/host/measurement_table.h"
#include "validate/gpu/measure/gpu_context.cuh"
#include "validate/gpu/plan/measurement_plan.h"

struct OverlapResult {
    MeasureResult work;
    /* the time for its `bytes`; no repetitions if the partner is idle */
    MeasureResult partner;
};

/* Measures one pair.  Throws Failure if that would take longer than @cap_s. */
OverlapResult measure_overlap(GpuContext &gpu, const PlanEntry &entry,
                              uint32_t repetitions, uint64_t seed,
                              double cap_s);

#endif
