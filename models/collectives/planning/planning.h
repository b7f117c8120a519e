/*
 * planning.h - turns a request into a plan, by the choice of the configuration
 * or by the recipe of a stack
 *
 * algorithm_choice.h chooses the algorithm.  An `algorithm` that applies to all
 * collectives is ignored for kinds that it never supports, such as a ring for
 * an all-to-all.
 *
 * Errors   CONFIG_ERROR if an algorithm does not fit
 */
#ifndef MODELS_COLLECTIVES_PLANNING_PLANNING_H
#define MODELS_COLLECTIVES_PLANNING_PLANNING_H

#include "models/collectives/collective_plan.h"

/* Plans @request by the choices of the configuration.  Errors name the row, or
 * the section, that made the choice. */
G_GNUC_WARN_UNUSED_RESULT
gboolean coll_plan_init(CollPlan *plan, const CollRequest *request,
                        const CollChoices *choices, const Topology *topology,
                        GError **error);

/* Plans channel number @channel of the stack recipe @recipe. The members and
 * ranks of @request must be in the order of the channel. Errors refer to
 * @where. */
G_GNUC_WARN_UNUSED_RESULT
gboolean coll_plan_init_channel(CollPlan *plan, const CollRequest *request,
                                const CollRecipe *recipe, uint32_t channel,
                                const Topology *topology,
                                const ConfigNode *where, GError **error);

#endif
