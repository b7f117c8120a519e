/* collective_recipe.c - frees recipes (how a stack carries out a collective),
 * and computes the protocol costs of messages */
#include "models/collectives/collective_recipe.h"

static SimTime message_cost_ps(const CollMessageCost *cost, uint64_t bytes)
{
    if (cost->bytes_per_s == 0)
        return cost->step_ps;
    return sim_time_add(cost->step_ps,
                        sim_time_from_bytes(MIN(bytes, cost->most_timed_bytes),
                                            cost->bytes_per_s));
}

SimTime coll_protocol_step_ps(const CollRecipe *recipe, TopologyReach reach,
                              uint64_t wire_bytes)
{
    const CollProtocol *protocol = recipe ? recipe->protocol : NULL;
    uint64_t bytes;

    if (!protocol)
        return 0;
    bytes = coll_payload_bytes(recipe, wire_bytes);
    for (uint32_t i = 0; i < protocol->n_costs; i++) {
        const CollMessageCost *cost = &protocol->costs[i];

        if ((cost->reaches & TOPOLOGY_PLANE(reach)) != 0 &&
            bytes <= cost->most_bytes)
            return message_cost_ps(cost, bytes);
    }
    return protocol->step_ps[reach];
}

void coll_recipe_free(CollRecipe *recipe)
{
    if (!recipe)
        return;
    for (uint32_t c = 0; c < recipe->n_channels; c++)
        g_free(recipe->channels[c].order);
    g_free(recipe->channels);
    g_free(recipe);
}
