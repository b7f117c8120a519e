/*
 * loop.h - the loop of one NPU over its kernels, as laps see it
 *
 * An iteration is looked at where the last of its kernels begins before any
 * lets a collective begin: the mark.  Collectives of the iteration before may
 * hold up kernels ahead of it, and all are through where nothing is under way.
 *
 * Units    ps
 */
#ifndef MODELS_RUN_STEADY_LOOP_H
#define MODELS_RUN_STEADY_LOOP_H

#include "models/run/npu_impl.h"
#include "sim/core/steady.h"

/* At the end of kernel @op something begins that communicates. */
gboolean loop_lets_communicate(const System *system, uint32_t op);
/* The place on the main stream of the kernel that is the mark.  0 where kernels
 * and communication see each other, or a side stream has a pace of its own. */
guint loop_mark(const System *system);

/* Of @iteration nothing is done, but for the main stream's first @mark kernels,
 * and of those before it nothing is left to do. */
gboolean loop_is_done_before(const Npu *npu, uint64_t iteration, guint mark);
/* Likewise, and kernel @mark began @now_ps, beside nothing else. */
gboolean loop_begins(const Npu *npu, uint64_t iteration, guint mark,
                     SimTime now_ps);

/* What kernels have and count, */
void loop_visit_kernels(Npu *npu, SteadyWalk *walk);
/* and what is counted of collectives. */
void loop_visit_collectives(Npu *npu, SteadyWalk *walk);

/* As many more iterations are done, and that it is at goes on. */
void loop_go_on(Npu *npu, uint64_t n_iterations);
/* Nothing is left to do of @n_iterations; the kernel that is the mark did not
 * begin, nor was waited for, which was @waited_ps. */
void loop_end(Npu *npu, uint64_t n_iterations, SimTime waited_ps);

#endif
