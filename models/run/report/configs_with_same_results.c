/*
 * configs_with_same_results.c - the configurations for which a run would have
 * been the same
 *
 * The claims for the section `collectives`:
 *
 *   buffer   is read only under `fidelity: packet`
 * (network_move_packets_individually(), and packet_bytes() of size_estimate.c,
 * which is 0 otherwise). window   is only compared with the number of chunks in
 * flight on an NPU. Let m be the largest number ever in flight.  If the window
 * was larger than m, every window larger than m leads to the same run. But a
 * larger window may need more memory than there is.
 *
 * Endpoint parameters can determine how collectives are cut (EndpointOps.pace),
 * unless the configuration gives the cuts.  In this case the cuts for the other
 * configuration are computed, and all must be equal.  That is enough, because
 * before the run only pace() reads the parameters that differ.
 *
 * A share of the HBM for reads is read only by hbm_bandwidth.c and by pace(),
 * for the kinds that name it in EndpointInvariance.share.  Under `shared`
 * hbm_bandwidth.c ignores it.  Under `partitioned` hbm_bandwidth.c uses at most
 * the usable bandwidth, and counts the writes that come with it only if writes
 * are charged.  The reported share may differ, but the times are the same.
 */
#include "models/run/report/configs_with_same_results.h"

#include <string.h>

#include "models/npu/npu_fields_that_affect_results.h"
#include "models/run/npu_impl.h"
#include "models/run/report/kernels_with_same_times.h"

struct ResultInvariance {
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

static const EndpointInvariance *
endpoint_invariance_ops(const SystemConfig *config)
{
    return endpoint_ops_of_kind(&config->endpoint)->invariance;
}

/* Returns the endpoint's field that is a share of the HBM, or NULL if it has
 * none. */
static const ConfigField *endpoint_share_field(const SystemConfig *config)
{
    const EndpointInvariance *ops = endpoint_invariance_ops(config);
    const ConfigField *field = config->endpoint.kind->fields;

    if (!ops || !ops->share)
        return NULL;
    while (!g_str_equal(field->key, ops->share))
        field++;
    return field;
}

static uint64_t share_of_config_field(gconstpointer params,
                                      const ConfigField *field)
{
    return *(const uint64_t *)(gconstpointer)((const guint8 *)params +
                                              field->offset);
}

/* ---- recording the run ---------------------------------------------- */

static void record_role_decisions(ResultInvariance *invariance,
                                  const System *system, uint32_t role)
{
    g_autoptr(GArray) tasks = system_endpoint_tasks(system, role);
    const EndpointSite site = system_endpoint_site(system, tasks);

    invariance->kept = g_realloc_n(invariance->kept, invariance->n_kept + 1,
                                   invariance->ops->kept_size);
    invariance->ops->keep(system->counters.endpoint_notes,
                          system->plan.config->endpoint.params, &site,
                          invariance->kept +
                              invariance->n_kept * invariance->ops->kept_size);
    invariance->n_kept++;
}

/* Records the decisions of the endpoint for each role that is simulated. */
static void record_all_role_decisions(ResultInvariance *invariance,
                                      const System *system)
{
    g_autofree gboolean *is_kept =
        g_new0(gboolean, system->plan.graph->roles->len);

    for (uint32_t i = 0; i < system->plan.n_sim; i++) {
        uint32_t role = system->state.npus[i].role;

        if (!is_kept[role])
            record_role_decisions(invariance, system, role);
        is_kept[role] = TRUE;
    }
}

/* Sets @ret to a checksum of all cuts.  It adds the members of a cut one by
 * one, because padding bytes are undefined. */
static void checksum_chunkings(const System *system, guint8 *ret)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    gsize n = sizeof((ResultInvariance *)NULL)->cuts;

