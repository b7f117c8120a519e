/*
 * process_pool_impl.h - the interface between process_pool.c (the parent) and
 * process_pool_worker.c (the children); private to them
 */
#ifndef SIM_HOST_PROCESS_POOL_IMPL_H
#define SIM_HOST_PROCESS_POOL_IMPL_H

#include <signal.h>
#include <sys/types.h>

#include "sim/host/process_pool.h"

/* The header that a worker sends before the text of a result. */
typedef struct {
    guint64 n_bytes; /* length of the text after the header */
    guint64 is_last; /* 1 if the worker ends after this result, because it has
                        grown */
} PoolResultHeader;

/* Runs in a child and never returns.  The worker runs @point, sends its result
 * (a PoolResultHeader and the text) on @fd, receives the next point number from
 * @fd, and so on.  It ends when the parent closes its end of the socket pair.
 * @mask is the signal mask from before the pool blocked its signals. */
G_GNUC_NORETURN
void pool_worker_run(const ProcessPool *pool, guint point, int fd, pid_t parent,
                     const sigset_t *mask);

#endif
