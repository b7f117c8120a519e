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

#include "sim/study/optimise/trials.h"

#define TRIAL_OVER ">"

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
