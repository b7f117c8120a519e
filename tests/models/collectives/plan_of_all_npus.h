/* plan_of_all_npus.h - plans of a collective of all NPUs */
#ifndef TESTS_MODELS_COLLECTIVES_PLAN_OF_ALL_NPUS_H
#define TESTS_MODELS_COLLECTIVES_PLAN_OF_ALL_NPUS_H

#include "models/collectives/planning/dimension_phases.h"
#include "models/collectives/planning/planning.h"

/* Initialises @plan for a collective of all NPUs. Errors are reported at
 * @node. */
static inline gboolean plan_on_topology(CollPlan *plan,
                                        const Topology *topology, CollKind kind,
                                        int algorithm, const ConfigNode *node,
                                        GError **error)
{
    CollMembers all = coll_members_all_npus(topology_n_npus(topology));
    CollRequest request = { .kind = kind, .members = &all, .payload_bytes = 1 };
    CollChoices choices = { .algorithm = algorithm, .node = node };

    return coll_plan_init(plan, &request, &choices, topology, error);
}

#endif
