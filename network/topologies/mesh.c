/*
 * mesh.c - the grid of lines: a torus without its wrap-around links
 *
 * No NPU stands for another: those at the ends have fewer links.
 */
#include "network/topologies/grid.h"

typedef struct {
    uint64_t size;
    TopologyLink link;
} DimParams;

typedef struct {
    ConfigList dims; /* of DimParams */
} MeshParams;

static const ConfigField dim_fields[] = {
    { .key = "size",
      .help = "NPUs in this dimension",
      .type = CONFIG_COUNT,
      .offset = offsetof(DimParams, size),
      .min = 1,
      .max = TOPOLOGY_MAX_NPUS },
    TOPOLOGY_LINK_FIELDS(DimParams,
                         "out of an NPU, shared between both directions, so it "
                         "wants an even number"),
    CONFIG_END,
};

static const ConfigField dim_item = {
    .key = "dim",
    .help = "one dimension",
    .type = CONFIG_SECTION,
    .fields = dim_fields,
};

static const ConfigField mesh_fields[] = {
    { .key = "dims",
      .help = "dimensions, the fastest (innermost) first",
      .type = CONFIG_LIST,
      .offset = offsetof(MeshParams, dims),
      .min = 1,
      .max = TOPOLOGY_MAX_DIMS,
      .item = &dim_item,
      .item_size = sizeof(DimParams) },
    CONFIG_END,
};

static gboolean init(Topology *t, const ConfigVariant *config, GError **error)
{
    const MeshParams *params = config->params;
    const DimParams *given = params->dims.items;
    GridDim dims[TOPOLOGY_MAX_DIMS];

    for (guint d = 0; d < params->dims.n; d++)
        dims[d] = (GridDim){ .shape = TOPOLOGY_LINE,
                             .size = given[d].size,
                             .link = given[d].link };
    return grid_init(t, dims, params->dims.n, "dim", params->dims.node, error);
}

const TopologyOps topology_mesh = {
    .base = { .name = "mesh",
              .summary = "lines in 1 to 5 dimensions: a torus that does not "
                         "close; dimension-order routing",
              .fields = mesh_fields,
              .size = sizeof(MeshParams) },
    .init = init,
    GRID_OPS,
};
