/*
 * stack_costs.h - queries of the decisions of the software stack in a run, and
 * of their costs
 *
 * Units    ps
 */
#ifndef MODELS_RUN_STACK_COSTS_H
#define MODELS_RUN_STACK_COSTS_H

#include "models/run/system.h"

/* Returns the recipe (algorithm, channels and protocol costs) that the library
 * model decided for @op, or NULL if it decided nothing. */
const CollRecipe *system_recipe(const System *system, uint32_t op);
/* Returns the scheduler of `collectives`.  SCHEDULER_FAIR becomes
 * SCHEDULER_FIFO if no NPU has several communicators. */
SchedulerKind system_scheduler(const System *system);
/* Returns the maximum number of communicators with chunks in flight on one NPU
 * so far, or 0 if the scheduler is not SCHEDULER_FAIR. */
uint32_t system_max_active_communicators(const System *system);
/* Returns whether the stack has decided a recipe for some operation. */
gboolean system_has_recipe(const System *system);
/* Returns the maximum number of SMs that a recipe of the stack takes; 0 if none
 * states it.  The second function counts only operations that @endpoint, one of
 * endpoint_find_members(), carries out. */
uint32_t system_stack_sms(const System *system);
uint32_t system_stack_sms_of_endpoint(const System *system,
                                      const ConfigVariant *endpoint);
/* Returns the SMs and the HBM bandwidth that were chosen for the side stream,
 * or FALSE if the configuration gives both or the side stream has no kernel. */
gboolean system_chosen_side_share(const System *system, uint64_t *ret_n_sms,
                                  uint64_t *ret_bytes_per_s);
/* Returns the time from the issue of @op until its first chunk may start. */
SimTime system_launch_ps(const System *system, uint32_t npu, uint32_t op);
/* Times of a collective operation, summed over all iterations; 0 if it did not
 * run. */
typedef struct {
    /* Time from the issue of the operation to its end, on the NPU where this
     * takes longest. */
    SimTime took_ps;
    /* The part of .took_ps before the last NPU had issued the operation and
     * started its first chunk, without the launch: the operation waited for
     * late NPUs, or for collectives that were started before it. */
    SimTime waited_ps;
} CollectiveTimes;

/* Returns the times of all operations of the program, one element each.  The
 * caller owns the array. */
CollectiveTimes *system_collective_times(const System *system);
/* Sets the step time that @message, in flight, pays to its protocol.  Returns
 * FALSE if it pays the step time of its endpoint instead. */
gboolean system_protocol_step(const System *system, uint32_t message,
                              SimTime *ret_ps);

#endif
