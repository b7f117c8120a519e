/*
 * overlap.cuh - a compute kernel and a partner, alone and together
 *
 * Each repetition has three windows, one after the other: the kernel alone,
 * the partner alone, both.  So drifting clocks touch all three alike.
 */
#ifndef VALIDATE_GPU_LAB_OVERLAP_CUH
#define VALIDATE_GPU_LAB_OVERLAP_CUH

#include "validate/gpu/host/table.h"
#include "validate/gpu/lab/lab.cuh"
#include "validate/gpu/plan/plan.h"

struct OverlapResult {
    MeasureResult work;
    MeasureResult partner; /* the time of its `bytes`; none when idle */
};

/* Throws Failure when it would take longer than @cap_s. */
OverlapResult measure_overlap(Lab &lab, const PlanEntry &entry,
                              uint32_t repetitions, uint64_t seed,
                              double cap_s);

#endif
