/*
 * verify_buffers.h - checks fused buffers of lanes and the collectives in them
 *
 * A buffer holds its members one after another, so each member is carried when
 * the whole buffer is.  The members must have the kind, group and roles for
 * which the buffer was made, and each NPU must have the same members in it.
 *
 * Errors   a text that the caller frees, or NULL if all is right
 */
#ifndef MODELS_OBSERVE_VERIFY_BUFFERS_H
#define MODELS_OBSERVE_VERIFY_BUFFERS_H

#include "models/observe/verify_ops.h"
#include "models/trace/trace_records.h"

typedef struct VerifyBuffers VerifyBuffers;

/* Returns the state of all buffers.  Both arguments are borrowed. */
VerifyBuffers *verify_buffers_new(const OpGraph *graph, VerifyOps *ops);
void verify_buffers_free(VerifyBuffers *buffers);

/* Records that the fused buffer @load begins on @npu. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_buffers_begin_load(VerifyBuffers *buffers, uint32_t npu,
                                const TraceLoad *load);
/* Records that @bytes more of use @iteration of buffer @op have been carried to
 * their place. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_buffers_add_carried_bytes(VerifyBuffers *buffers, uint32_t npu,
                                       uint32_t op, uint64_t iteration,
                                       uint64_t bytes);
/* Records that the fused buffer @load ends.  Its members end later. */
G_GNUC_WARN_UNUSED_RESULT
char *verify_buffers_end_load(VerifyBuffers *buffers, uint32_t npu,
                              const TraceLoad *load);

#endif
