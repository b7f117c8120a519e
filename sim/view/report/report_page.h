/*
 * report_page.h - the page of a report: its columns, groups of points, and
 * texts; private to this folder
 */
#ifndef SIM_VIEW_REPORT_REPORT_PAGE_H
#define SIM_VIEW_REPORT_REPORT_PAGE_H

#include "sim/sweep/point_explanations.h"

/* Limits of what is on the page; runs.csv has everything. */
#define REPORT_MAX_CHART_ROWS   24
#define REPORT_MAX_STATIC_ROWS  1000
#define REPORT_MAX_POINTS       50000
#define REPORT_MAX_SHOWN_POINTS 1000 /* of more than REPORT_MAX_POINTS */
#define REPORT_MAX_CHIPS        12   /* values of an axis with a filter */

/* A column of the points. */
typedef struct {
    char *name;  /* owned: as in CSV */
    char *label; /* owned: the head in the table, without a unit */
    const char *unit;
    const char *better; /* "less", "more" or NULL */
    gboolean is_axis, is_number;
    guint column;   /* of runs.csv; G_MAXUINT: .values is computed */
    double *values; /* owned: by row, NAN where missing; NULL: cells */
    gboolean is_shown, is_optional; /* in the table; on wide screens only */
    gboolean is_percent;            /* shown times 100 */
    double scale;                   /* the shown number is divided by it */
    guint digits;                   /* after the point, of the shown number */
} ReportColumn;

/* The points that are compared with each other. */
typedef struct {
    GArray *rows;                              /* owned, of guint */
    guint offload, published, best, ideal_row; /* G_MAXUINT: there is none */
    double error_ratio;                        /* expected, of its speed-up */
} ReportGroup;

typedef struct {
    const SweepResults *r;        /* borrowed */
    const FolderPlan *plan;       /* borrowed */
    const PointExplanations *why; /* borrowed */
    double error_ratio;           /* the largest expected error of a speed-up */
    const char *error_source;     /* the source of that figure, in words */
    const char *error_family;     /* or the measured systems that it is from */
    GArray *rows;                 /* owned, of guint: the rows on the page */
    GArray *columns;              /* owned, of ReportColumn */
    GArray *groups;               /* owned, of ReportGroup */
    guint *group_of;              /* owned: by row; G_MAXUINT: none */
    gboolean has_tuned_baseline;  /* any group has a .best */
    guint bar_scale_column;       /* rows with the same cell share a scale */
    char *question, *answer;      /* owned */
    char *support;                /* owned: a sentence under the answer */
    GPtrArray *notes;             /* owned, of owned text: what to know first */
    const AttributionGroup **used_groups; /* owned, ends with NULL */
} ReportPage;

static inline const ReportColumn *report_column(const ReportPage *page, guint i)
{
    return &g_array_index(page->columns, ReportColumn, i);
}

static inline const ReportGroup *report_group(const ReportPage *page, guint i)
{
    return &g_array_index(page->groups, ReportGroup, i);
}

/* Returns the smallest speed-up that is no measurable loss if the expected
 * error is @error_ratio; the largest that is no measurable gain is 1 +
 * @error_ratio. They are those of compare_verdict(). */
static inline double report_loss_limit(double error_ratio)
{
    return 1 / (1 + error_ratio);
}

#endif
