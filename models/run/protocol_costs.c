/* protocol_costs.c - the step and posting costs of a stack's protocol; see
 * protocol_costs_impl.h and stack_costs.h */
#include "models/run/protocol_costs_impl.h"

uint8_t protocol_reach_of_message(const Npu *npu, const Chunk *chunk,
                                  const NetMessage *message)
{
    if (!chunk->plan->recipe->protocol)
        return 0;
    return MESSAGE_PAYS(network_path_reach(npu->system->state.network,
                                           npu->host.id, message->dst,
                                           message->path_id));
}

static const Chunk *chunk_of_message(const System *system,
                                     const NetMessage *message)
{
    return g_ptr_array_index(system->state.chunks, message_chunk_slot(message));
}

/* Returns when @npu's thread begins to post the last of the network messages
 * that @message represents, after those that it has to post before.  The
 * duration of that last post is part of its step. */
static SimTime post_network_messages(Npu *npu, const CollRecipe *recipe,
                                     const NetMessage *message)
{
    uint64_t n = (message->bytes + recipe->post_bytes - 1) / recipe->post_bytes;
    SimTime from_ps =
        MAX(npu->posted_ps, sim_engine_now_ps(npu->system->state.engine));

    g_assert(recipe->post_bytes > 0);
    if (n == 0)
        return from_ps;
    npu->posted_ps = sim_time_add(from_ps, n * recipe->post_ps);
    return npu->posted_ps - recipe->post_ps;
}

SimTime protocol_ready_ps(Npu *npu, const NetMessage *message, SimTime ready_ps)
{
    const CollRecipe *recipe;
    const Chunk *chunk;
    TopologyReach reach;
    SimTime posted_ps;

    if (!message_protocol_reach(message, &reach))
        return ready_ps;
    chunk = chunk_of_message(npu->system, message);
    recipe = chunk->plan->recipe;
    ready_ps =
        sim_time_add(ready_ps - npu_endpoint_of_op(npu, chunk->op)->step_ps,
                     coll_protocol_step_ps(recipe, reach, message->bytes));
    if (reach < TOPOLOGY_NETWORK || recipe->post_ps == 0)
        return ready_ps;
    posted_ps = post_network_messages(npu, recipe, message);
    return MAX(ready_ps, posted_ps);
}

SchedulerKind system_scheduler(const System *system)
{
    return system->plan.scheduler;
}

uint32_t system_max_active_communicators(const System *system)
{
    return system->counters.max_active_communicators;
}

const CollRecipe *system_recipe(const System *system, uint32_t op)
{
    return system->plan.collective_classes.class_of_op[op]
               ? system->plan.collective_classes.class_of_op[op]
                     ->planned->recipe
               : NULL;
}

gboolean system_has_recipe(const System *system)
{
    for (guint i = 0; i < system->plan.graph->ops->len; i++)
        if (system_recipe(system, i))
            return TRUE;
    return FALSE;
}

uint32_t system_stack_sms_of_endpoint(const System *system,
                                      const ConfigVariant *endpoint)
{
    uint32_t most = 0;

    for (guint i = 0; i < system->plan.graph->ops->len; i++) {
        const CollRecipe *recipe = system_recipe(system, i);
        const ConfigVariant *of_op =
            op_endpoints_variant(&system->plan.endpoints, i);

        if (recipe && of_op->params == endpoint->params)
            most = MAX(most, recipe->n_sms);
    }
    return most;
}

uint32_t system_stack_sms(const System *system)
{
    const EndpointMembers *members = &system->plan.endpoints.members;
    uint32_t most = 0;

    for (uint32_t i = 0; i < members->n; i++)
        most = MAX(
            most, system_stack_sms_of_endpoint(system, &members->endpoints[i]));
    return most;
}

SimTime system_launch_ps(const System *system, uint32_t npu, uint32_t op)
{
    const CollRecipe *recipe = system_recipe(system, op);

    if (op_graph_op(system->plan.graph, op)->is_recorded)
        return 0;
    if (recipe)
        return recipe->launch_ps;
    return npu_endpoint_of_op(
               &system->state
                    .npus[symmetry_fold_class_of_end(system->plan.fold, npu)],
               op)
        ->launch_ps;
}

gboolean system_protocol_step(const System *system, uint32_t message,
                              SimTime *ret_ps)
{
    const NetMessage *net_message =
        network_get_message(system->state.network, message);
    TopologyReach reach;

    if (!message_protocol_reach(net_message, &reach))
        return FALSE;
    *ret_ps = coll_protocol_step_ps(
        chunk_of_message(system, net_message)->plan->recipe, reach,
        net_message->bytes);
    return TRUE;
}
