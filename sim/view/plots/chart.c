/* chart.c - chooses and fills a chart; see chart.h */
#include "sim/view/plots/chart.h"

#include <math.h>
#include <string.h>

#include "sim/core/word_suggestions.h"

/* The least numbers of values of an axis of lines, and of those of a
 * heat map. */
#define MIN_LINE_VALUES 4
#define MIN_CELL_VALUES 3

/* The columns that add up to the iteration time, drawn as bars. */
static const char *const bar_columns[] = { "compute_time_us",
                                           "exposed_comm_us" };

void chart_free(Chart *chart)
{
    if (!chart)
        return;
    distinct_names_clear(&chart->panels);
    distinct_names_clear(&chart->rows);
    distinct_names_clear(&chart->series);
    g_ptr_array_unref(chart->panel_axes);
    g_ptr_array_unref(chart->row_axes);
    g_ptr_array_unref(chart->fixed_axes);
    g_array_unref(chart->roles);
    g_array_unref(chart->scale_of);
    g_array_unref(chart->points);
    g_ptr_array_unref(chart->axes);
    g_free(chart);
}

static gboolean chart_shows_speedup(const Chart *chart)
{
    return g_str_equal(chart->y, CHART_SPEEDUP);
}

const char *chart_default_y(const SweepResults *results)
{
    guint compute, bandwidth;
    double value;

    if (!csv_table_column(results->table, bar_columns[0], &compute, NULL) ||
        !csv_table_column(results->table, "net_bw_gb_per_s", &bandwidth, NULL))
        return "iteration_time_us";
    for (guint i = 0; i < results->rows->len; i++)
        if (!csv_table_number(results->table, results_row_at(results, i),
                              compute, &value, NULL) ||
            value > 0)
            return "iteration_time_us";
    return "net_bw_gb_per_s";
}

/* ---- axes by name -------------------------------------------------------- */

/* Returns whether @asked names the column @name: whole, without its unit, or by
 * the end of its key. */
static gboolean column_name_matches(const char *name, const char *asked)
{
    gsize n = chart_name_length_without_unit(name);
    g_autofree char *bare = g_strndup(name, n);
    g_autofree char *end = g_strconcat(".", asked, NULL);

    return g_str_equal(name, asked) || g_str_equal(bare, asked) ||
           g_str_has_suffix(name, end) || g_str_has_suffix(bare, end);
}

static gboolean axis_name_matches(const ChartAxis *axis, const char *asked)
{
    if (column_name_matches(axis->name, asked))
        return TRUE;
    for (guint i = 0; i < axis->together->len; i++)
        if (column_name_matches(g_ptr_array_index(axis->together, i), asked))
            return TRUE;
    return FALSE;
}

/* Sets CSV_ERROR for a name that is no axis. */
static void set_axis_error(const Chart *chart, const char *asked,
                           GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_autofree char *hint = NULL;
    guint column;

    if (csv_table_column(chart->results->table, asked, &column, NULL) &&
        !results_column_varies(chart->results, column)) {
        g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN, "%s: %s does not vary",
                    chart->results->path, asked);
        return;
    }
    for (guint i = 0; i < chart->axes->len; i++)
        g_ptr_array_add(
            names,
            (gpointer)((ChartAxis *)g_ptr_array_index(chart->axes, i))->name);
    g_ptr_array_add(names, NULL);
    hint = words_suggestion_hint(asked, (const char *const *)names->pdata,
                                 "its axes");
    g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN,
                "%s: '%s' is no axis of this sweep%s", chart->results->path,
                asked, names->len > 1 ? hint : ", in which nothing varies");
}

/* Sets *@ret to the axis that is @asked for, or to NULL if @asked is NULL. */
static gboolean find_requested_axis(const Chart *chart, const char *asked,
                                    const ChartAxis **ret, GError **error)
{
    *ret = NULL;
    for (guint i = 0; asked && i < chart->axes->len && !*ret; i++)
        if (axis_name_matches(g_ptr_array_index(chart->axes, i), asked))
            *ret = g_ptr_array_index(chart->axes, i);
    if (!asked || *ret)
        return TRUE;
    set_axis_error(chart, asked, error);
    return FALSE;
}

/* ---- the choice ---------------------------------------------------------- */

/* Returns the axis with the most values of those that are not @except, are
 * numeric or not as @numeric says, and have @min to @max values; NULL if there
 * is none. */
