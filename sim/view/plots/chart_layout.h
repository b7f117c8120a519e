/*
 * chart_layout.h - what the forms of charts share: colours, scales, titles
 */
#ifndef SIM_VIEW_PLOTS_CHART_LAYOUT_H
#define SIM_VIEW_PLOTS_CHART_LAYOUT_H

#include "sim/view/plots/chart.h"
#include "sim/view/plots/chart_scale.h"
#include "sim/view/plots/plot_canvas.h"

#define CHART_TEXT_PX  11 /* font size of ticks and labels */
#define CHART_LABEL_PX 14 /* height of the box of a label */

/* Colours as 0xRRGGBB. */
#define CHART_INK   0x333333
#define CHART_RULE  0xdddddd
#define CHART_FAINT 0x888888
#define CHART_BAND  0xf0f0f0

/* Returns the width of a text of CHART_TEXT_PX, rather too large than too
 * small. */
double chart_text_px(const char *text);

/* Returns the number of series that are speedups of offloads over the best
 * without them; each of several has its own colour. */
guint chart_count_offload_series(const Chart *chart);

/* Returns the colour of a series, by its role or else its number. */
guint32 chart_series_colour(const Chart *chart, guint series);

/* Returns the y scale of panel @i, with .min and .max in units of the column;
 * @x_px and @y_px are where .min and .max are drawn.  A ratio has 1 in it, and
 * other values begin at 0. */
ChartScale chart_value_scale(const Chart *chart, guint panel, double min_px,
                             double max_px);

/* Sets *@from and *@to to the pixels of the band in which a speedup is no
 * measurable difference.  Returns FALSE if there is none. */
gboolean chart_error_band(const Chart *chart, const ChartScale *scale,
                          double *from, double *to);

/* Returns a tick of the axis of values, in the unit of the chart.  The caller
 * owns the text. */
char *chart_tick_text(const Chart *chart, double value, double step);

/* Reduces the number of columns until a panel is at least @least_px wide, or
 * there is one column.  Must follow the setting of margins and gaps. */
void chart_limit_columns(Canvas *canvas, double least_px);

/* Writes titles of both axes once for all panels. */
void chart_add_axis_titles(Canvas *canvas, const char *x, const char *y);

/* Writes the headings of panels, if there are several. */
void chart_add_panel_titles(const Chart *chart, Canvas *canvas);

#endif
