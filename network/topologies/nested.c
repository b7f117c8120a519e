/* nested.c - the construction of a topology of nodes that each contain a
 * topology; see nested.h */
#include <string.h>

#include "network/topologies/nested.h"

/* ---- NICs ------------------------------------------------------------- */

static uint32_t count_hops_between_nodes(const Topology *t, uint32_t at,
                                         uint32_t to)
{
    uint32_t n = 0;

    for (; at != to; n++)
        at = topology_link_target(t, topology_next_link(t, at, to, 0));
    return n;
}

/* Returns a NIC of the graph with the fewest hops from @npu.  If there are
 * several, neighbouring NPUs get successive ones. */
static uint32_t find_nearest_nic(const Nested *n, uint32_t npu)
{
    g_autofree uint32_t *nearest = g_new(uint32_t, n->n_nics);
    uint32_t n_nearest = 0, least = UINT32_MAX;

    for (uint32_t nic = 0; nic < n->n_nics; nic++) {
        uint32_t n_hops =
            count_hops_between_nodes(n->inner, npu, n->n_inner + nic);

        if (n_hops > least)
            continue;
        if (n_hops < least)
            n_nearest = 0;
        least = n_hops;
        nearest[n_nearest++] = nic;
    }
    return nearest[npu % n_nearest];
}

/* Assigns a NIC to each NPU of a node. */
static void assign_nics_to_npus(Nested *n)
{
    n->nic_of = g_new(uint32_t, n->n_inner);
    for (uint32_t npu = 0; npu < n->n_inner; npu++)
        n->nic_of[npu] =
            n->has_own_nics
                ? find_nearest_nic(n, npu)
                : (uint32_t)((uint64_t)npu * n->n_nics / n->n_inner);
}

static gboolean check_nic_params(const NestedParams *params, const Nested *n,
                                 const ConfigNode *where, GError **error)
{
    const char *wrong = NULL;

    if (n->has_own_nics && params->n_nics > 0)
        wrong = "nics: the inner graph has nodes of kind nic already";
    else if (!n->has_own_nics && params->n_nics == 0)
        wrong = "nics: the inner topology has none, so say how many to add";
    else if (!n->has_own_nics && params->n_nics > n->n_inner)
        wrong = "nics: more than NPUs in a node";
    else if (!n->has_own_nics && params->nic.link.bandwidth_bytes_per_s < 1000)
        wrong = "nic: its bandwidth is missing";
    if (wrong)
        config_set_error(error, where, CONFIG_ERROR_CONFLICT, "%s", wrong);
    return wrong == NULL;
}

/* ---- construction ----------------------------------------------------- */

static void add_copied_port(Topology *t, uint32_t d, const TopologyPort *port,
                            const char *prefix, uint32_t number)
{
    TopologyPort *added = &t->ports[t->n_ports++];

    *added = *port;
    added->dim = d;
    added->part = added->part_stride = 0;
    added->name = prefix
                      ? g_strdup_printf("%s%u.%s", prefix, number, port->name)
                      : g_strdup(port->name);
}

/* Adds the first @n_links links of the inner or outer topology @of as ports of
 * the nested topology.  Dimension 0 of @of becomes dimension @first_dim. */
static void copy_ports_of_topology(Topology *t, const Topology *of,
                                   uint32_t n_links, uint32_t first_dim,
                                   const char *prefix)
{
    for (uint32_t link = 0; link < n_links; link++) {
        const TopologyPort *port = &of->ports[link % of->n_ports];
        uint32_t d = MIN(first_dim + port->dim, t->n_dims - 1);

        add_copied_port(t, d, port, of->n_units > 1 ? prefix : NULL,
                        link / of->n_ports * of->symmetry.unit_ends);
    }
}

static void add_nested_nic_ports(Topology *t, const Nested *n,
                                 const NicParams *nic)
{
    for (uint32_t p = 0; !n->has_own_nics && p < 2 * n->n_inner; p++) {
        uint32_t npu = p / 2, to = n->nic_of[npu];
        g_autofree char *name = p % 2 == 0
                                    ? g_strdup_printf("npu%u-nic%u", npu, to)
                                    : g_strdup_printf("nic%u-npu%u", to, npu);

        topology_set_port(&t->ports[t->n_ports++], name, n->inner->n_dims,
                          (uint32_t)nic->link.n_links, &nic->link);
        t->ports[t->n_ports - 1].reach = TOPOLOGY_HOST;
    }
}

