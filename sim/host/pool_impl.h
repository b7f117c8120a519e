/*
 * pool_impl.h - what the pool*.c files know of a pool that is running
 *
 * pool_start.c begins workers and bears what is short; pool_worker.c is what
 * they do, in processes of their own; pool.c hands out points, takes in what
 * came of them and ends workers.
 */
#ifndef SIM_HOST_POOL_IMPL_H
#define SIM_HOST_POOL_IMPL_H

#include <signal.h>
#include <sys/types.h>

#include "sim/host/pool.h"

/* Stands before the text of a point. */
typedef struct {
    guint64 n_bytes; /* of the text behind it */
    guint64 is_last; /* the worker has grown, and ends itself */
} PoolHead;

/* A point that is tried once more. */
typedef struct {
    guint point;
    gboolean was_killed; /* who did it */
} PoolAgain;

typedef struct {
    pid_t pid;
    int fd; /* -1: there is none */
    guint n_served;
    gboolean is_busy; /* with this point: */
    guint point;
    gboolean was_killed; /* a worker that did it before */
    gint64 start_us;
    gboolean too_long;
    GString *text; /* owned: what came of it, a PoolHead first */
} PoolWorker;

typedef struct {
    const Pool *pool;
    PoolWorker *workers; /* owned, n_jobs of them */
    guint next;          /* point to start, of */
    guint n_points;      /* that there are now */
    gboolean is_closed;  /* there will be no more */
    gboolean has_other;  /* it has not ended */
    GArray *again;       /* owned, of PoolAgain: points for fresh workers */
    GArray *killed; /* owned, of guint: points for when nothing else runs */
    guint n_alive, n_busy;
    sigset_t old_mask;
    /* what is short, see want() */
    gint64 short_since_us;  /* and no worker is there; 0: nothing is */
    gint64 wait_us, try_us; /* how long to the next try, and when it is */
    gboolean is_said, is_kill_said;
    gboolean is_hopeless; /* it was waited for in vain */
} PoolRun;

/* ---- pool_start.c ----------------------------------------------------- */

/* Whether points are left to be started. */
static inline gboolean pool_is_left(const PoolRun *run)
{
    return run->again->len > 0 || run->next < run->n_points;
}

/* Puts a fresh worker that does the first of them where there is none.  What is
 * short is waited for (.try_us), or the point has failed. */
void pool_start(PoolRun *run, PoolWorker *worker);

/* What a worker is told of @point. */
static inline guint pool_number(const PoolRun *run, guint point)
{
    return run->pool->number ? run->pool->number(run->pool->self, point)
                             : point;
}

/* @worker, which does nothing, does @point from now on. */
void pool_set_point(PoolRun *run, PoolWorker *worker, guint point);

/* ---- pool_worker.c ---------------------------------------------------- */

/* In a child.  It begins with @point and is sent the numbers of others, one at
 * a time, when it has handed back the one before: a PoolHead and the text.  It
 * ends when none can come any more.  @fd is its end of a pair of sockets, @mask
 * what was blocked before the pool blocked its signals. */
G_GNUC_NORETURN
void pool_worker_be(const Pool *pool, guint point, int fd, pid_t parent,
                    const sigset_t *mask);

#endif
