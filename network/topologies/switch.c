/*
 * switch.c - every NPU on one non-blocking switch
 *
 * A message goes up its sender's links and down its receiver's; inside, the
 * switch is never in the way.  Two hops, so twice the latency of a link.
 */
#include "network/topology_impl.h"

typedef struct {
    uint64_t n_npus;
    TopologyLink link;
} SwitchParams;

enum { PORT_UP, PORT_DOWN, N_PORTS };

static const ConfigField switch_fields[] = {
    { .key = "npus",
      .help = "NPUs on the switch",
      .type = CONFIG_COUNT,
      .offset = offsetof(SwitchParams, n_npus),
      .min = 1,
      .max = TOPOLOGY_MAX_NPUS },
    TOPOLOGY_LINK_FIELDS(SwitchParams,
                         "from an NPU to the switch; as many come back"),
    CONFIG_END,
};

static gboolean switch_init(Topology *t, const ConfigVariant *config,
                            GError **error)
{
    const SwitchParams *params = config->params;
    uint32_t n_links = (uint32_t)params->link.n_links;

    (void)error;
    topology_set_group(t, (uint32_t)params->n_npus, N_PORTS);
    topology_set_port(&t->ports[PORT_UP], "up", 0, n_links, &params->link);
    topology_set_port(&t->ports[PORT_DOWN], "down", 0, n_links, &params->link);
    return TRUE;
}

static uint32_t switch_next(const Topology *t, uint32_t at, uint32_t dst,
                            uint32_t way, uint32_t *ret_port)
{
    (void)t;
    (void)way;
    *ret_port = at == TOPOLOGY_CORE ? PORT_DOWN : PORT_UP;
    return at == TOPOLOGY_CORE ? dst : at;
}

static uint32_t switch_end(const Topology *t, uint32_t owner, uint32_t port)
{
    (void)t;
    return port == PORT_UP ? TOPOLOGY_CORE : owner;
}

const TopologyOps topology_switch = {
    .base = { .name = "switch",
              .summary = "one non-blocking switch; two hops between any two",
              .fields = switch_fields,
              .size = sizeof(SwitchParams) },
    .init = switch_init,
    .next = switch_next,
    .end = switch_end,
    .relative = topology_relative_by_rotation,
};
