/*
 * report_impl.h - the parts of a report's page; private to this folder
 *
 * A page shows the same data in three forms: HTML that is complete without
 * scripts, one JSON block (report_json.c), and what page.js makes of that
 * block. Which columns appear, and how, is decided once (report_columns.c).
 *
 * Units    ps for times of the model
 */
#ifndef SIM_VIEW_REPORT_REPORT_IMPL_H
#define SIM_VIEW_REPORT_REPORT_IMPL_H

#include "sim/view/report/report.h"
#include "sim/view/report/report_page.h"

/* ---- report_columns.c ---------------------------------------------------- */

/* Sets .rows, .groups, .group_of and .columns. */
void report_choose_columns(ReportPage *page);
void report_clear_columns(ReportPage *page);

gboolean report_row_is_ok(const ReportPage *page, guint row);
double report_iteration_us(const ReportPage *page, guint row);

/* Returns what the table shows of a column; the caller owns the text. */
char *report_shown_text(const ReportPage *page, const ReportColumn *column,
                        guint row);

/* Returns "resnet-50, 128 NPUs, ace": what distinguishes the point of @row;
 * with
 * @endpoint FALSE without its endpoint.  The caller owns the text. */
char *report_point_name(const ReportPage *page, guint row, gboolean endpoint);

/* Sets *@ret to the number of column @name in @row.  Returns FALSE if there is
 * none. */
gboolean report_row_number(const SweepResults *results, guint row,
                           const char *name, double *ret);

/* Returns whether the results have a column with a number in some row. */
gboolean report_has_numbers(const SweepResults *results, const char *name);

/* ---- report_verdict.c ---------------------------------------------------- */

/* Sets the question, the answer, the support and the notes. */
void report_make_verdict(ReportPage *page);

/* ---- the sections of the page -------------------------------------------- */

/* Appends the chart along a swept quantity, if there is
 * one (report_lines.c). */
void report_write_lines(GString *out, const ReportPage *page);
void report_write_chart(GString *out, const ReportPage *page);
void report_write_points(GString *out, const ReportPage *page);
void report_write_commands(GString *out, const ReportPage *page);

/* Appends the parts of @row as a bar; its length is @share of the width. */
void report_write_bar(GString *out, const ReportPage *page, guint row,
                      double share);
/* Appends the legend of the bars. */
void report_write_bar_legend(GString *out, const ReportPage *page);

/* Returns the JSON block, which the caller owns. */
GString *report_json_text(const ReportPage *page);

#endif
