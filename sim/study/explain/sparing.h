/*
 * sparing.h - decides which what-ifs need no run
 *
 * Method
 *   1. A what-if that serves communication and takes nothing from kernels is
 *      tested in a group first.  The group is a what-if that sets everything
 *      that its members set.
 *   2. There are two kinds of groups.  A pattern, such as half of all
 *      latencies, contains one what-if per dimension and is reported itself.
 *      Minor what-ifs (rest.h), which have little of the critical path, form
 *      groups that are not reported.
 *   3. If the run of a group hardly changes the iteration time, its members are
 *      left out.  The limit is SPARING_WORTH for a pattern and SPARING_LEAST
 *                 for a
 *      group of minor what-ifs.  A member could exceed it only if another
 *      member
 *      undid its gain.
 *   4. Otherwise the members are run.  In a minor group the leader is run
 *      first, and the others only if the leader does not gain as much as the
 *      whole group.
 *
 * Errors   those of what_ifs_run_asked()
 */
#ifndef SIM_STUDY_SPARING_H
#define SIM_STUDY_SPARING_H

#include "sim/study/what_ifs.h"

/* A reported change of at least this share is given as a number. */
#define SPARING_LEAST 0.001
/* A gain below this share is reported as "next to nothing". */
#define SPARING_WORTH 0.005

/* Makes the last of @what_ifs the group of those from number @first on. */
void sparing_group(GArray *what_ifs, guint first);

/* Appends to @ret (of guint) the numbers of the what-ifs to start before the
 * critical path is known.  The first ones are always run, unless
 * what_ifs_prove() shows that they change nothing; then come the groups, some
 * of which may turn out to be minor. */
void sparing_ahead(const GArray *what_ifs, const SystemConfig *config,
                   GArray *ret);

/* Defers all but the first few what-ifs of sparing_ahead() until sparing_run().
 * It is for runs whose critical path needs another run, which goes first. */
void sparing_hold(GArray *what_ifs, const SystemConfig *config);

/* Sets .iteration_ps or .reason of each of @what_ifs, or leaves it out.
 * @what_ifs is the array that @runs was made from, and @path_ps the critical
 * path of the run of @system, by row. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sparing_run(GArray *what_ifs, WhatIfs *runs, const System *system,
                     const SimTime *path_ps, GError **error);

/* Returns whether a change from @base_ps to @iteration_ps makes the iteration
 * faster or slower by at least the share @least. */
gboolean sparing_matters(SimTime base_ps, SimTime iteration_ps, double least);

#endif
