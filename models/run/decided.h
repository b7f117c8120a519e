/*
 * decided.h - what the stack of a run has decided, and what that costs
 *
 * Units    ps
 */
#ifndef MODELS_RUN_DECIDED_H
#define MODELS_RUN_DECIDED_H

#include "models/run/system.h"

/* The library, and what it has decided for @op: NULL: nothing. */
const Stack *system_stack(const System *system);
const CollRecipe *system_recipe(const System *system, uint32_t op);
/* What `collectives` says; under SCHEDULER_FAIR, SCHEDULER_FIFO where no NPU
 * has several communicators. */
SchedulerKind system_scheduler(const System *system);
/* Communicators with chunks in flight together on one NPU, so far; 0: not
 * SCHEDULER_FAIR. */
uint32_t system_most_communicators(const System *system);
/* For some operation it has. */
gboolean system_has_recipe(const System *system);
/* The most SMs that a recipe of its takes; 0: none says. */
uint32_t system_stack_sms(const System *system);
/* The SMs and the HBM bandwidth that were chosen for the side stream.  Returns
 * FALSE if the NPU's configuration gives both, or if the side stream has no
 * kernel. */
gboolean system_chose_side(const System *system, uint64_t *ret_n_sms,
                           uint64_t *ret_bytes_per_s);
/* From the issue of @op until its first chunk may start. */
SimTime system_launch_ps(const System *system, uint32_t npu, uint32_t op);
/* From the issue of @op to its end on the NPU that waits longest, summed over
 * all iterations. */
SimTime system_collective_ps(const System *system, uint32_t op);
/* Of that, until the last of its NPUs had issued @op and taken in a first
 * chunk, but for the launch: what @op waited for NPUs that came late, and for
 * others that were taken in before. */
SimTime system_collective_waited_ps(const System *system, uint32_t op);
/* What @message, under way, pays for its protocol's step; FALSE: there is none,
 * and its endpoint's step is paid. */
gboolean system_protocol_step(const System *system, uint32_t message,
                              SimTime *ret_ps);

#endif
