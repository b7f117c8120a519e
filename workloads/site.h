/*
 * site.h - what is known of the machine where a graph is built
 *
 * A loop describes what is to be done, not where.  A few ways to move gradients
 * depend on the machine all the same: how much an all-gather of all NPUs'
 * gradients is, and when a plan thinks that a gradient is ready.
 *
 * Units    ps
 * Owner    the caller's, for as long as the graph is built
 */
#ifndef WORKLOADS_SITE_H
#define WORKLOADS_SITE_H

#include "workloads/graph.h"

/* Who builds a graph only to see whether it can be built has none: NULL. */
typedef struct {
    uint32_t n_npus;
    /* How long each operation of @graph takes that is there so far, with its
     * NPU to itself and 0 of a collective, as @ret_ps[op]; NULL: not known. */
    void (*kernel_times)(gconstpointer data, const OpGraph *graph,
                         uint64_t *ret_ps);
    gconstpointer data; /* of .kernel_times */
} WorkloadSite;

#define SITE_N_NPUS_ASSUMED 2 /* where there is no site */

static inline uint32_t site_n_npus(const WorkloadSite *site)
{
    return site ? site->n_npus : SITE_N_NPUS_ASSUMED;
}

#endif
