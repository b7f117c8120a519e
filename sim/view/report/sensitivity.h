/*
 * sensitivity.h - sensitivity.csv as a section of a report
 */
#ifndef SIM_VIEW_REPORT_SENSITIVITY_H
#define SIM_VIEW_REPORT_SENSITIVITY_H

#include "sim/sweep/results.h"

/* Nothing where the folder has none. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sensitivity_write(GString *out, const Results *results,
                           GError **error);

#endif
