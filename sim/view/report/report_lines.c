/*
 * report_lines.c - the chart of a report along a swept quantity
 *
 * It is drawn if a swept key has four numbers or more and at most seven lines
 * result.  With a comparison, lines are speed-ups over the best that could be
 * built, else iteration times.  Strokes are an SVG that stretches with the
 * page; points, ticks and names are HTML over it, so that texts keep their
 * size.
 */
#include "sim/view/report/report_impl.h"

#include <math.h>
#include <string.h>

#include "sim/view/report/html_escape.h"

#define MIN_VALUES  4
#define MAX_LINES   7
#define MAX_POINTS  200 /* of all lines */
#define MAX_X_TICKS 8
#define MAX_Y_TICKS 6
/* An axis is logarithmic if its largest value is this many times the least. */
#define LOG_RATIO 8
/* The least distance of two names at the ends of lines, in per cent. */
#define NAME_DISTANCE 7.0

typedef struct {
    double x, y; /* values; y > 0 */
} LinePoint;

typedef struct {
    char *name;     /* owned */
    GArray *points; /* owned, of LinePoint, by ascending x */
    double name_at; /* height of the name at its end, in per cent */
} ChartLine;

typedef struct {
    const ReportPage *page;
    const ReportColumn *axis;
    GArray *lines; /* owned, of ChartLine */
    GArray *xs;    /* owned, of double: distinct values, ascending */
    gboolean is_speedup, is_log;
    double from, to; /* of the y axis */
    double scale;    /* a shown time is the time in us over this */
    const char *unit;
} LineChart;

static void clear_chart_line(gpointer data)
{
    ChartLine *line = data;

    g_free(line->name);
    g_array_unref(line->points);
}

static ChartLine *chart_line_at(const LineChart *chart, guint i)
{
    return &g_array_index(chart->lines, ChartLine, i);
}

/* ---- choosing the axis and the lines ------------------------------------- */

static gint compare_doubles(gconstpointer a, gconstpointer b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Returns the distinct numbers of @column in successful rows, ascending. */
static GArray *list_numbers_of_column(const ReportPage *page,
                                      const ReportColumn *column)
{
    GArray *values = g_array_new(FALSE, FALSE, sizeof(double));
    guint n = 0;

    for (guint i = 0; i < page->r->rows->len; i++) {
        double value;

        if (report_row_number(page->r, results_row_at(page->r, i), column->name,
                              &value))
            g_array_append_val(values, value);
    }
    g_array_sort(values, compare_doubles);
    for (guint i = 0; i < values->len; i++)
        if (n == 0 || g_array_index(values, double, i) !=
                          g_array_index(values, double, n - 1))
            g_array_index(values, double, n++) =
                g_array_index(values, double, i);
    g_array_set_size(values, n);
    return values;
}

/* Sets the axis: the swept key with most numbers. */
static gboolean choose_swept_axis(LineChart *chart)
{
    const ReportPage *page = chart->page;

    for (guint i = 0; i < page->columns->len; i++) {
        const ReportColumn *column = report_column(page, i);
        GArray *values;

        if (!column->is_axis || !column->is_shown || !column->is_number ||
            column->column >= page->r->workload)
            continue;
        values = list_numbers_of_column(page, column);
        if (values->len >= MIN_VALUES &&
            (!chart->xs || values->len > chart->xs->len)) {
            g_clear_pointer(&chart->xs, g_array_unref);
            chart->xs = g_steal_pointer(&values);
            chart->axis = column;
        }
        if (values)
            g_array_unref(values);
    }
    return chart->axis != NULL;
}

/* Returns the name of a row's line: its point without the axis. */
static char *name_of_line(const LineChart *chart, guint row)
{
    const ReportPage *page = chart->page;
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < page->columns->len; i++) {
        const ReportColumn *column = report_column(page, i);

        if (!column->is_axis || !column->is_shown || column == chart->axis ||
            (chart->is_speedup && column->column == page->r->endpoint))
            continue;
        g_string_append_printf(
            out, "%s%s", out->len > 0 ? ", " : "",
            results_cell_label(page->r, row, column->column));
    }
    return g_string_free(out, FALSE);
}

