/*
 * plan_cache.h - the plans of a graph's collectives and messages, each made
 * once
 *
 * Operations of one kind, on one group, with the same choice or recipe share a
 * plan and a sequence of dimension orders.  The number of plans is small.  If a
 * recipe defines the collective, its channels take the place of the orders:
 * chunks use them alternately, according to their shares.
 *
 * Owner    the caller owns the CollPlans, which owns the plans; the placement,
 *          whose members the plans use, must outlive it
 */
#ifndef MODELS_COLLECTIVES_PLAN_CACHE_H
#define MODELS_COLLECTIVES_PLAN_CACHE_H

#include "models/collectives/dimension_orders.h"
#include "models/collectives/role_placement.h"

typedef struct {
    /* Request of the first operation that has this plan. */
    CollRequest request;
    /* The row of the choices that applied; NULL: no row fits. */
    const CollChoice *row;
    const CollRecipe *recipe; /* borrowed; NULL: algorithm_choice.h decides */
    uint32_t index;           /* index in CollPlans.plans */
    /* The plan with dimensions in the order of the platform; or that of channel
     * 0. */
    CollPlan plan;
    CollOrders orders; /* the orders that chunks use, or the channels */
    /* Owned: the members of each channel, in its order; or NULL. */
    CollMembers *members;
} CollPlanned;

typedef struct {
    /* Owned: the plans; the elements are CollPlanned. */
    GPtrArray *plans;
    /* Borrowed, as are the following pointers. */
    const CollPlacement *placement;
    const Topology *topology;
    CollChoices choices;
    CollOrder order;
    /* Size of the chunk with which orders compare loads. */
    uint64_t chunk_bytes;
} CollPlans;

void coll_plans_init(CollPlans *plans, const CollPlacement *placement,
                     const Topology *topology, const CollChoices *choices,
                     CollOrder order, uint64_t chunk_bytes);
void coll_plans_clear(CollPlans *plans);

/* Returns the request of @op, which must not be a kernel. */
CollRequest coll_plans_request(const CollPlans *plans, const Op *op);

/* Returns the plan of @op by the stack recipe @recipe, which must outlive the
 * plans; by the choices if @recipe is NULL. A missing plan is made. The plan
 * stays at its address until all are cleared. Returns NULL and sets @error if
 * the algorithm does not fit. */
const CollPlanned *coll_plans_find_or_make(CollPlans *plans, const Op *op,
                                           const CollRecipe *recipe,
                                           GError **error);

/* Changes the dimension orders of @planned to those of the rule @rule.
 * @planned must be in @plans and have no recipe.  The old orders are freed. */
void coll_plans_set_order(CollPlans *plans, const CollPlanned *planned,
                          CollOrder rule);

#endif
