/*
 * verify_loads.h - checks fused buffers of lanes and the collectives in them
 *
 * A buffer holds its members one after another, so each member is carried when
 * the whole buffer is.  The members must have the kind, group and roles for
 * which the buffer was made, and each NPU must have the same members in it.
 *
 * Errors   a text that the caller frees, or NULL if all is right
 */
#ifndef MODELS_OBSERVE_VERIFY_LOADS_H
#define MODELS_OBSERVE_VERIFY_LOADS_H

#include "models/observe/verify_ops.h"
#include "models/trace/told.h"

typedef struct VerifyLoads VerifyLoads;

/* Returns the state of all buffers.  Both arguments are borrowed. */
VerifyLoads *verify_loads_new(const OpGraph *graph, VerifyOps *ops);
void verify_loads_free(VerifyLoads *loads);

/* The fused load @load begins on @npu. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_loads_begin(VerifyLoads *loads, uint32_t npu,
                         const TraceLoad *load);
/* @bytes more of use @iteration of buffer @op are in their place. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_loads_carried(VerifyLoads *loads, uint32_t npu, uint32_t op,
                           uint64_t iteration, uint64_t bytes);
/* @load ends; its members will end later. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_loads_end(VerifyLoads *loads, uint32_t npu, const TraceLoad *load);

#endif
