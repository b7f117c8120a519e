/* topology.c - the table of kinds, and functions common to all kinds */
#include "network/topology_impl.h"

/* To add a topology, add a file in topologies/ and a line here. */
#define TOPOLOGIES(X)                                                          \
    X(topology_torus)                                                          \
    X(topology_mesh)                                                           \
    X(topology_grid)                                                           \
    X(topology_switch)                                                         \
    X(topology_fully_connected)                                                \
    X(topology_fat_tree)                                                       \
    X(topology_graph)                                                          \
    X(topology_nested)

#define DECLARE(kind) extern const TopologyOps kind;
#define LIST(kind)    &kind.base,

TOPOLOGIES(DECLARE)
static const ConfigKind *const kinds[] = { TOPOLOGIES(LIST) NULL };

const ConfigRegistry topology_registry = { .noun = "topology", .kinds = kinds };

const char *const topology_shape_names[] = { "ring", "line", "switch", "full",
                                             NULL };

const char *const topology_reach_choices[] = { "auto", "near", "host",
                                               "network", NULL };

Topology *topology_new(const ConfigVariant *config, GError **error)
{
    return topology_new_with_n_ends(config, 0, error);
}

Topology *topology_new_with_n_ends(const ConfigVariant *config, uint32_t n_ends,
                                   GError **error)
{
    g_autoptr(Topology) topology = g_new0(Topology, 1);

    topology->n_ends = n_ends;
    topology->ops = (const TopologyOps *)(gconstpointer)config->kind;
    if (!topology->ops->init(topology, config, error))
        return NULL;
    g_assert(topology->n_npus > 0 && topology->n_units > 0);
    g_assert((SimWide)topology->n_units * topology->n_ports <=
             TOPOLOGY_MAX_LINKS);
    g_assert(topology->n_units * topology->symmetry.unit_ends ==
             topology->n_npus);
    if (topology->symmetry.part_ends == 0)
        topology->symmetry.part_ends = topology->symmetry.unit_ends;
    if (topology->symmetry.node_ends == 0)
        topology->symmetry.node_ends = topology->symmetry.unit_ends;
    for (uint32_t p = 0; p < topology->n_ports; p++)
        topology->planes |= TOPOLOGY_PLANE(topology->ports[p].reach);
    return g_steal_pointer(&topology);
}

void topology_free(Topology *topology)
{
    if (!topology)
        return;
    if (topology->ops->free)
        topology->ops->free(topology);
    for (uint32_t p = 0; topology->ports && p < topology->n_ports; p++)
        g_free((char *)(gpointer)topology->ports[p].name);
    for (uint32_t l = 0; topology->limits && l < topology->n_limits; l++) {
        g_free((char *)(gpointer)topology->limits[l].name);
        g_free((uint32_t *)(gpointer)topology->limits[l].ports);
    }
    g_free(topology->ports);
    g_free(topology->limits);
    g_free(topology);
}

gboolean topology_resolve_n_npus(const Topology *topology, uint64_t n_given,
                                 const ConfigNode *where, uint32_t *ret,
                                 GError **error)
{
    *ret = n_given != CONFIG_AUTO ? (uint32_t)n_given : topology->n_ends;
    if (*ret > 0)
        return TRUE;
    config_set_error(error, where, CONFIG_ERROR_MISSING_KEY,
                     "missing key 'npus' (how many it joins)");
    return FALSE;
}

void topology_set_port(TopologyPort *port, const char *name, uint32_t dim,
                       uint32_t n_links, const TopologyLink *link)
{
    SimWide payload =
        (SimWide)link->bandwidth_bytes_per_s * link->efficiency_ppm / 1000000;

    *port = (TopologyPort){
        .name = g_strdup(name),
        .dim = dim,
        .reach =
            link->reach > 0 ? (TopologyReach)(link->reach - 1) : TOPOLOGY_NEAR,
        .n_links = n_links,
        .bandwidth_bytes_per_s = link->bandwidth_bytes_per_s,
        .payload_bytes_per_s = (uint64_t)payload,
        .latency_ps = link->latency_ps,
    };
}

const Symmetry *topology_get_symmetry(const Topology *topology)
{
    return &topology->symmetry;
}

const char *topology_kind(const Topology *topology)
{
    return topology->ops->base.name;
}

uint32_t topology_n_npus(const Topology *topology)
{
    return topology->n_npus;
}

uint32_t topology_n_nodes(const Topology *topology)
{
    return topology->n_nodes;
}

uint32_t topology_n_dims(const Topology *topology)
{
    return topology->n_dims;
}

const TopologyDim *topology_dimension(const Topology *topology, uint32_t dim)
{
    g_assert(dim < topology->n_dims);
    return &topology->dims[dim];
}

uint32_t topology_n_ports(const Topology *topology)
{
    return topology->n_ports;
}

const TopologyPort *topology_get_port(const Topology *topology, uint32_t port)
{
    g_assert(port < topology->n_ports);
    return &topology->ports[port];
}

uint32_t topology_n_links(const Topology *topology)
{
    return topology->n_units * topology->n_ports;
}

uint32_t topology_n_limits(const Topology *topology)
{
    return topology->n_limits;
}

const TopologyLimit *topology_get_limit(const Topology *topology,
                                        uint32_t limit)
{
    g_assert(limit < topology->n_limits);
    return &topology->limits[limit];
}

gboolean topology_is_torus(const Topology *topology)
{
    return topology->is_torus;
}

gboolean topology_has_link_per_npu_pair(const Topology *topology)
{
    return topology->is_pairwise;
}

const TopologySwitchAdder *topology_in_switch_adder(const Topology *topology,
                                                    uint32_t dim)
{
    return topology->adds >> dim & 1 ? &topology->adders[dim] : NULL;
}

uint32_t topology_next_link(const Topology *topology, uint32_t node,
                            uint32_t dst, uint32_t path_id)
{
    return topology->ops->next(topology, node, dst, path_id);
}

gboolean topology_should_cache_next_links(const Topology *topology)
{
    return topology->ops->next_is_slow;
}

gboolean topology_get_link_nodes(const Topology *topology, uint32_t link,
                                 uint32_t *ret_from, uint32_t *ret_to)
{
    uint32_t unit = link / topology->n_ports, port = link % topology->n_ports;

    g_assert(unit < topology->n_units);
    if (topology->ops->get_link_nodes(topology, unit, port, ret_from, ret_to))
        return TRUE;
    *ret_from = *ret_to = TOPOLOGY_NONE;
    return FALSE;
}

uint32_t topology_link_target(const Topology *topology, uint32_t link)
{
    uint32_t from, to;

    (void)topology_get_link_nodes(topology, link, &from, &to);
    return to;
}
