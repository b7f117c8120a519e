/* shortest_paths.c - hops to each target, by a breadth-first search from the
 * target */
#include "network/routing/shortest_paths.h"

#include <string.h>

#include "sim/core/rng.h"

#define UNREACHABLE UINT16_MAX
#define NO_ROW      UINT32_MAX
#define NO_LINK     UINT32_MAX
/* Several links lead nearer to the target, and a hash chooses one of them. */
#define SEVERAL (UINT32_MAX - 1)
/* A node with at most this many links has no table of next links, as a search
 * through its links is about as fast. */
#define MAX_SEARCHED_LINKS 16

struct ShortestRoutes {
    uint32_t n_nodes, n_ends;
    uint32_t *first_out; /* owned: per node, an index into .out; n_nodes + 1 */
    uint32_t *out;       /* owned: links, sorted by the node that they leave */
    uint32_t *to;        /* owned: per link, the node that it leads to */
    uint16_t *hops;      /* owned: per target, the hops from each node */
    uint32_t n_targets;
    /* Owned: per node, an index into .next; NO_ROW: the node has few links. */
    uint32_t *row;
    uint32_t *next; /* owned: the link to each target, n_targets per row */
    gboolean hashes;
    RngStream stream;
};

/* Returns the used links, sorted by the node at one end, @node[link].  The
 * links of node i are those from (*@ret_first)[i] to before (*@ret_first)[i +
 * 1].  The caller owns both arrays. */
static uint32_t *sort_links_by_node(const ShortestRoutesInput *input,
                                    const uint32_t *node, uint32_t **ret_first)
{
    uint32_t *first = g_new0(uint32_t, input->n_nodes + 1);
    uint32_t *links = g_new(uint32_t, MAX(input->n_links, 1));
    g_autofree uint32_t *at = NULL;

    for (uint32_t i = 0; i < input->n_links; i++)
        if (!input->uses || input->uses[i])
            first[node[i] + 1]++;
    for (uint32_t i = 0; i < input->n_nodes; i++)
        first[i + 1] += first[i];
    at = g_memdup2(first, (input->n_nodes + 1) * sizeof *first);
    for (uint32_t i = 0; i < input->n_links; i++)
        if (!input->uses || input->uses[i])
            links[at[node[i]]++] = i;
    *ret_first = first;
    return links;
}

/* Returns whether a path to @target may visit @node. */
static gboolean path_may_visit_node(const ShortestRoutes *routes, uint32_t node,
                                    uint32_t target)
{
    return node >= routes->n_ends || node == target;
}

static uint32_t *next_link_entry(const ShortestRoutes *routes, uint32_t node,
                                 uint32_t target)
{
    return &routes->next[(gsize)routes->row[node] * routes->n_targets + target];
}

/* Makes a row of .next for each node with many links.  All entries are
 * NO_LINK. */
static void allocate_next_link_rows(ShortestRoutes *routes)
{
    uint32_t n_rows = 0;
    gsize n;

    routes->row = g_new(uint32_t, routes->n_nodes);
    for (uint32_t i = 0; i < routes->n_nodes; i++)
        routes->row[i] =
            routes->first_out[i + 1] - routes->first_out[i] > MAX_SEARCHED_LINKS
                ? n_rows++
                : NO_ROW;
    n = MAX((gsize)n_rows * routes->n_targets, 1);
    routes->next = g_new(uint32_t, n);
    /* Sets all entries to NO_LINK. */
    memset(routes->next, 0xff, n * sizeof *routes->next);
}

/* Records that @link leads from @node nearer to @target.  If several links do,
 * the first one is kept, or SEVERAL if a hash is to choose. */
static void record_next_link(const ShortestRoutes *routes, uint32_t node,
                             uint32_t target, uint32_t link)
{
    uint32_t *next;

    if (routes->row[node] == NO_ROW)
        return;
    next = next_link_entry(routes, node, target);
    if (*next == NO_LINK)
        *next = link;
    else
        *next = routes->hashes ? SEVERAL : MIN(*next, link);
}

/* Computes the hops of all nodes to @target.  @queue has space for all
 * nodes. */
