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
static uint32_t add_push_or_pull_message(const Servers *servers,
                                         const PlacedTensorPart *part,
                                         uint32_t worker, gboolean is_push)
{
    const ExchangeTensor *tensor = parameter_servers_tensor(servers, part);
    const RoleSet *one =
        role_sets_of_one_role(servers->graph->role_sets, worker);
    const RoleSet *server = parameter_server_role(servers, part->server);
    uint32_t rank = worker + 1;
    uint32_t op = op_graph_add_send(
        servers->graph, tensor->layer, is_push ? OP_WEIGHT_GRADIENT : OP_UPDATE,
        servers->groups[part->server], is_push ? rank : 0, is_push ? 0 : rank,
        part->bytes, tensor->priority);

    op_graph_set_node(servers->graph, op, servers->exchange->node);
    op_graph_set_star(servers->graph, op);
    op_graph_set_message_roles(servers->graph, op, is_push ? one : server,
                               is_push ? server : one);
    parameter_servers_put_op_on_lane(
        servers, op, is_push ? servers->push_lanes : servers->pull_lanes,
        worker);
    return op;
}

/* Adds the pull by @worker with its dependencies; @pushes are the pushes of all
 * workers. */
static void add_pull_after_pushes(const Servers *servers,
                                  const PlacedTensorPart *part,
                                  const uint32_t *pushes, uint32_t worker)
{
    const RoleSet *one =
        role_sets_of_one_role(servers->graph->role_sets, worker);
    const RoleSet *server = parameter_server_role(servers, part->server);
    uint32_t pull = add_push_or_pull_message(servers, part, worker, FALSE);

    op_graph_add_dep_for_roles(servers->graph, pull, pushes[worker], 0, one);
    op_graph_add_dep_for_roles(servers->graph, pull, pushes[worker], 0, server);
    for (uint32_t w = 0;
         w < servers->n_workers && servers->params->stale < STALE_ANY; w++)
        if (w != worker)
            op_graph_add_dep_for_roles(servers->graph, pull, pushes[w],
                                       (uint32_t)servers->params->stale,
                                       server);
    op_graph_add_dep_for_roles(servers->graph,
                               parameter_servers_tensor(servers, part)->needed,
                               pull, 1, one);
}

void parameter_servers_add_asynchronous(const Servers *servers)
{
    g_autofree uint32_t *pushes = g_new(uint32_t, servers->n_workers);

    for (guint i = 0; i < servers->parts->len; i++) {
        const PlacedTensorPart *part =
            &g_array_index(servers->parts, PlacedTensorPart, i);

        for (uint32_t w = 0; w < servers->n_workers; w++) {
            pushes[w] = add_push_or_pull_message(servers, part, w, TRUE);
            op_graph_add_dep_for_roles(
                servers->graph, pushes[w],
                parameter_servers_add_result_of_push(
                    servers, parameter_servers_tensor(servers, part)),
                0, role_sets_of_one_role(servers->graph->role_sets, w));
        }
        for (uint32_t w = 0; w < servers->n_workers; w++)
            add_pull_after_pushes(servers, part, pushes, w);
    }
}
