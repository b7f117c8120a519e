/* report_columns.c - the points of a report and their columns */
#include "sim/view/report/report_impl.h"

#include <math.h>
#include <string.h>

#include "sim/study/column_descriptions.h"

/* Columns of runs.csv that are on the page if they have numbers, and how. */
static const struct {
    const char *name;
    gboolean is_shown, is_optional, is_percent;
    double scale;
    guint digits;
    const char *unit; /* of the shown number, if it has another scale */
} metrics[] = {
    { "compute_time_us", FALSE, FALSE, FALSE, 1, 3, NULL },
    { "exposed_comm_us", FALSE, FALSE, FALSE, 1, 3, NULL },
    { "tokens_per_s_per_npu", TRUE, TRUE, FALSE, 1, 0, NULL },
    { "mfu", TRUE, FALSE, TRUE, 1, 1, NULL },
    { "memory_bytes", TRUE, TRUE, FALSE, 1073741824.0, 1, "GiB" },
    { "net_bw_gb_per_s", FALSE, FALSE, FALSE, 1, 1, NULL },
};

/* ---- rows ---------------------------------------------------------------- */

gboolean report_row_is_ok(const ReportPage *page, guint row)
{
    guint status;

    return !csv_table_column(page->r->table, "status", &status, NULL) ||
           g_str_equal(results_cell_text(page->r, row, status), "ok");
}

double report_iteration_us(const ReportPage *page, guint row)
{
    return results_cell_number(page->r, row, "iteration_time_us");
}