static void compute_hops_to_target(ShortestRoutes *routes,
                                   const ShortestRoutesInput *input,
                                   uint32_t target, const uint32_t *first_in,
                                   const uint32_t *in, uint32_t *queue)
{
    uint16_t *hops = &routes->hops[(gsize)target * input->n_nodes];
    uint32_t n_queued = 0;

    for (uint32_t i = 0; i < input->n_nodes; i++)
        hops[i] = UNREACHABLE;
    hops[target] = 0;
    queue[n_queued++] = target;
    for (uint32_t q = 0; q < n_queued; q++) {
        uint32_t node = queue[q];

        if (!path_may_visit_node(routes, node, target))
            continue;
        for (uint32_t i = first_in[node]; i < first_in[node + 1]; i++) {
            uint32_t before = input->from[in[i]];

            if (hops[before] == UNREACHABLE) {
                hops[before] = (uint16_t)(hops[node] + 1);
                queue[n_queued++] = before;
            }
            if (hops[before] == hops[node] + 1)
                record_next_link(routes, before, target, in[i]);
        }
    }
}

uint32_t shortest_routes_n_hops(const ShortestRoutes *routes, uint32_t node,
                                uint32_t target)
{
    uint16_t hops = routes->hops[(gsize)target * routes->n_nodes + node];

    return hops == UNREACHABLE ? UINT32_MAX : hops;
}

/* Returns the @k-th of the links that lead from @node nearer to @target.  If
 * there are fewer, returns UINT32_MAX and sets *@ret_n to their number. */
static uint32_t find_link_nearer_to_target(const ShortestRoutes *routes,
                                           uint32_t node, uint32_t target,
                                           uint32_t k, uint32_t *ret_n)
{
    uint32_t nearer = shortest_routes_n_hops(routes, node, target) - 1, n = 0;

    for (uint32_t i = routes->first_out[node]; i < routes->first_out[node + 1];
         i++) {
        uint32_t link = routes->out[i];

        if (shortest_routes_n_hops(routes, routes->to[link], target) !=
                nearer ||
            !path_may_visit_node(routes, routes->to[link], target))
            continue;
        if (n++ == k)
            return link;
    }
    *ret_n = n;
    return UINT32_MAX;
}

ShortestRoutes *shortest_routes_new(const ShortestRoutesInput *input)
{
    ShortestRoutes *routes = g_new0(ShortestRoutes, 1);
    g_autofree uint32_t *first_in = NULL;
    g_autofree uint32_t *in = sort_links_by_node(input, input->to, &first_in);
    g_autofree uint32_t *queue = g_new(uint32_t, input->n_nodes);

    routes->n_nodes = input->n_nodes;
    routes->n_ends = input->n_ends;
    routes->out = sort_links_by_node(input, input->from, &routes->first_out);
    routes->to = g_memdup2(input->to, input->n_links * sizeof *input->to);
    routes->hashes = input->hashes;
    routes->stream = rng_new_stream(input->seed, "routes");
    routes->n_targets = input->n_targets;
    allocate_next_link_rows(routes);
    routes->hops = g_new(uint16_t, (gsize)input->n_nodes * input->n_targets);
    for (uint32_t target = 0; target < input->n_targets; target++)
        compute_hops_to_target(routes, input, target, first_in, in, queue);
    return routes;
}

void shortest_routes_free(ShortestRoutes *routes)
{
    if (!routes)
        return;
    g_free(routes->first_out);
    g_free(routes->out);
    g_free(routes->to);
    g_free(routes->hops);
    g_free(routes->row);
    g_free(routes->next);
    g_free(routes);
}

uint32_t shortest_routes_next_link(const ShortestRoutes *routes, uint32_t node,
                                   uint32_t target, uint32_t path_id)
{
    uint32_t n = 0;

    g_assert(node != target &&
             shortest_routes_n_hops(routes, node, target) != UINT32_MAX);
    if (routes->row[node] != NO_ROW &&
        *next_link_entry(routes, node, target) != SEVERAL)
        return *next_link_entry(routes, node, target);
    if (!routes->hashes)
        return find_link_nearer_to_target(routes, node, target, 0, &n);
    (void)find_link_nearer_to_target(routes, node, target, UINT32_MAX, &n);
    return find_link_nearer_to_target(
        routes, node, target,
        n == 1 ? 0
               : (uint32_t)(rng_value_at_indices(routes->stream, node, target,
                                                 path_id) %
                            n),
        &n);
}
