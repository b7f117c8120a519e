/*
 * plans.h - the plans of a graph's collectives and messages, each made once
 *
 * Operations of one kind, on one group, with the same choice or recipe have one
 * plan and one sequence of orders in common.  There are few of them.  Where a
 * recipe says how it is done its channels stand in the place of the orders:
 * chunks take them in turn, by their shares.
 *
 * Owner    the caller owns the CollPlans, which owns the plans; the cast whose
 *          members they are made of must outlive it
 */
#ifndef MODELS_COLLECTIVES_PLANS_H
#define MODELS_COLLECTIVES_PLANS_H

#include "models/collectives/cast.h"
#include "models/collectives/orders.h"

typedef struct {
    CollRequest request;      /* of the first operation that has it */
    const CollChoice *row;    /* NULL: none fits */
    const CollRecipe *recipe; /* borrowed; NULL: by choice */
    uint32_t index;           /* in CollPlans */
    CollPlan plan;            /* in the order of the platform; of channel 0 */
    CollOrders orders;        /* those that chunks take; channels */
    CollMembers *members; /* owned: of each channel, by its order; or NULL */
} CollPlanned;

typedef struct {
    GPtrArray *all;       /* owned: of CollPlanned */
    const CollCast *cast; /* borrowed, as the rest is */
    const Topology *topology;
    CollChoices choices;
    CollOrder order;
    uint64_t chunk_bytes; /* of which orders weigh what they give to do */
} CollPlans;

void coll_plans_init(CollPlans *plans, const CollCast *cast,
                     const Topology *topology, const CollChoices *choices,
                     CollOrder order, uint64_t chunk_bytes);
void coll_plans_clear(CollPlans *plans);

/* What @op, which is no kernel, asks for. */
CollRequest coll_plans_request(const CollPlans *plans, const Op *op);

/* Of @op, as @recipe has it (NULL: as the choices do), which outlives the
 * plans; made where there is none.  It stays where it is until all are cleared.
 * NULL: the algorithm does not fit. */
const CollPlanned *coll_plans_of(CollPlans *plans, const Op *op,
                                 const CollRecipe *recipe, GError **error);

/* Lets the chunks of @planned, one of @plans that no recipe decides, take the
 * orders that @rule gives.  Its orders of before are freed. */
void coll_plans_set_order(CollPlans *plans, const CollPlanned *planned,
                          CollOrder rule);

#endif
