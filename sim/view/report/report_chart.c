/* report_chart.c - the chart of a report: HTML tables whose marks CSS places */
#include "sim/view/report/report_impl.h"

#include <math.h>

#include "sim/view/report/attribution_bar.h"
#include "sim/view/report/html_escape.h"
#include "sim/view/text/time_text.h"

#define PS_PER_US 1e6
#define MAX_TICKS 6

/* ---- bars of parts ------------------------------------------------------- */

void report_write_bar(GString *out, const ReportPage *page, guint row,
                      double share)
{
    attribution_write_bar(out, page->used_groups, page->why->parts->pdata[row],
                          share);
}

void report_write_bar_legend(GString *out, const ReportPage *page)
{
    attribution_write_legend(out, page->used_groups);
}

/* ---- speed-ups as dots --------------------------------------------------- */

typedef struct {
    const ReportPage *page;
    double from, to; /* the range of the axis */
    double step;     /* between ticks */
} DotChart;

static double speedup_over_base(const ReportPage *page,
                                const ReportGroup *group, guint base, guint row)
{
    double us = row == G_MAXUINT ? 0 : report_iteration_us(page, row);

    (void)group;
    return base != G_MAXUINT && us > 0 ? report_iteration_us(page, base) / us
                                       : 0;
}

/* The three figures of a row; 0: there is none. */
static double speedup_over_best_baseline(const ReportPage *page,
                                         const ReportGroup *group)
{
    return speedup_over_base(page, group, group->best, group->offload);
}

static double speedup_over_published_baselines(const ReportPage *page,
                                               const ReportGroup *group)
{
    return speedup_over_base(page, group, group->published, group->offload);
}

static double speedup_of_ideal_endpoint(const ReportPage *page,
                                        const ReportGroup *group)
{
    return speedup_over_base(
        page, group, group->best != G_MAXUINT ? group->best : group->published,
        group->ideal_row);
}

/* Returns the figure that the large dot shows. */
static double speedup_of_large_dot(const ReportPage *page,
                                   const ReportGroup *group)
{
    return page->has_tuned_baseline
               ? speedup_over_best_baseline(page, group)
               : speedup_over_published_baselines(page, group);
}

static void widen_chart_range(DotChart *chart, double value)
{
    if (value <= 0)
        return;
    chart->from = MIN(chart->from, value);
    chart->to = MAX(chart->to, value);
}

/* Chooses a range with some room, and a step of 1, 2 or 5 times a power of
 * ten. */
static DotChart make_dot_chart(const ReportPage *page, const GArray *shown)
{
    DotChart chart = { .page = page,
                       .from = report_loss_limit(page->error_ratio),
                       .to = 1 + page->error_ratio };
    double room;

    for (guint i = 0; i < shown->len; i++) {
        const ReportGroup *group =
            report_group(page, g_array_index(shown, guint, i));

        widen_chart_range(&chart, speedup_over_best_baseline(page, group));
        widen_chart_range(&chart,
                          speedup_over_published_baselines(page, group));
        widen_chart_range(&chart, speedup_of_ideal_endpoint(page, group));
    }
    room = 0.05 * (chart.to - chart.from);
    chart.from = MAX(0, chart.from - room);
    chart.to += room;
    chart.step = pow(10, floor(log10((chart.to - chart.from) / MAX_TICKS)));
    while ((chart.to - chart.from) / chart.step > MAX_TICKS)
        chart.step *=
            (chart.to - chart.from) / chart.step > 2.5 * MAX_TICKS ? 5 : 2;
    return chart;
}

static double x_position_of_value(const DotChart *chart, double value)
{
    return 100 * (value - chart->from) / (chart->to - chart->from);
}

static void write_track_marks(GString *out, const DotChart *chart,
                              const ReportGroup *group)
{
    g_string_append_printf(
        out, "<i class=\"band\" style=\"--x:%.2f;--w:%.2f\"></i>",
        x_position_of_value(chart, report_loss_limit(group->error_ratio)),
        x_position_of_value(chart, 1 + group->error_ratio) -
            x_position_of_value(chart, report_loss_limit(group->error_ratio)));
    for (double v = ceil(chart->from / chart->step) * chart->step;
         v <= chart->to; v += chart->step)
        g_string_append_printf(
            out, "<i class=\"line%s\" style=\"--x:%.2f\"></i>",
            fabs(v - 1) < 1e-9 ? " one" : "", x_position_of_value(chart, v));
}

