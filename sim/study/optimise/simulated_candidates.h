/*
 * simulated_candidates.h - candidates and their simulated times; each candidate
 * is run once
 *
 * A trial is a run of the file with the candidate's settings; its time is that
 * of an iteration.  A candidate is not run again in the same search, nor in a
 * later one if the caller remembers results (.recall).  A trial counts when it
 * is first requested, wherever its result comes from.  So a search that
 * continues an interrupted one does what that one would have done.
 *
 * Units    ps, bytes
 * Order    deterministic: by requests, not by which run ends first
 * Errors   those of .run_many; a refused candidate is no error
 * Owner    the caller owns the Trials, which own each Trial
 */
#ifndef SIM_STUDY_OPTIMISE_SIMULATED_CANDIDATES_H
#define SIM_STUDY_OPTIMISE_SIMULATED_CANDIDATES_H

#include "sim/study/optimise/candidate_run.h"
#include "sim/study/optimise/trial_critical_path.h"

/* Trials that are slower than the fastest by at most this share count as
 * equally fast.  Of these, the trial with the fewest changes, then the fewest
 * messages, is the best.  Smaller differences of simulated times are not
 * significant. */
#define OPTIMISE_TIME_TOLERANCE 0.0005

typedef struct {
    char *text;           /* owned: of the candidate */
    Candidate *candidate; /* owned */
    const char *move;     /* static: the move that proposed it first */
    SimTime time_ps;      /* time of an iteration; 0: not known */
    SimTime cut_off_ps; /* cut off because an iteration takes longer; otherwise
                         * 0 */
    /* Memory of the rank that needs most; 0: not known. */
    uint64_t memory_bytes;
    SimTime bubble_ps; /* of a language model, in a pipeline; otherwise 0 */
    uint64_t mfu_ppm;  /* of a language model; otherwise 0 */
    TrialPath path;
    char *reason;         /* owned: why it cannot be run; NULL if it can */
    gboolean has_crashed; /* its run was killed or crashed (failed_runs.h);
                           * .reason says how */
    GArray *messages; /* owned: of GradientMessage; empty without a lane; NULL:
                       * there is no result yet */
    gboolean is_recalled;
} Trial;

typedef struct {
    const TrialMaker *maker; /* borrowed */
    guint n_most;            /* largest number of trials */
    SimTime limit_ps;  /* trials that are made next are cut off if an iteration
                        * takes longer; 0: never */
    GPtrArray *trials; /* owned: of owned Trial, in the order of requests */
    GHashTable *by_text; /* owned: borrowed text -> borrowed Trial */
    const Trial *best;   /* the fastest, and the first of equals; NULL if there
                          * is none */
} Trials;

void init_candidate_trials(Trials *trials, const TrialMaker *maker,
                           guint n_most);
void clear_trials(Trials *trials);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Trials, clear_trials)

/* Runs those of @candidates (of Candidate) that have no trial yet, up to
 * .n_most trials; @by is static.  Returns FALSE and sets @error on failure. */
G_GNUC_WARN_UNUSED_RESULT
gboolean run_new_candidate_trials(Trials *trials, const GPtrArray *candidates,
                                  const char *by, GError **error);

/* Returns the trial of @candidate, or NULL if it has no result. */
const Trial *find_candidate_trial(const Trials *trials,
                                  const Candidate *candidate);

/* Returns the simplest of the trials that are as fast as the best (see
 * OPTIMISE_TIME_TOLERANCE), or NULL if none can be run. */
const Trial *find_simplest_best_trial(const Trials *trials);

/* Returns whether @trial is as fast as @least_ps, within
 * OPTIMISE_TIME_TOLERANCE. */
static inline gboolean trial_is_about_as_fast(const Trial *trial,
                                              SimTime least_ps)
{
    return trial->time_ps > 0 &&
           (double)trial->time_ps <=
               (double)least_ps * (1 + OPTIMISE_TIME_TOLERANCE);
}

/* Returns how many more trials may be made. */
static inline guint trials_count_remaining_runs(const Trials *trials)
{
    return trials->n_most > trials->trials->len
               ? trials->n_most - trials->trials->len
               : 0;
}

/* Returns whether @a has a time and is faster than @b; @b may be NULL. */
static inline gboolean candidate_trial_is_faster(const Trial *a, const Trial *b)
{
    return a && a->time_ps > 0 && (!b || a->time_ps < b->time_ps);
}

#endif
