/*
 * explanation_html.h - where the time of one run went, as HTML for a notebook
 *
 * The fragment has its own style and no script: a bar of the parts, a table of
 * them, and the changes that were simulated.
 *
 * Units    ps
 * Owner    the caller owns the text
 */
#ifndef SIM_VIEW_REPORT_EXPLANATION_HTML_H
#define SIM_VIEW_REPORT_EXPLANATION_HTML_H

#include "sim/study/explain/attribution.h"

/* Returns the fragment.  @title names the run: "resnet-50, 64 NPUs, ace";
 * @parts is an array of AttributionPart, and @what_ifs one of WhatIf, or NULL
 * if none were simulated. */
GString *explanation_html(const char *title, SimTime iteration_ps,
                          const GArray *parts, const GArray *what_ifs);

#endif
