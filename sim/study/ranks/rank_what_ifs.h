/*
 * rank_what_ifs.h - the what-ifs of a rank study: runs with some operations
 * twice as fast
 *
 * For each what-if there are two results: a prediction, as if the critical path
 * stayed the same, and a simulation, in which another path may become critical.
 *
 *     kernels, hosts, devices    `perturb.ops` makes the operations faster
 *     recorded communication     likewise by `perturb.ops`
 *     simulated communication    links with twice the bandwidth and half the
 *                                latency
 *     recorded idle time         `training.gaps`
 *     the worst straggler        gets as much to do as the others have on
 *                                average
 *
 * Units    ps of an iteration
 * Errors   CONFIG_ERROR for a text that cannot be parsed; those of the
 *          RunManyFn.  A run that ends with an error is no error here; its
 *          message becomes .reason.
 * Owner    the caller owns the array, which owns its texts
 */
#ifndef SIM_STUDY_RANKS_RANK_WHAT_IFS_H
#define SIM_STUDY_RANKS_RANK_WHAT_IFS_H

#include "sim/study/ranks/rank_study.h"
#include "sim/study/what_ifs.h"

/* The largest number of classes of operations that are tried. */
#define RANK_WHATIF_MAX_CLASSES 6

/* Runs the classes that are longest on the path, then the operations that
 * @user_what_ifs, texts of the user, name: each is "[KIND:]PATTERN=FACTOR",
 * such as "host:*=50 %"; @user_what_ifs ends with NULL or is NULL.  @path and
 * @sets are those that the run of @study was loaded from.  Returns an array (of
 * WhatIf), or NULL and sets @error. */
G_GNUC_WARN_UNUSED_RESULT
GArray *rank_what_ifs_run(const RankStudy *study, char *const *user_what_ifs,
                          const char *path, char *const *sets,
                          RunOptions run_options, RunManyFn run_many,
                          GError **error);

#endif
