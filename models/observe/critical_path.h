/*
 * critical_path.h - attributes the time of an NPU's main stream to causes
 *
 * A run consists of kernels of the main stream and of exposed waits between
 * them. The rows of the table (critical_path_rows.h) add up to the time of the
 * run exactly.
 *
 * Kernels.  A piece of a kernel that ran for a time d on s SMs and b bytes/s is
 * the fraction d / T(s, b) of the kernel, where T(s, b) is the time of the
 * whole kernel with these resources (kernel_time.h).  d is divided in these
 * proportions:
 *
 *   what binds the kernel on s and b        T(S, B)
 *   SMs and bandwidth of the side stream    T(s0, b0) - T(S, B)
 *   SMs of communication                    ((T(s, b0) - T(s0, b0)) +
 *                                            (T(s, b) - T(s0, b))) / 2
 *   HBM bandwidth of communication          ((T(s0, b) - T(s0, b0)) +
 *                                            (T(s, b) - T(s, b0))) / 2
 *   `perturb`                               the remainder
 *
 * S, B are the whole NPU, and s0, b0 are the NPU without the share of the side
 * stream.  The cost of losing both SMs and bandwidth is the mean of the two
 * orders in which they can be taken away.
 *
 * Waits.  A kernel without any SMs or any HBM bandwidth also waits.  From the
 * end of a wait, the chain of causes is followed back over all NPUs to the
 * start of the wait: the message that arrived last, its link, the endpoint that
 * read it, the message before it, and so on.  Waiting for a busy resource
 * counts for that resource.  A chunk that waited for admission or for its next
 * phase waited for a chunk that was inside, so the chain continues with that
 * chunk.  While the chunk inside was in a queue, the queue is the cause.  While
 * it was served or in flight, the limited room is the cause, because with more
 * room other chunks would have been served at that time.
 *
 * Queues.  Part of the time of a row is spent in a queue or waiting for room:
 * behind messages and chunks of the same collective, or of other collectives.
 * The remainder is service, such as the transfer of a message on a link.
 * server_service_history.h records which collective occupied a server.
 *
 * Units    ps, over the whole run
 * Order    listens to one run: critical_path_new(), system_run(),
 *          critical_path_finish()
 */
#ifndef MODELS_OBSERVE_CRITICAL_PATH_H
#define MODELS_OBSERVE_CRITICAL_PATH_H

#include "models/observe/critical_path_rows.h"
#include "models/run/system.h"

typedef struct CriticalPath CriticalPath;

/* Returns a listener of @system that follows @npu. */
CriticalPath *critical_path_new(System *system, uint32_t npu);
void critical_path_free(CriticalPath *path);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CriticalPath, critical_path_free)

/* Completes the table after the run, which took @total_ps on the followed
 * NPU. */
void critical_path_finish(CriticalPath *path, SimTime total_ps);
/* Returns the time of row @row, a PathRow. */
SimTime critical_path_row_time_ps(const CriticalPath *path, uint32_t row);
/* Returns the part of the time of row @row that was spent in a queue, behind
 * other collectives or behind the same one. */
SimTime critical_path_row_queue_time_ps(const CriticalPath *path, uint32_t row,
                                        gboolean behind_others);
/* Returns the time, over all rows, that other collectives spent in queues
 * behind operation @op. */
SimTime critical_path_time_behind_op_ps(const CriticalPath *path, uint32_t op);

#endif
