/* communicator_group.c - properties of a communicator: machines, rates,
 * protocols */
#include "models/stacks/nccl/nccl_state_impl.h"

/* ---- machines --------------------------------------------------------- */

static gboolean ranks_share_node(const NcclGroup *group, uint32_t a, uint32_t b)
{
    return nccl_find_route(group->topology, group->npus[a], group->npus[b], 0)
               .reach < TOPOLOGY_NETWORK;
}

/* Sorts ranks by node, and finds how many each node has. */
static void sort_ranks_by_node(NcclGroup *group)
{
    g_autofree uint32_t *next = g_new(uint32_t, group->n_nodes);

    group->by_node = g_new(uint32_t, group->n);
    group->starts = g_new0(uint32_t, group->n_nodes + 1);
    for (uint32_t r = 0; r < group->n; r++)
        group->starts[group->nodes[r] + 1]++;
    group->per_node = group->starts[1];
    for (uint32_t node = 0; node < group->n_nodes; node++) {
        uint32_t m = group->starts[node + 1];

        g_assert(m > 0);
        group->most_per_node = MAX(group->most_per_node, m);
        next[node] = group->starts[node];
        group->starts[node + 1] += group->starts[node];
    }
    if (group->per_node != group->most_per_node ||
        group->n != group->n_nodes * group->per_node)
        group->per_node = 0;
    for (uint32_t r = 0; r < group->n; r++)
        group->by_node[next[group->nodes[r]]++] = r;
}

/* Assigns ranks to nodes.  A rank joins the node of the previous rank or
 * another known node, if it reaches the first rank of that node without a
 * network.  Otherwise it starts a new node. */
static void assign_ranks_to_nodes(NcclGroup *group)
{
    g_autofree uint32_t *first = g_new(uint32_t, group->n);

    for (uint32_t r = 0; r < group->n; r++) {
        uint32_t node = r > 0 ? group->nodes[r - 1] : 0;

        if (r > 0 && !ranks_share_node(group, first[node], r))
            for (node = 0; node < group->n_nodes; node++)
                if (ranks_share_node(group, first[node], r))
                    break;
        if (r == 0 || node == group->n_nodes)
            first[group->n_nodes++] = r;
        group->nodes[r] = node;
    }
    sort_ranks_by_node(group);
}

/* Finds the dimensions of the platform that the ranks fill.  Dimensions of size
 * 1 do not count. */
static void find_dimensions_ranks_fill(NcclGroup *group)
{
    uint32_t n = topology_n_dims(group->topology), sizes[TOPOLOGY_MAX_DIMS];

    for (uint32_t d = 0; d < n; d++)
        sizes[d] = topology_dimension(group->topology, d)->size;
    if (!coll_members_fill_whole_dims(group->members, sizes, n,
                                      &group->dims_mask))
        group->dims_mask = 0;
}

/* ---- rates ------------------------------------------------------------ */

/* Returns the total rate at which the GPUs of node 0 send to the GPUs of node
 * 1, if each GPU sends to the one with the same index. */
static uint64_t rate_between_two_nodes(const NcclGroup *group)
{
    g_autoptr(NcclLinkLoads) loads = nccl_link_loads_new(group->topology);
    uint32_t m = nccl_n_ranks_of_node(group, 0);

    for (uint32_t i = 0; i < m; i++)
        nccl_link_loads_add_message(
            loads, group->npus[nccl_rank_on_node(group, 0, i)],
            group->npus[nccl_rank_on_node(group, 1, i)], 0, 1.0 / m);
    return nccl_link_loads_max_payload_rate(loads);
}

static uint64_t rate_of_near_links_per_gpu(const NcclGroup *group,
                                           uint32_t *ret_n_links)
{
    const Topology *topology = group->topology;
    uint32_t n_ports = topology_n_ports(topology), from, to;
    uint32_t unit = group->npus[0] / topology_get_symmetry(topology)->unit_ends;
    uint64_t bytes_per_s = 0;

    *ret_n_links = 0;
    for (uint32_t p = 0; p < n_ports; p++) {
        const TopologyPort *port = topology_get_port(topology, p);

        if (port->reach != TOPOLOGY_NEAR ||
            !topology_get_link_nodes(topology, unit * n_ports + p, &from,
                                     &to) ||
            from != group->npus[0])
            continue;
        *ret_n_links += port->n_links;
        bytes_per_s += port->n_links * port->payload_bytes_per_s;
    }
    return bytes_per_s;
}

