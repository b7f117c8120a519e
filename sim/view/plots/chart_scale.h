/*
 * chart_scale.h - scales, ticks and labels of charts, in pixels
 *
 * All functions are pure.
 */
#ifndef SIM_VIEW_PLOTS_CHART_SCALE_H
#define SIM_VIEW_PLOTS_CHART_SCALE_H

#include <glib.h>

/* A linear or logarithmic scale from .min at .from_px to .max at .to_px. */
typedef struct {
    double min, max, from_px, to_px;
    gboolean is_log;
} ChartScale;

double chart_scale_px(const ChartScale *scale, double value);

/* Returns a step of 1, 2 or 5 times a power of ten that divides @span into at
 * most @max_steps. */
double chart_tick_step(double span, guint max_steps);

/* Moves the centres of @n labels of height @height_px apart, so that none
 * overlaps another and all lie between @min_px and @max_px if there is room.
 * Their order stays; equal ones keep the order of the array. */
void chart_spread_labels(double *centre_px, guint n, double height_px,
                         double min_px, double max_px);

/* Sets shown[i] for those of @n labels, centred at ascending or descending
 * @centre_px and @width_px wide, that overlap no other shown one by less than
 * @gap_px.  The first and the last are preferred. */
void chart_thin_labels(const double *centre_px, const double *width_px, guint n,
                       double gap_px, gboolean *shown);

#endif