    for (guint i = 0; i < system->plan.graph->ops->len; i++) {
        gboolean has_own = system->plan.n_communicators > 0;
        const CollectiveClass *coll_class =
            system->plan.collective_classes.class_of_op[i];
        const uint64_t cut[] = { system->plan.cuts[i].chunk_bytes,
                                 system->plan.cuts[i].message_bytes,
                                 coll_class ? coll_class->planned->orders.rule
                                            : 0,
                                 has_own ? system->plan.cuts[i].window : 0 };

        g_checksum_update(sum, (gconstpointer)cut, sizeof cut);
    }
    g_checksum_get_digest(sum, ret, &n);
}

static void record_endpoint_notes(ResultInvariance *invariance,
                                  const System *system)
{
    for (uint32_t i = 0; i < system->plan.n_sim; i++) {
        const Endpoint *endpoint = system->state.npus[i].endpoint;

        if (endpoint->ops->note)
            endpoint->ops->note(endpoint);
    }
    if (invariance->ops->keep)
        record_all_role_decisions(invariance, system);
}

ResultInvariance *result_invariance_new(const System *system)
{
    const SystemConfig *config = system->plan.config;
    ResultInvariance *invariance = g_new0(ResultInvariance, 1);

    invariance->ops = endpoint_invariance_ops(config);
    invariance->has_kernels = system_has_kernels(system, OP_STREAM_MAIN) ||
                              system_has_kernels(system, OP_STREAM_SIDE);
    invariance->has_chosen_cuts = system->plan.has_chosen_cuts;
    invariance->side = system->plan.side_share;
    checksum_chunkings(system, invariance->cuts);
    invariance->given_window = config->collectives.window;
    invariance->window = system->plan.window;
    invariance->most_in_flight = system->counters.most_in_flight;
    invariance->has_packets = config->collectives.fidelity == FIDELITY_PACKET;
    invariance->buffer_bytes = config->collectives.buffer_bytes;
    invariance->npu = config->platform.npu;
    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        invariance->needed_bytes_per_s =
            MAX(invariance->needed_bytes_per_s,
                hbm_max_sum_of_shares(system->state.npus[i].hbm));
    invariance->params =
        g_memdup2(config->endpoint.params, config->endpoint.kind->size);
    if (invariance->ops)
        record_endpoint_notes(invariance, system);
    return invariance;
}

void result_invariance_free(ResultInvariance *invariance)
{
    if (!invariance)
        return;
    g_free(invariance->params);
    g_free(invariance->kept);
    g_free(invariance);
}

gsize result_invariance_bytes(const ResultInvariance *invariance)
{
    return sizeof *invariance +
           (invariance->ops ? invariance->n_kept * invariance->ops->kept_size
                            : 0);
}

/* ---- comparing configurations --------------------------------------- */

SystemConfig result_invariance_neutral_config(const SystemConfig *config,
                                              gpointer *ret_params)
{
    SystemConfig rest = *config;
    const EndpointInvariance *ops = endpoint_invariance_ops(config);

    *ret_params =
        g_memdup2(config->endpoint.params, config->endpoint.kind->size);
    rest.endpoint.params = *ret_params;
    if (ops && ops->forget)
        ops->forget(*ret_params);
    npu_clear_grouped_fields(&rest.platform.npu);
    rest.collectives.buffer_bytes = rest.collectives.window = 0;
    return rest;
}

SystemConfig
result_invariance_neutral_config_for_time(const SystemConfig *config,
                                          gpointer *ret_params)
{
    SystemConfig rest = result_invariance_neutral_config(config, ret_params);
    const ConfigField *share = endpoint_share_field(config);

    if (share)
        *(uint64_t *)(gpointer)((guint8 *)*ret_params + share->offset) = 0;
    return rest;
}

void result_invariance_plan_clear(ResultInvariancePlan *plan)
{
    system_free(plan->planned);
    plan->planned = NULL;
    plan->is_known = plan->is_whole = FALSE;
}

