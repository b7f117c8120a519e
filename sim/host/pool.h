/*
 * pool.h - work on many points in child processes
 *
 * At most n_jobs workers do a point at a time each, one after the other, and
 * hand back text.  One that dies, takes too long or asks for too much memory
 * loses its point and no other: another takes its place.  What too little
 * memory cost in a worker that had done others before is tried once more in a
 * fresh one, because what those left behind is not that point's fault.  So is
 * what was killed (SIGKILL), as by a system short of memory: when nothing else
 * runs, because that may be what took it.
 *
 * Workers are copies of this process from whenever they were needed; one that
 * has grown, by leaks too, ends and is followed by a fresh one.  They die with
 * their parent, whatever it dies of, and leave ^C to it.
 *
 * Where processes or descriptors are short, that passes: fewer points run at a
 * time, and when none does it is tried again and again.
 *
 * Order    points are started in order, but for those that are tried once
 *          more, and end in any
 * Owner    @self is borrowed
 */
#ifndef SIM_HOST_POOL_H
#define SIM_HOST_POOL_H

#include <glib.h>

typedef struct {
    guint n_points, n_jobs;
    guint64 timeout_us;       /* of a point; 0: none */
    guint64 memory_bytes;     /* that a point may have; 0: any */
    const char *timeout_name; /* borrowed: of these limits, for messages; NULL
                                 where there is none */
    const char *memory_name;
    guint64 worker_bytes; /* that a worker may have gained when a point is
                             done, to be kept for others; 0: 256 MiB */
    /* In the parent, before @point is started: what the child is told in place
     * of its number.  NULL: the number itself. */
    guint (*number)(gpointer self, guint point);
    /* In a child, which may have done other points before: appends what is to
     * be handed back. */
    void (*work)(gpointer self, guint point, GString *out);
    /* In the parent: @text is what was handed back; @reason is why there is
     * nothing ("killed by signal 9 (Killed)"), else NULL. */
    void (*done)(gpointer self, guint point, const GString *text,
                 const char *reason);
    /* In the parent: a line for people, of what is short; may be NULL. */
    void (*say)(gpointer self, const char *text);
    gint64 patience_us; /* with what is short while no point runs; 0: 30 s.
                           Then points are lost for that. */
    void (*tick)(gpointer self); /* twice a second at least; may be NULL */
    const gboolean *stop;        /* borrowed, may be NULL; TRUE ends it */
    /* In the parent, when all points have been started and one more could be:
     * raises *@n_points where there are more now.  FALSE: there will be no
     * more; until then it is asked again at every tick.  NULL: there are
     * n_points. */
    gboolean (*more)(gpointer self, guint *n_points);
    /* In the parent: somebody else works beside it, and counts as one of n_jobs
     * until this returns FALSE; it is called when .other_fd can be read from.
     * NULL: nobody does. */
    gboolean (*other)(gpointer other_self);
    gpointer other_self; /* borrowed */
    int other_fd;
    gint64 until_us; /* g_get_monotonic_time(); what is not done then, never is;
                        0: no end */
    gpointer self;
} Pool;

/* Returns 0, or the number of the signal (SIGINT, SIGTERM, SIGHUP) that
 * ended it: then, and when it was told to stop, no child is left, and not all
 * points were done. */
int pool_run(const Pool *pool);

#endif
