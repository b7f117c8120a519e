/*
 * blink_trees.c - channels of a group in one server
 *
 * Near links are packed with trees.  On a switch, an all-reduce uses one star
 * around each rank, with one block of the payload each.  This is the algorithm
 * `direct`: each block is reduced at its rank in one hop and sent to all ranks
 * in another.  If near links do not connect all ranks, a chain leads through
 * the host.
 */
#include <string.h>

#include "models/stacks/blink_impl.h"

/* A cache entry: the trees that were packed on one graph. */
typedef struct {
    PackGraph graph;
    PackUse use;
    uint32_t root;
    PackTrees *trees; /* owned */
} TreeCacheEntry;

static void free_tree_cache_entry(gpointer data)
{
    TreeCacheEntry *packing = data;

    pack_trees_free(packing->trees);
    g_free(packing);
}

GPtrArray *blink_tree_cache_new(void)
{
    return g_ptr_array_new_with_free_func(free_tree_cache_entry);
}

const PackTrees *blink_pack_trees_cached(const BlinkDraft *draft,
                                         const PackGraph *graph, PackUse use,
                                         uint32_t root)
{
    TreeCacheEntry *packing;

    for (guint i = 0; i < draft->packings->len; i++) {
        packing = g_ptr_array_index(draft->packings, i);
        if (packing->use == use && packing->root == root &&
            memcmp(&packing->graph, graph, sizeof *graph) == 0)
            return packing->trees;
    }
    packing = g_new(TreeCacheEntry, 1);
    *packing = (TreeCacheEntry){ *graph, use, root,
                                 pack_fewest_trees_by_ilp(graph, use, root) };
    g_ptr_array_add(draft->packings, packing);
    return packing->trees;
}

static PackUse tree_use_of_collective(CollKind kind)
{
    if (kind == COLL_BROADCAST)
        return PACK_DOWN;
    return kind == COLL_REDUCE ? PACK_UP : PACK_BOTH;
}

void blink_add_channel(BlinkDraft *draft, CollSchedule *schedule,
                       uint32_t plane, uint32_t share)
{
    CollChannel channel = { .algorithm = &coll_scheduled,
                            .schedule = schedule,
                            .plane = plane,
                            .share = share };

    g_ptr_array_add(draft->schedules, schedule);
    g_array_append_val(draft->channels, channel);
    draft->n_steps = MAX(draft->n_steps, schedule->n_steps);
}

/* Records one hop of a channel that uses @n_own of @n_links parallel links.
 * The thread blocks of a channel copy no faster than its own links, so a chunk
 * takes 1 / n_own of its time on one link, where all links would carry it in
 * 1 / n_links. */
static void blink_record_channel_hop(BlinkDraft *draft, uint32_t n_own,
                                     uint32_t n_links)
{
    double narrow = 1.0 / n_own - 1.0 / n_links;

    draft->n_hops++;
    draft->mean_narrowing +=
        (MAX(0, narrow) - draft->mean_narrowing) / draft->n_hops;
}

/* Returns the parents of a chain: the parent of @order[i] is @order[i - 1].
 * The caller frees the array. */
static uint32_t *blink_parents_of_chain(const uint32_t *order, uint32_t n)
{
    uint32_t *parents = g_new(uint32_t, n);

    for (uint32_t i = 0; i < n; i++)
        parents[order[i]] = order[i > 0 ? i - 1 : 0];
    return parents;
}

/* ---- through the host -------------------------------------------------- */

/* Returns the parents of the chain through the host.  The chain starts at the
 * root and follows the order of ranks, which is the order of slots in the
 * machine. */
static uint32_t *parents_of_host_chain(const BlinkDraft *draft)
{
    g_autofree uint32_t *order = g_new(uint32_t, draft->n);

    for (uint32_t i = 0; i < draft->n; i++)
        order[i] = (draft->root + i) % draft->n;
    return blink_parents_of_chain(order, draft->n);
}

uint64_t blink_host_chain_rate(const BlinkDraft *draft)
{
    g_autofree uint32_t *parents = parents_of_host_chain(draft);
    g_autofree NpuEdge *edges = g_new(NpuEdge, 2 * draft->n);
    uint32_t n = 0;

    for (uint32_t r = 0; r < draft->n; r++) {
        uint32_t child = draft->npus[r], parent = draft->npus[parents[r]];

        if (parents[r] == r)
            continue;
        if (draft->kind != COLL_BROADCAST)
            edges[n++] = (NpuEdge){ child, parent };
        if (draft->kind != COLL_REDUCE)
            edges[n++] = (NpuEdge){ parent, child };
    }
    return rank_locality_shared_edge_rate(draft->topology, edges, NULL, n,
                                          TOPOLOGY_PLANE(TOPOLOGY_HOST));
}

