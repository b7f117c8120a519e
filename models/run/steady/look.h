/*
 * look.h - the whole state of a run while one collective takes in chunks
 *
 * Two looks are equal if what follows is the same, for as long as the
 * collective has chunks of full size to take in, none is issued, and nobody
 * changes a rate from outside.
 *
 *   chunks          all in flight are of that collective, counted back from the
 *                   next that NPU 0 takes in: so indices, slots, orders and
 *                   records are left out.  Which plan the next ones take, and
 *                   whether their index is odd, is a part of the state
 *   NPUs            what is in flight, what they share, who follows whom
 *   endpoints, HBM, network    by their own functions: sim/core/steady.h
 *   events          those of the above, in their order
 *   others          events of what communication does not see, and which does
 *                   not see it: beside.h
 *
 * Messages have no numbers: each is in one place, and told of there.
 */
#ifndef MODELS_RUN_STEADY_LOOK_H
#define MODELS_RUN_STEADY_LOOK_H

#include "models/run/chunk_impl.h"
#include "models/run/npu_impl.h"
#include "sim/core/steady.h"

typedef struct {
    SimTime at_ps;
    uint64_t n_ends; /* chunks that NPU 0 was done with */
    uint64_t next;   /* that it takes in next: in the order of plans */
    SteadyWords state;
    GArray *counts;      /* owned: of SimWide */
    guint n_changes;     /* in the looker's log */
    SteadyWords lasting; /* what a period does not change */
    gpointer told;       /* owned by .listener: what it keeps of it; or NULL */
    const TraceListener *listener; /* borrowed; NULL: nobody listens */
} Look;

/* Who looks, with what it has learnt of events. */
typedef struct {
    System *system;     /* borrowed */
    GHashTable *owners; /* owned: of Owner, by address of an event's self */
    GArray *all;        /* owned: of SimEvent, while they are out, */
    GArray *events;     /* those of communication, */
    GArray *others;     /* and those beside */
    SteadyLog log;      /* owned: of NPU 0 */
    CollInstance *coll; /* borrowed: at whose chunks it looks */
    uint32_t base;      /* the next of it that NPU 0 takes in */
} Looker;

void looker_init(Looker *looker, System *system);
void looker_clear(Looker *looker);

/* NULL: the state cannot be told.  In SIM_PHASE_SAMPLE. */
Look *look_at(Looker *looker, CollInstance *coll, uint64_t n_ends);
void look_free(Look *look);
gboolean look_equals(const Look *a, const Look *b);

/* All that looker has seen last goes on as @how says; events are out. */
void look_move(Looker *looker, const SteadyWalk *how);

gboolean look_lasts(const Look *a, const Look *b);
Look *look_copy(const Look *look);

/* Visits NPUs and network, of which no chunk is under way where looker->coll is
 * NULL. */
void look_visit_npus(Looker *looker, SteadyWalk *walk);

/* Takes events out of the engine, and tells which are others. */
void looker_take_events(Looker *looker);
/* Puts them back as they were, */
void looker_put_events(const Looker *looker);
/* or all later, and takes them out again, */
void looker_shift_events(Looker *looker, SimTime shift_ps);
/* or later, but for the others, none of which falls together with any. */
void looker_put_moved(const Looker *looker, SimTime shift_ps);

#endif
