/*
 * clock_least_squares.c - aligns clocks by least squares under bounds
 *
 * Sources  [NLOPT] in validate/SOURCES.md
 */
#include "workloads/recording/clock_least_squares_impl.h"

#include <math.h>
#include <nlopt.h>
#include <string.h>

#define MAX_DRIFT  1e-3 /* largest drift of a plausible clock */
#define MAX_ROUNDS 40
#define MAX_EVALS  1000
#define DRIFT_GAIN 0.5
/* Shortest time axis on which drift can be measured: 20 ppm make 10 us in this
 * time. */
#define MIN_AXIS_US 500000
#define SETTLED_US  1e-4

AlignProblem *align_problem_new(uint32_t n_clocks, double slack_us)
{
    AlignProblem *problem = g_new0(AlignProblem, 1);

    problem->n_clocks = n_clocks;
    problem->slack_us = slack_us;
    problem->events = g_array_new(FALSE, FALSE, sizeof(AlignEvent));
    problem->sizes = g_array_new(FALSE, FALSE, sizeof(guint));
    problem->pairs = g_array_new(FALSE, FALSE, sizeof(AlignPair));
    problem->bounds = g_array_new(FALSE, FALSE, sizeof(AlignPair));
    return problem;
}

void align_problem_free(AlignProblem *problem)
{
    if (!problem)
        return;
    g_array_unref(problem->events);
    g_array_unref(problem->sizes);
    g_array_unref(problem->pairs);
    g_array_unref(problem->bounds);
    g_free(problem);
}

void align_add_simultaneous(AlignProblem *problem, const AlignEvent *events,
                            guint n)
{
    if (n < 2)
        return;
    g_array_append_vals(problem->events, events, n);
    g_array_append_val(problem->sizes, n);
}

void align_add_message(AlignProblem *problem, AlignEvent sent,
                       AlignEvent received)
{
    AlignPair pair = { sent, received };

    if (sent.clock != received.clock)
        g_array_append_val(problem->pairs, pair);
}

void align_add_bound(AlignProblem *problem, AlignEvent cause, AlignEvent effect)
{
    AlignPair bound = { cause, effect };

    if (cause.clock != effect.clock)
        g_array_append_val(problem->bounds, bound);
}

/* ---- bounds ----------------------------------------------------------- */

typedef struct {
    AlignSquares squares;
    /* The violated bounds, each of which must not exceed the slack; the
     * elements are AlignRow. */
    GArray *rows;
} Search;

static double value_of_linear_form(const AlignRow *row, const double *x)
{
    double sum = row->constant;

    for (guint i = 0; i < row->n; i++)
        sum += row->coefficients[i] * x[row->variables[i]];
    return sum;
}

static AlignRow constraint_row_of_clock_bound(const AlignSquares *squares,
                                              const AlignPair *bound)
{
    AlignRow row = { 0 };

    align_add_event(squares, &row, bound->cause, 1);
    align_add_event(squares, &row, bound->effect, -1);
    return row;
}

static uint64_t count_violated_bounds(const AlignSquares *squares,
                                      const double *x)
{
    const GArray *bounds = squares->problem->bounds;
    uint64_t n = 0;

    for (guint i = 0; i < bounds->len; i++) {
        AlignRow row = constraint_row_of_clock_bound(
            squares, &g_array_index(bounds, AlignPair, i));

        n += value_of_linear_form(&row, x) >
             squares->problem->slack_us + SETTLED_US;
    }
    return n;
}

/* Adds the worst violated bound of each pair of clocks.  Returns FALSE if no
 * bound is violated. */
