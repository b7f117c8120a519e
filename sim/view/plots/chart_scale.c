/*
 * chart_scale.c - scales, ticks and labels of charts, in pixels; see
 * chart_scale.h
 */
#include "sim/view/plots/chart_scale.h"

#include <math.h>

double chart_scale_px(const ChartScale *scale, double value)
{
    double share = 0.5;

    if (scale->is_log)
        share = log(value / scale->min) / log(scale->max / scale->min);
    else if (scale->max > scale->min)
        share = (value - scale->min) / (scale->max - scale->min);
    return scale->from_px + share * (scale->to_px - scale->from_px);
}

double chart_tick_step(double span, guint max_steps)
{
    static const double digits[] = { 1, 2, 5, 10 };
    double least, power;
    guint i = 0;

    if (!(span > 0) || max_steps == 0)
        return 1;
    least = span / max_steps;
    power = pow(10, floor(log10(least)));
    /* The factor tolerates rounding of the division. */
    while (i + 1 < G_N_ELEMENTS(digits) &&
           digits[i] * power < least * (1 - 1e-9))
        i++;
    return digits[i] * power;
}

/* Labels that touch form blocks, and a block lies around the mean of what its
 * labels want. */
void chart_spread_labels(double *centre_px, guint n, double height_px,
                         double min_px, double max_px)
{
    g_autofree guint *order = g_new(guint, n);
    g_autofree double *sum = g_new(double, n), *first = g_new(double, n);
    g_autofree guint *size = g_new(guint, n);
    guint n_blocks = 0, at = 0;

    for (guint i = 0; i < n; i++) {
        guint k = i;

        for (; k > 0 && centre_px[order[k - 1]] > centre_px[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (guint i = 0; i < n; i++) {
        sum[n_blocks] = centre_px[order[i]];
        size[n_blocks++] = 1;
        for (;;) {
            guint b = n_blocks - 1;
            double low = min_px + height_px / 2;
            double high = max_px - (size[b] - 0.5) * height_px;

            /* sum[b] is the sum over the labels of block b of the centre that
             * each wants, less its offset from the first label of the block. */
            first[b] = CLAMP(sum[b] / size[b], low, MAX(low, high));
            if (b == 0 || first[b - 1] + size[b - 1] * height_px <= first[b])
                break;
            sum[b - 1] += sum[b] - height_px * size[b] * size[b - 1];
            size[b - 1] += size[b];
            n_blocks--;
        }
    }
    for (guint b = 0; b < n_blocks; b++)
        for (guint k = 0; k < size[b]; k++)
            centre_px[order[at++]] = first[b] + k * height_px;
}

static gboolean labels_do_not_overlap(const double *centre_px,
                                      const double *width_px, guint a, guint b,
                                      double gap_px)
{
    return fabs(centre_px[a] - centre_px[b]) >=
           (width_px[a] + width_px[b]) / 2 + gap_px;
}

void chart_thin_labels(const double *centre_px, const double *width_px, guint n,
                       double gap_px, gboolean *shown)
{
    guint last_shown = 0;

    if (n == 0)
        return;
    shown[0] = TRUE;
    for (guint i = 1; i < n; i++) {
        shown[i] = i + 1 == n ||
                   labels_do_not_overlap(centre_px, width_px, i, n - 1, gap_px);
        shown[i] = shown[i] && labels_do_not_overlap(centre_px, width_px, i,
                                                     last_shown, gap_px);
        last_shown = shown[i] ? i : last_shown;
    }
}
