/* search.c - the least of a function of a few variables, without derivatives */
#include "validate/fit/search.h"

#include <math.h>
#include <string.h>

#define FIRST_STEP 0.1
/* Of directions that turn [ROSENBROCK's own]. */
#define TURNING_STEP 0.01
#define GROW         3.0
#define SHRINK       0.5
#define MAX_TURNS    60
/* A round that improves the value by less was the last. */
#define WORTHWHILE 1e-3
#define MAX_ROUNDS 20

typedef struct {
    SearchFn value;
    gpointer self; /* borrowed */
    guint n;
} Search;

/* Changes @x a step at a time where that lowers its value, and returns it. */
static double explore(const Search *s, double *x, double best, double step)
{
    for (guint i = 0; i < s->n; i++) {
        double kept = x[i];

        for (int sign = 1; sign >= -1; sign -= 2) {
            double value;

            x[i] = CLAMP(kept + sign * step, 0, 1);
            value = s->value(s->self, x);
            if (value < best) {
                best = value;
                break;
            }
            x[i] = kept;
        }
    }
    return best;
}

/* From @x, which is better than @base, on the same way as long as it helps. */
static double follow(const Search *s, double *base, double *x, double best,
                     double step)
{
    for (;;) {
        double ahead[SEARCH_MAX_VARIABLES];
        double value;

        for (guint i = 0; i < s->n; i++)
            ahead[i] = CLAMP(2 * x[i] - base[i], 0, 1);
        memcpy(base, x, s->n * sizeof *x);
        value = explore(s, ahead, s->value(s->self, ahead), step);
        if (value >= best)
            return best;
        memcpy(x, ahead, s->n * sizeof *x);
        best = value;
    }
}

static double pattern_search(const Search *s, double *x, double best,
                             double least_step)
{
    double step = FIRST_STEP;

    while (step >= least_step) {
        double base[SEARCH_MAX_VARIABLES];
        double next;

        memcpy(base, x, s->n * sizeof *x);
        next = explore(s, x, best, step);
        if (next >= best) {
            step /= 2;
            continue;
        }
        best = follow(s, base, x, next, step);
    }
    return best;
}

/* ---- directions that turn ------------------------------------------------ */

typedef struct {
    double direction[SEARCH_MAX_VARIABLES]; /* of length 1 */
    double step, way; /* the next one; all that helped, together */
    gboolean helped, failed;
} Turning;

/* A step along @t, or none when it leaves the borders. */
static double try_step(const Search *s, Turning *t, double *x, double best)
{
    double ahead[SEARCH_MAX_VARIABLES], value = INFINITY;
    gboolean is_inside = TRUE;

    for (guint i = 0; i < s->n; i++) {
        ahead[i] = x[i] + t->step * t->direction[i];
        is_inside = is_inside && ahead[i] >= 0 && ahead[i] <= 1;
    }
    if (is_inside)
        value = s->value(s->self, ahead);
    if (value < best) {
        memcpy(x, ahead, s->n * sizeof *x);
        t->way += t->step;
        t->step *= GROW;
        t->helped = TRUE;
        return value;
    }
    t->step *= -SHRINK;
    t->failed = TRUE;
    return best;
}

/* Each direction gets what is left of the way by it and those behind it, when
 * what the ones before have is taken away. */
static void turn(const Search *s, Turning *all)
{
    double ways[SEARCH_MAX_VARIABLES][SEARCH_MAX_VARIABLES] = { 0 };

    for (guint i = 0; i < s->n; i++)
        for (guint j = i; j < s->n; j++)
            for (guint k = 0; k < s->n; k++)
                ways[i][k] += all[j].way * all[j].direction[k];
    for (guint i = 0; i < s->n; i++) {
        double length = 0;

        for (guint before = 0; before < i; before++) {
            double along = 0;

            for (guint k = 0; k < s->n; k++)
                along += ways[i][k] * all[before].direction[k];
            for (guint k = 0; k < s->n; k++)
                ways[i][k] -= along * all[before].direction[k];
        }
        for (guint k = 0; k < s->n; k++)
            length += ways[i][k] * ways[i][k];
        for (guint k = 0; k < s->n && length > 0; k++)
            all[i].direction[k] = ways[i][k] / sqrt(length);
    }
}

/* One stage: until each direction has helped once and then failed. */
static double turning_stage(const Search *s, Turning *all, double *x,
                            double best, double least_step)
{
    gboolean goes_on = TRUE;

    for (guint i = 0; i < s->n; i++) {
        all[i].way = 0;
        all[i].helped = all[i].failed = FALSE;
        all[i].step = TURNING_STEP;
    }
    while (goes_on) {
        goes_on = FALSE;
        for (guint i = 0; i < s->n; i++) {
            if (fabs(all[i].step) < least_step)
                continue;
            best = try_step(s, &all[i], x, best);
            goes_on = goes_on || !all[i].helped || !all[i].failed;
        }
    }
    return best;
}

static double turning_search(const Search *s, double *x, double best,
                             double least_step)
{
    g_autofree Turning *all = g_new0(Turning, s->n);

    for (guint i = 0; i < s->n; i++)
        all[i].direction[i] = 1;
    for (guint n = 0; n < MAX_TURNS; n++) {
        double next = turning_stage(s, all, x, best, least_step / 10);

        if (next >= best)
            break;
        best = next;
        turn(s, all);
    }
    return best;
}

double search_minimum(SearchFn value, gpointer self, double *x, guint n,
                      double least_step)
{
    const Search s = { value, self, n };
    double best, before = value(self, x);

    g_assert(n <= SEARCH_MAX_VARIABLES);
    for (guint round = 0; round < MAX_ROUNDS; round++) {
        best = pattern_search(&s, x, before, least_step);
        best = turning_search(&s, x, best, least_step);
        if (best >= before * (1 - WORTHWHILE))
            break;
        before = best;
    }
    return best;
}
