/*
 * run.cuh - a run's state, and one case of it
 *
 * Errors   exceptions: see lab.cuh
 * Owner    all is borrowed
 */
#ifndef VALIDATE_GPU_LAB_RUN_CUH
#define VALIDATE_GPU_LAB_RUN_CUH

#include "validate/gpu/host/options.h"
#include "validate/gpu/host/output.h"
#include "validate/gpu/host/progress.h"
#include "validate/gpu/host/record.h"
#include "validate/gpu/lab/clocks.cuh"
#include "validate/gpu/plan/plan.h"

/* A run's state; entries are done one after the other. */
struct Run {
    const Options &options;
    Lab &lab;
    const Nvml &nvml;
    const Plan &plan;
    Output &output;
    Record &record;
    Progress progress;
    double began_s;
};

double elapsed_s(const Run &run);

/* Measures a case, or with --check only looks whether its kernels are right;
 * its rows are written as they come. */
void measure_entry(Run &run, const PlanEntry &entry, uint32_t pass);

#endif
