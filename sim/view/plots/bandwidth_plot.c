/* bandwidth_plot.c - plots of network bandwidth against a resource of
 * communication, or against the payload */
#include "sim/view/plots/line_plot_data.h"

/* The curve is marked where it first reaches this fraction of the panel's
 * maximum. */
#define GOAL 0.9

static const char *const columns[] = { "net_bw_gb_per_s", "net_cap_gb_per_s",
                                       NULL };

static double bandwidth_of_point(const SweepResults *r, const LinePoint *point)
{
    return results_cell_number(r, point->row, columns[0]);
}

static void add_bandwidth_points(const PlotKind *kind, const SweepResults *r,
                                 LinePlotData *lines)
{
    guint axis = plot_find_axis_column(r, kind->axis);
    g_autoptr(GArray) panels = plot_panel_columns(r, axis, G_MAXUINT);

    lines_init(lines);
    for (guint i = 0; i < r->rows->len; i++) {
        guint row = results_row_at(r, i);
        g_autofree char *panel = plot_row_label(r, row, panels);
        double x = 0;

        if (results_parse_number(results_cell_text(r, row, axis), &x))
            line_plot_add_point(lines, panel,
                                results_cell_text(r, row, r->endpoint),
                                x / kind->axis_scale, row);
    }
    line_plot_sort_points(lines);
}

static char *bandwidth_unfit_reason(const PlotKind *kind, const SweepResults *r)
{
    g_auto(LinePlotData) lines = { 0 };

    if (!plot_is_quantity_column(r, plot_find_axis_column(r, kind->axis)))
        return g_strdup_printf("%s is not always a quantity", kind->axis);
    add_bandwidth_points(kind, r, &lines);
    return lines_too_many_reason(&lines);
}

/* Points are sorted by panel, so the panel of point @i is contiguous. */
static double max_bandwidth_of_panel(const SweepResults *r,
                                     const LinePlotData *lines, guint i)
{
    guint panel = line_plot_point_at(lines, i)->panel;
    double max = 0;

    while (i > 0 && line_plot_point_at(lines, i - 1)->panel == panel)
        i--;
    for (;
         i < lines->points->len && line_plot_point_at(lines, i)->panel == panel;
         i++)
        max = MAX(max, bandwidth_of_point(r, line_plot_point_at(lines, i)));
    return max;
}

/* Returns the point at which a series first reaches the goal, or NULL. @i is
 * its first point. */
static const LinePoint *find_first_point_at_goal(const SweepResults *r,
                                                 const LinePlotData *lines,
                                                 guint i)
{
    const LinePoint *first = line_plot_point_at(lines, i);
    double max = max_bandwidth_of_panel(r, lines, i);

    for (; i < lines->points->len; i++) {
        const LinePoint *point = line_plot_point_at(lines, i);

        if (point->panel != first->panel || point->series != first->series)
            return NULL;
        if (bandwidth_of_point(r, point) >= GOAL * max)
            return point;
    }
    return NULL;
}

static gboolean is_first_of_series(const LinePlotData *lines, guint i)
{
    return i == 0 ||
           line_plot_point_at(lines, i)->panel !=
               line_plot_point_at(lines, i - 1)->panel ||
           line_plot_point_at(lines, i)->series !=
               line_plot_point_at(lines, i - 1)->series;
}

/* Marks with the same @x are close to each other; only the uppermost has a
 * text. */
static gboolean is_topmost_mark(const SweepResults *r,
                                const LinePlotData *lines,
                                const LinePoint *mark)
{
    for (guint i = 0; i < lines->points->len; i++) {
        const LinePoint *other =
            is_first_of_series(lines, i) &&
                    line_plot_point_at(lines, i)->panel == mark->panel
                ? find_first_point_at_goal(r, lines, i)
                : NULL;

        if (other && other->x == mark->x &&
            (bandwidth_of_point(r, other) > bandwidth_of_point(r, mark) ||
             (bandwidth_of_point(r, other) == bandwidth_of_point(r, mark) &&
              other->series < mark->series)))
            return FALSE;
    }
    return TRUE;
}

static void draw_bandwidth_points(const PlotKind *kind, const SweepResults *r,
                                  const LinePlotData *lines, Canvas *canvas)
{
    for (guint i = 0; i < lines->points->len; i++) {
        const LinePoint *point = line_plot_point_at(lines, i);
        const LinePoint *mark = is_first_of_series(lines, i)
                                    ? find_first_point_at_goal(r, lines, i)
                                    : NULL;

        CANVAS_ADD(canvas, CANVAS_POINTS, NULL, point->panel + 1,
                   point->series + 1, point->x, bandwidth_of_point(r, point),
                   results_cell_number(r, point->row, columns[1]));
        if (mark) {
            g_autofree char *text =
                kind->axis_is_log ? results_value_text(
                                        r,
                                        results_cell_text(r, mark->row,
                                                          plot_find_axis_column(
                                                              r, kind->axis)),
                                        plot_find_axis_column(r, kind->axis))
                                  : g_strdup_printf("%.4g", mark->x);

            CANVAS_ADD(canvas, CANVAS_MARKS, text, mark->panel + 1, mark->x,
                       bandwidth_of_point(r, mark),
                       is_topmost_mark(r, lines, mark));
        }
    }
}