/* Returns whether all nodes have GPUs at the same positions, so that the orders
 * of one node apply to all.  Nodes that are not nodes of the topology count as
 * equal if they have the same number of GPUs. */
static gboolean nodes_have_equal_gpu_positions(const NcclGroup *group)
{
    uint32_t n = topology_get_symmetry(group->topology)->node_ends;

    if (group->per_node == 0)
        return FALSE;
    for (uint32_t node = 1; node < group->n_nodes; node++)
        for (uint32_t i = 0; i < group->per_node; i++) {
            uint32_t npu = group->npus[nccl_rank_on_node(group, node, i)];
            uint32_t first = group->npus[nccl_rank_on_node(group, node, 0)];
            uint32_t like = group->npus[nccl_rank_on_node(group, 0, i)];

            /* Nodes of the topology that are not whole nodes do not show
             * whether nodes differ, so the nodes count as equal. */
            if (npu / n != first / n)
                return TRUE;
            if (npu % n != like % n &&
                first / n != group->npus[nccl_rank_on_node(group, 0, 0)] / n)
                return FALSE;
        }
    return TRUE;
}

static void find_channel_orders_of_nodes(NcclGroup *group,
                                         NcclNodeOrders *node_orders,
                                         gboolean is_tree)
{
    g_autofree uint32_t *npus = g_new(uint32_t, group->most_per_node);

    for (uint32_t node = 0; node < group->n_node_orders; node++) {
        uint32_t m = nccl_n_ranks_of_node(group, node);

        for (uint32_t i = 0; i < m; i++)
            npus[i] = group->npus[nccl_rank_on_node(group, node, i)];
        nccl_find_node_channel_orders(&node_orders[node], group->topology, npus,
                                      m, is_tree, group->n_nodes > 1);
    }
}

/* Finds the route between two GPUs of a node, from the first node with two
 * GPUs. */
static void find_route_between_gpus_of_node(NcclGroup *group)
{
    for (uint32_t node = 0; node < group->n_nodes; node++) {
        if (nccl_n_ranks_of_node(group, node) < 2)
            continue;
        group->node_route =
            nccl_find_route(group->topology,
                            group->npus[nccl_rank_in_channel_order(
                                group, group->rings, 0, node, 0)],
                            group->npus[nccl_rank_in_channel_order(
                                group, group->rings, 0, node, 1)],
                            TOPOLOGY_PATH_ID(nccl_plane_of_channels(group), 0));
        return;
    }
}

static void find_intra_node_route_and_rate(NcclGroup *group)
{
    group->n_node_orders =
        nodes_have_equal_gpu_positions(group) ? 1 : group->n_nodes;
    group->rings = g_new0(NcclNodeOrders, group->n_node_orders);
    group->chains = g_new0(NcclNodeOrders, group->n_node_orders);
    find_channel_orders_of_nodes(group, group->rings, FALSE);
    find_channel_orders_of_nodes(group, group->chains, TRUE);
    find_route_between_gpus_of_node(group);
}

/* ---- orders ------------------------------------------------------------ */

uint32_t nccl_n_channel_orders(const NcclGroup *group,
                               const NcclNodeOrders *node_orders)
{
    uint32_t least = UINT32_MAX;

    if (group->n_node_orders == 1)
        return node_orders[0].n;
    for (uint32_t node = 0; node < group->n_nodes; node++)
        if (node_orders[node].m > 1)
            least =
                MIN(least, nccl_node_orders_count_channels(&node_orders[node]));
    return least < UINT32_MAX ? least : 1;
}

uint32_t nccl_share_of_channel_order(const NcclGroup *group,
                                     const NcclNodeOrders *node_orders,
                                     uint32_t order)
{
    return group->n_node_orders == 1 ? node_orders[0].shares[order] : 1;
}

uint32_t nccl_rank_in_channel_order(const NcclGroup *group,
                                    const NcclNodeOrders *node_orders,
                                    uint32_t order, uint32_t node,
                                    uint32_t place)
{
    const NcclNodeOrders *orders =
        &node_orders[group->n_node_orders == 1 ? 0 : node];

    if (group->n_node_orders > 1)
        order = nccl_node_order_of_channel(orders, order);
    return nccl_rank_on_node(group, node,
                             nccl_gpu_in_node_order(orders, order, place));
}

