/*
 * hub.c - an example of a topology without symmetry
 *
 * NPU 0 has a link to each other NPU and a link back, and forwards messages
 * between the others.  NPU 0 differs from the others, so symmetry reduction is
 * impossible: all NPUs and their links form one unit.
 */
#include "network/topology_impl.h"

#define MAX_NPUS 1024

typedef struct {
    uint64_t n_npus;
    TopologyLink link;
} HubParams;

static const ConfigField hub_fields[] = {
    { .key = "npus",
      .help = "NPUs, the hub included",
      .type = CONFIG_COUNT,
      .offset = offsetof(HubParams, n_npus),
      .min = 2,
      .max = MAX_NPUS },
    TOPOLOGY_LINK_FIELDS(HubParams, "from the hub to an NPU; as many go back"),
    CONFIG_END,
};

/* Initialises the ports.  Port 2 (i - 1) leads from the hub to NPU i, and the
 * next port leads back. */
static gboolean hub_init(Topology *t, const ConfigVariant *config,
                         GError **error)
{
    const HubParams *params = config->params;
    uint32_t n = (uint32_t)params->n_npus;

    (void)error;
    t->n_npus = t->n_nodes = n;
    t->n_units = t->n_dims = 1;
    t->dims[0] = (TopologyDim){ .size = n, .shape = TOPOLOGY_OTHER };
    t->symmetry = (Symmetry){ .n_dims = 1, .dims[0].size = 1, .unit_ends = n };
    t->ports = g_new0(TopologyPort, 2 * (gsize)(n - 1));
    for (uint32_t i = 1; i < n; i++) {
        g_autofree char *spoke = g_strdup_printf("spoke%u", i);
        g_autofree char *back = g_strdup_printf("back%u", i);

        topology_set_port(&t->ports[t->n_ports++], spoke, 0,
                          (uint32_t)params->link.n_links, &params->link);
        topology_set_port(&t->ports[t->n_ports++], back, 0,
                          (uint32_t)params->link.n_links, &params->link);
    }
    return TRUE;
}

static uint32_t hub_next(const Topology *t, uint32_t at, uint32_t dst,
                         uint32_t way)
{
    (void)t;
    (void)way;
    return at == 0 ? 2 * (dst - 1) : 2 * (at - 1) + 1;
}

static gboolean hub_joins(const Topology *t, uint32_t unit, uint32_t port,
                          uint32_t *ret_from, uint32_t *ret_to)
{
    uint32_t i = port / 2 + 1;

    (void)t;
    (void)unit;
    *ret_from = port % 2 == 0 ? 0 : i;
    *ret_to = port % 2 == 0 ? i : 0;
    return TRUE;
}

const TopologyOps topology_hub = {
    .base = { .name = "hub",
              .summary = "a toy: one NPU in the middle of all others",
              .fields = hub_fields,
              .size = sizeof(HubParams) },
    .init = hub_init,
    .next = hub_next,
    .get_link_nodes = hub_joins,
};
