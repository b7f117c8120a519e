/* iteration_time_plot.c - bar plot of the parts of the iteration time */
#include "sim/view/plots/bar_layout.h"

static const char *const columns[] = { "iteration_time_us", "compute_time_us",
                                       "exposed_comm_us", NULL };

static double results_cell_as_us(const SweepResults *r, guint row,
                                 const char *column)
{
    return results_cell_number(r, row, column);
}

static void add_iteration_bars(const SweepResults *r, GroupedBars *bars)
{
    bars_init(bars, r);
    for (guint i = 0; i < r->rows->len; i++)
        bar_layout_add(bars, results_row_at(r, i), results_row_at(r, i));
}

static char *iteration_time_unfit_reason(const PlotKind *kind,
                                         const SweepResults *r)
{
    g_auto(GroupedBars) bars = { 0 };
    double compute_us = 0;

    (void)kind;
    for (guint i = 0; i < r->rows->len; i++)
        compute_us +=
            results_cell_as_us(r, results_row_at(r, i), "compute_time_us");
    if (compute_us <= 0)
        return g_strdup("nothing computes, so that all time is communication");
    add_iteration_bars(r, &bars);
    return bars_too_many_reason(&bars);
}

static double max_time_of_panel_us(const GroupedBars *bars, guint panel)
{
    double max_us = 0;

    for (guint i = 0; i < bars->bars->len; i++)
        if (bars_bar_at(bars, i)->panel == panel)
            max_us = MAX(max_us, results_cell_as_us(bars->results,
                                                    bars_bar_at(bars, i)->id,
                                                    "iteration_time_us"));
    return max_us;
}

static void set_panel_time_axes(const GroupedBars *bars, Canvas *canvas,
                                double *unit_us)
{
    for (guint i = 0; i < distinct_names_count(&bars->panels); i++) {
        double max_us = max_time_of_panel_us(bars, i);
        g_autofree char *name = g_strdup_printf("x_max[%u]", i + 1);
        g_autofree char *title = NULL;
        const char *unit;

        unit_us[i] = plot_time_unit_us(max_us, &unit);
        title = g_strdup_printf("%s an iteration", unit);
        canvas_set_variable(canvas, name, max_us > 0 ? max_us / unit_us[i] : 1);
        canvas_add_text(canvas, CANVAS_AXIS,
                        canvas_panel_x_px(canvas, i) + canvas->panel_w_px / 2,
                        canvas_panel_y_px(canvas, i) + canvas->panel_h_px + 30,
                        title, 30);
    }
}

static void draw_iteration_time_plot(const PlotKind *kind,
                                     const SweepResults *r, Canvas *canvas)
{
    g_auto(GroupedBars) bars = { 0 };
    g_autofree double *unit_us = NULL;

    (void)kind;
    add_iteration_bars(r, &bars);
    canvas_set_title(canvas, "Time of an iteration",
                     "communication is exposed where compute stands still for "
                     "it");
    canvas_add_legend_entry(canvas, CANVAS_BOX, "compute");
    canvas_add_legend_entry(canvas, CANVAS_BOX, "exposed communication");
    canvas->gap_y_px = 50;
    bars_draw_layout(&bars, canvas);
    unit_us = g_new0(double, distinct_names_count(&bars.panels));
    g_string_append_printf(canvas->numbers, "array x_max[%u]\n",
                           distinct_names_count(&bars.panels));
    set_panel_time_axes(&bars, canvas, unit_us);
    for (guint i = 0; i < bars.bars->len; i++) {
        const GroupedBar *bar = bars_bar_at(&bars, i);
        double per = 1 / unit_us[bar->panel];
        double all = results_cell_as_us(r, bar->id, "iteration_time_us") * per;
        g_autofree char *text = plot_three_digits_text(all);

        CANVAS_ADD(canvas, CANVAS_POINTS, text, bar->panel + 1,
                   bars_row_centre(&bars, bar),
                   results_cell_as_us(r, bar->id, "compute_time_us") * per,
                   all);
    }
}

static double exposed_share_of_row(const SweepResults *r, guint row)
{
    double all_us = results_cell_as_us(r, row, "iteration_time_us");

    return all_us > 0 ? results_cell_as_us(r, row, "exposed_comm_us") / all_us
                      : 0;
}

static char *iteration_time_caption(const PlotKind *kind, const SweepResults *r)
{
    g_autofree char *where = NULL;
    guint most = results_row_at(r, 0);
    guint n_hidden = 0;

    (void)kind;
    for (guint i = 0; i < r->rows->len; i++) {
        guint row = results_row_at(r, i);

        most = exposed_share_of_row(r, row) > exposed_share_of_row(r, most)
                   ? row
                   : most;
        n_hidden += exposed_share_of_row(r, row) < 0.01;
    }
    where = plot_describe_row(r, most);
    return g_strdup_printf(
        "Communication is exposed most with %s (%s): %.0f %% of the iteration. "
        "Runs in which it is less than 1 %%: %u of %u.",
        results_cell_text(r, most, r->endpoint), where,
        100 * exposed_share_of_row(r, most), n_hidden, r->rows->len);
}

const PlotKind plot_iteration_time = {
    .name = "iteration-time",
    .summary = "compute and exposed communication, bar by bar",
    .columns = columns,
    .script = text_iteration_time_gp,
    .unfit_reason = iteration_time_unfit_reason,
    .draw = draw_iteration_time_plot,
    .caption = iteration_time_caption,
};
