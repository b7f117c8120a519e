/*
 * optimise.h - finds changes that make a run faster, by simulation
 *
 * The search starts from a run file and returns the fastest candidate that
 * computes the same.  It can change how gradients are grouped into messages,
 * their order, the algorithms of collectives and more (search_moves.h). Each
 * time comes from a whole run, so the result is never slower than the default,
 * and a run of the result takes exactly the reported time.
 *
 * Changes that gain less than OPTIMISE_TIME_TOLERANCE are removed at the end.
 * For each remaining change, the result says how fast the default is with that
 * change alone, and how fast the best candidate is without it.
 *
 * Units    ps
 * Order    deterministic: a task has one answer, however many runs are made in
 *          parallel and whatever an earlier search remembered
 * Errors   CONFIG_ERROR; those of the default's run
 * Owner    the caller owns the OptimiseResult, which borrows the task
 */
#ifndef SIM_STUDY_OPTIMISE_OPTIMISE_H
#define SIM_STUDY_OPTIMISE_OPTIMISE_H

/* A candidate with more than OPTIMISE_MAX_HOPS_FACTOR times the message hops of
 * the default is refused, because its simulation would take as many times
 * longer. It is allowed if it has at most OPTIMISE_FEW_HOPS. */
#define OPTIMISE_MAX_HOPS_FACTOR 10
#define OPTIMISE_FEW_HOPS        UINT64_C(300000)

#include "sim/study/optimise/search_moves.h"

typedef struct {
    TrialMaker maker;         /* .work and limits are ignored */
    const SearchMove **moves; /* allowed moves; ends with NULL */
    uint64_t seed;
    guint n_evaluations; /* maximum number of runs, not counting those that find
                          * the contribution of each change */
} OptimiseTask;

typedef struct {
    CandidateAspect aspect;
    const char *sets; /* borrowed from .best */
    /* The trial of the default with only this change, and the trial of the best
     * candidate without it (both borrowed).  They have no time if they cannot
     * run or their run failed. */
    const Trial *alone, *without;
} OptimiseContribution;

typedef struct {
    const OptimiseTask *task;
    TrialMaker maker;    /* a copy of the task's */
    RunProfile *profile; /* owned */
    Trials trials;       /* owned */
    /* The trial of the default plan.  It was not timed if it needs too much
     * memory and another candidate does not. */
    const Trial *default_trial;
    const Trial *best;     /* the same as .default_trial if nothing is faster */
    GArray *contributions; /* owned: of OptimiseContribution */
    GError *interrupted;   /* owned: why the search ended early, or NULL */
} OptimiseResult;

G_GNUC_WARN_UNUSED_RESULT
OptimiseResult *optimise_run(const OptimiseTask *task, GError **error);
void optimise_result_free(OptimiseResult *optimised);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(OptimiseResult, optimise_result_free)

/* Returns the best candidate as a run file to be stored in @folder, which the
 * caller owns.  The file begins with the comment @head (given without "#").
 * Returns NULL and sets @error on failure. */
G_GNUC_WARN_UNUSED_RESULT
GString *optimise_result_run_file(const OptimiseResult *optimised,
                                  const char *folder, const char *head,
                                  GError **error);

/* Returns FALSE and sets @error if the runs of some trials were killed or
 * crashed. */
G_GNUC_WARN_UNUSED_RESULT
gboolean optimise_result_check_complete(const OptimiseResult *optimised,
                                        GError **error);

/* Returns CSV with its header, one row per trial in order, which the caller
 * owns. */
GString *optimise_result_to_csv(const OptimiseResult *optimised);

#endif
