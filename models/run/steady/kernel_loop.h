/*
 * kernel_loop.h - the loop of one NPU over its kernels, as
 * repeated_iterations.h needs it
 *
 * The mark of an iteration is the beginning of the first kernel whose end lets
 * a collective begin.  Collectives of the iteration before may delay kernels
 * ahead of the mark; all of them have ended if nothing is in flight at the
 * mark.
 *
 * Units    ps
 */
#ifndef MODELS_RUN_STEADY_KERNEL_LOOP_H
#define MODELS_RUN_STEADY_KERNEL_LOOP_H

#include "models/run/npu_impl.h"
#include "sim/core/state_walk.h"

/* Returns whether an operation that communicates depends on kernel @op. */
gboolean kernel_loop_enables_collective(const System *system, uint32_t op);
/* Returns the position of the mark on the main stream.  Returns 0 if kernels
 * and communication affect each other, or if there is a side stream, which has
 * its own pace. */
guint kernel_loop_find_mark(const System *system);

/* Returns whether nothing of @iteration is done but the first @mark kernels of
 * the main stream, and all iterations before it are complete. */
gboolean kernel_loop_is_done_before_mark(const Npu *npu, uint64_t iteration,
                                         guint mark);
/* Returns kernel_loop_is_done_before_mark(), and that kernel @mark began
 * @now_ps while no other kernel runs. */
gboolean kernel_loop_is_at_mark(const Npu *npu, uint64_t iteration, guint mark,
                                SimTime now_ps);

/* Visits the state and the counts of kernels. */
void kernel_loop_visit_kernels(Npu *npu, SteadyWalk *walk);
/* Visits the counts of collectives. */
void kernel_loop_visit_collectives(Npu *npu, SteadyWalk *walk);

/* Moves the program @n_iterations ahead, within the same kernel. */
void kernel_loop_skip_iterations(Npu *npu, uint64_t n_iterations);
/* Moves the program to the end of @n_iterations.  The kernel at the mark did
 * not begin, and the wait for it, @waited_ps, is subtracted again. */
void kernel_loop_skip_to_end(Npu *npu, uint64_t n_iterations,
                             SimTime waited_ps);

#endif
