#include "network/topology_impl.h"

/* To add a topology, add a file in topologies/ and a line here. */
static const ConfigKind *const kinds[] = {
    &topology_torus.base,
    &topology_switch.base,
    &topology_fully_connected.base,
    NULL,
};

const ConfigRegistry topology_registry = { "topology", kinds };

Topology *topology_new(const ConfigVariant *config, GError **error)
{
    g_autoptr(Topology) topology = g_new0(Topology, 1);

    topology->ops = (const TopologyOps *)(gconstpointer)config->kind;
    if (!topology->ops->init(topology, config, error))
        return NULL;
    return g_steal_pointer(&topology);
}

void topology_free(Topology *topology)
{
    if (!topology)
        return;
    for (uint32_t p = 0; p < topology->n_ports; p++)
        g_free((char *)(gpointer)topology->ports[p].name);
    g_free(topology->ports);
    g_free(topology);
}

void topology_set_port(TopologyPort *port, const char *name, uint32_t dim,
                       uint32_t n_links, const TopologyLink *link)
{
    SimWide payload =
        (SimWide)link->bandwidth_bytes_per_s * link->efficiency_ppm / 1000000;

    *port = (TopologyPort){
        .name = g_strdup(name),
        .dim = dim,
        .n_links = n_links,
        .bandwidth_bytes_per_s = link->bandwidth_bytes_per_s,
        .payload_bytes_per_s = (uint64_t)payload,
        .latency_ps = link->latency_ps,
    };
}

void topology_set_group(Topology *topology, uint32_t n, uint32_t n_ports)
{
    topology->n_npus = n;
    topology->n_dims = 1;
    topology->dims[0] = (TopologyDim){ .size = n, .both_ways = TRUE };
    topology->strides[0] = 1;
    topology_offer_translations(topology);
    topology->n_ports = n_ports;
    topology->ports = g_new0(TopologyPort, n_ports);
}

void topology_offer_translations(Topology *topology)
{
    Symmetry *symmetry = &topology->symmetry;

    symmetry->unit_ends = 1;
    symmetry->n_dims = topology->n_dims;
    for (uint32_t d = 0; d < topology->n_dims; d++) {
        symmetry->dims[d].size = topology->dims[d].size;
        symmetry->dims[d].translates = TRUE;
    }
}

const Symmetry *topology_symmetry(const Topology *topology)
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

uint32_t topology_n_dims(const Topology *topology)
{
    return topology->n_dims;
}

const TopologyDim *topology_dim(const Topology *topology, uint32_t dim)
{
    g_assert(dim < topology->n_dims);
    return &topology->dims[dim];
}

uint32_t topology_n_ports(const Topology *topology)
{
    return topology->n_ports;
}

const TopologyPort *topology_port(const Topology *topology, uint32_t port)
{
    g_assert(port < topology->n_ports);
    return &topology->ports[port];
}

gboolean topology_is_torus(const Topology *topology)
{
    return topology->ops->is_torus;
}

gboolean topology_is_pairwise(const Topology *topology)
{
    return topology->ops->is_pairwise;
}

const TopologyAdder *topology_adder(const Topology *topology)
{
    return topology->reduces ? &topology->adder : NULL;
}

uint32_t topology_next(const Topology *topology, uint32_t at, uint32_t dst,
                       uint32_t way, uint32_t *ret_port)
{
    return topology->ops->next(topology, at, dst, way, ret_port);
}

uint32_t topology_end(const Topology *topology, uint32_t owner, uint32_t port)
{
    return topology->ops->end(topology, owner, port);
}
