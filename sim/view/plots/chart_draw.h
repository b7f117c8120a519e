/*
 * chart_draw.h - draws a chart on a canvas
 *
 * A form of charts is one file.  All shapes and texts are placed here, in
 * pixels, so that no label overlaps another; the script chart.gp only draws
 * them.
 */
#ifndef SIM_VIEW_PLOTS_CHART_DRAW_H
#define SIM_VIEW_PLOTS_CHART_DRAW_H

#include "sim/view/plots/chart.h"
#include "sim/view/plots/plot_canvas.h"

extern const char text_chart_gp[]; /* created by sim/view/text.awk */

void chart_draw(const Chart *chart, Canvas *canvas);

#endif
