/*
 * ranks.c - finds the servers and workers, and checks the settings
 *
 * Servers are selected by stride or by list; all other NPUs are workers.  If
 * machines reduce first, all machines with workers must have equally many.
 */
#include "workloads/exchange/servers/servers.h"

#include "workloads/exchange/compression.h"

gboolean parameter_servers_set_error(const ConfigNode *node, GError **error,
                                     char *text)
{
    config_set_error(error, node, CONFIG_ERROR_CONFLICT, "%s", text);
    g_free(text);
    return FALSE;
}

/* Returns the number of NPUs of the platform.  Without a platform, the graph is
 * only built as a check; the number is then the least with one worker. */
static uint32_t count_npus_of_platform(const ServerRanks *ranks,
                                       const WorkloadSite *site)
{
    const uint64_t *ids = ranks->list.items;
    uint64_t n = ranks->size * ranks->stride;

    if (site)
        return site->n_npus;
    for (guint i = 0; i < ranks->list.n; i++)
        n = MAX(n, ids[i] + 2);
    return (uint32_t)n;
}

static gboolean check_server_ranks(const ServerRanks *ranks, uint32_t n_npus,
                                   GError **error)
{
    uint64_t period = ranks->size * ranks->stride;
    gboolean by_size = ranks->size != CONFIG_AUTO;

    if (by_size == (ranks->list.n > 0))
        return parameter_servers_set_error(
            ranks->node, error,
            g_strdup(by_size ? "servers: one of 'size' and 'list', not both"
                             : "servers: there is none; give 'size' and 'at', "
                               "or 'list'"));
    if (!by_size)
        return TRUE;
    if (ranks->remainder >= ranks->size)
        return parameter_servers_set_error(
            ranks->node, error,
            g_strdup("servers: 'at' must be less than 'size', because it is "
                     "counted from 0"));
    if (n_npus % period != 0)
        return parameter_servers_set_error(
            ranks->node, error,
            g_strdup_printf("servers: %" G_GUINT64_FORMAT
                            " NPUs do not divide the platform's %u",
                            period, n_npus));
    return TRUE;
}

/* Returns for each NPU whether it is a server, or NULL with @error set.  Owner:
 * the caller. */
static gboolean *mark_npus_that_are_servers(const ServerRanks *ranks,
                                            uint32_t n_npus, GError **error)
{
    const uint64_t *ids = ranks->list.items;
    g_autofree gboolean *serves = g_new0(gboolean, n_npus);

    for (guint i = 0; i < ranks->list.n; i++) {
        if (ids[i] >= n_npus || serves[ids[i]]) {
            parameter_servers_set_error(
                ranks->list.node, error,
                ids[i] >= n_npus
                    ? g_strdup_printf("there is no NPU %u on a "
                                      "platform of %u",
                                      (guint)ids[i], n_npus)
                    : g_strdup_printf("NPU %u is listed twice", (guint)ids[i]));
            return NULL;
        }
        serves[ids[i]] = TRUE;
    }
    for (uint32_t i = 0; i < n_npus && ranks->size != CONFIG_AUTO; i++)
        serves[i] = i / ranks->stride % ranks->size == ranks->remainder;
    return g_steal_pointer(&serves);
}

static gboolean split_npus_into_workers_and_servers(Servers *servers,
                                                    GError **error)
{
    const ServerRanks *ranks = &servers->params->servers;
    g_autofree gboolean *serves =
        mark_npus_that_are_servers(ranks, servers->n_npus, error);

    if (!serves)
        return FALSE;
    servers->servers = g_new(uint32_t, servers->n_npus);
    servers->workers = g_new(uint32_t, servers->n_npus);
    for (uint32_t i = 0; i < servers->n_npus; i++) {
        if (serves[i])
            servers->servers[servers->n_servers++] = i;
        else
            servers->workers[servers->n_workers++] = i;
    }
    if (servers->n_workers == 0)
        return parameter_servers_set_error(
            ranks->node, error,
            g_strdup_printf("servers: all %u NPUs of the platform are "
                            "servers, and none is a worker",
                            servers->n_npus));
    if (serves[0])
        return parameter_servers_set_error(
            ranks->node, error,
            g_strdup("servers: NPU 0 has to be a worker, as "
                     "reports are of it"));
    return TRUE;
}

