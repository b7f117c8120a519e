/* lines.c - data of a line plot; see lines.h */
#include "sim/view/plots/lines.h"

void lines_init(Lines *lines)
{
    names_init(&lines->panels);
    names_init(&lines->series);
    lines->points = g_array_new(FALSE, FALSE, sizeof(LinePoint));
}

void lines_clear(Lines *lines)
{
    if (!lines->points)
        return;
    names_clear(&lines->panels);
    names_clear(&lines->series);
    g_array_unref(lines->points);
    lines->points = NULL;
}

void lines_add(Lines *lines, const char *panel, const char *series, double x,
               guint row)
{
    LinePoint point = { .panel = names_add(&lines->panels, panel),
                        .series = names_add(&lines->series, series),
                        .x = x,
                        .row = row };

    g_array_append_val(lines->points, point);
}

static gint compare_points(gconstpointer a, gconstpointer b)
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

void lines_sort(Lines *lines)
{
    g_array_sort(lines->points, compare_points);
}

char *lines_excess(const Lines *lines)
{
    if (names_n(&lines->series) > PLOT_MAX_SERIES)
        return g_strdup_printf("%u lines are more than %d",
                               names_n(&lines->series), PLOT_MAX_SERIES);
    if (names_n(&lines->panels) > CANVAS_MAX_PANELS)
        return g_strdup_printf("%u panels are more than %d",
                               names_n(&lines->panels), CANVAS_MAX_PANELS);
    if (lines->points->len > PLOT_MAX_MARKS)
        return g_strdup_printf("%u points are more than %d", lines->points->len,
                               PLOT_MAX_MARKS);
    return NULL;
}

void lines_fit_titles(const Lines *lines, Canvas *canvas)
{
    for (guint i = 0; i < names_n(&lines->panels); i++)
        canvas_fit_title(canvas, names_text(&lines->panels, i));
}

void lines_legend(const Lines *lines, Canvas *canvas)
{
    for (guint i = 0; i < names_n(&lines->series); i++)
        canvas_entry(canvas, CANVAS_LINE, names_text(&lines->series, i));
}
