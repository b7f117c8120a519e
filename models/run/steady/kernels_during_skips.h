/*
 * kernels_during_skips.h - kernels that run independently of communication
 *
 * Under the policy `partitioned` a kernel has its share of memory bandwidth
 * whatever an endpoint does with its own.  An endpoint notices a kernel only
 * when the kernel ends and lets a collective begin.  So kernels are run on
 * alone while periods of communication are skipped.  Any other event that is
 * scheduled for a time ends the stretch that can be skipped.
 *
 * Units    ps
 */
#ifndef MODELS_RUN_STEADY_KERNELS_DURING_SKIPS_H
#define MODELS_RUN_STEADY_KERNELS_DURING_SKIPS_H

#include "models/run/npu_impl.h"

typedef struct KernelsDuringSkips KernelsDuringSkips;

KernelsDuringSkips *kernels_during_skips_new(System *system);
void kernels_during_skips_free(KernelsDuringSkips *independent);

/* Runs @events (of SimEvent, in order) up to @until_ps, and leaves in @events
 * those that are later.  The engine must hold no other events.  Returns the
 * time of the first event that communication could notice, which is not run, or
 * SIM_TIME_MAX if there is none.  If there are listeners, the beginning or end
 * of a wait of the main stream, and the end of an iteration, count as well;
 * they are run.  Listeners are called only if @calls_listeners. */
SimTime kernels_during_skips_run(KernelsDuringSkips *independent,
                                 GArray *events, SimTime until_ps,
                                 gboolean calls_listeners);

/* Saves the state of all kernels, for kernels_during_skips_restore(). */
void kernels_during_skips_save(KernelsDuringSkips *independent);
void kernels_during_skips_restore(KernelsDuringSkips *independent);

#endif
