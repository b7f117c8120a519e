/*
 * verify_ops.h - checks that all operations of the workload are done in its
 * order
 *
 * The check counts from the graph alone, independently of the model. No
 * operation may begin before the operations that it depends on have ended. A
 * collective may end on an NPU only when its whole payload has been carried
 * there, except in a group of one NPU. Fused buffers of collective lanes are
 * checked in verify_buffers.h.
 *
 * Errors   a text that the caller frees, or NULL if all is right
 */
#ifndef MODELS_OBSERVE_VERIFY_OPS_H
#define MODELS_OBSERVE_VERIFY_OPS_H

#include "models/collectives/role_placement.h"

typedef struct VerifyOps VerifyOps;

/* Returns the counters for the operations of @graph, which is borrowed. */
VerifyOps *verify_ops_new(const OpGraph *graph, uint32_t n_npus);
/* Sets which NPUs run which operations.  @placement is borrowed.  Without it
 * all NPUs run all operations in one group. */
void verify_ops_set_placement(VerifyOps *ops, const CollPlacement *placement);
void verify_ops_free(VerifyOps *ops);

/* Records that instance @iteration of @op begins on @npu. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_ops_begin_instance(const VerifyOps *ops, uint32_t npu, uint32_t op,
                                uint64_t iteration);
/* Records that @bytes more of the payload of instance @iteration have been
 * carried to their place. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_ops_add_carried_bytes(VerifyOps *ops, uint32_t npu, uint32_t op,
                                   uint64_t iteration, uint64_t bytes);
/* Records that the current instance of @op ends on @npu.  Returns the text of
 * the fault, which the caller owns, or NULL. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_ops_end_instance(VerifyOps *ops, uint32_t npu, uint32_t op);
/* Checks at the end of the run that each operation was done @n_iterations
 * times. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_ops_check_all_done(const VerifyOps *ops, uint64_t n_iterations);

#endif
