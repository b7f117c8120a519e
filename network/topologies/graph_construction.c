/* graph_construction.c - makes nodes, links and limits of a graph, and resolves
 * names */
#include "network/topologies/graph.h"
#include "sim/config/config_node.h"
#include "sim/core/word_suggestions.h"

/* The number of a node that is excluded by `allocate`. */
#define EXCLUDED (TOPOLOGY_NONE - 1)

typedef struct {
    Topology *t;
    const GraphParams *params;
    Graph *graph;
    /* Owned: maps the name of a node to its number + 1. */
    GHashTable *nodes;
    /* Owned: maps (from << 32 | to) + 1, for the nodes that a link connects, to
     * the number of the link + 1. */
    GHashTable *links;
    const GraphNode **given; /* owned: the configured nodes by number */
    /* Owned: the names of all nodes, to suggest one if a name is misspelt; the
     * last entry is NULL. */
    const char **names;
} Build;

static const GraphNode *graph_node_in_config(const Build *build, guint i)
{
    return (const GraphNode *)build->params->nodes.items + i;
}

static const GraphLink *graph_link_in_config(const Build *build, guint i)
{
    return (const GraphLink *)build->params->links.items + i;
}

/* ---- nodes ------------------------------------------------------------ */

static gboolean node_is_of_kind(const GraphNode *node, const char *kind)
{
    return kind && g_str_equal(node->kind, kind);
}

static void assign_node_number(Build *build, const GraphNode *node)
{
    build->given[build->t->n_nodes++] = node;
    g_hash_table_insert(build->nodes, (gpointer)node->name,
                        GUINT_TO_POINTER(build->t->n_nodes));
}

/* Numbers the nodes of @kind.  If @kind is NULL, numbers those that are neither
 * NPU nor NIC. */
static void assign_node_numbers_of_kind(Build *build, const char *kind)
{
    for (guint i = 0; i < build->params->nodes.n; i++) {
        const GraphNode *node = graph_node_in_config(build, i);

        if (kind ? node_is_of_kind(node, kind)
                 : !node_is_of_kind(node, "npu") &&
                       !node_is_of_kind(node, "nic"))
            assign_node_number(build, node);
    }
}

static gboolean check_node_names_are_unique(Build *build, GError **error)
{
    for (guint i = 0; i < build->params->nodes.n; i++) {
        const GraphNode *node = graph_node_in_config(build, i);

        if (!g_hash_table_insert(build->nodes, (gpointer)node->name,
                                 GUINT_TO_POINTER(EXCLUDED + 1))) {
            config_set_error(error,
                             config_node_value(build->params->nodes.node, i),
                             CONFIG_ERROR_DUPLICATE_KEY,
                             "name: there is another node '%s'", node->name);
            return FALSE;
        }
        build->names[i] = node->name;
    }
    return TRUE;
}

/* Gives the next free NPU number to the NPU that the file lists at position
 * @which. */
static gboolean append_npu_to_allocation(Build *build, guint which,
                                         const ConfigNode *where,
                                         GError **error)
{
    guint n = 0;

    for (guint i = 0; i < build->params->nodes.n; i++) {
        const GraphNode *node = graph_node_in_config(build, i);

        if (!node_is_of_kind(node, "npu") || n++ != which)
            continue;
        for (guint k = 0; k < build->t->n_nodes; k++)
            if (build->given[k] == node) {
                config_set_error(error, where, CONFIG_ERROR_DUPLICATE_KEY,
                                 "allocate: NPU %u is given twice", which);
                return FALSE;
            }
        assign_node_number(build, node);
        return TRUE;
    }
    config_set_error(error, where, CONFIG_ERROR_RANGE,
                     "allocate: NPU %u is none of %u", which, n);
    return FALSE;
}

static gboolean add_graph_npus(Build *build, GError **error)
{
    const ConfigList *allocated = &build->params->allocate;
    const uint64_t *which = allocated->items;

    for (guint i = 0; i < allocated->n; i++)
        if (!append_npu_to_allocation(build, (guint)which[i],
                                      config_node_value(allocated->node, i),
                                      error))
            return FALSE;
    if (allocated->n == 0)
        assign_node_numbers_of_kind(build, "npu");
    build->t->n_npus = build->t->n_nodes;
    if (build->t->n_npus > 0 && build->t->n_npus <= GRAPH_MAX_NPUS)
        return TRUE;
    config_set_error(error, build->params->nodes.node, CONFIG_ERROR_RANGE,
                     "nodes: %u of kind npu are outside [1, %d]",
                     build->t->n_npus, GRAPH_MAX_NPUS);
    return FALSE;
}

