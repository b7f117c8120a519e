/*
 * machine_facts.h - facts about the machine for loops that build a graph
 *
 * A loop describes work independently of the machine.  A few exchanges need to
 * know the machine: the total size of an all-gather depends on the number of
 * NPUs, and a plan needs the time at which each gradient is ready.
 *
 * Units    ps
 * Owner    the caller; valid while the graph is built
 */
#ifndef WORKLOADS_MACHINE_FACTS_H
#define WORKLOADS_MACHINE_FACTS_H

#include "workloads/graph.h"

/* The machine.  Pass NULL to build a graph only to check that it can be
 * built. */
typedef struct {
    uint32_t n_npus;
    uint64_t memory_bytes; /* of an NPU; 0: not known */
    uint32_t most_tp; /* NPUs of the innermost dimension, a node's; a larger
                         tensor-parallel group is not proposed; 0: not
                         known */
    /* Writes to @ret_ps[op] the time of each existing operation of @graph if it
     * has its NPU alone, and 0 for collectives.  NULL: not known. */
    void (*kernel_times)(gconstpointer data, const OpGraph *graph,
                         uint64_t *ret_ps);
    gconstpointer data; /* passed to .kernel_times as its first argument */
} WorkloadSite;

/* Number of NPUs that a graph assumes without a site. */
#define SITE_N_NPUS_ASSUMED 2

static inline uint32_t machine_n_npus(const WorkloadSite *site)
{
    return site ? site->n_npus : SITE_N_NPUS_ASSUMED;
}

#endif