static void write_chart_ticks(GString *out, const DotChart *chart)
{
    guint n = 0, digits = chart->step < 0.0999 ? 2 : 1;

    g_string_append(out, "<tr class=\"ticks\"><th scope=\"col\"><span "
                         "class=\"hidden\">point</span></th>");
    g_string_append(out, "<th scope=\"col\" class=\"track\">"
                         "<span class=\"hidden\">speed-up</span>");
    for (double v = ceil(chart->from / chart->step) * chart->step;
         v <= chart->to; v += chart->step, n++)
        g_string_append_printf(
            out,
            "<span class=\"tick%s\" style=\"--x:%.2f\" aria-hidden=\"true\">"
            "%.*f×</span>",
            n % 2 == 1 ? " odd" : "", x_position_of_value(chart, v),
            (int)digits, v);
    g_string_append(out, "</th>");
    g_string_append(out, chart->page->has_tuned_baseline
                             ? "<th scope=\"col\" class=\"n\">over best</th>"
                               "<th scope=\"col\" class=\"n side\">over "
                               "baselines</th><th scope=\"col\" "
                               "class=\"side\">the best is</th>"
                             : "<th scope=\"col\" class=\"n\">over "
                               "baselines</th><th scope=\"col\" "
                               "class=\"side\">fastest baseline</th>");
    g_string_append(out, "</tr>\n");
}

static const char *css_class_of_dot(const ReportGroup *group, double value)
{
    return value > 1 + group->error_ratio                  ? " gain"
           : value < report_loss_limit(group->error_ratio) ? " loss"
                                                           : "";
}

/* Writes the marks of a row: the range between the figures, the ideal, the
 * figure over the baselines, and the figure to be quoted on top. */
static void write_marks_of_chart_row(GString *out, const DotChart *chart,
                                     const ReportGroup *group)
{
    const ReportPage *page = chart->page;
    double quoted = speedup_of_large_dot(page, group);
    double over_baselines = speedup_over_published_baselines(page, group);
    double ideal = speedup_of_ideal_endpoint(page, group);

    if (page->has_tuned_baseline && quoted > 0)
        g_string_append_printf(
            out, "<i class=\"span\" style=\"--x:%.2f;--w:%.2f\"></i>",
            x_position_of_value(chart, MIN(quoted, over_baselines)),
            fabs(x_position_of_value(chart, quoted) -
                 x_position_of_value(chart, over_baselines)));
    if (ideal > 0)
        g_string_append_printf(out,
                               "<i class=\"ideal\" style=\"--x:%.2f\"></i>",
                               x_position_of_value(chart, ideal));
    if (page->has_tuned_baseline)
        g_string_append_printf(out,
                               "<i class=\"small\" style=\"--x:%.2f\"></i>",
                               x_position_of_value(chart, over_baselines));
    if (quoted > 0)
        g_string_append_printf(out,
                               "<i class=\"dot%s%s\" style=\"--x:%.2f\"></i>",
                               page->has_tuned_baseline ? "" : " hollow",
                               css_class_of_dot(group, quoted),
                               x_position_of_value(chart, quoted));
}

/* Returns "tuned (3 SMs, 240 GB/s)" of a pair whose offload is in @row. */
static char *best_endpoint_text(const ReportPage *page,
                                const ReportGroup *group)
{
    const Comparison *comparison = page->r->comparison;

    for (guint i = 0; i < comparison->pairs->len; i++)
        if (compare_pair(comparison, i)->row == group->offload)
            return compare_built_text(comparison, compare_pair(comparison, i));
    return g_strdup("-");
}

/* Writes the name of a row: a button with scripts. */
static void write_row_name(GString *out, guint row, const char *name)
{
    g_string_append_printf(
        out, "<th scope=\"row\" class=\"name\" data-p=\"%u\">", row);
    html_append_format(out, "%s</th>", name);
}

