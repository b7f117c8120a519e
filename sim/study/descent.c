/* descent.c - finds the cheapest step of a ladder with few evaluations */
#include "sim/study/descent.h"

#define UNKNOWN (-1.0)

typedef struct {
    const Descent *descent;
    double *costs; /* owned: UNKNOWN if not evaluated */
    guint best;
} Walk;

static gboolean is_known(const Walk *w, guint step)
{
    return w->costs[step] >= 0;
}

static void evaluate(Walk *w, guint step)
{
    if (is_known(w, step))
        return;
    w->costs[step] = w->descent->cost(w->descent->self, step);
    g_assert(w->costs[step] >= 0);
    if (w->costs[step] < w->costs[w->best] ||
        (w->costs[step] == w->costs[w->best] && step < w->best))
        w->best = step;
}

/* Returns the first known step from @step on in direction @by (1 or -1), or -1
 * if there is none. */
static int next_known(const Walk *w, int step, int by)
{
    for (; step >= 0 && step < (int)w->descent->n; step += by)
        if (is_known(w, (guint)step))
            return step;
    return -1;
}

/* Returns the value at @x of the line through (@x0, @y0) and (@x1, @y1). */
static double line(double x0, double y0, double x1, double y1, double x)
{
    return y0 + (y1 - y0) / (x1 - x0) * (x - x0);
}

/* Returns a lower bound on the cost of @step from the two nearest known steps
 * in direction @by; 0 if there is none. */
static double lower_bound(const Walk *w, guint step, int by)
{
    int near = next_known(w, (int)step, by);
    int far = near < 0 ? -1 : next_known(w, near + by, by);
    double near_x = near + 1, far_x = far + 1, x = step + 1.0;

    if (near == (int)w->descent->n - 1 && by > 0 &&
        w->descent->rise != DESCENT_UNKNOWN)
        return w->costs[near] - w->descent->rise * (near_x - x);
    if (far < 0 || w->costs[far] == G_MAXDOUBLE)
        return 0;
    if (w->costs[near] == G_MAXDOUBLE)
        return G_MAXDOUBLE; /* costs only rise beyond a step without a cost */
    return MAX(
        line(near_x, w->costs[near], far_x, w->costs[far], x),
        line(1 / near_x, w->costs[near], 1 / far_x, w->costs[far], 1 / x));
}

static gboolean is_worthwhile(const Walk *w, guint step)
{
    double most = w->costs[w->best] * (1 - w->descent->tolerance);

    return !is_known(w, step) && lower_bound(w, step, 1) < most &&
           lower_bound(w, step, -1) < most;
}

/* Evaluates steps in direction @by, away from the first, while the last one is
 * the best. */
static void walk(Walk *w, int by)
{
    guint step = w->best;

    while (w->best == step) {
        int next = (int)step + by * (int)MAX(1, (step + 1) / 3);

        next = CLAMP(next, 0, (int)w->descent->n - 1);
        if (next == (int)step || !is_worthwhile(w, (guint)next))
            return;
        step = (guint)next;
        evaluate(w, step);
    }
}

/* Evaluates the step in the middle between the best and its known neighbour.
 * Returns FALSE if that is not worthwhile. */
static gboolean evaluate_between(Walk *w, int by)
{
    int other = next_known(w, (int)w->best + by, by);
    guint middle;

    if (other < 0)
        other = by > 0 ? (int)w->descent->n : -1;
    middle = (guint)(((int)w->best + other) / 2);
    if (middle == w->best || !is_worthwhile(w, middle))
        return FALSE;
    evaluate(w, middle);
    return TRUE;
}

static double rise_above(const Walk *w)
{
    int next = next_known(w, (int)w->best + 1, 1);

    if (next < 0 || w->costs[next] == G_MAXDOUBLE)
        return DESCENT_UNKNOWN;
    return (w->costs[next] - w->costs[w->best]) / (next - (int)w->best);
}

DescentResult descent_run(const Descent *descent)
{
    Walk w = { .descent = descent, .best = descent->first };
    DescentResult result;

    g_assert(descent->first < descent->n);
    w.costs = g_new(double, descent->n);
    for (guint i = 0; i < descent->n; i++)
        w.costs[i] = UNKNOWN;
    w.costs[w.best] = descent->cost(descent->self, w.best);
    walk(&w, -1);
    if (w.best == descent->first)
        walk(&w, 1);
    while (evaluate_between(&w, -1) || evaluate_between(&w, 1))
        continue;
    result = (DescentResult){ w.best, rise_above(&w) };
    g_free(w.costs);
    return result;
}
