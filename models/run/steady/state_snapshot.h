/*
 * state_snapshot.h - snapshots of the state of a run while one collective
 * admits chunks
 *
 * Two snapshots are equal if the same events follow them, as long as the
 * collective has chunks of full size to admit, no collective is issued, and no
 * event outside communication changes a rate.
 *
 *   chunks          all chunks in flight belong to that collective.  They are
 *                   numbered backwards from the next one that NPU 0 admits, so
 *                   absolute indices, slots, orders and records are left out.
 *                   The plans of the next chunks, and whether the next index is
 *                   odd, are a part of the state
 *   NPUs            their chunks in flight, resources and admissions to follow
 *   endpoints, HBM, network    by their own functions: sim/core/state_walk.h
 *   events          those of the above, in their order
 *   others          events that communication does not depend on:
 * kernels_during_skips.h
 *
 * Messages have no numbers: each is visited in the one place where it is.
 */
#ifndef MODELS_RUN_STEADY_STATE_SNAPSHOT_H
#define MODELS_RUN_STEADY_STATE_SNAPSHOT_H

#include "models/run/chunk_impl.h"
#include "models/run/npu_impl.h"
#include "sim/core/state_walk.h"

typedef struct {
    SimTime at_ps;
    uint64_t n_ends; /* chunks that NPU 0 had ended */
    uint64_t next;   /* number of the next chunk that NPU 0 admits, in the order
                      * of plans */
    StateWords state;
    GArray *counts;  /* owned: of SimWide, in the order of the walk */
    guint n_changes; /* changes in the log by then */
    StateWords
        constant_words; /* words that are equal at both ends of a period */
    gpointer listener_record; /* owned by .listener: its record of this moment;
                               * or NULL */
    const TraceListener *listener; /* borrowed; NULL: there is none */
} Snapshot;

/* Visits the state of a run, to take a snapshot or to move it ahead. */
typedef struct {
    System *system;      /* borrowed */
    GHashTable *owners;  /* owned: of EventOwner, by event address */
    GArray *all_events;  /* owned: of SimEvent, taken out of the engine */
    GArray *comm_events; /* owned: those of communication */
    GArray
        *other_events;  /* owned: those that communication does not depend on */
    SteadyLog log;      /* owned: changes at NPU 0 */
    CollInstance *coll; /* borrowed: the collective that admits chunks */
    uint32_t base;      /* the next chunk of it that NPU 0 admits */
} StateWalker;

void state_walker_init(StateWalker *walker, System *system);
void state_walker_clear(StateWalker *walker);

/* Returns a snapshot, or NULL if the state cannot be described.  To be called
 * in SIM_PHASE_SAMPLE, with events out of the engine. */
Snapshot *snapshot_take(StateWalker *walker, CollInstance *coll,
                        uint64_t n_ends);
void snapshot_free(Snapshot *snapshot);
/* Returns whether the two states are equal, whatever the counts. */
gboolean snapshot_equals(const Snapshot *a, const Snapshot *b);

/* Moves all state that @walker visits ahead in time, as @walk says; events must
 * be out of the engine. */
void state_walker_advance(StateWalker *walker, const SteadyWalk *walk);

/* Returns whether no event from outside came between the two snapshots, which
 * would have changed .constant_words. */
gboolean snapshot_is_undisturbed(const Snapshot *a, const Snapshot *b);
Snapshot *snapshot_copy(const Snapshot *snapshot);

/* Visits NPUs and the network.  If walker->coll is NULL, no chunk may be in
 * flight. */
void state_walker_visit_npus(StateWalker *walker, SteadyWalk *walk);

/* Takes all events out of the engine, and sorts them into .events and
 * .other_events. */
void state_walker_take_events(StateWalker *walker);
/* Puts all events back unchanged. */
void state_walker_put_events(const StateWalker *walker);
/* Puts all events back, @shift_ps later, and takes them out again. */
void state_walker_shift_events(StateWalker *walker, SimTime shift_ps);
/* Puts the events of communication back @shift_ps later, and the others
 * unchanged.  No two of them may then have the same time and phase. */
void state_walker_put_moved(const StateWalker *walker, SimTime shift_ps);

#endif