/* Returns the number of workers in the machine that begins with NPU @first. */
static uint32_t count_workers_of_machine(const Servers *servers,
                                         uint32_t first_npu,
                                         uint64_t npus_per_machine)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < servers->n_workers; i++)
        n += servers->workers[i] >= first_npu &&
             servers->workers[i] - first_npu < npus_per_machine;
    return n;
}

static gboolean find_machines_of_workers(Servers *servers, GError **error)
{
    const ParameterServerParams *params = servers->params;
    uint64_t machine = params->machine != CONFIG_AUTO
                           ? params->machine
                           : params->servers.size * params->servers.stride;
    uint32_t n_machines = 0;

    servers->n_local = 1;
    if (params->local == LOCAL_NONE)
        return TRUE;
    if (machine == 0)
        return parameter_servers_set_error(
            servers->exchange->node, error,
            g_strdup("machine: how many NPUs one has is not "
                     "known where servers are listed; `local: "
                     "reduce` needs it"));
    if (servers->request->site && machine > servers->n_npus)
        return parameter_servers_set_error(
            servers->exchange->node, error,
            g_strdup_printf("machine: %" G_GUINT64_FORMAT
                            " NPUs are more than the "
                            "platform's %u",
                            machine, servers->n_npus));
    servers->n_local = count_workers_of_machine(servers, 0, machine);
    for (uint64_t first = 0; first < servers->n_npus; first += machine) {
        uint32_t n =
            count_workers_of_machine(servers, (uint32_t)first, machine);

        n_machines += n > 0;
        if (n > 0 && n != servers->n_local)
            return parameter_servers_set_error(
                servers->exchange->node, error,
                g_strdup_printf("machine: %u workers are in the machine of NPU "
                                "%u and %u in the first; `local: reduce` needs "
                                "as many in all",
                                n, (guint)first, servers->n_local));
    }
    g_assert(n_machines * servers->n_local == servers->n_workers);
    return TRUE;
}

gboolean parameter_servers_find_ranks(Servers *servers, GError **error)
{
    const ServerRanks *ranks = &servers->params->servers;

    servers->n_npus = count_npus_of_platform(ranks, servers->request->site);
    return check_server_ranks(ranks, servers->n_npus, error) &&
           split_npus_into_workers_and_servers(servers, error) &&
           find_machines_of_workers(servers, error);
}

/* ---- checks ------------------------------------------------------------- */

static gboolean check_server_settings(const Servers *servers, GError **error)
{
    const ParameterServerParams *params = servers->params;
    const char *wrong = NULL;

    if (params->asynchronous && params->local != LOCAL_NONE)
        wrong = "asynchronous: workers of a machine that reduce first do not "
                "push each for itself; leave 'local' out";
    else if (params->asynchronous && params->pull != PULL_READY)
        wrong = "asynchronous: a server answers as it comes; leave 'pull' out";
    else if (params->asynchronous && params->update_bytes_per_s > 0)
        wrong = "asynchronous: a server's kernels go in the order of workers, "
                "not as they push; leave 'update' out";
    else if (!params->asynchronous && params->stale > 0)
        wrong = "stale: all workers go together unless 'asynchronous' is true";
    else if (params->update_bytes_per_s > 0 && servers->graph->optimiser)
        wrong = "update: the optimiser's step is the workers' already; set "
                "'training.optimiser: none'";
    return wrong == NULL || parameter_servers_set_error(servers->exchange->node,
                                                        error, g_strdup(wrong));
}

