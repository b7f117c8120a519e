/*
 * chart_set.h - the charts that show a sweep when none is named
 *
 * The first is the answer: the speedup if the sweep compares endpoints.  Then
 * come the iteration time (or the network bandwidth) by the axes together, and
 * by each axis.
 *
 * Errors   CSV_ERROR, if a number cannot be read
 * Owner    the caller owns the list, which borrows the results
 */
#ifndef SIM_VIEW_PLOTS_CHART_SET_H
#define SIM_VIEW_PLOTS_CHART_SET_H

#include "sim/view/plots/chart.h"

/* Returns the charts (of Chart, owned by the array).  Each chart that cannot be
 * drawn adds a line "left out ..." to @left_out. */
G_GNUC_WARN_UNUSED_RESULT
GPtrArray *chart_set_new(const SweepResults *results, GString *left_out,
                         GError **error);

#endif
