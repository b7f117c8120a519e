/*
 * lane_figures.h - counts of the operations that a lane has started in a run
 *
 * Units    ps, bytes of payload; sums over the run
 */
#ifndef MODELS_RUN_REPORT_LANE_FIGURES_H
#define MODELS_RUN_REPORT_LANE_FIGURES_H

#include "models/run/system.h"

typedef struct {
    uint64_t n_begun;     /* operations that began */
    uint64_t n_fused;     /* of them, operations in fused buffers */
    uint64_t n_buffers;   /* fused buffers */
    uint64_t fused_bytes; /* bytes in fused buffers */
    SimTime waited_ps; /* sum over operations, from ready on all NPUs until it
                          begins */
} LaneFigures;

/* Returns the counts of lane @lane of the graph. */
LaneFigures system_lane_figures(const System *system, uint32_t lane);

#endif
