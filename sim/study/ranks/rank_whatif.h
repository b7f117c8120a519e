/*
 * rank_whatif.h - a run again and again, each time with other operations twice
 * as fast
 *
 * What would come of it if the critical path were all is said beside what comes
 * of it, by simulation: another path may be next.  Kernels, work of hosts and
 * of devices, and communication as it was recorded are made faster by
 * `perturb.ops`; communication that is simulated by links twice as fast, of
 * half the latency; idle time that was recorded by `training.gaps`; and who is
 * late gets no more to do than the others have on average.
 *
 * Units    ps of an iteration
 * Errors   CONFIG_ERROR for a wish that is none, those of the RunManyFn; what a
 *          run itself has to complain of is its .reason
 * Owner    the caller owns the array, and that its texts
 */
#ifndef SIM_STUDY_RANKS_RANK_WHATIF_H
#define SIM_STUDY_RANKS_RANK_WHATIF_H

#include "sim/study/ranks/rank_study.h"
#include "sim/study/what_ifs.h"

#define RANK_WHATIF_MOST 6 /* classes of operations */

/* Of WhatIf: what is longest on the path, then what is asked for as @wishes,
 * each
 * "[KIND:]PATTERN=FACTOR" ("host:*=50 %"), NULL at the end or none; @path and
 * @sets are those that the run of @study was loaded from.  NULL on error. */
G_GNUC_WARN_UNUSED_RESULT
GArray *rank_whatif_run(const RankStudy *study, char *const *wishes,
                        const char *path, char *const *sets, FoldMode fold,
                        RunManyFn run_many, GError **error);

#endif
