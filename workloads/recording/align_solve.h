/*
 * align_solve.h - how far clocks have to be put forward so that what happened
 * together did, and nothing came before its cause
 *
 * Clock c shows t where it should show t + .shift + .drift x t.  Sought is what
 * makes the sum of squares least of
 *   - how far ends of one collective lie from their mean
 *   - how far a message's way takes longer than the ways between the same two
 *     clocks, in both directions, do in the mean
 * under bounds: an effect's end is not before its cause's begin.  The first
 * clock of those that are tied together stands.  SLSQP of NLopt solves it
 * [NLOPT]; bounds come in as they are found broken, the worst of two clocks
 * first, since most never bind.
 *
 * Units    us as double, of one time axis; drifts are us a us
 * Owner    the caller owns the problem
 */
#ifndef WORKLOADS_RECORDING_ALIGN_SOLVE_H
#define WORKLOADS_RECORDING_ALIGN_SOLVE_H

#include <glib.h>
#include <stdint.h>

typedef struct AlignProblem AlignProblem;

/* Something that happened, as its clock shows it. */
typedef struct {
    uint32_t clock;
    double at_us;
} AlignEvent;

typedef struct {
    double shift_us, drift;
    gboolean is_tied; /* to another clock */
} AlignClock;

typedef struct {
    GArray *clocks;           /* of AlignClock */
    uint64_t n_broken_before; /* bounds */
    uint64_t n_broken_after;
    double rms_before_us, rms_after_us; /* of what is to be least */
    gboolean has_drift;
} AlignSolution;

/* Bounds may be broken by @slack_us, where times are rounded. */
AlignProblem *align_problem_new(uint32_t n_clocks, double slack_us);
void align_problem_free(AlignProblem *problem);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AlignProblem, align_problem_free)

/* These @n happened at one time. */
void align_add_together(AlignProblem *problem, const AlignEvent *events,
                        guint n);
/* A message's send ended, and its receive. */
void align_add_message(AlignProblem *problem, AlignEvent sent,
                       AlignEvent received);
/* @effect was not before @cause. */
void align_add_bound(AlignProblem *problem, AlignEvent cause,
                     AlignEvent effect);

/* Clocks drift where that leaves less than half of the error.  Owner: the
 * caller. */
AlignSolution *align_solve(const AlignProblem *problem);
void align_solution_free(AlignSolution *solution);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AlignSolution, align_solution_free)

/* What the clock should have shown. */
double align_right_us(const AlignSolution *solution, AlignEvent event);

#endif
