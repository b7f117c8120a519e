/* nested_paths.c - numbers of nodes and links, and the paths of a nested
 * topology */
#include "network/topologies/nested.h"

void nested_topology_free(Topology *t)
{
    Nested *nested = t->kind;

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
static uint32_t nested_local_of_inner_node(const Nested *n, uint32_t inner)
{
    return inner < n->n_inner || n->has_own_nics ? inner : inner + n->n_nics;
}

static uint32_t inner_node_of_local(const Nested *n, uint32_t local)
{
    return local < n->n_inner || n->has_own_nics ? local : local - n->n_nics;
}

static uint32_t node_id_of_local(const Nested *n, uint32_t node, uint32_t local)
{
    return local < n->n_inner ? node * n->n_inner + local
                              : n->count * n->n_inner + node * n->n_forwarders +
                                    (local - n->n_inner);
}

static gboolean is_nic_node(const Nested *n, uint32_t local)
{
    return local >= n->n_inner && local < n->n_inner + n->n_nics;
}

/* Returns the end of the outer topology that is NIC @nic of @node. */
static uint32_t outer_end_of_nic(const Nested *n, uint32_t node, uint32_t nic)
{
    return n->rails ? node : nic + n->n_nics * node;
}

/* Returns the node id of node @outer of outer topology @rail. */
static uint32_t node_id_of_outer_node(const Nested *n, uint32_t rail,
                                      uint32_t outer)
{
    uint32_t n_ends = n->outer->n_npus;

    if (outer >= n_ends)
        return n->first_outer + rail * (n->outer->n_nodes - n_ends) +
               (outer - n_ends);
    return n->rails ? node_id_of_local(n, outer, n->n_inner + rail)
                    : node_id_of_local(n, outer / n->n_nics,
                                       n->n_inner + outer % n->n_nics);
}

/* ---- links ------------------------------------------------------------ */

/* The parts of a link number: a node or an outer topology, and the link within
 * it. */
typedef struct {
    gboolean is_outer;
    uint32_t node; /* number of the node or, if .is_outer, outer topology */
    uint32_t port; /* port of the node or, if .is_outer, outer link */
} LinkParts;

static LinkParts split_nested_link_number(const Nested *n, uint32_t unit,
                                          uint32_t port)
{
    uint32_t group, outer_unit;

    if (port < n->unit_nodes * n->node_ports)
        return (LinkParts){ FALSE, unit * n->unit_nodes + port / n->node_ports,
                            port % n->node_ports };
    port -= n->unit_nodes * n->node_ports;
    group = port / n->outer_ports;
    outer_unit = n->rails ? unit : unit * n->n_outer_units + group;
    return (LinkParts){ TRUE, n->rails ? group : 0,
                        outer_unit * n->outer_ports + port % n->outer_ports };
}

static uint32_t link_number_of_node_port(const Topology *t, uint32_t node,
                                         uint32_t port)
{
    const Nested *n = t->kind;

    if (n->unit_nodes == 1) /* the most common case */
        return node * t->n_ports + port;
    return node / n->unit_nodes * t->n_ports +
           node % n->unit_nodes * n->node_ports + port;
}

static uint32_t link_number_of_outer_link(const Topology *t, uint32_t rail,
                                          uint32_t link)
{
    const Nested *n = t->kind;
    uint32_t outer_unit = link / n->outer_ports;
    uint32_t unit = n->rails ? outer_unit : outer_unit / n->n_outer_units;
    uint32_t group = n->rails ? rail : outer_unit % n->n_outer_units;

    return unit * t->n_ports + n->unit_nodes * n->node_ports +
           group * n->outer_ports + link % n->outer_ports;
}

gboolean nested_get_link_nodes(const Topology *t, uint32_t unit, uint32_t port,
                               uint32_t *ret_from, uint32_t *ret_to)
{
    const Nested *n = t->kind;
    LinkParts parts = split_nested_link_number(n, unit, port);
    uint32_t n_inner_links = topology_n_links(n->inner), npu, from, to;

    if (parts.is_outer) {
        if (!topology_get_link_nodes(n->outer, parts.port, &from, &to))
            return FALSE;
        *ret_from = node_id_of_outer_node(n, parts.node, from);
        *ret_to = node_id_of_outer_node(n, parts.node, to);
        return TRUE;
    }
    if (parts.port < n_inner_links) {
        if (!topology_get_link_nodes(n->inner, parts.port, &from, &to))
            return FALSE;
        *ret_from = node_id_of_local(n, parts.node,
                                     nested_local_of_inner_node(n, from));
        *ret_to =
            node_id_of_local(n, parts.node, nested_local_of_inner_node(n, to));
        return TRUE;
    }
    npu = (parts.port - n_inner_links) / 2;
    from = node_id_of_local(n, parts.node, npu);
    to = node_id_of_local(n, parts.node, n->n_inner + n->nic_of[npu]);
    *ret_from = parts.port % 2 == n_inner_links % 2 ? from : to;
    *ret_to = parts.port % 2 == n_inner_links % 2 ? to : from;
    return TRUE;
}

gboolean nested_link_is_dateline(const Topology *t, uint32_t unit,
                                 uint32_t port)
{
    const Nested *n = t->kind;
    LinkParts parts = split_nested_link_number(n, unit, port);
    const Topology *of = parts.is_outer ? n->outer : n->inner;

    return (parts.is_outer || parts.port < topology_n_links(n->inner)) &&
           of->ops->is_dateline &&
           of->ops->is_dateline(of, parts.port / of->n_ports,
                                parts.port % of->n_ports);
}

/* ---- in-switch reduction --------------------------------------------- */

/* Returns the dimension of the outer topology that corresponds to dimension
 * @dim of the nested topology, or 0 if the ends of the outer topology are not
 * whole nodes. */
static uint32_t outer_dimension_of(const Nested *n, uint32_t dim)
{
    return n->outer->n_npus == n->count ? dim - n->inner->n_dims : 0;
}

/* Returns whether the nodes of each outer dimension form a row of the outer
 * topology, or share its only dimension. */
static gboolean outer_dimensions_are_rows(const Topology *t)
{
    const Nested *n = t->kind;

    return n->outer->n_dims == 1 ||
           t->n_dims == n->inner->n_dims + n->outer->n_dims;
}

void nested_set_dims_with_switch_reduction(Topology *t)
{
    const Nested *n = t->kind;

    for (uint32_t d = 0; d < t->n_dims; d++) {
        gboolean is_inner = d < n->inner->n_dims;
        const Topology *of = is_inner ? n->inner : n->outer;
        uint32_t at = is_inner ? d : outer_dimension_of(n, d);

        if (!(of->adds >> at & 1) ||
            (!is_inner && !outer_dimensions_are_rows(t)) ||
            (!is_inner && n->has_own_nics))
            continue;
        t->adds |= 1U << d;
        t->adders[d] = of->adders[at];
    }
}

gboolean nested_node_reduces(const Topology *t, uint32_t at, uint32_t dim)
{
    const Nested *n = t->kind;
    uint32_t n_switches = n->outer->n_nodes - n->outer->n_npus, local;

    if (dim >= n->inner->n_dims)
        return at >= n->first_outer &&
               n->outer->ops->node_reduces(
                   n->outer,
                   n->outer->n_npus + (at - n->first_outer) % n_switches,
                   outer_dimension_of(n, dim));
    if (at < t->n_npus || at >= n->first_outer)
        return FALSE;
    local = n->n_inner + (at - t->n_npus) % n->n_forwarders;
    return !is_nic_node(n, local) &&
           n->inner->ops->node_reduces(n->inner, inner_node_of_local(n, local),
                                       dim);
}

/* ---- paths ------------------------------------------------------------ */

static uint32_t next_link_inside_node(const Topology *t, uint32_t node,
                                      uint32_t local, uint32_t to,
                                      uint32_t path_id)
{
    const Nested *n = t->kind;
    uint32_t link = topology_next_link(n->inner, inner_node_of_local(n, local),
                                       to, path_id);

    return link == TOPOLOGY_NONE ? link
                                 : link_number_of_node_port(t, node, link);
}

/* Returns the link of @npu of @node to its NIC, or back if @down. */
static uint32_t link_between_npu_and_nic(const Topology *t, uint32_t node,
                                         uint32_t npu, gboolean down)
{
    const Nested *n = t->kind;

    return link_number_of_node_port(
        t, node, topology_n_links(n->inner) + 2 * npu + (down ? 1 : 0));
}

/* Returns the next link of a message that leaves @node.  @local is its position
 * in the node, and @npu is the number of the receiver in another node. */
static uint32_t next_link_out_of_node(const Topology *t, uint32_t node,
                                      uint32_t local, uint32_t npu,
                                      uint32_t path_id)
{
    const Nested *n = t->kind;

    if (n->has_own_nics)
        return next_link_inside_node(t, node, local,
                                     n->n_inner + n->nic_of[npu], path_id);
    if (!n->rails || (local < n->n_inner && n->nic_of[local] == n->nic_of[npu]))
        return link_between_npu_and_nic(t, node, local, FALSE);
    return next_link_inside_node(t, node, local, npu, path_id);
}

/* Returns the next link towards NPU @dst at node @at of the outer topology
 * number @rail. */
static uint32_t next_link_in_outer_topology(const Topology *t, uint32_t rail,
                                            uint32_t at, uint32_t dst,
                                            uint32_t path_id)
{
    const Nested *n = t->kind;
    uint32_t end =
        outer_end_of_nic(n, dst / n->n_inner, n->nic_of[dst % n->n_inner]);

    path_id = TOPOLOGY_PATH_IS_UP(path_id)
                  ? TOPOLOGY_PATH_UP(
                        outer_dimension_of(n, TOPOLOGY_PATH_DIM(path_id)))
                  : path_id & 1;

    /* A plane restricts the links of a node only, so the outer path id has no
     * plane. */
    return link_number_of_outer_link(
        t, rail, topology_next_link(n->outer, at, end, path_id));
}

uint32_t nested_next_link(const Topology *t, uint32_t at, uint32_t dst,
                          uint32_t path_id)
{
    const Nested *n = t->kind;
    uint32_t npu = dst % n->n_inner, offset = at - t->n_npus, node, local, nic;

    if (at >= n->first_outer) {
        uint32_t n_switches = n->outer->n_nodes - n->outer->n_npus;

        offset = at - n->first_outer;
        return next_link_in_outer_topology(
            t, offset / n_switches, n->outer->n_npus + offset % n_switches, dst,
            path_id);
    }
    node = at < t->n_npus ? at / n->n_inner : offset / n->n_forwarders;
    local = at < t->n_npus ? at % n->n_inner
                           : n->n_inner + offset % n->n_forwarders;
    nic = local - n->n_inner;
    if (TOPOLOGY_PATH_IS_UP(path_id) &&
        TOPOLOGY_PATH_DIM(path_id) >= n->inner->n_dims)
        return is_nic_node(n, local)
                   ? next_link_in_outer_topology(t, n->rails ? nic : 0,
                                                 outer_end_of_nic(n, node, nic),
                                                 dst, path_id)
                   : link_between_npu_and_nic(t, node, local, FALSE);
    if (node == dst / n->n_inner && (n->has_own_nics || !is_nic_node(n, local)))
        return next_link_inside_node(t, node, local, npu, path_id);
    if (node == dst / n->n_inner && nic == n->nic_of[npu])
        return link_between_npu_and_nic(t, node, npu, TRUE);
    /* The NICs of a ring forward the messages of other nodes. */
    if (is_nic_node(n, local))
        return next_link_in_outer_topology(t, n->rails ? nic : 0,
                                           outer_end_of_nic(n, node, nic), dst,
                                           path_id);
    return next_link_out_of_node(t, node, local, npu, path_id);
}
