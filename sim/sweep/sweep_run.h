/*
 * sweep_run.h - the points of a sweep, run, and their rows in axis order
 *
 * A point is done when the journal has rows under its id, so that what can be
 * in them is found and not run again.  Points that fail are in no journal.
 *
 * Order    init, note, find, all
 * Owner    the caller owns the SweepRun, which borrows plan and journal
 */
#ifndef SIM_SWEEP_SWEEP_RUN_H
#define SIM_SWEEP_SWEEP_RUN_H

#include "models/run/steady/skip.h"
#include "sim/host/progress.h"
#include "sim/study/rows/rows.h"
#include "sim/sweep/journal.h"
#include "sim/sweep/reading/reader.h"
#include "sim/sweep/share/share.h"
#include "sim/sweep/sweep_plan.h"

/* Who says which points to run next, where several processes share them. */
typedef struct {
    guint n_expected; /* for the progress */
    /* Appends to @todo.  FALSE: there will be no more. */
    gboolean (*more)(gpointer self, GArray *todo);
    void (*done)(gpointer self, guint point); /* its rows are in the journal,
                                                 or it failed */
    gpointer self;
} SweepSource;

typedef struct {
    const SweepPlan *plan;
    FoldMode fold;
    SkipMode skip; /* rows are the same whatever it is */
    gboolean wanted[ROWS_N_FILES];
    guint64 timeout_us, memory_bytes; /* as Pool has them */
    const char *point_memory; /* borrowed: --point-memory; NULL: not given */
    Journal *journal;         /* borrowed */
    gboolean is_shared;       /* points share runs that would be the same, */
    guint n_share_checks;     /* some of which are run as well */
    Share *share;             /* owned: what this worker has run; or NULL */
    guint n_simulated, n_shared, n_checked; /* points done, the last of those
                                               before; those of workers, too,
                                               that are found */
    const SweepSource *source;   /* borrowed; NULL: all points, and failures are
                                    in no journal */
    void (*tick)(gpointer self); /* twice a second at least, and now and then
                                    while rows are looked for; may be NULL */
    gpointer tick_self;
    GHashTable *failures; /* borrowed, id -> text of a point that failed
                             elsewhere, as a journal has it; or NULL */
    GHashTable *hows;     /* borrowed, id -> PointHow of what workers did; or
                             NULL */
    Progress progress;
    SweepReader *reader; /* owned */
    GArray *records;     /* owned, of guint: of each point that of the journal
                            which has its rows; 0: none has */
    GHashTable *others;  /* owned, point -> owned GString: what came of those
                            that are done and in no record */
    GPtrArray *ids;      /* owned, of owned text, NULL where it is not known */
    GArray *todo;        /* owned, of guint: points to run */
    GArray *failed; /* owned, of guint: points whose rows are of .failures */
    gboolean stop;  /* the journal cannot be written */
    GError *error;  /* owned: why */
} SweepRun;

void sweep_run_init(SweepRun *run, const SweepPlan *plan);
void sweep_run_clear(SweepRun *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SweepRun, sweep_run_clear)

/* What is known of @point, which @reader has read, need not be read again. */
void sweep_run_note(SweepRun *run, guint point, SweepReader *reader);

/* The id of @point, or NULL where its configuration cannot be read. */
const char *sweep_run_id(SweepRun *run, guint point);

/* Takes what is done from the journal and drops what is none of ours. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_run_find(SweepRun *run, GError **error);

/* Runs the other points, @n_jobs at a time, and reports failures and progress.
 * Returns 0 or the signal that ended it.  .stop: .error did. */
int sweep_run_all(SweepRun *run, guint n_jobs);

#endif