static gint compare_iteration_times(gconstpointer a, gconstpointer b,
                                    gpointer data)
{
    guint x = *(const guint *)a, y = *(const guint *)b;
    double x_us = report_iteration_us(data, x);
    double y_us = report_iteration_us(data, y);

    if (x_us != y_us)
        return x_us < y_us ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Takes all rows or, of too many, the fastest, in the order of the table. */
static void choose_report_rows(ReportPage *page)
{
    guint n = csv_table_n_rows(page->r->table);

    page->rows = g_array_new(FALSE, FALSE, sizeof(guint));
    if (n <= REPORT_MAX_POINTS) {
        for (guint row = 0; row < n; row++)
            g_array_append_val(page->rows, row);
        return;
    }
    g_array_append_vals(page->rows, page->r->rows->data, page->r->rows->len);
    g_array_sort_with_data(page->rows, compare_iteration_times, page);
    if (page->rows->len > REPORT_MAX_SHOWN_POINTS)
        g_array_set_size(page->rows, REPORT_MAX_SHOWN_POINTS);
}

/* ---- groups of compared points ------------------------------------------- */

static void clear_report_group(gpointer data)
{
    g_array_unref(((ReportGroup *)data)->rows);
}

/* Returns a text that is equal for rows that are compared. */
static char *identity_of_group(const SweepResults *results, guint row)
{
    GString *id = g_string_new(NULL);

    g_string_append_printf(id, "%s\x1f%s",
                           results_cell_text(results, row, results->workload),
                           results_cell_text(results, row, results->n_npus));
    for (guint i = 0; i < results->keys->len; i++)
        g_string_append_printf(
            id, "\x1f%s",
            results_cell_text(results, row,
                              g_array_index(results->keys, guint, i)));
    return g_string_free(id, FALSE);
}

/* Returns the expected error of the speed-ups of a pair: the one that is known
 * of systems like it, or that of the page. */
static double expected_error_of_pair(const ReportPage *page,
                                     const ComparePair *pair)
{
    double percent = MAX(pair->error_percent, pair->built_error_percent);

    return percent > 0 ? percent / 100 : page->error_ratio;
}

/* Sets the error of the page to the largest of its groups. */
static void find_largest_error(ReportPage *page)
{
    const Comparison *comparison = page->r->comparison;

    for (guint i = 0; i < page->groups->len; i++)
        if (i == 0 || report_group(page, i)->error_ratio > page->error_ratio)
            page->error_ratio = report_group(page, i)->error_ratio;
    for (guint i = 0; comparison && i < comparison->pairs->len; i++)
        if (compare_pair(comparison, i)->error_family &&
            expected_error_of_pair(page, compare_pair(comparison, i)) >=
                page->error_ratio)
            page->error_family = compare_pair(comparison, i)->error_family;
}

static void add_groups_of_pairs(ReportPage *page, GHashTable *index)
{
    const Comparison *comparison = page->r->comparison;

    for (guint i = 0; comparison && i < comparison->pairs->len; i++) {
        const ComparePair *pair = compare_pair(comparison, i);
        ReportGroup group = {
            .offload = pair->row,
            .published = pair->best_row,
            .best = pair->built_ps > 0 ? pair->built_row : G_MAXUINT,
            .ideal_row = G_MAXUINT,
            .error_ratio = expected_error_of_pair(page, pair),
        };
        char *id;

        if (!g_str_equal(compare_offload_name(comparison, pair),
                         g_ptr_array_index(comparison->offloads, 0)))
            continue;
        group.rows = g_array_new(FALSE, FALSE, sizeof(guint));
        id = identity_of_group(page->r, pair->row);
        g_hash_table_insert(index, id, GUINT_TO_POINTER(page->groups->len + 1));
        g_array_append_val(page->groups, group);
        page->has_tuned_baseline |= group.best != G_MAXUINT;
    }
}

static void make_groups_of_compared_points(ReportPage *page)
{
    g_autoptr(GHashTable) index =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    const SweepResults *results = page->r;
    guint n = csv_table_n_rows(results->table);

    page->groups = g_array_new(FALSE, FALSE, sizeof(ReportGroup));
    g_array_set_clear_func(page->groups, clear_report_group);
    page->group_of = g_new(guint, n);
    for (guint row = 0; row < n; row++)
        page->group_of[row] = G_MAXUINT;
    add_groups_of_pairs(page, index);
    find_largest_error(page);
    for (guint i = 0; i < results->rows->len && page->groups->len > 0; i++) {
        guint row = results_row_at(results, i);
        g_autofree char *id = identity_of_group(results, row);
        guint number = GPOINTER_TO_UINT(g_hash_table_lookup(index, id));
        ReportGroup *group;

        if (number == 0)
            continue;
        group = &g_array_index(page->groups, ReportGroup, number - 1);
        page->group_of[row] = number - 1;
        g_array_append_val(group->rows, row);
        if (g_str_equal(results_cell_text(results, row, results->endpoint),
                        COMPARE_IDEAL))
            group->ideal_row = row;
    }
}

/* ---- columns ------------------------------------------------------------- */

static void clear_report_column(gpointer data)
{
    ReportColumn *column = data;

    g_free(column->name);
    g_free(column->label);
    g_free(column->values);
}

static gboolean column_has_several_values(const SweepResults *results,
                                          guint column)
{
    for (guint row = 1; row < csv_table_n_rows(results->table); row++)
        if (!g_str_equal(results_cell_text(results, row, column),
                         results_cell_text(results, 0, column)))
            return TRUE;
    return FALSE;
}

gboolean report_row_number(const SweepResults *results, guint row,
                           const char *name, double *ret)
{
    guint column;

    return csv_table_column(results->table, name, &column, NULL) &&
           results_parse_number(results_cell_text(results, row, column), ret);
}

gboolean report_has_numbers(const SweepResults *results, const char *name)
{
    guint column;

    return csv_table_column(results->table, name, &column, NULL) &&
           csv_table_is_number_column(results->table, column);
}

/* Adds a column that names points.  It is in the table if it varies. */
static void add_axis_column(ReportPage *page, guint column, gboolean is_shown)
{
    const SweepResults *results = page->r;
    const char *name = csv_table_column_name(results->table, column);
    const ColumnDescription *text = column_description(name);
    const ColumnUnitScale *unit =
        column < results->workload ? column_unit_of_name(name) : NULL;
    ReportColumn c = {
        .name = g_strdup(name),
        .label =
            g_strdup(text ? text->label : results_axis_name(results, column)),
        .unit = unit && *unit->name != '\0' ? unit->name : NULL,
        .is_axis = TRUE,
        .is_number = csv_table_is_number_column(results->table, column),
        .column = column,
        .is_shown = is_shown && column_has_several_values(results, column),
        .scale = 1,
        .digits = G_MAXUINT,
    };

    g_array_append_val(page->columns, c);
}

static void add_axis_columns(ReportPage *page)
{
    const SweepResults *results = page->r;

    add_axis_column(page, results->workload, TRUE);
    add_axis_column(page, results->n_npus, TRUE);
    for (guint i = 0; i < results->keys->len; i++)
        add_axis_column(page, g_array_index(results->keys, guint, i), TRUE);
    add_axis_column(page, results->endpoint, TRUE);
    /* Columns that follow from others are on the page for filters only. */
    for (guint column = 0; column < results->workload; column++) {
        gboolean is_key = FALSE;

        for (guint i = 0; i < results->keys->len; i++)
            is_key |= g_array_index(results->keys, guint, i) == column;
        /* A key of which only failed points have other values is shown. */
        if (!is_key && column_has_several_values(results, column))
            add_axis_column(page, column,
                            !results_column_varies(results, column));
    }
}

/* Adds the iteration time, in a unit that suits the longest, and returns its
 * column, whose texts the page owns. */
static ReportColumn add_iteration_time(ReportPage *page)
{
    ReportColumn c = {
        .name = g_strdup("iteration_time_us"),
        .label = g_strdup("iteration"),
        .unit = "us",
        .better = "less",
        .is_number = TRUE,
        .is_shown = TRUE,
        .scale = 1,
        .digits = 3,
    };
    double max_us = 0;

    if (!csv_table_column(page->r->table, c.name, &c.column, NULL)) {
        clear_report_column(&c);
        return (ReportColumn){ .scale = 1 };
    }
    for (guint i = 0; i < page->r->rows->len; i++)
        max_us =
            MAX(max_us, report_iteration_us(page, results_row_at(page->r, i)));
    if (max_us >= 1e6) {
        c.unit = "s";
        c.scale = 1e6;
    } else if (max_us >= 1e3) {
        c.unit = "ms";
        c.scale = 1e3;
    }
    g_array_append_val(page->columns, c);
    return c;
}

static void add_metric_columns(ReportPage *page, const ReportColumn *iteration)
{
    for (guint i = 0; i < G_N_ELEMENTS(metrics); i++) {
        const ColumnDescription *text = column_description(metrics[i].name);
        const ColumnUnitScale *unit = column_unit_of_name(metrics[i].name);
        ReportColumn c = {
            .unit = metrics[i].unit         ? metrics[i].unit
                    : metrics[i].is_percent ? "%"
                    : unit && unit->name[0] ? unit->name
                                            : NULL,
            .better = text->better,
            .is_number = TRUE,
            .is_shown = metrics[i].is_shown,
            .is_optional = metrics[i].is_optional,
            .is_percent = metrics[i].is_percent,
            .scale = metrics[i].scale,
            .digits = metrics[i].digits,
        };

        if (!report_has_numbers(page->r, metrics[i].name) ||
            !csv_table_column(page->r->table, metrics[i].name, &c.column, NULL))
            continue;
        if (unit && g_str_equal(unit->suffix, "_us")) {
            c.unit = iteration->unit;
            c.scale = iteration->scale;
        }
        c.name = g_strdup(metrics[i].name);
        c.label = g_strdup(text->label);
        g_array_append_val(page->columns, c);
    }
}

/* Adds the speed-up of each point over a point of its group. */
static void add_speedup_column(ReportPage *page, const char *name,
                               const char *label, gboolean is_best)
{
    guint n = csv_table_n_rows(page->r->table);
    ReportColumn c = {
        .name = g_strdup(name),
        .label = g_strdup(label),
        .better = "more",
        .is_number = TRUE,
        .column = G_MAXUINT,
        .values = g_new(double, n),
        .is_shown = TRUE,
        .is_optional = !is_best,
        .scale = 1,
        .digits = 2,
    };

    for (guint row = 0; row < n; row++) {
        const ReportGroup *group =
            page->group_of[row] == G_MAXUINT
                ? NULL
                : report_group(page, page->group_of[row]);
        guint base = !group    ? G_MAXUINT
                     : is_best ? group->best
                               : group->published;
        double us = group ? report_iteration_us(page, row) : 0;

        c.values[row] = base != G_MAXUINT && us > 0
                            ? report_iteration_us(page, base) / us
                            : NAN;
    }
    g_array_append_val(page->columns, c);
}

/* Adds a text column if some cell has a text other than @usual. */
static void add_column_with_unusual_values(ReportPage *page, const char *name,
                                           const char *usual)
{
    ReportColumn c = { .scale = 1, .digits = G_MAXUINT };
    gboolean any = FALSE;

    if (!csv_table_column(page->r->table, name, &c.column, NULL))
        return;
    for (guint i = 0; i < page->rows->len; i++)
        any |= !g_str_equal(
            results_cell_text(page->r, g_array_index(page->rows, guint, i),
                              c.column),
            usual);
    if (!any)
        return;
    c.name = g_strdup(name);
    c.label = g_strdup(name);
    c.is_shown = g_str_equal(name, "status");
    g_array_append_val(page->columns, c);
}

void report_choose_columns(ReportPage *page)
{
    ReportColumn iteration;

    choose_report_rows(page);
    make_groups_of_compared_points(page);
    page->columns = g_array_new(FALSE, FALSE, sizeof(ReportColumn));
    g_array_set_clear_func(page->columns, clear_report_column);
    add_axis_columns(page);
    iteration = add_iteration_time(page);
    if (page->has_tuned_baseline)
        add_speedup_column(page, "speedup_over_best", "× best", TRUE);
    if (page->groups->len > 0)
        add_speedup_column(page, "speedup_over_baselines", "× baselines",
                           FALSE);
    add_metric_columns(page, &iteration);
    add_column_with_unusual_values(page, "notes", "");
    add_column_with_unusual_values(page, "status", "ok");
}

void report_clear_columns(ReportPage *page)
{
    g_clear_pointer(&page->rows, g_array_unref);
    g_clear_pointer(&page->columns, g_array_unref);
    g_clear_pointer(&page->groups, g_array_unref);
    g_clear_pointer(&page->group_of, g_free);
}

/* ---- cells --------------------------------------------------------------- */

static gboolean number_in_report_column(const ReportPage *page,
                                        const ReportColumn *column, guint row,
                                        double *ret)
{
    if (!column->values)
        return results_parse_number(
            results_cell_text(page->r, row, column->column), ret);
    *ret = column->values[row];
    return !isnan(*ret);
}

char *report_shown_text(const ReportPage *page, const ReportColumn *column,
                        guint row)
{
    double value;

    if (!column->is_number || column->digits == G_MAXUINT) {
        const char *text = results_cell_text(page->r, row, column->column);

        return g_strdup(*text != '\0' ? text : "–");
    }
    if (!number_in_report_column(page, column, row, &value))
        return g_strdup("–");
    return g_strdup_printf("%.*f", (int)column->digits,
                           value / column->scale *
                               (column->is_percent ? 100 : 1));
}

char *report_point_name(const ReportPage *page, guint row, gboolean endpoint)
{
    const SweepResults *results = page->r;
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < page->columns->len; i++) {
        const ReportColumn *column = report_column(page, i);

        if (!column->is_axis || !column->is_shown ||
            (column->column == results->endpoint && !endpoint))
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
