/*
 * process_pool.h - runs many points in child processes
 *
 * Up to n_jobs workers run one point at a time each and return text.  A worker
 * that dies, takes too long or needs too much memory loses only its own point;
 * a new worker replaces it.  Two kinds of lost points run a second time:
 *
 *   out of memory   in a worker that had done other points: once more in a
 *                   fresh worker, because the memory may have been left
 *                   over from the other points
 *   killed by SIGKILL, which a system short of memory does: once more
 *                   when no other point runs, because the other points may
 *                   have used up the memory
 *
 * A worker is a copy of this process, made when it is needed.  A worker that
 * has grown, for example by a leak, ends and is replaced.  Workers die with
 * their parent, whatever the cause, and leave the handling of ^C to it.
 *
 * If processes or file descriptors are short, fewer points run at a time.  If
 * no point can run, the pool keeps trying for .patience_us.
 *
 * Order    points are started in order, except for second runs; they end in any
 *          order
 * Owner    @self is borrowed
 */
#ifndef SIM_HOST_PROCESS_POOL_H
#define SIM_HOST_PROCESS_POOL_H

#include <glib.h>

typedef struct {
    guint n_points, n_jobs;
    guint64 timeout_us;       /* limit for one point; 0: none */
    guint64 memory_bytes;     /* limit for one point; 0: none */
    const char *timeout_name; /* borrowed: the limits as text for messages; NULL
                                 if there is none */
    const char *memory_name;
    guint64 worker_bytes; /* a worker ends after a point if it has grown by more
                             than this; 0: 256 MiB */
    /* Called in the parent before @point is started.  Returns the number that
     * is passed to .work in place of @point.  NULL: the number is @point. */
    guint (*number)(gpointer self, guint point);
    /* Called in a child, which may have done other points before.  Appends the
     * result to @out. */
    void (*work)(gpointer self, guint point, GString *out);
    /* The parent calls this function when a point ends.  @text is the result;
     * if there is none, @text is NULL and @reason says why, such as
     * "killed by signal 9 (Killed)". */
    void (*point_ended)(gpointer self, guint point, const GString *text,
                        const char *reason);
    /* The parent calls this function with a message for the user about a
     * shortage; may be NULL. */
    void (*print_message)(gpointer self, const char *text);
    gint64 patience_us; /* how long to wait during a shortage while no point
                           runs; 0: 30 s.  Then points fail.  */
    void (*tick)(
        gpointer self); /* called at least twice a second; may be NULL */
    const gboolean
        *stop; /* borrowed, may be NULL; set to TRUE to stop the pool */
    /* Called in the parent when all points have been started and a worker is
     * idle, and again at every tick.  Raises *@n_points if there are more
     * points by now.  Returns FALSE if no more points will come.  NULL: there
     * are n_points. */
    gboolean (*find_more_points)(gpointer self, guint *n_points);
    /* An external process that counts as one of n_jobs.  Called in the parent
     * when .other_fd is readable; returns FALSE when the process has ended.
     * NULL: there is no such process. */
    gboolean (*continue_other)(gpointer other_self);
    gpointer other_self; /* borrowed */
    int other_fd;
    gint64 until_us; /* deadline by g_get_monotonic_time(), after which no point
                        runs; 0: none */
    gpointer self;
} ProcessPool;

/* Runs the pool.  Returns 0, or the number of the signal (SIGINT, SIGTERM,
 * SIGHUP) that ended it.  After a signal or *.stop, no child is left and some
 * points may not have been done. */
int pool_run(const ProcessPool *pool);

#endif
