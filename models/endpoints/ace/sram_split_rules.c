/* sram_split_rules.c - the demand of phases, and division in proportion
 * to it */
#include "models/endpoints/ace/sram_split_rules.h"

#include "models/endpoints/ace/held_chunk_bytes.h"

/* Sets the rates and latency of the links that a phase can use: those of its
 * dimension, or all that leave an NPU. */
static void link_rate_and_latency_of_phase(const CollPlan *plan, uint32_t phase,
                                           const Topology *topology,
                                           uint64_t *ret_bytes_per_s,
                                           uint64_t *ret_link,
                                           SimTime *ret_latency_ps)
{
    *ret_bytes_per_s = *ret_link = *ret_latency_ps = 0;
    for (uint32_t p = 0; p < topology_n_ports(topology); p++) {
        const TopologyPort *port = topology_get_port(topology, p);

        if (plan->by_dims && port->dim != plan->phases[phase].dim)
            continue;
        *ret_bytes_per_s += port->n_links * port->payload_bytes_per_s;
        *ret_link = port->payload_bytes_per_s;
        *ret_latency_ps = MAX(*ret_latency_ps, port->latency_ps);
    }
}

void ace_demand_of_plan(const CollPlan *plan, const Topology *topology,
                        uint64_t chunk_bytes, uint64_t dma_bytes_per_s,
                        AceDemand *ret)
{
    uint32_t n = plan->n_phases;

    *ret = (AceDemand){ .n_phases = n };
    for (uint32_t p = 0; p < n; p++) {
        const CollPhase *phase = &plan->phases[p];
        uint64_t sent = coll_sent_bytes(phase, chunk_bytes);
        uint64_t link;
        SimTime latency_ps;

        link_rate_and_latency_of_phase(plan, p, topology,
                                       &ret->bandwidth_bytes_per_s[p], &link,
                                       &latency_ps);
        ret->chunk_bytes[p] = coll_phase_bytes(phase, chunk_bytes);
        ret->stay_ps[p] =
            sim_time_from_bytes(sent, link) +
            (phase->algorithm->independent ? 1 : phase->n_steps) * latency_ps;
        ret->period_ps =
            MAX(ret->period_ps,
                sim_time_from_bytes(sent, ret->bandwidth_bytes_per_s[p]));
    }
    ret->chunk_bytes[n] =
        n > 0 ? MAX(chunk_bytes,
                    endpoint_max_bytes_written_of_chunk(plan, chunk_bytes))
              : chunk_bytes;
    ret->bandwidth_bytes_per_s[n] = dma_bytes_per_s;
    ret->stay_ps[n] = sim_time_from_bytes(ret->chunk_bytes[n], dma_bytes_per_s);
    ret->period_ps = MAX(ret->period_ps, ret->stay_ps[n]);
    for (uint32_t p = 0; p <= n; p++)
        ret->least_bytes[p] = ret->chunk_bytes[p];
    ret->least_bytes[0] = chunk_bytes;
}

void ace_demand_fit_chunk_of_plan(const CollPlan *plan, uint64_t chunk_bytes,
                                  AceDemand *demand)
{
    for (uint32_t p = 0; p < plan->n_phases; p++)
        demand->least_bytes[p] =
            MAX(demand->least_bytes[p],
                coll_phase_bytes(&plan->phases[p], chunk_bytes));
    if (plan->n_phases == 0)
        return;
    /* Intake requests room for the whole chunk, even if the first phase holds
     * less. */
    demand->least_bytes[0] = MAX(demand->least_bytes[0], chunk_bytes);
    demand->least_bytes[demand->n_phases] =
        MAX(demand->least_bytes[demand->n_phases],
            endpoint_max_bytes_written_of_chunk(plan, chunk_bytes));
}

static uint64_t multiply_by_order_share(uint64_t value, uint32_t share)
{
    return (uint64_t)((SimWide)value * share / COLL_ORDER_SEQUENCE);
}

