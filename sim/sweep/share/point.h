/*
 * point.h - the rows of a point: simulated, or those of a run that it shares
 *
 * Errors   those of system_new() and system_run(); CONFIG_ERROR where a run
 *          that was shared and the point's own differ, which is a bug
 * Owner    borrows all
 */
#ifndef SIM_SWEEP_SHARE_POINT_H
#define SIM_SWEEP_SHARE_POINT_H

#include "models/run/steady/skip.h"
#include "sim/sweep/share/share.h"

typedef struct {
    FoldMode fold;
    SkipMode skip;
    gboolean wanted[ROWS_N_FILES];
    guint64 memory_bytes;     /* that a point may have, if there is */
    const char *point_memory; /* what the user said of it; or NULL */
    Share *share;             /* what was run so far; NULL: nothing is shared */
    guint n_checks;           /* of share_draws() */
} PointRun;

/* Where rows are from, as a letter. */
typedef enum {
    POINT_RUN = 'r',     /* simulated */
    POINT_SHARED = 's',  /* another run, */
    POINT_CHECKED = 'c', /* whose rows were the same when it was simulated */
} PointHow;

/* Adds the rows of number @point, with @axes before each, to @rows, one text a
 * file.  FALSE: nothing is added, and it failed for @error. */
G_GNUC_WARN_UNUSED_RESULT
gboolean point_rows(const PointRun *run, guint point, const char *axes,
                    const SystemConfig *config, GString **rows, PointHow *how,
                    GError **error);

#endif
