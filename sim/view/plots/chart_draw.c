/* chart_draw.c - draws a chart on a canvas; see chart_draw.h */
#include "sim/view/plots/chart_draw.h"

#include "sim/view/plots/chart_draw_impl.h"

static void count_labels_at_line_ends(Canvas *canvas)
{
    guint n[3] = { 0 };
    g_auto(GStrv) lines =
        g_strsplit(canvas->files[CANVAS_LABELS]->str, "\n", -1);

    for (guint i = 0; lines[i] && *lines[i] != '\0'; i++) {
        g_auto(GStrv) cells = g_strsplit(lines[i], "\t", 4);

        n[g_ascii_strtoull(cells[2], NULL, 10) % 3]++;
    }
    g_string_append(canvas->numbers, "array n_labels[3]\n");
    for (guint i = 0; i < 3; i++) {
        g_autofree char *name = g_strdup_printf("n_labels[%u]", i + 1);

        canvas_set_variable(canvas, name, n[i]);
    }
}

void chart_draw(const Chart *chart, Canvas *canvas)
{
    g_autofree char *title = chart_title(chart);
    g_autofree char *subtitle = chart_subtitle(chart);

    canvas_set_title(canvas, title, subtitle);
    if (chart->form == CHART_LINES)
        chart_draw_lines(chart, canvas);
    else if (chart->form == CHART_CELLS)
        chart_draw_cells(chart, canvas);
    else
        chart_draw_rows(chart, canvas);
    canvas_set_variable(canvas, "n_boxes", canvas->n_shapes[CANVAS_BOXES]);
    canvas_set_variable(canvas, "n_strokes", canvas->n_shapes[CANVAS_STROKES]);
    canvas_set_variable(canvas, "n_dots", canvas->n_shapes[CANVAS_DOTS]);
    count_labels_at_line_ends(canvas);
}