/* Prepends "@word@number." to the names of all ports from @first on. */
static void prefix_port_names(Topology *t, uint32_t first, const char *word,
                              uint32_t number)
{
    for (uint32_t p = first; p < t->n_ports; p++) {
        char *name = (char *)(gpointer)t->ports[p].name;

        t->ports[p].name = g_strdup_printf("%s%u.%s", word, number, name);
        g_free(name);
    }
}

static void add_nested_ports(Topology *t, const NestedParams *params)
{
    const Nested *n = t->kind;
    gboolean is_nic = n->outer->symmetry.unit_ends == 1;

    for (uint32_t node = 0; node < n->unit_nodes; node++) {
        uint32_t first = t->n_ports;

        copy_ports_of_topology(t, n->inner, topology_n_links(n->inner), 0,
                               "npu");
        add_nested_nic_ports(t, n, &params->nic);
        if (n->unit_nodes > 1)
            prefix_port_names(t, first, "node", node);
    }
    for (uint32_t i = 0; i < n->n_outer_units; i++) {
        uint32_t first = t->n_ports;

        copy_ports_of_topology(t, n->outer, n->outer_ports, n->inner->n_dims,
                               n->has_several_units ? NULL : "end");
        prefix_port_names(t, first, is_nic ? "nic" : "outer", i);
        for (uint32_t p = first; p < t->n_ports; p++)
            t->ports[p].reach = TOPOLOGY_NETWORK;
    }
}

/* Adds the limits of all symmetric units of @of, whose links begin at port
 * @first. */
static void copy_limits_of_topology(Topology *t, const Topology *of,
                                    uint32_t first)
{
    for (uint32_t i = 0; i < of->n_units * of->n_limits; i++) {
        const TopologyLimit *limit = &of->limits[i % of->n_limits];
        uint32_t *ports = g_new(uint32_t, limit->n_ports);

        for (uint32_t p = 0; p < limit->n_ports; p++)
            ports[p] = first + i / of->n_limits * of->n_ports + limit->ports[p];
        t->limits = g_renew(TopologyLimit, t->limits, t->n_limits + 1);
        t->limits[t->n_limits] = *limit;
        t->limits[t->n_limits].name = g_strdup(limit->name);
        t->limits[t->n_limits++].ports = ports;
    }
}

static void add_limits_of_inner_and_outer(Topology *t)
{
    const Nested *n = t->kind;

    for (uint32_t node = 0; node < n->unit_nodes; node++)
        copy_limits_of_topology(t, n->inner, node * n->node_ports);
    for (uint32_t o = 0; !n->has_several_units && o < n->n_outers; o++)
        copy_limits_of_topology(t, n->outer,
                                n->count * n->node_ports + o * n->outer_ports);
}

/* Returns whether the inner symmetries also hold for the nodes: each NPU has a
 * NIC of its own, which reaches equal links, and no two NPUs share a limit or
 * the adder of an outer switch.  The ends of a leaf of a fat tree reach links
 * that differ, so there each NPU needs a rail. */
static gboolean npus_of_node_are_equivalent(const Nested *n)
{
    return n->inner->symmetry.unit_ends == 1 && !n->has_own_nics &&
           n->n_nics == n->n_inner && n->inner->n_limits == 0 &&
           n->outer->n_limits == 0 &&
           (n->rails ||
            (n->outer->symmetry.any_order &&
             n->outer->symmetry.unit_ends == 1 && n->outer->adds == 0));
}

/* Sets the parts of the @n_links links from port @first on, which belong
 * alternately to the NPUs of a node. The first of these is part @first_part. */
static void set_port_parts(Topology *t, uint32_t first, uint32_t n_links,
                           uint32_t first_part)
{
    const Nested *n = t->kind;
    uint32_t n_of_part = n_links / n->n_inner;

    for (uint32_t p = 0; p < n_links; p++) {
        t->ports[first + p].part = first_part + p / n_of_part;
        t->ports[first + p].part_stride = n_of_part;
    }
}

/* Inserts the dimensions within a unit before those of units: those of the
 * inner topology, and the nodes of the unit. */
static void insert_unit_dimensions(Topology *t)
{
    const Nested *n = t->kind;
    const Symmetry *inner = &n->inner->symmetry;
    uint32_t n_unit_dims = inner->n_dims + (n->unit_nodes > 1 ? 1 : 0);

    memmove(t->symmetry.dims + n_unit_dims, t->symmetry.dims,
            t->symmetry.n_dims * sizeof t->symmetry.dims[0]);
    memcpy(t->symmetry.dims, inner->dims,
           inner->n_dims * sizeof inner->dims[0]);
    if (n->unit_nodes > 1) {
        t->symmetry.dims[inner->n_dims].size = n->unit_nodes;
        t->symmetry.dims[inner->n_dims].translates = FALSE;
    }
    t->symmetry.n_dims += n_unit_dims;
}

