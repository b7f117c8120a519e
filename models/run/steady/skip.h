/*
 * skip.h - whether periods that repeat exactly are simulated only once
 *
 * The result is bit for bit the same either way: see steady.c.
 */
#ifndef MODELS_RUN_STEADY_SKIP_H
#define MODELS_RUN_STEADY_SKIP_H

#include "models/run/system.h"

typedef enum {
    SKIP_AUTO,  /* skips what provably repeats */
    SKIP_OFF,   /* simulates everything */
    SKIP_CHECK, /* simulates everything, and compares what SKIP_AUTO would have
                 * skipped */
} SkipMode;

/* To be called before the run.  The default is SKIP_AUTO. */
void system_set_skipping(System *system, SkipMode mode);

/* Returns the number of chunks of NPU 0 that were not simulated because their
 * period had been.  With SKIP_CHECK they were simulated and compared. */
uint64_t system_n_skipped(const System *system);

#endif
