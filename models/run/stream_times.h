/*
 * stream_times.h - the time of an iteration as kernels, bubble and exposed
 * communication of the main streams
 *
 * Units    ps
 * Assumes  the run has ended, and its waits have causes (wait_causes.h)
 */
#ifndef MODELS_RUN_STREAM_TIMES_H
#define MODELS_RUN_STREAM_TIMES_H

#include "models/run/system.h"
#include "models/run/wait_causes.h"

typedef struct {
    SimTime compute_ps; /* the main stream runs a kernel */
    SimTime wait_ps[WAIT_N_CAUSES];
} StreamTimes;

/* Returns the bubble: warm-up, cool-down and imbalance. */
static inline SimTime stream_times_bubble_ps(const StreamTimes *times)
{
    return times->wait_ps[WAIT_WARM_UP] + times->wait_ps[WAIT_COOL_DOWN] +
           times->wait_ps[WAIT_IMBALANCE];
}

/* Returns the times of simulated NPU @index over the whole run; they add up to
 * SystemResult.total_ps. */
StreamTimes system_stream_times_of_npu(const System *system, uint32_t index);

/* Returns the means over all NPUs, per iteration; they add up to
 * SystemResult.iteration_ps, since WAIT_OTHER has what is lost by rounding:
 * less than one ps for each cause. */
StreamTimes system_stream_times(const System *system);

#endif
