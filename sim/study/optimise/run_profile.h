/*
 * run_profile.h - what a search knows about the run that it is to make faster
 *
 * The facts are of two kinds.  Of the default run: the configuration, and how
 * the time of the first NPU's main stream divides.  Of the exchange of
 * gradients, with the other changes so far: the tensors in the order in which
 * they are ready, and the time of messages.
 *
 * Units    bytes, ps
 * Owner    the caller owns the facts, which own their arrays and document
 */
#ifndef SIM_STUDY_OPTIMISE_RUN_PROFILE_H
#define SIM_STUDY_OPTIMISE_RUN_PROFILE_H

#include "sim/study/optimise/simulated_candidates.h"

typedef struct {
    const TrialMaker *maker; /* borrowed */
    ConfigDoc *doc;          /* owned: of the default */
    SystemConfig config;
    uint64_t n_hops;  /* number of message hops in a run of the default */
    TrialWork work;   /* the work that the default run does */
    guint n_tensors;  /* number of tensors with a separate message; 0: none */
    GArray *tensors;  /* owned: of GroupingTensor; empty: not known yet */
    GArray *messages; /* owned: of GroupingMessage; empty: not known yet */
    /* Shares of the default's time: .communication is waits for communication
     * and the time that it costs kernels; .fixed is launches, gaps and measured
     * times. */
    double communication, fixed;
    gboolean is_recorded; /* communication takes the recorded time, whatever
                           * changes */
    double
        kernel_slowdown;  /* the part of .communication that it costs kernels */
    const Trial *current; /* borrowed: the trial that is to be varied; NULL:
                           * none */
} RunProfile;

/* Returns NULL and sets @error if the default cannot be run. */
G_GNUC_WARN_UNUSED_RESULT
RunProfile *run_profile_new(const TrialMaker *maker, GError **error);
void run_profile_free(RunProfile *profile);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RunProfile, run_profile_free)

/* Sets .n_tensors, the number of tensors that can be grouped with the changes
 * of @candidate. */
void run_profile_count_tensors(RunProfile *profile, const Candidate *candidate);

/* Sets .tensors from the trial @whole, in which each tensor has a message, and
 * .messages from all of @trials (of borrowed Trial). */
void run_profile_set_messages(RunProfile *profile, const Trial *whole,
                              const GPtrArray *trials);

/* Returns the kind of the default's exchange, or "" if there are no
 * gradients. */
const char *run_profile_exchange_kind(const RunProfile *profile);

/* Returns whether another kind may group the gradients: they go neither to
 * servers nor, as a sharding divides them, to the ranks that keep them. */
gboolean run_profile_may_group_gradients(const RunProfile *profile);

/* Returns "training.exchange={kind: KIND, MORE, ...}", which the caller owns.
 * The text also has the default's settings that KIND supports, unless @more
 * contains them.  @more begins with a comma or is empty. */
char *run_profile_exchange_sets(const RunProfile *profile, const char *kind,
                                const char *more);

#endif
