/* perturbation.c - variation between NPUs and between links;
 * see perturbation.h */
#include "models/run/perturbation.h"

#include "sim/config/config_node.h"

#define MILLION 1000000

static const char *const distribution_names[] = { "uniform", "normal",
                                                  "exponential", NULL };

static const ConfigField npu_fields_of[] = {
    { .key = "npu",
      .help = "its number, dimension 0 counting fastest",
      .type = CONFIG_COUNT,
      .offset = offsetof(PerturbedNpu, npu),
      .max = TOPOLOGY_MAX_NPUS - 1 },
    { .key = "time_factor",
      .help = "what its kernels' times are multiplied by",
      .type = CONFIG_FRACTION,
      .offset = offsetof(PerturbedNpu, time_factor_ppm),
      .min = 1000,
      .max = UINT64_C(1000) * MILLION },
    CONFIG_END,
};

static const ConfigField link_fields_of[] = {
    { .key = "npu",
      .help = "the one that the link leaves",
      .type = CONFIG_COUNT,
      .offset = offsetof(PerturbedLink, npu),
      .max = TOPOLOGY_MAX_NPUS - 1 },
    { .key = "port",
      .help = "as --per-link names it: dim0+, up, to+1",
      .type = CONFIG_NAME,
      .offset = offsetof(PerturbedLink, port) },
    { .key = "bandwidth_factor",
      .help = "what the bandwidth of the port's links is multiplied by",
      .type = CONFIG_FRACTION,
      .offset = offsetof(PerturbedLink, bandwidth_factor_ppm),
      .min = 1000,
      .max = UINT64_C(1000) * MILLION },
    CONFIG_END,
};

static const ConfigField npu_item = {
    .key = "npu",
    .help = "one NPU",
    .type = CONFIG_SECTION,
    .fields = npu_fields_of,
};

static const ConfigField link_item = {
    .key = "link",
    .help = "the links of one port",
    .type = CONFIG_SECTION,
    .fields = link_fields_of,
};

static const ConfigField id_item = {
    .key = "npu",
    .help = "its number",
    .type = CONFIG_COUNT,
    .max = TOPOLOGY_MAX_NPUS - 1,
};

static const char *const kind_names[] = { "any",    "kernel",     "host",
                                          "device", "collective", "message",
                                          NULL };

static const ConfigField ops_fields_of[] = {
    { .key = "match",
      .help = "operations of such a name, * for any letters and ? for one",
      .type = CONFIG_NAME,
      .offset = offsetof(PerturbedOps, match) },
    { .key = "kind",
      .help = "only those of this kind",
      .type = CONFIG_ENUM,
      .offset = offsetof(PerturbedOps, kind),
      .names = kind_names,
      .fallback = "any",
      .source = "by name alone" },
    { .key = "npus",
      .help = "only on these NPUs; of a collective, where one takes part",
      .type = CONFIG_LIST,
      .offset = offsetof(PerturbedOps, npus),
      .item = &id_item,
      .item_size = sizeof(uint64_t),
      .max = TOPOLOGY_MAX_NPUS,
      .fallback = "[]",
      .source = "on all" },
    { .key = "time_factor",
      .help = "what their times are multiplied by",
      .type = CONFIG_FRACTION,
      .offset = offsetof(PerturbedOps, time_factor_ppm),
      .max = UINT64_C(1000) * MILLION },
    CONFIG_END,
};

static const ConfigField ops_item = {
    .key = "ops",
    .help = "operations of some names",
    .type = CONFIG_SECTION,
    .fields = ops_fields_of,
};