CollSchedule *blink_host_chain_schedule(const BlinkDraft *draft)
{
    g_autofree uint32_t *parents = parents_of_host_chain(draft);

    return coll_schedule_of_tree(draft->kind, parents, draft->n);
}

static gboolean add_host_chain_only(BlinkDraft *draft)
{
    draft->bytes_per_s = draft->link_bytes_per_s = blink_host_chain_rate(draft);
    if (draft->bytes_per_s == 0)
        return FALSE;
    blink_add_channel(draft, blink_host_chain_schedule(draft),
                      TOPOLOGY_PLANE(TOPOLOGY_HOST), 1);
    return TRUE;
}

/* ---- over near links ----------------------------------------------------- */

static uint32_t n_links_between_ranks(const PackGraph *graph, uint32_t from,
                                      uint32_t to)
{
    return graph->n_ports > 0 ? graph->n_ports : graph->links[from][to];
}

/* Adds one chain in the order of ranks, which the configuration of the group
 * has chosen. */
static gboolean add_rank_order_chain(BlinkDraft *draft, const PackGraph *graph)
{
    g_autofree uint32_t *order = g_new(uint32_t, draft->n);
    g_autofree uint32_t *parents = NULL;
    uint32_t n_links = UINT32_MAX;

    for (uint32_t i = 0; i < draft->n; i++)
        order[i] = (draft->root + i) % draft->n;
    for (uint32_t i = 1; i < draft->n; i++)
        n_links =
            MIN(n_links, n_links_between_ranks(graph, order[i - 1], order[i]));
    if (n_links == 0)
        return FALSE;
    for (uint32_t i = 1; i < draft->n; i++)
        blink_record_channel_hop(
            draft, n_links,
            n_links_between_ranks(graph, order[i - 1], order[i]));
    parents = blink_parents_of_chain(order, draft->n);
    draft->bytes_per_s = n_links * draft->link_bytes_per_s;
    blink_add_channel(draft,
                      coll_schedule_of_tree(draft->kind, parents, draft->n),
                      TOPOLOGY_PLANE(TOPOLOGY_NEAR), 1);
    return TRUE;
}

/* Adds the channel of an all-reduce on a switch (algorithm `direct`).  Over its
 * ports, each rank sends every byte twice, except those of its own block. */
static void add_direct_channel_on_switch(BlinkDraft *draft,
                                         const PackGraph *graph)
{
    CollChannel channel = { .algorithm = &coll_direct,
                            .plane = TOPOLOGY_PLANE(TOPOLOGY_NEAR),
                            .share = 1 };

    g_array_append_val(draft->channels, channel);
    draft->n_steps = 2;
    draft->bytes_per_s = graph->n_ports * draft->link_bytes_per_s * draft->n /
                         (2 * (draft->n - 1));
}

static void add_packed_tree_channels(BlinkDraft *draft, const PackGraph *graph)
{
    PackUse use = tree_use_of_collective(draft->kind);
    const PackTrees *trees = blink_pack_trees_cached(
        draft, graph, use, use == PACK_BOTH ? PACK_ANY_ROOT : draft->root);
    uint64_t n_shares = 0;

    for (uint32_t t = 0; t < trees->n_trees; t++) {
        blink_add_channel(draft,
                          coll_schedule_of_tree(draft->kind,
                                                pack_tree_parents(trees, t),
                                                draft->n),
                          TOPOLOGY_PLANE(TOPOLOGY_NEAR), trees->shares[t]);
        n_shares += trees->shares[t];
    }
    draft->bytes_per_s = draft->link_bytes_per_s * n_shares / trees->den;
}

gboolean blink_add_single_server_channels(BlinkDraft *draft)
{
    g_autofree PackGraph *graph = g_new(PackGraph, 1);

    if (!rank_locality_near_link_graph(draft->topology, draft->npus, draft->n,
                                       graph, &draft->link_bytes_per_s) ||
        (graph->n_ports == 0 && graph->n > BLINK_MOST_MESHED))
        return FALSE;
    if (draft->params->trees == BLINK_CHAIN)
        return add_rank_order_chain(draft, graph);
    if (graph->n_ports == 0 && !pack_graph_is_connected(graph))
        return add_host_chain_only(draft);
    if (graph->n_ports > 0 && draft->kind == COLL_ALL_REDUCE)
        add_direct_channel_on_switch(draft, graph);
    else
        add_packed_tree_channels(draft, graph);
    return TRUE;
}
