/* tree_rate_bounds.c - upper bounds of trees, by maximum flows
 * and partitions */
#include "models/packing/tree_rate_bounds.h"

/* ---- broadcast ---------------------------------------------------------- */

/* Augments the flow along a shortest path with free capacity.  Returns the
 * capacity of the path; 0 if there is none. */
static uint32_t augment_max_flow(PackGraph *residual, uint32_t from,
                                 uint32_t to)
{
    uint32_t queue[PACK_MAX_RANKS] = { from }, n_seen = 1;
    uint32_t before[PACK_MAX_RANKS];
    uint32_t most = G_MAXUINT32;

    for (uint32_t i = 0; i < residual->n; i++)
        before[i] = PACK_MAX_RANKS;
    before[from] = from;
    for (uint32_t i = 0; i < n_seen; i++)
        for (uint32_t next = 0; next < residual->n; next++)
            if (before[next] == PACK_MAX_RANKS &&
                residual->links[queue[i]][next] > 0) {
                before[next] = queue[i];
                queue[n_seen++] = next;
            }
    if (before[to] == PACK_MAX_RANKS)
        return 0;
    for (uint32_t at = to; at != from; at = before[at])
        most = MIN(most, residual->links[before[at]][at]);
    for (uint32_t at = to; at != from; at = before[at]) {
        residual->links[before[at]][at] -= most;
        residual->links[at][before[at]] += most;
    }
    return most;
}

static uint32_t max_flow_between_ranks(const PackGraph *graph, uint32_t from,
                                       uint32_t to)
{
    PackGraph room = *graph;
    uint32_t sum = 0, more;

    while ((more = augment_max_flow(&room, from, to)) > 0)
        sum += more;
    return sum;
}

/* Returns the bound of a broadcast, which is the smallest cut.  By the max-flow
 * min-cut theorem, it is the smallest of the maximum flows to the other
 * ranks. */
uint32_t pack_broadcast_bound(const PackGraph *graph, uint32_t root)
{
    uint32_t least = G_MAXUINT32;

    g_assert(root < graph->n);
    if (graph->n == 1)
        return 0;
    if (graph->n_ports > 0)
        return graph->n_ports;
    for (uint32_t to = 0; to < graph->n; to++)
        if (to != root)
            least = MIN(least, max_flow_between_ranks(graph, root, to));
    return least;
}

/* ---- all-reduce --------------------------------------------------------- */

typedef struct {
    const PackGraph *graph;
    uint32_t parts[PACK_MAX_PARTITIONED]; /* the partition of each rank */
    PackRatio least;
} Partition;

/* Assigns @rank to each existing part, and to a new one, and continues with the
 * next rank.  @n_crossing links connect different parts of the ranks before. */
static void examine_partitions_with_rank(Partition *partition, uint32_t rank,
                                         uint32_t n_parts, uint32_t n_crossing)
{
    const PackGraph *graph = partition->graph;

    if (rank == graph->n) {
        PackRatio ratio;

        if (n_parts < 2)
            return;
        ratio = pack_ratio_in_lowest_terms(n_crossing, n_parts - 1);
        if (pack_ratio_is_less(ratio, partition->least))
            partition->least = ratio;
        return;
    }
    for (uint32_t part = 0; part <= n_parts; part++) {
        uint32_t more = n_crossing;

        for (uint32_t to = 0; to < rank; to++)
            if (partition->parts[to] != part)
                more += MIN(graph->links[rank][to], graph->links[to][rank]);
        partition->parts[rank] = part;
        examine_partitions_with_rank(partition, rank + 1,
                                     MAX(n_parts, part + 1), more);
    }
}

/* Examines the partition into single ranks, and each rank against the rest. */
static PackRatio bound_tree_rate_by_single_ranks(const PackGraph *graph)
{
    PackRatio least = pack_ratio_in_lowest_terms(pack_graph_n_links(graph),
                                                 (uint64_t)graph->n - 1);

    for (uint32_t a = 0; a < graph->n; a++) {
        PackRatio ratio = { 0, 1 };

        for (uint32_t b = 0; b < graph->n; b++)
            ratio.num += MIN(graph->links[a][b], graph->links[b][a]);
        if (pack_ratio_is_less(ratio, least))
            least = ratio;
    }
    return least;
}

PackRatio pack_all_reduce_bound(const PackGraph *graph)
{
    Partition p = { .graph = graph, .least = { G_MAXUINT32, 1 } };

    if (graph->n == 1)
        return (PackRatio){ 0, 1 };
    /* Each link of a tree occupies a port at both of its ends, in both
     * directions. */
    if (graph->n_ports > 0)
        return pack_ratio_in_lowest_terms((uint64_t)graph->n * graph->n_ports,
                                          2 * (uint64_t)(graph->n - 1));
    if (graph->n > PACK_MAX_PARTITIONED)
        return bound_tree_rate_by_single_ranks(graph);
    examine_partitions_with_rank(&p, 0, 0, 0);
    return p.least;
}

PackRatio pack_ring_rate(uint32_t n, uint32_t n_rings)
{
    g_assert(n > 1);
    return pack_ratio_in_lowest_terms((uint64_t)n_rings * n,
                                      2 * (uint64_t)(n - 1));
}
