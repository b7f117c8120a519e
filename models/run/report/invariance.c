/*
 * invariance.c - the configurations for which a run would have been the same
 *
 * The claims for the section `collectives`:
 *
 *   buffer   is read only under `fidelity: packet` (network_use_packets(), and
 *            packet_bytes() of size.c, which is 0 otherwise).
 *   window   is only compared with the number of chunks in flight on an NPU.
 *            Let m be the largest number ever in flight.  If the window was
 *            larger than m, every window larger than m leads to the same run.
 *            But a larger window may need more memory than there is.
 *
 * Endpoint parameters can determine how collectives are cut (EndpointOps.pace),
 * unless the configuration gives the cuts.  In this case the cuts for the other
 * configuration are computed, and all must be equal.  That is enough, because
 * before the run only pace() reads the parameters that differ.
 *
 * A share of the HBM for reads is read only by hbm.c and by pace(), for the
 * kinds that name it in EndpointInvariance.share.  Under `shared` hbm.c ignores
 * it.  Under `partitioned` hbm.c uses at most the usable bandwidth, and counts
 * the writes that come with it only if writes are charged.  The reported share
 * may differ, but the times are the same.
 */
#include "models/run/report/invariance.h"

#include <string.h>

#include "models/npu/npu_invariance.h"
#include "models/run/npu_impl.h"
#include "models/run/report/kernel_invariance.h"

struct Invariance {
    /* Static: what the endpoint states about its parameters; NULL: nothing. */
    const EndpointInvariance *ops;
    gboolean has_kernels, has_chosen_cuts;
    SideShare side;
    /* Checksum over all cuts.  A common window is compared separately; windows
     * of communicators are included, as their fill level is not known. */
    guint8 cuts[32];
    uint64_t given_window, window, most_in_flight;
    gboolean has_packets;
    uint64_t buffer_bytes;
    NpuConfig npu;
    uint64_t needed_bytes_per_s; /* highest demand on the HBM during the run */
    /* Owned: the parameters of the endpoint, which are plain values only. */
    gpointer params;
    guint n_kept; /* number of records in .kept, one per role */
    guint8 *kept; /* owned: .n_kept records of .ops->kept_size */
};

static const EndpointInvariance *ops_of(const SystemConfig *config)
{
    return endpoint_ops(&config->endpoint)->slack;
}

/* Returns the endpoint's field that is a share of the HBM, or NULL if it has
 * none. */
static const ConfigField *share_of(const SystemConfig *config)
{
    const EndpointInvariance *ops = ops_of(config);
    const ConfigField *field = config->endpoint.kind->fields;

    if (!ops || !ops->share)
        return NULL;
    while (!g_str_equal(field->key, ops->share))
        field++;
    return field;
}

static uint64_t share_in(gconstpointer params, const ConfigField *field)
{
    return *(const uint64_t *)(gconstpointer)((const guint8 *)params +
                                              field->offset);
}

/* ---- recording the run ---------------------------------------------- */

static void keep_role(Invariance *slack, const System *system, uint32_t role)
{
    g_autoptr(GArray) tasks = system_tasks_of(system, role);
    const EndpointSite site = system_site_of(system, tasks);

    slack->kept =
        g_realloc_n(slack->kept, slack->n_kept + 1, slack->ops->kept_size);
    slack->ops->keep(system->notes, system->config->endpoint.params, &site,
                     slack->kept + slack->n_kept * slack->ops->kept_size);
    slack->n_kept++;
}

/* Records the decisions of the endpoint for each role that is simulated. */
static void keep_roles(Invariance *slack, const System *system)
{
    g_autofree gboolean *is_kept = g_new0(gboolean, system->graph->roles->len);

    for (uint32_t i = 0; i < system->n_sim; i++) {
        uint32_t role = system->npus[i].role;

        if (!is_kept[role])
            keep_role(slack, system, role);
        is_kept[role] = TRUE;
    }
}

/* Sets @ret to a checksum of all cuts.  It adds the members of a cut one by
 * one, because padding bytes are undefined. */
static void checksum_cuts(const System *system, guint8 *ret)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    gsize n = sizeof((Invariance *)NULL)->cuts;

    for (guint i = 0; i < system->graph->ops->len; i++) {
        gboolean has_own = system->n_communicators > 0;
        const CollectiveClass *scheme = system->schemes.of[i];
        const uint64_t cut[] = { system->cuts[i].chunk_bytes,
                                 system->cuts[i].message_bytes,
                                 scheme ? scheme->planned->orders.rule : 0,
                                 has_own ? system->cuts[i].window : 0 };

        g_checksum_update(sum, (gconstpointer)cut, sizeof cut);
    }
    g_checksum_get_digest(sum, ret, &n);
}

