/*
 * tail.h - what the last iteration has less than others
 *
 * From mark to mark (loop.h) kernels of two iterations run, the rest of one and
 * the first of the next; of the last iteration only the rest.  What is under
 * way goes on as ever while they do not, since it does not see them, and
 * nothing else is let begin before the mark.  So at the end kernels have
 * counted what they had when the last of an iteration was through, and all else
 * what it has at the next mark.
 *
 * Units    ps
 */
#ifndef MODELS_RUN_STEADY_TAIL_H
#define MODELS_RUN_STEADY_TAIL_H

#include "models/run/npu_impl.h"

typedef struct {
    guint mark;
    GArray *first;     /* owned: of guint: each NPU's first, then how many */
    GArray *counts;    /* owned: of SimWide: as kernels were through */
    SteadyWords state; /* of no use */
    SimTime *at_ps;    /* owned: when they were, on each NPU */
    gboolean checks;
    GArray *foretold; /* owned: of SimWide: what they will be next, if so */
} Tail;

void tail_init(Tail *tail, System *system);
void tail_clear(Tail *tail);

/* Kernels will have counted as much more as @grows (of SimWide) says when the
 * next iteration's are through; NULL: that is not known. */
void tail_foretell(Tail *tail, const GArray *grows);
/* The last kernel of an iteration just ended on @npu: asserts what was
 * foretold.
 */
void tail_note(Tail *tail, Npu *npu);
/* Takes from @grows (of SimWide) what kernels have counted since, of those at a
 * mark, @counts. */
void tail_cut(const Tail *tail, const GArray *counts, GArray *grows);
/* @npu is at the end, @shift_ps after what was noted and what it has counted of
 * collectives. */
void tail_end(const Tail *tail, Npu *npu, SimTime shift_ps);

#endif
