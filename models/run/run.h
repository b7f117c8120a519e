/*
 * run.h - a run in slices, for who wants to say how far it is, or to end it
 *
 * Who is told may look and change nothing: the result is that of system_run().
 *
 * Errors   as system_run(), and those of who is told
 */
#ifndef MODELS_RUN_RUN_H
#define MODELS_RUN_RUN_H

#include "models/run/system.h"

/* Some 3 ms, and more where an event makes many messages; nothing is asked
 * between the events of a slice. */
#define SYSTEM_SLICE_EVENTS (1 << 14)

/* FALSE ends the run: it has failed. */
typedef gboolean (*SystemTellFn)(gpointer self, const System *system,
                                 uint64_t n_events, GError **error);

/* system_run() that calls @tell (may be NULL) after each slice. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_run_telling(System *system, SystemTellFn tell, gpointer self,
                            GError **error);

/* The same after each @n_events of them. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_run_slices(System *system, uint64_t n_events, SystemTellFn tell,
                           gpointer self, GError **error);

SimTime system_now_ps(const System *system);

/* Iterations in all, and those of which NPU 0 has nothing left to do. */
uint64_t system_n_iterations(const System *system);
uint64_t system_n_iterations_done(const System *system);

#endif
