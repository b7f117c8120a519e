/*
 * multiplicative_weights.c - generates many trees by multiplicative weights
 *
 * The initial cost of a link of capacity c is delta / c.  The cheapest tree is
 * taken with the rate of its narrowest link, and the cost of each of its links
 * is multiplied by 1 + epsilon rate / c.  At any time, the rates divided by the
 * utilisation of the fullest link fit.
 *
 * No packing exceeds the cost of all links divided by the cost of the cheapest
 * tree, so the distance from the optimum is known.  When all links together
 * cost 1, the rates are within 1 - 2 epsilon of the maximum (Garg and
 * Koenemann).  The search continues until the gap is 0.1 epsilon^2 (NEAR).
 * On the graphs packed here, that gives a rate of 5.99 where 6 is the maximum.
 */
#include <math.h>

#include "models/packing/arborescence.h"
#include "models/packing/spanning_trees_impl.h"

/* The search ends when the rate is within NEAR times the square of epsilon of
 * the bound, or when all links together cost MAX_COST. */
#define NEAR     0.1
#define MAX_COST 1e100

/* A rate is better only if it exceeds the rounding errors of sums. */
#define LEAST_GAIN 1e-9

typedef struct {
    const PackGraph *graph;
    PackUse use;
    uint32_t n, root;
    double epsilon;
    /* The cost of the link of a tree, at parent * n + child. */
    double costs[PACK_MAX_RANKS * PACK_MAX_RANKS];
} Weights;

static void init_link_costs(Weights *weights)
{
    uint32_t n_links = 0;
    double delta;

    for (uint32_t a = 0; a < weights->n; a++)
        for (uint32_t b = 0; b < weights->n; b++)
            n_links += pack_link_capacity_for_use(weights->graph, weights->use,
                                                  a, b) > 0
                           ? 1
                           : 0;
    delta =
        (1 + weights->epsilon) *
        pow((1 + weights->epsilon) * MAX(n_links, 1), -1 / weights->epsilon);
    for (uint32_t a = 0; a < weights->n; a++)
        for (uint32_t b = 0; b < weights->n; b++) {
            uint32_t room =
                pack_link_capacity_for_use(weights->graph, weights->use, a, b);

            weights->costs[a * weights->n + b] =
                room > 0 ? delta / room : INFINITY;
        }
}

/* Returns the total cost of all links.  A tree for all-reduce uses pairs of
 * links. */
static double total_cost_of_links(const Weights *weights)
{
    double sum = 0;

    for (uint32_t a = 0; a < weights->n; a++)
        for (uint32_t b = 0; b < weights->n; b++) {
            uint32_t room =
                pack_link_capacity_for_use(weights->graph, weights->use, a, b);

            if (room > 0 && (weights->use != PACK_BOTH || a < b))
                sum += room * weights->costs[a * weights->n + b];
        }
    return sum;
}

static uint32_t narrowest_link_capacity(const Weights *weights,
                                        const uint32_t *parents)
{
    uint32_t least = G_MAXUINT32;

    for (uint32_t rank = 0; rank < weights->n; rank++)
        if (parents[rank] != rank)
            least = MIN(least,
                        pack_link_capacity_for_use(weights->graph, weights->use,
                                                   parents[rank], rank));
    return least;
}

static void increase_costs_of_tree_links(Weights *weights,
                                         const uint32_t *parents, uint32_t rate)
{
    for (uint32_t rank = 0; rank < weights->n; rank++) {
        uint32_t parent = parents[rank];
        double *cost = &weights->costs[parent * weights->n + rank];

        if (parent == rank)
            continue;
        *cost *= 1 + weights->epsilon * rate /
                         pack_link_capacity_for_use(weights->graph,
                                                    weights->use, parent, rank);
        if (weights->use == PACK_BOTH)
            weights->costs[rank * weights->n + parent] = *cost;
    }
}

/* ---- the best rate so far ---------------------------------------------- */

/* The trees taken so far.  Their rate fits at any time, but approaches the
 * maximum with oscillations. */
