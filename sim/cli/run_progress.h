/*
 * run_progress.h - runs a system, shows its progress and handles ^C
 *
 * On a terminal, one line is overwritten repeatedly; it appears after two
 * seconds and is removed at the end.  Otherwise a plain line is printed per 10
 * s of processor time, so that a log shows that a long run proceeds.  A signal
 * ends the run at the next slice, and the caller removes incomplete files.
 *
 * Errors   those of system_run() and interrupt.h
 */
#ifndef SIM_CLI_RUN_PROGRESS_H
#define SIM_CLI_RUN_PROGRESS_H

#include "models/run/system.h"

/* Same as system_run(), with progress and ^C. */
G_GNUC_WARN_UNUSED_RESULT
gboolean run_with_progress(System *system, GError **error);

typedef struct {
    uint64_t n_done, n_iterations;
    SimTime now_ps;
    uint64_t n_events;
} RunProgressState;

/* Returns the progress line.  The caller owns the text. */
char *run_progress_text(const RunProgressState *pace, double elapsed_s);

/* Returns whether a plain line is due after @used_s of processor time.  If so,
 * advances *@due_s, the time of the next line. */
gboolean run_progress_is_due(double used_s, double *due_s);

#endif