static gboolean add_graph_nodes(Build *build, GError **error)
{
    if (!check_node_names_are_unique(build, error) ||
        !add_graph_npus(build, error))
        return FALSE;
    assign_node_numbers_of_kind(build, "nic");
    build->t->n_nics = build->t->n_nodes - build->t->n_npus;
    assign_node_numbers_of_kind(build, NULL);
    return TRUE;
}

static gboolean find_node_by_name(const Build *build, const char *key,
                                  const char *name, const ConfigNode *where,
                                  uint32_t *ret, GError **error)
{
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(build->nodes, name));
    const char *nearest;

    *ret = number - 1;
    if (number > 0)
        return TRUE;
    nearest = words_find_nearest(name, build->names);
    config_set_error(error, where, CONFIG_ERROR_UNKNOWN_KEY,
                     "%s: there is no node '%s'%s%s%s", key, name,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "",
                     nearest ? "'?" : "");
    return FALSE;
}

/* ---- links ------------------------------------------------------------ */

static gpointer hash_key_of_node_pair(uint32_t from, uint32_t to)
{
    return GSIZE_TO_POINTER((gsize)from << 32 | (gsize)(to + 1));
}

static gboolean is_host_node(const GraphNode *node)
{
    return node_is_of_kind(node, "pcie") || node_is_of_kind(node, "cpu");
}

/* Returns the reach of a link for which none is configured. */
static TopologyReach default_reach_of_link(const GraphNode *from,
                                           const GraphNode *to)
{
    gboolean has_nic =
        node_is_of_kind(from, "nic") || node_is_of_kind(to, "nic");

    if (is_host_node(from) || is_host_node(to))
        return TOPOLOGY_HOST;
    if (has_nic && (node_is_of_kind(from, "npu") || node_is_of_kind(to, "npu")))
        return TOPOLOGY_HOST;
    return has_nic ? TOPOLOGY_NETWORK : TOPOLOGY_NEAR;
}

static gboolean add_graph_link(Build *build, const GraphLink *link,
                               uint32_t from, uint32_t to,
                               const ConfigNode *where, GError **error)
{
    Topology *topology = build->t;
    g_autofree char *name = NULL;

    if (from == EXCLUDED || to == EXCLUDED)
        return TRUE;
    name = g_strdup_printf("%s-%s", build->given[from]->name,
                           build->given[to]->name);
    if (from == to ||
        g_hash_table_contains(build->links, hash_key_of_node_pair(from, to))) {
        config_set_error(error, where, CONFIG_ERROR_DUPLICATE_KEY,
                         from == to ? "to: '%s' joins a node to itself"
                                    : "to: '%s' is given twice; `links` says "
                                      "how many there are in parallel",
                         name);
        return FALSE;
    }
    build->graph->from[topology->n_ports] = from;
    build->graph->to[topology->n_ports] = to;
    topology_set_port(&topology->ports[topology->n_ports], name, 0,
                      (uint32_t)link->link.n_links, &link->link);
    if (link->link.reach == 0)
        topology->ports[topology->n_ports].reach =
            default_reach_of_link(build->given[from], build->given[to]);
    build->graph->reaches |=
        TOPOLOGY_PLANE(topology->ports[topology->n_ports++].reach);
    g_hash_table_insert(build->links, hash_key_of_node_pair(from, to),
                        GUINT_TO_POINTER(topology->n_ports));
    return TRUE;
}

static gboolean add_graph_links(Build *build, GError **error)
{
    guint n = build->params->links.n;

    build->t->ports = g_new0(TopologyPort, 2 * n + 1);
    build->graph->from = g_new(uint32_t, 2 * n + 1);
    build->graph->to = g_new(uint32_t, 2 * n + 1);
    for (guint i = 0; i < n; i++) {
        const GraphLink *link = graph_link_in_config(build, i);
        const ConfigNode *where =
            config_node_value(build->params->links.node, i);
        uint32_t from, to;

        if (!find_node_by_name(build, "from", link->from, where, &from,
                               error) ||
            !find_node_by_name(build, "to", link->to, where, &to, error) ||
            !add_graph_link(build, link, from, to, where, error) ||
            (link->both_ways &&
             !add_graph_link(build, link, to, from, where, error)))
            return FALSE;
    }
    return TRUE;
}

/* ---- limits ----------------------------------------------------------- */

/* Sets *@ret to the link that @pair names, or to LEFT_OUT if one of its ends is
 * excluded. */
