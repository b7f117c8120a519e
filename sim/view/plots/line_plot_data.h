/*
 * line_plot_data.h - data of a line plot: series of points, in panels
 *
 * Owner    the caller owns the Lines
 */
#ifndef SIM_VIEW_PLOTS_LINE_PLOT_DATA_H
#define SIM_VIEW_PLOTS_LINE_PLOT_DATA_H

#include "sim/view/plots/plot_kinds_impl.h"

typedef struct {
    guint panel, series;
    double x;
    guint row; /* row of the results */
} LinePoint;

typedef struct {
    DistinctNames panels, series;
    GArray *points; /* owned: of LinePoint */
} LinePlotData;

void lines_init(LinePlotData *lines);
void lines_clear(LinePlotData *lines);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LinePlotData, lines_clear)

void line_plot_add_point(LinePlotData *lines, const char *panel,
                         const char *series, double x, guint row);

/* Sorts the points by panel, series and x. */
void line_plot_sort_points(LinePlotData *lines);

/* Returns the reason if there are too many lines to draw, or NULL. */
char *lines_too_many_reason(const LinePlotData *lines);

/* Calls canvas_fit_panel_title() for the titles of all panels. */
void lines_fit_panel_titles(const LinePlotData *lines, Canvas *canvas);

void line_plot_draw_legend(const LinePlotData *lines, Canvas *canvas);

static inline const LinePoint *line_plot_point_at(const LinePlotData *lines,
                                                  guint i)
{
    return &g_array_index(lines->points, LinePoint, i);
}

#endif