const ConfigField perturb_fields[] = {
    { .key = "seed",
      .help = "of all random numbers",
      .type = CONFIG_COUNT,
      .offset = offsetof(PerturbConfig, seed),
      .max = UINT64_MAX,
      .fallback = "1",
      .source = "any" },
    { .key = "jitter",
      .help = "scale of the random part of every kernel's time",
      .type = CONFIG_FRACTION,
      .offset = offsetof(PerturbConfig, jitter_ppm),
      .max = 10 * MILLION,
      .fallback = "0 %",
      .source = "none" },
    { .key = "distribution",
      .help = "of the random part",
      .type = CONFIG_ENUM,
      .offset = offsetof(PerturbConfig, distribution),
      .names = distribution_names,
      .fallback = "normal",
      .source = "assumed" },
    { .key = "npus",
      .help = "NPUs that are slower or faster",
      .type = CONFIG_LIST,
      .offset = offsetof(PerturbConfig, npus),
      .item = &npu_item,
      .item_size = sizeof(PerturbedNpu),
      .max = 100000,
      .fallback = "[]" },
    { .key = "links",
      .help = "links that are slower or faster",
      .type = CONFIG_LIST,
      .offset = offsetof(PerturbConfig, links),
      .item = &link_item,
      .item_size = sizeof(PerturbedLink),
      .max = 100000,
      .fallback = "[]" },
    { .key = "ops",
      .help = "operations that take more or less time",
      .type = CONFIG_LIST,
      .offset = offsetof(PerturbConfig, ops),
      .item = &ops_item,
      .item_size = sizeof(PerturbedOps),
      .max = PERTURB_MAX_OPS,
      .fallback = "[]" },
    CONFIG_END,
};

static const PerturbedNpu *perturbed_npu_at(const PerturbConfig *config,
                                            guint i)
{
    return (const PerturbedNpu *)config->npus.items + i;
}

static const PerturbedLink *perturbed_link_at(const PerturbConfig *config,
                                              guint i)
{
    return (const PerturbedLink *)config->links.items + i;
}

gboolean perturb_is_none(const PerturbConfig *config)
{
    return config->jitter_ppm == 0 && config->npus.n == 0 &&
           config->links.n == 0 && config->ops.n == 0;
}

static gboolean find_port_by_name(const Topology *topology, const char *name,
                                  uint32_t *ret)
{
    for (uint32_t phase = 0; phase < topology_n_ports(topology); phase++) {
        if (!g_str_equal(topology_get_port(topology, phase)->name, name))
            continue;
        *ret = phase;
        return TRUE;
    }
    return FALSE;
}

static uint32_t perturbed_link_index(const Topology *topology,
                                     const PerturbedLink *link, uint32_t port)
{
    uint32_t unit =
        (uint32_t)link->npu / topology_get_symmetry(topology)->unit_ends;

    return unit * topology_n_ports(topology) + port;
}

static gboolean check_perturbed_npu(uint64_t npu, const Topology *topology,
                                    const ConfigNode *where, GError **error)
{
    if (npu < topology_n_npus(topology))
        return TRUE;
    config_set_error(error, where, CONFIG_ERROR_RANGE,
                     "npu: there is no NPU %" G_GUINT64_FORMAT
                     " among %u, which count from 0",
                     npu, topology_n_npus(topology));
    return FALSE;
}

static gboolean check_perturbed_link(const PerturbedLink *link,
                                     const Topology *topology,
                                     const ConfigNode *where, GError **error)
{
    uint32_t port;

    if (!check_perturbed_npu(link->npu, topology, where, error))
        return FALSE;
    if (find_port_by_name(topology, link->port, &port) &&
        topology_link_target(topology,
                             perturbed_link_index(topology, link, port)) !=
            TOPOLOGY_NONE)
        return TRUE;
    config_set_error(error, where, CONFIG_ERROR_UNKNOWN_KEY,
                     "port: a %s has no port '%s' here; the first is '%s'",
                     topology_kind(topology), link->port,
                     topology_n_ports(topology) > 0
                         ? topology_get_port(topology, 0)->name
                         : "none");
    return FALSE;
}

/* Takes ownership of @name, and adds it to @first with the place of its first
 * use in the file.  Returns FALSE and sets @error if @name is there already. */
