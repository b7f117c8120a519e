/*
 * trial_run.h - one run of a search, which may be in a process of its own
 *
 * What comes of it is a text: "TIME MEMORY PATH MESSAGES", or TRIAL_OVER and
 * the limit that it takes longer than, or a blank and why it cannot be run.
 *
 * Units    ps, bytes
 */
#ifndef SIM_STUDY_OPTIMISE_TRIAL_RUN_H
#define SIM_STUDY_OPTIMISE_TRIAL_RUN_H

#include "models/run/system.h"
#include "sim/study/optimise/candidate.h"
#include "sim/study/run_many.h"

#define TRIAL_OVER ">"

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

/* Of @graph. */
TrialWork trial_work(const OpGraph *graph);

/* The configuration of @candidate.  NULL on error. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *trial_load(const TrialMaker *maker, const Candidate *candidate,
                      SystemConfig *config, GError **error);

/* Appends that to @out; @limit_ps of an iteration, 0: to its end. */
void trial_run(const TrialMaker *maker, const Candidate *candidate,
               SimTime limit_ps, GString *out);

#endif
