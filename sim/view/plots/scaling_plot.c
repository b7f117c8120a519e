/* scaling_plot.c - plot of iteration time and exposed share against NPUs */
#include "sim/view/plots/line_plot_data.h"

static const char *const columns[] = { "iteration_time_us", "exposed_comm_us",
                                       NULL };

static double iteration_time_of_row_us(const SweepResults *r, guint row)
{
    return results_cell_number(r, row, columns[0]);
}

static void add_scaling_points(const SweepResults *r, LinePlotData *lines)
{
    g_autoptr(GArray) panels = plot_panel_columns(r, r->n_npus, G_MAXUINT);

    lines_init(lines);
    for (guint i = 0; i < r->rows->len; i++) {
        guint row = results_row_at(r, i);
        g_autofree char *panel = plot_row_label(r, row, panels);

        line_plot_add_point(
            lines, *panel ? panel : results_cell_text(r, row, r->workload),
            results_cell_text(r, row, r->endpoint),
            results_cell_number(r, row, "n_npus"), row);
    }
    line_plot_sort_points(lines);
}

static char *scaling_unfit_reason(const PlotKind *kind, const SweepResults *r)
{
    g_auto(LinePlotData) lines = { 0 };
    char *excess;

    (void)kind;
    if (!results_column_varies(r, r->n_npus))
        return g_strdup("n_npus does not vary");
    add_scaling_points(r, &lines);
    excess = lines_too_many_reason(&lines);
    if (!excess && distinct_names_count(&lines.panels) > CANVAS_MAX_PANELS / 2)
        excess = g_strdup_printf("%u panels are more than %d",
                                 distinct_names_count(&lines.panels),
                                 CANVAS_MAX_PANELS / 2);
    return excess;
}

/* Returns the canvas panel of the times.  Each panel of lines has two panels on
 * the canvas: times above, shares below. */
static guint time_panel_on_canvas(const Canvas *canvas, guint panel)
{
    return panel / canvas->n_columns * 2 * canvas->n_columns +
           panel % canvas->n_columns;
}

static double exposed_share_of_row(const SweepResults *r, guint row)
{
    double all_us = iteration_time_of_row_us(r, row);

    return all_us > 0 ? 100 * results_cell_number(r, row, columns[1]) / all_us
                      : 0;
}

typedef struct {
    double min_us, max_us, max_share;
    double unit_us;
    const char *unit;
} PanelRange;

static PanelRange value_range_of_panel(const SweepResults *r,
                                       const LinePlotData *lines, guint panel)
{
    PanelRange range = { .min_us = G_MAXDOUBLE };

    for (guint i = 0; i < lines->points->len; i++) {
        const LinePoint *point = line_plot_point_at(lines, i);

        if (point->panel != panel)
            continue;
        range.min_us =
            MIN(range.min_us, iteration_time_of_row_us(r, point->row));
        range.max_us =
            MAX(range.max_us, iteration_time_of_row_us(r, point->row));
        range.max_share =
            MAX(range.max_share, exposed_share_of_row(r, point->row));
    }
    range.unit_us = plot_time_unit_us(range.max_us, &range.unit);
    return range;
}

static void set_axis_range(Canvas *canvas, guint i, double min, double max)
{
    g_autofree char *lower = g_strdup_printf("y_min[%u]", i + 1);
    g_autofree char *upper = g_strdup_printf("y_max[%u]", i + 1);

    canvas_set_variable(canvas, lower, min);
    canvas_set_variable(canvas, upper, max);
}

/* Sets the axis of times.  It does not begin at 0 if that would hide
 * differences. */
static void set_time_and_share_axes(Canvas *canvas, guint upper,
                                    const PanelRange *range)
{
    double min = range->min_us / range->unit_us;
    double max = range->max_us / range->unit_us;
    double span = MAX(max - min, 0.02 * max);

    if (max <= 0)
        max = span = 1;
    set_axis_range(canvas, upper,
                   min > 0.5 * max ? MAX(min - 0.2 * span, 0) : 0,
                   max + 0.1 * span);
    set_axis_range(canvas, upper + canvas->n_columns, 0,
                   MAX(1.1 * range->max_share, 1));
}

static void label_scaling_panel(const LinePlotData *lines, Canvas *canvas,
                                guint panel, const PanelRange *range)
{
    guint upper = time_panel_on_canvas(canvas, panel);
    guint lower = upper + canvas->n_columns;
    double y_px = canvas->panel_h_px / 2;
    g_autofree char *title = g_strdup_printf("%s an iteration", range->unit);

    set_time_and_share_axes(canvas, upper, range);
    canvas_add_panel_title(canvas, upper,
                           distinct_names_text_at(&lines->panels, panel));
    canvas_add_text(canvas, CANVAS_TURNED,
                    canvas_panel_x_px(canvas, upper) - 48,
                    canvas_panel_y_px(canvas, upper) + y_px, title, 30);
    canvas_add_text(
        canvas, CANVAS_TURNED, canvas_panel_x_px(canvas, lower) - 48,
        canvas_panel_y_px(canvas, lower) + y_px, "exposed, % of it", 30);
    canvas_add_text(canvas, CANVAS_AXIS,
                    canvas_panel_x_px(canvas, lower) + canvas->panel_w_px / 2,
                    canvas_panel_y_px(canvas, lower) + canvas->panel_h_px + 30,
                    "NPUs", 30);
}