static gboolean check_perturbed_entry_is_unique(GHashTable *first, char *name,
                                                const ConfigNode *where,
                                                GError **error)
{
    const ConfigNode *before = g_hash_table_lookup(first, name);
    g_autofree char *place = NULL;

    if (!before)
        return g_hash_table_insert(first, name, (gpointer)where);
    place = config_node_position_text(before);
    config_set_error(error, where, CONFIG_ERROR_DUPLICATE_KEY,
                     "%s is given twice, first at %s", name, place);
    g_free(name);
    return FALSE;
}

gboolean perturb_check(const PerturbConfig *config, const Topology *topology,
                       GError **error)
{
    g_autoptr(GHashTable) first =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (guint i = 0; i < config->npus.n; i++) {
        uint64_t npu = perturbed_npu_at(config, i)->npu;
        const ConfigNode *where = config_node_value(config->npus.node, i);

        if (!check_perturbed_npu(npu, topology, where, error) ||
            !check_perturbed_entry_is_unique(
                first, g_strdup_printf("NPU %" G_GUINT64_FORMAT, npu), where,
                error))
            return FALSE;
    }
    for (guint i = 0; i < config->links.n; i++) {
        const PerturbedLink *link = perturbed_link_at(config, i);
        const ConfigNode *where = config_node_value(config->links.node, i);

        if (!check_perturbed_link(link, topology, where, error) ||
            !check_perturbed_entry_is_unique(
                first,
                g_strdup_printf("port %s of NPU %" G_GUINT64_FORMAT, link->port,
                                link->npu),
                where, error))
            return FALSE;
    }
    return TRUE;
}

/* Colours the NPUs by their factor: each distinct factor gets a colour; 0 is
 * the colour of factor 1. */
uint32_t *perturb_npu_colours(const PerturbConfig *config,
                              const Topology *topology)
{
    g_autoptr(GHashTable) known = g_hash_table_new(g_int64_hash, g_int64_equal);
    uint64_t one = MILLION;
    uint32_t *colours;

    if (config->npus.n == 0)
        return NULL;
    colours = g_new0(uint32_t, topology_n_npus(topology));
    (void)g_hash_table_insert(known, &one, GUINT_TO_POINTER(0));
    for (guint i = 0; i < config->npus.n; i++) {
        PerturbedNpu *npu = (PerturbedNpu *)config->npus.items + i;
        uint64_t *factor = &npu->time_factor_ppm;

        if (!g_hash_table_contains(known, factor))
            (void)g_hash_table_insert(known, factor, GUINT_TO_POINTER(i + 1));
        colours[npu->npu] =
            GPOINTER_TO_UINT(g_hash_table_lookup(known, factor));
    }
    return colours;
}

/* A link with a factor, as part of the platform. */
typedef struct {
    uint32_t part; /* index of its symmetric part among all */
    uint32_t port; /* number that its images in other parts share */
    uint64_t factor_ppm;
} ScaledLink;

static ScaledLink make_scaled_link(const Topology *topology,
                                   const PerturbedLink *link, uint32_t port)
{
    const Symmetry *symmetry = topology_get_symmetry(topology);
    const TopologyPort *topology_port = topology_get_port(topology, port);
    uint32_t unit = (uint32_t)link->npu / symmetry->unit_ends;
    uint32_t n_parts = symmetry->unit_ends / symmetry->part_ends;
    uint32_t n_node_parts = MAX(symmetry->node_ends / symmetry->part_ends, 1);

    return (ScaledLink){ unit * n_parts + topology_port->part,
                         port - topology_port->part % n_node_parts *
                                    topology_port->part_stride,
                         link->bandwidth_factor_ppm };
}

static gint compare_scaled_links(gconstpointer a, gconstpointer b)
{
    const ScaledLink *link = a, *y = b;

    return link->part != y->part
               ? (link->part < y->part ? -1 : 1)
               : (link->port > y->port) - (link->port < y->port);
}

