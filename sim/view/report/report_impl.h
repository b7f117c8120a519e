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
    const SweepResults *r;      /* borrowed */
    const FolderPlan *plan;     /* borrowed */
    const ExplainedPoints *why; /* borrowed */
    double error_ratio;         /* the largest expected error of a speed-up */
    const char *error_source;   /* the source of that figure, in words */
    const char *error_family;   /* or the measured systems that it is from */
    GArray *rows;               /* owned, of guint: the rows on the page */
    GArray *columns;            /* owned, of ReportColumn */
    GArray *groups;             /* owned, of ReportGroup */
    guint *group_of;            /* owned: by row; G_MAXUINT: none */
    guint bar_scale_column;     /* rows with the same cell share a scale */
    char *question, *answer;    /* owned */
    char *support;              /* owned: a sentence under the answer */
    GPtrArray *notes;           /* owned, of owned text: what to know first */
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

/* Appends the chart along a swept quantity, if there is one (report_lines.c).
 */
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
