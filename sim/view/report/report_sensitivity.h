/*
 * report_sensitivity.h - section of a report about sensitivity.csv
 */
#ifndef SIM_VIEW_REPORT_REPORT_SENSITIVITY_H
#define SIM_VIEW_REPORT_REPORT_SENSITIVITY_H

#include "sim/sweep/sweep_results.h"

/* Appends the section, or nothing if the folder has no such file. */
G_GNUC_WARN_UNUSED_RESULT
gboolean report_write_sensitivity(GString *out, const SweepResults *results,
                                  GError **error);

#endif