/* Returns the links with a factor other than 1, by part. */
static GArray *find_scaled_links(const PerturbConfig *config,
                                 const Topology *topology)
{
    GArray *links = g_array_new(FALSE, FALSE, sizeof(ScaledLink));

    for (guint i = 0; i < config->links.n; i++) {
        const PerturbedLink *link = perturbed_link_at(config, i);
        ScaledLink scaled;
        uint32_t port;

        if (!find_port_by_name(topology, link->port, &port) ||
            link->bandwidth_factor_ppm == MILLION)
            continue;
        scaled = make_scaled_link(topology, link, port);
        g_array_append_val(links, scaled);
    }
    g_array_sort(links, compare_scaled_links);
    return links;
}

/* Colours the parts by the ports and factors of their links, as text; 0 is the
 * colour of parts without such links. */
uint32_t *perturb_link_colours(const PerturbConfig *config,
                               const Topology *topology)
{
    g_autoptr(GHashTable) known =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    uint32_t part_ends = topology_get_symmetry(topology)->part_ends;
    g_autoptr(GArray) links = NULL;
    uint32_t *colours;

    if (config->links.n == 0)
        return NULL;
    links = find_scaled_links(config, topology);
    colours = g_new0(uint32_t, topology_n_npus(topology));
    for (guint i = 0; i < links->len;) {
        uint32_t part = g_array_index(links, ScaledLink, i).part, colour;
        GString *text = g_string_new(NULL);

        for (; i < links->len; i++) {
            const ScaledLink *link = &g_array_index(links, ScaledLink, i);

            if (link->part != part)
                break;
            g_string_append_printf(text, "%u %" G_GUINT64_FORMAT "\n",
                                   link->port, link->factor_ppm);
        }
        colour = GPOINTER_TO_UINT(g_hash_table_lookup(known, text->str));
        if (colour == 0)
            colour = g_hash_table_size(known) + 1;
        (void)g_hash_table_insert(known, g_string_free(text, FALSE),
                                  GUINT_TO_POINTER(colour));
        for (uint32_t end = 0; end < part_ends; end++)
            colours[part * part_ends + end] = colour;
    }
    return colours;
}

void perturb_scale_links(const PerturbConfig *config, const Topology *topology,
                         Network *network)
{
    for (guint i = 0; i < config->links.n; i++) {
        const PerturbedLink *link = perturbed_link_at(config, i);
        uint32_t port;

        if (find_port_by_name(topology, link->port, &port))
            network_set_bandwidth_factor(
                network, perturbed_link_index(topology, link, port),
                link->bandwidth_factor_ppm);
    }
}

static int64_t draw_jitter_ppm(const PerturbConfig *config, uint64_t value)
{
    switch ((JitterKind)config->distribution) {
    case JITTER_UNIFORM:
        return rng_uniform_ppm(value);
    case JITTER_NORMAL:
        return rng_normal_ppm(value);
    case JITTER_EXPONENTIAL:
        return rng_exponential_ppm(value);
    }
    g_assert_not_reached();
}

uint64_t perturb_kernel_factor_ppm(const PerturbConfig *config, uint32_t npu,
                                   uint32_t op, uint64_t iteration)
{
    uint64_t factor_ppm = MILLION;
    int64_t random_ppm = 0;

    for (guint i = 0; i < config->npus.n; i++)
        if (perturbed_npu_at(config, i)->npu == npu)
            factor_ppm = perturbed_npu_at(config, i)->time_factor_ppm;
    if (config->jitter_ppm > 0)
        random_ppm =
            draw_jitter_ppm(config, rng_value_at_indices(
                                        rng_new_stream(config->seed, "compute"),
                                        npu, op, iteration)) *
            (int64_t)config->jitter_ppm / MILLION;
    return factor_ppm * (uint64_t)MAX(MILLION / 10, MILLION + random_ppm) /
           MILLION;
}