/* Returns the system that @config would run, or NULL if it cannot be built.  If
 * @whole, the system has NPUs, which shows whether it would be refused for its
 * size. */
static const System *get_planned_system(const SystemConfig *config,
                                        gboolean whole,
                                        ResultInvariancePlan *plan)
{
    if (plan->is_known && (plan->is_whole || !whole))
        return plan->planned;
    result_invariance_plan_clear(plan);
    plan->planned = whole ? system_new(config, plan->run_options, NULL)
                          : system_new_plan(config, NULL);
    plan->is_known = TRUE;
    plan->is_whole = whole;
    return plan->planned;
}

static gboolean endpoint_params_are_same(const ResultInvariance *invariance,
                                         const SystemConfig *config)
{
    return !invariance->ops || !invariance->ops->forget ||
           invariance->ops->is_same(invariance->params,
                                    config->endpoint.params);
}

static gboolean run_plan_is_same(const ResultInvariance *invariance,
                                 const System *other)
{
    guint8 cuts[sizeof invariance->cuts];

    if (!other)
        return FALSE;
    checksum_chunkings(other, cuts);
    return memcmp(cuts, invariance->cuts, sizeof cuts) == 0 &&
           other->plan.side_share.n_sms == invariance->side.n_sms &&
           other->plan.side_share.bytes_per_s == invariance->side.bytes_per_s &&
           (other->plan.window == invariance->window ||
            invariance->most_in_flight <
                MIN(invariance->window, other->plan.window));
}

static gboolean
collective_chunkings_are_same(const ResultInvariance *invariance,
                              const SystemConfig *config,
                              ResultInvariancePlan *plan)
{
    gboolean is_window = config->collectives.window != invariance->given_window;
    gboolean is_pace = invariance->has_chosen_cuts &&
                       !(endpoint_params_are_same(invariance, config) &&
                         npu_fields_are_equal_at_path(
                             &invariance->npu, &config->platform.npu,
                             NPU_SM_BANDWIDTH | NPU_MEMORY | NPU_BUS));

    return (!is_window && !is_pace) ||
           run_plan_is_same(invariance,
                            get_planned_system(config, is_window, plan));
}

static gboolean endpoint_params_are_covered(const ResultInvariance *invariance,
                                            const SystemConfig *config)
{
    if (endpoint_params_are_same(invariance, config))
        return TRUE;
    for (guint i = 0; i < invariance->n_kept; i++)
        if (!invariance->ops->covers(invariance->kept +
                                         i * invariance->ops->kept_size,
                                     config->endpoint.params))
            return FALSE;
    return TRUE;
}

/* Returns whether the side stream would have the same share under @config.  A
 * chosen share depends on the times of all kernels and on what the endpoint
 * holds. */
static gboolean side_stream_is_covered(const ResultInvariance *invariance,
                                       const SystemConfig *config)
{
    return !invariance->side.is_chosen ||
           (endpoint_params_are_same(invariance, config) &&
            npu_fields_are_equal_at_path(
                &invariance->npu, &config->platform.npu, NPU_ALL & ~NPU_BUS));
}

static gboolean buffer_size_has_same_result(const ResultInvariance *invariance,
                                            const SystemConfig *config)
{
    return !invariance->has_packets ||
           config->collectives.buffer_bytes == invariance->buffer_bytes;
}

/* Returns whether the run would be the same with @npu, apart from the bus. */
static gboolean other_npu_has_same_result(const ResultInvariance *invariance,
                                          const NpuConfig *npu)
{
    if (npu_fields_are_equal_at_path(&invariance->npu, npu, NPU_ALL & ~NPU_BUS))
        return TRUE;
    if (!invariance->ops || invariance->has_kernels)
        return FALSE;
    /* The endpoint's SMs are part of those of the NPU. */
    if (invariance->ops->reads_memory)
        return npu->n_sms == invariance->npu.n_sms &&
               npu_fields_are_equal_at_path(&invariance->npu, npu,
                                            NPU_SM_BANDWIDTH | NPU_MEMORY);
    return npu_run_is_same_with_hbm(&invariance->npu,
                                    invariance->needed_bytes_per_s, npu);
}

