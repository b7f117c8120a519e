/*
 * last_iteration.h - corrects counts for the kernels that the last iteration
 * lacks
 *
 * Two groups of kernels run from one mark (kernel_loop.h) to the next: the
 * remaining kernels of one iteration, and the first kernels of the next.  The
 * last iteration has only the former.  Communication in flight does not depend
 * on kernels, and no kernel ahead of the mark lets a collective begin.  So at
 * the end of a run the counts of kernels are those at the end of an iteration's
 * last kernel, and all other counts are those at the next mark.
 *
 * Units    ps
 */
#ifndef MODELS_RUN_STEADY_LAST_ITERATION_H
#define MODELS_RUN_STEADY_LAST_ITERATION_H

#include "models/run/npu_impl.h"

typedef struct {
    guint mark;
    GArray *first;    /* owned: of guint: index of each NPU's first count, then
                       * their number */
    GArray *counts;   /* owned: of SimWide: counts at the end of each NPU's
                       * last kernel */
    StateWords state; /* visited, and not used */
    SimTime *at_ps;   /* owned: when the last kernel of an iteration ended, one
                       * an NPU */
    gboolean checks;
    GArray *predicted; /* owned: of SimWide: .counts as expected after the next
                        * iteration */
} LastIteration;

void last_iteration_init(LastIteration *last, System *system);
void last_iteration_clear(LastIteration *last);

/* Predicts that the counts of kernels grow by @grows (of SimWide) until the
 * last kernel of the next iteration ends.  NULL: there is no prediction. */
void last_iteration_predict(LastIteration *last, const GArray *grows);
/* Records the counts when the last kernel of an iteration just ended on @npu,
 * and asserts that they are as predicted. */
void last_iteration_record(LastIteration *last, Npu *npu);
/* Subtracts from @grows (of SimWide) what kernels have counted from the last
 * kernel of an iteration until the mark, where the counts are @counts. */
void last_iteration_subtract(const LastIteration *last, const GArray *counts,
                             GArray *grows);
/* Sets the times at which @npu ends: @shift_ps after those recorded. */
void last_iteration_finish(const LastIteration *last, Npu *npu,
                           SimTime shift_ps);

#endif
