/* spanning_trees.c - operations on spanning trees, and the trees on a switch */
#include "models/packing/spanning_trees.h"

#include <string.h>

#include "models/packing/spanning_trees_impl.h"

PackTrees *pack_trees_new(PackUse use, uint32_t n_ranks)
{
    PackTrees *trees = g_new0(PackTrees, 1);

    trees->use = use;
    trees->n_ranks = n_ranks;
    return trees;
}

void pack_trees_free(PackTrees *trees)
{
    if (!trees)
        return;
    g_free(trees->shares);
    g_free(trees->rates);
    g_free(trees->parents);
    g_free(trees);
}

void pack_trees_add_or_increase(PackTrees *trees, const uint32_t *parents,
                                double rate)
{
    gsize bytes = trees->n_ranks * sizeof *parents;
    uint32_t t = 0;

    while (t < trees->n_trees &&
           memcmp(pack_tree_parents(trees, t), parents, bytes) != 0)
        t++;
    if (t < trees->n_trees) {
        trees->rates[t] += rate;
        return;
    }
    trees->n_trees++;
    trees->rates = g_renew(double, trees->rates, trees->n_trees);
    trees->parents = g_renew(uint32_t, trees->parents,
                             (gsize)trees->n_trees * trees->n_ranks);
    trees->rates[t] = rate;
    memcpy(trees->parents + (gsize)t * trees->n_ranks, parents, bytes);
}

void pack_trees_scale_rates(PackTrees *trees, double factor)
{
    for (uint32_t t = 0; t < trees->n_trees; t++)
        trees->rates[t] *= factor;
}

void pack_trees_set_shares(PackTrees *trees, uint32_t den)
{
    g_assert(!trees->shares && den > 0);
    trees->den = den;
    trees->shares = g_new(uint32_t, trees->n_trees);
    for (uint32_t t = 0; t < trees->n_trees; t++)
        trees->shares[t] = (uint32_t)(trees->rates[t] * den + 0.5);
}

double pack_trees_total_rate(const PackTrees *trees)
{
    double sum = 0;

    for (uint32_t t = 0; t < trees->n_trees; t++)
        sum += trees->rates[t];
    return sum;
}

/* ---- utilisation ------------------------------------------------------- */

/* Returns the load of every link, at [from * n + to]. */
static double *compute_link_loads_of_trees(const PackTrees *trees)
{
    uint32_t n = trees->n_ranks;
    double *load = g_new0(double, (gsize)n *n);

    for (uint32_t t = 0; t < trees->n_trees; t++)
        for (uint32_t child = 0; child < n; child++) {
            uint32_t parent = pack_tree_parents(trees, t)[child];

            if (parent != child && trees->use != PACK_UP)
                load[parent * n + child] += trees->rates[t];
            if (parent != child && trees->use != PACK_DOWN)
                load[child * n + parent] += trees->rates[t];
        }
    return load;
}

/* Returns the largest utilisation of a port.  The ports of a rank carry the
 * load of all its links. */
static double max_port_utilisation(const double *load, uint32_t n,
                                   uint32_t n_ports)
{
    double most = 0;

    for (uint32_t rank = 0; rank < n; rank++) {
        double in = 0, out = 0;

        for (uint32_t other = 0; other < n; other++) {
            out += load[rank * n + other];
            in += load[other * n + rank];
        }
        most = MAX(most, MAX(in, out) / n_ports);
    }
    return most;
}

double pack_trees_utilisation(const PackGraph *graph, const PackTrees *trees)
{
    g_autofree double *load = compute_link_loads_of_trees(trees);
    uint32_t n = trees->n_ranks;
    double most = 0;

    g_assert(graph->n == n);
    if (graph->n_ports > 0)
        return max_port_utilisation(load, n, graph->n_ports);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            if (load[a * n + b] > 0) {
                g_assert(graph->links[a][b] > 0);
                most = MAX(most, load[a * n + b] / graph->links[a][b]);
            }
    return most;
}

/* ---- one tree ----------------------------------------------------------- */

uint32_t pack_tree_depth(const uint32_t *parents, uint32_t n_ranks)
{
    uint32_t most = 0;

    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        uint32_t depth = 0;

        for (uint32_t at = rank; parents[at] != at; at = parents[at])
            depth++;
        most = MAX(most, depth);
    }
    return most;
}

/* Makes @root the root of a tree, by reversing the path from it to the old
 * root. */
static void reroot_tree_parents(uint32_t *parents, uint32_t root)
{
    uint32_t at = root, before = root;

    while (parents[at] != at) {
        uint32_t next = parents[at];

        parents[at] = before;
        before = at;
        at = next;
    }
    parents[at] = before;
}

void pack_tree_reroot(uint32_t *parents, uint32_t n, uint32_t root)
{
    uint32_t middle = 0, least = G_MAXUINT32;

    for (uint32_t rank = 0; rank < n && root == PACK_ANY_ROOT; rank++) {
        uint32_t depth;

        reroot_tree_parents(parents, rank);
        depth = pack_tree_depth(parents, n);
        if (depth < least) {
            least = depth;
            middle = rank;
        }
    }
    reroot_tree_parents(parents, root == PACK_ANY_ROOT ? middle : root);
}

/* ---- trees on a switch -------------------------------------------------- */

/* Adds a star around @centre.  If @root is another rank, the tree is the link
 * to @centre and then the star; the root's own links then carry 1 / (n - 1) of
 * the data for each centre. */
static void add_star_around_rank(PackTrees *trees, uint32_t centre,
                                 uint32_t root)
{
    uint32_t parents[PACK_MAX_RANKS];

    for (uint32_t rank = 0; rank < trees->n_ranks; rank++)
        parents[rank] = centre;
    if (root != centre) {
        parents[centre] = root;
        parents[root] = root;
    }
    pack_trees_add_or_increase(trees, parents, 1);
}

/* Returns the trees on a switch.  Down from a root, each of the n - 1 other
 * ranks passes one part on to the n - 2 others.  For all-reduce, every rank
 * sums one part of n and sends it back, over 2 (n - 1) links in total. */
PackTrees *pack_trees_on_switch(const PackGraph *graph, PackUse use,
                                uint32_t root)
{
    uint32_t n = graph->n;
    PackTrees *trees = pack_trees_new(use, n);

    for (uint32_t centre = 0; centre < n && n > 1; centre++)
        if (use == PACK_BOTH)
            add_star_around_rank(trees, centre,
                                 root == PACK_ANY_ROOT ? centre : root);
        else if (centre != root)
            add_star_around_rank(trees, centre, root);
    if (trees->n_trees > 0)
        pack_trees_scale_rates(trees, 1 / pack_trees_utilisation(graph, trees));
    pack_trees_set_shares(trees, n == 1             ? 1
                                 : use == PACK_BOTH ? 2 * (n - 1)
                                                    : n - 1);
    return trees;
}
