/*
 * jobs.h - what each job of a run has come to
 *
 * A job's time runs from its start to the end of the last of its NPUs.  A run
 * that is one workload is one job.
 *
 * Units    ps, bytes; of an NPU that trains and, but for start and end, an
 *          iteration, the mean of all of the job
 */
#ifndef MODELS_RUN_REPORT_JOBS_H
#define MODELS_RUN_REPORT_JOBS_H

#include "models/run/system.h"

typedef struct {
    const char *name; /* borrowed of the system */
    uint32_t n_npus;  /* that train */
    SimTime start_ps, end_ps;
    SimTime iteration_ps; /* (end - start) / iterations, rounded up */
    SimTime compute_ps, exposed_ps, comm_ps;
    uint64_t sent_bytes;
} JobResult;

guint system_n_jobs(const System *system);
/* After the run. */
JobResult system_job_result(const System *system, guint job);

#endif
