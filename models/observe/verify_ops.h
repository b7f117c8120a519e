/*
 * verify_ops.h - what the workload asked for, in its order, all of it
 *
 * Counts, beside the model and from the graph alone: no operation may begin
 * before those that it depends on have ended, and a collective may end on an
 * NPU only when all its payload has been carried there; but where there is
 * one NPU alone nothing is.  Buffers of lanes are not looked at
 * (verify_loads.h).
 *
 * Errors   a text that says what is wrong, for the caller to free; NULL: fine
 */
#ifndef MODELS_OBSERVE_VERIFY_OPS_H
#define MODELS_OBSERVE_VERIFY_OPS_H

#include "models/collectives/cast.h"

typedef struct VerifyOps VerifyOps;

/* @graph is borrowed. */
VerifyOps *verify_ops_new(const OpGraph *graph, uint32_t n_npus);
/* Who runs which of them: borrowed.  Else all NPUs run all, in one group. */
void verify_ops_set_cast(VerifyOps *ops, const CollCast *cast);
void verify_ops_free(VerifyOps *ops);

/* Instance @iteration of @op begins on @npu. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_ops_begin(const VerifyOps *ops, uint32_t npu, uint32_t op,
                       uint64_t iteration);
/* @bytes more of the payload of instance @iteration are where they belong. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_ops_carried(VerifyOps *ops, uint32_t npu, uint32_t op,
                         uint64_t iteration, uint64_t bytes);
/* The present instance of @op ends. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_ops_end(VerifyOps *ops, uint32_t npu, uint32_t op);
/* The run is over: everything was done @n_iterations times. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_ops_close(const VerifyOps *ops, uint64_t n_iterations);

#endif
