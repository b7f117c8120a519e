/*
 * report.h - a sweep's results as one page of HTML
 *
 * It needs nothing but itself: no network, no script; style and plots are in
 * it.  The same folder gives the same bytes.
 *
 * Errors   those of what it is made of
 * Owner    the caller owns the text
 */
#ifndef SIM_CLI_REPORT_REPORT_H
#define SIM_CLI_REPORT_REPORT_H

#include "sim/cli/output.h"
#include "sim/cli/results.h"

/* Draws all plots that fit on the way, into DIR/plots by way of @group.  Where
 * there is no gnuplot the page has none, and *@no_plots (owned by the caller)
 * says why. */
G_GNUC_WARN_UNUSED_RESULT
GString *report_html(const Results *results, OutputGroup *group,
                     char **no_plots, GError **error);

#endif
