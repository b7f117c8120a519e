/*
 * switch.c - every NPU on one non-blocking switch
 *
 * A grid of one dimension.  A message goes up its sender's links and down its
 * receiver's; inside, the switch is never in the way.  Two hops, so twice the
 * latency of a link.
 *
 * With `reduces` it adds what all NPUs send up and sends the sum down to each
 * (or gathers it), as the NVSwitches of Hopper (NVLS) and InfiniBand switches
 * with SHARP do; meeting.h has the model.  Collectives use that by the
 * algorithm `in-switch`.
 */
#include "network/topologies/grid.h"

typedef struct {
    uint64_t n_npus;
    TopologyLink link;
    gboolean reduces;
    uint64_t reduce_bytes_per_s, reduce_latency_ps;
} SwitchParams;

static const ConfigField switch_fields[] = {
    { .key = "npus",
      .help =
          "NPUs on the switch; 0, in the outer topology of nested: its NICs",
      .type = CONFIG_COUNT,
      .offset = offsetof(SwitchParams, n_npus),
      .max = TOPOLOGY_MAX_NPUS,
      .fallback = "0",
      .source = "as many as there are" },
    TOPOLOGY_LINK_FIELDS(SwitchParams,
                         "from an NPU to the switch; as many come back"),
    { .key = "reduces",
      .help = "the switch adds what all NPUs send, and multicasts",
      .type = CONFIG_BOOL,
      .offset = offsetof(SwitchParams, reduces),
      .fallback = "false",
      .source = "no more than a crossbar" },
    { .key = "reduce_rate",
      .help = "bytes of every port that it adds a second; 0: as fast as the "
              "links bring them",
      .type = CONFIG_BANDWIDTH,
      .offset = offsetof(SwitchParams, reduce_bytes_per_s),
      .max = UINT64_C(1000000000000000),
      .fallback = "0 GB/s",
      .source = "assumed: NVLS keeps up with its links" },
    { .key = "reduce_latency",
      .help = "between the last message's head and the sum's",
      .type = CONFIG_TIME,
      .offset = offsetof(SwitchParams, reduce_latency_ps),
      .max = UINT64_C(1000000000000),
      .fallback = "0 ns",
      .source = "assumed: within the latency of the links" },
    CONFIG_END,
};

static gboolean switch_init(Topology *t, const ConfigVariant *config,
                            GError **error)
{
    const SwitchParams *params = config->params;
    GridDim dim = { .shape = TOPOLOGY_SWITCH, .link = params->link };
    uint32_t n;

    if (!topology_n_joined(t, params->n_npus, config->node, &n, error))
        return FALSE;
    dim.size = n;
    if (!grid_init(t, &dim, 1, NULL, config->node, error))
        return FALSE;
    t->reduces = params->reduces;
    t->adder = (TopologyAdder){ n, params->reduce_bytes_per_s,
                                params->reduce_latency_ps };
    return TRUE;
}

const TopologyOps topology_switch = {
    .base = { .name = "switch",
              .summary = "one non-blocking switch; two hops between any two",
              .fields = switch_fields,
              .size = sizeof(SwitchParams) },
    .init = switch_init,
    GRID_OPS,
};
