/* inflight_bound.c - bounds the messages in flight, before the run; see
 * inflight_bound.h */
#include "models/run/prepare/inflight_bound.h"

#include "models/run/prepare/saturating_arithmetic.h"

/* Inverse shares of the on-demand messages that wait in the middle of their
 * path: of the first chunk, and of each later chunk, which fills gaps.  On even
 * networks of 64 to 512 NPUs the measured shares are 0.3 and 0.04 of all
 * messages, and 0.24 of one chunk on 16x16x16 NPUs. test_size_estimate.c checks
 * that no run exceeds the bound. */
#define FIRST_CHUNK_DIVISOR 2
#define LATER_CHUNK_DIVISOR 16

/* Returns whether every link of @topology is as fast as the first link of a
 * message. */
static gboolean has_uniform_links(const Topology *topology)
{
    const Symmetry *symmetry = topology_get_symmetry(topology);
    uint64_t rate = 0;

    for (uint32_t d = 0; d < symmetry->n_dims; d++)
        if (!symmetry->dims[d].translates)
            return FALSE;
    for (uint32_t phase = 0; phase < topology_n_ports(topology); phase++) {
        const TopologyPort *port = topology_get_port(topology, phase);
        uint64_t bytes_per_s = port->payload_bytes_per_s * port->n_links;

        if (phase > 0 && bytes_per_s != rate)
            return FALSE;
        rate = bytes_per_s;
    }
    return symmetry->unit_ends == 1 && topology_n_limits(topology) == 0;
}

/* Returns whether all messages of @phase may exist at the same time: they are
 * not created on demand (on_demand_messages.h), or can pile up behind a slow
 * link. */
static gboolean all_messages_may_exist(const System *system,
                                       const CollPlan *plan,
                                       const CollPhase *phase)
{
    return system->plan.has_listener ||
           endpoint_ops_of_kind(&system->plan.config->endpoint)->send ||
           system->plan.config->collectives.fidelity == FIDELITY_PACKET ||
           (plan->recipe && plan->recipe->protocol) || phase->group.weights ||
           phase->algorithm->partial ||
           system->plan.config->perturb.links.n > 0 ||
           !has_uniform_links(system->plan.topology);
}

/* Returns the number of messages of @bytes that the links of an NPU hold. */
static uint64_t count_messages_on_links(const Topology *topology,
                                        uint64_t bytes)
{
    uint64_t n = 0;

    for (uint32_t phase = 0; phase < topology_n_ports(topology); phase++) {
        const TopologyPort *port = topology_get_port(topology, phase);
        SimWide held_bytes = (SimWide)port->payload_bytes_per_s *
                             port->latency_ps / SIM_PS_PER_SEC;

        n = saturated_sum(
            n, saturated_product(
                   port->n_links,
                   saturated_sum((uint64_t)MIN(held_bytes / bytes, UINT32_MAX),
                                 2)));
    }
    return n;
}

void inflight_bound_take_maximum(InflightBound *bound,
                                 const InflightBound *other)
{
    bound->n_all = MAX(bound->n_all, other->n_all);
    bound->n_first = MAX(bound->n_first, other->n_first);
    bound->n_behind = MAX(bound->n_behind, other->n_behind);
    bound->n_on_links = MAX(bound->n_on_links, other->n_on_links);
}

void inflight_bound_add_phase(InflightBound *bound, const System *system,
                              const CollPlan *plan, const CollPhase *phase,
                              uint64_t chunk_bytes, uint64_t n_lanes)
{
    uint64_t n = n_lanes, n_exits, bytes;
    InflightBound here;

    if (phase->algorithm->independent)
        n = saturated_product(n_lanes, phase->n_steps);
    here = (InflightBound){ .n_all = n, .n_first = n, .n_behind = n };
    if (phase->algorithm->independent &&
        !all_messages_may_exist(system, plan, phase)) {
        n_exits =
            saturated_product(n_lanes, topology_n_ports(system->plan.topology));
        bytes = coll_lane_bytes(phase, chunk_bytes, 1, (uint32_t)n_lanes);
        here.n_first = MIN(n, n / FIRST_CHUNK_DIVISOR + n_exits);
        here.n_behind = MIN(n, n / LATER_CHUNK_DIVISOR + n_exits);
        here.n_on_links = count_messages_on_links(system->plan.topology, bytes);
    }
    inflight_bound_take_maximum(bound, &here);
}

uint64_t inflight_bound_n_messages(const InflightBound *bound,
                                   uint64_t n_chunks)
{
    uint64_t n = saturated_sum(
        bound->n_first, saturated_product(bound->n_behind, n_chunks - 1));

    return MIN(saturated_sum(n, bound->n_on_links),
               saturated_product(bound->n_all, n_chunks));
}
