/*
 * sweep_check.h - reads and checks the configurations of a sweep's points
 *
 * Errors   CONFIG_ERROR
 * Owner    documents own what a SystemConfig points to
 */
#ifndef SIM_SWEEP_SWEEP_CHECK_H
#define SIM_SWEEP_SWEEP_CHECK_H

#include "sim/sweep/reading/sweep_reader.h"

/* Called for each point that can be read, in order, after @reader has read
 * @point. */
typedef void (*SweepReadFn)(gpointer self, guint point, SweepReader *reader,
                            const SystemConfig *config);

/* Reads the configurations of up to SWEEP_CHECK_POINTS points and calls @seen
 * (may be NULL) for each.  With @build, also builds their systems.  Checks that
 * no two rows of runs.csv would begin with the same text (unique_rows.h).  If
 * the endpoints of all points can be read, checks the names under `compare:`.
 * Returns FALSE and sets @error to all problems, each once, with the first
 * point that has it unless all points have it. */
#define SWEEP_CHECK_POINTS 10000
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_check(const SweepPlan *plan, gboolean build,
                     SweepReadFn point_read, gpointer self, GError **error);

#endif
