/* shortest.c - hops to each destination, by a search from there */
#include "network/routing/shortest.h"

#include <string.h>

#include "sim/core/rng.h"

#define NO_WAY  UINT16_MAX
#define NO_ROW  UINT32_MAX
#define NO_LINK UINT32_MAX
#define SEVERAL (UINT32_MAX - 1) /* of which a hash chooses */
#define FEW     16 /* links that are looked at: about as quick as a table */

struct Routes {
    uint32_t n_nodes, n_ends;
    uint32_t *first_out; /* owned: of each node, in .out; n_nodes + 1 */
    uint32_t *out;       /* owned: links, in their order */
    uint32_t *to;        /* owned: of each link */
    uint16_t *hops;      /* owned: n_nodes for each target */
    uint32_t n_targets;
    uint32_t *row;  /* owned: of each node, in .next; NO_ROW: of few links */
    uint32_t *next; /* owned: the link to each target, n_targets a row */
    gboolean hashes;
    RngStream stream;
};

/* Links that are used, by the node at one of their ends: *@ret_first of each
 * node in the array that is returned. */
static uint32_t *sort_links(const RoutesOf *of, const uint32_t *node,
                            uint32_t **ret_first)
{
    uint32_t *first = g_new0(uint32_t, of->n_nodes + 1);
    uint32_t *links = g_new(uint32_t, MAX(of->n_links, 1));
    g_autofree uint32_t *at = NULL;

    for (uint32_t i = 0; i < of->n_links; i++)
        if (!of->uses || of->uses[i])
            first[node[i] + 1]++;
    for (uint32_t i = 0; i < of->n_nodes; i++)
        first[i + 1] += first[i];
    at = g_memdup2(first, (of->n_nodes + 1) * sizeof *first);
    for (uint32_t i = 0; i < of->n_links; i++)
        if (!of->uses || of->uses[i])
            links[at[node[i]]++] = i;
    *ret_first = first;
    return links;
}

/* Whether a way to @target may lead over @node, or stop there. */
static gboolean leads_on(const Routes *routes, uint32_t node, uint32_t target)
{
    return node >= routes->n_ends || node == target;
}

static uint32_t *next_of(const Routes *routes, uint32_t node, uint32_t target)
{
    return &routes->next[(gsize)routes->row[node] * routes->n_targets + target];
}

/* Rows of nodes that have many links, all of which lead nowhere yet. */
static void make_rows(Routes *routes)
{
    uint32_t n_rows = 0;
    gsize n;

    routes->row = g_new(uint32_t, routes->n_nodes);
    for (uint32_t i = 0; i < routes->n_nodes; i++)
        routes->row[i] = routes->first_out[i + 1] - routes->first_out[i] > FEW
                             ? n_rows++
                             : NO_ROW;
    n = MAX((gsize)n_rows * routes->n_targets, 1);
    routes->next = g_new(uint32_t, n);
    memset(routes->next, 0xff, n * sizeof *routes->next); /* NO_LINK */
}

/* @link leads nearer to @target: of several the first, or, where one is to be
 * chosen, none. */
static void note_next(const Routes *routes, uint32_t node, uint32_t target,
                      uint32_t link)
{
    uint32_t *next;

    if (routes->row[node] == NO_ROW)
        return;
    next = next_of(routes, node, target);
    if (*next == NO_LINK)
        *next = link;
    else
        *next = routes->hashes ? SEVERAL : MIN(*next, link);
}

/* Hops of all nodes to @target, by a search back from there.  @queue has room
 * for all nodes. */
static void search_from(Routes *routes, const RoutesOf *of, uint32_t target,
                        const uint32_t *first_in, const uint32_t *in,
                        uint32_t *queue)
{
    uint16_t *hops = &routes->hops[(gsize)target * of->n_nodes];
    uint32_t n_queued = 0;

    for (uint32_t i = 0; i < of->n_nodes; i++)
        hops[i] = NO_WAY;
    hops[target] = 0;
    queue[n_queued++] = target;
    for (uint32_t q = 0; q < n_queued; q++) {
        uint32_t node = queue[q];

        if (!leads_on(routes, node, target))
            continue;
        for (uint32_t i = first_in[node]; i < first_in[node + 1]; i++) {
            uint32_t before = of->from[in[i]];

            if (hops[before] == NO_WAY) {
                hops[before] = (uint16_t)(hops[node] + 1);
                queue[n_queued++] = before;
            }
            if (hops[before] == hops[node] + 1)
                note_next(routes, before, target, in[i]);
        }
    }
}

uint32_t routes_hops(const Routes *routes, uint32_t at, uint32_t target)
{
    uint16_t hops = routes->hops[(gsize)target * routes->n_nodes + at];

    return hops == NO_WAY ? UINT32_MAX : hops;
}

/* Number @k of the links that lead nearer, or how many there are. */
static uint32_t find_nearer(const Routes *routes, uint32_t at, uint32_t target,
                            uint32_t k, uint32_t *ret_n)
{
    uint32_t nearer = routes_hops(routes, at, target) - 1, n = 0;

    for (uint32_t i = routes->first_out[at]; i < routes->first_out[at + 1];
         i++) {
        uint32_t link = routes->out[i];

        if (routes_hops(routes, routes->to[link], target) != nearer ||
            !leads_on(routes, routes->to[link], target))
            continue;
        if (n++ == k)
            return link;
    }
    *ret_n = n;
    return UINT32_MAX;
}

Routes *routes_new(const RoutesOf *of)
{
    Routes *routes = g_new0(Routes, 1);
    g_autofree uint32_t *first_in = NULL;
    g_autofree uint32_t *in = sort_links(of, of->to, &first_in);
    g_autofree uint32_t *queue = g_new(uint32_t, of->n_nodes);

    routes->n_nodes = of->n_nodes;
    routes->n_ends = of->n_ends;
    routes->out = sort_links(of, of->from, &routes->first_out);
    routes->to = g_memdup2(of->to, of->n_links * sizeof *of->to);
    routes->hashes = of->hashes;
    routes->stream = rng_stream(of->seed, "routes");
    routes->n_targets = of->n_targets;
    make_rows(routes);
    routes->hops = g_new(uint16_t, (gsize)of->n_nodes * of->n_targets);
    for (uint32_t target = 0; target < of->n_targets; target++)
        search_from(routes, of, target, first_in, in, queue);
    return routes;
}

void routes_free(Routes *routes)
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

uint32_t routes_next(const Routes *routes, uint32_t at, uint32_t target,
                     uint32_t way)
{
    uint32_t n = 0;

    g_assert(at != target && routes_hops(routes, at, target) != UINT32_MAX);
    if (routes->row[at] != NO_ROW && *next_of(routes, at, target) != SEVERAL)
        return *next_of(routes, at, target);
    if (!routes->hashes)
        return find_nearer(routes, at, target, 0, &n);
    (void)find_nearer(routes, at, target, UINT32_MAX, &n);
    return find_nearer(
        routes, at, target,
        n == 1 ? 0 : (uint32_t)(rng_at(routes->stream, at, target, way) % n),
        &n);
}
