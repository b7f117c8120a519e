/*
 * clock_quadratic_form.c - the sum of squares as a quadratic form
 *
 * All rows are linear in the variables, so the form is computed once, and
 * evaluating it costs the same for many events as for few.
 */
#include "workloads/recording/clock_least_squares_impl.h"

#include <math.h>

void align_add_event(const AlignSquares *squares, AlignRow *row,
                     AlignEvent event, double sign)
{
    double right_us = event.at_us + squares->guess[event.clock].shift_us;

    row->variables[row->n] = event.clock;
    row->coefficients[row->n++] = sign;
    if (squares->has_drift) {
        row->variables[row->n] = squares->problem->n_clocks + event.clock;
        row->coefficients[row->n++] =
            sign * (right_us - squares->middle_us) / squares->half_us;
    }
    row->constant += sign * right_us;
}

/* Adds @weight times the square of @row. */
static void add_row_square(AlignSquares *squares, const AlignRow *row,
                           double weight)
{
    for (guint i = 0; i < row->n; i++) {
        for (guint k = 0; k < row->n; k++)
            squares->q[row->variables[i] * squares->n + row->variables[k]] +=
                weight * row->coefficients[i] * row->coefficients[k];
        squares->c[row->variables[i]] +=
            weight * row->coefficients[i] * row->constant;
    }
    squares->constant += weight * row->constant * row->constant;
}

/* Adds the squares of simultaneous events.  The sum of the squares of the
 * distances of n values from their mean equals the sum of the squares of all
 * pairwise differences, divided by n. */
static void add_simultaneous_squares(AlignSquares *squares,
                                     const AlignEvent *events, guint n)
{
    for (guint i = 0; i < n; i++)
        for (guint k = i + 1; k < n; k++) {
            AlignRow row = { 0 };

            if (events[i].clock == events[k].clock)
                continue;
            align_add_event(squares, &row, events[i], 1);
            align_add_event(squares, &row, events[k], -1);
            add_row_square(squares, &row, 1.0 / n);
        }
    squares->n_rows += n;
}

/* Returns the variable of the transit time between the clocks @a and @b.  If
 * they have none, it becomes @new_variable. */
static guint transit_variable_of_pair(GHashTable *transits, uint32_t a,
                                      uint32_t b, guint new_variable)
{
    uint64_t key = (uint64_t)MIN(a, b) << 32 | MAX(a, b);
    gpointer found;
    uint64_t *kept;

    if (g_hash_table_lookup_extended(transits, &key, NULL, &found))
        return GPOINTER_TO_UINT(found);
    kept = g_memdup2(&key, sizeof key);
    g_hash_table_insert(transits, kept, GUINT_TO_POINTER(new_variable));
    return new_variable;
}

static void add_message_square(AlignSquares *squares, const AlignPair *pair)
{
    AlignRow row = { 0 };

    align_add_event(squares, &row, pair->effect, 1);
    align_add_event(squares, &row, pair->cause, -1);
    row.variables[row.n] = transit_variable_of_pair(
        squares->transits, pair->cause.clock, pair->effect.clock, 0);
    row.coefficients[row.n++] = -1;
    add_row_square(squares, &row, 1);
    squares->n_rows++;
}

static void find_time_axis(AlignSquares *squares)
{
    const GArray *events = squares->problem->events,
                 *pairs = squares->problem->pairs;
    double first = INFINITY, last = -INFINITY;

    for (guint i = 0; i < events->len; i++) {
        AlignEvent e = g_array_index(events, AlignEvent, i);

        first = fmin(first, e.at_us + squares->guess[e.clock].shift_us);
        last = fmax(last, e.at_us + squares->guess[e.clock].shift_us);
    }
    for (guint i = 0; i < pairs->len; i++) {
        AlignEvent e = g_array_index(pairs, AlignPair, i).effect;

        first = fmin(first, e.at_us + squares->guess[e.clock].shift_us);
        last = fmax(last, e.at_us + squares->guess[e.clock].shift_us);
    }
    squares->middle_us = first + (last - first) / 2;
    squares->half_us = fmax((last - first) / 2, 1);
}

/* Numbers the transit times after the other variables. */
static void number_transit_times(AlignSquares *squares)
{
    const GArray *pairs = squares->problem->pairs;

    squares->transits =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (guint i = 0; i < pairs->len; i++) {
        const AlignPair *pair = &g_array_index(pairs, AlignPair, i);

        if (transit_variable_of_pair(squares->transits, pair->cause.clock,
                                     pair->effect.clock,
                                     squares->n) == squares->n) {
            squares->n_transits++;
            squares->n++;
        }
    }
}

void align_squares_init(AlignSquares *squares, const AlignProblem *problem,
                        const AlignClock *guess, gboolean has_drift)
{
    guint at = 0;

    *squares = (AlignSquares){ .problem = problem,
                               .guess = guess,
                               .has_drift = has_drift,
                               .n = problem->n_clocks * (has_drift ? 2 : 1) };
    find_time_axis(squares);
    number_transit_times(squares);
    squares->q = g_new0(double, (gsize)squares->n * squares->n);
    squares->c = g_new0(double, squares->n);
    for (guint i = 0; i < problem->sizes->len; i++) {
        guint size = g_array_index(problem->sizes, guint, i);

        add_simultaneous_squares(
            squares, &g_array_index(problem->events, AlignEvent, at), size);
        at += size;
    }
    for (guint i = 0; i < problem->pairs->len; i++)
        add_message_square(squares,
                           &g_array_index(problem->pairs, AlignPair, i));
}

void align_squares_clear(AlignSquares *squares)
{
    g_hash_table_unref(squares->transits);
    g_free(squares->q);
    g_free(squares->c);
}

double align_mean_square(const AlignSquares *squares, const double *x,
                         double *gradient)
{
    double sum = squares->constant, n_rows = fmax(squares->n_rows, 1);

    for (guint i = 0; i < squares->n; i++) {
        double slope = squares->c[i];

        for (guint k = 0; k < squares->n; k++)
            slope += squares->q[i * squares->n + k] * x[k];
        sum += x[i] * (slope + squares->c[i]);
        if (gradient)
            gradient[i] = 2 * slope / n_rows;
    }
    return fmax(sum, 0) / n_rows;
}

void align_set_transit_times(const AlignSquares *squares, double *x)
{
    for (guint i = squares->n - squares->n_transits; i < squares->n; i++) {
        double slope = squares->c[i];

        for (guint k = 0; k < squares->n - squares->n_transits; k++)
            slope += squares->q[i * squares->n + k] * x[k];
        x[i] = -slope / squares->q[i * squares->n + i];
    }
}
