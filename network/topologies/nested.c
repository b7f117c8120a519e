/* nested.c - the construction of a topology of nodes that each contain a
 * topology; see nested.h */
#include <string.h>

#include "network/topologies/nested.h"

/* ---- NICs ------------------------------------------------------------- */

static uint32_t count_hops_between_nodes(const Topology *topology,
                                         uint32_t node, uint32_t to)
{
    uint32_t n = 0;

    for (; node != to; n++)
        node = topology_link_target(topology,
                                    topology_next_link(topology, node, to, 0));
    return n;
}

/* Returns a NIC of the graph with the fewest hops from @npu.  If there are
 * several, neighbouring NPUs get successive ones. */
static uint32_t find_nearest_nic(const Nested *nested, uint32_t npu)
{
    g_autofree uint32_t *nearest = g_new(uint32_t, nested->n_nics);
    uint32_t n_nearest = 0, least = UINT32_MAX;

    for (uint32_t nic = 0; nic < nested->n_nics; nic++) {
        uint32_t n_hops =
            count_hops_between_nodes(nested->inner, npu, nested->n_inner + nic);

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
static void assign_nics_to_npus(Nested *nested)
{
    nested->nic_of = g_new(uint32_t, nested->n_inner);
    for (uint32_t npu = 0; npu < nested->n_inner; npu++)
        nested->nic_of[npu] =
            nested->has_own_nics
                ? find_nearest_nic(nested, npu)
                : (uint32_t)((uint64_t)npu * nested->n_nics / nested->n_inner);
}

static gboolean check_nic_params(const NestedParams *params,
                                 const Nested *nested, const ConfigNode *where,
                                 GError **error)
{
    const char *wrong = NULL;

    if (nested->has_own_nics && params->n_nics > 0)
        wrong = "nics: the inner graph has nodes of kind nic already";
    else if (!nested->has_own_nics && params->n_nics == 0)
        wrong = "nics: the inner topology has none, so say how many to add";
    else if (!nested->has_own_nics && params->n_nics > nested->n_inner)
        wrong = "nics: more than NPUs in a node";
    else if (!nested->has_own_nics &&
             params->nic.link.bandwidth_bytes_per_s < 1000)
        wrong = "nic: its bandwidth is missing";
    if (wrong)
        config_set_error(error, where, CONFIG_ERROR_CONFLICT, "%s", wrong);
    return wrong == NULL;
}

/* ---- construction ----------------------------------------------------- */

static void add_copied_port(Topology *topology, uint32_t d,
                            const TopologyPort *port, const char *prefix,
                            uint32_t number)
{
    TopologyPort *added = &topology->ports[topology->n_ports++];

    *added = *port;
    added->dim = d;
    added->part = added->part_stride = 0;
    added->name = prefix
                      ? g_strdup_printf("%s%u.%s", prefix, number, port->name)
                      : g_strdup(port->name);
}

/* Adds the first @n_links links of the inner or outer topology @source as ports
 * of the nested topology.  Dimension 0 of @source becomes @first_dim. */
static void copy_ports_of_topology(Topology *topology, const Topology *source,
                                   uint32_t n_links, uint32_t first_dim,
                                   const char *prefix)
{
    for (uint32_t link = 0; link < n_links; link++) {
        const TopologyPort *port = &source->ports[link % source->n_ports];
        uint32_t d = MIN(first_dim + port->dim, topology->n_dims - 1);

        add_copied_port(topology, d, port, source->n_units > 1 ? prefix : NULL,
                        link / source->n_ports * source->symmetry.unit_ends);
    }
}

static void add_nested_nic_ports(Topology *topology, const Nested *nested,
                                 const NicParams *nic)
{
    for (uint32_t p = 0; !nested->has_own_nics && p < 2 * nested->n_inner;
         p++) {
        uint32_t npu = p / 2, to = nested->nic_of[npu];
        g_autofree char *name = p % 2 == 0
                                    ? g_strdup_printf("npu%u-nic%u", npu, to)
                                    : g_strdup_printf("nic%u-npu%u", to, npu);

        topology_set_port(&topology->ports[topology->n_ports++], name,
                          nested->inner->n_dims, (uint32_t)nic->link.n_links,
                          &nic->link);
        topology->ports[topology->n_ports - 1].reach = TOPOLOGY_HOST;
    }
}

/* Prepends "@word@number." to the names of all ports from @first on. */
static void prefix_port_names(Topology *topology, uint32_t first,
                              const char *word, uint32_t number)
{
    for (uint32_t p = first; p < topology->n_ports; p++) {
        char *name = (char *)(gpointer)topology->ports[p].name;

        topology->ports[p].name =
            g_strdup_printf("%s%u.%s", word, number, name);
        g_free(name);
    }
}

static void add_nested_ports(Topology *topology, const NestedParams *params)
{
    const Nested *nested = topology->kind;
    gboolean is_nic = nested->outer->symmetry.unit_ends == 1;

    for (uint32_t node = 0; node < nested->unit_nodes; node++) {
        uint32_t first = topology->n_ports;

        copy_ports_of_topology(topology, nested->inner,
                               topology_n_links(nested->inner), 0, "npu");
        add_nested_nic_ports(topology, nested, &params->nic);
        if (nested->unit_nodes > 1)
            prefix_port_names(topology, first, "node", node);
    }
    for (uint32_t i = 0; i < nested->n_outer_units; i++) {
        uint32_t first = topology->n_ports;

        copy_ports_of_topology(topology, nested->outer, nested->outer_ports,
                               nested->inner->n_dims,
                               nested->has_several_units ? NULL : "end");
        prefix_port_names(topology, first, is_nic ? "nic" : "outer", i);
        for (uint32_t p = first; p < topology->n_ports; p++)
            topology->ports[p].reach = TOPOLOGY_NETWORK;
    }
}

/* Adds the limits of all symmetric units of @source, whose links begin at port
 * @first. */
static void copy_limits_of_topology(Topology *topology, const Topology *source,
                                    uint32_t first)
{
    for (uint32_t i = 0; i < source->n_units * source->n_limits; i++) {
        const TopologyLimit *limit = &source->limits[i % source->n_limits];
        uint32_t *ports = g_new(uint32_t, limit->n_ports);

        for (uint32_t p = 0; p < limit->n_ports; p++)
            ports[p] = first + i / source->n_limits * source->n_ports +
                       limit->ports[p];
        topology->limits =
            g_renew(TopologyLimit, topology->limits, topology->n_limits + 1);
        topology->limits[topology->n_limits] = *limit;
        topology->limits[topology->n_limits].name = g_strdup(limit->name);
        topology->limits[topology->n_limits++].ports = ports;
    }
}

static void add_limits_of_inner_and_outer(Topology *topology)
{
    const Nested *nested = topology->kind;

    for (uint32_t node = 0; node < nested->unit_nodes; node++)
        copy_limits_of_topology(topology, nested->inner,
                                node * nested->node_ports);
    for (uint32_t o = 0; !nested->has_several_units && o < nested->n_outers;
         o++)
        copy_limits_of_topology(topology, nested->outer,
                                nested->count * nested->node_ports +
                                    o * nested->outer_ports);
}

/* Returns whether the inner symmetries also hold for the nodes: each NPU has a
 * NIC of its own, which reaches equal links, and no two NPUs share a limit or
 * the adder of an outer switch.  The ends of a leaf of a fat tree reach links
 * that differ, so there each NPU needs a rail. */
static gboolean npus_of_node_are_equivalent(const Nested *nested)
{
    return nested->inner->symmetry.unit_ends == 1 && !nested->has_own_nics &&
           nested->n_nics == nested->n_inner && nested->inner->n_limits == 0 &&
           nested->outer->n_limits == 0 &&
           (nested->rails || (nested->outer->symmetry.any_order &&
                              nested->outer->symmetry.unit_ends == 1 &&
                              nested->outer->adds == 0));
}

/* Sets the parts of the @n_links links from port @first on, which belong
 * alternately to the NPUs of a node. The first of these is part @first_part. */
static void set_symmetric_part_of_ports(Topology *topology, uint32_t first,
                                        uint32_t n_links, uint32_t first_part)
{
    const Nested *nested = topology->kind;
    uint32_t n_of_part = n_links / nested->n_inner;

    for (uint32_t p = 0; p < n_links; p++) {
        topology->ports[first + p].part = first_part + p / n_of_part;
        topology->ports[first + p].part_stride = n_of_part;
    }
}

/* Inserts the dimensions within a unit before those of units: those of the
 * inner topology, and the nodes of the unit. */
static void insert_unit_dimensions(Topology *topology)
{
    const Nested *nested = topology->kind;
    const Symmetry *inner = &nested->inner->symmetry;
    uint32_t n_unit_dims = inner->n_dims + (nested->unit_nodes > 1 ? 1 : 0);

    memmove(topology->symmetry.dims + n_unit_dims, topology->symmetry.dims,
            topology->symmetry.n_dims * sizeof topology->symmetry.dims[0]);
    memcpy(topology->symmetry.dims, inner->dims,
           inner->n_dims * sizeof inner->dims[0]);
    if (nested->unit_nodes > 1) {
        topology->symmetry.dims[inner->n_dims].size = nested->unit_nodes;
        topology->symmetry.dims[inner->n_dims].translates = FALSE;
    }
    topology->symmetry.n_dims += n_unit_dims;
}

/* Makes each NPU of a node, with its links, a symmetric part. */
static void make_npus_symmetric_parts(Topology *topology)
{
    const Nested *nested = topology->kind;
    uint32_t n_inner_links = topology_n_links(nested->inner);

    insert_unit_dimensions(topology);
    topology->symmetry.part_ends = 1;
    topology->symmetry.any_part_order = nested->inner->symmetry.any_order;
    for (uint32_t node = 0; node < nested->unit_nodes; node++) {
        uint32_t first = node * nested->node_ports;

        set_symmetric_part_of_ports(topology, first, n_inner_links,
                                    node * nested->n_inner);
        set_symmetric_part_of_ports(topology, first + n_inner_links,
                                    2 * nested->n_inner,
                                    node * nested->n_inner);
    }
    set_symmetric_part_of_ports(topology,
                                nested->unit_nodes * nested->node_ports,
                                nested->n_outer_units * nested->outer_ports, 0);
}

/* Sets the symmetries of the topology.  A unit is the set of nodes whose NICs
 * form one outer unit, and units are as symmetric as the outer units are.  If
 * each NIC is an outer unit of its own, the NICs of a node must be neighbours
 * in the first dimension. */
static void set_nested_symmetry(Topology *topology)
{
    const Nested *nested = topology->kind;
    uint32_t n_next = nested->rails ? 1 : nested->n_nics;
    gboolean has_outer_symmetry = nested->has_several_units;

    topology->symmetry = nested->outer->symmetry;
    topology->symmetry.unit_ends = topology->symmetry.part_ends =
        nested->unit_nodes * nested->n_inner;
    topology->symmetry.node_ends = nested->n_inner;
    topology->symmetry.any_part_order = FALSE;
    if (nested->outer->symmetry.unit_ends == 1) {
        has_outer_symmetry = topology->symmetry.dims[0].size % n_next == 0;
        topology->symmetry.dims[0].size /= n_next;
    }
    if (!has_outer_symmetry) {
        topology->symmetry.any_order = FALSE;
        topology->symmetry.n_dims = 1;
        topology->symmetry.dims[0].size = topology->n_units;
        topology->symmetry.dims[0].translates = FALSE;
    }
    if (npus_of_node_are_equivalent(nested))
        make_npus_symmetric_parts(topology);
}

/* Sets the dimensions of a nested topology: those of the inner topology, then
 * those of the grid of nodes. */
static void set_nested_dimensions(Topology *topology)
{
    const Nested *nested = topology->kind;
    gboolean one_by_one = nested->outer->n_npus == nested->count;

    topology->n_dims = nested->inner->n_dims;
    memcpy(topology->dims, nested->inner->dims, sizeof topology->dims);
    if (one_by_one &&
        topology->n_dims + nested->outer->n_dims <= TOPOLOGY_MAX_DIMS) {
        for (uint32_t d = 0; d < nested->outer->n_dims; d++)
            topology->dims[topology->n_dims++] = nested->outer->dims[d];
        return;
    }
    topology->dims[topology->n_dims++] = (TopologyDim){
        .size = nested->count,
        .both_ways = TRUE,
        .shape = nested->outer->n_dims == 1 &&
                         nested->outer->dims[0].shape == TOPOLOGY_SWITCH
                     ? TOPOLOGY_SWITCH
                     : TOPOLOGY_OTHER,
    };
}

static void count_nics_per_node(Nested *nested, const NestedParams *params)
{
    nested->count = (uint32_t)params->count;
    nested->rails = params->rails;
    nested->n_inner = nested->inner->n_npus;
    nested->has_own_nics = nested->inner->n_nics > 0;
    nested->n_nics =
        nested->has_own_nics ? nested->inner->n_nics : (uint32_t)params->n_nics;
    nested->n_outers = nested->rails ? nested->n_nics : 1;
}

/* Returns the number of ends of one outer topology. */
static uint64_t n_ends_of_outer_topology(const Nested *nested)
{
    return (uint64_t)nested->count * (nested->rails ? 1 : nested->n_nics);
}

/* Counts the parts of a node.  The result is valid even if the inner and outer
 * topologies do not fit, which check_nested_size() finds out. */
static void count_nested_nodes_and_ports(Nested *nested)
{
    nested->n_forwarders = nested->inner->n_nodes - nested->n_inner +
                           (nested->has_own_nics ? 0 : nested->n_nics);
    nested->node_ports = topology_n_links(nested->inner) +
                         (nested->has_own_nics ? 0 : 2 * nested->n_inner);
}

/* Finds the units.  The result is valid only if the inner and outer topologies
 * fit. */
static void count_nested_symmetry_units(Nested *nested)
{
    uint32_t n_next = nested->rails ? 1 : nested->n_nics;
    uint32_t outer_unit_ends = nested->outer->symmetry.unit_ends;

    nested->unit_nodes = nested->count;
    if (outer_unit_ends == 1)
        nested->unit_nodes = 1;
    else if (outer_unit_ends % n_next == 0)
        nested->unit_nodes = MIN(outer_unit_ends / n_next, nested->count);
    nested->has_several_units =
        nested->unit_nodes < nested->count || outer_unit_ends == 1;
    nested->n_outer_units =
        !nested->has_several_units ? nested->n_outers
        : nested->rails            ? nested->n_nics
                        : nested->unit_nodes * nested->n_nics / outer_unit_ends;
    nested->outer_ports = nested->has_several_units
                              ? nested->outer->n_ports
                              : topology_n_links(nested->outer);
}

static uint64_t n_ports_of_topology(const Nested *nested)
{
    return (uint64_t)nested->unit_nodes * nested->node_ports +
           (uint64_t)nested->n_outer_units * nested->outer_ports;
}

static gboolean check_nested_size(const Nested *nested, const ConfigNode *where,
                                  GError **error)
{
    uint64_t n_ports = n_ports_of_topology(nested);
    uint64_t n_ends = n_ends_of_outer_topology(nested);

    if (nested->outer->n_npus != n_ends) {
        config_set_error(
            error, where, CONFIG_ERROR_CONFLICT,
            "outer: it joins %u ends, but %u nodes have %" G_GUINT64_FORMAT
            " NICs%s",
            nested->outer->n_npus, nested->count, n_ends,
            nested->rails ? " on each rail" : "");
        return FALSE;
    }
    if ((uint64_t)nested->count * nested->n_inner > TOPOLOGY_MAX_NPUS ||
        n_ports > TOPOLOGY_MAX_PORTS ||
        n_ports * (nested->count / nested->unit_nodes) > TOPOLOGY_MAX_LINKS) {
        config_set_error(error, where, CONFIG_ERROR_RANGE,
                         "count: more than %u NPUs, or %u links of a node",
                         TOPOLOGY_MAX_NPUS, TOPOLOGY_MAX_PORTS);
        return FALSE;
    }
    if (nested->inner->n_dims < TOPOLOGY_MAX_DIMS)
        return TRUE;
    config_set_error(error, where, CONFIG_ERROR_RANGE,
                     "inner: %u dimensions, and one of nodes, are more than %d",
                     nested->inner->n_dims, TOPOLOGY_MAX_DIMS);
    return FALSE;
}

static gboolean nested_topology_init(Topology *topology,
                                     const ConfigVariant *config,
                                     GError **error)
{
    const NestedParams *params = config->params;
    Nested *nested = topology->kind = g_new0(Nested, 1);

    nested->inner = topology_new(&params->inner, error);
    if (!nested->inner)
        return FALSE;
    count_nics_per_node(nested, params);
    nested->outer = topology_new_with_n_ends(
        &params->outer,
        (uint32_t)MIN(n_ends_of_outer_topology(nested), TOPOLOGY_MAX_NPUS),
        error);
    if (!nested->outer)
        return FALSE;
    count_nested_nodes_and_ports(nested);
    count_nested_symmetry_units(nested);
    if (!check_nic_params(params, nested, config->node, error) ||
        !check_nested_size(nested, config->node, error))
        return FALSE;
    assign_nics_to_npus(nested);
    topology->n_npus = nested->count * nested->n_inner;
    nested->first_outer =
        topology->n_npus + nested->count * nested->n_forwarders;
    topology->n_nodes =
        nested->first_outer +
        nested->n_outers * (nested->outer->n_nodes - nested->outer->n_npus);
    topology->n_units = nested->count / nested->unit_nodes;
    set_nested_dimensions(topology);
    nested_set_dims_with_switch_reduction(topology);
    topology->ports = g_new0(TopologyPort, n_ports_of_topology(nested) + 1);
    add_nested_ports(topology, params);
    set_nested_symmetry(topology);
    add_limits_of_inner_and_outer(topology);
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
    .node_reduces = nested_node_can_reduce,
    .is_dateline = nested_link_is_dateline,
};
