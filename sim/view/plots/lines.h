/*
 * lines.h - data of a line plot: series of points, in panels
 *
 * Owner    the caller owns the Lines
 */
#ifndef SIM_VIEW_PLOTS_LINES_H
#define SIM_VIEW_PLOTS_LINES_H

#include "sim/view/plots/plot_impl.h"

typedef struct {
    guint panel, series;
    double x;
    guint row; /* row of the results */
} LinePoint;

typedef struct {
    Names panels, series;
    GArray *points; /* owned: of LinePoint */
} Lines;

void lines_init(Lines *lines);
void lines_clear(Lines *lines);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Lines, lines_clear)

void lines_add(Lines *lines, const char *panel, const char *series, double x,
               guint row);

/* Sorts the points by panel, series and x. */
void lines_sort(Lines *lines);

/* Returns the reason if there are too many lines to draw, or NULL. */
char *lines_excess(const Lines *lines);

/* Calls canvas_fit_title() for the titles of all panels. */
void lines_fit_titles(const Lines *lines, Canvas *canvas);

void lines_legend(const Lines *lines, Canvas *canvas);

static inline const LinePoint *lines_at(const Lines *lines, guint i)
{
    return &g_array_index(lines->points, LinePoint, i);
}

#endif
