/* torus.c - a grid topology whose dimensions are all rings */
#include "network/topologies/grid.h"

static const ConfigField dim_fields[] = {
    GRID_SIZE_FIELD,
    GRID_DIRECTION_FIELD(""),
    TOPOLOGY_LINK_FIELDS(GridDimParams,
                         "out of an NPU; `direction: both` shares them, so "
                         "it wants an even number"),
    CONFIG_END,
};

static const ConfigField dim_item = GRID_DIM_ITEM(dim_fields);

static const ConfigField torus_fields[] = {
    GRID_DIMS_FIELD(dim_item),
    CONFIG_END,
};

static gboolean torus_topology_init(Topology *topology,
                                    const ConfigVariant *config, GError **error)
{
    return grid_topology_init_from_list(topology, config, TOPOLOGY_RING, error);
}

const TopologyOps topology_torus = {
    .base = { .name = "torus",
              .summary = "rings in 1 to 5 dimensions; dimension-order routing",
              .fields = torus_fields,
              .size = sizeof(GridParams) },
    .init = torus_topology_init,
    GRID_OPS,
};
