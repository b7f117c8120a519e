/*
 * verify_loads.h - buffers of lanes: what is in them comes through with them
 *
 * A buffer holds its members side by side, so each is carried when all of the
 * buffer is.  Members have to be of the kind, group and roles that the buffer
 * is proved for, and each NPU has to have the same in it.
 *
 * Errors   a text that says what is wrong, for the caller to free; NULL: fine
 */
#ifndef MODELS_OBSERVE_VERIFY_LOADS_H
#define MODELS_OBSERVE_VERIFY_LOADS_H

#include "models/observe/verify_ops.h"
#include "models/trace/told.h"

typedef struct VerifyLoads VerifyLoads;

/* Both are borrowed. */
VerifyLoads *verify_loads_new(const OpGraph *graph, VerifyOps *ops);
void verify_loads_free(VerifyLoads *loads);

/* @load, which is fused, begins on @npu. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_loads_begin(VerifyLoads *loads, uint32_t npu,
                         const TraceLoad *load);
/* @bytes more of use @iteration of buffer @op are where they belong. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_loads_carried(VerifyLoads *loads, uint32_t npu, uint32_t op,
                           uint64_t iteration, uint64_t bytes);
/* It ends, and its members will. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_loads_end(VerifyLoads *loads, uint32_t npu, const TraceLoad *load);

#endif
