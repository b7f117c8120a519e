/*
 * run_result.h - the results of a run: see system_result()
 *
 * Units    ps, ns, bytes, bytes/s; per NPU and, where stated, per iteration
 */
#ifndef MODELS_RUN_RUN_RESULT_H
#define MODELS_RUN_RUN_RESULT_H

#include "models/endpoints/endpoint.h"
#include "sim/core/time.h"

typedef struct {
    uint32_t n_npus, n_simulated;
    uint32_t last_npu; /* the first of the NPUs that ended last */
    uint64_t n_iterations;
    SimTime total_ps; /* duration of all iterations */
    /* Time until all NPUs have ended, including operations after the last
     * iteration. */
    SimTime span_ps;
    SimTime iteration_ps; /* .total_ps / iterations, rounded up */
    /* Per iteration: time in which the main stream runs a kernel, on NPUs of
     * the job that ends last. */
    SimTime compute_ps;
    /* Per iteration: exposed communication, .iteration_ps - .compute_ps. */
    SimTime exposed_ps;
    /* Per iteration: the part of .compute_ps with a collective in flight on the
     * same NPU. */
    SimTime beside_ps;
    /* Per iteration: time of the kernels without communication, with their
     * shares. */
    SimTime roofline_ps;
    /* Per iteration: time in which a collective is in flight on any NPU, up to
     * .span_ps. */
    SimTime comm_ps;
    /* Per iteration: time in which a collective is in flight on the NPU itself,
     * on average. */
    SimTime own_comm_ps;
    /* Per iteration: time in which a chunk waits for the window, on
     * average over NPUs. */
    SimTime window_ps;
    /* Bytes per iteration: sent on links, and read from and written to HBM by
     * communication. */
    uint64_t sent_bytes, hbm_comm_read_bytes, hbm_comm_write_bytes;
    uint64_t hbm_compute_bytes, sm_compute_ns, sm_comm_ns;
    /* Statistics of the endpoint over the whole run. */
    EndpointStats endpoint;
    /* Use of the resources of NPU 0, by resource number (resource_list.h). */
    ResourceUse uses[RESOURCE_MAX];
    /* Transfers over links and events, of all simulated NPUs. */
    uint64_t n_hops, n_events;
    /* Bytes per second: sent on all links of an NPU, and the limit that the
     * busiest dimension sets for these bytes. */
    uint64_t net_bytes_per_s, net_cap_bytes_per_s;
} SystemResult;

#endif
