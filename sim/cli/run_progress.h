/*
 * run_progress.h - how far a run is, and ^C
 *
 * On a terminal, a line that is written over, from the second second on, and
 * gone at the end; else nothing.  A signal ends the run at the next slice, so
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

#endif
