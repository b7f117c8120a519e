/*
 * collective_lane_counts.h - counts of the operations that a lane has started
 * in a run
 *
 * Units    ps, bytes of payload; sums over the run
 */
#ifndef MODELS_RUN_REPORT_COLLECTIVE_LANE_COUNTS_H
#define MODELS_RUN_REPORT_COLLECTIVE_LANE_COUNTS_H

#include "models/run/system.h"

typedef struct {
    uint64_t n_begun;     /* number of operations that began */
    uint64_t n_fused;     /* number of operations that began in fused buffers */
    uint64_t n_buffers;   /* number of fused buffers that were sent */
    uint64_t fused_bytes; /* bytes in fused buffers */
    /* Sum over the operations of the time from ready on all NPUs until
     * begin. */
    SimTime waited_ps;
} LaneFigures;

/* Returns the counts of collective lane @lane of the graph. */
LaneFigures system_collective_lane_figures(const System *system, uint32_t lane);

#endif