typedef struct {
    GArray *steps; /* trees (Step) in the order in which they were taken */
    double load[PACK_MAX_RANKS *
                PACK_MAX_RANKS]; /* utilisation of each link before scaling */
    double fill, sum, best;
    double bound; /* upper bound of the rate */
    guint n_best; /* number of steps until the best rate */
} Search;

typedef struct {
    uint32_t rate;
    uint32_t parents[PACK_MAX_RANKS];
} Step;

static void add_tree_step(Search *search, const Weights *weights,
                          const Step *step)
{
    for (uint32_t rank = 0; rank < weights->n; rank++) {
        uint32_t parent = step->parents[rank];
        uint32_t a = parent, b = rank;

        if (parent == rank)
            continue;
        if (weights->use == PACK_BOTH) {
            a = MIN(parent, rank);
            b = MAX(parent, rank);
        }
        search->load[a * weights->n + b] +=
            (double)step->rate / pack_link_capacity_for_use(weights->graph,
                                                            weights->use,
                                                            parent, rank);
        search->fill = MAX(search->fill, search->load[a * weights->n + b]);
    }
    search->sum += step->rate;
    g_array_append_val(search->steps, *step);
    if (search->sum <= search->best * search->fill * (1 + LEAST_GAIN))
        return;
    search->best = search->sum / search->fill;
    search->n_best = search->steps->len;
}

static PackTrees *trees_at_best_rate(const Search *search,
                                     const Weights *weights, uint32_t root)
{
    PackTrees *trees = pack_trees_new(weights->use, weights->n);

    for (guint i = 0; i < search->n_best; i++) {
        Step *step = &g_array_index(search->steps, Step, i);

        if (root == PACK_ANY_ROOT)
            pack_tree_reroot(step->parents, weights->n, root);
        pack_trees_add_or_increase(trees, step->parents, step->rate);
    }
    if (trees->n_trees > 0)
        pack_trees_scale_rates(
            trees, 1 / pack_trees_utilisation(weights->graph, trees));
    return trees;
}

/* Lowers the bound by the cost of @parents, which is the cheapest tree. */
static void lower_rate_upper_bound(Search *search, const Weights *weights,
                                   const uint32_t *parents)
{
    double cost = 0;

    for (uint32_t rank = 0; rank < weights->n; rank++)
        if (parents[rank] != rank)
            cost += weights->costs[parents[rank] * weights->n + rank];
    search->bound = MIN(search->bound, total_cost_of_links(weights) / cost);
}

static gboolean weight_search_must_continue(const Search *search,
                                            const Weights *weights)
{
    return search->best < (1 - NEAR * weights->epsilon * weights->epsilon) *
                              search->bound &&
           total_cost_of_links(weights) < MAX_COST;
}

PackTrees *pack_trees_by_weights(const PackGraph *graph, PackUse use,
                                 uint32_t root, double epsilon)
{
    g_autofree Weights *weights = g_new0(Weights, 1);
    g_autofree Search *search = g_new0(Search, 1);
    g_autoptr(GArray) steps = g_array_new(FALSE, FALSE, sizeof(Step));
    Step step;

    g_assert(graph->n_ports == 0 && epsilon > 0 && epsilon < 1);
    g_assert(root < graph->n || (root == PACK_ANY_ROOT && use == PACK_BOTH));
    weights->graph = graph;
    weights->use = use;
    weights->n = graph->n;
    weights->root = root == PACK_ANY_ROOT ? 0 : root;
    weights->epsilon = epsilon;
    search->steps = steps;
    search->bound = INFINITY;
    init_link_costs(weights);
    while (graph->n > 1 && weight_search_must_continue(search, weights) &&
           pack_cheapest_arborescence(weights->costs, weights->n, weights->root,
                                      step.parents)) {
        lower_rate_upper_bound(search, weights, step.parents);
        step.rate = narrowest_link_capacity(weights, step.parents);
        increase_costs_of_tree_links(weights, step.parents, step.rate);
        add_tree_step(search, weights, &step);
    }
    return trees_at_best_rate(search, weights, root);
}
