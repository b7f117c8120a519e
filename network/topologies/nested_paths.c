/* nested_paths.c - numbers of nodes and links, and the paths of a nested
 * topology */
#include "network/topologies/nested.h"

void nested_topology_free(Topology *topology)
{
    Nested *nested = topology->kind;

    if (!nested)
        return;
    topology_free(nested->inner);
    topology_free(nested->outer);
    g_free(nested->nic_of);
    g_free(nested);
}

/* ---- nodes ------------------------------------------------------------ */

/* Returns the number, within its node, of node @inner of the inner topology.
 * Within a node, NPUs come first, then NICs, then the other inner
 * forwarders. */
static uint32_t nested_local_index_of_inner_node(const Nested *nested,
                                                 uint32_t inner)
{
    return inner < nested->n_inner || nested->has_own_nics
               ? inner
               : inner + nested->n_nics;
}

static uint32_t inner_node_of_local_index(const Nested *nested, uint32_t local)
{
    return local < nested->n_inner || nested->has_own_nics
               ? local
               : local - nested->n_nics;
}

static uint32_t node_id_of_local_index(const Nested *nested, uint32_t node,
                                       uint32_t local)
{
    return local < nested->n_inner
               ? node * nested->n_inner + local
               : nested->count * nested->n_inner + node * nested->n_forwarders +
                     (local - nested->n_inner);
}

static gboolean is_nic_node(const Nested *nested, uint32_t local)
{
    return local >= nested->n_inner && local < nested->n_inner + nested->n_nics;
}

/* Returns the end of the outer topology that is NIC @nic of @node. */
static uint32_t outer_end_of_nic(const Nested *nested, uint32_t node,
                                 uint32_t nic)
{
    return nested->rails ? node : nic + nested->n_nics * node;
}

/* Returns the node id of node @outer of outer topology @rail. */
static uint32_t node_id_of_outer_node(const Nested *nested, uint32_t rail,
                                      uint32_t outer)
{
    uint32_t n_ends = nested->outer->n_npus;

    if (outer >= n_ends)
        return nested->first_outer + rail * (nested->outer->n_nodes - n_ends) +
               (outer - n_ends);
    return nested->rails
               ? node_id_of_local_index(nested, outer, nested->n_inner + rail)
               : node_id_of_local_index(nested, outer / nested->n_nics,
                                        nested->n_inner +
                                            outer % nested->n_nics);
}

/* ---- links ------------------------------------------------------------ */

/* The parts of a link number: a node or an outer topology, and the link within
 * it. */
typedef struct {
    gboolean is_outer;
    uint32_t node; /* number of the node or, if .is_outer, outer topology */
    uint32_t port; /* port of the node or, if .is_outer, outer link */
} LinkParts;

static LinkParts split_nested_link_number(const Nested *nested, uint32_t unit,
                                          uint32_t port)
{
    uint32_t group, outer_unit;

    if (port < nested->unit_nodes * nested->node_ports)
        return (LinkParts){ FALSE,
                            unit * nested->unit_nodes +
                                port / nested->node_ports,
                            port % nested->node_ports };
    port -= nested->unit_nodes * nested->node_ports;
    group = port / nested->outer_ports;
    outer_unit = nested->rails ? unit : unit * nested->n_outer_units + group;
    return (LinkParts){ TRUE, nested->rails ? group : 0,
                        outer_unit * nested->outer_ports +
                            port % nested->outer_ports };
}

static uint32_t link_number_of_node_port(const Topology *topology,
                                         uint32_t node, uint32_t port)
{
    const Nested *nested = topology->kind;

    if (nested->unit_nodes == 1) /* the most common case */
        return node * topology->n_ports + port;
    return node / nested->unit_nodes * topology->n_ports +
           node % nested->unit_nodes * nested->node_ports + port;
}

static uint32_t link_number_of_outer_link(const Topology *topology,
                                          uint32_t rail, uint32_t link)
{
    const Nested *nested = topology->kind;
    uint32_t outer_unit = link / nested->outer_ports;
    uint32_t unit =
        nested->rails ? outer_unit : outer_unit / nested->n_outer_units;
    uint32_t group = nested->rails ? rail : outer_unit % nested->n_outer_units;

    return unit * topology->n_ports + nested->unit_nodes * nested->node_ports +
           group * nested->outer_ports + link % nested->outer_ports;
}

