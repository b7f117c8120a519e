/*
 * tail.h - corrects counts for the kernels that the last iteration lacks
 *
 * Two groups of kernels run from one mark (loop.h) to the next: the remaining
 * kernels of one iteration, and the first kernels of the next.  The last
 * iteration has only the former. Communication in flight does not depend on
 * kernels, and no kernel ahead of the mark lets a collective begin.  So at the
 * end of a run the counts of kernels are those at the end of an iteration's
 * last kernel, and all other counts are those at the next mark.
 *
 * Units    ps
 */
#ifndef MODELS_RUN_STEADY_TAIL_H
#define MODELS_RUN_STEADY_TAIL_H

#include "models/run/npu_impl.h"

typedef struct {
    guint mark;
    GArray *first;     /* owned: of guint: index of each NPU's first count, then
                        * their number */
    GArray *counts;    /* owned: of SimWide: counts at the end of each NPU's
                        * last kernel */
    SteadyWords state; /* visited, and not used */
    SimTime *at_ps;    /* owned: when the last kernel of an iteration ended, one
                        * an NPU */
    gboolean checks;
    GArray *foretold; /* owned: of SimWide: .counts as expected after the next
                       * iteration */
} Tail;

void tail_init(Tail *tail, System *system);
void tail_clear(Tail *tail);

/* Predicts that the counts of kernels grow by @grows (of SimWide) until the
 * last kernel of the next iteration ends.  NULL: there is no prediction. */
void tail_foretell(Tail *tail, const GArray *grows);
/* Records the counts when the last kernel of an iteration just ended on @npu,
 * and asserts that they are as predicted. */
void tail_note(Tail *tail, Npu *npu);
/* Subtracts from @grows (of SimWide) what kernels have counted from the last
 * kernel of an iteration until the mark, where the counts are @counts. */
void tail_cut(const Tail *tail, const GArray *counts, GArray *grows);
/* Sets the times at which @npu ends: @shift_ps after those recorded. */
void tail_end(const Tail *tail, Npu *npu, SimTime shift_ps);

#endif
