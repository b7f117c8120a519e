/*
 * attribution_bar.h - the parts of an iteration as a stacked bar in HTML
 *
 * A report and a notebook show the same bar.  Its colours are in parts.css and
 * apply within an element of class "acesim".
 */
#ifndef SIM_VIEW_REPORT_ATTRIBUTION_BAR_H
#define SIM_VIEW_REPORT_ATTRIBUTION_BAR_H

#include "sim/study/explain/attribution.h"

/* The style of bars, swatches and keys. */
extern const char text_parts_css[];

/* Returns the groups that one of @n arrays of AttributionPart has time in; an
 * array may be NULL.  The list ends with NULL, and the caller owns it. */
const AttributionGroup **attribution_list_used_groups(gpointer const *parts,
                                                      guint n);

/* Appends the bar of @parts; its length is @share of the width.  If @parts is
 * NULL, the bar says that they are not known. */
void attribution_write_bar(GString *out, const AttributionGroup *const *groups,
                           const GArray *parts, double share);

/* Appends the key of the bars: a list with a colour for each group. */
void attribution_write_legend(GString *out,
                              const AttributionGroup *const *groups);

#endif
