/*
 * guess.h - after how many chunks what happens seems to happen again
 *
 * A guess from the times at which one NPU is done with chunks, cheap enough to
 * be made of every run.  It is no proof of anything.
 *
 * Units    ps
 */
#ifndef MODELS_RUN_STEADY_GUESS_H
#define MODELS_RUN_STEADY_GUESS_H

#include "sim/core/time.h"

#define GUESS_MOST 64 /* chunks of a period */

typedef struct {
    SimTime last_ps;
    SimTime took_ps[4 * GUESS_MOST]; /* from chunk to chunk, in turn */
    uint64_t n;                      /* chunks that have ended */
    uint64_t next_look;
    uint32_t period; /* chunks; 0: none is known */
} Guess;

/* One more is done.  Gives the period, 0: none. */
uint32_t guess_add(Guess *guess, SimTime now_ps);
/* It was none, or has ended: looks again after @n_chunks. */
void guess_rest(Guess *guess, uint64_t n_chunks);

#endif
