/*
 * jobs.h - several graphs in one: each on some NPUs, from a time on
 *
 * A job is a graph that was built as if its NPUs were all that there are: they
 * are 0, 1, ... in it, in the order of their ids.  Joined to a graph it
 * keeps its operations, with roles, groups and lanes of its own that name the
 * platform's ids; its group of all NPUs becomes that of its own.  Nothing waits
 * for what is another job's: what jobs share is the fabric alone.
 *
 * Units    ids of NPUs, ps
 * Errors   CONFIG_ERROR at the job, or at what of it does not fit its NPUs
 * Owner    ids and names are borrowed while a job is joined
 */
#ifndef WORKLOADS_JOBS_JOBS_H
#define WORKLOADS_JOBS_JOBS_H

#include "workloads/graph.h"

typedef struct {
    const char *name;
    const uint32_t *ids; /* its NPUs, in rising order */
    uint32_t n_ids;
    gboolean is_all;        /* they are the platform's: they keep their groups
                             * and roles, whatever these are made of */
    uint64_t start_ps;      /* until then they do nothing */
    const ConfigNode *node; /* the job, for complaints */
} JobSite;

/* Adds @part, of which nothing is kept, to @graph. */
G_GNUC_WARN_UNUSED_RESULT
gboolean jobs_join(OpGraph *graph, const OpGraph *part, const JobSite *site,
                   GError **error);

/* NPUs that have nothing to do, as each has to have a role. */
G_GNUC_WARN_UNUSED_RESULT
gboolean jobs_add_idle(OpGraph *graph, const uint32_t *ids, uint32_t n_ids,
                       const ConfigNode *node, GError **error);

static inline const OpJob *op_graph_job(const OpGraph *graph, uint32_t i)
{
    return &g_array_index(graph->jobs, OpJob, i);
}

/* When NPUs of @role begin. */
uint64_t op_graph_start_ps(const OpGraph *graph, uint32_t role);

#endif
