/* report_impl.h - shared by the parts of the report; private to report*.c */
#ifndef VALIDATE_REPORT_IMPL_H
#define VALIDATE_REPORT_IMPL_H

#include "validate/accuracy/measured_studies.h"
#include "validate/report.h"

typedef struct {
    const Simulator *simulator; /* Another object owns this memory. */
    GString *verdict, *tables;  /* The struct owns this memory. */
    GArray *figures; /* The struct owns this array of PublishedFigure. */
    /* The struct owns the studies that have run. */
    MeasuredStudies studies;
    gboolean is_right;
} Report;

/* Appends one line to the verdict, and clears .is_right if @holds is FALSE. */
void report_add_condition(Report *report, gboolean holds, const char *format,
                          ...) G_GNUC_PRINTF(3, 4);

/* Appends a heading to the tables. */
void report_add_heading(Report *report, const char *text);

/* Adds the published measurements of real machines: kernels, networks,
 * slowdowns, collectives. */
G_GNUC_WARN_UNUSED_RESULT
gboolean report_add_hardware_studies(Report *report, GError **error);

/* Adds the training systems of papers, configs/papers. */
G_GNUC_WARN_UNUSED_RESULT
gboolean report_add_systems(Report *report, GError **error);

/* Adds training steps of language models, validate/data/llm. */
G_GNUC_WARN_UNUSED_RESULT
gboolean report_add_llm(Report *report, GError **error);

#endif
