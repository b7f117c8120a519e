#include "validate/fit/search.h"

#include <string.h>

#define FIRST_STEP 0.1

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

double search_minimum(SearchFn value, gpointer self, double *x, guint n,
                      double least_step)
{
    const Search s = { value, self, n };
    double best = value(self, x);
    double step = FIRST_STEP;

    g_assert(n <= SEARCH_MAX_VARIABLES);
    while (step >= least_step) {
        double base[SEARCH_MAX_VARIABLES];
        double next;

        memcpy(base, x, n * sizeof *x);
        next = explore(&s, x, best, step);
        if (next >= best) {
            step /= 2;
            continue;
        }
        best = follow(&s, base, x, next, step);
    }
    return best;
}
