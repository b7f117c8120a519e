/*
 * trials.h - candidates, simulated, each once
 *
 * A trial is a run of the file with the candidate's settings; its time is that
 * of an iteration.  What was asked before is not run again, in this search or,
 * where the caller remembers (.recall), in one before it.  Trials are counted
 * as they are asked for first, wherever the answer comes from, so that a search
 * that goes on with what another has left does what that would have done.
 *
 * Units    ps, bytes
 * Order    deterministic: by what is asked, not by who is done first
 * Errors   those of .run_many; a candidate that is refused is no error
 * Owner    the caller owns the Trials, which own each Trial
 */
#ifndef SIM_STUDY_OPTIMISE_TRIALS_H
#define SIM_STUDY_OPTIMISE_TRIALS_H

#include "sim/study/optimise/trial_path.h"
#include "sim/study/optimise/trial_run.h"

/* Of trials that take no more than by that part longer than the least, the one
 * with the fewest changes is the best, of these the one with the fewest
 * messages: what moves a simulated time by less moves nobody's. */
#define OPTIMISE_ALIKE 0.0005

typedef struct {
    char *text;           /* owned: the candidate's */
    Candidate *candidate; /* owned */
    const char *by;       /* static: what proposed it first */
    SimTime time_ps;      /* of an iteration; 0: it is not known */
    SimTime over_ps; /* it takes longer than that, and was cut off; else 0 */
    uint64_t memory_bytes; /* of the rank that needs most; 0: not known */
    TrialPath path;
    char *reason;     /* owned: why it cannot be run; NULL: it can */
    gboolean is_lost; /* or could, and its run never ended (losses.h) */
    GArray *messages; /* owned, of Message; empty without a lane */
    gboolean is_recalled;
} Trial;

typedef struct {
    const TrialMaker *maker; /* borrowed */
    guint n_most;            /* trials at all */
    SimTime limit_ps; /* of those made next: an iteration that takes longer need
                       * not come to its end; 0: it has to */
    GPtrArray *all;   /* owned, of owned Trial, as they were asked for */
    GHashTable *by_text; /* owned: borrowed text -> borrowed Trial */
    const Trial *best;   /* with the least time, the first of equals; NULL */
} Trials;

void trials_init(Trials *trials, const TrialMaker *maker, guint n_most);
void trials_clear(Trials *trials);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Trials, trials_clear)

/* Sees to it that each of @candidates (of Candidate) was tried, the first ones
 * where there are more than may be; @by is static. */
G_GNUC_WARN_UNUSED_RESULT
gboolean trials_make(Trials *trials, const GPtrArray *candidates,
                     const char *by, GError **error);

/* The trial of @candidate; NULL: it was not tried. */
const Trial *trials_find(const Trials *trials, const Candidate *candidate);

/* The best of those alike, see OPTIMISE_ALIKE; NULL: none can be run. */
const Trial *trials_simplest(const Trials *trials);

static inline gboolean trial_is_alike(const Trial *trial, SimTime least_ps)
{
    return trial->time_ps > 0 &&
           (double)trial->time_ps <= (double)least_ps * (1 + OPTIMISE_ALIKE);
}

static inline guint trials_n_left(const Trials *trials)
{
    return trials->n_most > trials->all->len ? trials->n_most - trials->all->len
                                             : 0;
}

static inline gboolean trial_is_less(const Trial *a, const Trial *b)
{
    return a && a->time_ps > 0 && (!b || a->time_ps < b->time_ps);
}

#endif
