/* chart_lines.c - draws lines over a numeric axis; see chart_draw.h */
#include <math.h>

#include "sim/view/plots/chart_draw_impl.h"
#include "sim/view/plots/chart_layout.h"

#define TICK_ROOM_PX 46 /* left of each panel, for the ticks of its y axis */
#define MANY_VALUES  16
#define MAX_LABEL_PX 150 /* right of each panel, for the names of the lines */

/* Returns the number of characters of the name of a line that fit. */
static guint max_label_chars(void)
{
    return (guint)(MAX_LABEL_PX / chart_text_px("m"));
}

/* Returns whether the lines need names. */
static gboolean lines_need_labels(const Chart *chart)
{
    return distinct_names_count(&chart->series) > 1;
}

static double width_for_line_labels_px(const Chart *chart)
{
    double most = 0;

    if (!lines_need_labels(chart))
        return 0;
    for (guint i = 0; i < distinct_names_count(&chart->series); i++)
        most =
            MAX(most, chart_text_px(distinct_names_text_at(&chart->series, i)));
    return MIN(most, MAX_LABEL_PX) + 10;
}

/* Draws the horizontal rules and the ticks of a panel. */
static void draw_value_axis(const Chart *chart, Canvas *canvas, double x_px,
                            const ChartScale *scale)
{
    double span = (scale->max - scale->min) / chart->unit.size;
    double step = chart_tick_step(span, canvas->panel_h_px / 36);
    gint64 first = (gint64)ceil(scale->min / chart->unit.size / step - 1e-9);
    double from, to;

    if (chart_error_band(chart, scale, &from, &to))
        canvas_add_box(canvas, x_px, to, x_px + canvas->panel_w_px, from,
                       CHART_BAND);
    for (gint64 k = first; (double)k * step <= scale->max / chart->unit.size;
         k++) {
        double at_px =
            chart_scale_px(scale, (double)k * step * chart->unit.size);
        g_autofree char *text = chart_tick_text(chart, (double)k * step, step);

        canvas_add_stroke(canvas, x_px, at_px, x_px + canvas->panel_w_px, at_px,
                          1, CHART_RULE);
        canvas_add_label(canvas, x_px - 6, at_px, CANVAS_RIGHT, CHART_INK, text,
                         6);
    }
    if (chart->is_ratio)
        canvas_add_stroke(canvas, x_px, chart_scale_px(scale, 1),
                          x_px + canvas->panel_w_px, chart_scale_px(scale, 1),
                          1, CHART_INK);
}

/* Draws a tick at each value, with its label where there is room. */
static void draw_x_axis(const Chart *chart, Canvas *canvas,
                        const ChartScale *scale, double y_px)
{
    guint n = chart_axis_n_values(chart->x);
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    g_autofree double *at_px = g_new(double, n), *w_px = g_new(double, n);
    g_autofree gboolean *shown = g_new(gboolean, n);

    for (guint i = 0; i < n; i++) {
        char *text = chart_axis_tick(chart->x, i);

        at_px[i] = chart_scale_px(scale, chart_axis_number(chart->x, i));
        w_px[i] = chart_text_px(text);
        g_ptr_array_add(texts, text);
    }
    chart_thin_labels(at_px, w_px, n, 4, shown);
    canvas_add_stroke(canvas, MIN(scale->from_px, scale->to_px) - 8, y_px,
                      MAX(scale->from_px, scale->to_px) + 8, y_px, 1,
                      CHART_FAINT);
    for (guint i = 0; i < n; i++) {
        canvas_add_stroke(canvas, at_px[i], y_px, at_px[i],
                          y_px + (shown[i] ? 5 : 3), 1, CHART_FAINT);
        if (shown[i])
            canvas_add_label(canvas, at_px[i], y_px + 14, CANVAS_CENTRED,
                             CHART_INK, g_ptr_array_index(texts, i), 12);
    }
}

static guint line_width_of_series_px(const Chart *chart, guint series)
{
    switch (chart_role_of(chart, series)) {
    case CHART_OFFLOAD:
        return 3;
    case CHART_PUBLISHED:
    case CHART_BOUND:
        return 1;
    default:
        return 2;
    }
}

/* Returns the size of a dot, which is smaller where there are many. */
static double dot_size_px(const Chart *chart, guint width)
{
    return chart_axis_n_values(chart->x) > MANY_VALUES ? 1.0 + width
                                                       : 2.0 + 2 * width;
}

