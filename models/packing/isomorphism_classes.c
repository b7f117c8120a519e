/* isomorphism_classes.c - enumerates sets of ranks, and compares them for
 * isomorphism */
#include "models/packing/isomorphism_classes.h"

/* ---- isomorphism ------------------------------------------------------- */

typedef struct {
    const PackGraph *a, *b;
    /* The rank of graph b to which each rank of graph a is mapped, as far as it
     * is assigned. */
    uint32_t image[PACK_MAX_RANKS];
    gboolean taken[PACK_MAX_RANKS];
} Match;

static gboolean rank_fits_isomorphic_image(const Match *match, uint32_t rank,
                                           uint32_t image)
{
    for (uint32_t i = 0; i < rank; i++)
        if (match->a->links[rank][i] !=
                match->b->links[image][match->image[i]] ||
            match->a->links[i][rank] != match->b->links[match->image[i]][image])
            return FALSE;
    return TRUE;
}

static gboolean match_remaining_ranks(Match *match, uint32_t rank)
{
    if (rank == match->a->n)
        return TRUE;
    for (uint32_t image = 0; image < match->b->n; image++) {
        if (match->taken[image] ||
            !rank_fits_isomorphic_image(match, rank, image))
            continue;
        match->taken[image] = TRUE;
        match->image[rank] = image;
        if (match_remaining_ranks(match, rank + 1))
            return TRUE;
        match->taken[image] = FALSE;
    }
    return FALSE;
}

gboolean pack_graphs_are_isomorphic(const PackGraph *graph, const PackGraph *b)
{
    Match m = { .a = graph, .b = b };

    if (graph->n != b->n || graph->n_ports != b->n_ports)
        return FALSE;
    if (graph->n_ports > 0)
        return TRUE;
    return pack_graph_n_links(graph) == pack_graph_n_links(b) &&
           match_remaining_ranks(&m, 0);
}

/* ---- sets of ranks ------------------------------------------------------ */

/* Returns a hash of the links that is equal for isomorphic graphs and differs
 * for most other graphs. */
static uint64_t fingerprint_of_link_graph(const PackGraph *graph)
{
    uint64_t sum = 0;

    for (uint32_t a = 0; a < graph->n; a++) {
        uint64_t rank = 1;

        for (uint32_t b = 0; b < graph->n; b++)
            rank += (uint64_t)graph->links[a][b] * graph->links[a][b] * 64 +
                    graph->links[a][b] * 3 + graph->links[b][a];
        sum += rank * rank * rank;
    }
    return sum;
}

typedef struct {
    const PackGraph *graph;
    GArray *classes;      /* the classes found so far (PackClass) */
    GArray *fingerprints; /* the fingerprint of each class (uint64_t) */
} Sets;

static void add_rank_set_to_classes(Sets *sets, const uint32_t *ranks,
                                    uint32_t n, uint32_t first)
{
    g_autofree PackGraph *graph = g_new(PackGraph, 1);
    g_autofree PackGraph *other = g_new(PackGraph, 1);
    PackClass class = { .n_ranks = n, .n_sets = 1 };
    uint64_t fingerprint_of_set;

    pack_graph_subgraph(sets->graph, ranks, n, graph);
    if (!pack_graph_is_connected(graph))
        return;
    fingerprint_of_set = fingerprint_of_link_graph(graph);
    for (guint i = first; i < sets->classes->len; i++) {
        PackClass *known = &g_array_index(sets->classes, PackClass, i);

        if (g_array_index(sets->fingerprints, uint64_t, i) !=
            fingerprint_of_set)
            continue;
        pack_graph_subgraph(sets->graph, known->ranks, n, other);
        if (!pack_graphs_are_isomorphic(graph, other))
            continue;
        known->n_sets++;
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        class.ranks[i] = ranks[i];
    g_array_append_val(sets->classes, class);
    g_array_append_val(sets->fingerprints, fingerprint_of_set);
}

/* Replaces @ranks by the next set of @size ranks in order.  Returns FALSE after
 * the last one. */
static gboolean next_rank_set_in_order(uint32_t *ranks, uint32_t size,
                                       uint32_t n)
{
    for (uint32_t i = size; i-- > 0;) {
        if (ranks[i] + size - i >= n)
            continue;
        ranks[i]++;
        for (uint32_t j = i + 1; j < size; j++)
            ranks[j] = ranks[j - 1] + 1;
        return TRUE;
    }
    return FALSE;
}

static uint64_t n_rank_sets_of_size(uint32_t n, uint32_t size)
{
    unsigned __int128 sets = 1;

    for (uint32_t i = 0; i < size; i++)
        sets = sets * (n - i) / (i + 1);
    return (uint64_t)MIN(sets, UINT64_MAX);
}

static void add_rank_sets_of_size(Sets *sets, uint32_t size)
{
    uint32_t ranks[PACK_MAX_RANKS];
    guint first = sets->classes->len;

    for (uint32_t i = 0; i < size; i++)
        ranks[i] = i;
    do
        add_rank_set_to_classes(sets, ranks, size, first);
    while (sets->graph->n_ports == 0 &&
           next_rank_set_in_order(ranks, size, sets->graph->n));
    if (sets->graph->n_ports > 0)
        g_array_index(sets->classes, PackClass, first).n_sets =
            n_rank_sets_of_size(sets->graph->n, size);
}

GArray *pack_find_isomorphism_classes(const PackGraph *graph, uint32_t least,
                                      uint32_t most)
{
    Sets s = { graph, g_array_new(FALSE, FALSE, sizeof(PackClass)),
               g_array_new(FALSE, FALSE, sizeof(uint64_t)) };

    g_assert(graph->n_ports > 0 || graph->n <= PACK_MAX_CLASSIFIED);
    for (uint32_t n = MAX(least, 1); n <= MIN(most, graph->n); n++)
        add_rank_sets_of_size(&s, n);
    g_array_unref(s.fingerprints);
    return s.classes;
}
