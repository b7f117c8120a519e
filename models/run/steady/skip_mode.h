/*
 * skip_mode.h - whether periods that repeat exactly are simulated only once
 *
 * The result is bit for bit the same either way: see steady.c.
 */
#ifndef MODELS_RUN_STEADY_SKIP_MODE_H
#define MODELS_RUN_STEADY_SKIP_MODE_H

#include "models/run/system.h"

SkipMode system_skip_mode(const System *system);

/* Returns the number of chunks of NPU 0 that were not simulated because their
 * period had been.  Only SKIP_AUTO skips any. */
uint64_t system_n_skipped(const System *system);
/* Returns the number of chunks of NPU 0 that SKIP_CHECK simulated and compared
 * with its prediction; 0 in any other mode.  SKIP_AUTO skips as many, or a few
 * more or less, because it looks for the next period at another chunk. */
uint64_t system_n_skip_checked(const System *system);

/* Numbers of collectives, where each group of a collective counts as one; see
 * quiescent/quiescent_collectives.h. */
typedef struct {
    uint64_t n_replayed; /* replayed to the end instead of simulated */
    uint64_t
        n_taken_back;   /* disturbed before the end, so simulated after all */
    uint64_t n_checked; /* simulated and compared by SKIP_CHECK */
} ReplayCounts;

ReplayCounts system_replay_counts(const System *system);

#endif
