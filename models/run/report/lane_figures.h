/*
 * lane_figures.h - what a lane has let go over a run
 *
 * Units    ps, bytes of payload; sums over the run
 */
#ifndef MODELS_RUN_REPORT_LANE_FIGURES_H
#define MODELS_RUN_REPORT_LANE_FIGURES_H

#include "models/run/system.h"

typedef struct {
    uint64_t n_begun;     /* operations, */
    uint64_t n_fused;     /* those of them in buffers, */
    uint64_t n_buffers;   /* of which there were so many, */
    uint64_t fused_bytes; /* with so much in them */
    SimTime waited_ps;    /* all, from ready on all NPUs until it begins */
} LaneFigures;

/* Of lane @lane of the graph. */
LaneFigures system_lane_figures(const System *system, uint32_t lane);

#endif