gboolean nested_get_link_nodes(const Topology *topology, uint32_t unit,
                               uint32_t port, uint32_t *ret_from,
                               uint32_t *ret_to)
{
    const Nested *nested = topology->kind;
    LinkParts parts = split_nested_link_number(nested, unit, port);
    uint32_t n_inner_links = topology_n_links(nested->inner), npu, from, to;

    if (parts.is_outer) {
        if (!topology_get_link_nodes(nested->outer, parts.port, &from, &to))
            return FALSE;
        *ret_from = node_id_of_outer_node(nested, parts.node, from);
        *ret_to = node_id_of_outer_node(nested, parts.node, to);
        return TRUE;
    }
    if (parts.port < n_inner_links) {
        if (!topology_get_link_nodes(nested->inner, parts.port, &from, &to))
            return FALSE;
        *ret_from = node_id_of_local_index(
            nested, parts.node, nested_local_index_of_inner_node(nested, from));
        *ret_to = node_id_of_local_index(
            nested, parts.node, nested_local_index_of_inner_node(nested, to));
        return TRUE;
    }
    npu = (parts.port - n_inner_links) / 2;
    from = node_id_of_local_index(nested, parts.node, npu);
    to = node_id_of_local_index(nested, parts.node,
                                nested->n_inner + nested->nic_of[npu]);
    *ret_from = parts.port % 2 == n_inner_links % 2 ? from : to;
    *ret_to = parts.port % 2 == n_inner_links % 2 ? to : from;
    return TRUE;
}

gboolean nested_link_is_dateline(const Topology *topology, uint32_t unit,
                                 uint32_t port)
{
    const Nested *nested = topology->kind;
    LinkParts parts = split_nested_link_number(nested, unit, port);
    const Topology *source = parts.is_outer ? nested->outer : nested->inner;

    return (parts.is_outer || parts.port < topology_n_links(nested->inner)) &&
           source->ops->is_dateline &&
           source->ops->is_dateline(source, parts.port / source->n_ports,
                                    parts.port % source->n_ports);
}

/* ---- in-switch reduction --------------------------------------------- */

/* Returns the dimension of the outer topology that corresponds to dimension
 * @dim of the nested topology, or 0 if the ends of the outer topology are not
 * whole nodes. */
static uint32_t outer_dimension_of_nested(const Nested *nested, uint32_t dim)
{
    return nested->outer->n_npus == nested->count ? dim - nested->inner->n_dims
                                                  : 0;
}

/* Returns whether the nodes of each outer dimension form a row of the outer
 * topology, or share its only dimension. */
static gboolean outer_dimensions_hold_one_row_each(const Topology *topology)
{
    const Nested *nested = topology->kind;

    return nested->outer->n_dims == 1 ||
           topology->n_dims == nested->inner->n_dims + nested->outer->n_dims;
}

void nested_set_dims_with_switch_reduction(Topology *topology)
{
    const Nested *nested = topology->kind;

    for (uint32_t d = 0; d < topology->n_dims; d++) {
        gboolean is_inner = d < nested->inner->n_dims;
        const Topology *source = is_inner ? nested->inner : nested->outer;
        uint32_t node = is_inner ? d : outer_dimension_of_nested(nested, d);

        if (!(source->adds >> node & 1) ||
            (!is_inner && !outer_dimensions_hold_one_row_each(topology)) ||
            (!is_inner && nested->has_own_nics))
            continue;
        topology->adds |= 1U << d;
        topology->adders[d] = source->adders[node];
    }
}

gboolean nested_node_can_reduce(const Topology *topology, uint32_t node,
                                uint32_t dim)
{
    const Nested *nested = topology->kind;
    uint32_t n_switches = nested->outer->n_nodes - nested->outer->n_npus, local;

    if (dim >= nested->inner->n_dims)
        return node >= nested->first_outer &&
               nested->outer->ops->node_reduces(
                   nested->outer,
                   nested->outer->n_npus +
                       (node - nested->first_outer) % n_switches,
                   outer_dimension_of_nested(nested, dim));
    if (node < topology->n_npus || node >= nested->first_outer)
        return FALSE;
    local = nested->n_inner + (node - topology->n_npus) % nested->n_forwarders;
    return !is_nic_node(nested, local) &&
           nested->inner->ops->node_reduces(
               nested->inner, inner_node_of_local_index(nested, local), dim);
}

/* ---- paths ------------------------------------------------------------ */

