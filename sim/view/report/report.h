/*
 * report.h - results of a sweep as one HTML page
 *
 * The page is self-contained: it uses no network, and contains its style, its
 * script and its data.  It is complete without scripts; the script sorts,
 * filters, and opens points.  Its content security policy admits this one
 * script by its hash and nothing else.  The same folder gives the same bytes.
 *
 * Errors   those of the parts
 * Owner    the caller owns the texts
 */
#ifndef SIM_VIEW_REPORT_REPORT_H
#define SIM_VIEW_REPORT_REPORT_H

#include "sim/sweep/point_explanations.h"

/* Returns the page, and sets *@json to the text of report.json, which is also a
 * block of the page. */
G_GNUC_WARN_UNUSED_RESULT
GString *report_make_page(const SweepResults *results, const FolderPlan *plan,
                          const PointExplanations *points, GString **json,
                          GError **error);

#endif
