/*
 * trial_critical_path.h - which parts of a run's critical path a change could
 * save
 *
 * The parts add up to the critical path through all NPUs
 * (models/observe/ranks).  Kernels, hosts and recorded gaps on the path come
 * one after another, so a change of messages cannot save them.  An exception is
 * the time that communication costs kernels; it is not counted here.
 *
 * Units    ps over the whole run, not per iteration
 */
#ifndef SIM_STUDY_OPTIMISE_TRIAL_CRITICAL_PATH_H
#define SIM_STUDY_OPTIMISE_TRIAL_CRITICAL_PATH_H

#include "models/observe/ranks/rank_path.h"

typedef struct {
    SimTime kernels_ps;  /* kernels of NPUs that train */
    SimTime hosts_ps;    /* host threads, the input pipeline and recorded
                          * copies */
    SimTime idle_ps;     /* recorded gaps */
    SimTime messages_ps; /* collectives, messages, and all that servers do */
    SimTime lanes_ps;    /* waits for a lane's next cycle and negotiation */
    SimTime gaps_ps;     /* time without any known work */
} TrialPath;             /* all fields are 0 if the path is not known */

/* Returns the sums over the parts of the critical path @path, for which
 * rank_path_finish() was called. */
TrialPath sum_critical_path_by_cause(const System *system,
                                     const RankPath *path);

/* Returns the time on the path by operation, including the time for which its
 * lane lets it wait.  The caller owns the array. */
SimTime *trial_path_time_by_op(const System *system, const RankPath *path);

static inline SimTime trial_path_total_ps(const TrialPath *path)
{
    return path->kernels_ps + path->hosts_ps + path->idle_ps +
           path->messages_ps + path->lanes_ps + path->gaps_ps;
}

#endif
