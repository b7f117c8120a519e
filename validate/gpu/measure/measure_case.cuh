/*
 * measure_case.cuh - the state of a run, and the measurement of one case
 *
 * Errors   exceptions: see gpu_context.cuh
 * Owner    all references are borrowed
 */
#ifndef VALIDATE_GPU_LAB_RUN_CUH
#define VALIDATE_GPU_LAB_RUN_CUH

#include "validate/gpu/host/measurement_output.h"
#include "validate/gpu/host/measurement_record.h"
#include "validate/gpu/host/options.h"
#include "validate/gpu/host/progress.h"
#include "validate/gpu/measure/nvml_clocks.cuh"
#include "validate/gpu/plan/measurement_plan.h"

/* The state of a run.  Entries are measured one after the other. */
struct Run {
    const Options &options;
    GpuContext &gpu;
    const Nvml &nvml;
    const Plan &plan;
    Output &output;
    Record &record;
    Progress progress;
    double began_s;
};

/* Returns the seconds since the start of the program. */
double run_elapsed_s(const Run &run);

/* Measures @entry and writes its rows.  With --check, only compares the results
 * of its kernels with the CPU. */
void measure_entry(Run &run, const PlanEntry &entry, uint32_t pass);

#endif