static ChartLine *find_or_add_line_of_row(LineChart *chart, guint row)
{
    g_autofree char *name = name_of_line(chart, row);
    ChartLine line = { 0 };

    for (guint i = 0; i < chart->lines->len; i++)
        if (g_str_equal(chart_line_at(chart, i)->name, name))
            return chart_line_at(chart, i);
    line.name = g_steal_pointer(&name);
    line.points = g_array_new(FALSE, FALSE, sizeof(LinePoint));
    g_array_append_val(chart->lines, line);
    return chart_line_at(chart, chart->lines->len - 1);
}

static void add_point_to_line(LineChart *chart, guint row, double y)
{
    LinePoint point = { .y = y };

    if (y > 0 &&
        report_row_number(chart->page->r, row, chart->axis->name, &point.x))
        g_array_append_val(find_or_add_line_of_row(chart, row)->points, point);
}

/* Adds a point for each comparison, or for each row.  Returns FALSE if there
 * are too many lines. */
static gboolean add_points_of_all_rows(LineChart *chart)
{
    const ReportPage *page = chart->page;

    chart->is_speedup = page->groups->len > 0;
    for (guint i = 0; i < page->groups->len; i++) {
        const ReportGroup *group = report_group(page, i);
        guint base = group->best != G_MAXUINT ? group->best : group->published;
        double us = report_iteration_us(page, group->offload);

        add_point_to_line(chart, group->offload,
                          us > 0 ? report_iteration_us(page, base) / us : 0);
        if (chart->lines->len > MAX_LINES)
            return FALSE;
    }
    for (guint i = 0; !chart->is_speedup && i < page->r->rows->len; i++) {
        guint row = results_row_at(page->r, i);

        add_point_to_line(chart, row, report_iteration_us(page, row));
        if (chart->lines->len > MAX_LINES)
            return FALSE;
    }
    return chart->lines->len > 0;
}

static gint compare_points_by_x(gconstpointer a, gconstpointer b)
{
    double x = ((const LinePoint *)a)->x, y = ((const LinePoint *)b)->x;

    return x < y ? -1 : x > y;
}

/* ---- the scales ---------------------------------------------------------- */

/* Sets the range of y, from 0 for times, and the unit of the times. */
static void set_chart_scales(LineChart *chart)
{
    double least = g_array_index(chart->xs, double, 0);
    double most = g_array_index(chart->xs, double, chart->xs->len - 1);
    double error = chart->page->error_ratio;

    chart->is_log = least > 0 && most >= LOG_RATIO * least;
    chart->from = chart->is_speedup ? report_loss_limit(error) : 0;
    chart->to = chart->is_speedup ? 1 + error : 0;
    for (guint i = 0; i < chart->lines->len; i++) {
        const GArray *points = chart_line_at(chart, i)->points;

        g_array_sort((GArray *)points, compare_points_by_x);
        for (guint k = 0; k < points->len; k++) {
            double y = g_array_index(points, LinePoint, k).y;

            chart->from = MIN(chart->from, y);
            chart->to = MAX(chart->to, y);
        }
    }
    chart->to += 0.05 * (chart->to - chart->from);
    chart->scale = chart->to >= 1e6 ? 1e6 : chart->to >= 1e3 ? 1e3 : 1;
    chart->unit = chart->to >= 1e6 ? "s" : chart->to >= 1e3 ? "ms" : "us";
}

static double x_position_of_number(const LineChart *chart, double x)
{
    double least = g_array_index(chart->xs, double, 0);
    double most = g_array_index(chart->xs, double, chart->xs->len - 1);

    return chart->is_log ? 100 * log(x / least) / log(most / least)
                         : 100 * (x - least) / (most - least);
}