static void keep_endpoints(Invariance *slack, const System *system)
{
    for (uint32_t i = 0; i < system->n_sim; i++) {
        const Endpoint *endpoint = system->npus[i].endpoint;

        if (endpoint->ops->note)
            endpoint->ops->note(endpoint);
    }
    if (slack->ops->keep)
        keep_roles(slack, system);
}

Invariance *invariance_new(const System *system)
{
    const SystemConfig *config = system->config;
    Invariance *slack = g_new0(Invariance, 1);

    slack->ops = ops_of(config);
    slack->has_kernels = system_has_kernels(system, OP_STREAM_MAIN) ||
                         system_has_kernels(system, OP_STREAM_SIDE);
    slack->has_chosen_cuts = system->has_chosen_cuts;
    slack->side = system->side;
    checksum_cuts(system, slack->cuts);
    slack->given_window = config->collectives.window;
    slack->window = system->window;
    slack->most_in_flight = system->most_in_flight;
    slack->has_packets = config->collectives.fidelity == FIDELITY_PACKET;
    slack->buffer_bytes = config->collectives.buffer_bytes;
    slack->npu = config->platform.npu;
    for (uint32_t i = 0; i < system->n_sim; i++)
        slack->needed_bytes_per_s =
            MAX(slack->needed_bytes_per_s,
                hbm_needed_bytes_per_s(system->npus[i].hbm));
    slack->params =
        g_memdup2(config->endpoint.params, config->endpoint.kind->size);
    if (slack->ops)
        keep_endpoints(slack, system);
    return slack;
}

void invariance_free(Invariance *slack)
{
    if (!slack)
        return;
    g_free(slack->params);
    g_free(slack->kept);
    g_free(slack);
}

gsize invariance_bytes(const Invariance *slack)
{
    return sizeof *slack +
           (slack->ops ? slack->n_kept * slack->ops->kept_size : 0);
}

/* ---- comparing configurations --------------------------------------- */

SystemConfig invariance_forget(const SystemConfig *config, gpointer *ret_params)
{
    SystemConfig rest = *config;
    const EndpointInvariance *ops = ops_of(config);

    *ret_params =
        g_memdup2(config->endpoint.params, config->endpoint.kind->size);
    rest.endpoint.params = *ret_params;
    if (ops && ops->forget)
        ops->forget(*ret_params);
    npu_clear_tested(&rest.platform.npu);
    rest.collectives.buffer_bytes = rest.collectives.window = 0;
    return rest;
}

SystemConfig invariance_forget_for_time(const SystemConfig *config,
                                        gpointer *ret_params)
{
    SystemConfig rest = invariance_forget(config, ret_params);
    const ConfigField *share = share_of(config);

    if (share)
        *(uint64_t *)(gpointer)((guint8 *)*ret_params + share->offset) = 0;
    return rest;
}

void invariance_plan_clear(InvariancePlan *plan)
{
    system_free(plan->planned);
    plan->planned = NULL;
    plan->is_known = plan->is_whole = FALSE;
}

/* Returns the system that @config would run, or NULL if it cannot be built.  If
 * @whole, the system has NPUs, which shows whether it would be refused for its
 * size. */
static const System *get_plan(const SystemConfig *config, gboolean whole,
                              InvariancePlan *plan)
{
    if (plan->is_known && (plan->is_whole || !whole))
        return plan->planned;
    invariance_plan_clear(plan);
    plan->planned =
        whole ? system_new_within(config, plan->fold, plan->most, NULL)
              : system_new_plan(config, NULL);
    plan->is_known = TRUE;
    plan->is_whole = whole;
    return plan->planned;
}

static gboolean are_params_same(const Invariance *slack,
                                const SystemConfig *config)
{
    return !slack->ops || !slack->ops->forget ||
           slack->ops->is_same(slack->params, config->endpoint.params);
}

static gboolean is_plan_same(const Invariance *slack, const System *other)
{
    guint8 cuts[sizeof slack->cuts];

    if (!other)
        return FALSE;
    checksum_cuts(other, cuts);
    return memcmp(cuts, slack->cuts, sizeof cuts) == 0 &&
           other->side.n_sms == slack->side.n_sms &&
           other->side.bytes_per_s == slack->side.bytes_per_s &&
           (other->window == slack->window ||
            slack->most_in_flight < MIN(slack->window, other->window));
}

static gboolean covers_cuts(const Invariance *slack, const SystemConfig *config,
                            InvariancePlan *plan)
{
    gboolean is_window = config->collectives.window != slack->given_window;
    gboolean is_pace =
        slack->has_chosen_cuts &&
        !(are_params_same(slack, config) &&
          npu_fields_equal(&slack->npu, &config->platform.npu,
                           NPU_SM_BANDWIDTH | NPU_MEMORY | NPU_BUS));

    return (!is_window && !is_pace) ||
           is_plan_same(slack, get_plan(config, is_window, plan));
}