static gboolean find_link_by_node_names(const Build *build,
                                        const ConfigList *pair, uint32_t *ret,
                                        GError **error)
{
    const char *const *names = pair->items;
    guint number;
    uint32_t from, to;

    if (!find_node_by_name(build, "links", names[0], pair->node, &from,
                           error) ||
        !find_node_by_name(build, "links", names[1], pair->node, &to, error))
        return FALSE;
    *ret = EXCLUDED;
    if (from == EXCLUDED || to == EXCLUDED)
        return TRUE;
    number = GPOINTER_TO_UINT(
        g_hash_table_lookup(build->links, hash_key_of_node_pair(from, to)));
    *ret = number - 1;
    if (number > 0)
        return TRUE;
    config_set_error(error, pair->node, CONFIG_ERROR_UNKNOWN_KEY,
                     "links: there is no link from '%s' to '%s'", names[0],
                     names[1]);
    return FALSE;
}

/* Returns FALSE and sets @error if the @n @ports contain @port already.  @pair
 * holds the names of its ends. */
static gboolean check_port_not_listed_twice(const uint32_t *ports, uint32_t n,
                                            uint32_t port,
                                            const ConfigList *pair,
                                            GError **error)
{
    const char *const *names = pair->items;

    for (uint32_t i = 0; i < n; i++)
        if (ports[i] == port && port != EXCLUDED) {
            config_set_error(error, pair->node, CONFIG_ERROR_CONFLICT,
                             "links: the link from '%s' to '%s' is given twice",
                             names[0], names[1]);
            return FALSE;
        }
    return TRUE;
}

/* Adds a limit.  Links of excluded nodes are dropped from it, and a limit
 * without links is omitted. */
static gboolean add_rate_limit_to_graph(Build *build, const GraphLimit *given,
                                        GError **error)
{
    const ConfigList *pairs = given->links.items;
    g_autofree uint32_t *ports = g_new(uint32_t, given->links.n);
    uint32_t n = 0;

    for (guint p = 0; p < given->links.n; p++) {
        if (!find_link_by_node_names(build, &pairs[p], &ports[n], error) ||
            !check_port_not_listed_twice(ports, n, ports[n], &pairs[p], error))
            return FALSE;
        n += ports[n] != EXCLUDED;
    }
    if (n > 0)
        build->t->limits[build->t->n_limits++] = (TopologyLimit){
            .name = g_strdup(given->name),
            .bytes_per_s = given->bytes_per_s,
            .n_ports = n,
            .ports = g_steal_pointer(&ports),
        };
    return TRUE;
}

static gboolean add_rate_limits_to_graph(Build *build, GError **error)
{
    const GraphLimit *given = build->params->limits.items;

    build->t->limits = g_new0(TopologyLimit, build->params->limits.n + 1);
    for (guint i = 0; i < build->params->limits.n; i++)
        if (!add_rate_limit_to_graph(build, &given[i], error))
            return FALSE;
    return TRUE;
}

/* ---- checks and assembly --------------------------------------------- */

/* Checks that a path leads from each NPU and NIC to each other one. */
static gboolean check_all_npus_are_connected(const Build *build, GError **error)
{
    const ShortestRoutes *routes = graph_routes_in_plane(build->t, 0);
    uint32_t n = build->t->n_npus + build->t->n_nics;

    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++) {
            if (from == to || (routes && shortest_routes_n_hops(
                                             routes, from, to) != UINT32_MAX))
                continue;
            config_set_error(error, build->params->links.node,
                             CONFIG_ERROR_CONFLICT,
                             "links: no way leads from '%s' to '%s'%s",
                             build->given[from]->name, build->given[to]->name,
                             build->graph->npus_forward
                                 ? ""
                                 : "; NPUs pass nothing on (npus_forward)");
            return FALSE;
        }
    return TRUE;
}

gboolean graph_build_from_config(Topology *topology, const GraphParams *params,
                                 GError **error)
{
    Build b = { .t = topology,
                .params = params,
                .graph = topology->kind,
                .nodes = g_hash_table_new(g_str_hash, g_str_equal),
                .links = g_hash_table_new(NULL, NULL),
                .given = g_new0(const GraphNode *, params->nodes.n),
                .names = g_new0(const char *, params->nodes.n + 1) };
    gboolean is_built = add_graph_nodes(&b, error) &&
                        add_graph_links(&b, error) &&
                        add_rate_limits_to_graph(&b, error) &&
                        check_all_npus_are_connected(&b, error);

    g_hash_table_unref(b.nodes);
    g_hash_table_unref(b.links);
    g_free(b.given);
    g_free(b.names);
    return is_built;
}
