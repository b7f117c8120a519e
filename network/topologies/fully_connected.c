/*
 * fully_connected.c - a topology with a link from every NPU to every other NPU
 *
 * Port p of NPU i leads to NPU (i + p + 1) mod n.  The topology is a grid of
 * one dimension.
 */
#include "network/topologies/grid.h"

typedef struct {
    uint64_t n_npus;
    TopologyLink link;
} FullParams;

static const ConfigField full_fields[] = {
    { .key = "npus",
      .help = "NPUs, each joined to all others",
      .type = CONFIG_COUNT,
      .offset = offsetof(FullParams, n_npus),
      .min = 1,
      .max = GRID_MAX_FULL },
    TOPOLOGY_LINK_FIELDS(FullParams, "from an NPU to each other"),
    CONFIG_END,
};

static gboolean fully_connected_init(Topology *topology,
                                     const ConfigVariant *config,
                                     GError **error)
{
    const FullParams *params = config->params;
    const GridDim dim = { .shape = TOPOLOGY_FULL,
                          .size = params->n_npus,
                          .link = params->link };

    return grid_topology_init(topology, &dim, 1, NULL, config->node, error);
}

const TopologyOps topology_fully_connected = {
    .base = { .name = "fully-connected",
              .summary = "a link between any two NPUs; one hop",
              .fields = full_fields,
              .size = sizeof(FullParams) },
    .init = fully_connected_init,
    GRID_OPS,
};