static gboolean add_violated_bounds(Search *search, const double *x)
{
    const AlignProblem *problem = search->squares.problem;
    gsize n = (gsize)problem->n_clocks * problem->n_clocks;
    g_autofree double *worst = g_new(double, n);
    g_autofree guint *index = g_new(guint, n);
    gboolean has_added = FALSE;

    for (gsize i = 0; i < n; i++)
        worst[i] = problem->slack_us + SETTLED_US;
    for (guint i = 0; i < problem->bounds->len; i++) {
        const AlignPair *pair = &g_array_index(problem->bounds, AlignPair, i);
        AlignRow row = constraint_row_of_clock_bound(&search->squares, pair);
        gsize at =
            (gsize)pair->cause.clock * problem->n_clocks + pair->effect.clock;

        if (value_of_linear_form(&row, x) > worst[at]) {
            worst[at] = value_of_linear_form(&row, x);
            index[at] = i;
        }
    }
    for (gsize i = 0; i < n; i++)
        if (worst[i] > problem->slack_us + SETTLED_US) {
            AlignRow row = constraint_row_of_clock_bound(
                &search->squares,
                &g_array_index(problem->bounds, AlignPair, index[i]));

            g_array_append_val(search->rows, row);
            has_added = TRUE;
        }
    return has_added;
}

/* ---- the solver ------------------------------------------------------- */

static double mean_square_objective(unsigned n, const double *x,
                                    double *gradient, void *data)
{
    const Search *search = data;

    g_assert(n == search->squares.n);
    return align_mean_square(&search->squares, x, gradient);
}

/* Sets @result to the values of the bounds for NLopt: a positive value violates
 * the bound.  Sets @gradient, if it is not NULL, to their derivatives. */
static void evaluate_bounds(unsigned m, double *result, unsigned n,
                            const double *x, double *gradient, void *data)
{
    const Search *search = data;

    if (gradient)
        memset(gradient, 0, sizeof(double) * m * n);
    for (unsigned i = 0; i < m; i++) {
        const AlignRow *row = &g_array_index(search->rows, AlignRow, i);

        result[i] =
            value_of_linear_form(row, x) - search->squares.problem->slack_us;
        for (guint k = 0; gradient && k < row->n; k++)
            gradient[(gsize)i * n + row->variables[k]] += row->coefficients[k];
    }
}

/* Fixes the variables of the reference clocks, and limits the drift of the
 * others. */
static void set_variable_bounds(nlopt_opt opt, const Search *search,
                                const gboolean *is_first)
{
    const AlignSquares *squares = &search->squares;
    uint32_t n_clocks = squares->problem->n_clocks;
    double most = MAX_DRIFT * squares->half_us;

    for (uint32_t c = 0; c < n_clocks; c++) {
        int at = (int)(n_clocks + c);

        if (is_first[c]) {
            nlopt_set_lower_bound(opt, (int)c, 0);
            nlopt_set_upper_bound(opt, (int)c, 0);
        }
        if (squares->has_drift) {
            nlopt_set_lower_bound(opt, at, is_first[c] ? 0 : -most);
            nlopt_set_upper_bound(opt, at, is_first[c] ? 0 : most);
        }
    }
}

static void run_clock_solver_once(Search *search, const gboolean *is_first,
                                  double *x)
{
    unsigned n = search->squares.n, m = search->rows->len;
    nlopt_opt opt = nlopt_create(NLOPT_LD_SLSQP, n);
    g_autofree double *tolerance = g_new(double, m + 1);
    double least;

    for (unsigned i = 0; i < m; i++)
        tolerance[i] = SETTLED_US / 2;
    nlopt_set_min_objective(opt, mean_square_objective, search);
    set_variable_bounds(opt, search, is_first);
    if (m > 0)
        nlopt_add_inequality_mconstraint(opt, m, evaluate_bounds, search,
                                         tolerance);
    nlopt_set_xtol_abs1(opt, SETTLED_US / 10);
    nlopt_set_ftol_rel(opt, 1e-12);
    nlopt_set_maxeval(opt, MAX_EVALS);
    /* A failure of the solver is not an error: @x then has its best result, and
     * violated bounds are counted again. */
    (void)nlopt_optimize(opt, x, &least);
    nlopt_destroy(opt);
}

/* Minimises the sum of squares.  Sets @x, which has .n + 1 elements, and
 * returns the mean square. */
