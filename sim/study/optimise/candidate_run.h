/*
 * candidate_run.h - one run of a search, which may be in another process
 *
 * The result is a text: "TIME MEMORY BUBBLE MFU PATH MESSAGES"; or
 * TRIAL_CUT_OFF and the limit that the run exceeds; or a blank and the reason
 * why the candidate cannot be run.
 *
 * Units    ps, bytes; parts per million (MFU)
 */
#ifndef SIM_STUDY_OPTIMISE_CANDIDATE_RUN_H
#define SIM_STUDY_OPTIMISE_CANDIDATE_RUN_H

#include "models/run/system.h"
#include "sim/study/optimise/candidate.h"
#include "sim/study/run_many.h"

#define TRIAL_CUT_OFF ">"

/* The amount of work that a run does.  A candidate must not do less, except for
 * work on gradients before and after they are sent. */
typedef struct {
    uint64_t flop, n_weights; /* sums over all roles, per iteration */
} TrialWork;

/* The callbacks and limits with which the runs of a search are made. */
typedef struct {
    /* Returns the file as a new document, or NULL and sets @error. */
    ConfigDoc *(*open)(gpointer self, GError **error);
    char *const *sets;      /* settings of all runs; may be NULL */
    RunOptions run_options; /* .limits.n_hops: of the work of a run */
    uint64_t memory_bytes;  /* memory of a rank; 0: not checked */
    gboolean is_whole;      /* no run is cut off */
    gboolean is_quick;      /* no path and no messages are found */
    /* The work of the default.  Candidates that do less are refused; 0: none
     * are. */
    TrialWork work;
    gboolean (*run_many)(gpointer self, const RunMany *many, GError **error);
    /* .recall returns the text that .keep got for @id in this or an earlier
     * search, or NULL.  Both functions may be NULL. */
    const char *(*recall)(gpointer self, const char *id);
    void (*keep)(gpointer self, const char *id, const char *text);
    const char *id; /* borrowed: identifies everything but the candidate */
    /* Called when a trial has ended; may be NULL.  @n_done of @n_most trials
     * have ended, and the fastest took @least_ps. */
    void (*on_trial)(gpointer self, guint n_done, guint n_most,
                     SimTime least_ps);
    gpointer self;
} TrialMaker;

/* Returns the amount of work in one iteration of @graph. */
TrialWork count_trial_work(const OpGraph *graph);

/* Returns the document of @candidate and sets *@config, or returns NULL and
 * sets @error. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *load_trial_config(const TrialMaker *maker,
                             const Candidate *candidate, SystemConfig *config,
                             GError **error);

/* Returns @candidate as a run file to be stored in @folder, which the caller
 * owns.  The file begins with the comment @head (given without "#").  Returns
 * NULL and sets @error on failure. */
G_GNUC_WARN_UNUSED_RESULT
GString *candidate_run_file(const TrialMaker *maker, const Candidate *candidate,
                            const char *folder, const char *head,
                            GError **error);

/* Runs @candidate and appends the text to @out.  The run may be cut off if an
 * iteration takes longer than @limit_ps; 0: it may not. */
void run_optimise_candidate(const TrialMaker *maker, const Candidate *candidate,
                            SimTime limit_ps, GString *out);

#endif