gboolean nccl_channels_rotate_by_gpu(const NcclGroup *group,
                                     const NcclNodeOrders *node_orders)
{
    return group->n_nodes > 1 && group->n_node_orders == 1 &&
           group->per_node > 1 && node_orders[0].n == 1 &&
           !node_orders[0].has_nics;
}

static void measure_link_rates_of_group(NcclGroup *group)
{
    uint32_t n_links;

    group->near_bytes_per_s = rate_of_near_links_per_gpu(group, &n_links);
    find_intra_node_route_and_rate(group);
    if (group->near_bytes_per_s == 0)
        group->near_bytes_per_s = group->node_route.bytes_per_s;
    group->n_channels = (uint32_t)group->params->n_channels;
    if (group->params->n_channels == CONFIG_AUTO)
        group->n_channels = (uint32_t)CLAMP(
            2 * (uint64_t)n_links, 2, MAX(2, group->params->most_channels));
    if (group->n_nodes < 2)
        return;
    group->network_route =
        nccl_find_route(group->topology, group->npus[0],
                        group->npus[group->by_node[group->n - 1]], 0);
    group->nic_bytes_per_s = rate_between_two_nodes(group);
}

/* ---- protocols -------------------------------------------------------- */

static SimTime subtract_latency_or_zero(SimTime step_ps, SimTime latency_ps)
{
    return step_ps > latency_ps ? step_ps - latency_ps : 0;
}

static void set_protocol_wire_rates(CollProtocol *protocol,
                                    uint64_t efficiency_ppm)
{
    protocol->wire_num = 1000000;
    protocol->wire_den = (uint32_t)efficiency_ppm;
}

#define GIGA UINT64_C(1000000000)

typedef enum { UNKNOWN, VOLTA, AMPERE, HOPPER, BLACKWELL } Generation;

/* Returns the generation of the GPUs, by what their near links carry together
 * and by whether a switch adds.  The limits are assumed: they lie between the
 * rates of V100 (150 GB/s), A800 (200), A100 (300) and H100 (450).  GPUs
 * without near links do not show their generation. */
static Generation find_gpu_generation(const NcclGroup *group)
{
    uint64_t near = group->near_bytes_per_s;
    gboolean adds =
        group->dims_mask != 0 &&
        topology_in_switch_adder(group->topology,
                                 (uint32_t)__builtin_ctz(group->dims_mask));

    if (group->node_route.reach != TOPOLOGY_NEAR || near == 0)
        return UNKNOWN;
    if (near >= group->params->nvls.fast_bytes_per_s)
        return BLACKWELL;
    if (adds || near >= 350 * GIGA)
        return HOPPER;
    return near >= 175 * GIGA ? AMPERE : VOLTA;
}

/* Returns the number of channels that NCCL's search has through several
 * machines: trees have as many as rings.  It lays channels twice, at half of
 * their speed, if they are fast and few [NCCLTOPO, later versions]. */
static uint64_t count_search_channels(const NcclGroup *group,
                                      Generation generation)
{
    const NcclNodeOrders *rings = group->rings;
    uint64_t n = 0, bytes_per_s = rings->bytes_per_s;

    for (uint32_t i = 0; i < rings->n && rings->has_nics; i++)
        n += rings->shares[i];
    if (!rings->has_nics) { /* each GPU has a private NIC */
        n = group->per_node;
        bytes_per_s = group->nic_bytes_per_s / group->per_node;
    }
    if (bytes_per_s >= 25 * GIGA &&
        (generation < HOPPER || bytes_per_s >= 50 * GIGA || n <= 4))
        n *= 2;
    return n;
}

/* Returns the limit of NCCL's cost model for trees: it uses a measured bus
 * bandwidth for each channel, whatever the links carry.  A tree carries each
 * byte of the payload twice. */
static uint64_t rate_limit_of_tree_channels(const NcclGroup *group)
{
    static const uint64_t of_channel[][2] = {
        /* The columns are for two machines and for more machines, in MB/s. */
        [VOLTA] = { 18500, 10000 },
        [AMPERE] = { 23600, 17800 },
        [HOPPER] = { 41400, 36000 },
        [BLACKWELL] = { 42800, 24000 },
    };
    Generation generation = find_gpu_generation(group);
    uint64_t rate = group->params->tree_channel_bytes_per_s;

    if (group->n_nodes < 2 || group->per_node == 0 ||
        (rate == CONFIG_AUTO && generation == UNKNOWN))
        return UINT64_MAX;
    if (rate == CONFIG_AUTO)
        rate = of_channel[generation][group->n_nodes > 2] * (GIGA / 1000);
    return count_search_channels(group, generation) * rate / 2;
}