static void draw_panel_lines(const Chart *chart, Canvas *canvas, guint panel,
                             const ChartScale *scale,
                             const ChartScale *chart_scale)
{
    const ChartPoint *last = NULL;

    for (guint i = 0; i < chart->points->len; i++) {
        const ChartPoint *point = chart_point_at(chart, i);
        guint32 colour = chart_series_colour(chart, point->series);
        guint width = line_width_of_series_px(chart, point->series);

        if (point->panel != panel)
            continue;
        if (last && last->series == point->series)
            canvas_add_stroke(canvas, chart_scale_px(scale, last->x_at),
                              chart_scale_px(chart_scale, last->y),
                              chart_scale_px(scale, point->x_at),
                              chart_scale_px(chart_scale, point->y), width,
                              colour);
        canvas_add_dot(
            canvas, chart_scale_px(scale, point->x_at),
            chart_scale_px(chart_scale, point->y), dot_size_px(chart, width),
            chart_role_of(chart, point->series) == CHART_PUBLISHED, colour);
        last = point;
    }
}

/* Writes the names of the lines at their ends. */
static void label_panel_lines(const Chart *chart, Canvas *canvas, guint panel,
                              const ChartScale *scale,
                              const ChartScale *chart_scale)
{
    guint n = distinct_names_count(&chart->series), n_here = 0;
    g_autofree double *at_px = g_new(double, n);
    g_autofree guint *series = g_new(guint, n);

    for (guint i = 0; i < chart->points->len; i++) {
        const ChartPoint *point = chart_point_at(chart, i);

        if (point->panel != panel)
            continue;
        if (n_here == 0 || series[n_here - 1] != point->series)
            series[n_here++] = point->series;
        at_px[n_here - 1] = chart_scale_px(chart_scale, point->y);
    }
    chart_spread_labels(at_px, n_here, CHART_LABEL_PX, chart_scale->to_px - 8,
                        chart_scale->from_px + 4);
    for (guint i = 0; i < n_here; i++)
        canvas_add_label(canvas, scale->to_px + 10, at_px[i], CANVAS_LEFT,
                         chart_series_colour(chart, series[i]),
                         distinct_names_text_at(&chart->series, series[i]),
                         max_label_chars());
}

static void place_line_panels(const Chart *chart, Canvas *canvas)
{
    guint n = distinct_names_count(&chart->panels);
    double labels_px = width_for_line_labels_px(chart);

    canvas->n_columns = n <= 2 || n == 4 || labels_px > 90 ? 2 : 3;
    canvas->panel_h_px = n <= 2 ? 260 : 180;
    canvas->left_px = TICK_ROOM_PX + 30;
    canvas->right_px = (guint)labels_px + 16;
    canvas->gap_x_px = (guint)labels_px + TICK_ROOM_PX + 12;
    canvas->gap_y_px = 34;
    canvas->bottom_px = 56;
    chart_limit_columns(canvas, 90);
    for (guint i = 0; i < n; i++)
        canvas_fit_panel_title(canvas,
                               distinct_names_text_at(&chart->panels, i));
    canvas_place_panels(canvas, n);
}

void chart_draw_lines(const Chart *chart, Canvas *canvas)
{
    g_autofree char *x_title = chart_axis_title(chart->x);
    g_autofree char *y_title = chart_y_title(chart);
    guint last = chart_axis_n_values(chart->x) - 1;

    place_line_panels(chart, canvas);
    chart_add_panel_titles(chart, canvas);
    for (guint i = 0; i < distinct_names_count(&chart->panels); i++) {
        double x_px = canvas_panel_x_px(canvas, i);
        double y_px = canvas_panel_y_px(canvas, i);
        ChartScale y =
            chart_value_scale(chart, i, y_px + canvas->panel_h_px, y_px);
        ChartScale x = { .min = chart_axis_number(chart->x, 0),
                         .max = chart_axis_number(chart->x, last),
                         .from_px = x_px + 12,
                         .to_px = x_px + canvas->panel_w_px - 8,
                         .is_log = chart->x_is_log };

        draw_value_axis(chart, canvas, x_px, &y);
        draw_x_axis(chart, canvas, &x, y_px + canvas->panel_h_px);
        draw_panel_lines(chart, canvas, i, &x, &y);
        if (lines_need_labels(chart))
            label_panel_lines(chart, canvas, i, &x, &y);
    }
    chart_add_axis_titles(canvas, x_title, y_title);
}