/* Makes each NPU of a node, with its links, a symmetric part. */
static void divide_nodes_into_parts(Topology *t)
{
    const Nested *n = t->kind;
    uint32_t n_inner_links = topology_n_links(n->inner);

    insert_unit_dimensions(t);
    t->symmetry.part_ends = 1;
    t->symmetry.any_part_order = n->inner->symmetry.any_order;
    for (uint32_t node = 0; node < n->unit_nodes; node++) {
        uint32_t first = node * n->node_ports;

        set_port_parts(t, first, n_inner_links, node * n->n_inner);
        set_port_parts(t, first + n_inner_links, 2 * n->n_inner,
                       node * n->n_inner);
    }
    set_port_parts(t, n->unit_nodes * n->node_ports,
                   n->n_outer_units * n->outer_ports, 0);
}

/* Sets the symmetries.  Units have those of the outer units that their NICs
 * form.  If each NIC is an outer unit of its own, the NICs of a node must be
 * neighbours in the first dimension. */
static void set_nested_symmetry(Topology *t)
{
    const Nested *n = t->kind;
    uint32_t n_next = n->rails ? 1 : n->n_nics;
    gboolean has_outer_symmetry = n->has_several_units;

    t->symmetry = n->outer->symmetry;
    t->symmetry.unit_ends = t->symmetry.part_ends = n->unit_nodes * n->n_inner;
    t->symmetry.node_ends = n->n_inner;
    t->symmetry.any_part_order = FALSE;
    if (n->outer->symmetry.unit_ends == 1) {
        has_outer_symmetry = t->symmetry.dims[0].size % n_next == 0;
        t->symmetry.dims[0].size /= n_next;
    }
    if (!has_outer_symmetry) {
        t->symmetry.any_order = FALSE;
        t->symmetry.n_dims = 1;
        t->symmetry.dims[0].size = t->n_units;
        t->symmetry.dims[0].translates = FALSE;
    }
    if (npus_of_node_are_equivalent(n))
        divide_nodes_into_parts(t);
}

/* Sets the dimensions of a nested topology: those of the inner topology, then
 * those of the grid of nodes. */
static void set_nested_dimensions(Topology *t)
{
    const Nested *n = t->kind;
    gboolean one_by_one = n->outer->n_npus == n->count;

    t->n_dims = n->inner->n_dims;
    memcpy(t->dims, n->inner->dims, sizeof t->dims);
    if (one_by_one && t->n_dims + n->outer->n_dims <= TOPOLOGY_MAX_DIMS) {
        for (uint32_t d = 0; d < n->outer->n_dims; d++)
            t->dims[t->n_dims++] = n->outer->dims[d];
        return;
    }
    t->dims[t->n_dims++] = (TopologyDim){
        .size = n->count,
        .both_ways = TRUE,
        .shape =
            n->outer->n_dims == 1 && n->outer->dims[0].shape == TOPOLOGY_SWITCH
                ? TOPOLOGY_SWITCH
                : TOPOLOGY_OTHER,
    };
}

static void count_nics_per_node(Nested *n, const NestedParams *params)
{
    n->count = (uint32_t)params->count;
    n->rails = params->rails;
    n->n_inner = n->inner->n_npus;
    n->has_own_nics = n->inner->n_nics > 0;
    n->n_nics = n->has_own_nics ? n->inner->n_nics : (uint32_t)params->n_nics;
    n->n_outers = n->rails ? n->n_nics : 1;
}

/* Returns the number of ends of one outer topology. */
static uint64_t n_ends_of_outer_topology(const Nested *n)
{
    return (uint64_t)n->count * (n->rails ? 1 : n->n_nics);
}

/* Counts the parts of a node.  The result is valid even if the inner and outer
 * topologies do not fit, which check_nested_size() finds out. */
static void count_nested_nodes_and_ports(Nested *n)
{
    n->n_forwarders =
        n->inner->n_nodes - n->n_inner + (n->has_own_nics ? 0 : n->n_nics);
    n->node_ports =
        topology_n_links(n->inner) + (n->has_own_nics ? 0 : 2 * n->n_inner);
}

/* Finds the units.  The result is valid only if the inner and outer topologies
 * fit. */
