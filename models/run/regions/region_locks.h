/*
 * region_locks.h - synchronises the threads of a run
 *
 * If one thread simulates all NPUs, these functions do nothing.
 *
 * Threads  may be called by the thread of any region, for that region
 * Cost     one comparison if there are no regions
 */
#ifndef MODELS_RUN_REGIONS_REGION_LOCKS_H
#define MODELS_RUN_REGIONS_REGION_LOCKS_H

#include "models/run/run_state_impl.h"

void regions_lock_all(const Regions *regions);
void regions_unlock_all(const Regions *regions);
void regions_wait_until_earlier_have_passed(const System *region);
void regions_stop_run_if_chunk_slots_are_full(const System *region);

/* Locks the state that all regions share: collectives in flight, chunks, and
 * admissions.  Locks do not nest. */
static inline void regions_lock(const System *system)
{
    if (G_UNLIKELY(system->regions))
        regions_lock_all(system->regions);
}

static inline void regions_unlock(const System *system)
{
    if (G_UNLIKELY(system->regions))
        regions_unlock_all(system->regions);
}

/* Returns when everything before the current time has happened in all regions,
 * and everything at this instant in regions with smaller numbers. */
static inline void regions_wait_for_earlier_regions(const System *system)
{
    if (G_UNLIKELY(system->regions))
        regions_wait_until_earlier_have_passed(system);
}

/* To be called before a chunk gets a slot.  Gives the run up if no slot is
 * left: the table of chunks must not move while other threads read it. */
static inline void regions_check_chunk_slot_left(const System *system)
{
    if (G_UNLIKELY(system->regions))
        regions_stop_run_if_chunk_slots_are_full(system);
}

#endif
