/*
 * trial_path.h - what of a run's critical path a change of it could save
 *
 * Of the path through all NPUs (models/observe/ranks), which the parts add up
 * to.  Who changes messages alone saves no more than what is none of the first
 * three, since those are on the path one after the other; but where
 * communication slows kernels, which is no part of this.
 *
 * Units    ps over the whole run, not of an iteration
 */
#ifndef SIM_STUDY_OPTIMISE_TRIAL_PATH_H
#define SIM_STUDY_OPTIMISE_TRIAL_PATH_H

#include "models/observe/ranks/rank_path.h"

typedef struct {
    SimTime kernels_ps;  /* of who trains */
    SimTime hosts_ps;    /* its hosts, its input, and copies as recorded */
    SimTime idle_ps;     /* gaps that were recorded */
    SimTime messages_ps; /* collectives, messages, and all that servers do */
    SimTime lanes_ps;    /* waits for a lane's look, and its negotiation */
    SimTime gaps_ps;     /* nothing that is known */
} TrialPath;             /* all 0: nobody knows */

/* @path is finished. */
TrialPath trial_path(const System *system, const RankPath *path);

/* Of the path, by operation: it runs, or its lane lets it wait.  Owner: the
 * caller. */
SimTime *trial_path_ops(const System *system, const RankPath *path);

static inline SimTime trial_path_total_ps(const TrialPath *path)
{
    return path->kernels_ps + path->hosts_ps + path->idle_ps +
           path->messages_ps + path->lanes_ps + path->gaps_ps;
}

#endif
