/* resource_division.c - SRAM and FSM slots of each phase of the collectives at
 * a site */
#include "models/endpoints/ace/resource_division.h"

#include "models/endpoints/ace/held_chunk_bytes.h"
#include "models/endpoints/endpoint_impl.h"

/* Sets *@ret to the demand of the collectives at @site.  The task with the most
 * phases determines the split, and chunks of all tasks must fit. */
gboolean ace_demand_of_site(const EndpointSite *site, const AceParams *params,
                            AceDemand *ret)
{
    const EndpointTask *longest = NULL;

    for (uint32_t t = 0; t < site->n_tasks; t++) {
        const EndpointTask *task = &site->tasks[t];

        if (!longest || task->orders->plans[0].n_phases >
                            longest->orders->plans[0].n_phases)
            longest = task;
    }
    if (!longest)
        return FALSE;
    ace_demand_of_orders(longest->orders, site->topology,
                         longest->max_chunk_bytes, params->memory_bytes_per_s,
                         ret);
    for (uint32_t t = 0; t < site->n_tasks; t++)
        for (uint32_t o = 0; o < site->tasks[t].orders->n; o++)
            ace_demand_fit_chunk_of_plan(&site->tasks[t].orders->plans[o],
                                         site->tasks[t].max_chunk_bytes, ret);
    return TRUE;
}

gboolean ace_divide_resources_for_demand(const AceParams *params,
                                         const AceDemand *demand,
                                         AceDivision *ret)
{
    uint64_t n_fsms[COLL_MAX_PHASES] = { 0 };

    *ret = (AceDivision){ .n_phases = demand->n_phases };
    if (params->n_fsms < demand->n_phases ||
        !ace_split_sram(demand, (AceSramSplit)params->sram_split,
                        params->sram_bytes, ret->sram_bytes))
        return FALSE;
    ace_split_fsms(demand, (AceFsmSplit)params->fsm_split, params->n_fsms,
                   n_fsms);
    for (uint32_t p = 0; p < demand->n_phases; p++)
        ret->n_slots[p] = n_fsms[p] * params->chunks_per_fsm;
    return TRUE;
}

gboolean ace_divide_resources(const ConfigVariant *config,
                              const EndpointSite *site, AceDivision *ret,
                              GError **error)
{
    const AceParams *params = config->params;
    AceDemand demand = { 0 };

    *ret = (AceDivision){ 0 };
    if (!ace_demand_of_site(site, params, &demand))
        return TRUE;
    if (params->n_fsms < demand.n_phases) {
        config_set_error(error, config->node, CONFIG_ERROR_CONFLICT,
                         "fsms: %" G_GUINT64_FORMAT
                         " cannot serve %u phases; one each is needed",
                         params->n_fsms, demand.n_phases);
        return FALSE;
    }
    if (!ace_divide_resources_for_demand(params, &demand, ret)) {
        config_set_error(error, config->node, CONFIG_ERROR_CONFLICT,
                         "sram: %" G_GUINT64_FORMAT
                         " bytes are less than one chunk needs in every "
                         "partition, %" G_GUINT64_FORMAT
                         " bytes; a smaller collectives.chunk needs less",
                         params->sram_bytes, ace_min_sram_bytes(&demand));
        return FALSE;
    }
    return TRUE;
}

gboolean ace_estimate_chunk_costs(gconstpointer params,
                                  const EndpointSite *site,
                                  const CollPlan *plan, uint64_t chunk_bytes,
                                  CutPace *ret)
{
    const AceParams *ace_params = params;
    uint64_t dma =
        MIN(ace_params->memory_bytes_per_s, site->npu->bus_bytes_per_s);
    uint64_t size_bytes[ACE_MAX_PARTITIONS], n_fsms[COLL_MAX_PHASES] = { 0 };
    AceDemand demand;

    ace_demand_of_plan(plan, site->topology, chunk_bytes, dma, &demand);
    if (ace_params->n_fsms < demand.n_phases ||
        !ace_split_sram(&demand, (AceSramSplit)ace_params->sram_split,
                        ace_params->sram_bytes, size_bytes))
        return FALSE;
    ace_split_fsms(&demand, (AceFsmSplit)ace_params->fsm_split,
                   ace_params->n_fsms, n_fsms);
    ret->message_ps = endpoint_message_time_ps(&ace_params->costs, site->npu);
    ret->add_bytes_per_s =
        ace_params->alu_bytes_per_cycle * site->npu->clock_hz;
    ret->n_adders = ace_params->n_alus;
    ret->fetch_ps = sim_time_from_bytes(
        endpoint_max_bytes_read_of_chunk(plan, chunk_bytes), dma);
    ret->store_ps = sim_time_from_bytes(
        endpoint_max_bytes_written_of_chunk(plan, chunk_bytes), dma);
    for (uint32_t i = 0; i < demand.n_phases; i++) {
        ret->n_slots[i] = n_fsms[i] * ace_params->chunks_per_fsm;
        ret->n_rooms[i] = size_bytes[i] / demand.chunk_bytes[i];
    }
    return TRUE;
}
