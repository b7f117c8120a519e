/*
 * weights.c - many trees by multiplicative weights
 *
 * A link of c costs delta / c at first.  The cheapest tree is taken, at the
 * rate of its narrowest link, and every link on it costs more by the factor
 * 1 + epsilon rate / c.  Rates divided by the share of the fullest link fit at
 * any time.  No packing exceeds what all links cost over what the cheapest tree
 * costs, so that it is known how near the rates are; by the time that all links
 * cost 1 they are within 1 - 2 epsilon of the most (Garg and Koenemann).  The
 * search goes on to what epsilon promises of sums that err both ways, its
 * square, and a tenth of it suffices for what is packed here: 5.99 of 6.
 */
#include <math.h>

#include "models/packing/arborescence.h"
#include "models/packing/trees_impl.h"

/* Nearer than this times the square of epsilon is near enough; what all links
 * may cost before the search ends in any case. */
#define NEAR     0.1
#define MAX_COST 1e100

/* A better rate is one by more than sums of doubles are off. */
#define LEAST_GAIN 1e-9

typedef struct {
    const PackGraph *graph;
    PackUse use;
    uint32_t n, root;
    double epsilon;
    double costs[PACK_MAX_RANKS * PACK_MAX_RANKS]; /* [parent * n + child] */
} Weights;

static void begin(Weights *w)
{
    uint32_t n_links = 0;
    double delta;

    for (uint32_t a = 0; a < w->n; a++)
        for (uint32_t b = 0; b < w->n; b++)
            n_links += pack_room(w->graph, w->use, a, b) > 0 ? 1 : 0;
    delta = (1 + w->epsilon) *
            pow((1 + w->epsilon) * MAX(n_links, 1), -1 / w->epsilon);
    for (uint32_t a = 0; a < w->n; a++)
        for (uint32_t b = 0; b < w->n; b++) {
            uint32_t room = pack_room(w->graph, w->use, a, b);

            w->costs[a * w->n + b] = room > 0 ? delta / room : INFINITY;
        }
}

/* What all links cost together, of which a tree both ways takes pairs. */
static double total(const Weights *w)
{
    double sum = 0;

    for (uint32_t a = 0; a < w->n; a++)
        for (uint32_t b = 0; b < w->n; b++) {
            uint32_t room = pack_room(w->graph, w->use, a, b);

            if (room > 0 && (w->use != PACK_BOTH || a < b))
                sum += room * w->costs[a * w->n + b];
        }
    return sum;
}

static uint32_t narrowest(const Weights *w, const uint32_t *parents)
{
    uint32_t least = G_MAXUINT32;

    for (uint32_t rank = 0; rank < w->n; rank++)
        if (parents[rank] != rank)
            least =
                MIN(least, pack_room(w->graph, w->use, parents[rank], rank));
    return least;
}

static void make_dearer(Weights *w, const uint32_t *parents, uint32_t rate)
{
    for (uint32_t rank = 0; rank < w->n; rank++) {
        uint32_t parent = parents[rank];
        double *cost = &w->costs[parent * w->n + rank];

        if (parent == rank)
            continue;
        *cost *=
            1 + w->epsilon * rate / pack_room(w->graph, w->use, parent, rank);
        if (w->use == PACK_BOTH)
            w->costs[rank * w->n + parent] = *cost;
    }
}

/* ---- the best there was ------------------------------------------------- */

/* Rates fit at any time, and come near the most in waves. */
typedef struct {
    GArray *steps; /* Step: the trees in the order in which they were taken */
    double load[PACK_MAX_RANKS * PACK_MAX_RANKS]; /* share of each link */
    double fill, sum, best;
    double bound; /* that no rate exceeds */
    guint n_best; /* steps until the best */
} Course;

typedef struct {
    uint32_t rate;
    uint32_t parents[PACK_MAX_RANKS];
} Step;

static void follow(Course *c, const Weights *w, const Step *step)
{
    for (uint32_t rank = 0; rank < w->n; rank++) {
        uint32_t parent = step->parents[rank];
        uint32_t a = parent, b = rank;

        if (parent == rank)
            continue;
        if (w->use == PACK_BOTH) {
            a = MIN(parent, rank);
            b = MAX(parent, rank);
        }
        c->load[a * w->n + b] +=
            (double)step->rate / pack_room(w->graph, w->use, parent, rank);
        c->fill = MAX(c->fill, c->load[a * w->n + b]);
    }
    c->sum += step->rate;
    g_array_append_val(c->steps, *step);
    if (c->sum <= c->best * c->fill * (1 + LEAST_GAIN))
        return;
    c->best = c->sum / c->fill;
    c->n_best = c->steps->len;
}

static PackTrees *take_best(const Course *c, const Weights *w, uint32_t root)
{
    PackTrees *trees = pack_trees_new(w->use, w->n);

    for (guint i = 0; i < c->n_best; i++) {
        Step *step = &g_array_index(c->steps, Step, i);

        if (root == PACK_ANY_ROOT)
            pack_tree_hang(step->parents, w->n, root);
        pack_trees_add(trees, step->parents, step->rate);
    }
    if (trees->n_trees > 0)
        pack_trees_scale(trees, 1 / pack_trees_fill(w->graph, trees));
    return trees;
}

/* What @parents cost, which are the cheapest. */
static void note_bound(Course *c, const Weights *w, const uint32_t *parents)
{
    double cost = 0;

    for (uint32_t rank = 0; rank < w->n; rank++)
        if (parents[rank] != rank)
            cost += w->costs[parents[rank] * w->n + rank];
    c->bound = MIN(c->bound, total(w) / cost);
}

static gboolean goes_on(const Course *c, const Weights *w)
{
    return c->best < (1 - NEAR * w->epsilon * w->epsilon) * c->bound &&
           total(w) < MAX_COST;
}

PackTrees *pack_trees_by_weights(const PackGraph *graph, PackUse use,
                                 uint32_t root, double epsilon)
{
    g_autofree Weights *w = g_new0(Weights, 1);
    g_autofree Course *c = g_new0(Course, 1);
    g_autoptr(GArray) steps = g_array_new(FALSE, FALSE, sizeof(Step));
    Step step;

    g_assert(graph->n_ports == 0 && epsilon > 0 && epsilon < 1);
    g_assert(root < graph->n || (root == PACK_ANY_ROOT && use == PACK_BOTH));
    w->graph = graph;
    w->use = use;
    w->n = graph->n;
    w->root = root == PACK_ANY_ROOT ? 0 : root;
    w->epsilon = epsilon;
    c->steps = steps;
    c->bound = INFINITY;
    begin(w);
    while (graph->n > 1 && goes_on(c, w) &&
           pack_arborescence(w->costs, w->n, w->root, step.parents)) {
        note_bound(c, w, step.parents);
        step.rate = narrowest(w, step.parents);
        make_dearer(w, step.parents, step.rate);
        follow(c, w, &step);
    }
    return take_best(c, w, root);
}
