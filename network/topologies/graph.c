/*
 * graph.c - nodes and links as a file gives them
 *
 * Nodes of kind `npu` are the NPUs, in their order; all others pass messages
 * on, whatever they are called, as NPUs do.  Routes are those of fewest hops
 * (routing/shortest.h).  All is one unit: no NPU stands for another.
 */
#include "network/routing/shortest.h"
#include "network/topologies/graph_fields.h"
#include "sim/config/config_node.h"
#include "sim/core/words.h"

/* ---- construction ----------------------------------------------------- */

typedef struct {
    uint32_t *from, *to; /* owned: of each link */
    Routes *routes;      /* owned */
} Graph;

typedef struct {
    Topology *t;
    const GraphParams *params;
    GHashTable *nodes;  /* owned: name to number, +1 */
    GHashTable *links;  /* owned: from << 32 | to, +1, to number, +1 */
    const char **names; /* owned: by number */
    Graph *graph;
} Build;

static const GraphNode *node_at(const Build *b, guint i)
{
    return (const GraphNode *)b->params->nodes.items + i;
}

static const GraphLink *link_at(const Build *b, guint i)
{
    return (const GraphLink *)b->params->links.items + i;
}

static gboolean is_kind(const GraphNode *node, const char *kind)
{
    return kind && g_str_equal(node->kind, kind);
}

/* Those of @kind (NULL: neither NPU nor NIC) take the next numbers. */
static gboolean number_nodes(Build *b, const char *kind, GError **error)
{
    for (guint i = 0; i < b->params->nodes.n; i++) {
        const GraphNode *node = node_at(b, i);
        const ConfigNode *where = config_node_value(b->params->nodes.node, i);

        if (kind ? !is_kind(node, kind)
                 : is_kind(node, "npu") || is_kind(node, "nic"))
            continue;
        if (g_hash_table_contains(b->nodes, node->name)) {
            config_set_error(error, where, CONFIG_ERROR_DUPLICATE_KEY,
                             "name: there is another node '%s'", node->name);
            return FALSE;
        }
        b->names[b->t->n_nodes++] = node->name;
        g_hash_table_insert(b->nodes, (gpointer)node->name,
                            GUINT_TO_POINTER(b->t->n_nodes));
    }
    return TRUE;
}

static gboolean add_nodes(Build *b, GError **error)
{
    if (!number_nodes(b, "npu", error))
        return FALSE;
    b->t->n_npus = b->t->n_nodes;
    if (b->t->n_npus == 0 || b->t->n_npus > GRAPH_MAX_NPUS) {
        config_set_error(error, b->params->nodes.node, CONFIG_ERROR_RANGE,
                         "nodes: %u of kind npu are outside [1, %d]",
                         b->t->n_npus, GRAPH_MAX_NPUS);
        return FALSE;
    }
    if (!number_nodes(b, "nic", error))
        return FALSE;
    b->t->n_nics = b->t->n_nodes - b->t->n_npus;
    return number_nodes(b, NULL, error);
}

static gboolean find_node(const Build *b, const char *key, const char *name,
                          const ConfigNode *where, uint32_t *ret,
                          GError **error)
{
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(b->nodes, name));
    const char *nearest;

    *ret = number - 1;
    if (number > 0)
        return TRUE;
    nearest = words_nearest(name, b->names);
    config_set_error(error, where, CONFIG_ERROR_UNKNOWN_KEY,
                     "%s: there is no node '%s'%s%s%s", key, name,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "",
                     nearest ? "'?" : "");
    return FALSE;
}

static gpointer pair_key(uint32_t from, uint32_t to)
{
    return GSIZE_TO_POINTER((gsize)from << 32 | (gsize)(to + 1));
}

static gboolean add_link(Build *b, const GraphLink *link, uint32_t from,
                         uint32_t to, const ConfigNode *where, GError **error)
{
    Topology *t = b->t;
    g_autofree char *name =
        g_strdup_printf("%s-%s", b->names[from], b->names[to]);

    if (from == to || g_hash_table_contains(b->links, pair_key(from, to))) {
        config_set_error(error, where, CONFIG_ERROR_DUPLICATE_KEY,
                         from == to ? "to: '%s' joins a node to itself"
                                    : "to: '%s' is given twice; `links` says "
                                      "how many there are in parallel",
                         name);
        return FALSE;
    }
    b->graph->from[t->n_ports] = from;
    b->graph->to[t->n_ports] = to;
    topology_set_port(&t->ports[t->n_ports++], name, 0,
                      (uint32_t)link->link.n_links, &link->link);
    g_hash_table_insert(b->links, pair_key(from, to),
                        GUINT_TO_POINTER(t->n_ports));
    return TRUE;
}

