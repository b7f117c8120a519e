/*
 * report.h - a sweep's results as one page of HTML
 *
 * It needs nothing but itself: no network, no script; style and plots are in
 * it.  The same folder gives the same bytes.
 *
 * Errors   those of what it is made of
 * Owner    the caller owns the text
 */
#ifndef SIM_VIEW_REPORT_REPORT_H
#define SIM_VIEW_REPORT_REPORT_H

#include "sim/host/output.h"
#include "sim/sweep/results.h"

/* Plots that fit and yet are not on the page. */
typedef struct {
    GString *names; /* owned: "sms, scaling"; "plots": all of them */
    GString *why;   /* owned: lines */
} ReportGaps;

void report_gaps_init(ReportGaps *gaps);
void report_gaps_clear(ReportGaps *gaps);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ReportGaps, report_gaps_clear)

/* Draws all plots that fit on the way, into DIR/plots by way of @group.  One
 * that gnuplot cannot draw costs no more than itself; where there is no
 * gnuplot the page has none. */
G_GNUC_WARN_UNUSED_RESULT
GString *report_html(const Results *results, OutputGroup *group,
                     ReportGaps *gaps, GError **error);

#endif
