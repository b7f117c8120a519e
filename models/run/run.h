/*
 * run.h - runs a system in slices, so that a caller can report progress or end
 * it
 *
 * The callback may read and change nothing, so the result is that of
 * system_run().
 *
 * Errors   as system_run(), and those of the callback
 */
#ifndef MODELS_RUN_RUN_H
#define MODELS_RUN_RUN_H

#include "models/run/system.h"

/* A slice takes about 3 ms, and more if an event creates many messages.  The
 * callback is not called within a slice. */
#define SYSTEM_SLICE_EVENTS (1 << 14)

/* Reports progress; returns FALSE and sets @error to end the run, which then
 * has failed. */
typedef gboolean (*SystemProgressFn)(gpointer self, const System *system,
                                     uint64_t n_events, GError **error);

/* A callback for all runs of a study.  A run that it ends with
 * SYSTEM_ERROR_ENDED also ends the study. */
typedef struct {
    SystemProgressFn report_progress; /* NULL: there is none */
    gpointer self;                    /* borrowed */
} RunWatch;

/* Runs @system like system_run(), but calls @tell (may be NULL) after each
 * slice. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_run_with_progress(System *system, SystemProgressFn tell,
                                  gpointer self, GError **error);

/* Runs @system like system_run_with_progress(), with slices of @n_events
 * events. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_run_slices(System *system, uint64_t n_events,
                           SystemProgressFn tell, gpointer self,
                           GError **error);

/* Returns the present simulated time. */
SimTime system_now_ps(const System *system);

/* Return the number of iterations of the run, and of those that NPU 0 has
 * finished. */
uint64_t system_n_iterations(const System *system);
uint64_t system_n_iterations_done(const System *system);

#endif
