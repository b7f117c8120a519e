/*
 * point_rows_from_run.h - makes the rows of a point, by simulation or from a
 * run that it shares
 *
 * Errors   those of system_new() and system_run(); CONFIG_ERROR if a shared run
 *          and the point's own run differ, which is a bug
 * Owner    borrows all
 */
#ifndef SIM_SWEEP_SHARED_RUNS_POINT_ROWS_FROM_RUN_H
#define SIM_SWEEP_SHARED_RUNS_POINT_ROWS_FROM_RUN_H

#include "models/run/steady/skip_mode.h"
#include "sim/sweep/shared_runs/run_cache.h"

typedef struct {
    RunOptions run_options;
    gboolean wanted[ROWS_N_FILES];
    /* The user's text for the memory limit of the point; or NULL. */
    const char *point_memory;
    RunCache *share; /* the runs so far; NULL: runs are not shared */
    guint n_checks;  /* see run_cache_selects_check() */
} PointRun;

/* How the rows of a point were obtained, as a letter. */
typedef enum {
    POINT_SIMULATED = 'r', /* the point was simulated */
    POINT_SHARED = 's',    /* the rows are from the run of another point */
    /* The rows are from another run; a simulation confirmed them. */
    POINT_CHECKED = 'c',
} PointMethod;

/* Appends the rows of @point, each with @axes before it, to @rows, one text per
 * file.  Sets *@method.  Returns FALSE and sets @error on failure; then nothing
 * is appended. */
G_GNUC_WARN_UNUSED_RESULT
gboolean point_run_make_rows(const PointRun *run, guint point, const char *axes,
                             const SystemConfig *config, GString **rows,
                             PointMethod *method, GError **error);

#endif
