/*
 * lane_state.h - the state of a lane, private to admit/lane*.c
 *
 * A lane (workloads/lane.h) decides when operations begin.  A load is the unit
 * that it starts: one operation, or a buffer of several.
 */
#ifndef MODELS_RUN_ADMIT_LANE_STATE_H
#define MODELS_RUN_ADMIT_LANE_STATE_H

#include "models/run/report/lane_figures.h"
#include "models/run/state_impl.h"

/* An operation that NPUs have handed to the lane and that has not begun. */
typedef struct {
    uint32_t n_handed; /* NPUs that have handed it over */
    uint64_t iteration;
    SimTime ready_ps; /* when the last of them did */
} LaneWait;

typedef struct {
    const OpLane *rules; /* borrowed */
    GArray *ready; /* of uint32_t: operations that all NPUs have handed over */
    GQueue taken;  /* of LaneLoad: formed at a tick, waiting for room */
    uint32_t n_in_flight;
    uint64_t in_flight_bytes;
    LaneFigures figures;
    SimTime next_ps;      /* with a cycle: the next tick */
    SimTime last_tick_ps; /* with a cycle: the last tick; SIM_TIME_MAX: none */
    SimTime tick_ps; /* when on_tick() is scheduled; SIM_TIME_MAX: it is not */
    gboolean was_full;
} LaneState;

typedef struct {
    TraceLoad told; /* .members points to .members below */
    uint32_t n_parts_done;
    TraceMember members[];
} LaneLoad;

/* The next load of a lane: the first .n ready operations, carried out as
 * @op. */
typedef struct {
    uint32_t n;
    uint32_t op;
    uint64_t bytes;
} NextLoad;

/* Sorts the ready operations by the order of the lane. */
void lane_sort(LaneState *lane, const OpGraph *graph, const LaneWait *waits);
/* Returns the load that starts with ready operation @from; the operations must
 * be sorted. */
NextLoad lane_next_load(const LaneState *lane, const OpGraph *graph,
                        guint from);
/* Returns whether a load of @bytes could start now. */
gboolean lane_has_room(const LaneState *lane, uint64_t bytes);
/* Returns whether no load could start now, whatever operations were ready. */
gboolean lane_is_full(const LaneState *lane);
/* Returns whether @lane may form loads at @now_ps.  If so, records that it does
 * and computes its next tick. */
gboolean lane_may_form_loads(LaneState *lane, SimTime now_ps);

#endif