static const ChartAxis *axis_with_most_values(const Chart *chart,
                                              gboolean numeric, guint min,
                                              guint max,
                                              const ChartAxis *except)
{
    const ChartAxis *found = NULL;

    for (guint i = 0; i < chart->axes->len; i++) {
        const ChartAxis *axis = g_ptr_array_index(chart->axes, i);
        guint n = chart_axis_n_values(axis);

        if (axis != except && axis->is_numeric == numeric && n >= min &&
            n <= max && (!found || n > chart_axis_n_values(found)))
            found = axis;
    }
    return found;
}

static const ChartAxis *find_endpoint_axis(const Chart *chart)
{
    for (guint i = 0; i < chart->axes->len; i++) {
        const ChartAxis *axis = g_ptr_array_index(chart->axes, i);

        if (axis->column == chart->results->endpoint)
            return axis;
    }
    return NULL;
}

static const ChartAxis *find_workload_axis(const Chart *chart)
{
    for (guint i = 0; i < chart->axes->len; i++) {
        const ChartAxis *axis = g_ptr_array_index(chart->axes, i);

        if (axis->column == chart->results->workload)
            return axis;
    }
    return NULL;
}

static const ChartAxis *choose_line_axis(const Chart *chart)
{
    const ChartAxis *endpoint = find_endpoint_axis(chart);

    if (endpoint && endpoint != chart->x &&
        chart_axis_n_values(endpoint) <= CHART_MAX_LINES)
        return endpoint;
    endpoint =
        axis_with_most_values(chart, FALSE, 2, CHART_MAX_LINES, chart->x);
    return endpoint ? endpoint
                    : axis_with_most_values(chart, TRUE, 2, CHART_MAX_LINES,
                                            chart->x);
}

static void choose_heat_map_axes(Chart *chart)
{
    if (!chart->x)
        chart->x = axis_with_most_values(chart, TRUE, MIN_CELL_VALUES,
                                         G_MAXUINT, chart->series_axis);
    if (!chart->series_axis)
        chart->series_axis = axis_with_most_values(chart, TRUE, MIN_CELL_VALUES,
                                                   G_MAXUINT, chart->x);
    chart->form = CHART_CELLS;
}

/* Chooses form and axes; those that are asked for are set. */
static void choose_form_and_axes(Chart *chart)
{
    gboolean x_is_open = !chart->x;
    gboolean many = chart->series_axis && chart->series_axis->is_numeric &&
                    chart_axis_n_values(chart->series_axis) > CHART_MAX_LINES;

    if (chart->form == CHART_CELLS)
        choose_heat_map_axes(chart);
    if (chart->form != CHART_CHOSEN && chart->form != CHART_LINES)
        return;
    if (x_is_open)
        chart->x = axis_with_most_values(chart, TRUE, MIN_LINE_VALUES,
                                         G_MAXUINT, chart->series_axis);
    if (chart->form == CHART_LINES)
        return;
    if (many ||
        (x_is_open && !chart->series_axis &&
         axis_with_most_values(chart, TRUE, MIN_CELL_VALUES, G_MAXUINT, NULL) &&
         axis_with_most_values(chart, TRUE, MIN_CELL_VALUES, G_MAXUINT,
                               axis_with_most_values(chart, TRUE,
                                                     MIN_CELL_VALUES, G_MAXUINT,
                                                     NULL))))
        choose_heat_map_axes(chart);
    else
        chart->form =
            chart->x && chart->x->is_numeric &&
                    (chart_axis_n_values(chart->x) >= MIN_LINE_VALUES ||
                     chart->series_axis)
                ? CHART_LINES
                : CHART_DOTS;
}

/* The rows of dots: the axis that is asked for, else all but one for the
 * panels. */
static void choose_axes_of_rows(Chart *chart)
{
    const ChartAxis *panels = chart->panel_axes->len > 0
                                  ? g_ptr_array_index(chart->panel_axes, 0)
                                  : NULL;

    if (chart->x) {
        g_ptr_array_add(chart->row_axes, (gpointer)chart->x);
        return;
    }
    if (!panels && chart->axes->len > 1)
        panels = find_workload_axis(chart);
    if (!panels && chart->axes->len > 1)
        panels = axis_with_most_values(chart, FALSE, 2, CHART_MAX_PANELS,
                                       find_endpoint_axis(chart));
    if (panels && chart->panel_axes->len == 0)
        g_ptr_array_add(chart->panel_axes, (gpointer)panels);
    for (guint i = 0; i < chart->axes->len; i++) {
        gpointer axis = g_ptr_array_index(chart->axes, i);

        if (axis != panels)
            g_ptr_array_add(chart->row_axes, axis);
    }
}