static gboolean check_no_other_communication(const Servers *servers,
                                             GError **error)
{
    for (guint i = 0; i < servers->graph->ops->len; i++) {
        g_autoptr(GString) name = NULL;

        if (op_graph_op(servers->graph, i)->type != OP_COLLECTIVE)
            continue;
        name = g_string_new(NULL);
        op_graph_append_op_name(servers->graph, i, name);
        return parameter_servers_set_error(
            servers->exchange->node, error,
            g_strdup_printf("kind: servers have no part in the %s, which is of "
                            "all NPUs",
                            name->str));
    }
    return TRUE;
}

/* Keeps the lists of workers that each server's groups have below 256 MB. */
#define MAX_LISTED_IDS (1U << 26)

static gboolean check_number_of_groups(const Servers *servers, GError **error)
{
    uint64_t n_ids =
        (uint64_t)servers->n_servers * (servers->n_workers + servers->n_local);

    if (n_ids <= MAX_LISTED_IDS)
        return TRUE;
    return parameter_servers_set_error(
        servers->params->servers.node, error,
        g_strdup_printf("servers: %u servers with a group of "
                        "%u workers each are too many",
                        servers->n_servers, servers->n_workers));
}

static gboolean check_number_of_roles(const Servers *servers, GError **error)
{
    const ParameterServerParams *params = servers->params;
    uint64_t n_workers =
        params->asynchronous ? servers->n_workers : servers->n_local;

    if (n_workers + servers->n_servers <= OP_MAX_ROLES)
        return TRUE;
    return parameter_servers_set_error(
        params->servers.node, error,
        g_strdup_printf(
            "servers: %u are as many roles, and workers %" G_GUINT64_FORMAT
            "%s; there are %d at most",
            servers->n_servers, n_workers,
            params->asynchronous   ? ", each its own as they are asynchronous"
            : servers->n_local > 1 ? ", one a place in a machine"
                                   : "",
            OP_MAX_ROLES));
}

/* Keeps the dependencies between asynchronous workers below 100 MB. */
#define MAX_STALE_DEPS 5000000

/* Checks the number of dependencies under `stale`: the answer to each worker
 * waits for the pushes of all others. */
static gboolean check_number_of_stale_dependencies(const Servers *servers,
                                                   uint64_t n_parts,
                                                   GError **error)
{
    if (!servers->params->asynchronous || servers->params->stale == STALE_ANY ||
        n_parts * servers->n_workers * servers->n_workers <= MAX_STALE_DEPS)
        return TRUE;
    return parameter_servers_set_error(
        servers->exchange->node, error,
        g_strdup_printf("kind: %" G_GUINT64_FORMAT
                        " tensors or parts of them, for each of which %u "
                        "workers wait for each other, are too many; set "
                        "'stale' to %" G_GUINT64_FORMAT,
                        n_parts, servers->n_workers, STALE_ANY));
}

gboolean parameter_servers_check_parts(const Servers *servers, uint64_t n_parts,
                                       GError **error)
{
    uint64_t each =
        servers->params->asynchronous ? 3 * (uint64_t)servers->n_workers : 5;

    if (n_parts <= EXCHANGE_MAX_OPS / each)
        return check_number_of_stale_dependencies(servers, n_parts, error);
    return parameter_servers_set_error(
        servers->exchange->node, error,
        g_strdup_printf("kind: %" G_GUINT64_FORMAT
                        " tensors or parts of them need more than %d "
                        "operations%s",
                        n_parts, EXCHANGE_MAX_OPS,
                        servers->params->placement >= PLACEMENT_PARTITION
                            ? "; give a larger 'partition'"
                            : ""));
}

gboolean parameter_servers_check(const Servers *servers, GError **error)
{
    return check_server_settings(servers, error) &&
           check_no_other_communication(servers, error) &&
           check_number_of_roles(servers, error) &&
           check_number_of_groups(servers, error);
}
