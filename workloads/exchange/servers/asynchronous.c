/*
 * asynchronous.c - asynchronous workers, which push and pull independently
 *
 * Each worker sends one message for each part.  The server adds it on arrival
 * and answers with the current weights, so no worker waits for another.  With a
 * bound of s iterations, a server answers the push of iteration i when it has
 * the pushes i - s of all other workers.  So no worker is more than s
 * iterations ahead of the slowest.  With s = 0 all workers keep the same pace;
 * they still differ from synchronous workers, because the pushes of fast
 * workers are sent before the slowest worker pushes.
 *
 * The model does not say which gradients are in the weights that a worker gets.
 * Their average staleness, and convergence, are outside a simulator of time.
 */
#include "workloads/exchange/servers/servers.h"

/* Adds the push or the pull of @part by @worker; the server is rank 0 of the
 * group. */
static uint32_t add_push_or_pull_message(const Servers *s,
                                         const PlacedPart *part,
                                         uint32_t worker, gboolean is_push)
{
    const ExchangeTensor *tensor = parameter_servers_tensor(s, part);
    const RoleSet *one = role_sets_of_one_role(s->graph->role_sets, worker);
    const RoleSet *server = servers_role(s, part->server);
    uint32_t rank = worker + 1;
    uint32_t op = op_graph_add_send(
        s->graph, tensor->layer, is_push ? OP_WEIGHT_GRADIENT : OP_UPDATE,
        s->groups[part->server], is_push ? rank : 0, is_push ? 0 : rank,
        part->bytes, tensor->priority);

    op_graph_set_node(s->graph, op, s->exchange->node);
    op_graph_set_star(s->graph, op);
    op_graph_set_message_roles(s->graph, op, is_push ? one : server,
                               is_push ? server : one);
    parameter_servers_put_op_on_lane(
        s, op, is_push ? s->push_lanes : s->pull_lanes, worker);
    return op;
}

/* Adds the pull by @worker with its dependencies; @pushes are the pushes of all
 * workers. */
static void add_pull_after_pushes(const Servers *s, const PlacedPart *part,
                                  const uint32_t *pushes, uint32_t worker)
{
    const RoleSet *one = role_sets_of_one_role(s->graph->role_sets, worker);
    const RoleSet *server = servers_role(s, part->server);
    uint32_t pull = add_push_or_pull_message(s, part, worker, FALSE);

    op_graph_add_dep_of(s->graph, pull, pushes[worker], 0, one);
    op_graph_add_dep_of(s->graph, pull, pushes[worker], 0, server);
    for (uint32_t w = 0; w < s->n_workers && s->params->stale < STALE_ANY; w++)
        if (w != worker)
            op_graph_add_dep_of(s->graph, pull, pushes[w],
                                (uint32_t)s->params->stale, server);
    op_graph_add_dep_of(s->graph, parameter_servers_tensor(s, part)->needed,
                        pull, 1, one);
}

void parameter_servers_add_asynchronous(const Servers *s)
{
    g_autofree uint32_t *pushes = g_new(uint32_t, s->n_workers);

    for (guint i = 0; i < s->parts->len; i++) {
        const PlacedPart *part = &g_array_index(s->parts, PlacedPart, i);

        for (uint32_t w = 0; w < s->n_workers; w++) {
            pushes[w] = add_push_or_pull_message(s, part, w, TRUE);
            op_graph_add_dep_of(s->graph, pushes[w],
                                parameter_servers_add_result_of_push(
                                    s, parameter_servers_tensor(s, part)),
                                0,
                                role_sets_of_one_role(s->graph->role_sets, w));
        }
        for (uint32_t w = 0; w < s->n_workers; w++)
            add_pull_after_pushes(s, part, pushes, w);
    }
}
