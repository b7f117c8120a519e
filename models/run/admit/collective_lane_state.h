/*
 * collective_lane_state.h - the state of a lane, private to admit/lane*.c
 *
 * A collective lane (workloads/collective_lane.h) decides when operations
 * begin. A load is the unit that it starts: one operation, or a buffer of
 * several.
 */
#ifndef MODELS_RUN_ADMIT_COLLECTIVE_LANE_STATE_H
#define MODELS_RUN_ADMIT_COLLECTIVE_LANE_STATE_H

#include "models/run/report/collective_lane_counts.h"
#include "models/run/run_state_impl.h"

/* An operation that NPUs have handed to the collective lane and that has not
 * begun. */
typedef struct {
    /* Number of NPUs that have handed the operation to the lane. */
    uint32_t n_handed;
    uint64_t iteration;
    /* Time at which the last NPU handed the operation to the lane. */
    SimTime ready_ps;
} LaneWait;

typedef struct {
    const OpLane *rules; /* borrowed */
    /* Operations that all NPUs have handed to the collective lane; the elements
     * are uint32_t. */
    GArray *ready;
    /* Loads that were formed at a tick and wait for room; the elements are
     * LaneLoad. */
    GQueue taken;
    uint32_t n_in_flight;
    uint64_t in_flight_bytes;
    LaneFigures figures;
    SimTime next_ps; /* time of the next tick, for lanes with a cycle */
    /* Time of the last tick, for collective lanes with a cycle; SIM_TIME_MAX:
     * none yet. */
    SimTime last_tick_ps;
    /* Time for which the event on_lane_cycle_begins() is scheduled;
     * SIM_TIME_MAX: it is not. */
    SimTime tick_ps;
    gboolean was_full;
} LaneState;

typedef struct {
    /* The load of collectives as listeners see it; its .members points to
     * .members below. */
    TraceLoad trace_load;
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
void lane_sort_waiting_ops(LaneState *lane, const OpGraph *graph,
                           const LaneWait *waits);
/* Returns the load of collectives that starts with ready operation @from; the
 * operations must be sorted. */
NextLoad lane_next_load(const LaneState *lane, const OpGraph *graph,
                        guint from);
/* Returns whether a load of @bytes could start now. */
gboolean lane_limits_allow_load(const LaneState *lane, uint64_t bytes);
/* Returns whether no load of collectives could start now, even if operations
 * were ready. */
gboolean lane_concurrency_is_used_up(const LaneState *lane);
/* Returns whether @lane may form loads of collectives at @now_ps. If so,
 * records that it does and computes its next tick. */
gboolean lane_may_form_loads(LaneState *lane, SimTime now_ps);

#endif