/* ---- panels, and axes that stay at one value ----------------------------- */

static gboolean axis_is_in_use(const Chart *chart, const ChartAxis *axis)
{
    return axis == chart->x || axis == chart->series_axis ||
           (chart_shows_speedup(chart) &&
            axis->column == chart->results->endpoint) ||
           g_ptr_array_find(chart->panel_axes, axis, NULL) ||
           g_ptr_array_find(chart->row_axes, axis, NULL) ||
           g_ptr_array_find(chart->fixed_axes, axis, NULL);
}

/* Returns the value of y in successful row @i; NAN if the cell is empty. */
static double y_value_of_row(const Chart *chart, guint column, guint i)
{
    double value = NAN;

    results_parse_number(results_cell_text(chart->results,
                                           results_row_at(chart->results, i),
                                           column),
                         &value);
    return value;
}

/* Returns the mean of the logarithm of the largest over the smallest value
 * among rows that differ in @axis alone. */
static double effect_of_axis_on_time(const Chart *chart, guint column,
                                     const ChartAxis *axis)
{
    g_autoptr(GHashTable) ranges =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    GHashTableIter iter;
    gpointer range;
    double sum = 0;

    for (guint i = 0; i < chart->results->rows->len; i++) {
        g_autoptr(GString) key = g_string_new(NULL);
        double y = y_value_of_row(chart, column, i);
        double *known;

        if (!(y > 0))
            continue;
        for (guint k = 0; k < chart->axes->len; k++)
            if (g_ptr_array_index(chart->axes, k) != axis)
                g_string_append_printf(
                    key, "%u ",
                    chart_axis_value_index_of_row(
                        g_ptr_array_index(chart->axes, k), i));
        known = g_hash_table_lookup(ranges, key->str);
        if (!known) {
            known = g_new(double, 2);
            known[0] = known[1] = y;
            g_hash_table_insert(ranges, g_strdup(key->str), known);
        }
        known[0] = MIN(known[0], y);
        known[1] = MAX(known[1], y);
    }
    g_hash_table_iter_init(&iter, ranges);
    while (g_hash_table_iter_next(&iter, NULL, &range))
        sum += log(((double *)range)[1] / ((double *)range)[0]);
    return sum / MAX(g_hash_table_size(ranges), 1);
}

static guint n_panels_of_axes(const Chart *chart)
{
    guint64 n = 1;

    for (guint i = 0; i < chart->panel_axes->len && n <= CHART_MAX_PANELS; i++)
        n *= chart_axis_n_values(g_ptr_array_index(chart->panel_axes, i));
    return (guint)MIN(n, G_MAXUINT);
}

/* Makes panels of the remaining axes, as long as there are few enough; @n_asked
 * were asked for. */
static void choose_axes_of_panels(Chart *chart, guint n_asked)
{
    guint column = chart->results->n_npus;

    /* A column that is missing has no effect; filling the chart reports it. */
    if (!csv_table_column(chart->results->table,
                          chart_shows_speedup(chart) ? "iteration_time_us"
                                                     : chart->y,
                          &column, NULL))
        column = chart->results->n_npus;
    for (guint i = 0; i < chart->axes->len; i++)
        if (!axis_is_in_use(chart, g_ptr_array_index(chart->axes, i)))
            g_ptr_array_add(chart->panel_axes,
                            g_ptr_array_index(chart->axes, i));
    while (n_panels_of_axes(chart) > CHART_MAX_PANELS &&
           chart->panel_axes->len > n_asked) {
        guint least = n_asked;
        double effect = G_MAXDOUBLE;

        for (guint i = n_asked; i < chart->panel_axes->len; i++) {
            double other = effect_of_axis_on_time(
                chart, column, g_ptr_array_index(chart->panel_axes, i));

            least = other < effect ? i : least;
            effect = MIN(effect, other);
        }
        g_ptr_array_add(chart->fixed_axes,
                        g_ptr_array_index(chart->panel_axes, least));
        g_ptr_array_remove_index(chart->panel_axes, least);
    }
}

/* ---- filling the chart --------------------------------------------------- */

/* Returns the values of row @i on @axes, separated by commas.  The caller owns
 * the text. */