static void find_nested_units(Nested *n)
{
    uint32_t n_next = n->rails ? 1 : n->n_nics;
    uint32_t outer_unit_ends = n->outer->symmetry.unit_ends;

    n->unit_nodes = n->count;
    if (outer_unit_ends == 1)
        n->unit_nodes = 1;
    else if (outer_unit_ends % n_next == 0)
        n->unit_nodes = MIN(outer_unit_ends / n_next, n->count);
    n->has_several_units = n->unit_nodes < n->count || outer_unit_ends == 1;
    n->n_outer_units = !n->has_several_units ? n->n_outers
                       : n->rails            ? n->n_nics
                                  : n->unit_nodes * n->n_nics / outer_unit_ends;
    n->outer_ports =
        n->has_several_units ? n->outer->n_ports : topology_n_links(n->outer);
}

static uint64_t n_ports_of_topology(const Nested *n)
{
    return (uint64_t)n->unit_nodes * n->node_ports +
           (uint64_t)n->n_outer_units * n->outer_ports;
}

static gboolean check_nested_size(const Nested *n, const ConfigNode *where,
                                  GError **error)
{
    uint64_t n_ports = n_ports_of_topology(n);
    uint64_t n_ends = n_ends_of_outer_topology(n);

    if (n->outer->n_npus != n_ends) {
        config_set_error(
            error, where, CONFIG_ERROR_CONFLICT,
            "outer: it joins %u ends, but %u nodes have %" G_GUINT64_FORMAT
            " NICs%s",
            n->outer->n_npus, n->count, n_ends,
            n->rails ? " on each rail" : "");
        return FALSE;
    }
    if ((uint64_t)n->count * n->n_inner > TOPOLOGY_MAX_NPUS ||
        n_ports > TOPOLOGY_MAX_PORTS ||
        n_ports * (n->count / n->unit_nodes) > TOPOLOGY_MAX_LINKS) {
        config_set_error(error, where, CONFIG_ERROR_RANGE,
                         "count: more than %u NPUs, or %u links of a node",
                         TOPOLOGY_MAX_NPUS, TOPOLOGY_MAX_PORTS);
        return FALSE;
    }
    if (n->inner->n_dims < TOPOLOGY_MAX_DIMS)
        return TRUE;
    config_set_error(error, where, CONFIG_ERROR_RANGE,
                     "inner: %u dimensions, and one of nodes, are more than %d",
                     n->inner->n_dims, TOPOLOGY_MAX_DIMS);
    return FALSE;
}

static gboolean nested_topology_init(Topology *t, const ConfigVariant *config,
                                     GError **error)
{
    const NestedParams *params = config->params;
    Nested *n = t->kind = g_new0(Nested, 1);

    n->inner = topology_new(&params->inner, error);
    if (!n->inner)
        return FALSE;
    count_nics_per_node(n, params);
    n->outer = topology_new_with_n_ends(
        &params->outer,
        (uint32_t)MIN(n_ends_of_outer_topology(n), TOPOLOGY_MAX_NPUS), error);
    if (!n->outer)
        return FALSE;
    count_nested_nodes_and_ports(n);
    find_nested_units(n);
    if (!check_nic_params(params, n, config->node, error) ||
        !check_nested_size(n, config->node, error))
        return FALSE;
    assign_nics_to_npus(n);
    t->n_npus = n->count * n->n_inner;
    n->first_outer = t->n_npus + n->count * n->n_forwarders;
    t->n_nodes =
        n->first_outer + n->n_outers * (n->outer->n_nodes - n->outer->n_npus);
    t->n_units = n->count / n->unit_nodes;
    set_nested_dimensions(t);
    nested_set_dims_with_switch_reduction(t);
    t->ports = g_new0(TopologyPort, n_ports_of_topology(n) + 1);
    add_nested_ports(t, params);
    set_nested_symmetry(t);
    add_limits_of_inner_and_outer(t);
    return TRUE;
}

const TopologyOps topology_nested = {
    .base = { .name = "nested",
              .summary = "nodes with a topology inside, whose NICs another one "
                         "joins, on rails or not",
              .fields = nested_fields,
              .size = sizeof(NestedParams) },
    .init = nested_topology_init,
    .free = nested_topology_free,
    .next = nested_next_link,
    .next_is_slow = TRUE,
    .get_link_nodes = nested_get_link_nodes,
    .node_reduces = nested_node_reduces,
    .is_dateline = nested_link_is_dateline,
};
