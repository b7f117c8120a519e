/*
 * tree_ilp.c - selects few trees whose rates are multiples of 1 / den of a link
 *
 * The first integer program maximises the sum of the integer rates x_t of the
 * trees t, with at most den c used of every link of capacity c.  The second
 * one minimises the number of trees for that sum: it minimises sum y_t with
 * x_t <= most_t y_t and y_t binary.
 */
#include <string.h>

#include "models/packing/integer_program.h"
#include "models/packing/spanning_trees_impl.h"

/* The maximum number of nodes of each integer program.  A search usually takes
 * some tens. */
#define MAX_NODES 200

typedef struct {
    const PackGraph *graph;
    const PackTrees *trees; /* borrowed: the candidate trees */
    uint32_t den;
    uint32_t *rates; /* owned: the rate of each candidate in units of 1 / den */
    uint32_t sum;
} TreeIlp;

/* Returns the capacity of the link between @parent and @child, in 1 / den. */
static uint32_t scaled_capacity_of_link(const TreeIlp *ilp, uint32_t parent,
                                        uint32_t child)
{
    return ilp->den * pack_link_capacity_for_use(ilp->graph, ilp->trees->use,
                                                 parent, child);
}

static uint32_t max_scaled_rate_of_tree(const TreeIlp *ilp, uint32_t tree)
{
    const uint32_t *parents = pack_tree_parents(ilp->trees, tree);
    uint32_t least = G_MAXUINT32;

    for (uint32_t rank = 0; rank < ilp->graph->n; rank++)
        if (parents[rank] != rank)
            least =
                MIN(least, scaled_capacity_of_link(ilp, parents[rank], rank));
    return least;
}

/* Adds a constraint for each link to @program, whose first variables are the
 * rates of the candidates. */
static void add_link_capacity_constraints(const TreeIlp *ilp,
                                          PackIntegerProgram *program)
{
    uint32_t n = ilp->graph->n;
    gboolean both = ilp->trees->use == PACK_BOTH;

    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = both ? a + 1 : 0; b < n; b++) {
            uint32_t row, capacity = scaled_capacity_of_link(ilp, a, b);

            if (capacity == 0)
                continue;
            row = pack_integer_program_add_constraint(program, 0, capacity);
            for (uint32_t t = 0; t < ilp->trees->n_trees; t++) {
                const uint32_t *parents = pack_tree_parents(ilp->trees, t);

                if ((parents[b] == a && a != b) || (both && parents[a] == b))
                    pack_integer_program_set_coefficient(program, row, t, 1);
            }
        }
}

/* Maximises the sum of rates.  @bound is an upper bound of the sum, which lets
 * the search end early. */
static void maximise_sum_of_tree_rates(TreeIlp *ilp, uint32_t bound)
{
    g_autoptr(PackIntegerProgram) program = pack_integer_program_new();
    uint32_t row = pack_integer_program_add_constraint(program, 0, bound);

    for (uint32_t t = 0; t < ilp->trees->n_trees; t++) {
        pack_integer_program_add_variable(program, 1,
                                          max_scaled_rate_of_tree(ilp, t));
        pack_integer_program_set_coefficient(program, row, t, 1);
    }
    add_link_capacity_constraints(ilp, program);
    pack_integer_program_solve(program, MAX_NODES, ilp->rates);
    for (uint32_t t = 0; t < ilp->trees->n_trees; t++)
        ilp->sum += ilp->rates[t];
}

static uint32_t n_used_trees(const uint32_t *rates, uint32_t n)
{
    uint32_t n_trees = 0;

    for (uint32_t t = 0; t < n; t++)
        n_trees += rates[t] > 0 ? 1 : 0;
    return n_trees;
}

static void minimise_number_of_trees(TreeIlp *ilp)
{
    g_autoptr(PackIntegerProgram) program = pack_integer_program_new();
    uint32_t n = ilp->trees->n_trees;
    g_autofree uint32_t *rates = g_new0(uint32_t, 2 * (gsize)n);
    uint32_t row =
        pack_integer_program_add_constraint(program, ilp->sum, ilp->sum);

    for (uint32_t t = 0; t < n; t++) {
        pack_integer_program_add_variable(program, 0,
                                          max_scaled_rate_of_tree(ilp, t));
        pack_integer_program_set_coefficient(program, row, t, 1);
    }
    add_link_capacity_constraints(ilp, program);
    for (uint32_t t = 0; t < n; t++) {
        uint32_t most = max_scaled_rate_of_tree(ilp, t);
        uint32_t is_used = pack_integer_program_add_variable(program, -1, 1);

        row = pack_integer_program_add_constraint(program, 0, most);
        pack_integer_program_set_coefficient(program, row, is_used, most);
        pack_integer_program_set_coefficient(program, row, t, -1);
    }
    if (pack_integer_program_solve(program, MAX_NODES, rates) !=
            PACK_PROGRAM_NONE &&
        n_used_trees(rates, n) < n_used_trees(ilp->rates, n))
        memcpy(ilp->rates, rates, n * sizeof *rates);
}

