/*
 * together.h - what one thread of a run does so that others can do theirs
 *
 * Where one thread simulates all NPUs none of it does anything.
 *
 * Threads  all of it may be called by any, of its own region
 * Cost     one comparison where there are no regions
 */
#ifndef MODELS_RUN_REGIONS_TOGETHER_H
#define MODELS_RUN_REGIONS_TOGETHER_H

#include "models/run/state_impl.h"

void regions_lock_all(const Regions *regions);
void regions_unlock_all(const Regions *regions);
void regions_wait_to_be_first(const System *region);
void regions_check_room_for(const System *region);

/* Between these nobody else sees or changes what is of all: collectives under
 * way, chunks, admissions.  Not within each other. */
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

/* Returns when all that happens before now, anywhere, has happened, and at this
 * instant in regions of lesser numbers. */
static inline void regions_be_first(const System *system)
{
    if (G_UNLIKELY(system->regions))
        regions_wait_to_be_first(system);
}

/* Before one more chunk has a slot: others look at the table of chunks
 * meanwhile, which must not be moved. */
static inline void regions_check_room(const System *system)
{
    if (G_UNLIKELY(system->regions))
        regions_check_room_for(system);
}

#endif
