/*
 * row_names.h - points of a sweep that runs.csv could not tell apart
 *
 * An axis whose key is a column of runs.csv has none of its own: `workload` and
 * `endpoint` are shown by the names that the run has for them.  Where two
 * points then have the same text before their results, nobody could say which
 * row is whose, and nothing could be compared.
 *
 * Errors   CONFIG_ERROR with the position of the value, where it has one
 * Owner    the caller owns it; the plan must outlive it
 */
#ifndef SIM_SWEEP_READING_ROW_NAMES_H
#define SIM_SWEEP_READING_ROW_NAMES_H

#include "models/run/system.h"
#include "sim/sweep/sweep_plan.h"

typedef struct RowNames RowNames;

RowNames *row_names_new(const SweepPlan *plan);
void row_names_free(RowNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RowNames, row_names_free)

/* FALSE: the row of @point, which has @config, would begin as that of a point
 * that was added before. */
G_GNUC_WARN_UNUSED_RESULT
gboolean row_names_add(RowNames *names, guint point, const SystemConfig *config,
                       GError **error);

#endif
