/*
 * what_if_pruning.h - decides which what-ifs need no run
 *
 * Method
 *   1. A what-if that serves communication and takes nothing from kernels is
 *      tested in a group first.  The group is a what-if that sets everything
 *      that its members set.
 *   2. There are two kinds of groups.  A pattern, such as half of all
 *      latencies, contains one what-if per dimension and is reported itself.
 *      Minor what-ifs (minor_factors.h), which have little of the critical
 * path, form groups that are not reported.
 *   3. If the run of a group hardly changes the iteration time, its members are
 *      left out.  The limit is PRUNING_WORTHWHILE_GAIN for a pattern and
 * PRUNING_NOTICEABLE_GAIN for a group of minor what-ifs.  A member could exceed
 * it only if another member undid its gain.
 *   4. Otherwise the members are run.  In a minor group the leader is run
 *      first, and the others only if the leader does not gain as much as the
 *      whole group.
 *
 * With a limited number of runs:
 *   1. The critical path bounds the gains of what-ifs that change resources
 *      (what_if_bounds.h).  Those below PRUNING_WORTHWHILE_GAIN are not run.
 *   2. Other plans are estimated (plan_estimates.h), and the best one is run.
 *   3. Resources that have next to nothing of the path themselves, but whose
 *      change can shift other waits, are run as one group.
 *   4. The remaining runs go to the resources with the largest bounds.  The
 *      other what-ifs keep their bounds and estimates.  A what-if that has none
 *      is always run.
 *
 * Errors   those of what_ifs_run_requested()
 */
#ifndef SIM_STUDY_SPARING_H
#define SIM_STUDY_SPARING_H

#include "sim/study/what_ifs.h"

/* A reported change of at least this share is given as a number. */
#define PRUNING_NOTICEABLE_GAIN 0.001
/* A gain below this share is reported as "next to nothing". */
#define PRUNING_WORTHWHILE_GAIN 0.005

/* Makes the last of @what_ifs the group of those from number @first on, if
 * there are any. */
void pruning_group_what_ifs_of_pattern(GArray *what_ifs, guint first);

/* Appends to @ret (of guint) the numbers of the what-ifs to start before the
 * critical path is known.  The first ones are always run, unless
 * what_ifs_prove_unchanged() shows that they change nothing; then come the
 * groups, some of which may turn out to be minor. */
void pruning_choose_first_runs(const GArray *what_ifs,
                               const SystemConfig *config, gboolean is_limited,
                               GArray *ret);

/* Defers all but the first few what-ifs of pruning_choose_first_runs() until
 * pruning_run_what_ifs() or pruning_run_best_what_ifs(). It is for runs whose
 * critical path needs another run, which goes first. */
void pruning_defer_what_ifs(GArray *what_ifs, const SystemConfig *config,
                            gboolean is_limited);

/* Sets .iteration_ps or .reason of each of @what_ifs, or leaves it out.
 * @what_ifs is the array that @runs was made from, and @path_ps the critical
 * path of the run of @system, by row. */
G_GNUC_WARN_UNUSED_RESULT
gboolean pruning_run_what_ifs(GArray *what_ifs, WhatIfs *runs,
                              const System *system, const SimTime *path_ps,
                              GError **error);

/* The critical path of a run, and how many runs gave it. */
typedef struct {
    const SimTime *rows_ps;        /* borrowed: over the whole run, by row */
    const SimTime *other_queue_ps; /* borrowed: the part of a row that waits
                                    * behind other collectives */
    guint n_runs; /* the run itself, and the one that followed the path */
} PrunedPath;

/* Does the same with a limited number of runs, those of @path included.
 * @source is that of @runs. */
G_GNUC_WARN_UNUSED_RESULT
gboolean pruning_run_best_what_ifs(GArray *what_ifs, WhatIfs *runs,
                                   const WhatIfSource *source,
                                   const PrunedPath *path, GError **error);

/* Returns whether a change from @base_ps to @iteration_ps makes the iteration
 * faster or slower by at least the share @least. */
gboolean pruning_is_gain_significant(SimTime base_ps, SimTime iteration_ps,
                                     double least);

#endif
