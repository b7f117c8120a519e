/*
 * clock_least_squares.h - corrections of clocks by constrained least squares
 *
 * The corrected time of clock c at its time t is t + .shift + .drift x t.  The
 * solution minimises the sum of the squares of
 *   - the distances of the ends of a collective from their mean;
 *   - the differences between the transit time of a message and the mean
 *     transit time of the messages between the same two clocks, in both
 *     directions
 * under the bounds that no effect ends before its cause begins.  The first
 * clock of each connected component is the reference.  SLSQP of NLopt solves
 * the problem [NLOPT].  Most bounds are never active, so a bound is added when
 * it is violated, the worst bound of each pair of clocks first.
 *
 * Units    us as double, on one time axis; drifts in us per us
 * Owner    the caller owns the problem
 */
#ifndef WORKLOADS_RECORDING_CLOCK_LEAST_SQUARES_H
#define WORKLOADS_RECORDING_CLOCK_LEAST_SQUARES_H

#include <glib.h>
#include <stdint.h>

typedef struct AlignProblem AlignProblem;

/* An event at the time that its clock shows. */
typedef struct {
    uint32_t clock;
    double at_us;
} AlignEvent;

typedef struct {
    double shift_us, drift;
    gboolean is_tied; /* constraints connect the clock to another clock */
} AlignClock;

typedef struct {
    /* Corrections of all clocks; the elements are AlignClock. */
    GArray *clocks;
    /* Number of bounds that uncorrected times violate. */
    uint64_t n_broken_before;
    uint64_t n_broken_after;
    /* Root mean square of the minimised distances. */
    double rms_before_us, rms_after_us;
    gboolean has_drift;
} AlignSolution;

/* Creates a problem whose bounds may be violated by @slack_us, as times are
 * rounded. */
AlignProblem *align_problem_new(uint32_t n_clocks, double slack_us);
void align_problem_free(AlignProblem *problem);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AlignProblem, align_problem_free)

/* Adds @n events that happened at the same time. */
void align_add_simultaneous(AlignProblem *problem, const AlignEvent *events,
                            guint n);
/* Adds a message by the ends of its send and its receive. */
void align_add_message(AlignProblem *problem, AlignEvent sent,
                       AlignEvent received);
/* Adds the bound that @effect did not precede @cause. */
void align_add_bound(AlignProblem *problem, AlignEvent cause,
                     AlignEvent effect);

/* Solves the problem.  Clocks may drift only if that leaves less than half of
 * the error.  The caller owns the result. */
AlignSolution *align_solve(const AlignProblem *problem);
void align_solution_free(AlignSolution *solution);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AlignSolution, align_solution_free)

/* Returns the corrected time of @event. */
double align_corrected_us(const AlignSolution *solution, AlignEvent event);

#endif
