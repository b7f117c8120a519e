/* packing_fixture.h - machine graphs for the tests of tree and ring packing */
#ifndef TESTS_MODELS_PACKING_PACKING_FIXTURE_H
#define TESTS_MODELS_PACKING_PACKING_FIXTURE_H

#include "tests/test.h"

#include "models/packing/link_graph.h"

/* The NVLinks of a DGX-1V: {GPU, GPU, number of links}. A DGX-1P has one link
 * for each of these pairs (NCCLTOPO). */
static inline PackGraph dgx1_graph(gboolean is_volta)
{
    static const uint32_t links[][3] = {
        { 0, 1, 1 }, { 0, 2, 1 }, { 0, 3, 2 }, { 0, 4, 2 },
        { 1, 2, 2 }, { 1, 3, 1 }, { 1, 5, 2 }, { 2, 3, 2 },
        { 2, 6, 1 }, { 3, 7, 1 }, { 4, 5, 1 }, { 4, 6, 1 },
        { 4, 7, 2 }, { 5, 6, 2 }, { 5, 7, 1 }, { 6, 7, 2 },
    };
    PackGraph graph = { .n = 8 };

    for (guint i = 0; i < G_N_ELEMENTS(links); i++)
        pack_graph_add_links(&graph, links[i][0], links[i][1],
                             is_volta ? links[i][2] : 1);
    return graph;
}

static inline PackGraph complete_graph(uint32_t n, uint32_t n_links)
{
    PackGraph graph = { .n = n };

    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++)
            pack_graph_add_links(&graph, a, b, n_links);
    return graph;
}

/* Returns a graph with 0 to @most links from each rank to each other rank. @rng
 * draws the number of links for each direction separately. */
static inline PackGraph random_graph(GRand *rng, uint32_t n, int most)
{
    PackGraph graph = { .n = n };

    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            if (a != b)
                graph.links[a][b] =
                    (uint32_t)g_rand_int_range(rng, 0, most + 1);
    return graph;
}

#endif
