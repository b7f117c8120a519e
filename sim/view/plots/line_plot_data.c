/* line_plot_data.c - data of a line plot; see line_plot_data.h */
#include "sim/view/plots/line_plot_data.h"

void lines_init(LinePlotData *lines)
{
    names_init(&lines->panels);
    names_init(&lines->series);
    lines->points = g_array_new(FALSE, FALSE, sizeof(LinePoint));
}

void lines_clear(LinePlotData *lines)
{
    if (!lines->points)
        return;
    names_clear(&lines->panels);
    names_clear(&lines->series);
    g_array_unref(lines->points);
    lines->points = NULL;
}

void line_plot_add_point(LinePlotData *lines, const char *panel,
                         const char *series, double x, guint row)
{
    LinePoint point = { .panel = distinct_names_add(&lines->panels, panel),
                        .series = distinct_names_add(&lines->series, series),
                        .x = x,
                        .row = row };

    g_array_append_val(lines->points, point);
}

static gint compare_line_points(gconstpointer a, gconstpointer b)
{
    const LinePoint *p = a, *q = b;

    if (p->panel != q->panel)
        return p->panel < q->panel ? -1 : 1;
    if (p->series != q->series)
        return p->series < q->series ? -1 : 1;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return p->row < q->row ? -1 : p->row > q->row;
}

void line_plot_sort_points(LinePlotData *lines)
{
    g_array_sort(lines->points, compare_line_points);
}

char *lines_too_many_reason(const LinePlotData *lines)
{
    if (distinct_names_count(&lines->series) > PLOT_MAX_SERIES)
        return g_strdup_printf("%u lines are more than %d",
                               distinct_names_count(&lines->series),
                               PLOT_MAX_SERIES);
    if (distinct_names_count(&lines->panels) > CANVAS_MAX_PANELS)
        return g_strdup_printf("%u panels are more than %d",
                               distinct_names_count(&lines->panels),
                               CANVAS_MAX_PANELS);
    if (lines->points->len > PLOT_MAX_MARKS)
        return g_strdup_printf("%u points are more than %d", lines->points->len,
                               PLOT_MAX_MARKS);
    return NULL;
}

void lines_fit_panel_titles(const LinePlotData *lines, Canvas *canvas)
{
    for (guint i = 0; i < distinct_names_count(&lines->panels); i++)
        canvas_fit_panel_title(canvas,
                               distinct_names_text_at(&lines->panels, i));
}

void line_plot_draw_legend(const LinePlotData *lines, Canvas *canvas)
{
    for (guint i = 0; i < distinct_names_count(&lines->series); i++)
        canvas_add_legend_entry(canvas, CANVAS_LINE,
                                distinct_names_text_at(&lines->series, i));
}