static void draw_bandwidth_plot(const PlotKind *kind, const SweepResults *r,
                                Canvas *canvas)
{
    g_auto(LinePlotData) lines = { 0 };
    g_autofree char *title =
        g_strdup_printf("Network bandwidth against %s", kind->axis_title);
    guint n;

    add_bandwidth_points(kind, r, &lines);
    n = distinct_names_count(&lines.panels);
    canvas_set_title(canvas, title,
                     "sent by an NPU; a ring and its number mark where a line "
                     "first has 90 % of the panel's largest");
    line_plot_draw_legend(&lines, canvas);
    canvas_add_legend_entry(canvas, CANVAS_DASHES, "what the links allow");
    canvas->n_columns = n <= 2 || n == 4 ? 2 : 3;
    canvas->panel_h_px = n <= 2 ? 300 : 200;
    canvas->gap_x_px = 50;
    canvas->gap_y_px = 44;
    lines_fit_panel_titles(&lines, canvas);
    canvas_place_panels(canvas, n);
    canvas_set_variable(canvas, "log_x", kind->axis_is_log);
    canvas_set_variable(canvas, "n_series",
                        distinct_names_count(&lines.series));
    for (guint i = 0; i < n; i++) {
        canvas_add_panel_title(canvas, i,
                               distinct_names_text_at(&lines.panels, i));
        if (i % canvas->n_columns == 0)
            canvas_add_text(canvas, CANVAS_TURNED, 16,
                            canvas_panel_y_px(canvas, i) +
                                canvas->panel_h_px / 2,
                            "network, GB/s", 30);
        canvas_add_text(canvas, CANVAS_AXIS,
                        canvas_panel_x_px(canvas, i) + canvas->panel_w_px / 2,
                        canvas_panel_y_px(canvas, i) + canvas->panel_h_px + 32,
                        kind->axis_label, 50);
    }
    draw_bandwidth_points(kind, r, &lines, canvas);
}

/* Describes the last panel, which has the largest platform if sizes are
 * sorted. */
static char *bandwidth_caption(const PlotKind *kind, const SweepResults *r)
{
    g_auto(LinePlotData) lines = { 0 };
    GString *out = g_string_new(NULL);
    guint panel, n = 0;

    add_bandwidth_points(kind, r, &lines);
    panel = distinct_names_count(&lines.panels) - 1;
    g_string_append_printf(
        out, "The most is %.0f GB/s%s%s. 90 %% of it ",
        max_bandwidth_of_panel(r, &lines, lines.points->len - 1),
        distinct_names_count(&lines.panels) > 1 ? " on " : "",
        distinct_names_text_at(&lines.panels, panel));
    for (guint i = 0; i < lines.points->len; i++) {
        const LinePoint *first = line_plot_point_at(&lines, i);
        const LinePoint *mark;
        const char *at;

        if (first->panel != panel || !is_first_of_series(&lines, i))
            continue;
        mark = find_first_point_at_goal(r, &lines, i);
        at = mark ? results_cell_label(r, mark->row,
                                       plot_find_axis_column(r, kind->axis))
                  : "no value that was tried";
        g_string_append_printf(
            out, "%s%s with %s", n++ > 0 ? "; " : "is reached by ",
            distinct_names_text_at(&lines.series, first->series), at);
    }
    g_string_append_c(out, '.');
    return g_string_free(out, FALSE);
}

const PlotKind plot_memory_bandwidth = {
    .name = "memory-bandwidth",
    .summary = "network bandwidth against memory bandwidth for communication",
    .columns = columns,
    .script = text_bandwidth_gp,
    .axis = "endpoint.memory_bandwidth",
    .axis_title = "memory bandwidth for communication",
    .axis_label = "memory, GB/s",
    .axis_scale = 1,
    .unfit_reason = bandwidth_unfit_reason,
    .draw = draw_bandwidth_plot,
    .caption = bandwidth_caption,
};

const PlotKind plot_sms = {
    .name = "sms",
    .summary = "network bandwidth against SMs for communication",
    .columns = columns,
    .script = text_bandwidth_gp,
    .axis = "endpoint.sms",
    .axis_title = "SMs for communication",
    .axis_label = "SMs",
    .axis_scale = 1,
    .unfit_reason = bandwidth_unfit_reason,
    .draw = draw_bandwidth_plot,
    .caption = bandwidth_caption,
};

/* The plot of nccl-tests, with one line per endpoint.  The y axis is the bytes
 * sent, which, unlike algbw, does not depend on the kind of collective. */
const PlotKind plot_bandwidth = {
    .name = "bandwidth",
    .summary = "network bandwidth against the size of a collective",
    .columns = columns,
    .script = text_bandwidth_gp,
    .axis = "workload.payload",
    .axis_title = "payload",
    .axis_label = "payload",
    .axis_scale = 1,
    .axis_is_log = TRUE,
    .unfit_reason = bandwidth_unfit_reason,
    .draw = draw_bandwidth_plot,
    .caption = bandwidth_caption,
};