static gboolean add_links(Build *b, GError **error)
{
    guint n = b->params->links.n;

    b->t->ports = g_new0(TopologyPort, 2 * n + 1);
    b->graph->from = g_new(uint32_t, 2 * n + 1);
    b->graph->to = g_new(uint32_t, 2 * n + 1);
    for (guint i = 0; i < n; i++) {
        const GraphLink *link = link_at(b, i);
        const ConfigNode *where = config_node_value(b->params->links.node, i);
        uint32_t from, to;

        if (!find_node(b, "from", link->from, where, &from, error) ||
            !find_node(b, "to", link->to, where, &to, error) ||
            !add_link(b, link, from, to, where, error) ||
            (link->both_ways && !add_link(b, link, to, from, where, error)))
            return FALSE;
    }
    return TRUE;
}

/* The number of the link that @pair names. */
static gboolean find_link(const Build *b, const ConfigList *pair, uint32_t *ret,
                          GError **error)
{
    const char *const *names = pair->items;
    guint number;
    uint32_t from, to;

    if (!find_node(b, "links", names[0], pair->node, &from, error) ||
        !find_node(b, "links", names[1], pair->node, &to, error))
        return FALSE;
    number =
        GPOINTER_TO_UINT(g_hash_table_lookup(b->links, pair_key(from, to)));
    *ret = number - 1;
    if (number > 0)
        return TRUE;
    config_set_error(error, pair->node, CONFIG_ERROR_UNKNOWN_KEY,
                     "links: there is no link from '%s' to '%s'", names[0],
                     names[1]);
    return FALSE;
}

static gboolean add_limits(Build *b, GError **error)
{
    const GraphLimit *given = b->params->limits.items;
    Topology *t = b->t;

    t->limits = g_new0(TopologyLimit, b->params->limits.n + 1);
    for (guint i = 0; i < b->params->limits.n; i++) {
        const ConfigList *pairs = given[i].links.items;
        guint n = given[i].links.n;
        uint32_t *ports = g_new(uint32_t, n);

        t->limits[t->n_limits++] = (TopologyLimit){
            .name = g_strdup(given[i].name),
            .bytes_per_s = given[i].bytes_per_s,
            .n_ports = n,
            .ports = ports,
        };
        for (guint p = 0; p < n; p++)
            if (!find_link(b, &pairs[p], &ports[p], error))
                return FALSE;
    }
    return TRUE;
}

static gboolean check_reach(const Build *b, GError **error)
{
    uint32_t n = b->t->n_npus + b->t->n_nics;

    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++) {
            if (routes_hops(b->graph->routes, from, to) != UINT32_MAX)
                continue;
            config_set_error(error, b->params->links.node,
                             CONFIG_ERROR_CONFLICT,
                             "links: no way leads from '%s' to '%s'",
                             b->names[from], b->names[to]);
            return FALSE;
        }
    return TRUE;
}

static gboolean build(Build *b, GError **error)
{
    Topology *t = b->t;

    if (!add_nodes(b, error) || !add_links(b, error) || !add_limits(b, error))
        return FALSE;
    b->graph->routes = routes_new(
        t->n_nodes, t->n_npus + t->n_nics, t->n_ports, b->graph->from,
        b->graph->to, b->params->equal_cost == GRAPH_BY_HASH, b->params->seed);
    t->n_units = 1;
    t->n_dims = t->symmetry.n_dims = 1;
    t->dims[0] = (TopologyDim){ t->n_npus, TRUE, TOPOLOGY_OTHER };
    t->symmetry.dims[0].size = 1;
    t->symmetry.unit_ends = t->n_npus;
    return check_reach(b, error);
}

static gboolean graph_init(Topology *t, const ConfigVariant *config,
                           GError **error)
{
    const GraphParams *params = config->params;
    Build b = { .t = t,
                .params = params,
                .nodes = g_hash_table_new(g_str_hash, g_str_equal),
                .links = g_hash_table_new(NULL, NULL),
                .names = g_new0(const char *, params->nodes.n + 1),
                .graph = g_new0(Graph, 1) };
    gboolean is_built;

    t->kind = b.graph;
    is_built = build(&b, error);
    g_hash_table_unref(b.nodes);
    g_hash_table_unref(b.links);
    g_free(b.names);
    return is_built;
}

static void graph_free(Topology *t)
{
    Graph *graph = t->kind;

    routes_free(graph->routes);
    g_free(graph->from);
    g_free(graph->to);
    g_free(graph);
}

static uint32_t graph_next(const Topology *t, uint32_t at, uint32_t dst,
                           uint32_t way)
{
    const Graph *graph = t->kind;

    return routes_next(graph->routes, at, dst, way);
}

static gboolean graph_joins(const Topology *t, uint32_t unit, uint32_t port,
                            uint32_t *ret_from, uint32_t *ret_to)
{
    const Graph *graph = t->kind;

    (void)unit;
    *ret_from = graph->from[port];
    *ret_to = graph->to[port];
    return TRUE;
}

const TopologyOps topology_graph = {
    .base = { .name = "graph",
              .summary = "nodes and links as given; shortest ways",
              .fields = graph_fields,
              .size = sizeof(GraphParams) },
    .init = graph_init,
    .free = graph_free,
    .next = graph_next,
    .joins = graph_joins,
};