void ace_demand_of_orders(const CollOrders *orders, const Topology *topology,
                          uint64_t chunk_bytes, uint64_t dma_bytes_per_s,
                          AceDemand *ret)
{
    AceDemand one;

    ace_demand_of_plan(&orders->plans[0], topology, chunk_bytes,
                       dma_bytes_per_s, &one);
    *ret = one;
    if (orders->n == 1)
        return;
    ret->period_ps = 0;
    for (uint32_t p = 0; p < one.n_phases; p++)
        ret->chunk_bytes[p] = ret->bandwidth_bytes_per_s[p] = ret->stay_ps[p] =
            0;
    for (uint32_t o = 0; o < orders->n; o++) {
        uint32_t share = orders->shares[o];

        ace_demand_of_plan(&orders->plans[o], topology, chunk_bytes,
                           dma_bytes_per_s, &one);
        ace_demand_fit_chunk_of_plan(&orders->plans[o], chunk_bytes, ret);
        ret->period_ps = MAX(ret->period_ps, one.period_ps);
        for (uint32_t p = 0; p < one.n_phases; p++) {
            ret->chunk_bytes[p] +=
                multiply_by_order_share(one.chunk_bytes[p], share);
            ret->bandwidth_bytes_per_s[p] +=
                multiply_by_order_share(one.bandwidth_bytes_per_s[p], share);
            ret->stay_ps[p] += multiply_by_order_share(one.stay_ps[p], share);
        }
    }
}

static SimWide sram_weight_of_phase(const AceDemand *demand, AceSramSplit rule,
                                    uint32_t p)
{
    switch (rule) {
    case ACE_SPLIT_EQUAL:
        return 1;
    case ACE_SPLIT_BANDWIDTH:
        return demand->bandwidth_bytes_per_s[p];
    case ACE_SPLIT_BANDWIDTH_X_CHUNK:
        return (SimWide)demand->bandwidth_bytes_per_s[p] / 1000000 *
               demand->chunk_bytes[p];
    case ACE_SPLIT_LATENCY:
        return (SimWide)demand->chunk_bytes[p] * demand->stay_ps[p] /
               demand->period_ps;
    }
    g_assert_not_reached();
}

uint64_t ace_min_sram_bytes(const AceDemand *demand)
{
    uint64_t least = 0;

    for (uint32_t p = 0; p <= demand->n_phases; p++)
        least += demand->least_bytes[p];
    return least;
}

gboolean ace_split_sram(const AceDemand *demand, AceSramSplit rule,
                        uint64_t sram_bytes, uint64_t *ret_bytes)
{
    uint64_t least = ace_min_sram_bytes(demand);
    SimWide weights = 0;

    if (sram_bytes < least)
        return FALSE;
    for (uint32_t p = 0; p <= demand->n_phases; p++)
        weights += MAX(1, sram_weight_of_phase(demand, rule, p));
    for (uint32_t p = 0; p <= demand->n_phases; p++)
        ret_bytes[p] =
            demand->least_bytes[p] +
            (uint64_t)((sram_bytes - least) *
                       MAX(1, sram_weight_of_phase(demand, rule, p)) / weights);
    return TRUE;
}

void ace_split_fsms(const AceDemand *demand, AceFsmSplit rule, uint64_t n_fsms,
                    uint64_t *ret_n)
{
    g_assert(n_fsms >= demand->n_phases);
    for (uint32_t p = 0; p < demand->n_phases; p++)
        ret_n[p] = 1;
    for (uint64_t i = demand->n_phases; i < n_fsms; i++) {
        uint32_t best = 0;

        for (uint32_t p = 1; p < demand->n_phases; p++) {
            SimWide weight = rule == ACE_FSMS_LATENCY ? demand->stay_ps[p] : 1;
            SimWide best_weight =
                rule == ACE_FSMS_LATENCY ? demand->stay_ps[best] : 1;

            if (weight * ret_n[best] > best_weight * ret_n[p])
                best = p;
        }
        ret_n[best]++;
    }
}
