/* arborescence.c - finds the cheapest tree by contracting cycles */
#include "models/packing/arborescence.h"

#include <math.h>
#include <string.h>

/* A graph in which a cycle has been contracted to its last rank. */
typedef struct {
    uint32_t n;
    double *costs; /* owned: the cost of link [a, b] */
    /* Owned: for link [a, b], its source in the original graph. */
    uint32_t *from;
    /* Owned: for link [a, b], its target in the original graph. */
    uint32_t *to;
    uint32_t
        *name; /* owned: maps a rank of the original graph to one of this */
} ContractedGraph;

static void contracted_graph_clear(ContractedGraph *graph)
{
    g_free(graph->costs);
    g_free(graph->from);
    g_free(graph->to);
    g_free(graph->name);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ContractedGraph, contracted_graph_clear)

static gboolean choose_cheapest_parents(const double *costs, uint32_t n,
                                        uint32_t root, uint32_t *parents)
{
    for (uint32_t to = 0; to < n; to++) {
        parents[to] = to;
        for (uint32_t from = 0; from < n && to != root; from++)
            if (from != to &&
                (parents[to] == to
                     ? costs[from * n + to] < INFINITY
                     : costs[from * n + to] < costs[parents[to] * n + to]))
                parents[to] = from;
        if (parents[to] == to && to != root)
            return FALSE;
    }
    return TRUE;
}

/* Returns a rank on a cycle, or n if there is none. */
static uint32_t find_cycle_of_parents(const uint32_t *parents, uint32_t n)
{
    for (uint32_t rank = 0; rank < n; rank++) {
        uint32_t at = parents[rank];

        for (uint32_t i = 0; i < n && at != rank && parents[at] != at; i++)
            at = parents[at];
        if (at == rank && parents[at] != at)
            return rank;
    }
    return n;
}

static void number_ranks_of_contracted_graph(ContractedGraph *graph,
                                             const uint32_t *parents,
                                             uint32_t n, uint32_t on_cycle)
{
    uint32_t at = on_cycle;

    graph->name = g_new0(uint32_t, n);
    do {
        graph->name[at] = n;
        at = parents[at];
    } while (at != on_cycle);
    for (uint32_t rank = 0; rank < n; rank++)
        if (graph->name[rank] != n)
            graph->name[rank] = graph->n++;
    for (uint32_t rank = 0; rank < n; rank++)
        graph->name[rank] = MIN(graph->name[rank], graph->n);
    graph->n++;
}

static void contract_cycle(ContractedGraph *graph, const double *costs,
                           const uint32_t *parents, uint32_t n)
{
    uint32_t cycle = graph->n - 1;

    graph->costs = g_new(double, (gsize)graph->n * graph->n);
    graph->from = g_new0(uint32_t, (gsize)graph->n * graph->n);
    graph->to = g_new0(uint32_t, (gsize)graph->n * graph->n);
    for (uint32_t i = 0; i < graph->n * graph->n; i++)
        graph->costs[i] = INFINITY;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++) {
            uint32_t link = graph->name[a] * graph->n + graph->name[b];
            double cost = costs[a * n + b];

            if (graph->name[a] == graph->name[b] || isinf(cost))
                continue;
            if (graph->name[b] == cycle)
                cost -= costs[parents[b] * n + b];
            if (cost >= graph->costs[link])
                continue;
            graph->costs[link] = cost;
            graph->from[link] = a;
            graph->to[link] = b;
        }
}

/* Replaces links of @parents by the links of the contracted graph's tree. */
static void expand_contracted_tree(const ContractedGraph *graph,
                                   const uint32_t *inner, uint32_t *parents)
{
    for (uint32_t rank = 0; rank < graph->n; rank++) {
        uint32_t link = inner[rank] * graph->n + rank;

        if (inner[rank] != rank)
            parents[graph->to[link]] = graph->from[link];
    }
}

gboolean pack_cheapest_arborescence(const double *costs, uint32_t n,
                                    uint32_t root, uint32_t *ret_parents)
{
    g_auto(ContractedGraph) s = { 0 };
    g_autofree uint32_t *inner = NULL;
    uint32_t on_cycle;

    g_assert(root < n);
    if (!choose_cheapest_parents(costs, n, root, ret_parents))
        return FALSE;
    on_cycle = find_cycle_of_parents(ret_parents, n);
    if (on_cycle == n)
        return TRUE;
    number_ranks_of_contracted_graph(&s, ret_parents, n, on_cycle);
    contract_cycle(&s, costs, ret_parents, n);
    inner = g_new(uint32_t, s.n);
    if (!pack_cheapest_arborescence(s.costs, s.n, s.name[root], inner))
        return FALSE;
    expand_contracted_tree(&s, inner, ret_parents);
    return TRUE;
}
