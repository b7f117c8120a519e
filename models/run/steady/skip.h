/*
 * skip.h - whether what repeats exactly is simulated once
 *
 * The result is the same either way, bit for bit: see steady.c.
 */
#ifndef MODELS_RUN_STEADY_SKIP_H
#define MODELS_RUN_STEADY_SKIP_H

#include "models/run/system.h"

typedef enum {
    SKIP_AUTO,  /* what provably repeats is not simulated */
    SKIP_OFF,   /* all is simulated */
    SKIP_CHECK, /* likewise, and what would have been skipped is compared */
} SkipMode;

/* Before the run; SKIP_AUTO unless said. */
void system_set_skip(System *system, SkipMode mode);

/* Chunks of NPU 0 that were not simulated, since their period had been; with
 * SKIP_CHECK those that were compared. */
uint64_t system_n_skipped(const System *system);

#endif
