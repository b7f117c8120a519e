/*
 * align_solve_impl.h - data that the parts of the clock alignment share
 *
 * The header is private to align_solve.c, align_initial.c (initial shifts) and
 * align_squares.c (the sum of squares).
 */
#ifndef WORKLOADS_RECORDING_ALIGN_SOLVE_IMPL_H
#define WORKLOADS_RECORDING_ALIGN_SOLVE_IMPL_H

#include "workloads/recording/align_solve.h"

typedef struct {
    AlignEvent cause, effect;
} AlignPair;

struct AlignProblem {
    uint32_t n_clocks;
    double slack_us;
    /* AlignEvent: groups of simultaneous events, one after the other. */
    GArray *events;
    GArray *sizes;  /* guint: size of each group */
    GArray *pairs;  /* AlignPair: send and receive of messages */
    GArray *bounds; /* AlignPair */
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
    const AlignClock *guess; /* borrowed: initial shifts */
    gboolean has_drift;
    double middle_us, half_us; /* middle and half length of the time axis */
    /* Number of variables; the last .n_transits are transit times. */
    guint n, n_transits;
    double *q, *c; /* owned: n x n, n */
    double constant;
    double n_rows;
    /* Owned: pair of clocks -> variable of their transit time. */
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
void align_set_transits(const AlignSquares *squares, double *x);

#endif