/* Sets the protocols of trees.  In a group of two GPUs, no GPU forwards
 * data. */
static void set_tree_protocols(NcclGroup *group)
{
    gboolean passes_on = group->n > 2;

    group->tree_bytes_per_s = rate_limit_of_tree_channels(group);
    group->tree_ppm = passes_on ? group->params->tree_ppm : 1000000;
    for (int p = 0; p < NCCL_N_PROTOCOLS; p++) {
        group->trees[p] = group->protocols[p];
        set_protocol_wire_rates(&group->trees[p],
                                group->params->protocols[p].efficiency_ppm *
                                    group->tree_ppm / 1000000);
    }
}

static void set_protocol_step_times(NcclGroup *group)
{
    const NcclParams *params = group->params;
    gboolean is_fast = group->near_bytes_per_s >= params->nvls.fast_bytes_per_s;

    for (int p = 0; p < NCCL_N_PROTOCOLS; p++) {
        const NcclProtocolParams *from = &params->protocols[p];
        CollProtocol *to = &group->protocols[p];

        to->name = nccl_protocol_names[p + 1];
        set_protocol_wire_rates(to, from->efficiency_ppm);
        to->step_ps[TOPOLOGY_NEAR] = subtract_latency_or_zero(
            from->near_step_ps, group->node_route.latency_ps);
        to->step_ps[TOPOLOGY_HOST] = subtract_latency_or_zero(
            from->host_step_ps, group->node_route.latency_ps);
        to->step_ps[TOPOLOGY_NETWORK] = from->network_step_ps;
    }
    set_tree_protocols(group);
    group->n_switch_channels = (uint32_t)(is_fast ? params->nvls.n_fast_channels
                                                  : params->nvls.n_channels);
    group->in_switch = group->protocols[NCCL_SIMPLE];
    /* The platform defines how fast the switch adds, and the launch time
     * includes the step over the switch. */
    group->in_switch.step_ps[TOPOLOGY_NEAR] = 0;
    group->switch_tree = group->in_switch;
    group->collnet = group->protocols[NCCL_SIMPLE];
    nccl_collnet_protocol(group, NCCL_SIMPLE, &group->collnet);
    group->collnet_ll = group->protocols[NCCL_LL];
    set_protocol_wire_rates(&group->collnet_ll,
                            params->collnet.ll_efficiency_ppm);
    nccl_collnet_protocol(group, NCCL_LL, &group->collnet_ll);
    group->pat = group->protocols[NCCL_SIMPLE];
    set_protocol_wire_rates(&group->pat, params->pat.efficiency_ppm);
    group->pat.step_ps[TOPOLOGY_NETWORK] = params->pat.step_ps;
}

NcclGroup *nccl_group_new(const NcclParams *params, const Topology *topology,
                          const CollMembers *members)
{
    NcclGroup *group = g_new0(NcclGroup, 1);

    g_assert(members->n_ranks >= 2);
    group->params = params;
    group->version = nccl_parse_version(params->version);
    g_assert(group->version > 0);
    group->topology = topology;
    group->members = members;
    group->n = members->n_ranks;
    group->npus = g_new(uint32_t, group->n);
    group->nodes = g_new(uint32_t, group->n);
    for (uint32_t r = 0; r < group->n; r++)
        group->npus[r] = coll_members_npu_of_rank(members, 0, r);
    assign_ranks_to_nodes(group);
    find_dimensions_ranks_fill(group);
    measure_link_rates_of_group(group);
    set_protocol_step_times(group);
    return group;
}

void nccl_group_free(NcclGroup *group)
{
    if (!group)
        return;
    for (uint32_t i = 0; i < group->n_node_orders; i++) {
        nccl_node_channel_orders_clear(&group->rings[i]);
        nccl_node_channel_orders_clear(&group->chains[i]);
    }
    g_free(group->rings);
    g_free(group->chains);
    g_free(group->by_node);
    g_free(group->starts);
    g_free(group->npus);
    g_free(group->nodes);
    g_free(group);
}
