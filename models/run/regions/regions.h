/*
 * regions.h - a run in full by several threads
 *
 * The units of a topology are divided into regions, one after the other.  Each
 * has an engine, a network and a thread of its own, and is a System that shares
 * with all others what does not change.  The result is that of one thread, bit
 * for bit:
 *
 * Messages     What a region sends into another comes there no sooner than the
 *              least latency of any link later.  So each may go that far ahead
 *              of what all others have come to (clocks.c), and is handed what
 *              was sent by then before it goes on (mail.c).
 * Decisions    What all NPUs take next is decided at the end of an instant of
 *              those who ask (accord.h).  Who asks and has room waits until all
 *              others have come to that instant: what they decided before, he
 *              follows.  At its end all regions are asked that are there, and
 *              the others have passed it without asking (settle.c).  Who has no
 *              room need not wait: whatever is decided, he cannot take it.
 * Collectives  are numbered as the first NPU begins one: who would be it waits
 *              for the others.
 *
 * Where that would not do, the run gives up, and is made once more by one
 * thread: somebody has room, but not for what he would take next, so that he
 * has to be told what others decide in the instant when they do; more chunks
 * are under way than there was reckoned with; or it cannot go on to its end,
 * of which one thread has to tell.
 *
 * Not divided are runs of several programs, with lanes, stages or jobs, by
 * packets, with limits, with switches that add, with collectives that are
 * recorded, or where some ranks begin the next while others are at the last.
 * Nobody may listen, and nobody ask afterwards what the run would have been
 * the same with (slack.h).
 *
 * Threads  regions_run() starts them, and ends when they have
 * Sources  conservative synchronisation by look-ahead: Chandy and Misra, 1979
 */
#ifndef MODELS_RUN_REGIONS_REGIONS_H
#define MODELS_RUN_REGIONS_REGIONS_H

#include "models/run/regions/threads.h"
#include "models/run/state_impl.h"

/* Divides @system, whose network is there and whose NPUs are not, into
 * @n_threads regions (see system_new_by()), or fewer; or leaves it whole.
 * Networks are made by @make_network, and foreseen by @foresee or NULL. */
void regions_divide(System *system, uint32_t n_threads,
                    void (*make_network)(System *part),
                    NetworkForeseeFn foresee);
void regions_free(Regions *regions);

/* The one that simulated NPU number @index is in; @system has regions. */
System *regions_of_npu(const System *system, uint32_t index);

/* As SystemTellFn of run.h. */
typedef gboolean (*RegionsTellFn)(gpointer self, const System *whole,
                                  uint64_t n_events, GError **error);
/* Runs @whole to its end, and tells how far it is after some @n_max events.
 */
G_GNUC_WARN_UNUSED_RESULT
gboolean regions_run(System *whole, uint64_t n_max, RegionsTellFn tell,
                     gpointer self, GError **error);

#endif
