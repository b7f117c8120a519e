/*
 * path_rows.h - what the time of an NPU's main stream can have gone to
 */
#ifndef MODELS_OBSERVE_PATH_ROWS_H
#define MODELS_OBSERVE_PATH_ROWS_H

#include "models/trace/resource.h"
#include "network/topology.h"
#include "workloads/op.h"

typedef enum {
    /* kernels */
    PATH_FLOP,     /* bound by the SMs' arithmetic */
    PATH_MEMORY,   /* bound by the HBM bandwidth they had */
    PATH_LAUNCH,   /* launch overhead */
    PATH_FIXED,    /* a measured time without a shape */
    PATH_SIDE_HAS, /* slowed by what the side stream has */
    PATH_LOST_SMS, /* slowed by SMs that communication has */
    PATH_LOST_HBM, /* slowed by HBM bandwidth that it has */
    PATH_PERTURBED,
    /* waits */
    PATH_RESOURCES,                            /* + number, see resource.h */
    PATH_SIDE = PATH_RESOURCES + RESOURCE_MAX, /* kernels of that stream */
    PATH_OTHERS,                               /* kernels of other NPUs */
    PATH_NETWORK,  /* packet by packet: links and latency in one */
    PATH_UNKNOWN,  /* not recorded, for want of memory */
    PATH_GAPS,     /* in which nothing was done, as recorded */
    PATH_RECORDED, /* communication that is not simulated */
    PATH_STAGES,   /* + OpStage: of the input, of what was recorded */
    PATH_LINKS = PATH_STAGES + OP_N_STAGES,          /* + dimension */
    PATH_LATENCIES = PATH_LINKS + TOPOLOGY_MAX_DIMS, /* + dimension */
    PATH_N = PATH_LATENCIES + TOPOLOGY_MAX_DIMS,
} PathRow;

static inline gboolean path_row_is_wait(uint32_t row)
{
    return row >= PATH_RESOURCES;
}

static inline gboolean path_row_is_stage(uint32_t row)
{
    return row >= PATH_STAGES && row < PATH_STAGES + OP_N_STAGES;
}

/* It is one for neither kernels nor stages, and for something. */
static inline gboolean path_row_is_communication(uint32_t row)
{
    return path_row_is_wait(row) && row != PATH_SIDE && row != PATH_OTHERS &&
           row != PATH_GAPS && !path_row_is_stage(row);
}

#endif
