/* chart_rows.c - draws rows of dots or bars; see chart_draw.h */
#include <math.h>

#include "sim/view/plots/chart_draw_impl.h"
#include "sim/view/plots/chart_layout.h"

#define ROW_PX      20
#define BIG_PX      15 /* the dot of the figure to read */
#define DOT_PX      9
#define MAX_NAME_PX 230
/* Height of the ticks under a panel, and room of one of them. */
#define TICKS_PX     20
#define TICK_ROOM_PX 34

static double width_for_row_names_px(const Chart *chart)
{
    double most = 0;

    for (guint i = 0; i < distinct_names_count(&chart->rows); i++)
        most =
            MAX(most, chart_text_px(distinct_names_text_at(&chart->rows, i)));
    return MIN(most, MAX_NAME_PX);
}

/* Returns the figure at the end of a row: three digits. */
static char *number_text_of_row(const Chart *chart, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    double shown = value / chart->unit.size;

    return g_strdup(g_ascii_formatd(text, sizeof text,
                                    shown < 9.995    ? "%.2f"
                                    : shown < 99.95  ? "%.1f"
                                    : shown < 999999 ? "%.0f"
                                                     : "%.3g",
                                    shown));
}

/* Returns the number of series that have a figure at the end of a row. */
static guint count_series_with_numbers(const Chart *chart)
{
    if (chart->form == CHART_BARS)
        return 1;
    /* With several engines a row has no room for the numbers of all, and those
     * of one engine alone would mislead. */
    if (chart_count_offload_series(chart) > 1)
        return 0;
    /* The third of a speedup is a bound. */
    return MIN(distinct_names_count(&chart->series), chart->is_ratio ? 2 : 3);
}

static void draw_scale_of_values(const Chart *chart, Canvas *canvas,
                                 double top_px, const ChartScale *scale)
{
    double bottom_px = top_px + canvas->panel_h_px;
    double span = (scale->max - scale->min) / chart->unit.size;
    guint n = (guint)MAX((scale->to_px - scale->from_px) / TICK_ROOM_PX, 1);
    double step = chart_tick_step(span, n);
    gint64 first = (gint64)ceil(scale->min / chart->unit.size / step - 1e-9);
    double from, to;

    if (chart_error_band(chart, scale, &from, &to))
        canvas_add_box(canvas, from, top_px, to, bottom_px, CHART_BAND);
    for (gint64 k = first; (double)k * step <= scale->max / chart->unit.size;
         k++) {
        double at_px =
            chart_scale_px(scale, (double)k * step * chart->unit.size);
        g_autofree char *text = chart_tick_text(chart, (double)k * step, step);

        /* A box, which is drawn before the boxes of bars. */
        canvas_add_box(canvas, at_px - 0.5, top_px, at_px + 0.5, bottom_px,
                       CHART_RULE);
        canvas_add_label(canvas, at_px, bottom_px + 12, CANVAS_CENTRED,
                         CHART_INK, text, 6);
    }
    if (chart->is_ratio)
        canvas_add_stroke(canvas, chart_scale_px(scale, 1), top_px,
                          chart_scale_px(scale, 1), bottom_px, 1, CHART_INK);
}

static double y_position_of_row_px(const Canvas *canvas, guint panel, guint row)
{
    return canvas_panel_y_px(canvas, panel) + (row + 0.5) * ROW_PX;
}

static void draw_point_mark(const Chart *chart, Canvas *canvas,
                            const ChartScale *scale, const ChartPoint *point)
{
    double x_px = chart_scale_px(scale, point->y);
    double y_px = y_position_of_row_px(canvas, point->panel, point->x);
    guint32 colour = chart_series_colour(chart, point->series);

    switch (chart_role_of(chart, point->series)) {
    case CHART_OFFLOAD:
        canvas_add_dot(canvas, x_px, y_px, BIG_PX, FALSE, colour);
        break;
    case CHART_BOUND:
        canvas_add_stroke(canvas, x_px, y_px - 7, x_px, y_px + 7, 2, CHART_INK);
        break;
    case CHART_PUBLISHED:
        canvas_add_dot(canvas, x_px, y_px, DOT_PX, TRUE, colour);
        break;
    default:
        canvas_add_dot(canvas, x_px, y_px, DOT_PX, FALSE, colour);
    }
}

/* Draws a thin line from the first to the last mark of each row, or from 0. */
static void draw_lines_between_marks(const Chart *chart, Canvas *canvas,
                                     guint panel, const ChartScale *scale)
{
    for (guint row = 0; row < distinct_names_count(&chart->rows); row++) {
        double low = G_MAXDOUBLE, high = -G_MAXDOUBLE;

        for (guint i = 0; i < chart->points->len; i++) {
            const ChartPoint *point = chart_point_at(chart, i);

            if (point->panel != panel || point->x != row ||
                (chart->is_ratio &&
                 chart_role_of(chart, point->series) == CHART_BOUND))
                continue;
            low = MIN(low, point->y);
            high = MAX(high, point->y);
        }
        if (high < low)
            continue;
        if (!chart->is_ratio)
            low = MIN(scale->min, low);
        canvas_add_stroke(canvas, chart_scale_px(scale, low),
                          y_position_of_row_px(canvas, panel, row),
                          chart_scale_px(scale, high),
                          y_position_of_row_px(canvas, panel, row), 1,
                          CHART_FAINT);
    }
}

/* Stacks the bars of each row; points of a series are together. */
static void draw_stacked_bars(const Chart *chart, Canvas *canvas, guint panel,
                              const ChartScale *scale, double *sums)
{
    for (guint i = 0; i < chart->points->len; i++) {
        const ChartPoint *point = chart_point_at(chart, i);
        double y_px = y_position_of_row_px(canvas, panel, point->x);

        if (point->panel != panel)
            continue;
        canvas_add_box(canvas, chart_scale_px(scale, sums[point->x]), y_px - 7,
                       chart_scale_px(scale, sums[point->x] + point->y),
                       y_px + 7, chart_series_colour(chart, point->series));
        sums[point->x] += point->y;
    }
}

