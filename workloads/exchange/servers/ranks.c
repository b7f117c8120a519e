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
    if (ranks->at >= ranks->size)
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
        serves[i] = i / ranks->stride % ranks->size == ranks->at;
    return g_steal_pointer(&serves);
}

static gboolean split_npus_into_workers_and_servers(Servers *s, GError **error)
{
    const ServerRanks *ranks = &s->params->servers;
    g_autofree gboolean *serves =
        mark_npus_that_are_servers(ranks, s->n_npus, error);

    if (!serves)
        return FALSE;
    s->servers = g_new(uint32_t, s->n_npus);
    s->workers = g_new(uint32_t, s->n_npus);
    for (uint32_t i = 0; i < s->n_npus; i++) {
        if (serves[i])
            s->servers[s->n_servers++] = i;
        else
            s->workers[s->n_workers++] = i;
    }
    if (s->n_workers == 0)
        return parameter_servers_set_error(
            ranks->node, error,
            g_strdup_printf("servers: all %u NPUs of the platform are "
                            "servers, and none is a worker",
                            s->n_npus));
    if (serves[0])
        return parameter_servers_set_error(
            ranks->node, error,
            g_strdup("servers: NPU 0 has to be a worker, as "
                     "reports are of it"));
    return TRUE;
}

/* Returns the number of workers in the machine that begins with NPU @first. */
static uint32_t count_workers_of_machine(const Servers *s, uint32_t first_npu,
                                         uint64_t npus_per_machine)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->n_workers; i++)
        n += s->workers[i] >= first_npu &&
             s->workers[i] - first_npu < npus_per_machine;
    return n;
}

static gboolean find_machines_of_workers(Servers *s, GError **error)
{
    const ParameterServerParams *p = s->params;
    uint64_t machine = p->machine != CONFIG_AUTO
                           ? p->machine
                           : p->servers.size * p->servers.stride;
    uint32_t n_machines = 0;

    s->n_local = 1;
    if (p->local == LOCAL_NONE)
        return TRUE;
    if (machine == 0)
        return parameter_servers_set_error(
            s->exchange->node, error,
            g_strdup("machine: how many NPUs one has is not "
                     "known where servers are listed; `local: "
                     "reduce` needs it"));
    if (s->request->site && machine > s->n_npus)
        return parameter_servers_set_error(
            s->exchange->node, error,
            g_strdup_printf("machine: %" G_GUINT64_FORMAT
                            " NPUs are more than the "
                            "platform's %u",
                            machine, s->n_npus));
    s->n_local = count_workers_of_machine(s, 0, machine);
    for (uint64_t first = 0; first < s->n_npus; first += machine) {
        uint32_t n = count_workers_of_machine(s, (uint32_t)first, machine);

        n_machines += n > 0;
        if (n > 0 && n != s->n_local)
            return parameter_servers_set_error(
                s->exchange->node, error,
                g_strdup_printf("machine: %u workers are in the machine of NPU "
                                "%u and %u in the first; `local: reduce` needs "
                                "as many in all",
                                n, (guint)first, s->n_local));
    }
    g_assert(n_machines * s->n_local == s->n_workers);
    return TRUE;
}

gboolean parameter_servers_find_ranks(Servers *s, GError **error)
{
    const ServerRanks *ranks = &s->params->servers;

    s->n_npus = count_npus_of_platform(ranks, s->request->site);
    return check_server_ranks(ranks, s->n_npus, error) &&
           split_npus_into_workers_and_servers(s, error) &&
           find_machines_of_workers(s, error);
}

/* ---- checks ------------------------------------------------------------- */

static gboolean check_server_settings(const Servers *s, GError **error)
{
    const ParameterServerParams *p = s->params;
    const char *wrong = NULL;

    if (p->asynchronous && p->local != LOCAL_NONE)
        wrong = "asynchronous: workers of a machine that reduce first do not "
                "push each for itself; leave 'local' out";
    else if (p->asynchronous && p->pull != PULL_READY)
        wrong = "asynchronous: a server answers as it comes; leave 'pull' out";
    else if (p->asynchronous && p->update_bytes_per_s > 0)
        wrong = "asynchronous: a server's kernels go in the order of workers, "
                "not as they push; leave 'update' out";
    else if (!p->asynchronous && p->stale > 0)
        wrong = "stale: all workers go together unless 'asynchronous' is true";
    else if (p->update_bytes_per_s > 0 && s->graph->optimiser)
        wrong = "update: the optimiser's step is the workers' already; set "
                "'training.optimiser: none'";
    return wrong == NULL || parameter_servers_set_error(s->exchange->node,
                                                        error, g_strdup(wrong));
}

