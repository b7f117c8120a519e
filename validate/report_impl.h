/* report_impl.h - what the parts of the report share; nobody else includes it
 */
#ifndef VALIDATE_REPORT_IMPL_H
#define VALIDATE_REPORT_IMPL_H

#include "validate/report.h"

typedef struct {
    const Simulator *simulator; /* borrowed */
    GString *verdict, *tables;  /* owned */
    GArray *figures;            /* owned, of PublishedFigure */
    gboolean is_right;
} Report;

/* One line of the verdict. */
void report_must_hold(Report *report, gboolean holds, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

void report_heading(Report *report, const char *text);

/* What others measured of real machines: kernels, networks, slowdowns,
 * collectives. */
G_GNUC_WARN_UNUSED_RESULT
gboolean report_add_measured(Report *report, GError **error);

/* Training systems of papers, configs/systems. */
G_GNUC_WARN_UNUSED_RESULT
gboolean report_add_systems(Report *report, GError **error);

#endif
