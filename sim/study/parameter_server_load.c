/* parameter_server_load.c - how many bytes each parameter server holds, and how
 * busy its link is */
#include "sim/study/parameter_server_load.h"

static gboolean is_server_role(const System *system, uint32_t role)
{
    return op_graph_role(system_graph(system), role)->serves;
}

uint32_t count_workers(const System *system)
{
    const CollPlacement *placement = system_placement(system);
    uint32_t n = 0;

    for (uint32_t i = 0; i < placement->n_npus; i++)
        n += !is_server_role(system, coll_placement_role(placement, i));
    return n;
}

/* Returns whether @op pushes gradients to @role: a reduction by all workers or,
 * if workers send separately, the message of the first worker only, so that
 * bytes count once. */
static gboolean is_gradient_push(const Op *op, uint32_t role)
{
    if (op->type != OP_COLLECTIVE || !op->is_star || !op_has_role(op, role))
        return FALSE;
    return op->kind == COLL_SEND ? role_set_is_equal(op->sender_roles, 0)
                                 : op->kind == COLL_REDUCE;
}

static void count_pushed_bytes(const System *system, uint32_t role,
                               ServerLoad *load)
{
    const OpGraph *graph = system_graph(system);
    g_autofree uint64_t *bytes = g_new0(uint64_t, graph->layers->len);

    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (!is_gradient_push(op, role))
            continue;
        load->bytes += op->payload_bytes;
        bytes[op->layer] += op->payload_bytes;
        if (bytes[op->layer] > load->layer_bytes) {
            load->layer_bytes = bytes[op->layer];
            load->layer = g_ptr_array_index(graph->layers, op->layer);
        }
    }
}

static double busy_share_of_link(const System *system, uint32_t link)
{
    const Topology *topology = system_topology(system);
    const TopologyPort *port =
        topology_get_port(topology, link % topology_n_ports(topology));
    SimTime total_ps = system_result(system).span_ps;

    return total_ps == 0
               ? 0
               : (double)system_port_stats(system, link).busy_ps /
                     ((double)total_ps * (double)MAX(port->n_links, 1));
}

/* Returns the share of the busiest link in the half of the path from @from to
 * @to that is nearer to the server: the last half if @is_to, otherwise the
 * first. */
static double busiest_link_share_of_half_path(const System *system,
                                              uint32_t from, uint32_t to,
                                              gboolean is_to)
{
    const Topology *topology = system_topology(system);
    g_autoptr(GArray) links = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    double most = 0;
    guint first;

    while (from != to) {
        uint32_t link =
            topology_next_link(topology, from, to, TOPOLOGY_PATH_ID(0, 0));

        g_array_append_val(links, link);
        from = topology_link_target(topology, link);
    }
    first = is_to ? links->len / 2 : 0;
    for (guint i = first; i < first + (links->len + 1) / 2; i++)
        most = MAX(most, busy_share_of_link(system,
                                            g_array_index(links, uint32_t, i)));
    return most;
}

/* Returns the load of a server; NPU 0, which is a worker, is the other end of
 * the paths. */
static ServerLoad load_of_parameter_server(const System *system, uint32_t npu,
                                           uint32_t role)
{
    ServerLoad load = { .npu = npu,
                        .name =
                            op_graph_role(system_graph(system), role)->name };

    count_pushed_bytes(system, role, &load);
    load.link_share =
        MAX(busiest_link_share_of_half_path(system, 0, npu, TRUE),
            busiest_link_share_of_half_path(system, npu, 0, FALSE));
    return load;
}

GArray *list_server_loads(const System *system)
{
    const CollPlacement *placement = system_placement(system);
    GArray *loads = g_array_new(FALSE, FALSE, sizeof(ServerLoad));
    uint64_t all_bytes = 0;

    for (uint32_t i = 0; i < placement->n_npus; i++) {
        ServerLoad load;

        if (!is_server_role(system, coll_placement_role(placement, i)))
            continue;
        load = load_of_parameter_server(system, i,
                                        coll_placement_role(placement, i));
        all_bytes += load.bytes;
        g_array_append_val(loads, load);
    }
    for (guint i = 0; i < loads->len && all_bytes > 0; i++) {
        ServerLoad *load = &g_array_index(loads, ServerLoad, i);

        load->share = (double)load->bytes / (double)all_bytes;
    }
    return loads;
}

const ServerLoad *find_hottest_server(const GArray *loads)
{
    const ServerLoad *hottest = NULL;

    for (guint i = 0; i < loads->len; i++) {
        const ServerLoad *load = &g_array_index(loads, ServerLoad, i);

        if (!hottest || load->link_share > hottest->link_share ||
            (load->link_share >= hottest->link_share &&
             load->bytes > hottest->bytes))
            hottest = load;
    }
    return hottest;
}