static gboolean endpoint_reads_over_bus(const ResultInvariance *invariance)
{
    return !invariance->ops || invariance->ops->reads_bus;
}

gboolean result_invariance_has_same_results(const ResultInvariance *invariance,
                                            const SystemConfig *config,
                                            ResultInvariancePlan *plan)
{
    g_assert(endpoint_invariance_ops(config) == invariance->ops);
    return buffer_size_has_same_result(invariance, config) &&
           other_npu_has_same_result(invariance, &config->platform.npu) &&
           (!endpoint_reads_over_bus(invariance) ||
            npu_fields_are_equal_at_path(&invariance->npu,
                                         &config->platform.npu, NPU_BUS)) &&
           side_stream_is_covered(invariance, config) &&
           endpoint_params_are_covered(invariance, config) &&
           collective_chunkings_are_same(invariance, config, plan);
}

/* ---- the time alone ------------------------------------------------- */

static gboolean other_bus_has_same_result(const ResultInvariance *invariance,
                                          const SystemConfig *config)
{
    const NpuConfig *npu = &config->platform.npu;

    if (!endpoint_reads_over_bus(invariance) ||
        npu_fields_are_equal_at_path(&invariance->npu, npu, NPU_BUS))
        return TRUE;
    for (guint i = 0; invariance->ops && i < invariance->n_kept; i++)
        if (!invariance->ops->covers_bus(
                invariance->kept + i * invariance->ops->kept_size,
                invariance->params, invariance->npu.bus_bytes_per_s,
                npu->bus_bytes_per_s))
            return FALSE;
    return invariance->ops != NULL;
}

static gboolean hbm_share_is_covered(const ResultInvariance *invariance,
                                     const SystemConfig *config)
{
    const ConfigField *field = endpoint_share_field(config);
    const NpuConfig *npu = &config->platform.npu;
    uint64_t share, other, usable = hbm_usable_bytes_per_s(&npu->hbm);

    if (!field)
        return TRUE;
    share = share_of_config_field(invariance->params, field);
    other = share_of_config_field(config->endpoint.params, field);
    return share == other || npu->hbm.policy == HBM_SHARED ||
           (!npu->hbm.charge_writes &&
            npu_fields_are_equal_at_path(&invariance->npu, npu, NPU_MEMORY) &&
            MIN(share, usable) == MIN(other, usable));
}

gboolean result_invariance_has_same_time(const ResultInvariance *invariance,
                                         const System *ran,
                                         const SystemConfig *config,
                                         ResultInvariancePlan *plan)
{
    const NpuConfig *npu = &config->platform.npu;
    gboolean are_times = !other_npu_has_same_result(invariance, npu);

    g_assert(endpoint_invariance_ops(config) == invariance->ops);
    if (!buffer_size_has_same_result(invariance, config) ||
        !other_bus_has_same_result(invariance, config) ||
        !endpoint_params_are_covered(invariance, config) ||
        !hbm_share_is_covered(invariance, config) ||
        (are_times &&
         (!invariance->ops || !npu_fields_are_equal_at_path(
                                  &invariance->npu, npu,
                                  NPU_SM_BANDWIDTH | NPU_SIDE | NPU_MEMORY))))
        return FALSE;
    return run_plan_is_same(invariance,
                            get_planned_system(config, TRUE, plan)) &&
           (!are_times || kernel_times_are_same(ran, plan->planned));
}

gboolean result_invariance_list_capacities(const SystemConfig *config,
                                           uint64_t *ret)
{
    const EndpointInvariance *ops = endpoint_invariance_ops(config);

    if (!ops || !ops->capacities)
        return FALSE;
    ops->capacities(config->endpoint.params, ret);
    return TRUE;
}