static double y_percent_of_value(const LineChart *chart, double y)
{
    return 100 * (y - chart->from) / (chart->to - chart->from);
}

static double step_of_y_ticks(const LineChart *chart)
{
    double unit = chart->is_speedup ? 1 : chart->scale;
    double range = (chart->to - chart->from) / unit;
    double step = pow(10, floor(log10(range / MAX_Y_TICKS)));

    while (range / step > MAX_Y_TICKS)
        step *= range / step > 2.5 * MAX_Y_TICKS ? 5 : 2;
    return step * unit;
}

/* ---- writing the chart --------------------------------------------------- */

static void write_line_strokes(GString *out, const LineChart *chart)
{
    double step = step_of_y_ticks(chart);

    g_string_append(out, "<svg viewBox=\"0 0 100 100\" "
                         "preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    if (chart->is_speedup) {
        double e = chart->page->error_ratio;
        double top = y_percent_of_value(chart, 1 + e);
        double bottom = y_percent_of_value(chart, report_loss_limit(e));

        g_string_append_printf(out,
                               "<rect class=\"band\" x=\"0\" y=\"%.2f\" "
                               "width=\"100\" height=\"%.2f\"></rect>",
                               100 - top, top - bottom);
    }
    for (double y = ceil(chart->from / step) * step; y <= chart->to; y += step)
        g_string_append_printf(
            out, "<path class=\"grid%s\" d=\"M0 %.2fH100\"></path>",
            chart->is_speedup && fabs(y - 1) < 1e-9 ? " one" : "",
            100 - y_percent_of_value(chart, y));
    for (guint i = 0; i < chart->lines->len; i++) {
        const GArray *points = chart_line_at(chart, i)->points;

        g_string_append_printf(out, "<path class=\"l%u\" d=\"", i);
        for (guint k = 0; k < points->len; k++) {
            const LinePoint *point = &g_array_index(points, LinePoint, k);

            g_string_append_printf(out, "%c%.2f %.2f", k == 0 ? 'M' : 'L',
                                   x_position_of_number(chart, point->x),
                                   100 - y_percent_of_value(chart, point->y));
        }
        g_string_append(out, "\"></path>");
    }
    g_string_append(out, "</svg>\n");
}

static gint compare_lines_by_end(gconstpointer a, gconstpointer b)
{
    double x = (*(ChartLine *const *)a)->name_at,
           y = (*(ChartLine *const *)b)->name_at;

    return x < y ? -1 : x > y;
}

/* Places the names at the ends of lines, moved apart. */
static void place_line_names(const LineChart *chart)
{
    g_autoptr(GPtrArray) sorted = g_ptr_array_new();
    double lowest = -G_MAXDOUBLE;

    for (guint i = 0; i < chart->lines->len; i++) {
        ChartLine *line = chart_line_at(chart, i);

        line->name_at = y_percent_of_value(
            chart,
            g_array_index(line->points, LinePoint, line->points->len - 1).y);
        g_ptr_array_add(sorted, line);
    }
    g_ptr_array_sort(sorted, compare_lines_by_end);
    for (guint i = 0; i < sorted->len; i++) {
        ChartLine *line = g_ptr_array_index(sorted, i);

        line->name_at = MAX(line->name_at, lowest + NAME_DISTANCE);
        lowest = line->name_at;
    }
}

static void write_point_marks(GString *out, const LineChart *chart)
{
    guint n = 0;

    for (guint i = 0; i < chart->lines->len; i++)
        n += chart_line_at(chart, i)->points->len;
    for (guint i = 0; i < chart->lines->len; i++) {
        const ChartLine *line = chart_line_at(chart, i);

        for (guint k = 0; n <= MAX_POINTS && k < line->points->len; k++) {
            const LinePoint *point = &g_array_index(line->points, LinePoint, k);

            g_string_append_printf(
                out,
                "<i class=\"point l%u\" style=\"left:%.2f%%;bottom:%.2f%%\">"
                "</i>",
                i, x_position_of_number(chart, point->x),
                y_percent_of_value(chart, point->y));
        }
        if (chart->lines->len == 1)
            continue;
        g_string_append_printf(
            out, "<span class=\"end l%u\" style=\"bottom:%.2f%%\">", i,
            line->name_at);
        html_append_format(out, "%s</span>", line->name);
    }
}

