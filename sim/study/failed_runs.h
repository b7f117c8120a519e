/*
 * failed_runs.h - counts the runs of a study that were started and never ended
 *
 * A run failed if its process was killed, for example because memory was short,
 * or crashed.  A run that ends with an error message is an answer and has not
 * failed.
 *
 * Errors   G_FILE_ERROR_FAILED if runs failed; it is reported after everything
 *          else
 * Owner    the caller; texts are borrowed
 */
#ifndef SIM_STUDY_FAILED_RUNS_H
#define SIM_STUDY_FAILED_RUNS_H

#include <glib.h>

/* The count so far; start with { 0 }. */
typedef struct {
    guint n, n_failed;
    const char *name, *reason; /* name and reason of the first failed run */
} FailedRuns;

/* Counts a run.  @reason says why it has no result (see RunMany.piece_ended),
 * or is NULL if it has one. */
void failed_runs_count_run(FailedRuns *failed_runs, const char *name,
                           const char *reason);

/* Returns FALSE and sets @error if some runs failed.  @what is the plural
 * noun for the message, such as "what-ifs". */
G_GNUC_WARN_UNUSED_RESULT
gboolean failed_runs_check_none(const FailedRuns *failed_runs, const char *what,
                                GError **error);

#endif