static PackTrees *copy_used_candidate_trees(const TreeIlp *ilp)
{
    PackTrees *few = pack_trees_new(ilp->trees->use, ilp->trees->n_ranks);

    for (uint32_t t = 0; t < ilp->trees->n_trees; t++)
        if (ilp->rates[t] > 0)
            pack_trees_add_or_increase(few, pack_tree_parents(ilp->trees, t),
                                       (double)ilp->rates[t] / ilp->den);
    pack_trees_set_shares(few, ilp->den);
    return few;
}

static PackRatio upper_bound_of_tree_rate(const PackGraph *graph,
                                          const PackTrees *trees)
{
    g_autofree PackGraph *transposed = g_new(PackGraph, 1);
    const uint32_t *parents = trees->parents;
    uint32_t root = 0;

    if (trees->use == PACK_BOTH)
        return pack_all_reduce_bound(graph);
    while (parents[root] != root)
        root++;
    pack_graph_transpose(graph, transposed);
    return (PackRatio){ pack_broadcast_bound(
                            trees->use == PACK_UP ? transposed : graph, root),
                        1 };
}

PackTrees *pack_trees_choose_fewest(const PackGraph *graph,
                                    const PackTrees *candidates,
                                    double tolerance, uint32_t max_den)
{
    TreeIlp best = { graph, candidates, 1, NULL, 0 };
    PackRatio bound;
    PackTrees *few;

    g_assert(graph->n_ports == 0 && max_den > 0);
    if (candidates->n_trees == 0) {
        few = pack_trees_new(candidates->use, graph->n);
        pack_trees_set_shares(few, 1);
        return few;
    }
    bound = upper_bound_of_tree_rate(graph, candidates);
    for (uint32_t den = 1; den <= max_den; den++) {
        uint32_t most = (uint32_t)((uint64_t)bound.num * den / bound.den);
        TreeIlp f = { graph, candidates, den,
                      g_new0(uint32_t, candidates->n_trees), 0 };

        /* Skips the search if its bound is not better than the best sum. */
        if (most * (uint64_t)best.den > best.sum * (uint64_t)den)
            maximise_sum_of_tree_rates(&f, most);
        if (!best.rates || f.sum * best.den > best.sum * f.den) {
            g_free(best.rates);
            best = f;
        } else {
            g_free(f.rates);
        }
        if (best.sum >=
            (1 - tolerance) * pack_ratio_to_double(bound) * best.den)
            break;
    }
    minimise_number_of_trees(&best);
    few = copy_used_candidate_trees(&best);
    g_free(best.rates);
    return few;
}

static PackTrees *choose_fewest_or_disjoint_trees(const PackGraph *graph,
                                                  PackTrees *candidates_of_both,
                                                  PackUse use, uint32_t root)
{
    g_autoptr(PackTrees) disjoint = pack_trees_disjoint(graph, use, root);
    g_autoptr(PackTrees) few = NULL;

    for (uint32_t t = 0; t < disjoint->n_trees; t++)
        pack_trees_add_or_increase(candidates_of_both,
                                   pack_tree_parents(disjoint, t),
                                   disjoint->rates[t]);
    few = pack_trees_choose_fewest(graph, candidates_of_both, 0, 1);
    /* The search for few trees may have ended early, at its limit of nodes, so
     * that disjoint trees can be better. */
    return pack_trees_total_rate(few) < pack_trees_total_rate(disjoint)
               ? g_steal_pointer(&disjoint)
               : g_steal_pointer(&few);
}

PackTrees *pack_fewest_trees_by_ilp(const PackGraph *graph, PackUse use,
                                    uint32_t root)
{
    g_autoptr(PackTrees) candidates_of_both = NULL;

    if (graph->n_ports > 0)
        return pack_trees_on_switch(graph, use, root);
    candidates_of_both = pack_trees_by_weights(graph, use, root, PACK_EPSILON);
    return use == PACK_BOTH
               ? pack_trees_choose_fewest(graph, candidates_of_both,
                                          PACK_TOLERANCE, PACK_MAX_DEN)
               : choose_fewest_or_disjoint_trees(graph, candidates_of_both, use,
                                                 root);
}
