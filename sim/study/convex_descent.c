/* convex_descent.c - finds the cheapest step of a ladder with
 * few evaluations */
#include "sim/study/convex_descent.h"

#define UNKNOWN (-1.0)

typedef struct {
    const Descent *descent;
    double *costs; /* owned: UNKNOWN if not evaluated */
    guint best;
} DescentWalk;

static gboolean is_step_evaluated(const DescentWalk *w, guint step)
{
    return w->costs[step] >= 0;
}

static void evaluate_descent_step(DescentWalk *w, guint step)
{
    if (is_step_evaluated(w, step))
        return;
    w->costs[step] = w->descent->cost(w->descent->self, step);
    g_assert(w->costs[step] >= 0);
    if (w->costs[step] < w->costs[w->best] ||
        (w->costs[step] == w->costs[w->best] && step < w->best))
        w->best = step;
}

/* Returns the first known step from @step on in direction @by (1 or -1), or -1
 * if there is none. */
static int next_evaluated_step(const DescentWalk *w, int step, int by)
{
    for (; step >= 0 && step < (int)w->descent->n; step += by)
        if (is_step_evaluated(w, (guint)step))
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
static double cost_lower_bound(const DescentWalk *w, guint step, int by)
{
    int near = next_evaluated_step(w, (int)step, by);
    int far = near < 0 ? -1 : next_evaluated_step(w, near + by, by);
    double near_x = near + 1, far_x = far + 1, x = step + 1.0;

    if (near == (int)w->descent->n - 1 && by > 0 &&
        w->descent->rise != DESCENT_UNKNOWN)
        return w->costs[near] - w->descent->rise * (near_x - x);
    if (far < 0 || w->costs[far] == G_MAXDOUBLE)
        return 0;
    if (w->costs[near] == G_MAXDOUBLE)
        return G_MAXDOUBLE; /* costs only rise beyond a step without a cost */
    return MAX(interpolate_cost_on_line(near_x, w->costs[near], far_x,
                                        w->costs[far], x),
               interpolate_cost_on_line(1 / near_x, w->costs[near], 1 / far_x,
                                        w->costs[far], 1 / x));
}

static gboolean is_step_worthwhile(const DescentWalk *w, guint step)
{
    double most = w->costs[w->best] * (1 - w->descent->tolerance);

    return !is_step_evaluated(w, step) && cost_lower_bound(w, step, 1) < most &&
           cost_lower_bound(w, step, -1) < most;
}

/* Evaluates steps in direction @by, away from the first, while the last one is
 * the best. */
static void descend_in_direction(DescentWalk *w, int by)
{
    guint step = w->best;

    while (w->best == step) {
        int next = (int)step + by * (int)MAX(1, (step + 1) / 3);

        next = CLAMP(next, 0, (int)w->descent->n - 1);
        if (next == (int)step || !is_step_worthwhile(w, (guint)next))
            return;
        step = (guint)next;
        evaluate_descent_step(w, step);
    }
}

/* Evaluates the step in the middle between the best and its known neighbour.
 * Returns FALSE if that is not worthwhile. */
static gboolean evaluate_middle_step(DescentWalk *w, int by)
{
    int other = next_evaluated_step(w, (int)w->best + by, by);
    guint middle;

    if (other < 0)
        other = by > 0 ? (int)w->descent->n : -1;
    middle = (guint)(((int)w->best + other) / 2);
    if (middle == w->best || !is_step_worthwhile(w, middle))
        return FALSE;
    evaluate_descent_step(w, middle);
    return TRUE;
}

static double cost_rise_above_best(const DescentWalk *w)
{
    int next = next_evaluated_step(w, (int)w->best + 1, 1);

    if (next < 0 || w->costs[next] == G_MAXDOUBLE)
        return DESCENT_UNKNOWN;
    return (w->costs[next] - w->costs[w->best]) / (next - (int)w->best);
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
    result = (DescentResult){ w.best, cost_rise_above_best(&w) };
    g_free(w.costs);
    return result;
}