static void write_axis_ticks(GString *out, const LineChart *chart)
{
    double step = step_of_y_ticks(chart), last = -G_MAXDOUBLE;
    double unit = chart->is_speedup ? 1 : chart->scale;
    int digits = step / unit < 0.0999 ? 2 : step / unit < 0.999 ? 1 : 0;

    for (double y = ceil(chart->from / step) * step; y <= chart->to; y += step)
        g_string_append_printf(
            out, "<span class=\"ytick\" style=\"bottom:%.2f%%\">%.*f%s</span>",
            y_percent_of_value(chart, y),
            chart->is_speedup ? MAX(digits, 1) : digits, y / unit,
            chart->is_speedup ? "×" : "");
    for (guint i = 0; i < chart->xs->len; i++) {
        double x = g_array_index(chart->xs, double, i);
        double at = x_position_of_number(chart, x);

        if (at - last < 100.0 / MAX_X_TICKS)
            continue;
        last = at;
        g_string_append_printf(
            out, "<span class=\"xtick\" style=\"left:%.2f%%\">%.6g</span>", at,
            x);
    }
}

/* Writes the names of lines for narrow screens, which have no room for them at
 * the ends. */
static void write_line_legend(GString *out, const LineChart *chart)
{
    g_string_append(out, "<ul class=\"key ends\">\n");
    for (guint i = 0; i < chart->lines->len; i++) {
        g_string_append_printf(out, "<li><span class=\"swatch l%u\"></span>",
                               i);
        html_append_format(out, "%s</li>\n", chart_line_at(chart, i)->name);
    }
    g_string_append(out, "</ul>\n");
}

static void write_line_chart(GString *out, const LineChart *chart)
{
    const ReportColumn *axis = chart->axis;
    const ColumnUnitScale *unit = column_unit_of_name(axis->name);
    g_autofree char *key = g_strndup(
        axis->name, strlen(axis->name) - (unit ? strlen(unit->suffix) : 0));

    g_string_append(out, "<section>\n<h2>");
    html_append_format(out, "%s by %s</h2>\n",
                       chart->is_speedup ? "Speed-up" : "Iteration time",
                       axis->label);
    g_string_append(out, "<p class=\"cap\">");
    if (chart->is_speedup)
        g_string_append(out, "Times as fast as the best without it. The band "
                             "is the expected error.");
    else
        html_append_format(out, "Iteration time, %s.", chart->unit);
    g_string_append(out, "</p>\n<figure class=\"lines\">\n<div class=\"plot\" "
                         "role=\"img\" aria-label=\"Lines; the table of all "
                         "points has the figures\">\n");
    write_line_strokes(out, chart);
    place_line_names(chart);
    write_point_marks(out, chart);
    write_axis_ticks(out, chart);
    html_append_format(out, "\n</div>\n<figcaption>%s", key);
    if (axis->unit)
        html_append_format(out, ", %s", axis->unit);
    g_string_append(out, "</figcaption>\n</figure>\n");
    if (chart->lines->len > 1)
        write_line_legend(out, chart);
    g_string_append(out, "</section>\n");
}

void report_write_lines(GString *out, const ReportPage *page)
{
    LineChart chart = { .page = page };

    chart.lines = g_array_new(FALSE, FALSE, sizeof(ChartLine));
    g_array_set_clear_func(chart.lines, clear_chart_line);
    if (choose_swept_axis(&chart) && add_points_of_all_rows(&chart)) {
        set_chart_scales(&chart);
        write_line_chart(out, &chart);
    }
    g_array_unref(chart.lines);
    g_clear_pointer(&chart.xs, g_array_unref);
}
