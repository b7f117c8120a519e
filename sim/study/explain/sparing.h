/*
 * sparing.h - what-ifs that need not all be run
 *
 * Several that serve communication and take nothing from kernels are one group,
 * and something stands for them all at once: half of all latencies, which is a
 * what-if itself, for that of each dimension; and for what nobody waited for
 * (less than SPARING_LEAST of the critical path) all of that together, which
 * nobody is told of.  Where that changes less than SPARING_WORTH, or
 * SPARING_LEAST, of the iteration, none of them is run by itself: more would
 * come of one alone only if another undid it.
 *
 * Errors   those of what_ifs_run_asked()
 */
#ifndef SIM_STUDY_SPARING_H
#define SIM_STUDY_SPARING_H

#include "sim/study/what_ifs.h"

#define SPARING_LEAST 0.001 /* who is told of a change is told its number */
#define SPARING_WORTH 0.005 /* below it is next to nothing, in words */

/* Those from @first on are one, and the last stands for the others. */
void sparing_group(GArray *what_ifs, guint first);

/* Gives in @ret (of guint) who is run of @config whatever the path is, if it is
 * not proved to be the same: first those that stand for others. */
void sparing_sure(const GArray *what_ifs, const SystemConfig *config,
                  GArray *ret);

/* Of those in @what_ifs finds .iteration_ps or .reason, or leaves them out;
 * they are those of @runs.  @path_ps is that of the run of @system, by row. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sparing_run(GArray *what_ifs, WhatIfs *runs, const System *system,
                     const SimTime *path_ps, GError **error);

/* It changes the iteration of @base_ps by @least of it. */
gboolean sparing_matters(SimTime base_ps, SimTime iteration_ps, double least);

#endif