/* Writes the label of each number of NPUs once below the axis. */
static void label_platform_sizes(const LinePlotData *lines, Canvas *canvas)
{
    g_auto(DistinctNames) sizes = { 0 };

    names_init(&sizes);
    for (guint i = 0; i < lines->points->len; i++) {
        g_autofree char *text =
            g_strdup_printf("%.0f", line_plot_point_at(lines, i)->x);

        distinct_names_add(&sizes, text);
    }
    canvas_set_variable(canvas, "n_sizes", distinct_names_count(&sizes));
    g_string_append_printf(canvas->numbers, "array size[%u]\n",
                           distinct_names_count(&sizes));
    for (guint i = 0; i < distinct_names_count(&sizes); i++)
        g_string_append_printf(canvas->numbers, "size[%u] = %s.0\n", i + 1,
                               distinct_names_text_at(&sizes, i));
}

static void append_scaling_point(const LinePoint *point, Canvas *canvas,
                                 guint panel, double value)
{
    CANVAS_ADD(canvas, CANVAS_POINTS, NULL, panel + 1, point->series + 1,
               point->x, value);
}

/* The points of a line must be contiguous in the file, so all times are written
 * before all shares. */
static void draw_scaling_panel(const SweepResults *r, const LinePlotData *lines,
                               Canvas *canvas, guint panel)
{
    guint upper = time_panel_on_canvas(canvas, panel);
    PanelRange range = value_range_of_panel(r, lines, panel);

    label_scaling_panel(lines, canvas, panel, &range);
    for (guint k = 0; k < 2; k++) {
        for (guint i = 0; i < lines->points->len; i++) {
            const LinePoint *point = line_plot_point_at(lines, i);

            if (point->panel == panel)
                append_scaling_point(
                    point, canvas, upper + k * canvas->n_columns,
                    k == 0 ? iteration_time_of_row_us(r, point->row) /
                                 range.unit_us
                           : exposed_share_of_row(r, point->row));
        }
    }
}

static void draw_scaling_plot(const PlotKind *kind, const SweepResults *r,
                              Canvas *canvas)
{
    g_auto(LinePlotData) lines = { 0 };
    guint n, n_canvas;

    (void)kind;
    add_scaling_points(r, &lines);
    n = distinct_names_count(&lines.panels);
    canvas_set_title(
        canvas, "Scaling",
        "time of an iteration, and the part of it that communication "
        "exposes, against the number of NPUs");
    line_plot_draw_legend(&lines, canvas);
    canvas->n_columns = n == 4 ? 4 : MIN(n, 3);
    canvas->panel_h_px = n == 1 ? 200 : 150;
    canvas->left_px = 66;
    canvas->gap_x_px = 66;
    canvas->gap_y_px = n <= canvas->n_columns ? 26 : 46;
    n_canvas =
        (n + canvas->n_columns - 1) / canvas->n_columns * 2 * canvas->n_columns;
    lines_fit_panel_titles(&lines, canvas);
    canvas_place_panels(canvas, n_canvas);
    canvas_set_variable(canvas, "n_series",
                        distinct_names_count(&lines.series));
    canvas_set_variable(canvas, "n_columns", canvas->n_columns);
    label_platform_sizes(&lines, canvas);
    g_string_append_printf(canvas->numbers, "array y_min[%u]\n", n_canvas);
    g_string_append_printf(canvas->numbers, "array y_max[%u]\n", n_canvas);
    for (guint i = 0; i < n_canvas; i++)
        set_axis_range(canvas, i, 0, 0);
    for (guint i = 0; i < n; i++)
        draw_scaling_panel(r, &lines, canvas, i);
}

/* Returns the growth of a line from its smallest to its largest platform. */
static double time_growth_of_line(const SweepResults *r,
                                  const LinePlotData *lines, guint first,
                                  guint *n)
{
    const LinePoint *a = line_plot_point_at(lines, first), *b = a;

    for (*n = 0; first + *n < lines->points->len; (*n)++) {
        b = line_plot_point_at(lines, first + *n);
        if (b->panel != a->panel || b->series != a->series)
            break;
    }
    b = line_plot_point_at(lines, first + *n - 1);
    return iteration_time_of_row_us(r, a->row) > 0
               ? iteration_time_of_row_us(r, b->row) /
                     iteration_time_of_row_us(r, a->row)
               : 1;
}

static char *scaling_caption(const PlotKind *kind, const SweepResults *r)
{
    g_auto(LinePlotData) lines = { 0 };
    guint most = 0, least = 0, n;
    double max = 0, min = G_MAXDOUBLE;

    (void)kind;
    add_scaling_points(r, &lines);
    for (guint i = 0; i < lines.points->len; i += n) {
        double by = time_growth_of_line(r, &lines, i, &n);

        most = by > max ? i : most;
        max = MAX(max, by);
        least = by < min ? i : least;
        min = MIN(min, by);
    }
    return g_strdup_printf(
        "From the fewest to the most NPUs an iteration grows most with %s on "
        "%s (%.2f times) and least with %s on %s (%.2f times).",
        distinct_names_text_at(&lines.series,
                               line_plot_point_at(&lines, most)->series),
        distinct_names_text_at(&lines.panels,
                               line_plot_point_at(&lines, most)->panel),
        max,
        distinct_names_text_at(&lines.series,
                               line_plot_point_at(&lines, least)->series),
        distinct_names_text_at(&lines.panels,
                               line_plot_point_at(&lines, least)->panel),
        min);
}

const PlotKind plot_scaling = {
    .name = "scaling",
    .summary = "iteration time and exposed communication against NPUs",
    .columns = columns,
    .script = text_scaling_gp,
    .unfit_reason = scaling_unfit_reason,
    .draw = draw_scaling_plot,
    .caption = scaling_caption,
};
