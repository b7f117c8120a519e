/*
 * job_results.h - the results of each job of a run
 *
 * The time of a job is from its start to the end of the last of its NPUs.  A
 * run of one workload has one job.
 *
 * Units    ps, bytes.  Start and end are times of the run.  Other values are
 *          per iteration and per NPU that trains, averaged over the job.
 */
#ifndef MODELS_RUN_REPORT_JOB_RESULTS_H
#define MODELS_RUN_REPORT_JOB_RESULTS_H

#include "models/run/system.h"

typedef struct {
    const char *name; /* name of the job, borrowed from the system */
    uint32_t n_npus;  /* number of NPUs that train */
    SimTime start_ps, end_ps;
    SimTime iteration_ps; /* (end - start) / iterations, rounded up */
    SimTime compute_ps, exposed_ps, comm_ps;
    uint64_t sent_bytes;
} JobResult;

guint system_n_jobs(const System *system);
/* Returns the results of @job, which must be less than system_n_jobs(), after
 * the run. */
JobResult system_job_result(const System *system, guint job);

#endif
