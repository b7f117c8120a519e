/* convex_descent.c - finds the cheapest step of a ladder with
 * few evaluations */
#include "sim/study/convex_descent.h"

#define UNKNOWN (-1.0)

typedef struct {
    const Descent *descent;
    double *costs; /* owned: UNKNOWN if not evaluated */
    guint best;
} DescentWalk;

static gboolean is_step_evaluated(const DescentWalk *walk, guint step)
{
    return walk->costs[step] >= 0;
}

static void evaluate_descent_step(DescentWalk *walk, guint step)
{
    if (is_step_evaluated(walk, step))
        return;
    walk->costs[step] = walk->descent->cost(walk->descent->self, step);
    g_assert(walk->costs[step] >= 0);
    if (walk->costs[step] < walk->costs[walk->best] ||
        (walk->costs[step] == walk->costs[walk->best] && step < walk->best))
        walk->best = step;
}

/* Returns the first known step from @step on in direction @by (1 or -1), or -1
 * if there is none. */
static int nearest_evaluated_step(const DescentWalk *walk, int step, int by)
{
    for (; step >= 0 && step < (int)walk->descent->n; step += by)
        if (is_step_evaluated(walk, (guint)step))
            return step;
    return -1;
}

/* Returns the value at @x of the line through (@x0, @y0) and (@x1, @y1). */
static double interpolate_cost_on_line(double x0, double y0, double x1,
                                       double y1, double x)
{
    return y0 + (y1 - y0) / (x1 - x0) * (x - x0);
}

/* Returns a lower bound on the cost of @step from the two nearest known steps
 * in direction @by; 0 if there is none. */
static double cost_lower_bound(const DescentWalk *walk, guint step, int by)
{
    int near = nearest_evaluated_step(walk, (int)step, by);
    int far = near < 0 ? -1 : nearest_evaluated_step(walk, near + by, by);
    double near_x = near + 1, far_x = far + 1, x = step + 1.0;

    if (near == (int)walk->descent->n - 1 && by > 0 &&
        walk->descent->rise != DESCENT_UNKNOWN)
        return walk->costs[near] - walk->descent->rise * (near_x - x);
    if (far < 0 || walk->costs[far] == G_MAXDOUBLE)
        return 0;
    if (walk->costs[near] == G_MAXDOUBLE)
        return G_MAXDOUBLE; /* costs only rise beyond a step without a cost */
    return MAX(interpolate_cost_on_line(near_x, walk->costs[near], far_x,
                                        walk->costs[far], x),
               interpolate_cost_on_line(1 / near_x, walk->costs[near],
                                        1 / far_x, walk->costs[far], 1 / x));
}

static gboolean is_step_worthwhile(const DescentWalk *walk, guint step)
{
    double most = walk->costs[walk->best] * (1 - walk->descent->tolerance);

    return !is_step_evaluated(walk, step) &&
           cost_lower_bound(walk, step, 1) < most &&
           cost_lower_bound(walk, step, -1) < most;
}

/* Evaluates steps in direction @by, away from the first, while the last one is
 * the best. */
static void descend_in_direction(DescentWalk *walk, int by)
{
    guint step = walk->best;

    while (walk->best == step) {
        int next = (int)step + by * (int)MAX(1, (step + 1) / 3);

        next = CLAMP(next, 0, (int)walk->descent->n - 1);
        if (next == (int)step || !is_step_worthwhile(walk, (guint)next))
            return;
        step = (guint)next;
        evaluate_descent_step(walk, step);
    }
}

/* Evaluates the step in the middle between the best and its known neighbour.
 * Returns FALSE if that is not worthwhile. */
static gboolean evaluate_middle_step(DescentWalk *walk, int by)
{
    int other = nearest_evaluated_step(walk, (int)walk->best + by, by);
    guint middle;

    if (other < 0)
        other = by > 0 ? (int)walk->descent->n : -1;
    middle = (guint)(((int)walk->best + other) / 2);
    if (middle == walk->best || !is_step_worthwhile(walk, middle))
        return FALSE;
    evaluate_descent_step(walk, middle);
    return TRUE;
}

static double cost_increase_next_to_best(const DescentWalk *walk)
{
    int next = nearest_evaluated_step(walk, (int)walk->best + 1, 1);

    if (next < 0 || walk->costs[next] == G_MAXDOUBLE)
        return DESCENT_UNKNOWN;
    return (walk->costs[next] - walk->costs[walk->best]) /
           (next - (int)walk->best);
}

DescentResult descent_find_minimum(const Descent *descent)
{
    DescentWalk w = { .descent = descent, .best = descent->first };
    DescentResult result;

    g_assert(descent->first < descent->n);
    w.costs = g_new(double, descent->n);
    for (guint i = 0; i < descent->n; i++)
        w.costs[i] = UNKNOWN;
    w.costs[w.best] = descent->cost(descent->self, w.best);
    descend_in_direction(&w, -1);
    if (w.best == descent->first)
        descend_in_direction(&w, 1);
    while (evaluate_middle_step(&w, -1) || evaluate_middle_step(&w, 1))
        continue;
    result = (DescentResult){ w.best, cost_increase_next_to_best(&w) };
    g_free(w.costs);
    return result;
}
