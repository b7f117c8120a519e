/*
 * report.h - results of a sweep as one HTML page
 *
 * The page is self-contained: it uses no network and no script, and contains
 * its style and plots.  The same folder gives the same bytes.
 *
 * Errors   those of the parts
 * Owner    the caller owns the text
 */
#ifndef SIM_VIEW_REPORT_REPORT_H
#define SIM_VIEW_REPORT_REPORT_H

#include "sim/host/output.h"
#include "sim/sweep/sweep_results.h"

/* Plots that fit the results but are missing on the page. */
typedef struct {
    /* The names of the missing plots, such as "sms, scaling", or "plots" for
     * all of them (owned). */
    GString *names;
    GString *why; /* owned: the reasons, one per line */
} ReportGaps;

void report_gaps_init(ReportGaps *gaps);
void report_gaps_clear(ReportGaps *gaps);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ReportGaps, report_gaps_clear)

/* Returns the page.  Also draws all plots that fit, into DIR/plots as files of
 * @group.  A plot that gnuplot cannot draw is left out; without gnuplot, the
 * page has no plots. */
G_GNUC_WARN_UNUSED_RESULT
GString *report_make_page(const SweepResults *results, OutputGroup *group,
                          ReportGaps *gaps, GError **error);

#endif
