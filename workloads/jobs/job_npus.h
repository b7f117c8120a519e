/*
 * job_npus.h - the NPUs of each job
 *
 * A job has its NPUs by stride (NPUs with id / stride mod size = at) or by a
 * list.  A map has the job of each NPU, so that no NPU gets two jobs.
 *
 * Errors   CONFIG_ERROR at the job
 * Owner    the caller of job_map_init() clears the map; the document owns jobs
 */
#ifndef WORKLOADS_JOBS_JOB_NPUS_H
#define WORKLOADS_JOBS_JOB_NPUS_H

#include "sim/config/config.h"

typedef struct {
    uint64_t remainder, stride;
    /* Number of jobs by stride; CONFIG_AUTO: the NPUs are those of .list. */
    uint64_t size;
    ConfigList list; /* ids of NPUs; the elements are uint64_t */
} JobRanks;

typedef struct {
    const char *name;
    ConfigVariant workload;
    JobRanks ranks;
    uint64_t start_ps;
    const ConfigNode *node;
} Job;

extern const ConfigField job_ranks_fields[];

typedef struct {
    uint32_t n_npus;
    /* Owned: the job of each NPU, borrowed; NULL: an NPU without a job. */
    const Job **owners;
} JobMap;

/* Returns the number of NPUs of the smallest platform that may run @jobs, a
 * list of Job. */
uint32_t job_ranks_min_npus(const ConfigList *jobs);

void job_map_init(JobMap *map, uint32_t n_npus);
void job_map_clear(JobMap *map);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(JobMap, job_map_clear)

/* Assigns its NPUs to @job.  Returns FALSE and sets @error if an NPU does not
 * exist or has another job. */
G_GNUC_WARN_UNUSED_RESULT
gboolean job_map_assign(JobMap *map, const Job *job, GError **error);
/* Takes the NPUs of @job away from it. */
void job_map_remove_job(JobMap *map, const Job *job);

/* Returns the NPUs of @job in rising order, or those without a job if @job is
 * NULL. The caller owns them. */
uint32_t *job_map_npu_ids(const JobMap *map, const Job *job, uint32_t *ret_n);

#endif