static double minimise_clock_error_squares(Search *search,
                                           const gboolean *is_first, double *x)
{
    align_set_transit_times(&search->squares, x);
    for (guint round = 0; round < MAX_ROUNDS; round++) {
        run_clock_solver_once(search, is_first, x);
        if (!add_violated_bounds(search, x))
            break;
    }
    return align_mean_square(&search->squares, x, NULL);
}

/* ---- the solution ----------------------------------------------------- */

static void store_clock_solution(AlignSolution *solution,
                                 const AlignSquares *squares, const double *x)
{
    uint32_t n_clocks = squares->problem->n_clocks;

    for (uint32_t c = 0; c < n_clocks; c++) {
        AlignClock *clock = &g_array_index(solution->clocks, AlignClock, c);

        *clock = squares->guess[c];
        clock->shift_us += x[c];
        if (!squares->has_drift)
            continue;
        clock->drift = x[n_clocks + c] / squares->half_us;
        clock->shift_us +=
            clock->drift * (squares->guess[c].shift_us - squares->middle_us);
    }
    solution->has_drift = squares->has_drift;
    solution->n_broken_after = count_violated_bounds(squares, x);
    solution->rms_after_us = sqrt(align_mean_square(squares, x, NULL));
}

static void measure_uncorrected_error(AlignSolution *solution,
                                      const AlignProblem *problem)
{
    g_autofree AlignClock *uncorrected =
        g_new0(AlignClock, problem->n_clocks + 1);
    g_autofree double *x = NULL;
    AlignSquares s;

    align_squares_init(&s, problem, uncorrected, FALSE);
    x = g_new0(double, s.n + 1);
    align_set_transit_times(&s, x);
    solution->n_broken_before = count_violated_bounds(&s, x);
    solution->rms_before_us = sqrt(align_mean_square(&s, x, NULL));
    align_squares_clear(&s);
}

static void solve_clocks_with_drift(AlignSolution *solution,
                                    const AlignProblem *problem,
                                    gboolean has_drift)
{
    g_autofree AlignClock *guess = g_new0(AlignClock, problem->n_clocks + 1);
    g_autofree gboolean *is_first = g_new0(gboolean, problem->n_clocks + 1);
    g_autofree double *x = NULL;
    Search search = { .rows = g_array_new(FALSE, FALSE, sizeof(AlignRow)) };
    double rms_us;

    align_initial_shifts(problem, guess, is_first);
    align_squares_init(&search.squares, problem, guess, has_drift);
    x = g_new0(double, search.squares.n + 1);
    if (!has_drift || 2 * search.squares.half_us >= MIN_AXIS_US) {
        rms_us = sqrt(minimise_clock_error_squares(&search, is_first, x));
        if (!has_drift || rms_us < DRIFT_GAIN * solution->rms_after_us)
            store_clock_solution(solution, &search.squares, x);
    }
    align_squares_clear(&search.squares);
    g_array_unref(search.rows);
}

AlignSolution *align_solve(const AlignProblem *problem)
{
    AlignSolution *solution = g_new0(AlignSolution, 1);

    solution->clocks = g_array_new(FALSE, TRUE, sizeof(AlignClock));
    g_array_set_size(solution->clocks, problem->n_clocks);
    if (problem->n_clocks == 0)
        return solution;
    measure_uncorrected_error(solution, problem);
    solve_clocks_with_drift(solution, problem, FALSE);
    if (solution->rms_after_us > problem->slack_us)
        solve_clocks_with_drift(solution, problem, TRUE);
    return solution;
}

void align_solution_free(AlignSolution *solution)
{
    if (!solution)
        return;
    g_array_unref(solution->clocks);
    g_free(solution);
}

double align_corrected_us(const AlignSolution *solution, AlignEvent event)
{
    const AlignClock *clock =
        &g_array_index(solution->clocks, AlignClock, event.clock);

    return event.at_us + clock->shift_us + clock->drift * event.at_us;
}
