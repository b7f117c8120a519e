/*
 * period_guess.h - guesses a period from the times at which chunks end
 *
 * The guess uses only the times at which NPU 0 ends chunks, so that it is cheap
 * enough for every run.  It proves nothing; snapshots (state_snapshot.h) do.
 *
 * Units    ps
 */
#ifndef MODELS_RUN_STEADY_PERIOD_GUESS_H
#define MODELS_RUN_STEADY_PERIOD_GUESS_H

#include "sim/core/time.h"

#define PERIOD_GUESS_MOST 64 /* chunks in the longest period */

typedef struct {
    SimTime last_ps;
    SimTime took_ps[4 * PERIOD_GUESS_MOST]; /* ring buffer: time from one
                                             * chunk's end to the next */
    uint64_t n;                             /* chunks that have ended */
    uint64_t next_search;
    uint32_t period; /* chunks; 0: no period is known */
} PeriodGuess;

/* Records that a chunk ended @now_ps.  Returns the period in chunks, or 0 if
 * none is known. */
uint32_t period_guess_add_chunk_end(PeriodGuess *guess, SimTime now_ps);
/* Forgets the period, and searches again after @n_chunks. */
void period_guess_pause(PeriodGuess *guess, uint64_t n_chunks);

#endif
