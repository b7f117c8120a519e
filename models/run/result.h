/*
 * result.h - the results of a run: see system_result()
 *
 * Units    ps, ns, bytes, bytes/s; per NPU and, where stated, per iteration
 */
#ifndef MODELS_RUN_RESULT_H
#define MODELS_RUN_RESULT_H

#include "models/endpoints/endpoint.h"
#include "sim/core/time.h"

typedef struct {
    uint32_t n_npus, n_simulated;
    uint32_t last_npu; /* the first of those that ended last */
    uint64_t n_iterations;
    SimTime total_ps; /* all iterations */
    SimTime span_ps;  /* until all NPUs have ended, including operations after
                         the last iteration */
    SimTime iteration_ps; /* total / iterations, rounded up */
    SimTime compute_ps; /* per iteration: the main stream runs a kernel, on NPUs
                           of the job that ends last */
    SimTime exposed_ps; /* per iteration: the remainder, .iteration_ps -
                           .compute_ps */
    SimTime beside_ps;  /* per iteration: the part of .compute_ps with a
                           collective in flight on the same NPU */
    SimTime roofline_ps; /* per iteration: kernels alone, with their shares */
    SimTime comm_ps; /* per iteration: a collective is in flight on any NPU, up
                        to .span_ps */
    SimTime own_comm_ps; /* per iteration: a collective is in flight on the NPU
                            itself, on average */
    SimTime window_ps;   /* per iteration: a chunk waits for the window */
    /* per iteration */
    uint64_t sent_bytes, hbm_comm_read_bytes, hbm_comm_write_bytes;
    uint64_t hbm_compute_bytes, sm_compute_ns, sm_comm_ns;
    /* over the whole run */
    EndpointStats endpoint;
    ResourceUse uses[RESOURCE_MAX]; /* of NPU 0, by number: see resource.h */
    uint64_t n_hops, n_events;      /* of the simulated NPUs */
    /* bytes per second: sent on all links of an NPU, and the limit that the
     * busiest dimension sets for those bytes */
    uint64_t net_bytes_per_s, net_cap_bytes_per_s;
} SystemResult;

#endif