static char *axis_values_text_of_row(const GPtrArray *axes, guint i)
{
    GString *out = g_string_new(NULL);

    for (guint k = 0; k < axes->len; k++) {
        const ChartAxis *axis = g_ptr_array_index(axes, k);
        g_autofree char *value =
            chart_axis_value_text(axis, chart_axis_value_index_of_row(axis, i));

        g_string_append_printf(out, "%s%s", k > 0 ? ", " : "", value);
    }
    return g_string_free(out, FALSE);
}

static gboolean row_is_shown(const Chart *chart, guint i)
{
    for (guint k = 0; k < chart->fixed_axes->len; k++) {
        const ChartAxis *axis = g_ptr_array_index(chart->fixed_axes, k);

        if (chart_axis_value_index_of_row(axis, i) != axis->first)
            return FALSE;
    }
    return TRUE;
}

static gboolean name_list_contains(const GPtrArray *names, const char *name)
{
    for (guint i = 0; i < names->len; i++)
        if (g_str_equal(g_ptr_array_index(names, i), name))
            return TRUE;
    return FALSE;
}

static ChartRole role_of_endpoint(const Chart *chart, const char *name)
{
    const Comparison *comparison = chart->results->comparison;

    if (!comparison || !chart->series_axis ||
        chart->series_axis->column != chart->results->endpoint)
        return CHART_PLAIN;
    if (g_str_equal(name, COMPARE_IDEAL))
        return CHART_BOUND;
    if (name_list_contains(comparison->offloads, name))
        return CHART_OFFLOAD;
    if (name_list_contains(comparison->best, name))
        return CHART_BEST;
    return CHART_PUBLISHED;
}

static guint add_chart_series(Chart *chart, const char *name, ChartRole role)
{
    guint n = distinct_names_count(&chart->series);
    guint i = distinct_names_add(&chart->series, name);

    if (i == n)
        g_array_append_val(chart->roles, role);
    return i;
}

/* Adds a point for successful row @i. */
static void add_chart_point(Chart *chart, guint i, const char *series,
                            ChartRole role, double y)
{
    g_autofree char *panel = axis_values_text_of_row(chart->panel_axes, i);
    g_autofree char *row = axis_values_text_of_row(chart->row_axes, i);
    guint n = distinct_names_count(&chart->panels);
    ChartPoint point = { .panel = distinct_names_add(&chart->panels, panel),
                         .series = chart->form == CHART_CELLS
                                       ? chart_axis_value_index_of_row(
                                             chart->series_axis, i)
                                       : add_chart_series(chart, series, role),
                         .y = y };

    if (point.panel == n) {
        const ChartAxis *workload = find_workload_axis(chart);
        guint scale =
            workload && !chart->is_ratio && chart->form != CHART_CELLS &&
                    g_ptr_array_find(chart->panel_axes, workload, NULL)
                ? chart_axis_value_index_of_row(workload, i)
                : 0;

        g_array_append_val(chart->scale_of, scale);
        chart->n_scales = MAX(chart->n_scales, scale + 1);
    }
    point.x = chart->row_axes->len > 0 || !chart->x
                  ? distinct_names_add(&chart->rows, row)
                  : chart_axis_value_index_of_row(chart->x, i);
    point.x_at = chart->x && chart->x->is_numeric
                     ? chart_axis_number(chart->x, point.x)
                     : point.x;
    g_array_append_val(chart->points, point);
}

/* Returns the column @name if its cells are numbers or empty. */
static gboolean find_number_column(const Chart *chart, const char *name,
                                   guint *ret, GError **error)
{
    const SweepResults *results = chart->results;
    double value;

    if (!csv_table_column(results->table, name, ret, error))
        return FALSE;
    for (guint i = 0; i < results->rows->len; i++)
        if (*results_cell_text(results, results_row_at(results, i), *ret) !=
                '\0' &&
            !csv_table_number(results->table, results_row_at(results, i), *ret,
                              &value, error))
            return FALSE;
    return TRUE;
}

static gboolean fill_points_from_column(Chart *chart, const char *column,
                                        const char *series, GError **error)
{
    guint y;

    if (!find_number_column(chart, column, &y, error))
        return FALSE;
    for (guint i = 0; i < chart->results->rows->len; i++) {
        double value = y_value_of_row(chart, y, i);
        g_autofree char *name =
            series ? g_strdup(series)
            : chart->series_axis
                ? chart_axis_tick(
                      chart->series_axis,
                      chart_axis_value_index_of_row(chart->series_axis, i))
                : g_strdup("");

        if (isfinite(value) && row_is_shown(chart, i))
            add_chart_point(chart, i, name, role_of_endpoint(chart, name),
                            value);
    }
    return TRUE;
}

