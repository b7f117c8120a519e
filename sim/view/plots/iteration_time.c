/* iteration_time.c - bar plot of the parts of the iteration time */
#include "sim/view/plots/bars.h"

static const char *const columns[] = { "iteration_time_us", "compute_time_us",
                                       "exposed_comm_us", NULL };

static double number(const Results *r, guint row, const char *column)
{
    return results_number(r, row, column);
}

static void add_all(const Results *r, Bars *bars)
{
    bars_init(bars, r);
    for (guint i = 0; i < r->rows->len; i++)
        bars_add(bars, results_row(r, i), results_row(r, i));
}

static char *unfit_reason(const PlotKind *kind, const Results *r)
{
    g_auto(Bars) bars = { 0 };
    double compute_us = 0;

    (void)kind;
    for (guint i = 0; i < r->rows->len; i++)
        compute_us += number(r, results_row(r, i), "compute_time_us");
    if (compute_us <= 0)
        return g_strdup("nothing computes, so that all time is communication");
    add_all(r, &bars);
    return bars_excess(&bars);
}

static double panel_max_us(const Bars *bars, guint panel)
{
    double max_us = 0;

    for (guint i = 0; i < bars->bars->len; i++)
        if (bars_at(bars, i)->panel == panel)
            max_us = MAX(max_us, number(bars->results, bars_at(bars, i)->id,
                                        "iteration_time_us"));
    return max_us;
}

static void scale_panels(const Bars *bars, Canvas *canvas, double *unit_us)
{
    for (guint i = 0; i < names_n(&bars->panels); i++) {
        double max_us = panel_max_us(bars, i);
        g_autofree char *name = g_strdup_printf("x_max[%u]", i + 1);
        g_autofree char *title = NULL;
        const char *unit;

        unit_us[i] = plot_time_unit_us(max_us, &unit);
        title = g_strdup_printf("%s an iteration", unit);
        canvas_number(canvas, name, max_us > 0 ? max_us / unit_us[i] : 1);
        canvas_text(canvas, CANVAS_AXIS,
                    canvas_x_px(canvas, i) + canvas->panel_w_px / 2,
                    canvas_y_px(canvas, i) + canvas->panel_h_px + 30, title,
                    30);
    }
}

static void draw(const PlotKind *kind, const Results *r, Canvas *canvas)
{
    g_auto(Bars) bars = { 0 };
    g_autofree double *unit_us = NULL;

    (void)kind;
    add_all(r, &bars);
    canvas_title(canvas, "Time of an iteration",
                 "communication is exposed where compute stands still for "
                 "it");
    canvas_entry(canvas, CANVAS_BOX, "compute");
    canvas_entry(canvas, CANVAS_BOX, "exposed communication");
    canvas->gap_y_px = 50;
    bars_layout(&bars, canvas);
    unit_us = g_new0(double, names_n(&bars.panels));
    g_string_append_printf(canvas->numbers, "array x_max[%u]\n",
                           names_n(&bars.panels));
    scale_panels(&bars, canvas, unit_us);
    for (guint i = 0; i < bars.bars->len; i++) {
        const Bar *bar = bars_at(&bars, i);
        double per = 1 / unit_us[bar->panel];
        double all = number(r, bar->id, "iteration_time_us") * per;
        g_autofree char *text = plot_number(all);

        CANVAS_ADD(canvas, CANVAS_POINTS, text, bar->panel + 1,
                   bars_y(&bars, bar),
                   number(r, bar->id, "compute_time_us") * per, all);
    }
}

static double share(const Results *r, guint row)
{
    double all_us = number(r, row, "iteration_time_us");

    return all_us > 0 ? number(r, row, "exposed_comm_us") / all_us : 0;
}

static char *caption(const PlotKind *kind, const Results *r)
{
    g_autofree char *where = NULL;
    guint most = results_row(r, 0);
    guint n_hidden = 0;

    (void)kind;
    for (guint i = 0; i < r->rows->len; i++) {
        guint row = results_row(r, i);

        most = share(r, row) > share(r, most) ? row : most;
        n_hidden += share(r, row) < 0.01;
    }
    where = plot_where(r, most);
    return g_strdup_printf(
        "Communication is exposed most with %s (%s): %.0f %% of the iteration. "
        "Runs in which it is less than 1 %%: %u of %u.",
        results_text(r, most, r->endpoint), where, 100 * share(r, most),
        n_hidden, r->rows->len);
}

const PlotKind plot_iteration_time = {
    .name = "iteration-time",
    .summary = "compute and exposed communication, bar by bar",
    .columns = columns,
    .script = text_iteration_time_gp,
    .unfit_reason = unfit_reason,
    .draw = draw,
    .caption = caption,
};
