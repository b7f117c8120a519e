/*
 * planning.h - a request becomes a plan: by choice, or as a recipe has it
 *
 * Which algorithm it is, says choice.h.  An `algorithm` that is given for all
 * leaves alone those kinds of which it never is, as a ring is of no all-to-all.
 *
 * Errors   CONFIG_ERROR where an algorithm does not fit
 */
#ifndef MODELS_COLLECTIVES_PLANNING_PLANNING_H
#define MODELS_COLLECTIVES_PLANNING_PLANNING_H

#include "models/collectives/plan.h"

/* Complaints go to what has made the choice. */
G_GNUC_WARN_UNUSED_RESULT
gboolean coll_plan_init(CollPlan *plan, const CollRequest *request,
                        const CollChoices *choices, const Topology *topology,
                        GError **error);

/* What channel number @channel of @recipe does; the members of @request are in
 * its order, and so are ranks that are named.  Complaints go to @where. */
G_GNUC_WARN_UNUSED_RESULT
gboolean coll_plan_init_channel(CollPlan *plan, const CollRequest *request,
                                const CollRecipe *recipe, uint32_t channel,
                                const Topology *topology,
                                const ConfigNode *where, GError **error);

#endif
