/*
 * repeats.h - listening to a run of which periods are skipped
 *
 * Of one NPU, where what is under way repeats (models/run/steady).  Of what is
 * skipped nothing is told but kernels, which go on meanwhile: they are told of
 * as ever, those of a skipped time before anything else of it.  No wait of the
 * main stream begins or ends within it, nor does an iteration.
 *
 * Units    ps
 * Owner    what is kept is counted by its owners
 */
#ifndef MODELS_TRACE_REPEATS_H
#define MODELS_TRACE_REPEATS_H

#include "sim/core/steady.h"

/* Of one listener, or several that are one: with the same self. */
typedef struct {
    /* A look begins, at what goes on: visits what makes a difference to what
     * is made of what follows. */
    void (*look)(gpointer self, SteadyWalk *walk);
    /* Likewise of what there is, one by one: slots of chunks, messages. */
    void (*chunk)(gpointer self, SteadyWalk *walk, uint32_t slot, uint32_t op);
    void (*message)(gpointer self, SteadyWalk *walk, uint32_t message);
    /* What is to be kept of the look that just ended.  Counted by owners. */
    gpointer (*keep)(gpointer self);
    /* What to know of the period between two such, in the same state; NULL: it
     * cannot be skipped.  Likewise. */
    gpointer (*between)(gpointer self, gpointer from, gpointer to);
    void (*let_look_go)(gpointer look);
    void (*let_period_go)(gpointer period);
    /* How many times it may be skipped, of @n, from the last look on. */
    uint64_t (*most)(gpointer self, gpointer period, uint64_t n);
    /* It has been @n times, with operation @op under way. */
    void (*skipped)(gpointer self, gpointer period, uint64_t n,
                    SimTime shift_ps, uint32_t op);
} TraceRepeats;

#endif
