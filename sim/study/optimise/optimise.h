/*
 * optimise.h - what to change of a run that it be faster, by simulation
 *
 * Starts from a run file as it is and hands back the fastest of what was tried
 * that keeps what is computed: as which messages and in which order gradients
 * go, by which algorithms, and more (move.h).  Every time is that of a whole
 * run, so what is found is never slower than the default, and running what is
 * found gives its time to the picosecond.
 *
 * Changes that are worth nothing, OPTIMISE_ALIKE, are taken out again.  Of each
 * that is left it is known what it makes of the default alone, and what the
 * best is without it.
 *
 * Units    ps
 * Order    deterministic: the same task has the same answer, however many runs
 *          are made at a time and whatever was remembered of an earlier search
 * Errors   CONFIG_ERROR; those of the default's run
 * Owner    the caller owns the Optimised, which borrows the task
 */
#ifndef SIM_STUDY_OPTIMISE_OPTIMISE_H
#define SIM_STUDY_OPTIMISE_OPTIMISE_H

/* A candidate that takes so many times the messages of the default is refused,
 * lest its run take as many times as long; but for one of few messages. */
#define OPTIMISE_MOST_TIMES 10
#define OPTIMISE_FEW_HOPS   UINT64_C(300000)

#include "sim/study/optimise/move.h"

typedef struct {
    TrialMaker maker;   /* its .n_hops and .work are not looked at */
    const Move **moves; /* that may be made; ends with NULL */
    uint64_t seed;
    guint n_evaluations; /* runs at most, but for what says what changes are
                          * worth */
} OptimiseTask;

typedef struct {
    Aspect aspect;
    const char *sets; /* borrowed from .best */
    /* Borrowed; without a time: it cannot be run so, or is lost. */
    const Trial *alone, *without;
} OptimiseWorth;

typedef struct {
    const OptimiseTask *task;
    TrialMaker maker;    /* the task's */
    Known *known;        /* owned */
    Trials trials;       /* owned */
    const Trial *begin;  /* the default; without a time where it needs more
                          * memory than there is, and something else does not */
    const Trial *best;   /* the same where nothing is faster */
    GArray *worths;      /* owned, of OptimiseWorth */
    GError *interrupted; /* owned: why it ended before its time; NULL */
} Optimised;

G_GNUC_WARN_UNUSED_RESULT
Optimised *optimise_run(const OptimiseTask *task, GError **error);
void optimised_free(Optimised *optimised);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Optimised, optimised_free)

/* The best as a run file that is to lie in @folder, with a head that says
 * where it is from, which @head is (without "#").  NULL on error.  Owner: the
 * caller. */
G_GNUC_WARN_UNUSED_RESULT
GString *optimised_file(const Optimised *optimised, const char *folder,
                        const char *head, GError **error);

/* FALSE: some trials are lost. */
G_GNUC_WARN_UNUSED_RESULT
gboolean optimised_is_whole(const Optimised *optimised, GError **error);

/* A row for each trial, in order. */
GString *optimised_csv(const Optimised *optimised);

#endif
