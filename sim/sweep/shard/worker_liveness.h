/*
 * worker_liveness.h - detects whether the process that has a claim is alive
 *
 * For a process of this machine, the lock on its journal answers at once.  For
 * other machines only time does: a live process touches its claims, and a
 * process that has not done so for a long time is dead.
 *
 * A process has a name, HOST.PID.BOOT, which no other process has: BOOT is the
 * id of the machine's last boot.
 *
 * Units    microseconds by the clock of the file server, see folder_claim.h
 * Owner    the caller owns the texts
 */
#ifndef SIM_SWEEP_SHARD_WORKER_LIVENESS_H
#define SIM_SWEEP_SHARD_WORKER_LIVENESS_H

#include "sim/sweep/shard/folder_claim.h"

typedef enum {
    LIVENESS_ALIVE,
    LIVENESS_DEAD,
    LIVENESS_UNSURE, /* not touched since it was first observed */
    LIVENESS_GONE,   /* the claim does not exist any more */
} ProcessLiveness;

/* The observations of one claim; zero before the first. */
typedef struct {
    gint64 touched_us, since_us;
    gboolean is_alive;
} LivenessWatch;

/* Decides by time alone: a claim that was not touched for @stale_us is dead.
 * The time is measured by the server's clock and, because clocks can be set,
 * also by how long this process has observed no touch. */
ProcessLiveness liveness_judge_by_time(const char *claim,
                                       const ClaimClock *clock, gint64 stale_us,
                                       LivenessWatch *watch);

/* Decides for the process @process, which locks the file @journal before it
 * makes @claim. */
ProcessLiveness
worker_liveness_of_process(const char *process, const char *claim,
                           const char *journal, const ClaimClock *clock,
                           gint64 stale_us, LivenessWatch *watch);

/* Returns TRUE if the process @process ran on this machine and has ended.  It
 * must have locked the file @journal before it made any claim. */
gboolean liveness_has_local_process_ended(const char *process,
                                          const char *journal);

/* Returns the name of this process.  The caller owns the text. */
char *liveness_own_process_name(void);

/* Returns whether @process is a process of this machine. */
gboolean liveness_is_local_process(const char *process);

/* Returns "process PID on HOST" for the process @process. */
char *liveness_describe_process(const char *process);

#endif
