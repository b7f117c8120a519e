/*
 * slack.c - for which other configurations a run would have been the same
 *
 * What holds for a collectives section: `buffer` is of packets, and read under
 * `fidelity: packet` alone (network_use_packets(), and packet_bytes() of
 * size.c, which is 0 without).
 *
 * What an endpoint has may say, too, how collectives are cut (pace() of
 * EndpointOps), unless the configuration does.  Then they are cut for the other
 * configuration, too, and all cuts have to be the same: of them everything else
 * follows, as nothing but pace() reads what differs before the run.
 */
#include "models/run/report/slack.h"

#include <string.h>

#include "models/npu/npu_slack.h"
#include "models/run/npu_impl.h"

struct Slack {
    const EndpointSlack
        *ops; /* static; NULL: the endpoint vouches for nothing */
    gboolean has_kernels, has_chosen_cuts;
    SlackCuts cuts;
    gboolean has_packets;
    uint64_t buffer_bytes;
    NpuConfig npu;
    uint64_t needed_bytes_per_s; /* of the HBM */
    gpointer params;             /* owned: of the endpoint; plain values only */
    guint n_kept;                /* one a role */
    guint8 *kept;                /* owned: of .ops->kept_size */
};

static const EndpointSlack *ops_of(const SystemConfig *config)
{
    return endpoint_ops(&config->endpoint)->slack;
}

/* ---- what is kept ----------------------------------------------------- */

static void keep_role(Slack *slack, const System *system, uint32_t role)
{
    g_autoptr(GArray) tasks = system_tasks_of(system, role);
    const EndpointSite site = system_site_of(system, tasks);

    slack->kept =
        g_realloc_n(slack->kept, slack->n_kept + 1, slack->ops->kept_size);
    slack->ops->keep(system->notes, system->config->endpoint.params, &site,
                     slack->kept + slack->n_kept * slack->ops->kept_size);
    slack->n_kept++;
}

/* Of each role that is simulated. */
static void keep_roles(Slack *slack, const System *system)
{
    uint64_t seen = 0; /* a bit a role, as in Op.roles */

    for (uint32_t i = 0; i < system->n_sim; i++) {
        uint64_t role = UINT64_C(1) << system->npus[i].role;

        if (!(seen & role))
            keep_role(slack, system, system->npus[i].role);
        seen |= role;
    }
}

static void note_cuts(const System *system, SlackCuts *cuts)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    gsize n = sizeof cuts->sum;

    g_checksum_update(sum, (const guchar *)system->cuts,
                      (gssize)(system->graph->ops->len * sizeof(Cut)));
    g_checksum_get_digest(sum, cuts->sum, &n);
    cuts->is_known = cuts->is_planned = TRUE;
}

Slack *slack_new(const System *system)
{
    const SystemConfig *config = system->config;
    Slack *slack = g_new0(Slack, 1);

    slack->ops = ops_of(config);
    slack->has_kernels = system_has_kernels(system, OP_STREAM_MAIN) ||
                         system_has_kernels(system, OP_STREAM_SIDE);
    slack->has_chosen_cuts = system->has_chosen_cuts;
    note_cuts(system, &slack->cuts);
    slack->has_packets = config->collectives.fidelity == FIDELITY_PACKET;
    slack->buffer_bytes = config->collectives.buffer_bytes;
    slack->npu = config->platform.npu;
    for (uint32_t i = 0; i < system->n_sim; i++)
        slack->needed_bytes_per_s =
            MAX(slack->needed_bytes_per_s,
                hbm_needed_bytes_per_s(system->npus[i].hbm));
    slack->params =
        g_memdup2(config->endpoint.params, config->endpoint.kind->size);
    if (slack->ops && slack->ops->keep)
        keep_roles(slack, system);
    return slack;
}

void slack_free(Slack *slack)
{
    if (!slack)
        return;
    g_free(slack->params);
    g_free(slack->kept);
    g_free(slack);
}

gsize slack_bytes(const Slack *slack)
{
    return sizeof *slack +
           (slack->ops ? slack->n_kept * slack->ops->kept_size : 0);
}

/* ---- what is asked ---------------------------------------------------- */

SystemConfig slack_forget(const SystemConfig *config, gpointer *ret_params)
{
    SystemConfig rest = *config;
    const EndpointSlack *ops = ops_of(config);

    *ret_params =
        g_memdup2(config->endpoint.params, config->endpoint.kind->size);
    rest.endpoint.params = *ret_params;
    if (ops && ops->forget)
        ops->forget(*ret_params);
    npu_forget(&rest.platform.npu);
    rest.collectives.buffer_bytes = 0;
    return rest;
}

static gboolean covers_cuts(const Slack *slack, const SystemConfig *config,
                            SlackCuts *cuts)
{
    g_autoptr(System) planned = NULL;

    if (!slack->has_chosen_cuts)
        return TRUE;
    if (!cuts->is_known && (planned = system_new_plan(config, NULL)))
        note_cuts(planned, cuts);
    cuts->is_known = TRUE;
    return cuts->is_planned &&
           memcmp(cuts->sum, slack->cuts.sum, sizeof cuts->sum) == 0;
}

static gboolean covers_endpoint(const Slack *slack, const SystemConfig *config,
                                SlackCuts *cuts)
{
    gconstpointer params = config->endpoint.params;

    if (!slack->ops || !slack->ops->forget ||
        slack->ops->is_same(slack->params, params))
        return TRUE;
    for (guint i = 0; i < slack->n_kept; i++)
        if (!slack->ops->covers(slack->kept + i * slack->ops->kept_size,
                                params))
            return FALSE;
    return covers_cuts(slack, config, cuts);
}

static gboolean covers_npu(const Slack *slack, const NpuConfig *npu)
{
    if (npu_is_same(&slack->npu, npu))
        return TRUE;
    return slack->ops && !slack->has_kernels &&
           npu_covers(&slack->npu, slack->needed_bytes_per_s, npu);
}

gboolean slack_covers(const Slack *slack, const SystemConfig *config,
                      SlackCuts *cuts)
{
    g_assert(ops_of(config) == slack->ops);
    return (!slack->has_packets ||
            config->collectives.buffer_bytes == slack->buffer_bytes) &&
           covers_npu(slack, &config->platform.npu) &&
           covers_endpoint(slack, config, cuts);
}

gboolean slack_capacities(const SystemConfig *config, uint64_t *ret)
{
    const EndpointSlack *ops = ops_of(config);

    if (!ops || !ops->capacities)
        return FALSE;
    ops->capacities(config->endpoint.params, ret);
    return TRUE;
}
