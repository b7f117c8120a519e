/*
 * sweep_run.h - runs the points of a sweep
 *
 * A point is done when the journal has rows under its id.  The id covers
 * everything that the rows depend on, so rows that are found need not be
 * simulated again.  Failed points are not in the journal.
 *
 * Order    sweep_run_init(), sweep_run_store_point_id(),
 *          sweep_run_find_done_points(), sweep_run_all_points()
 * Owner    the caller owns the SweepRun, which borrows plan and journal
 */
#ifndef SIM_SWEEP_SWEEP_RUN_H
#define SIM_SWEEP_SWEEP_RUN_H

#include "models/run/steady/skip_mode.h"
#include "sim/host/progress.h"
#include "sim/study/rows/run_rows.h"
#include "sim/sweep/journal.h"
#include "sim/sweep/reading/sweep_reader.h"
#include "sim/sweep/shared_runs/run_cache.h"
#include "sim/sweep/sweep_plan.h"

/* Chooses the next points, if several processes share a sweep. */
typedef struct {
    /* Expected number of points, for the display of progress. */
    guint n_expected;
    /* Appends points to @todo.  Returns FALSE if no more points will come. */
    gboolean (*find_more_points)(gpointer self, GArray *todo);
    /* The function is called when the rows of @point are in the journal, or the
     * point failed. */
    void (*point_ended)(gpointer self, guint point);
    gpointer self;
} SweepSource;

typedef struct {
    const SweepPlan *plan;
    RunOptions run_options; /* .limits are set for each point */
    gboolean wanted[ROWS_N_FILES];
    guint64 timeout_us, memory_bytes; /* as in Pool */
    /* The value of --point-memory (borrowed), or NULL. */
    const char *point_memory;
    Journal *journal;   /* borrowed */
    gboolean is_shared; /* points may share runs with equal results */
    /* The number of shared points that are simulated as a check. */
    guint n_share_checks;
    RunCache *share; /* owned: the runs of this worker process; or NULL */
    /* The numbers of points by how their rows were obtained.  .n_shared
     * includes .n_checked.  All include the points of other workers that were
     * found. */
    guint n_simulated, n_shared, n_checked;
    /* The source of points if several processes share the sweep (borrowed).
     * NULL means that all points are run and failures are not stored in the
     * journal. */
    const SweepSource *source;
    /* The function is called at least twice a second, and from time to time
     * while rows are looked up; may be NULL. */
    void (*tick)(gpointer self);
    gpointer tick_self;
    /* Maps the id of a failed point to its text as in a journal (borrowed); or
     * NULL. */
    GHashTable *failures;
    /* Maps the id of another worker's point to its PointMethod (borrowed); or
     * NULL. */
    GHashTable *methods;
    Progress progress;
    SweepReader *reader; /* owned */
    /* For each point, the number of its record in the journal (an owned array
     * of guint); 0 if there is none. */
    GArray *records;
    /* Maps a point to its result (an owned GString), for points that are done
     * but are in no record (owned). */
    GHashTable *others;
    GPtrArray *ids; /* owned, of owned text; NULL if an id is not known */
    GArray *todo;   /* owned, of guint: the points to run */
    /* The points that have an entry in .failures (an owned array of guint). */
    GArray *failed;
    gboolean stop; /* set if the journal cannot be written */
    GError *error; /* owned: the reason of .stop */
} SweepRun;

void sweep_run_init(SweepRun *run, const SweepPlan *plan);
void sweep_run_clear(SweepRun *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SweepRun, sweep_run_clear)

/* Stores the id of @point, which @reader has read last, so that it need not be
 * read again. */
void sweep_run_store_point_id(SweepRun *run, guint point, SweepReader *reader);

/* Returns the id of @point, or NULL if its configuration cannot be read. */
const char *sweep_run_point_id(SweepRun *run, guint point);

/* Finds the points that the journal has and removes records of other points
 * from it.  The remaining points are in .todo. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_run_find_done_points(SweepRun *run, GError **error);

/* Runs the points of .todo, @n_jobs at a time, and reports failures and
 * progress.  Returns 0, or the signal that ended it.  If .stop is set, .error
 * ended it. */
int sweep_run_all_points(SweepRun *run, guint n_jobs);

#endif