static gboolean check_no_other_communication(const Servers *s, GError **error)
{
    for (guint i = 0; i < s->graph->ops->len; i++) {
        g_autoptr(GString) name = NULL;

        if (op_graph_op(s->graph, i)->type != OP_COLLECTIVE)
            continue;
        name = g_string_new(NULL);
        op_graph_name(s->graph, i, name);
        return parameter_servers_set_error(
            s->exchange->node, error,
            g_strdup_printf("kind: servers have no part in the %s, which is of "
                            "all NPUs",
                            name->str));
    }
    return TRUE;
}

/* Keeps the lists of workers that each server's groups have below 256 MB. */
#define MAX_LISTED_IDS (1U << 26)

static gboolean check_number_of_groups(const Servers *s, GError **error)
{
    uint64_t n_ids = (uint64_t)s->n_servers * (s->n_workers + s->n_local);

    if (n_ids <= MAX_LISTED_IDS)
        return TRUE;
    return parameter_servers_set_error(
        s->params->servers.node, error,
        g_strdup_printf("servers: %u servers with a group of "
                        "%u workers each are too many",
                        s->n_servers, s->n_workers));
}

static gboolean check_number_of_roles(const Servers *s, GError **error)
{
    const ParameterServerParams *p = s->params;
    uint64_t n_workers = p->asynchronous ? s->n_workers : s->n_local;

    if (n_workers + s->n_servers <= OP_MAX_ROLES)
        return TRUE;
    return parameter_servers_set_error(
        p->servers.node, error,
        g_strdup_printf(
            "servers: %u are as many roles, and workers %" G_GUINT64_FORMAT
            "%s; there are %d at most",
            s->n_servers, n_workers,
            p->asynchronous  ? ", each its own as they are asynchronous"
            : s->n_local > 1 ? ", one a place in a machine"
                             : "",
            OP_MAX_ROLES));
}

/* Keeps the dependencies between asynchronous workers below 100 MB. */
#define MAX_STALE_DEPS 5000000

/* Checks the number of dependencies under `stale`: the answer to each worker
 * waits for the pushes of all others. */
static gboolean check_number_of_stale_dependencies(const Servers *s,
                                                   uint64_t n_parts,
                                                   GError **error)
{
    if (!s->params->asynchronous || s->params->stale == STALE_ANY ||
        n_parts * s->n_workers * s->n_workers <= MAX_STALE_DEPS)
        return TRUE;
    return parameter_servers_set_error(
        s->exchange->node, error,
        g_strdup_printf("kind: %" G_GUINT64_FORMAT
                        " tensors or parts of them, for each of which %u "
                        "workers wait for each other, are too many; set "
                        "'stale' to %" G_GUINT64_FORMAT,
                        n_parts, s->n_workers, STALE_ANY));
}

gboolean parameter_servers_check_parts(const Servers *s, uint64_t n_parts,
                                       GError **error)
{
    uint64_t each = s->params->asynchronous ? 3 * (uint64_t)s->n_workers : 5;

    if (n_parts <= EXCHANGE_MAX_OPS / each)
        return check_number_of_stale_dependencies(s, n_parts, error);
    return parameter_servers_set_error(
        s->exchange->node, error,
        g_strdup_printf("kind: %" G_GUINT64_FORMAT
                        " tensors or parts of them need more than %d "
                        "operations%s",
                        n_parts, EXCHANGE_MAX_OPS,
                        s->params->placement >= PLACEMENT_PARTITION
                            ? "; give a larger 'partition'"
                            : ""));
}

gboolean parameter_servers_check(const Servers *s, GError **error)
{
    return check_server_settings(s, error) &&
           check_no_other_communication(s, error) &&
           check_number_of_roles(s, error) && check_number_of_groups(s, error);
}
