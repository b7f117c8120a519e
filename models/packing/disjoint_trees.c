/*
 * disjoint_trees.c - packs as many disjoint trees from a root as the smallest
 * cut has links
 *
 * A tree grows from the root link by link.  A link may be taken if enough paths
 * to every rank remain for the other trees, without that link and the tree so
 * far.  Such a link exists until the tree reaches all ranks (Lovasz, 1976).  So
 * k trees are found one after the other.
 */
#include "models/packing/spanning_trees_impl.h"

/* Adds a link of @left to the tree such that @n_other more trees remain
 * possible. */
static void grow_disjoint_tree(PackGraph *left, uint32_t root, uint32_t n_other,
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
            grow_disjoint_tree(left, root, n, parents, in_tree);
        pack_trees_add_or_increase(trees, parents, 1);
    }
    pack_trees_set_shares(trees, 1);
    return trees;
}
