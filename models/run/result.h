/*
 * result.h - what a run has counted: see system_result()
 *
 * Units    ps, ns, bytes, bytes/s; per NPU and, where said so, per iteration
 */
#ifndef MODELS_RUN_RESULT_H
#define MODELS_RUN_RESULT_H

#include "models/endpoints/endpoint.h"
#include "sim/core/time.h"

typedef struct {
    uint32_t n_npus, n_simulated;
    uint32_t last_npu; /* the first of those that ended last */
    uint64_t n_iterations;
    SimTime total_ps;     /* all iterations */
    SimTime span_ps;      /* until all NPUs have ended, also with what goes on
                           * after the last iteration */
    SimTime iteration_ps; /* total / iterations, rounded up */
    SimTime compute_ps;   /* per iteration: main stream has a kernel running, on
                           * NPUs of the job that ends last */
    SimTime exposed_ps;   /* per iteration: the rest of it */
    SimTime beside_ps;    /* per iteration: of compute, some collective is under
                           * way on the same NPU, too */
    SimTime roofline_ps;  /* per iteration: kernels alone, on their share */
    SimTime comm_ps;      /* per iteration: some collective under way on any
                           * NPU, up to .span_ps */
    SimTime own_comm_ps;  /* per iteration: that of an NPU's own, on average */
    SimTime window_ps;    /* per iteration: a chunk waits for the window */
    /* per iteration */
    uint64_t sent_bytes, hbm_comm_read_bytes, hbm_comm_write_bytes;
    uint64_t hbm_compute_bytes, sm_compute_ns, sm_comm_ns;
    /* over the whole run */
    EndpointStats endpoint;
    ResourceUse uses[RESOURCE_MAX]; /* of NPU 0, by number: see resource.h */
    uint64_t n_hops, n_events;      /* of what was simulated */
    /* bytes per second: all links out of an NPU, and what the busiest
     * dimension lets through for the bytes that were sent */
    uint64_t net_bytes_per_s, net_cap_bytes_per_s;
} SystemResult;

#endif