static uint32_t next_link_inside_node(const Topology *topology, uint32_t node,
                                      uint32_t local, uint32_t to,
                                      uint32_t path_id)
{
    const Nested *nested = topology->kind;
    uint32_t link = topology_next_link(
        nested->inner, inner_node_of_local_index(nested, local), to, path_id);

    return link == TOPOLOGY_NONE
               ? link
               : link_number_of_node_port(topology, node, link);
}

/* Returns the link of @npu of @node to its NIC, or back if @down. */
static uint32_t link_between_npu_and_nic(const Topology *topology,
                                         uint32_t node, uint32_t npu,
                                         gboolean down)
{
    const Nested *nested = topology->kind;

    return link_number_of_node_port(topology, node,
                                    topology_n_links(nested->inner) + 2 * npu +
                                        (down ? 1 : 0));
}

/* Returns the next link of a message that leaves @node.  @local is its position
 * in the node, and @npu is the number of the receiver in another node. */
static uint32_t next_link_out_of_node(const Topology *topology, uint32_t node,
                                      uint32_t local, uint32_t npu,
                                      uint32_t path_id)
{
    const Nested *nested = topology->kind;

    if (nested->has_own_nics)
        return next_link_inside_node(topology, node, local,
                                     nested->n_inner + nested->nic_of[npu],
                                     path_id);
    if (!nested->rails || (local < nested->n_inner &&
                           nested->nic_of[local] == nested->nic_of[npu]))
        return link_between_npu_and_nic(topology, node, local, FALSE);
    return next_link_inside_node(topology, node, local, npu, path_id);
}

/* Returns the next link towards NPU @dst at node @node of the outer topology
 * number @rail. */
static uint32_t next_link_in_outer_topology(const Topology *topology,
                                            uint32_t rail, uint32_t node,
                                            uint32_t dst, uint32_t path_id)
{
    const Nested *nested = topology->kind;
    uint32_t end = outer_end_of_nic(nested, dst / nested->n_inner,
                                    nested->nic_of[dst % nested->n_inner]);

    path_id = TOPOLOGY_PATH_IS_UP(path_id)
                  ? TOPOLOGY_PATH_UP(outer_dimension_of_nested(
                        nested, TOPOLOGY_PATH_DIM(path_id)))
                  : path_id & 1;

    /* A plane restricts the links of a node only, so the outer path id has no
     * plane. */
    return link_number_of_outer_link(
        topology, rail, topology_next_link(nested->outer, node, end, path_id));
}

uint32_t nested_next_link(const Topology *topology, uint32_t current_node,
                          uint32_t dst, uint32_t path_id)
{
    const Nested *nested = topology->kind;
    uint32_t npu = dst % nested->n_inner,
             offset = current_node - topology->n_npus, node, local, nic;

    if (current_node >= nested->first_outer) {
        uint32_t n_switches = nested->outer->n_nodes - nested->outer->n_npus;

        offset = current_node - nested->first_outer;
        return next_link_in_outer_topology(
            topology, offset / n_switches,
            nested->outer->n_npus + offset % n_switches, dst, path_id);
    }
    node = current_node < topology->n_npus ? current_node / nested->n_inner
                                           : offset / nested->n_forwarders;
    local = current_node < topology->n_npus
                ? current_node % nested->n_inner
                : nested->n_inner + offset % nested->n_forwarders;
    nic = local - nested->n_inner;
    if (TOPOLOGY_PATH_IS_UP(path_id) &&
        TOPOLOGY_PATH_DIM(path_id) >= nested->inner->n_dims)
        return is_nic_node(nested, local)
                   ? next_link_in_outer_topology(
                         topology, nested->rails ? nic : 0,
                         outer_end_of_nic(nested, node, nic), dst, path_id)
                   : link_between_npu_and_nic(topology, node, local, FALSE);
    if (node == dst / nested->n_inner &&
        (nested->has_own_nics || !is_nic_node(nested, local)))
        return next_link_inside_node(topology, node, local, npu, path_id);
    if (node == dst / nested->n_inner && nic == nested->nic_of[npu])
        return link_between_npu_and_nic(topology, node, npu, TRUE);
    /* The NICs of a ring forward the messages of other nodes. */
    if (is_nic_node(nested, local))
        return next_link_in_outer_topology(topology, nested->rails ? nic : 0,
                                           outer_end_of_nic(nested, node, nic),
                                           dst, path_id);
    return next_link_out_of_node(topology, node, local, npu, path_id);
}
