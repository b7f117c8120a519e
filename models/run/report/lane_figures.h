/*
 * lane_figures.h - what a lane has let go over a run
 *
 * Units    ps, bytes of payload; sums over the run
 */
#ifndef MODELS_RUN_REPORT_LANE_FIGURES_H
#define MODELS_RUN_REPORT_LANE_FIGURES_H

#include "models/run/system.h"

typedef struct {
    uint64_t n_loads, n_fused; /* that began, and those of them in buffers, */
    uint64_t n_members;        /* with so many operations in them */
    uint64_t fused_bytes;
    SimTime waited_ps; /* from ready on all NPUs until they begin */
} LaneFigures;

/* Of lane @lane of the graph. */
LaneFigures system_lane_figures(const System *system, uint32_t lane);

#endif