/* Sets index_of[row] to the position of each row of the table among the
 * successful ones.  The caller owns the array. */
static guint *positions_of_rows(const SweepResults *results)
{
    guint *index_of = g_new0(guint, csv_table_n_rows(results->table));

    for (guint i = 0; i < results->rows->len; i++)
        index_of[results_row_at(results, i)] = i;
    return index_of;
}

/* Returns how many offloads there are besides the ideal one, and sets *@name to
 * the last. */
static guint count_distinct_offloads(const Comparison *comparison,
                                     const char **name)
{
    guint n = 0;

    *name = NULL;
    for (guint i = 0; i < comparison->offloads->len; i++) {
        const char *offload = g_ptr_array_index(comparison->offloads, i);

        if (g_str_equal(offload, COMPARE_IDEAL))
            continue;
        *name = offload;
        n++;
    }
    return n;
}

/* Adds the speedups of a pair: over the best that could be built, and over the
 * published baselines. */
static void add_speedups_of_pair(Chart *chart, const ComparePair *pair, guint i,
                                 const char *offload)
{
    gboolean lines = chart->form == CHART_LINES;
    g_autofree char *best = g_strdup_printf("%sover the best%s", offload,
                                            lines ? "" : " without it");
    g_autofree char *published = g_strdup_printf(
        "%sover %s", offload, lines ? "published" : "the published baselines");
    double built = compare_built_speedup(pair);

    if (built > 0)
        add_chart_point(chart, i, best, CHART_OFFLOAD, built);
    if (chart->form == CHART_CELLS && chart->results->comparison->best->len > 0)
        return; /* a cell has one figure */
    if (built <= 0 || compare_has_published(chart->results->comparison))
        add_chart_point(chart, i, published, CHART_PUBLISHED,
                        compare_speedup(pair));
    if (built > 0 && pair->ideal_ps > 0 && chart->form == CHART_DOTS)
        add_chart_point(chart, i, "an ideal engine over the best", CHART_BOUND,
                        (double)pair->built_ps / (double)pair->ideal_ps);
}

static gboolean add_speedup_points(Chart *chart, GError **error)
{
    const Comparison *comparison = chart->results->comparison;
    g_autofree guint *index_of = NULL;
    const char *ignored;
    guint n_offloads;

    if (!comparison) {
        g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN, "%s: no speedup: %s",
                    chart->results->path, chart->results->no_comparison_reason);
        return FALSE;
    }
    n_offloads = count_distinct_offloads(comparison, &ignored);
    index_of = positions_of_rows(chart->results);
    for (guint i = 0; i < comparison->pairs->len; i++) {
        const ComparePair *pair = compare_pair(comparison, i);
        const char *name = compare_offload_name(comparison, pair);
        g_autofree char *prefix =
            n_offloads > 1 ? g_strdup_printf("%s, ", name) : g_strdup("");
        guint at = index_of[pair->row];

        if (row_is_shown(chart, at) &&
            (n_offloads == 0 || !g_str_equal(name, COMPARE_IDEAL))) {
            chart->error = MAX(chart->error, pair->built_error_percent / 100);
            add_speedups_of_pair(chart, pair, at, prefix);
        }
    }
    return TRUE;
}

/* ---- rows of dots -------------------------------------------------------- */

typedef struct {
    guint row;
    double sum; /* of the logarithms of its values */
    guint n;
} RowMean;

static gint compare_row_means(gconstpointer a, gconstpointer b)
{
    const RowMean *mean = a, *q = b;
    double x = mean->n > 0 ? mean->sum / mean->n : 0,
           y = q->n > 0 ? q->sum / q->n : 0;

    if (x != y)
        return x < y ? -1 : 1;
    return mean->row < q->row ? -1 : 1;
}

/* Numbers the rows by their values if they are those of a categorical axis, and
 * leaves out rows that are too many. */
