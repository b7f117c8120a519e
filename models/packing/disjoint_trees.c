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

/* Adds a link of @unused_links to the tree such that @n_other more trees remain
 * possible. */
static void grow_tree_from_unused_links(PackGraph *unused_links, uint32_t root,
                                        uint32_t n_other, uint32_t *parents,
                                        gboolean *in_tree)
{
    for (uint32_t a = 0; a < unused_links->n; a++)
        for (uint32_t b = 0; b < unused_links->n && in_tree[a]; b++) {
            if (in_tree[b] || unused_links->links[a][b] == 0)
                continue;
            unused_links->links[a][b]--;
            if (n_other == 0 ||
                pack_broadcast_bound(unused_links, root) >= n_other) {
                parents[b] = a;
                in_tree[b] = TRUE;
                return;
            }
            unused_links->links[a][b]++;
        }
    g_assert_not_reached();
}

PackTrees *pack_trees_disjoint(const PackGraph *graph, PackUse use,
                               uint32_t root)
{
    PackTrees *trees = pack_trees_new(use, graph->n);
    g_autofree PackGraph *unused_links = g_memdup2(graph, sizeof *graph);

    g_assert(use != PACK_BOTH && graph->n_ports == 0 && root < graph->n);
    if (use == PACK_UP)
        pack_graph_transpose(graph, unused_links);
    for (uint32_t n = pack_broadcast_bound(unused_links, root); n-- > 0;) {
        uint32_t parents[PACK_MAX_RANKS];
        gboolean in_tree[PACK_MAX_RANKS] = { FALSE };

        parents[root] = root;
        in_tree[root] = TRUE;
        for (uint32_t i = 1; i < graph->n; i++)
            grow_tree_from_unused_links(unused_links, root, n, parents,
                                        in_tree);
        pack_trees_add_or_increase(trees, parents, 1);
    }
    pack_trees_set_shares(trees, 1);
    return trees;
}
