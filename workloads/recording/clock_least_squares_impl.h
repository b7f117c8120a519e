/*
 * clock_least_squares_impl.h - data that the parts of the clock alignment share
 *
 * The header is private to clock_least_squares.c, clock_initial_offsets.c
 * (initial shifts) and clock_quadratic_form.c (the sum of squares).
 */
#ifndef WORKLOADS_RECORDING_CLOCK_LEAST_SQUARES_IMPL_H
#define WORKLOADS_RECORDING_CLOCK_LEAST_SQUARES_IMPL_H

#include "workloads/recording/clock_least_squares.h"

typedef struct {
    AlignEvent cause, effect;
} AlignPair;

struct AlignProblem {
    uint32_t n_clocks;
    double slack_us;
    /* Simultaneous events, group after group; the elements are AlignEvent. */
    GArray *events;
    GArray *sizes; /* number of events in each group; the elements are guint */
    /* The elements are AlignPair: send and receive of messages. */
    GArray *pairs;
    /* Bounds that an effect does not precede its cause; the elements are
     * AlignPair. */
    GArray *bounds;
};

/* Sets .shift_us and .is_tied of @clocks: walks from the first clock of each
 * connected component along the median difference of clocks.  Sets @is_first
 * for the first clocks. */
void align_initial_shifts(const AlignProblem *problem, AlignClock *clocks,
                          gboolean *is_first);

#define ALIGN_MAX_TERMS 5

/* A linear form: the sum of .coefficients[i] times variable .variables[i], plus
 * .constant. */
typedef struct {
    guint n;
    guint variables[ALIGN_MAX_TERMS];
    double coefficients[ALIGN_MAX_TERMS];
    double constant;
} AlignRow;

/* The sum of squares as a quadratic form x'Qx + 2c'x + constant.  The variables
 * x are, in this order:
 *
 *   - the shift of each clock relative to its initial value;
 *   - with drift, the shift of each clock at the ends of the time axis relative
 *     to the middle;
 *   - the transit time of messages for each pair of clocks. */
typedef struct {
    const AlignProblem *problem;
    const AlignClock *guess; /* borrowed: the initial shift of each clock */
    gboolean has_drift;
    double middle_us, half_us; /* middle and half length of the time axis */
    /* Number of variables; the last .n_transits are transit times. */
    guint n, n_transits;
    /* Owned: the matrix Q of n x n, and the vector c of n elements. */
    double *q, *c;
    double constant;
    double n_rows;
    /* Owned: maps a pair of clocks to the variable of their transit time. */
    GHashTable *transits;
} AlignSquares;

void align_squares_init(AlignSquares *squares, const AlignProblem *problem,
                        const AlignClock *guess, gboolean has_drift);
void align_squares_clear(AlignSquares *squares);

/* Adds @sign times the corrected time of @event to @row. */
void align_add_event(const AlignSquares *squares, AlignRow *row,
                     AlignEvent event, double sign);
/* Returns the mean square at @x.  Sets its gradient if @gradient is not
 * NULL. */
double align_mean_square(const AlignSquares *squares, const double *x,
                         double *gradient);
/* Sets the transit times in @x to the best values for the clocks in @x. */
void align_set_transit_times(const AlignSquares *squares, double *x);

#endif
