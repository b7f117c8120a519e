/*
 * chart_layout.c - what the forms of charts share: colours, scales, titles; see
 * chart_layout.h
 */
#include "sim/view/plots/chart_layout.h"

#include <math.h>

/* Width of the widest usual characters of DejaVu Sans, in parts of the font
 * size. */
#define WIDE_EM 0.65
/* The colours of Okabe and Ito that have contrast on white. */
static const guint32 palette[] = { 0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                   0x56b4e9, 0xe69f00, 0x555555 };

double chart_text_px(const char *text)
{
    return (double)g_utf8_strlen(text, -1) * WIDE_EM * CHART_TEXT_PX;
}

guint chart_count_offload_series(const Chart *chart)
{
    guint n = 0;

    for (guint i = 0; i < chart->roles->len; i++)
        n += chart_role_of(chart, i) == CHART_OFFLOAD;
    return n;
}

guint32 chart_series_colour(const Chart *chart, guint series)
{
    if (chart_count_offload_series(chart) > 1 &&
        chart_role_of(chart, series) == CHART_OFFLOAD)
        return palette[series % G_N_ELEMENTS(palette)];
    switch (chart_role_of(chart, series)) {
    case CHART_OFFLOAD:
        return 0x007a4d;
    case CHART_BEST:
        return 0xc05000;
    case CHART_PUBLISHED:
        return 0x808080;
    case CHART_BOUND:
        return 0x5fae93;
    case CHART_PLAIN:
        break;
    }
    return palette[series % G_N_ELEMENTS(palette)];
}

ChartScale chart_value_scale(const Chart *chart, guint panel, double min_px,
                             double max_px)
{
    guint scale = g_array_index(chart->scale_of, guint, panel);
    double min = chart->is_ratio ? 1 / (1 + chart->error) : 0;
    double max = chart->is_ratio ? 1 + chart->error : 0;
    double margin;
    g_autofree double *sums = NULL;

    /* Bars of a row lie one after the other. */
    if (chart->form == CHART_BARS)
        sums = g_new0(double, distinct_names_count(&chart->panels) *
                                  distinct_names_count(&chart->rows));
    for (guint i = 0; i < chart->points->len; i++) {
        const ChartPoint *point = chart_point_at(chart, i);
        double y = point->y;

        if (g_array_index(chart->scale_of, guint, point->panel) != scale)
            continue;
        if (sums)
            y = sums[point->panel * distinct_names_count(&chart->rows) +
                     point->x] += y;
        min = MIN(min, y);
        max = MAX(max, y);
    }
    margin = 0.06 * MAX(max - min, chart->is_ratio ? 0.1 : 0);
    if (!(max > min))
        max = min + (chart->is_ratio ? 0.1 : 1);
    return (ChartScale){ .min = chart->is_ratio || min < 0 ? min - margin : 0,
                         .max = max + margin,
                         .from_px = min_px,
                         .to_px = max_px };
}

gboolean chart_error_band(const Chart *chart, const ChartScale *scale,
                          double *from, double *to)
{
    *from = chart_scale_px(scale, 1 / (1 + chart->error));
    *to = chart_scale_px(scale, 1 + chart->error);
    return chart->is_ratio && chart->error > 0;
}

char *chart_tick_text(const Chart *chart, double value, double step)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    int n_digits = (int)MAX(0, ceil(-log10(step) - 1e-9));
    g_autofree char *format = g_strdup_printf("%%.%df", MIN(n_digits, 9));

    (void)chart;
    /* A step of 1e6 and more has short texts by exponents. */
    if (step >= 1e6)
        return g_strdup(g_ascii_formatd(text, sizeof text, "%.3g", value));
    return g_strdup(g_ascii_formatd(text, sizeof text, format,
                                    fabs(value) < step / 2 ? 0 : value));
}

void chart_limit_columns(Canvas *canvas, double least_px)
{
    double inner_px = (double)canvas->width_px - canvas->left_px -
                      canvas->right_px + canvas->gap_x_px;

    while (canvas->n_columns > 1 &&
           inner_px / canvas->n_columns - canvas->gap_x_px < least_px)
        canvas->n_columns--;
}

void chart_add_axis_titles(Canvas *canvas, const char *x, const char *y)
{
    double mid_x =
        (canvas->left_px + canvas->width_px - canvas->right_px) / 2.0;
    double top = canvas_panel_y_px(canvas, 0);
    double bottom = canvas->height_px - canvas->bottom_px;

    canvas_add_text(canvas, CANVAS_AXIS, mid_x, canvas->height_px - 14, x,
                    (guint)(canvas->width_px / (WIDE_EM * CHART_TEXT_PX)));
    if (y)
        canvas_add_text(canvas, CANVAS_TURNED, 14, (top + bottom) / 2, y,
                        (guint)((bottom - top) / (WIDE_EM * CHART_TEXT_PX)) +
                            4);
}

void chart_add_panel_titles(const Chart *chart, Canvas *canvas)
{
    for (guint i = 0; i < distinct_names_count(&chart->panels); i++)
        canvas_add_panel_title(canvas, i,
                               distinct_names_text_at(&chart->panels, i));
}
