/* report_point_table.c - the table of all points, and the commands that run
 * them */
#include "sim/view/report/report_impl.h"

#include "sim/sweep/point_command.h"
#include "sim/view/report/html_escape.h"

static void write_point_table_head(GString *out, const ReportPage *page)
{
    g_string_append(out, "<thead>\n<tr>");
    for (guint i = 0; i < page->columns->len; i++) {
        const ReportColumn *column = report_column(page, i);

        if (!column->is_shown)
            continue;
        g_string_append_printf(
            out, "<th scope=\"col\" class=\"%s%s%s%s\" ",
            column->is_number ? "n" : "", column->is_optional ? " opt" : "",
            column->is_axis ? " axis" : "",
            g_str_equal(column->name, "status") ? " reason" : "");
        html_append_format(out, "data-c=\"%s\">%s", column->name,
                           column->label);
        if (column->unit)
            html_append_format(out, ", %s", column->unit);
        g_string_append(out, "</th>");
        if (g_str_equal(column->name, "iteration_time_us"))
            g_string_append(out, "<th scope=\"col\" class=\"where\">where it "
                                 "goes</th>");
    }
    g_string_append(out, "</tr>\n</thead>\n");
}

/* Returns the longest time of the points that share a scale with @row. */
static double longest_time_us(const ReportPage *page, guint row)
{
    guint group = page->group_of[row];
    double max_us = 0;

    if (group != G_MAXUINT) {
        const GArray *rows = report_group(page, group)->rows;

        for (guint i = 0; i < rows->len; i++)
            max_us =
                MAX(max_us,
                    report_iteration_us(page, g_array_index(rows, guint, i)));
        return max_us;
    }
    for (guint i = 0; i < page->r->rows->len; i++)
        max_us =
            MAX(max_us, report_iteration_us(page, results_row_at(page->r, i)));
    return max_us;
}

static void write_point_row(GString *out, const ReportPage *page, guint row,
                            double all_us)
{
    gboolean is_ok = report_row_is_ok(page, row);

    g_string_append(out, "<tr>");
    for (guint i = 0; i < page->columns->len; i++) {
        const ReportColumn *column = report_column(page, i);
        g_autofree char *text = NULL;

        if (!column->is_shown)
            continue;
        text = report_shown_text(page, column, row);
        g_string_append_printf(
            out, "<td class=\"%s%s%s\">", column->is_number ? "n" : "",
            column->is_optional ? " opt" : "", column->is_axis ? " axis" : "");
        html_append_text(out, text);
        g_string_append(out, "</td>");
        if (!g_str_equal(column->name, "iteration_time_us"))
            continue;
        g_string_append(out, "<td class=\"where\">");
        if (is_ok) {
            double max_us = page->group_of[row] != G_MAXUINT
                                ? longest_time_us(page, row)
                                : all_us;

            report_write_bar(
                out, page, row,
                max_us > 0 ? report_iteration_us(page, row) / max_us : 0);
        }
        g_string_append(out, "</td>");
    }
    g_string_append(out, "</tr>\n");
}

/* The controls do nothing without scripts, and are hidden then. */
static void write_filter_controls(GString *out)
{
    g_string_append(
        out,
        "<div class=\"tools\" id=\"tools\" hidden=\"hidden\">\n"
        "<label class=\"find\">Filter <input id=\"find\" type=\"search\" "
        "placeholder=\"ace n_npus&gt;=64\" /></label>\n"
        "<button type=\"button\" id=\"csv\" class=\"plain\">Download shown rows "
        "as CSV</button>\n</div>\n"
        "<p class=\"status\" id=\"count\" role=\"status\"></p>\n");
}

void report_write_points(GString *out, const ReportPage *page)
{
    guint n = MIN(page->rows->len, REPORT_MAX_STATIC_ROWS);
    double all_us = 0;

    for (guint i = 0; i < page->r->rows->len; i++)
        all_us =
            MAX(all_us, report_iteration_us(page, results_row_at(page->r, i)));
    g_string_append(out, "<section>\n<h2 id=\"points\">All points</h2>\n"
                         "<p class=\"cap\">One row for each run. ");
    g_string_append(out, page->groups->len > 0
                             ? "Bars of points that are compared share a "
                               "scale: the longest is the slowest.</p>\n"
                             : "The longest bar is the slowest point.</p>\n");
    report_write_bar_legend(out, page);
    write_filter_controls(out);
    g_string_append(out, "<table class=\"points\" id=\"table\">\n<caption "
                         "class=\"hidden\">All points</caption>\n");
    write_point_table_head(out, page);
    g_string_append(out, "<tbody>\n");
    for (guint i = 0; i < n; i++)
        write_point_row(out, page, g_array_index(page->rows, guint, i), all_us);
    g_string_append(out, "</tbody>\n</table>\n");
    if (n < page->rows->len)
        g_string_append_printf(
            out,
            "<p class=\"noscript\">The first %u of %u points; "
            "<a href=\"runs.csv\">runs.csv</a> has all.</p>\n",
            n, page->rows->len);
    g_string_append(out, "<button type=\"button\" id=\"more\" class=\"plain\" "
                         "hidden=\"hidden\">Show 500 more</button>\n"
                         "</section>\n");
}

/* ---- commands ------------------------------------------------------------ */

/* Writes the settings of each value of an axis. */
static void write_axis_commands(GString *out, const SweepPlan *plan, guint axis)
{
    html_append_format(out, "<tr><th scope=\"row\">%s</th><td>",
                       sweep_plan_axis_key(plan, axis));
    for (guint i = 0; i < sweep_plan_axis_n_values(plan, axis); i++) {
        g_autofree char *text = point_command_value_text(plan, axis, i);

        html_append_format(out,
                           i > 0 ? "<br /><code>%s</code>" : "<code>%s</code>",
                           *text != '\0' ? text + 1 : "as it is");
    }
    g_string_append(out, "</td></tr>\n");
}

void report_write_commands(GString *out, const ReportPage *page)
{
    const SweepPlan *plan = page->plan->plan;
    g_autofree char *base = plan ? point_command_base(plan) : NULL;

    g_string_append(out, "<details>\n<summary>Commands: how to run one point "
                         "again</summary>\n");
    if (!plan) {
        html_append_format(out, "<p>They are not known: %s.</p>\n</details>\n",
                           page->plan->reason);
        return;
    }
    if (!base) {
        html_append_format(out,
                           "<p>The base is a map in the sweep file, so that "
                           "the sweep runs its points: <code>acesim sweep "
                           "%s</code></p>\n</details>\n",
                           page->plan->sweep);
        return;
    }
    html_append_format(out, "<p>One of each line behind <code>acesim run %s",
                       base);
    for (guint i = 0; page->plan->sets[i]; i++)
        html_append_format(out, " --set %s", page->plan->sets[i]);
    g_string_append(out, "</code></p>\n<table class=\"sources\">\n<caption "
                         "class=\"hidden\">Settings of the axes</caption>\n"
                         "<tbody>\n");
    for (guint axis = 0; axis < sweep_plan_count_axes(plan); axis++)
        write_axis_commands(out, plan, axis);
    g_string_append(out, "</tbody>\n</table>\n</details>\n");
}
