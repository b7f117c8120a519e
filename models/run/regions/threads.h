/*
 * threads.h - a run in full by several threads: see regions.h
 *
 * The result is that of one thread, bit for bit.  What they have to give up is
 * to be made again by one, in a system anew.
 *
 * Errors   as system_new() and system_run()
 */
#ifndef MODELS_RUN_REGIONS_THREADS_H
#define MODELS_RUN_REGIONS_THREADS_H

#include "models/run/system.h"

#define SYSTEM_THREADS_AUTO 0 /* two, where that is known to be of use */
#define SYSTEM_MOST_THREADS 64U

/* system_new() that runs by up to @n_threads, where that can be: then nobody
 * may listen to it, or ask of it anything but its result. */
G_GNUC_WARN_UNUSED_RESULT
System *system_new_by(const SystemConfig *config, FoldMode fold,
                      uint32_t n_threads, GError **error);
/* 1: all is simulated by one. */
uint32_t system_n_threads(const System *system);
/* Why it failed, or whether it would, only one thread can say. */
gboolean system_needs_one_thread(const System *system);

#endif