static void assign_chart_row_numbers(Chart *chart)
{
    guint n = distinct_names_count(&chart->rows);
    g_autofree RowMean *means = g_new0(RowMean, n);
    g_autofree guint *rank = g_new(guint, n);
    DistinctNames sorted;
    gboolean sort = n > CHART_MAX_ROWS ||
                    (chart->x && !chart->x->is_numeric &&
                     !chart_shows_speedup(chart) && chart->form != CHART_BARS);

    if (n == 0)
        return;
    for (guint i = 0; i < n; i++)
        means[i].row = i;
    for (guint i = 0; i < chart->points->len; i++) {
        const ChartPoint *point = chart_point_at(chart, i);

        /* Rows are sorted by the mean of their first series. */
        if (point->y > 0 && point->series == 0) {
            means[point->x].sum += log(point->y);
            means[point->x].n++;
        }
    }
    if (sort)
        qsort(means, n, sizeof *means, compare_row_means);
    distinct_names_init(&sorted);
    for (guint i = 0; i < n; i++) {
        /* The best comes first. */
        guint at =
            sort && chart_better_direction(chart->y) == CHART_MORE_IS_BETTER
                ? n - 1 - i
                : i;

        rank[means[at].row] = i;
        if (i < CHART_MAX_ROWS)
            distinct_names_add(
                &sorted, distinct_names_text_at(&chart->rows, means[at].row));
    }
    for (guint i = chart->points->len; i-- > 0;) {
        ChartPoint *point = &g_array_index(chart->points, ChartPoint, i);

        point->x = rank[point->x];
        if (point->x >= CHART_MAX_ROWS)
            g_array_remove_index(chart->points, i);
    }
    chart->n_left_out = n > CHART_MAX_ROWS ? n - CHART_MAX_ROWS : 0;
    distinct_names_clear(&chart->rows);
    chart->rows = sorted;
}

/* ---- the whole chart ----------------------------------------------------- */

static gint compare_chart_points(gconstpointer a, gconstpointer b)
{
    const ChartPoint *point = a, *q = b;

    if (point->panel != q->panel)
        return point->panel < q->panel ? -1 : 1;
    if (point->series != q->series)
        return point->series < q->series ? -1 : 1;
    return point->x < q->x ? -1 : point->x > q->x;
}

static gboolean check_chart_size(const Chart *chart, GError **error)
{
    const char *what = NULL;
    guint n = 0, max = 0;

    if (chart->form == CHART_LINES &&
        distinct_names_count(&chart->series) > CHART_MAX_LINES) {
        what = "lines";
        n = distinct_names_count(&chart->series);
        max = CHART_MAX_LINES;
    } else if (chart->form == CHART_CELLS &&
               chart_axis_n_values(chart->x) *
                       chart_axis_n_values(chart->series_axis) >
                   CHART_MAX_CELLS) {
        what = "cells";
        n = chart_axis_n_values(chart->x) *
            chart_axis_n_values(chart->series_axis);
        max = CHART_MAX_CELLS;
    } else if (distinct_names_count(&chart->panels) > CHART_MAX_PANELS) {
        what = "panels";
        n = distinct_names_count(&chart->panels);
        max = CHART_MAX_PANELS;
    } else if (chart->points->len > CHART_MAX_POINTS) {
        what = "points";
        n = chart->points->len;
        max = CHART_MAX_POINTS;
    }
    if (!what && chart->points->len > 0)
        return TRUE;
    if (what)
        g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN,
                    "%s: %u %s are more than %u", chart->results->path, n, what,
                    max);
    else
        g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN, "%s: %s has no values",
                    chart->results->path, chart->y);
    return FALSE;
}

static void choose_time_unit(Chart *chart)
{
    double max = 0;
    guint column;

    for (guint i = 0; i < chart->points->len; i++)
        max = MAX(max, chart_point_at(chart, i)->y);
    /* Bars add up to the column. */
    if (chart->form == CHART_BARS &&
        csv_table_column(chart->results->table, chart->y, &column, NULL))
        for (guint i = 0; i < chart->results->rows->len; i++)
            max = fmax(max, y_value_of_row(chart, column, i));
    chart->unit = chart_shows_speedup(chart) ? (ChartUnit){ "", 1 }
                                             : chart_unit_for(chart->y, max);
}

static Chart *chart_alloc(const SweepResults *results,
                          const ChartRequest *request)
{
    Chart *chart = g_new0(Chart, 1);

    chart->results = results;
    chart->axes = chart_list_axes(results);
    chart->form = request->form;
    chart->y = request->y ? request->y : chart_default_y(results);
    chart->panel_axes = g_ptr_array_new();
    chart->row_axes = g_ptr_array_new();
    chart->fixed_axes = g_ptr_array_new();
    distinct_names_init(&chart->panels);
    distinct_names_init(&chart->rows);
    distinct_names_init(&chart->series);
    chart->roles = g_array_new(FALSE, FALSE, sizeof(ChartRole));
    chart->scale_of = g_array_new(FALSE, FALSE, sizeof(guint));
    chart->points = g_array_new(FALSE, FALSE, sizeof(ChartPoint));
    chart->is_ratio = chart_shows_speedup(chart);
    return chart;
}

