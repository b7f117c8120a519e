/*
 * critical_path.h - where the time of an NPU's main stream went
 *
 * A run is kernels of the main stream and exposed waits between them, and the
 * table adds up to its time, to the picosecond.
 *
 * Kernels  A part of a kernel that took d on s SMs and b bytes/s, all of which
 *   would take T(s, b) (see compute.h), is d / T(s, b) of it.  Of d belongs
 *
 *     to what binds it on s and b             T(S, B)
 *     to the side stream's SMs and bandwidth  T(s0, b0) - T(S, B)
 *     to communication's SMs      ((T(s, b0) - T(s0, b0)) +
 *                                  (T(s, b) - T(s0, b))) / 2
 *     to communication's HBM      ((T(s0, b) - T(s0, b0)) +
 *                                  (T(s, b) - T(s, b0))) / 2
 *     to `perturb`                what is left
 *
 *   in these proportions: S, B are the whole NPU, s0, b0 it without what the
 *   side stream has.  What both losses together cost is the mean of taking
 *   away the one first and the other first.
 *
 * Waits  A kernel that has no SMs or no HBM bandwidth at all waits as well.
 *   From the end of a wait the chain of what made it end is followed
 *   back: the message that came last, its link, the endpoint that had to read
 *   it, the message before it, and so on, over all NPUs, until the wait began.
 *   Waiting for what is busy counts for it.  A chunk that waited to be taken
 *   in, or to go on to its next phase, waited for one that was inside, and the
 *   chain goes on with that; where that one waited in the queue of something,
 *   that is to blame, and where it was served or on its way, the room, since
 *   with more of it others would have been served in that time.
 *
 * Queues  Of the time of a row part is spent in a queue or waiting for room:
 *   behind messages and chunks of the same collective, or behind those of other
 *   collectives.  The rest is service: of a link the transfer of the message
 *   itself, and so on.  Which collective had the server meanwhile is kept by
 *   served.h.
 *
 * Units    ps, over the whole run
 * Order    listens to one run: critical_path_new(), system_run(),
 *          critical_path_finish()
 */
#ifndef MODELS_OBSERVE_CRITICAL_PATH_H
#define MODELS_OBSERVE_CRITICAL_PATH_H

#include "models/observe/path_rows.h"
#include "models/run/system.h"

typedef struct CriticalPath CriticalPath;

/* Listens to @system, of which it follows @npu. */
CriticalPath *critical_path_new(System *system, uint32_t npu);
void critical_path_free(CriticalPath *path);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CriticalPath, critical_path_free)

/* The run is over; it took @total_ps on that NPU. */
void critical_path_finish(CriticalPath *path, SimTime total_ps);
SimTime critical_path_ps(const CriticalPath *path, uint32_t row);
/* What of that was spent in a queue, behind the same collective or others. */
SimTime critical_path_queue_ps(const CriticalPath *path, uint32_t row,
                               gboolean behind_others);
/* What was spent behind operation @op by others, in all rows. */
SimTime critical_path_behind_ps(const CriticalPath *path, uint32_t op);

#endif
