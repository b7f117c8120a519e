/*
 * synchronous.c - synchronous workers, which push and pull together
 *
 * A push is a reduce from all workers directly to the server, and a pull is a
 * broadcast from the server directly to all workers.  A collective starts when
 * all its ranks are ready, so no worker sends before the last worker is ready
 * to push.  The cost of a straggler is therefore the largest possible.
 *
 * If machines reduce first, the workers of each machine reduce a part to one of
 * them, which pushes it, pulls it and broadcasts it in its machine.  That
 * worker alternates from part to part.
 */
#include "workloads/exchange/servers/servers.h"

/* The operations of one part. */
typedef struct {
    const PlacedTensorPart *part;
    uint32_t local;         /* index in its machine of the worker that pushes */
    const RoleSet *workers; /* roles of the workers that push */
    uint32_t push;          /* index of the push in the graph */
    uint32_t summed;        /* operation after which the server has the sum */
} PartOps;

static uint32_t add_collective_of_part(const Servers *servers,
                                       const PartOps *ops, CollKind kind,
                                       uint32_t group, uint32_t root,
                                       const RoleSet *roles)
{
    const ExchangeTensor *tensor = parameter_servers_tensor(servers, ops->part);
    uint32_t op = op_graph_add_collective(
        servers->graph, tensor->layer,
        kind == COLL_REDUCE ? OP_WEIGHT_GRADIENT : OP_UPDATE, kind,
        ops->part->bytes, tensor->priority);
    gboolean ok;

    op_graph_set_roles(servers->graph, op, roles);
    op_graph_set_group(servers->graph, op, group);
    ok = op_graph_set_root(servers->graph, op, root, servers->exchange->node,
                           NULL);
    g_assert(ok);
    return op;
}

static uint32_t add_star_collectives(const Servers *servers, const PartOps *ops,
                                     CollKind kind)
{
    uint32_t server = ops->part->server;
    uint32_t op = add_collective_of_part(
        servers, ops, kind,
        servers->groups[server * servers->n_local + ops->local], 0,
        role_sets_union(servers->graph->role_sets, ops->workers,
                        parameter_server_role(servers, server)));

    op_graph_set_star(servers->graph, op);
    parameter_servers_put_op_on_lane(
        servers, op,
        kind == COLL_REDUCE ? servers->push_lanes : servers->pull_lanes, 0);
    return op;
}

static void add_push_of_part(const Servers *servers, PartOps *ops)
{
    uint32_t on = parameter_servers_add_result_of_push(
        servers, parameter_servers_tensor(servers, ops->part));

    if (servers->n_local > 1) {
        uint32_t reduced =
            add_collective_of_part(servers, ops, COLL_REDUCE, servers->machines,
                                   ops->local, servers->worker_roles);

        op_graph_add_dep(servers->graph, reduced, on, 0);
        on = reduced;
    }
    ops->push = add_star_collectives(servers, ops, COLL_REDUCE);
    op_graph_add_dep_for_roles(servers->graph, ops->push, on, 0, ops->workers);
    ops->summed =
        parameter_servers_add_weight_update(servers, ops->part, ops->push);
}

/* Adds the pull of a part.  A server answers when it has the sum.  Under `pull:
 * step`, it answers when it has the sums of all its parts and the workers have
 * finished back-propagation. */
static void add_pull_of_part(const Servers *servers, const GArray *all_ops,
                             const PartOps *ops)
{
    const ExchangeTensor *tensor = parameter_servers_tensor(servers, ops->part);
    const RoleSet *server = parameter_server_role(servers, ops->part->server);
    uint32_t pull = add_star_collectives(servers, ops, COLL_BROADCAST),
             arrived = pull;

    op_graph_add_dep_for_roles(servers->graph, pull, ops->push, 0,
                               ops->workers);
    if (servers->params->pull == PULL_STEP) {
        op_graph_add_dep_for_roles(servers->graph, pull, servers->request->last,
                                   0, ops->workers);
        for (guint i = 0; i < all_ops->len; i++) {
            const PartOps *other = &g_array_index(all_ops, PartOps, i);

            if (other->part->server == ops->part->server)
                op_graph_add_dep_for_roles(servers->graph, pull, other->summed,
                                           0, server);
        }
    } else {
        op_graph_add_dep_for_roles(servers->graph, pull, ops->summed, 0,
                                   server);
    }
    if (servers->n_local > 1) {
        arrived = add_collective_of_part(servers, ops, COLL_BROADCAST,
                                         servers->machines, ops->local,
                                         servers->worker_roles);
        op_graph_add_dep_for_roles(servers->graph, arrived, pull, 0,
                                   ops->workers);
    }
    op_graph_add_dep_for_roles(servers->graph, tensor->needed, arrived, 1,
                               servers->worker_roles);
}

void parameter_servers_add_synchronous(const Servers *servers)
{
    g_autoptr(GArray) all_ops = g_array_new(FALSE, FALSE, sizeof(PartOps));

    for (guint i = 0; i < servers->parts->len; i++) {
        PartOps ops = { .part =
                            &g_array_index(servers->parts, PlacedTensorPart, i),
                        .local = i % servers->n_local };

        ops.workers =
            servers->n_local > 1
                ? role_sets_of_one_role(servers->graph->role_sets, ops.local)
                : servers->worker_roles;
        add_push_of_part(servers, &ops);
        g_array_append_val(all_ops, ops);
    }
    for (guint i = 0; i < all_ops->len; i++)
        add_pull_of_part(servers, all_ops, &g_array_index(all_ops, PartOps, i));
}
