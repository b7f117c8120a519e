/*
 * run_progress.h - how far a run is, and ^C
 *
 * On a terminal, a line that is written over, from the second second on, and
 * gone at the end; else a line for each 10 s of processor time, so that a log
 * shows that a long run goes on.  A signal ends the run at the next slice, so
 * that its caller can clear away what it has begun to write.
 *
 * Errors   those of system_run() and interrupt.h
 */
#ifndef SIM_CLI_RUN_PROGRESS_H
#define SIM_CLI_RUN_PROGRESS_H

#include "models/run/system.h"

/* system_run() */
G_GNUC_WARN_UNUSED_RESULT
gboolean run_with_progress(System *system, GError **error);

typedef struct {
    uint64_t n_done, n_iterations;
    SimTime now_ps;
    uint64_t n_events;
} RunPace;

/* The line.  Owner: the caller. */
char *run_progress_text(const RunPace *pace, double elapsed_s);

/* Returns whether a line is due where there is no terminal, after @used_s of
 * processor time.  *@due_s is when the next one is, and moves on. */
gboolean run_progress_is_due(double used_s, double *due_s);

#endif
