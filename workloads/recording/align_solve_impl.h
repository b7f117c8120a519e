/*
 * align_solve_impl.h - for the alignment of clocks only: what is known of them,
 * the first guess, and the sum of squares
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
    GArray *events; /* of AlignEvent, one tie after the other */
    GArray *sizes;  /* of guint: events of each tie */
    GArray *pairs;  /* of AlignPair: of messages, sent and received */
    GArray *bounds; /* of AlignPair */
};

/* From each part's first clock along what ties others to it, in the middle;
 * @is_first of those clocks.  Fills .shift_us and .is_tied of @clocks. */
void align_guess(const AlignProblem *problem, AlignClock *clocks,
                 gboolean *is_first);

#define ALIGN_MAX_TERMS 5

/* A few coefficients of variables, and what they do not explain. */
typedef struct {
    guint n;
    guint at[ALIGN_MAX_TERMS];
    double of[ALIGN_MAX_TERMS];
    double rest;
} AlignRow;

/* x'Qx + 2c'x + rest.  Variables are of each clock its shift from the guess,
 * with drift also of each its shift at the ends of the time axis less that in
 * the middle; then of each two clocks between which messages go the time that
 * these take. */
typedef struct {
    const AlignProblem *problem;
    const AlignClock *guess; /* borrowed */
    gboolean has_drift;
    double middle_us, half_us; /* of the time axis */
    guint n, n_ways;           /* variables; the last ones are ways */
    double *q, *c;             /* n x n, n */
    double rest;
    double n_rows;
    GHashTable *ways; /* of two clocks, to the variable of their messages */
} AlignSquares;

void align_squares_init(AlignSquares *squares, const AlignProblem *problem,
                        const AlignClock *guess, gboolean has_drift);
void align_squares_clear(AlignSquares *squares);

/* Adds @sign x what the clock should have shown to @row. */
void align_add_event(const AlignSquares *squares, AlignRow *row,
                     AlignEvent event, double sign);
/* The mean square at @x, and its gradient where that is not NULL. */
double align_mean_square(const AlignSquares *squares, const double *x,
                         double *gradient);
/* Ways are chosen for clocks that stay as in @x. */
void align_choose_ways(const AlignSquares *squares, double *x);

#endif
