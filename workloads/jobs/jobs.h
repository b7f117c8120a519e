/*
 * jobs.h - joins several graphs: each runs on some NPUs from a start time on
 *
 * A job is a graph that was built as if its NPUs were the whole platform:
 * there, they have the ids 0, 1, ... in the order of their platform ids.
 * Joining copies its operations.  Its roles, groups and lanes stay separate
 * from those of other jobs and get the ids of the platform; its group of all
 * NPUs becomes the group of its NPUs.  No operation waits for an operation of
 * another job: jobs only share the fabric.
 *
 * Units    ids of NPUs, ps
 * Errors   CONFIG_ERROR at the job, or at the part of it that does not fit its
 *          NPUs
 * Owner    ids and names are borrowed while a job is joined
 */
#ifndef WORKLOADS_JOBS_JOBS_H
#define WORKLOADS_JOBS_JOBS_H

#include "workloads/graph.h"

/* A network has at most as many flows, one for each job: see
 * network_set_flows(). */
#define OP_MAX_JOBS 64

typedef struct {
    const char *name;
    const uint32_t *ids; /* ids of the job's NPUs, in rising order */
    uint32_t n_ids;
    /* The job has all NPUs of the platform: groups and roles of any kind stay
     * unchanged. */
    gboolean is_all;
    /* Time at which the job starts; its NPUs are idle until then. */
    uint64_t start_ps;
    const ConfigNode *node; /* the job, for error messages */
} JobSite;

/* Adds @part to @graph; keeps no reference to @part. */
G_GNUC_WARN_UNUSED_RESULT
gboolean jobs_join_graph(OpGraph *graph, const OpGraph *part,
                         const JobSite *site, GError **error);

/* Adds a role for NPUs without a job, because every NPU needs a role. */
G_GNUC_WARN_UNUSED_RESULT
gboolean jobs_add_idle_role(OpGraph *graph, const uint32_t *ids, uint32_t n_ids,
                            const ConfigNode *node, GError **error);

static inline const OpJob *op_graph_job(const OpGraph *graph, uint32_t i)
{
    return &g_array_index(graph->jobs, OpJob, i);
}

/* Returns the time at which the NPUs of @role start. */
uint64_t op_graph_start_ps(const OpGraph *graph, uint32_t role);

#endif
