/*
 * edmonds.c - as many unit trees down from a root as its least cut has links
 *
 * A tree grows from the root link by link.  A link may be taken when, without
 * it and what the tree has already, ways enough for the other trees are left
 * to every rank; while the tree does not reach all there is always such a link
 * (Lovasz, 1976).  So k trees are found one after the other.
 */
#include "models/packing/trees_impl.h"

/* Takes a link of @left that leads on from the ranks in the tree, and leaves
 * @n_other trees possible. */
static void grow(PackGraph *left, uint32_t root, uint32_t n_other,
                 uint32_t *parents, gboolean *in_tree)
{
    for (uint32_t a = 0; a < left->n; a++)
        for (uint32_t b = 0; b < left->n && in_tree[a]; b++) {
            if (in_tree[b] || left->links[a][b] == 0)
                continue;
            left->links[a][b]--;
            if (n_other == 0 || pack_broadcast_bound(left, root) >= n_other) {
                parents[b] = a;
                in_tree[b] = TRUE;
                return;
            }
            left->links[a][b]++;
        }
    g_assert_not_reached();
}

PackTrees *pack_trees_disjoint(const PackGraph *graph, PackUse use,
                               uint32_t root)
{
    PackTrees *trees = pack_trees_new(use, graph->n);
    g_autofree PackGraph *left = g_memdup2(graph, sizeof *graph);

    g_assert(use != PACK_BOTH && graph->n_ports == 0 && root < graph->n);
    if (use == PACK_UP)
        pack_graph_transpose(graph, left);
    for (uint32_t n = pack_broadcast_bound(left, root); n-- > 0;) {
        uint32_t parents[PACK_MAX_RANKS];
        gboolean in_tree[PACK_MAX_RANKS] = { FALSE };

        parents[root] = root;
        in_tree[root] = TRUE;
        for (uint32_t i = 1; i < graph->n; i++)
            grow(left, root, n, parents, in_tree);
        pack_trees_add(trees, parents, 1);
    }
    pack_trees_count(trees, 1);
    return trees;
}
