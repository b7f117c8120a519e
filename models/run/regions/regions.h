/*
 * regions.h - simulates all NPUs by several threads
 *
 * The units of a topology are divided into consecutive regions.  Each region
 * has an engine, a network and a thread, and is a System that shares everything
 * that does not change with all others.  The result is bit for bit that of one
 * thread:
 *
 * Messages     A message from one region arrives in another no sooner than
 *              the look-ahead later: the smallest latency of any link between
 *              regions.  So a region may run that far ahead of the clocks of
 *              all others (lbts.c).  Before it continues, it takes the
 *              messages that were sent by then (region_queue.c).
 * Admissions   The NPUs that ask in an instant decide at its end which chunk
 *              all NPUs admit next (admission_consensus.h).  An NPU that asks
 *              and has capacity waits until all regions have come to that
 *              instant, and follows earlier decisions.  At the end of the
 *              instant one region decides for all regions that are there, once
 *              the others have passed it (admission_barrier.c).  An NPU without
 *              capacity need not wait, since it cannot admit the chunk in any
 *              case.
 * Collectives  are numbered in the order in which they begin.  An NPU that may
 *              be the first to begin one waits for the other regions.
 *
 * A run is given up, and repeated by one thread, in three cases.  An NPU has
 * capacity, but not for the chunk that it would admit next; then it would have
 * to learn of decisions within the instant.  More chunks are in flight than
 * there are slots.  Or the run does not end, and one thread has to report why.
 *
 * A system is not divided if it has several programs, lanes, stages, jobs,
 * packets, limits, switches that add, or recorded collectives, or if some ranks
 * begin the next collective while others are at the last.  There may be no
 * listeners, and report/configs_with_same_results.h cannot be applied to the
 * run.
 *
 * Threads  regions_run_threads() starts them, and joins them before it returns
 * Sources  conservative synchronisation by look-ahead: Chandy and Misra, 1979
 */
#ifndef MODELS_RUN_REGIONS_REGIONS_H
#define MODELS_RUN_REGIONS_REGIONS_H

#include "models/run/regions/thread_count.h"
#include "models/run/run_state_impl.h"

/* Divides @system into up to @n_threads regions (see RunOptions.n_threads), or
 * leaves it whole.  Its network must exist already, but not its NPUs.
 * @make_network makes the network of a region; @foresee, or NULL, is its
 * NetworkEarlyDeliveryFn. */
void regions_divide(System *system, uint32_t n_threads,
                    void (*make_network)(System *part),
                    NetworkEarlyDeliveryFn foresee);
void regions_free(Regions *regions);

/* Returns the region that simulates NPU @index; @system must have regions. */
System *region_system_of_npu(const System *system, uint32_t index);

/* Same as SystemProgressFn of run.h. */
typedef gboolean (*RegionsTellFn)(gpointer self, const System *whole,
                                  uint64_t n_events, GError **error);
/* Runs @whole to its end, and calls @tell after every @n_max events or so.
 * Returns FALSE with @error set if @tell does, or if one thread must repeat the
 * run. */
G_GNUC_WARN_UNUSED_RESULT
gboolean regions_run_threads(System *whole, uint64_t n_max, RegionsTellFn tell,
                             gpointer self, GError **error);

#endif
