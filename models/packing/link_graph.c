/* link_graph.c - the links between a few ranks */
#include "models/packing/link_graph.h"

PackRatio pack_ratio_in_lowest_terms(uint64_t num, uint64_t den)
{
    uint64_t a = num, b = den;

    g_assert(den > 0);
    while (b > 0) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    g_assert(num / a <= G_MAXUINT32 && den / a <= G_MAXUINT32);
    return (PackRatio){ (uint32_t)(num / a), (uint32_t)(den / a) };
}

gboolean pack_ratio_is_less(PackRatio a, PackRatio b)
{
    return (uint64_t)a.num * b.den < (uint64_t)b.num * a.den;
}

void pack_graph_add_links(PackGraph *graph, uint32_t a, uint32_t b,
                          uint32_t n_links)
{
    g_assert(a < graph->n && b < graph->n && a != b);
    graph->links[a][b] += n_links;
    graph->links[b][a] += n_links;
}

void pack_graph_subgraph(const PackGraph *graph, const uint32_t *ranks,
                         uint32_t n, PackGraph *ret)
{
    g_assert(n > 0 && n <= graph->n && ret != graph);
    *ret = (PackGraph){ .n = n, .n_ports = graph->n_ports };
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            ret->links[a][b] = graph->links[ranks[a]][ranks[b]];
}

void pack_graph_transpose(const PackGraph *graph, PackGraph *ret)
{
    g_assert(ret != graph);
    *ret = (PackGraph){ .n = graph->n, .n_ports = graph->n_ports };
    for (uint32_t a = 0; a < graph->n; a++)
        for (uint32_t b = 0; b < graph->n; b++)
            ret->links[a][b] = graph->links[b][a];
}

gboolean pack_graph_is_connected(const PackGraph *graph)
{
    uint32_t queue[PACK_MAX_RANKS] = { 0 }, n_seen = 1;
    gboolean seen[PACK_MAX_RANKS] = { TRUE };

    if (graph->n_ports > 0)
        return TRUE;
    for (uint32_t i = 0; i < n_seen; i++)
        for (uint32_t to = 0; to < graph->n; to++)
            if (!seen[to] && graph->links[queue[i]][to] > 0) {
                seen[to] = TRUE;
                queue[n_seen++] = to;
            }
    return n_seen == graph->n;
}

uint32_t pack_graph_n_links(const PackGraph *graph)
{
    uint32_t n = graph->n * graph->n_ports;

    for (uint32_t a = 0; a < graph->n && graph->n_ports == 0; a++)
        for (uint32_t b = a + 1; b < graph->n; b++)
            n += MIN(graph->links[a][b], graph->links[b][a]);
    return n;
}
