/* critical_path_rows.h - the rows of the critical path: causes of the time of
 * an NPU's main stream */
#ifndef MODELS_OBSERVE_CRITICAL_PATH_ROWS_H
#define MODELS_OBSERVE_CRITICAL_PATH_ROWS_H

#include "models/trace/resource_list.h"
#include "network/topology.h"
#include "workloads/op.h"

typedef enum {
    /* The rows from here to PATH_LOST_HBM divide the time of kernels. */
    PATH_FLOP,          /* kernel time bound by the arithmetic of the SMs */
    PATH_MEMORY,        /* kernel time bound by the HBM bandwidth it had */
    PATH_LAUNCH,        /* launch overhead of kernels */
    PATH_FIXED,         /* kernels with a measured time and without a shape */
    PATH_SIDE_SLOWDOWN, /* slowdown by resources of the side stream */
    PATH_LOST_SMS,      /* slowdown by SMs that communication used */
    PATH_LOST_HBM,      /* slowdown by HBM bandwidth of communication */
    PATH_PERTURBED,
    /* The rows from here on are waits.  The first ones are waits for endpoint
     * resources, at PATH_RESOURCES + TraceResource (resource_list.h). */
    PATH_RESOURCES,
    PATH_SIDE = PATH_RESOURCES + RESOURCE_MAX, /* kernels of the side stream */
    PATH_OTHER_NPUS,                           /* kernels of other NPUs */
    PATH_NETWORK,  /* links and latency together, in a network of packets */
    PATH_UNKNOWN,  /* wait whose causes were dropped for lack of memory */
    PATH_GAPS,     /* recorded idle time */
    PATH_RECORDED, /* communication that is not simulated */
    /* Stages of the input or recorded ones, at PATH_STAGES + OpStage. */
    PATH_STAGES,
    /* Links and latencies of the network, by dimension. */
    PATH_LINKS = PATH_STAGES + OP_N_STAGES,
    PATH_LATENCIES = PATH_LINKS + TOPOLOGY_MAX_DIMS,
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

/* Returns whether @row is a wait for communication, and not for a kernel, a
 * stage or recorded idle time. */
static inline gboolean path_row_is_communication_wait(uint32_t row)
{
    return path_row_is_wait(row) && row != PATH_SIDE &&
           row != PATH_OTHER_NPUS && row != PATH_GAPS &&
           !path_row_is_stage(row);
}

#endif
