/*
 * sensitivity.h - section of a report about sensitivity.csv
 */
#ifndef SIM_VIEW_REPORT_SENSITIVITY_H
#define SIM_VIEW_REPORT_SENSITIVITY_H

#include "sim/sweep/results.h"

/* Appends the section, or nothing if the folder has no such file. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sensitivity_write(GString *out, const Results *results,
                           GError **error);

#endif
