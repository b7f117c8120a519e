/*
 * mesh.c - a grid of lines: a torus without wrap-around links
 *
 * No NPU represents another, as the NPUs at the ends of lines have fewer links.
 */
#include "network/topologies/grid.h"

static const ConfigField dim_fields[] = {
    GRID_SIZE_FIELD,
    TOPOLOGY_LINK_FIELDS(GridDimParams,
                         "out of an NPU, shared between both directions, so it "
                         "wants an even number"),
    CONFIG_END,
};

static const ConfigField dim_item = GRID_DIM_ITEM(dim_fields);

static const ConfigField mesh_fields[] = {
    GRID_DIMS_FIELD(dim_item),
    CONFIG_END,
};

static gboolean mesh_topology_init(Topology *topology,
                                   const ConfigVariant *config, GError **error)
{
    return grid_topology_init_from_list(topology, config, TOPOLOGY_LINE, error);
}

const TopologyOps topology_mesh = {
    .base = { .name = "mesh",
              .summary = "lines in 1 to 5 dimensions: a torus that does not "
                         "close; dimension-order routing",
              .fields = mesh_fields,
              .size = sizeof(GridParams) },
    .init = mesh_topology_init,
    GRID_OPS,
};
