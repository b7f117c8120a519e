/*
 * groups_across_nodes.c - warns of tensor parallelism over the borders of
 * nodes; see groups_across_nodes.h
 */
#include "models/run/report/groups_across_nodes.h"

#include <inttypes.h>

#include "models/run/run_state_impl.h"
#include "network/paths.h"
#include "workloads/mesh/mesh.h"

/* Returns the NPUs of a node; 0 if the platform has no nodes. */
static uint32_t npus_of_node(const Topology *topology)
{
    const TopologyDim *outer =
        topology_dimension(topology, topology_n_dims(topology) - 1);

    return g_str_equal(topology_kind(topology), "nested")
               ? topology_n_npus(topology) / outer->size
               : 0;
}

/* Returns the bytes that an NPU of a node can send to others in a second, if
 * all NPUs of the node do. */
static double network_bytes_per_s(const Topology *topology, uint32_t n_of_node)
{
    const Symmetry *symmetry = topology_get_symmetry(topology);
    double sum = 0;

    for (uint32_t phase = 0; phase < topology_n_ports(topology); phase++) {
        const TopologyPort *port = topology_get_port(topology, phase);

        if (port->reach == TOPOLOGY_NETWORK)
            sum += (double)port->payload_bytes_per_s * port->n_links;
    }
    /* the links of both directions of all nodes of a unit */
    return sum / 2 / MAX(symmetry->unit_ends, n_of_node);
}

/* Returns the bandwidth of the links with which an NPU reaches the others of
 * its node, in bytes per second before efficiency.  Without links between NPUs,
 * these are the links to the host. */
static uint64_t node_bandwidth_bytes_per_s(const Topology *topology)
{
    uint64_t near = topology_mean_npu_bandwidth(topology, TOPOLOGY_NEAR);

    return near > 0 ? near
                    : topology_mean_npu_bandwidth(topology, TOPOLOGY_HOST);
}

/* Returns the distance of member @k of a set of @group from the first. */
static uint32_t member_distance(const OpGroup *group, uint32_t k)
{
    uint32_t distance = 0;

    if (group->grouped_by == GROUP_STRIDE)
        return k * group->stride;
    for (uint32_t d = 0; d < group->n_digits; d++) {
        distance += k % group->digits[d].size * group->digits[d].stride;
        k /= group->digits[d].size;
    }
    return distance;
}

/* Returns the most nodes that a set of @group has ranks in; 0 if that depends
 * on the platform's ids. */
static uint32_t max_nodes_of_group_set(const OpGroup *group, uint32_t n_of_node)
{
    uint32_t n = 1, span;

    if (group->size < 2 || (group->grouped_by != GROUP_STRIDE &&
                            group->grouped_by != GROUP_DIGITS))
        return 0;
    for (uint32_t k = 1; k < group->size; k++)
        n += member_distance(group, k) / n_of_node !=
             member_distance(group, k - 1) / n_of_node;
    span = member_distance(group, group->size - 1) + 1;
    /* other sets begin inside of a node */
    return n == 1 && n_of_node % span != 0 ? 2 : n;
}

/* Returns the bytes of P for all collectives of group @g that a rank of the
 * first role takes part in, all-reduces twice. */
static double sum_payloads_of_group(const OpGraph *graph, uint32_t g)
{
    double sum = 0;

    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type == OP_COLLECTIVE && op->group == g && op_has_role(op, 0))
            sum += (double)op->payload_bytes *
                   (op->kind == COLL_ALL_REDUCE ? 2 : 1);
    }
    return sum;
}

/* Returns the group of tensor parallelism of a language model, or 0. */
static uint32_t find_tensor_group(const OpGraph *graph)
{
    for (guint g = 1; graph->model_flop > 0 && g < graph->groups->len; g++)
        if (g_str_equal(op_graph_group(graph, g)->name,
                        mesh_axis_names[MESH_TP]))
            return g;
    return 0;
}

char *node_borders_warning(const System *system, SimTime iteration_ps)
{
    const OpGraph *graph = system_graph(system);
    const Topology *topology = system_topology(system);
    uint32_t n_of_node = npus_of_node(topology), g = find_tensor_group(graph);
    uint32_t n_nodes;
    double bytes, rate;
    g_autofree char *iteration = NULL;

    if (n_of_node == 0 || g == 0)
        return NULL;
    n_nodes = max_nodes_of_group_set(op_graph_group(graph, g), n_of_node);
    rate = network_bytes_per_s(topology, n_of_node);
    if (n_nodes < 2 || rate <= 0)
        return NULL;
    bytes = sum_payloads_of_group(graph, g) * (n_nodes - 1) /
            op_graph_group(graph, g)->size;
    iteration = iteration_ps > 0 ? g_strdup_printf("the iteration of %.4g ms",
                                                   (double)iteration_ps / 1e9)
                                 : g_strdup("each iteration");
    return g_strdup_printf(
        "warning: tp %" PRIu32 " crosses the borders of nodes of %" PRIu32
        " NPUs: its collectives send at least %.4g GB from each NPU through "
        "the network between nodes, whose links have %.4g GB/s for each NPU "
        "beside %.4g GB/s in a node, which takes %.4g ms or more of %s; a tp "
        "that divides %" PRIu32 " stays in a node",
        op_graph_group(graph, g)->size, n_of_node, bytes / 1e9,
        (double)topology_mean_npu_bandwidth(topology, TOPOLOGY_NETWORK) / 1e9,
        (double)node_bandwidth_bytes_per_s(topology) / 1e9, bytes / rate * 1e3,
        iteration, n_of_node);
}
