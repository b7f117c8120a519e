/* lane_state.h - what a lane holds: for admit/lane*.c */
#ifndef MODELS_RUN_ADMIT_LANE_STATE_H
#define MODELS_RUN_ADMIT_LANE_STATE_H

#include "models/run/report/lane_figures.h"
#include "models/run/state_impl.h"

/* An operation that was handed over, and not let go. */
typedef struct {
    uint32_t n_handed; /* by NPUs */
    uint64_t iteration;
    SimTime ready_ps; /* all of them have */
} LaneWait;

typedef struct {
    const OpLane *rules; /* borrowed */
    GArray *ready;       /* of uint32_t: operations that all have handed over */
    GQueue taken;        /* of LaneLoad: at a look, and there is no room yet */
    uint32_t n_under_way;
    uint64_t under_way_bytes;
    LaneFigures figures;
    SimTime next_ps;   /* under a cycle: not looked at before, */
    SimTime looked_ps; /* but at this instant; SIM_TIME_MAX: never */
    SimTime tick_ps;   /* on_tick() will come then; SIM_TIME_MAX: not */
    gboolean was_full;
} LaneState;

typedef struct {
    TraceLoad told; /* .members is .members here */
    uint32_t n_parts_done;
    TraceMember members[];
} LaneLoad;

/* What stands first in a lane, .n of what is ready, and what that goes as. */
typedef struct {
    uint32_t n;
    uint32_t op;
    uint64_t bytes;
} LanePick;

/* In the order of the lane. */
void lane_sort(LaneState *lane, const OpGraph *graph, const LaneWait *waits);
/* Of what is ready, which is sorted, from @from on. */
LanePick lane_pick(const LaneState *lane, const OpGraph *graph, guint from);
gboolean lane_has_room(const LaneState *lane, uint64_t bytes);
/* Nothing could be let go now, whatever were ready. */
gboolean lane_is_full(const LaneState *lane);
/* Whether @lane looks at what is ready now; if so, it has. */
gboolean lane_looks(LaneState *lane, SimTime now_ps);

#endif
