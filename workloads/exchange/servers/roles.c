/*
 * roles.c - adds the roles, groups and lanes of servers and workers
 *
 * Each server has a role.  Workers share one role, unless they are asynchronous
 * or their machines reduce first.  A server is rank 0 of its groups.
 */
#include "workloads/exchange/servers/servers.h"

static uint32_t add_worker_or_server_role(const Servers *servers,
                                          const char *name, const uint32_t *ids,
                                          uint32_t n, gboolean serves)
{
    OpRole role = { .name = name,
                    .ranks_by = RANKS_LIST,
                    .n_ids = n,
                    .ids = g_memdup2(ids, n * sizeof ids[0]),
                    .serves = serves,
                    .node = servers->params->servers.node };
    uint32_t index = op_graph_add_role(servers->graph, &role);

    g_free(role.ids);
    return index;
}

/* Returns the worker with index @local of each machine, in the order of the
 * machines.  The caller owns the array. */
static uint32_t *workers_with_local_index(const Servers *servers,
                                          uint32_t local)
{
    uint32_t n = servers->n_workers / servers->n_local;
    uint32_t *ids = g_new(uint32_t, n);

    for (uint32_t m = 0; m < n; m++)
        ids[m] = servers->workers[m * servers->n_local + local];
    return ids;
}

static char *name_with_number(const char *name, uint32_t i, uint32_t n)
{
    return n > 1 ? g_strdup_printf("%s.%u", name, i) : g_strdup(name);
}

/* Adds one role for all workers, or one for each index in a machine if machines
 * reduce first, or one for each asynchronous worker. */
static void add_worker_roles(Servers *servers)
{
    uint32_t n =
        servers->params->asynchronous ? servers->n_workers : servers->n_local;

    for (uint32_t i = 0; i < n; i++) {
        g_autofree char *name = name_with_number("worker", i, n);
        g_autofree uint32_t *ids = servers->params->asynchronous
                                       ? NULL
                                       : workers_with_local_index(servers, i);

        add_worker_or_server_role(
            servers, name, ids ?: &servers->workers[i],
            ids ? servers->n_workers / servers->n_local : 1, FALSE);
    }
    servers->n_worker_roles = n;
    servers->worker_roles = role_sets_first_n(servers->graph->role_sets, n);
    op_graph_share_first_role(servers->graph, servers->worker_roles);
}

/* Adds the group of a server, which is rank 0, and of worker @local of each
 * machine. */
static uint32_t add_server_group(const Servers *servers, uint32_t server,
                                 uint32_t local)
{
    uint32_t n = servers->n_workers / servers->n_local;
    g_autofree uint32_t *workers = workers_with_local_index(servers, local);
    g_autofree uint32_t *ids = g_new(uint32_t, n + 1);
    g_autofree char *name =
        name_with_number("server", server, servers->n_servers);

    ids[0] = servers->servers[server];
    for (uint32_t i = 0; i < n; i++)
        ids[i + 1] = workers[i];
    return op_graph_add_group(
        servers->graph, &(OpGroup){ .name = name,
                                    .grouped_by = GROUP_LISTS,
                                    .size = n + 1,
                                    .n_lists = 1,
                                    .ids = ids,
                                    .node = servers->params->servers.node });
}

static void add_server_groups(Servers *servers)
{
    servers->groups =
        g_new(uint32_t, (gsize)servers->n_servers * servers->n_local);
    for (uint32_t i = 0; i < servers->n_servers; i++)
        for (uint32_t l = 0; l < servers->n_local; l++)
            servers->groups[i * servers->n_local + l] =
                add_server_group(servers, i, l);
    if (servers->n_local > 1)
        servers->machines = op_graph_add_group(
            servers->graph,
            &(OpGroup){ .name = "machine",
                        .grouped_by = GROUP_LISTS,
                        .size = servers->n_local,
                        .n_lists = servers->n_workers / servers->n_local,
                        .ids = servers->workers,
                        .node = servers->params->servers.node });
}

/* Adds one lane, or one for each asynchronous worker.  Returns NULL if messages
 * are not limited.  Owner: the caller. */
static uint32_t *add_message_lanes(const Servers *servers, const char *what)
{
    const ParameterServerParams *params = servers->params;
    uint32_t n = params->asynchronous ? servers->n_workers : 1;
    uint32_t *lanes;

    if (params->at_a_time == 0 && params->credit_bytes == 0)
        return NULL;
    lanes = g_new(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        g_autofree char *name = name_with_number(what, i, n);

        lanes[i] = op_graph_add_lane(
            servers->graph, &(OpLane){ .name = name,
                                       .order = (OpLaneOrder)params->order,
                                       .at_a_time = (uint32_t)params->at_a_time,
                                       .credit_bytes = params->credit_bytes });
    }
    return lanes;
}

void parameter_servers_add_roles(Servers *servers)
{
    add_worker_roles(servers);
    for (uint32_t i = 0; i < servers->n_servers; i++) {
        g_autofree char *name =
            name_with_number("server", i, servers->n_servers);

        add_worker_or_server_role(servers, name, &servers->servers[i], 1, TRUE);
    }
    add_server_groups(servers);
    servers->push_lanes = add_message_lanes(servers, "push");
    servers->pull_lanes = add_message_lanes(servers, "pull");
}

void parameter_servers_put_op_on_lane(const Servers *servers, uint32_t op,
                                      const uint32_t *lanes, uint32_t worker)
{
    if (lanes)
        op_graph_set_lane(servers->graph, op, lanes[worker]);
}

/* Returns the time of @bytes at a rate, rounded up. */
static uint64_t transfer_time_at_rate_ps(uint64_t bytes, uint64_t bytes_per_s)
{
    unsigned __int128 wide = (unsigned __int128)bytes * 1000000000000;

    return (uint64_t)((wide + bytes_per_s - 1) / bytes_per_s);
}

uint32_t parameter_servers_add_weight_update(const Servers *servers,
                                             const PlacedTensorPart *part,
                                             uint32_t push)
{
    uint64_t bytes_per_s = servers->params->update_bytes_per_s;
    OpWork work = { 0 };
    uint32_t update;

    if (bytes_per_s == 0)
        return push;
    work.measured_ps = transfer_time_at_rate_ps(part->bytes, bytes_per_s);
    update = op_graph_add_compute(
        servers->graph, parameter_servers_tensor(servers, part)->layer,
        OP_UPDATE, OP_STREAM_MAIN, &work);
    op_graph_set_roles(servers->graph, update,
                       parameter_server_role(servers, part->server));
    op_graph_add_dep(servers->graph, update, push, 0);
    return update;
}

void parameter_servers_clear(Servers *servers)
{
    g_free(servers->servers);
    g_free(servers->workers);
    g_free(servers->groups);
    g_free(servers->push_lanes);
    g_free(servers->pull_lanes);
    if (servers->parts)
        g_array_unref(servers->parts);
}
