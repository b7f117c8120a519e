/*
 * switch.c - all NPUs on one non-blocking switch
 *
 * The topology is a grid of one dimension.  A message goes up the links of its
 * sender and down those of its receiver.  The switch itself causes no
 * contention. A path has two hops, so its latency is twice that of a link.
 *
 * With `reduces`, the switch adds the messages of all NPUs and sends the sum
 * down to each of them, or gathers it.  This models the NVSwitches of Hopper
 * (NVLS) and InfiniBand switches with SHARP; see in_switch_reduction.h.  The
 * algorithm `in-switch` of the collectives uses it.
 */
#include "network/topologies/grid.h"

typedef struct {
    uint64_t n_npus;
    TopologyLink link;
    GridReductionParams adder;
} SwitchParams;

static const ConfigField switch_fields[] = {
    { .key = "npus",
      .help = "NPUs on the switch; in the outer topology of nested its NICs",
      .type = CONFIG_COUNT,
      .offset = offsetof(SwitchParams, n_npus),
      .min = 1,
      .max = TOPOLOGY_MAX_NPUS,
      .may_be_auto = TRUE,
      .fallback = CONFIG_AUTO_WORD,
      .source = "as many as nested has NICs; elsewhere it must be given" },
    TOPOLOGY_LINK_FIELDS(SwitchParams,
                         "from an NPU to the switch; as many come back"),
    GRID_ADDER_FIELDS(SwitchParams, ""),
    CONFIG_END,
};

static gboolean switch_topology_init(Topology *topology,
                                     const ConfigVariant *config,
                                     GError **error)
{
    const SwitchParams *params = config->params;
    GridDim dim = { .shape = TOPOLOGY_SWITCH,
                    .link = params->link,
                    .adder = params->adder };
    uint32_t n;

    if (!topology_resolve_n_npus(topology, params->n_npus, config->node, &n,
                                 error))
        return FALSE;
    dim.size = n;
    return grid_topology_init(topology, &dim, 1, NULL, config->node, error);
}

const TopologyOps topology_switch = {
    .base = { .name = "switch",
              .summary = "one non-blocking switch; two hops between any two",
              .fields = switch_fields,
              .size = sizeof(SwitchParams) },
    .init = switch_topology_init,
    GRID_OPS,
};