static void write_dot_row(GString *out, const DotChart *chart,
                          const ReportGroup *group, const char *name)
{
    const ReportPage *page = chart->page;
    double quoted = speedup_of_large_dot(page, group);
    g_autofree char *best = best_endpoint_text(page, group);

    g_string_append(out, "<tr>");
    write_row_name(out, group->offload, name);
    g_string_append(out, "<td class=\"track\">");
    write_track_marks(out, chart, group);
    write_marks_of_chart_row(out, chart, group);
    g_string_append_printf(out, "</td><td class=\"n big%s\">",
                           css_class_of_dot(group, quoted));
    if (quoted > 0)
        g_string_append_printf(out, "%.2f×", quoted);
    else
        g_string_append(out, "–");
    if (page->has_tuned_baseline)
        g_string_append_printf(
            out,
            "<span class=\"under\">baselines %.2f×</span></td>"
            "<td class=\"n side\">%.2f×</td>",
            speedup_over_published_baselines(page, group),
            speedup_over_published_baselines(page, group));
    else
        g_string_append(out, "</td>");
    html_append_format(
        out, "<td class=\"side\">%s</td></tr>\n",
        page->has_tuned_baseline
            ? best
            : results_cell_text(page->r, group->published, page->r->endpoint));
}

static gint compare_groups_by_speedup(gconstpointer a, gconstpointer b,
                                      gpointer data)
{
    const ReportPage *page = data;
    guint x = *(const guint *)a, y = *(const guint *)b;
    double p = speedup_of_large_dot(page, report_group(page, x));
    double q = speedup_of_large_dot(page, report_group(page, y));

    if (p != q)
        return p > q ? -1 : 1;
    return x < y ? -1 : x > y;
}

static gint compare_doubles_ascending(gconstpointer a, gconstpointer b)
{
    guint x = *(const guint *)a, y = *(const guint *)b;

    return x < y ? -1 : x > y;
}

/* Returns the groups that the chart shows, in the order of rows. */
static GArray *choose_chart_groups(const ReportPage *page)
{
    GArray *shown = g_array_new(FALSE, FALSE, sizeof(guint));

    for (guint i = 0; i < page->groups->len; i++)
        g_array_append_val(shown, i);
    if (shown->len <= REPORT_MAX_CHART_ROWS)
        return shown;
    g_array_sort_with_data(shown, compare_groups_by_speedup, (gpointer)page);
    g_array_set_size(shown, REPORT_MAX_CHART_ROWS);
    g_array_sort(shown, compare_doubles_ascending);
    return shown;
}

/* Returns the name of a row within its heading, the workload. */
static char *name_within_workload(const ReportPage *page, guint row)
{
    const SweepResults *results = page->r;
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < page->columns->len; i++) {
        const ReportColumn *column = report_column(page, i);

        if (!column->is_axis || !column->is_shown ||
            column->column == results->endpoint ||
            column->column == results->workload)
            continue;
        g_string_append_printf(
            out, "%s%s", out->len > 0 ? ", " : "",
            results_cell_label(results, row, column->column));
    }
    if (out->len == 0)
        g_string_append(out,
                        results_cell_text(results, row, results->workload));
    return g_string_free(out, FALSE);
}

static gboolean has_various_errors(const ReportPage *page)
{
    for (guint i = 0; i < page->groups->len; i++)
        if (report_group(page, i)->error_ratio < page->error_ratio)
            return TRUE;
    return FALSE;
}

static void write_dot_legend(GString *out, const ReportPage *page)
{
    g_string_append(out, "<ul class=\"key\">\n");
    g_string_append(
        out,
        page->has_tuned_baseline
            ? "<li><span class=\"mark\"><i class=\"dot\"></i></span>over the "
              "best that could be built without it: the figure to quote</li>\n"
              "<li><span class=\"mark\"><i class=\"small\"></i></span>over the "
              "fastest baseline</li>\n"
            : "<li><span class=\"mark\"><i class=\"dot hollow\"></i></span>"
              "over the fastest baseline</li>\n");
    g_string_append_printf(
        out,
        "<li><span class=\"mark\"><i class=\"ideal\"></i></span>what an ideal "
        "engine would gain</li>\n<li><span class=\"mark band\"></span>expected "
        "error, %.0f %%%s</li>\n</ul>\n",
        100 * page->error_ratio, has_various_errors(page) ? " at most" : "");
}