/* Writes the figures of the rows of a panel right of it. */
static void write_numbers_of_rows(const Chart *chart, Canvas *canvas,
                                  guint panel, double figure_px,
                                  const double *sums)
{
    double x_px = canvas_panel_x_px(canvas, panel) + canvas->panel_w_px;

    for (guint i = 0; i < chart->points->len; i++) {
        const ChartPoint *point = chart_point_at(chart, i);
        gboolean bars = chart->form == CHART_BARS;
        g_autofree char *text =
            number_text_of_row(chart, bars ? sums[point->x] : point->y);

        if (point->panel != panel ||
            point->series >= count_series_with_numbers(chart))
            continue;
        canvas_add_label(
            canvas, x_px + (point->series + 1) * figure_px,
            y_position_of_row_px(canvas, panel, point->x), CANVAS_RIGHT,
            bars ? CHART_INK : chart_series_colour(chart, point->series), text,
            9);
    }
}

static void add_row_legend(const Chart *chart, Canvas *canvas)
{
    double x_px = 14;
    double y_px = canvas->top_px + 8;
    guint n = distinct_names_count(&chart->series);

    if (n < 2)
        return;
    for (guint i = 0; i < n; i++) {
        const char *name = distinct_names_text_at(&chart->series, i);
        guint32 colour = chart_series_colour(chart, i);
        ChartRole role = chart_role_of(chart, i);
        double w_px = 20 + chart_text_px(name) + 12;

        if (x_px > 14 && x_px + w_px > canvas->width_px) {
            x_px = 14;
            y_px += 20;
        }
        if (chart->form == CHART_BARS)
            canvas_add_box(canvas, x_px, y_px - 6, x_px + 14, y_px + 6, colour);
        else if (role == CHART_BOUND)
            canvas_add_stroke(canvas, x_px + 7, y_px - 7, x_px + 7, y_px + 7, 2,
                              CHART_INK);
        else
            canvas_add_dot(canvas, x_px + 7, y_px,
                           role == CHART_OFFLOAD ? BIG_PX : DOT_PX,
                           role == CHART_PUBLISHED, colour);
        canvas_add_label(canvas, x_px + 20, y_px, CANVAS_LEFT, CHART_INK, name,
                         60);
        x_px += w_px;
    }
    canvas->top_px = (guint)y_px + 16;
}

static double width_for_numbers_px(const Chart *chart)
{
    double most = 0;

    for (guint i = 0; i < chart->points->len; i++) {
        g_autofree char *text =
            number_text_of_row(chart, chart_point_at(chart, i)->y);

        most = MAX(most, chart_text_px(text));
    }
    return most + 10;
}

static void place_row_panels(const Chart *chart, Canvas *canvas,
                             double figure_px)
{
    guint n = distinct_names_count(&chart->panels);
    double figures_px = figure_px * count_series_with_numbers(chart);

    add_row_legend(chart, canvas);
    canvas->left_px = (guint)width_for_row_names_px(chart) + 26;
    canvas->right_px = (guint)figures_px + 16;
    canvas->gap_x_px = (guint)figures_px + 24;
    canvas->gap_y_px = 22 + TICKS_PX;
    canvas->bottom_px = 56;
    canvas->panel_h_px = distinct_names_count(&chart->rows) * ROW_PX;
    /* A panel narrower than its names shows nothing. */
    chart_limit_columns(canvas, 110);
    for (guint i = 0; i < n; i++)
        canvas_fit_panel_title(canvas,
                               distinct_names_text_at(&chart->panels, i));
    canvas_place_panels(canvas, n);
}

static void write_names_of_rows(const Chart *chart, Canvas *canvas, guint panel)
{
    for (guint i = 0; i < distinct_names_count(&chart->rows); i++)
        canvas_add_label(canvas, canvas->left_px - 10.0,
                         y_position_of_row_px(canvas, panel, i), CANVAS_RIGHT,
                         CHART_INK, distinct_names_text_at(&chart->rows, i),
                         (guint)(MAX_NAME_PX / chart_text_px("m")));
}

void chart_draw_rows(const Chart *chart, Canvas *canvas)
{
    g_autofree char *title = chart_y_title(chart);
    double figure_px = width_for_numbers_px(chart);
    g_autofree double *sums = NULL;

    place_row_panels(chart, canvas, figure_px);
    chart_add_panel_titles(chart, canvas);
    for (guint i = 0; i < distinct_names_count(&chart->panels); i++) {
        double x_px = canvas_panel_x_px(canvas, i);
        ChartScale x = chart_value_scale(chart, i, x_px + 6,
                                         x_px + canvas->panel_w_px - 6);

        if (i % canvas->n_columns == 0)
            write_names_of_rows(chart, canvas, i);
        draw_scale_of_values(chart, canvas, canvas_panel_y_px(canvas, i), &x);
        g_free(sums);
        sums = g_new0(double, distinct_names_count(&chart->rows));
        if (chart->form == CHART_BARS)
            draw_stacked_bars(chart, canvas, i, &x, sums);
        else
            draw_lines_between_marks(chart, canvas, i, &x);
        for (guint k = 0; k < chart->points->len && chart->form != CHART_BARS;
             k++)
            if (chart_point_at(chart, k)->panel == i)
                draw_point_mark(chart, canvas, &x, chart_point_at(chart, k));
        write_numbers_of_rows(chart, canvas, i, figure_px, sums);
    }
    chart_add_axis_titles(canvas, title, NULL);
}