static gboolean covers_params(const Invariance *slack,
                              const SystemConfig *config)
{
    if (are_params_same(slack, config))
        return TRUE;
    for (guint i = 0; i < slack->n_kept; i++)
        if (!slack->ops->covers(slack->kept + i * slack->ops->kept_size,
                                config->endpoint.params))
            return FALSE;
    return TRUE;
}

/* Returns whether the side stream would have the same share under @config.  A
 * chosen share depends on the times of all kernels and on what the endpoint
 * holds. */
static gboolean covers_side(const Invariance *slack, const SystemConfig *config)
{
    return !slack->side.is_chosen ||
           (are_params_same(slack, config) &&
            npu_fields_equal(&slack->npu, &config->platform.npu,
                             NPU_ALL & ~NPU_BUS));
}

static gboolean covers_buffer(const Invariance *slack,
                              const SystemConfig *config)
{
    return !slack->has_packets ||
           config->collectives.buffer_bytes == slack->buffer_bytes;
}

/* Returns whether the run would be the same with @npu, apart from the bus. */
static gboolean covers_npu(const Invariance *slack, const NpuConfig *npu)
{
    if (npu_fields_equal(&slack->npu, npu, NPU_ALL & ~NPU_BUS))
        return TRUE;
    if (!slack->ops || slack->has_kernels)
        return FALSE;
    /* The endpoint's SMs are part of those of the NPU. */
    if (slack->ops->reads_memory)
        return npu->n_sms == slack->npu.n_sms &&
               npu_fields_equal(&slack->npu, npu,
                                NPU_SM_BANDWIDTH | NPU_MEMORY);
    return npu_covers(&slack->npu, slack->needed_bytes_per_s, npu);
}

static gboolean reads_bus(const Invariance *slack)
{
    return !slack->ops || slack->ops->reads_bus;
}

gboolean invariance_covers(const Invariance *slack, const SystemConfig *config,
                           InvariancePlan *plan)
{
    g_assert(ops_of(config) == slack->ops);
    return covers_buffer(slack, config) &&
           covers_npu(slack, &config->platform.npu) &&
           (!reads_bus(slack) ||
            npu_fields_equal(&slack->npu, &config->platform.npu, NPU_BUS)) &&
           covers_side(slack, config) && covers_params(slack, config) &&
           covers_cuts(slack, config, plan);
}

/* ---- the time alone ------------------------------------------------- */

static gboolean covers_bus(const Invariance *slack, const SystemConfig *config)
{
    const NpuConfig *npu = &config->platform.npu;

    if (!reads_bus(slack) || npu_fields_equal(&slack->npu, npu, NPU_BUS))
        return TRUE;
    for (guint i = 0; slack->ops && i < slack->n_kept; i++)
        if (!slack->ops->covers_bus(slack->kept + i * slack->ops->kept_size,
                                    slack->params, slack->npu.bus_bytes_per_s,
                                    npu->bus_bytes_per_s))
            return FALSE;
    return slack->ops != NULL;
}

static gboolean covers_share(const Invariance *slack,
                             const SystemConfig *config)
{
    const ConfigField *field = share_of(config);
    const NpuConfig *npu = &config->platform.npu;
    uint64_t share, other, usable = hbm_usable_bytes_per_s(&npu->hbm);

    if (!field)
        return TRUE;
    share = share_in(slack->params, field);
    other = share_in(config->endpoint.params, field);
    return share == other || npu->hbm.policy == HBM_SHARED ||
           (!npu->hbm.charge_writes &&
            npu_fields_equal(&slack->npu, npu, NPU_MEMORY) &&
            MIN(share, usable) == MIN(other, usable));
}

gboolean invariance_covers_time(const Invariance *slack, const System *ran,
                                const SystemConfig *config,
                                InvariancePlan *plan)
{
    const NpuConfig *npu = &config->platform.npu;
    gboolean are_times = !covers_npu(slack, npu);

    g_assert(ops_of(config) == slack->ops);
    if (!covers_buffer(slack, config) || !covers_bus(slack, config) ||
        !covers_params(slack, config) || !covers_share(slack, config) ||
        (are_times &&
         (!slack->ops ||
          !npu_fields_equal(&slack->npu, npu,
                            NPU_SM_BANDWIDTH | NPU_SIDE | NPU_MEMORY))))
        return FALSE;
    return is_plan_same(slack, get_plan(config, TRUE, plan)) &&
           (!are_times || kernels_are_invariant(ran, plan->planned));
}

gboolean invariance_capacities(const SystemConfig *config, uint64_t *ret)
{
    const EndpointInvariance *ops = ops_of(config);

    if (!ops || !ops->capacities)
        return FALSE;
    ops->capacities(config->endpoint.params, ret);
    return TRUE;
}