/* Returns whether each endpoint takes its fastest value on @axis. */
static gboolean axis_shows_only_fastest_value(const Chart *chart,
                                              const ChartAxis *axis)
{
    const Comparison *comparison = chart->results->comparison;

    for (guint i = 0; comparison && i < comparison->chosen->len; i++)
        if (g_array_index(comparison->chosen, guint, i) == axis->column)
            return TRUE;
    return FALSE;
}

/* The endpoints are compared, so they are no axis of a speedup, and neither is
 * what each of them chooses. */
static void drop_endpoint_axis(Chart *chart)
{
    const ChartAxis *endpoint = find_endpoint_axis(chart);

    if (chart_shows_speedup(chart) && endpoint)
        g_ptr_array_remove(chart->axes, (gpointer)endpoint);
    for (guint i = chart->axes->len; i-- > 0;)
        if (chart_shows_speedup(chart) &&
            axis_shows_only_fastest_value(chart,
                                          g_ptr_array_index(chart->axes, i)))
            g_ptr_array_remove_index(chart->axes, i);
}

static gboolean find_requested_axes(Chart *chart, const ChartRequest *request,
                                    GError **error)
{
    const ChartAxis *panels = NULL;

    if (!find_requested_axis(chart, request->x, &chart->x, error) ||
        !find_requested_axis(chart, request->series, &chart->series_axis,
                             error) ||
        !find_requested_axis(chart, request->panels, &panels, error))
        return FALSE;
    if (panels)
        g_ptr_array_add(chart->panel_axes, (gpointer)panels);
    if ((chart->x && chart->x == chart->series_axis) ||
        (panels && panels == chart->x) ||
        (panels && panels == chart->series_axis)) {
        g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN,
                    "%s: one axis is asked for twice", chart->results->path);
        return FALSE;
    }
    return TRUE;
}

/* Checks that the axes suit the form. */
static gboolean check_axes_suit_form(const Chart *chart, GError **error)
{
    const char *reason = NULL;

    if (chart->form == CHART_CELLS &&
        !(chart->x && chart->series_axis && chart->x->is_numeric &&
          chart->series_axis->is_numeric))
        reason = "a heat map needs two numeric axes";
    else if (chart->form == CHART_LINES && !chart->x)
        reason = "lines need a numeric axis of four values";
    else if (chart->form == CHART_LINES && !chart->x->is_numeric)
        reason = "the x axis is not numeric";
    if (!reason)
        return TRUE;
    g_set_error(error, CSV_ERROR, CSV_ERROR_COLUMN, "%s: %s",
                chart->results->path, reason);
    return FALSE;
}

static gboolean add_all_chart_points(Chart *chart, GError **error)
{
    if (chart_shows_speedup(chart))
        return add_speedup_points(chart, error);
    if (chart->form != CHART_BARS)
        return fill_points_from_column(chart, chart->y, NULL, error);
    return fill_points_from_column(chart, bar_columns[0], "compute", error) &&
           fill_points_from_column(chart, bar_columns[1],
                                   "exposed communication", error);
}

Chart *chart_new(const SweepResults *results, const ChartRequest *request,
                 GError **error)
{
    g_autoptr(Chart) c = chart_alloc(results, request);
    guint n_asked;

    drop_endpoint_axis(c);
    if (!find_requested_axes(c, request, error))
        return NULL;
    n_asked = c->panel_axes->len;
    choose_form_and_axes(c);
    if (!check_axes_suit_form(c, error))
        return NULL;
    if (c->form == CHART_LINES && !c->series_axis && !chart_shows_speedup(c))
        c->series_axis = choose_line_axis(c);
    if (c->form == CHART_DOTS || c->form == CHART_BARS)
        choose_axes_of_rows(c);
    choose_axes_of_panels(c, n_asked);
    c->x_is_log = c->form == CHART_LINES && chart_axis_is_log(c->x);
    if (!add_all_chart_points(c, error))
        return NULL;
    assign_chart_row_numbers(c);
    g_array_sort(c->points, compare_chart_points);
    choose_time_unit(c);
    return check_chart_size(c, error) ? g_steal_pointer(&c) : NULL;
}

