/*
 * thread_count.h - simulates all NPUs by several threads
 * (RunOptions.n_threads): see regions.h
 *
 * The result is bit for bit that of one thread.  A run that is given up has to
 * be repeated by one thread, in a new system.
 *
 * Errors   same as system_new() and system_run()
 */
#ifndef MODELS_RUN_REGIONS_THREAD_COUNT_H
#define MODELS_RUN_REGIONS_THREAD_COUNT_H

#include "models/run/system.h"

/* Returns 1 if one thread simulates everything. */
uint32_t system_n_threads(const System *system);
/* Returns whether the run was given up, so that only one thread can say why it
 * failed or whether it would. */
gboolean system_needs_one_thread(const System *system);

#endif
