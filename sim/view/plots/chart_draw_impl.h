/* chart_draw_impl.h - the forms of charts; private to plots/ */
#ifndef SIM_VIEW_PLOTS_CHART_DRAW_IMPL_H
#define SIM_VIEW_PLOTS_CHART_DRAW_IMPL_H

#include "sim/view/plots/chart.h"
#include "sim/view/plots/plot_canvas.h"

void chart_draw_lines(const Chart *chart, Canvas *canvas);
void chart_draw_rows(const Chart *chart, Canvas *canvas);
void chart_draw_cells(const Chart *chart, Canvas *canvas);

#endif