static void write_dot_chart(GString *out, const ReportPage *page)
{
    g_autoptr(GArray) shown = choose_chart_groups(page);
    DotChart chart = make_dot_chart(page, shown);
    const char *heading = NULL;

    html_append_format(
        out, "<section>\n<h2>Speed-up of %s</h2>\n",
        (const char *)g_ptr_array_index(page->r->comparison->offloads, 0));
    if (shown->len < page->groups->len)
        g_string_append_printf(out,
                               "<p class=\"cap\">The %u largest of %u gains; "
                               "compare.csv has all.</p>\n",
                               shown->len, page->groups->len);
    write_dot_legend(out, page);
    g_string_append(out, "<table class=\"chart\">\n<caption class=\"hidden\">"
                         "Speed-up of each comparison</caption>\n<thead>\n");
    write_chart_ticks(out, &chart);
    g_string_append(out, "</thead>\n<tbody>\n");
    for (guint i = 0; i < shown->len; i++) {
        const ReportGroup *group =
            report_group(page, g_array_index(shown, guint, i));
        const char *workload =
            results_cell_text(page->r, group->offload, page->r->workload);
        g_autofree char *name = name_within_workload(page, group->offload);

        if (g_strcmp0(heading, workload) != 0 && !g_str_equal(name, workload))
            html_append_format(out,
                               "<tr class=\"heading\"><th colspan=\"5\" "
                               "scope=\"rowgroup\">%s</th></tr>\n",
                               workload);
        heading = workload;
        write_dot_row(out, &chart, group, name);
    }
    g_string_append(out, "</tbody>\n</table>\n</section>\n");
}

/* ---- iteration times as bars --------------------------------------------- */

static gint compare_rows_by_time(gconstpointer a, gconstpointer b,
                                 gpointer data)
{
    guint x = *(const guint *)a, y = *(const guint *)b;
    double p = report_iteration_us(data, x), q = report_iteration_us(data, y);

    if (p != q)
        return p < q ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Returns the fastest successful rows in the order of time. */
static GArray *choose_chart_rows(const ReportPage *page)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(guint));

    g_array_append_vals(rows, page->r->rows->data, page->r->rows->len);
    g_array_sort_with_data(rows, compare_rows_by_time, (gpointer)page);
    if (rows->len > REPORT_MAX_CHART_ROWS)
        g_array_set_size(rows, REPORT_MAX_CHART_ROWS);
    return rows;
}

static void write_time_chart(GString *out, const ReportPage *page)
{
    g_autoptr(GArray) rows = choose_chart_rows(page);
    double max_us =
        report_iteration_us(page, g_array_index(rows, guint, rows->len - 1));
    gboolean has_mfu = report_has_numbers(page->r, "mfu");

    g_string_append(out, "<section>\n<h2>Iteration time</h2>\n");
    if (rows->len < page->r->rows->len)
        g_string_append_printf(out,
                               "<p class=\"cap\">The %u fastest of %u points."
                               "</p>\n",
                               rows->len, page->r->rows->len);
    report_write_bar_legend(out, page);
    g_string_append_printf(
        out,
        "<table class=\"chart times\">\n<caption class=\"hidden\">Iteration "
        "times and their parts</caption>\n<thead>\n<tr><th scope=\"col\">"
        "point</th><th scope=\"col\">where the time goes</th><th scope=\"col\" "
        "class=\"n\">time</th>%s</tr>\n</thead>\n<tbody>\n",
        has_mfu ? "<th scope=\"col\" class=\"n\">MFU</th>" : "");
    for (guint i = 0; i < rows->len; i++) {
        guint row = g_array_index(rows, guint, i);
        g_autofree char *name = report_point_name(page, row, TRUE);
        double us = report_iteration_us(page, row), mfu;
        g_autofree char *time = time_text((SimTime)(us * PS_PER_US + 0.5));

        g_string_append(out, "<tr>");
        write_row_name(out, row, name);
        g_string_append(out, "<td class=\"where\">");
        report_write_bar(out, page, row, max_us > 0 ? us / max_us : 0);
        html_append_format(out, "</td><td class=\"n big\">%s</td>", time);
        if (report_row_number(page->r, row, "mfu", &mfu))
            g_string_append_printf(out, "<td class=\"n\">%.1f %%</td>",
                                   100 * mfu);
        else if (has_mfu)
            g_string_append(out, "<td class=\"n\">–</td>");
        g_string_append(out, "</tr>\n");
    }
    g_string_append(out, "</tbody>\n</table>\n</section>\n");
}

void report_write_chart(GString *out, const ReportPage *page)
{
    if (page->groups->len > 0)
        write_dot_chart(out, page);
    else if (page->r->rows->len > 0)
        write_time_chart(out, page);
}
