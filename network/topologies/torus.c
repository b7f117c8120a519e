/* torus.c - the grid of rings */
#include "network/topologies/grid.h"

typedef struct {
    uint64_t size;
    int direction; /* Direction */
    TopologyLink link;
} DimParams;

typedef struct {
    ConfigList dims; /* of DimParams */
} TorusParams;

typedef enum {
    BOTH_WAYS,
    ONE_WAY,
} Direction;

static const char *const direction_names[] = { "both", "one", NULL };

static const ConfigField dim_fields[] = {
    { .key = "size",
      .help = "NPUs in this dimension",
      .type = CONFIG_COUNT,
      .offset = offsetof(DimParams, size),
      .min = 1,
      .max = TOPOLOGY_MAX_NPUS },
    { .key = "direction",
      .help = "whether the links are shared between + and - or all go +",
      .type = CONFIG_ENUM,
      .offset = offsetof(DimParams, direction),
      .names = direction_names,
      .fallback = "both",
      .source = "assumed: rings of full-duplex cables" },
    TOPOLOGY_LINK_FIELDS(DimParams,
                         "out of an NPU; `direction: both` shares them, so "
                         "it wants an even number"),
    CONFIG_END,
};

static const ConfigField dim_item = {
    .key = "dim",
    .help = "one dimension",
    .type = CONFIG_SECTION,
    .fields = dim_fields,
};

static const ConfigField torus_fields[] = {
    { .key = "dims",
      .help = "dimensions, the fastest (innermost) first",
      .type = CONFIG_LIST,
      .offset = offsetof(TorusParams, dims),
      .min = 1,
      .max = TOPOLOGY_MAX_DIMS,
      .item = &dim_item,
      .item_size = sizeof(DimParams) },
    CONFIG_END,
};

static gboolean init(Topology *t, const ConfigVariant *config, GError **error)
{
    const TorusParams *params = config->params;
    const DimParams *given = params->dims.items;
    GridDim dims[TOPOLOGY_MAX_DIMS];

    for (guint d = 0; d < params->dims.n; d++)
        dims[d] = (GridDim){
            .shape = TOPOLOGY_RING,
            .size = given[d].size,
            .one_way = given[d].direction == ONE_WAY,
            .link = given[d].link,
        };
    return grid_init(t, dims, params->dims.n, "dim", params->dims.node, error);
}

const TopologyOps topology_torus = {
    .base = { .name = "torus",
              .summary = "rings in 1 to 5 dimensions; dimension-order routing",
              .fields = torus_fields,
              .size = sizeof(TorusParams) },
    .init = init,
    GRID_OPS,
};