/* ---- texts --------------------------------------------------------------- */

/* Appends the name of an axis without its unit. */
static void append_axis_name(GString *out, const Chart *chart,
                             const char *before, const ChartAxis *axis)
{
    g_string_append(out, before);
    g_string_append(out, results_axis_name(chart->results, axis->column));
}

char *chart_file_name(const Chart *chart)
{
    GString *out = g_string_new(chart->y);

    if (chart->x)
        append_axis_name(out, chart, "-by-", chart->x);
    else if (!chart_shows_speedup(chart))
        g_string_append(out, "-by-point");
    if (chart->series_axis &&
        chart->series_axis->column != chart->results->endpoint)
        append_axis_name(out, chart,
                         chart->form == CHART_CELLS ? "-and-" : "-each-",
                         chart->series_axis);
    for (guint i = 0; i < out->len; i++)
        if (!g_ascii_isalnum(out->str[i]) && !strchr("._-", out->str[i]))
            out->str[i] = '_';
    return g_string_free(out, FALSE);
}

static char *capitalised_copy(const char *text)
{
    char *out = g_strdup(text);

    *out = g_ascii_toupper(*out);
    return out;
}

static char *chart_quantity_title(const Chart *chart)
{
    const char *offload;

    if (!chart_shows_speedup(chart))
        return chart_column_label(chart->y);
    if (count_distinct_offloads(chart->results->comparison, &offload) == 1)
        return g_strdup_printf("speedup of an iteration with %s", offload);
    return g_strdup("speedup of an iteration");
}

char *chart_title(const Chart *chart)
{
    g_autofree char *of = chart_quantity_title(chart);
    g_autofree char *y = capitalised_copy(of);
    g_autofree char *x = chart->x ? chart_column_label(chart->x->name) : NULL;
    g_autofree char *by = chart->form == CHART_CELLS
                              ? chart_column_label(chart->series_axis->name)
                              : NULL;

    return g_strconcat(y, x ? " by " : "", x ? x : "", by ? " and " : NULL, by,
                       NULL);
}

char *chart_subtitle(const Chart *chart)
{
    ChartBetter better = chart_better_direction(chart->y);
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < chart->fixed_axes->len; i++) {
        const ChartAxis *axis = g_ptr_array_index(chart->fixed_axes, i);
        g_autofree char *value = chart_axis_value_text(axis, axis->first);

        g_string_append_printf(out, "%s%s", i > 0 ? ", " : "at ", value);
    }
    if (chart->n_left_out > 0)
        g_string_append_printf(
            out, "%s%u of %u rows, the %s", out->len > 0 ? "; " : "",
            CHART_MAX_ROWS, CHART_MAX_ROWS + chart->n_left_out,
            better == CHART_NONE_IS_BETTER ? "least" : "best");
    if (chart->form == CHART_LINES && chart->series_axis &&
        chart->series_axis->column != chart->results->endpoint) {
        g_autofree char *by = chart_axis_title(chart->series_axis);

        g_string_append_printf(out, "%sa line for each %s",
                               out->len > 0 ? "; " : "", by);
    }
    if (chart->error > 0 && chart->form != CHART_CELLS)
        g_string_append_printf(out,
                               "%sgrey: within the error to expect, %.3g %%",
                               out->len > 0 ? "; " : "", 100 * chart->error);
    if (chart->form == CHART_CELLS && !chart->is_ratio &&
        better != CHART_NONE_IS_BETTER)
        g_string_append_printf(out, "%sframed: within 1 %% of the best",
                               out->len > 0 ? "; " : "");
    if (chart->form == CHART_CELLS && chart->is_ratio)
        g_string_append_printf(out, "%sgrey: slower; framed: faster",
                               out->len > 0 ? "; " : "");
    if (chart->form == CHART_CELLS && chart->is_ratio && chart->error > 0)
        g_string_append_printf(out,
                               " by more than the error to expect, %.3g %%",
                               100 * chart->error);
    return g_string_free(out, out->len == 0);
}

char *chart_y_title(const Chart *chart)
{
    g_autofree char *label = chart_column_label(chart->y);

    if (chart_shows_speedup(chart))
        return g_strdup("times as fast");
    return g_strconcat(label, *chart->unit.name != '\0' ? ", " : "",
                       chart->unit.name, NULL);
}
