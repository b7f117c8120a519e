/*
 * what_ifs.h - runs one configuration many times, each time with other settings
 *
 * A caller that can run processes in parallel starts the what-ifs that are
 * likely to be requested while the base run itself is in progress.  After that
 * run, what_ifs_prove_unchanged() finds the what-ifs that provably equal it;
 * the remaining requested ones are run in parallel.
 *
 * Units    ps
 * Order    what_ifs_new(), what_ifs_start_in_background();
 *          the base run ends;
 *          what_ifs_prove_unchanged(), what_ifs_run_requested(), which may
 *          be called again
 * Errors   those of the RunManyFn.  A run that ends with an error is no error
 *          here; its message becomes .reason.
 * Owner    the caller frees the contents of each WhatIf with what_if_clear()
 */
#ifndef SIM_STUDY_WHAT_IFS_H
#define SIM_STUDY_WHAT_IFS_H

#include "models/run/run.h"
#include "sim/study/run_many.h"

/* How the iteration time of a what-if became known. */
typedef enum {
    WHAT_IF_REQUESTED, /* a run is requested; the time is not known yet */
    WHAT_IF_RUN,       /* known by a run; .reason is set if it failed */
    WHAT_IF_CRASHED,   /* its run was killed or crashed (failed_runs.h), see
                        * .reason */
    WHAT_IF_PROVED,    /* provably equal to the base run
                          (configs_with_same_results.h) */
    WHAT_IF_LEFT_OUT,  /* taken to change nothing, as a group of what-ifs that
                        * contains it hardly changes anything */
    WHAT_IF_BOUNDED,   /* not run: .predicted_ps bounds its time
                        * (what_if_bounds.h) */
    WHAT_IF_ESTIMATED, /* not run: .estimate_ps estimates its time
                        * (plan_estimates.h) */
} WhatIfHow;

/* A what-if of a run: the settings to change, and the resulting iteration
 * time. */
typedef struct {
    uint32_t row;          /* of the critical path, which the what-if shortens;
                            * PATH_N: several rows or none */
    char *name;            /* owned: the name in tables */
    char **sets;           /* owned: "key=value", as in the option --set */
    SimTime predicted_ps;  /* predicted from the critical path alone; 0: no
                            * prediction */
    SimTime own_saving_ps; /* the time that its rows of the critical path
                            * alone can save; only with .predicted_ps */
    SimTime estimate_ps;   /* estimated from runs of a few layers; 0: it
                            * is not */
    SimTime iteration_ps;  /* 0: the run has no result */
    char *reason; /* owned: why the run has no result; NULL if it has one */
    WhatIfHow method;
    guint group[2]; /* 1 + the number of the group that contains it, one group
                     * of each kind (minor_factors.h), until the array is
                     * sorted; 0: none */
    gboolean is_group;   /* the what-if sets everything that its members set */
    gboolean is_implied; /* this what-if and its pattern are left out */
} WhatIf;

/* Frees the contents of @what_if, not @what_if itself; for
 * g_array_set_clear_func(). */
void what_if_clear(gpointer what_if);

/* Returns FALSE and sets @error if one of @all (WhatIf) is WHAT_IF_CRASHED. */
G_GNUC_WARN_UNUSED_RESULT
gboolean what_ifs_check_none_failed(const GArray *all, GError **error);

/* The base run and how to run others; all fields are borrowed.  .system is the
 * run of .path with only .sets. */
typedef struct {
    const char *path;
    char *const *sets;
    RunOptions run_options;
    const System *system;
    RunManyFn run_many;
    const RunAhead *ahead; /* NULL: no what-if starts before the base run
                            * ends */
    /* Called in every run.  If it ends one in this process, no more are run,
     * and the error is SYSTEM_ERROR_ENDED. */
    RunWatch watch;
} WhatIfSource;

typedef struct WhatIfs WhatIfs;

/* Borrows @all (of WhatIf) and the fields of @source. */
WhatIfs *what_ifs_new(const WhatIfSource *source, GArray *all);
void what_ifs_free(WhatIfs *what_ifs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WhatIfs, what_ifs_free)

/* Starts the what-ifs @numbers (of guint) in that order, in another process.
 * what_ifs_run_requested() uses the results of those that have started by then,
 * if they are requested. */
void what_ifs_start_in_background(WhatIfs *what_ifs, const GArray *numbers);

/* Sets .iteration_ps of the what-ifs that provably equal the base run, so that
 * they need no run. */
void what_ifs_prove_unchanged(WhatIfs *what_ifs);

/* Additional work that what_ifs_run_requested() does. */
typedef struct {
    RunMany extra; /* runs before the what-ifs; .n may be 0 */
    /* Called when all requested what-ifs have started; it may request deferred
     * ones.  Returns FALSE if it will request no more.  Otherwise it is called
     * again whenever one has ended, and finally when all have ended.  NULL: no
     * what-if is deferred. */
    gboolean (*more)(gpointer self);
    gpointer self;
} WhatIfExtraWork;

/* Sets .iteration_ps or .reason of the what-ifs that are WHAT_IF_REQUESTED.
 * @extra_work may be NULL.  Returns FALSE on error. */
G_GNUC_WARN_UNUSED_RESULT
gboolean what_ifs_run_requested(WhatIfs *what_ifs,
                                const WhatIfExtraWork *extra_work,
                                GError **error);

/* Proves and runs all what-ifs after the base run has ended. */
G_GNUC_WARN_UNUSED_RESULT
gboolean what_ifs_prove_and_run(GArray *all, const WhatIfSource *source,
                                GError **error);

#endif
