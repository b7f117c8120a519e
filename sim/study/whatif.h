/*
 * whatif.h - a run again and again, each time with one resource twice as good
 *
 * Twice the bandwidth, size or number; half the latency or the cycles.  Each
 * is what --set with .sets would have done.
 *
 * Errors   those of the RunManyFn; what a run itself has to complain of is its
 *          .reason
 * Owner    the caller owns the array, and that its texts
 */
#ifndef SIM_STUDY_WHATIF_H
#define SIM_STUDY_WHATIF_H

#include "models/observe/critical_path.h"
#include "sim/study/timed_run.h"

/* All that the configuration of .system has, the fastest iteration first; what
 * cannot be comes last.  @beside is as in what_ifs_run().  @path_ps, of the
 * critical path, by row, or NULL: then all are run; else sparingly (sparing.h).
 * NULL on error. */
G_GNUC_WARN_UNUSED_RESULT
GArray *whatif_run(const WhatIfSource *source, const SimTime *path_ps,
                   const RunMany *beside, GError **error);

/* TRUE for what serves communication: the endpoint, the network, chunks. */
gboolean whatif_is_communication(const WhatIf *whatif);

/* "KEY=VALUE" for a value twice as good, or NULL: there is no such key, or it
 * cannot become better.  Owner: the caller. */
char *whatif_better(const SystemConfig *config, const char *key,
                    gboolean halves);

#endif
