/* pattern_search.c - minimises a function of a few variables without
 * derivatives */
#include "validate/fit/pattern_search.h"

#include <math.h>
#include <string.h>

#define FIRST_STEP 0.1
/* First step along rotating directions [the value of ROSENBROCK]. */
#define ROTATING_STEP 0.01
#define GROW          3.0
#define SHRINK        0.5
#define MAX_ROTATIONS 60
/* The search ends after a round that improves the value by less than this
 * part. */
#define MIN_IMPROVEMENT 1e-3
#define MAX_ROUNDS      20

typedef struct {
    SearchFn value;
    gpointer self; /* Another object owns this memory. */
    guint n;
} Search;

/* Tries one step up or down in each variable, and keeps it if it lowers the
 * value.  Returns the value reached. */
static double explore_each_axis(const Search *search, double *x, double best,
                                double step)
{
    for (guint i = 0; i < search->n; i++) {
        double kept = x[i];

        for (int sign = 1; sign >= -1; sign -= 2) {
            double value;

            x[i] = CLAMP(kept + sign * step, 0, 1);
            value = search->value(search->self, x);
            if (value < best) {
                best = value;
                break;
            }
            x[i] = kept;
        }
    }
    return best;
}

/* Repeats the move from @base to @x, which is better, for as long as that
 * lowers the value.  Returns the value reached. */
static double repeat_successful_move(const Search *search, double *base,
                                     double *x, double best, double step)
{
    for (;;) {
        double ahead[SEARCH_MAX_VARIABLES];
        double value;

        for (guint i = 0; i < search->n; i++)
            ahead[i] = CLAMP(2 * x[i] - base[i], 0, 1);
        memcpy(base, x, search->n * sizeof *x);
        value = explore_each_axis(search, ahead,
                                  search->value(search->self, ahead), step);
        if (value >= best)
            return best;
        memcpy(x, ahead, search->n * sizeof *x);
        best = value;
    }
}

static double pattern_search(const Search *search, double *x, double best,
                             double least_step)
{
    double step = FIRST_STEP;

    while (step >= least_step) {
        double base[SEARCH_MAX_VARIABLES];
        double next;

        memcpy(base, x, search->n * sizeof *x);
        next = explore_each_axis(search, x, best, step);
        if (next >= best) {
            step /= 2;
            continue;
        }
        best = repeat_successful_move(search, base, x, next, step);
    }
    return best;
}

/* ---- search along rotating directions (Rosenbrock) ----------------------- */

typedef struct {
    /* The direction is a vector of length 1. */
    double direction[SEARCH_MAX_VARIABLES];
    /* The next step, and the sum of all steps that lowered the value. */
    double step, distance;
    gboolean helped, failed;
} RotatingDirection;

/* Tries one step along @direction, unless it would leave the range.  Returns
 * the value reached. */
static double try_step_along(const Search *search, RotatingDirection *direction,
                             double *x, double best)
{
    double ahead[SEARCH_MAX_VARIABLES], value = INFINITY;
    gboolean is_inside = TRUE;

    for (guint i = 0; i < search->n; i++) {
        ahead[i] = x[i] + direction->step * direction->direction[i];
        is_inside = is_inside && ahead[i] >= 0 && ahead[i] <= 1;
    }
    if (is_inside)
        value = search->value(search->self, ahead);
    if (value < best) {
        memcpy(x, ahead, search->n * sizeof *x);
        direction->distance += direction->step;
        direction->step *= GROW;
        direction->helped = TRUE;
        return value;
    }
    direction->step *= -SHRINK;
    direction->failed = TRUE;
    return best;
}

/* Rotates the directions (Gram-Schmidt).  Direction i becomes the sum of the
 * moves along directions i to n - 1, made orthogonal to the old directions
 * before it. */
static void rotate_search_directions(const Search *search,
                                     RotatingDirection *all)
{
    double moves[SEARCH_MAX_VARIABLES][SEARCH_MAX_VARIABLES] = { 0 };

    for (guint i = 0; i < search->n; i++)
        for (guint j = i; j < search->n; j++)
            for (guint k = 0; k < search->n; k++)
                moves[i][k] += all[j].distance * all[j].direction[k];
    for (guint i = 0; i < search->n; i++) {
        double length = 0;

        for (guint before = 0; before < i; before++) {
            double along = 0;

            for (guint k = 0; k < search->n; k++)
                along += moves[i][k] * all[before].direction[k];
            for (guint k = 0; k < search->n; k++)
                moves[i][k] -= along * all[before].direction[k];
        }
        for (guint k = 0; k < search->n; k++)
            length += moves[i][k] * moves[i][k];
        for (guint k = 0; k < search->n && length > 0; k++)
            all[i].direction[k] = moves[i][k] / sqrt(length);
    }
}

/* Runs one stage: until each direction has had a success and then a failure.
 * Returns the value reached. */
static double search_with_directions(const Search *search,
                                     RotatingDirection *all, double *x,
                                     double best, double least_step)
{
    gboolean is_unfinished = TRUE;

    for (guint i = 0; i < search->n; i++) {
        all[i].distance = 0;
        all[i].helped = all[i].failed = FALSE;
        all[i].step = ROTATING_STEP;
    }
    while (is_unfinished) {
        is_unfinished = FALSE;
        for (guint i = 0; i < search->n; i++) {
            if (fabs(all[i].step) < least_step)
                continue;
            best = try_step_along(search, &all[i], x, best);
            is_unfinished = is_unfinished || !all[i].helped || !all[i].failed;
        }
    }
    return best;
}

static double search_with_rotating_directions(const Search *search, double *x,
                                              double best, double least_step)
{
    g_autofree RotatingDirection *all = g_new0(RotatingDirection, search->n);

    for (guint i = 0; i < search->n; i++)
        all[i].direction[i] = 1;
    for (guint n = 0; n < MAX_ROTATIONS; n++) {
        double next =
            search_with_directions(search, all, x, best, least_step / 10);

        if (next >= best)
            break;
        best = next;
        rotate_search_directions(search, all);
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
        best = search_with_rotating_directions(&s, x, best, least_step);
        if (best >= before * (1 - MIN_IMPROVEMENT))
            break;
        before = best;
    }
    return best;
}
