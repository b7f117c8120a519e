/*
 * sparing.h - what-ifs that need not all be run
 *
 * What serves communication and takes nothing from kernels is tried together
 * first, and by itself where that changes something.  Half of all latencies, a
 * what-if itself, stands for those of each dimension.  The rest, of which
 * nobody is told, stands for all that have little of the critical path each:
 * where it matters its first one, with most of the path, is run and then all
 * others, unless the first alone is as much.  What stands for others matters
 * from SPARING_WORTH of the iteration on, the rest from SPARING_LEAST; where it
 * does not, none of the others is run: more would come of one alone only if
 * another undid it.
 *
 * Errors   those of what_ifs_run_asked()
 */
#ifndef SIM_STUDY_SPARING_H
#define SIM_STUDY_SPARING_H

#include "sim/study/what_ifs.h"

#define SPARING_LEAST 0.001 /* who is told of a change is told its number */
#define SPARING_WORTH 0.005 /* below it is next to nothing, in words */

/* The last stands for the others from @first on. */
void sparing_group(GArray *what_ifs, guint first);

/* Gives in @ret (of guint) what to begin before the path of @config is known:
 * first who is asked for whatever it is, if not proved to be the same, then who
 * stands for others, and may come to be of the rest. */
void sparing_ahead(const GArray *what_ifs, const SystemConfig *config,
                   GArray *ret);

/* For a run in which the path is followed first: holds back all but a few of
 * sparing_ahead(), until sparing_run(). */
void sparing_hold(GArray *what_ifs, const SystemConfig *config);

/* Of those in @what_ifs finds .iteration_ps or .reason, or leaves them out;
 * they are those of @runs.  @path_ps is that of the run of @system, by row. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sparing_run(GArray *what_ifs, WhatIfs *runs, const System *system,
                     const SimTime *path_ps, GError **error);

/* It changes the iteration of @base_ps by @least of it. */
gboolean sparing_matters(SimTime base_ps, SimTime iteration_ps, double least);

#endif
