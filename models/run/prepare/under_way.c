/* under_way.c - see under_way.h */
#include "models/run/prepare/under_way.h"

#include "models/run/prepare/saturated.h"

/* Of messages that are made as they can go, those that wait in the midst of
 * their way: of the chunk that goes first, and of each behind it, which fills
 * gaps.  On even networks of 64 to 512 NPUs 0.3 and 0.04 of all were measured,
 * on 16x16x16 NPUs 0.24 of one chunk; test_size.c holds that no run takes more
 * than was told. */
#define PART_OF_FIRST  2
#define PART_OF_BEHIND 16

/* Every link is as fast as the first that a message takes. */
static gboolean is_even(const Topology *topology)
{
    const Symmetry *symmetry = topology_symmetry(topology);
    uint64_t rate = 0;

    for (uint32_t d = 0; d < symmetry->n_dims; d++)
        if (!symmetry->dims[d].translates)
            return FALSE;
    for (uint32_t p = 0; p < topology_n_ports(topology); p++) {
        const TopologyPort *port = topology_port(topology, p);
        uint64_t bytes_per_s = port->payload_bytes_per_s * port->n_links;

        if (p > 0 && bytes_per_s != rate)
            return FALSE;
        rate = bytes_per_s;
    }
    return symmetry->unit_ends == 1 && topology_n_limits(topology) == 0;
}

/* All messages of @phase are there at once: see follow.h; or may be, where
 * they can pile up behind a slow link. */
static gboolean is_at_once(const System *system, const CollPlan *plan,
                           const CollPhase *phase)
{
    return system->is_told || endpoint_ops(&system->config->endpoint)->send ||
           system->config->collectives.fidelity == FIDELITY_PACKET ||
           (plan->recipe && plan->recipe->protocol) || phase->group.weights ||
           phase->algorithm->partial || system->config->perturb.links.n > 0 ||
           !is_even(system->topology);
}

/* As many of @bytes as the links of an NPU hold. */
static uint64_t n_on_links(const Topology *topology, uint64_t bytes)
{
    uint64_t n = 0;

    for (uint32_t p = 0; p < topology_n_ports(topology); p++) {
        const TopologyPort *port = topology_port(topology, p);
        SimWide held_bytes = (SimWide)port->payload_bytes_per_s *
                             port->latency_ps / SIM_PS_PER_SEC;

        n = sat_sum(
            n, sat_product(
                   port->n_links,
                   sat_sum((uint64_t)MIN(held_bytes / bytes, UINT32_MAX), 2)));
    }
    return n;
}

void under_way_raise(UnderWay *most, const UnderWay *other)
{
    most->n_all = MAX(most->n_all, other->n_all);
    most->n_first = MAX(most->n_first, other->n_first);
    most->n_behind = MAX(most->n_behind, other->n_behind);
    most->n_on_links = MAX(most->n_on_links, other->n_on_links);
}

void under_way_add(UnderWay *most, const System *system, const CollPlan *plan,
                   const CollPhase *phase, uint64_t chunk_bytes,
                   uint64_t n_lanes)
{
    uint64_t n = n_lanes, n_exits, bytes;
    UnderWay here;

    if (phase->algorithm->independent)
        n = sat_product(n_lanes, phase->n_steps);
    here = (UnderWay){ .n_all = n, .n_first = n, .n_behind = n };
    if (phase->algorithm->independent && !is_at_once(system, plan, phase)) {
        n_exits = sat_product(n_lanes, topology_n_ports(system->topology));
        bytes = coll_lane_bytes(phase, chunk_bytes, 1, (uint32_t)n_lanes);
        here.n_first = MIN(n, n / PART_OF_FIRST + n_exits);
        here.n_behind = MIN(n, n / PART_OF_BEHIND + n_exits);
        here.n_on_links = n_on_links(system->topology, bytes);
    }
    under_way_raise(most, &here);
}

uint64_t under_way_n(const UnderWay *most, uint64_t n_chunks)
{
    uint64_t n =
        sat_sum(most->n_first, sat_product(most->n_behind, n_chunks - 1));

    return MIN(sat_sum(n, most->n_on_links),
               sat_product(most->n_all, n_chunks));
}
