/*
 * chart.h - chooses and fills a chart by the axes of a sweep
 *
 * The form of a chart follows from the axes that vary:
 *
 *     numeric axis of 4 or more values     lines, one for each endpoint
 *     two numeric axes of 3 or more        heat map, unless x is asked for
 *     otherwise                            rows with a dot each
 *     further axes                         panels
 *
 * If the axes would make more than CHART_MAX_PANELS panels, the axes with the
 * least effect stay at the value of the first row, and the subtitle says so.
 *
 * Units    values are those of the column .y; .unit says how they are drawn
 * Order    panels, series and rows as they appear in the table; dots are sorted
 *          by value
 * Errors   CSV_ERROR: no such column, not a number, does not vary, too much to
 *          draw
 * Owner    the caller owns the Chart, which borrows the results
 */
#ifndef SIM_VIEW_PLOTS_CHART_H
#define SIM_VIEW_PLOTS_CHART_H

#include "sim/view/plots/chart_axes.h"
#include "sim/view/plots/chart_label_text.h"
#include "sim/view/plots/distinct_names.h"

#define CHART_MAX_PANELS 12
#define CHART_MAX_LINES  7   /* the eye cannot distinguish more */
#define CHART_MAX_ROWS   40  /* rows of dots; of more, those with most effect */
#define CHART_MAX_CELLS  900 /* cells of a heat map */
#define CHART_MAX_POINTS 4000
/* A name of .y: times as fast as the endpoints without the offload. */
#define CHART_SPEEDUP "speedup"

typedef enum {
    CHART_CHOSEN, /* by the axes */
    CHART_LINES,
    CHART_DOTS,
    CHART_BARS, /* rows of compute and exposed time, which add up */
    CHART_CELLS,
} ChartForm;

/* A request for a chart.  NULL leaves a choice to the axes.  An axis is named
 * by its column, with or without the unit, or by the end of its key. */
typedef struct {
    const char *y, *x, *series, *panels;
    ChartForm form;
} ChartRequest;

/* The part of a series in a comparison; it decides colour and width. */
typedef enum {
    CHART_PLAIN,
    CHART_OFFLOAD,
    CHART_BEST,
    CHART_PUBLISHED,
    CHART_BOUND,
} ChartRole;

typedef struct {
    guint panel, series;
    guint x;     /* the index of a value of .x, or of a row */
    double x_at; /* its number on a numeric axis */
    double y;
} ChartPoint;

typedef struct {
    const SweepResults *results; /* borrowed */
    GPtrArray *axes;             /* owned: all axes */
    ChartForm form;
    const char *y; /* a column, or CHART_SPEEDUP; borrowed */
    /* The horizontal axis, and the axis of the series or of the cells of a heat
     * map.  NULL: there is none, or .row_axes make the rows. */
    const ChartAxis *x, *series_axis;
    GPtrArray *panel_axes; /* owned, of borrowed */
    GPtrArray *row_axes;   /* owned, of borrowed: make the rows of dots */
    GPtrArray *fixed_axes; /* owned, of borrowed */
    DistinctNames panels, rows, series;
    GArray *roles;    /* owned, of ChartRole: of each series */
    GArray *scale_of; /* owned, of guint: of each panel, the number of its
                       * y scale: panels of a workload share one */
    guint n_scales;
    GArray *points;    /* owned, of ChartPoint */
    gboolean is_ratio; /* .y is a ratio with a line at 1 */
    gboolean x_is_log;
    /* The largest expected error of a speedup: within 1 / (1 + error) and
     * 1 + error it is no measurable difference; 0: none is known. */
    double error;
    guint n_left_out; /* rows of dots that are not shown */
    ChartUnit unit;
} Chart;

G_GNUC_WARN_UNUSED_RESULT
Chart *chart_new(const SweepResults *results, const ChartRequest *request,
                 GError **error);
void chart_free(Chart *chart);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Chart, chart_free)

/* Returns the name of the files of a chart, such as
 * "iteration_time_us-by-n_npus".  The caller owns it. */
char *chart_file_name(const Chart *chart);

/* Returns the title: "Iteration time by HBM bandwidth".  The caller owns it. */
char *chart_title(const Chart *chart);
/* Returns the values that all points share, and what the marks mean, or NULL.
 * The caller owns it. */
char *chart_subtitle(const Chart *chart);
/* Returns the title of the axis of values: "iteration time, ms".  The caller
 * owns it. */
char *chart_y_title(const Chart *chart);

static inline const ChartPoint *chart_point_at(const Chart *chart, guint i)
{
    return &g_array_index(chart->points, ChartPoint, i);
}

static inline ChartRole chart_role_of(const Chart *chart, guint series)
{
    return g_array_index(chart->roles, ChartRole, series);
}

/* Returns the column that is drawn when none is named: the iteration time or,
 * if nothing computes, the network bandwidth. */
const char *chart_default_y(const SweepResults *results);

#endif
