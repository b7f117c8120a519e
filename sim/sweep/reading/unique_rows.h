/*
 * unique_rows.h - finds points of a sweep that runs.csv could not distinguish
 *
 * An axis whose key is a column of runs.csv has no separate column: `workload`
 * and `endpoint` are shown by the names that the run has for them.  If two
 * points have the same text before their results, their rows cannot be assigned
 * to points or compared.
 *
 * Errors   CONFIG_ERROR with the position of the value, if it has one
 * Owner    the caller owns the UniqueRows; the plan must outlive it
 */
#ifndef SIM_SWEEP_READING_UNIQUE_ROWS_H
#define SIM_SWEEP_READING_UNIQUE_ROWS_H

#include "models/run/system.h"
#include "sim/sweep/sweep_plan.h"

typedef struct UniqueRows UniqueRows;

UniqueRows *unique_rows_new(const SweepPlan *plan);
void unique_rows_free(UniqueRows *unique_rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(UniqueRows, unique_rows_free)

/* Adds @point, whose configuration is @config.  Returns FALSE and sets @error
 * if its row would begin like that of a point added before. */
G_GNUC_WARN_UNUSED_RESULT
gboolean unique_rows_add_point(UniqueRows *unique_rows, guint point,
                               const SystemConfig *config, GError **error);

#endif
