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

#include "models/run/system.h"
#include "sim/study/optimise/candidate.h"
#include "sim/study/optimise/trial_path.h"
#include "sim/study/run_many.h"

/* Of trials that take no more than by that part longer than the least, the one
 * with the fewest changes is the best, of these the one with the fewest
 * messages: what moves a simulated time by less moves nobody's. */
#define OPTIMISE_ALIKE 0.0005

/* What a run computes, which who makes it faster may not change; what is done
 * with gradients before and after they are sent is none of it. */
typedef struct {
    uint64_t flop, n_weights; /* of an iteration, of all roles together */
} TrialWork;

/* How runs are made, and by whom. */
typedef struct {
    /* The file, a document anew each time.  NULL on error. */
    ConfigDoc *(*open)(gpointer self, GError **error);
    char *const *sets; /* of all runs; may be NULL */
    FoldMode fold;
    uint64_t memory_bytes; /* that a rank may need; 0: nobody counts */
    gboolean is_whole;     /* no run is cut off */
    uint64_t n_hops;       /* that a run may take (SystemSize); 0: any */
    TrialWork work;        /* of the default: no candidate does less; 0: any */
    gboolean (*run_many)(gpointer self, const RunMany *many, GError **error);
    /* What .keep was given as @text for @id; NULL: nothing.  Both may be
     * NULL. */
    const char *(*recall)(gpointer self, const char *id);
    void (*keep)(gpointer self, const char *id, const char *text);
    const char *id; /* of all that is not the candidate's; borrowed */
    /* A trial is done, of so many; may be NULL. */
    void (*on_trial)(gpointer self, guint n_done, guint n_most,
                     SimTime least_ps);
    gpointer self;
} TrialMaker;

typedef struct {
    char *text;           /* owned: the candidate's */
    Candidate *candidate; /* owned */
    const char *by;       /* static: what proposed it first */
    SimTime time_ps;      /* of an iteration; 0: it is not known */
    SimTime over_ps; /* it takes longer than that, and was cut off; else 0 */
    uint64_t memory_bytes; /* of the rank that needs most; 0: not known */
    TrialPath path;
    char *reason;     /* owned: why it cannot be run; NULL: it can */
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
