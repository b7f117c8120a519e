/*
 * torus.c - rings in every dimension
 *
 * NPU id = x0 + size0 * (x1 + size1 * (x2 + ...)).  A dimension driven both
 * ways shares its links between the two directions, a dimension driven one
 * way has them all in the + direction.  Routing is dimension by dimension,
 * lowest first, the shorter way round; when both are equally long the
 * sender's choice of way decides.
 *
 * Assumes  wrap-around links are as long as the others (folded torus)
 */
#include "network/topology_impl.h"
#include "sim/config/config_node.h"

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

static gboolean check(const ConfigVariant *config, GError **error)
{
    const TorusParams *params = config->params;
    const DimParams *dims = params->dims.items;
    uint64_t n_npus = 1;

    for (guint d = 0; d < params->dims.n; d++) {
        n_npus *= dims[d].size;
        if (n_npus > TOPOLOGY_MAX_NPUS) {
            config_set_error(error, config->node, CONFIG_ERROR_RANGE,
                             "dims: more than %u NPUs", TOPOLOGY_MAX_NPUS);
            return FALSE;
        }
        if (dims[d].size > 1 && dims[d].direction == BOTH_WAYS &&
            dims[d].link.n_links % 2 != 0) {
            config_set_error(error, config_node_value(params->dims.node, d),
                             CONFIG_ERROR_CONFLICT,
                             "links: %" G_GUINT64_FORMAT
                             " cannot be shared between two directions; give "
                             "'links: %" G_GUINT64_FORMAT
                             "' or 'direction: one'",
                             dims[d].link.n_links, dims[d].link.n_links + 1);
            return FALSE;
        }
    }
    return TRUE;
}

static void add_ports(Topology *t, uint32_t d, const DimParams *dim)
{
    g_autofree char *plus = g_strdup_printf("dim%u+", d);
    g_autofree char *minus = g_strdup_printf("dim%u-", d);
    gboolean both = dim->direction == BOTH_WAYS;
    uint32_t n_links = (uint32_t)dim->link.n_links / (both ? 2 : 1);

    topology_set_port(&t->ports[t->n_ports++], plus, d, n_links, &dim->link);
    if (both)
        topology_set_port(&t->ports[t->n_ports++], minus, d, n_links,
                          &dim->link);
}

static gboolean torus_init(Topology *t, const ConfigVariant *config,
                           GError **error)
{
    const TorusParams *params = config->params;
    const DimParams *dims = params->dims.items;

    if (!check(config, error))
        return FALSE;
    t->n_npus = 1;
    t->n_dims = params->dims.n;
    t->ports = g_new0(TopologyPort, 2 * (gsize)t->n_dims);
    for (uint32_t d = 0; d < t->n_dims; d++) {
        t->dims[d].size = (uint32_t)dims[d].size;
        t->dims[d].both_ways = dims[d].direction == BOTH_WAYS;
        t->strides[d] = t->n_npus;
        t->n_npus *= t->dims[d].size;
        t->first_port[d] = t->n_ports;
        if (t->dims[d].size > 1)
            add_ports(t, d, &dims[d]);
    }
    topology_offer_translations(t);
    return TRUE;
}

static uint32_t coordinate(const Topology *t, uint32_t node, uint32_t d)
{
    return node / t->strides[d] % t->dims[d].size;
}

static uint32_t torus_next(const Topology *t, uint32_t at, uint32_t dst,
                           uint32_t way, uint32_t *ret_port)
{
    for (uint32_t d = 0; d < t->n_dims; d++) {
        uint32_t size = t->dims[d].size;
        uint32_t from = coordinate(t, at, d), to = coordinate(t, dst, d);
        uint32_t ahead = to >= from ? to - from : to + size - from;
        gboolean minus = t->dims[d].both_ways &&
                         (2 * ahead > size || (2 * ahead == size && way));

        if (ahead == 0)
            continue;
        *ret_port = t->first_port[d] + (minus ? 1 : 0);
        return at;
    }
    g_assert_not_reached(); /* @dst != @at */
}

static uint32_t torus_end(const Topology *t, uint32_t owner, uint32_t port)
{
    uint32_t d = t->ports[port].dim;
    uint32_t size = t->dims[d].size, stride = t->strides[d];
    uint32_t x = coordinate(t, owner, d);
    uint32_t next = port == t->first_port[d] ? x + 1 : x + size - 1;

    return owner - x * stride + next % size * stride;
}

const TopologyOps topology_torus = {
    .base = { .name = "torus",
              .summary = "rings in 1 to 5 dimensions; dimension-order routing",
              .fields = torus_fields,
              .size = sizeof(TorusParams) },
    .is_torus = TRUE,
    .init = torus_init,
    .next = torus_next,
    .end = torus_end,
};
