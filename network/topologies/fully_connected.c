/*
 * fully_connected.c - a link from every NPU to every other
 *
 * Port p of an NPU leads to the NPU p + 1 further on, mod n.
 */
#include "network/topology_impl.h"

typedef struct {
    uint64_t n_npus;
    TopologyLink link;
} FullParams;

/* n - 1 ports an NPU: more is no machine but a matrix. */
#define MAX_NPUS 4096

static const ConfigField full_fields[] = {
    { .key = "npus",
      .help = "NPUs, each joined to all others",
      .type = CONFIG_COUNT,
      .offset = offsetof(FullParams, n_npus),
      .min = 1,
      .max = MAX_NPUS },
    TOPOLOGY_LINK_FIELDS(FullParams, "from an NPU to each other"),
    CONFIG_END,
};

static gboolean full_init(Topology *t, const ConfigVariant *config,
                          GError **error)
{
    const FullParams *params = config->params;
    uint32_t n = (uint32_t)params->n_npus;

    (void)error;
    topology_set_group(t, n, n - 1);
    for (uint32_t p = 0; p < n - 1; p++) {
        g_autofree char *name = g_strdup_printf("to+%u", p + 1);

        topology_set_port(&t->ports[p], name, 0, (uint32_t)params->link.n_links,
                          &params->link);
    }
    return TRUE;
}

static uint32_t full_next(const Topology *t, uint32_t at, uint32_t dst,
                          uint32_t way, uint32_t *ret_port)
{
    (void)way;
    *ret_port = (dst > at ? dst - at : dst + t->n_npus - at) - 1;
    return at;
}

static uint32_t full_end(const Topology *t, uint32_t owner, uint32_t port)
{
    return (owner + port + 1) % t->n_npus;
}

const TopologyOps topology_fully_connected = {
    .base = { .name = "fully-connected",
              .summary = "a link between any two NPUs; one hop",
              .fields = full_fields,
              .size = sizeof(FullParams) },
    .is_pairwise = TRUE,
    .init = full_init,
    .next = full_next,
    .end = full_end,
};
