/* path_rows.h - the rows of the critical path: causes of the time of an NPU's
 * main stream */
#ifndef MODELS_OBSERVE_PATH_ROWS_H
#define MODELS_OBSERVE_PATH_ROWS_H

#include "models/trace/resource.h"
#include "network/topology.h"
#include "workloads/op.h"

typedef enum {
    /* Kernels. */
    PATH_FLOP,          /* bound by the SMs' arithmetic */
    PATH_MEMORY,        /* bound by the HBM bandwidth that they had */
    PATH_LAUNCH,        /* launch overhead */
    PATH_FIXED,         /* measured time without a shape */
    PATH_SIDE_SLOWDOWN, /* slowed by resources of the side stream */
    PATH_LOST_SMS,      /* slowed by SMs that communication used */
    PATH_LOST_HBM,      /* slowed by HBM bandwidth that communication used */
    PATH_PERTURBED,
    /* Waits. */
    PATH_RESOURCES, /* + TraceResource, see resource.h */
    PATH_SIDE = PATH_RESOURCES + RESOURCE_MAX, /* kernels of the side stream */
    PATH_OTHER_NPUS,                           /* kernels of other NPUs */
    PATH_NETWORK,  /* links and latency together, in a network of packets */
    PATH_UNKNOWN,  /* not recorded, due to lack of memory */
    PATH_GAPS,     /* recorded idle time */
    PATH_RECORDED, /* communication that is not simulated */
    PATH_STAGES,   /* + OpStage: stages of the input, or recorded ones */
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

/* Returns whether @row is a wait for communication: not for a kernel, a stage
 * or recorded idle time. */
static inline gboolean path_row_is_communication(uint32_t row)
{
    return path_row_is_wait(row) && row != PATH_SIDE &&
           row != PATH_OTHER_NPUS && row != PATH_GAPS &&
           !path_row_is_stage(row);
}

#endif
