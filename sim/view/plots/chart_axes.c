/*
 * chart_axes.c - the axes of a sweep, as its rows show them; see chart_axes.h
 */
#include "sim/view/plots/chart_axes.h"

#include <math.h>
#include <string.h>

#include "sim/view/plots/chart_label_text.h"

/* Limits of a logarithmic axis: the least range, and how unequal its steps may
 * be. */
#define MIN_LOG_RANGE  8
#define MAX_STEP_RATIO 4

static void axis_free(gpointer data)
{
    ChartAxis *axis = data;

    g_ptr_array_unref(axis->together);
    g_ptr_array_unref(axis->texts);
    g_array_unref(axis->numbers);
    g_array_unref(axis->of_row);
    g_free(axis);
}

/* ---- reading a column ---------------------------------------------------- */

static void read_axis_cells(const SweepResults *results, ChartAxis *axis)
{
    g_autoptr(GHashTable) index = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; i < results->rows->len; i++) {
        const char *text = results_cell_text(
            results, results_row_at(results, i), axis->column);
        gpointer found;
        guint value = axis->texts->len;

        if (g_hash_table_lookup_extended(index, text, NULL, &found))
            value = GPOINTER_TO_UINT(found);
        else {
            g_hash_table_insert(index, (gpointer)text, GUINT_TO_POINTER(value));
            g_ptr_array_add(axis->texts, (gpointer)text);
        }
        g_array_append_val(axis->of_row, value);
    }
}

static void read_axis_numbers(ChartAxis *axis)
{
    axis->is_numeric = TRUE;
    for (guint i = 0; i < axis->texts->len && axis->is_numeric; i++) {
        double value = 0;

        axis->is_numeric =
            results_parse_number(g_ptr_array_index(axis->texts, i), &value);
        g_array_append_val(axis->numbers, value);
    }
}

/* Sorts the values of a numeric axis by insertion. */
static void sort_axis_values(ChartAxis *axis)
{
    guint n = axis->texts->len;
    g_autofree guint *order = g_new(guint, n);
    g_autofree guint *rank = g_new(guint, n);
    g_autoptr(GPtrArray) texts = g_ptr_array_new();
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(double));

    for (guint i = 0; i < n; i++) {
        guint k = i;

        for (; k > 0 && chart_axis_number(axis, order[k - 1]) >
                            chart_axis_number(axis, i);
             k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (guint k = 0; k < n; k++) {
        double value = chart_axis_number(axis, order[k]);

        rank[order[k]] = k;
        g_ptr_array_add(texts, g_ptr_array_index(axis->texts, order[k]));
        g_array_append_val(numbers, value);
    }
    for (guint i = 0; i < axis->of_row->len; i++)
        g_array_index(axis->of_row, guint, i) =
            rank[g_array_index(axis->of_row, guint, i)];
    g_ptr_array_unref(axis->texts);
    g_array_unref(axis->numbers);
    axis->texts = g_steal_pointer(&texts);
    axis->numbers = g_steal_pointer(&numbers);
}

static ChartAxis *axis_new(const SweepResults *results, guint column)
{
    ChartAxis *axis = g_new0(ChartAxis, 1);

    axis->results = results;
    axis->column = column;
    axis->name = csv_table_column_name(results->table, column);
    axis->together = g_ptr_array_new();
    axis->texts = g_ptr_array_new();
    axis->numbers = g_array_new(FALSE, FALSE, sizeof(double));
    axis->of_row = g_array_new(FALSE, FALSE, sizeof(guint));
    read_axis_cells(results, axis);
    read_axis_numbers(axis);
    if (axis->is_numeric)
        sort_axis_values(axis);
    axis->first = chart_axis_value_index_of_row(axis, 0);
    return axis;
}

/* ---- columns that change together ---------------------------------------- */

/* Returns whether each value of @a occurs with one value of @b. */
static gboolean axis_values_determine_other_axis(const ChartAxis *a,
                                                 const ChartAxis *b)
{
    g_autofree guint *with = g_new0(guint, chart_axis_n_values(a));

    for (guint i = 0; i < a->of_row->len; i++) {
        guint *seen = &with[chart_axis_value_index_of_row(a, i)];
        guint value = chart_axis_value_index_of_row(b, i) + 1;

        if (*seen != 0 && *seen != value)
            return FALSE;
        *seen = value;
    }
    return TRUE;
}

/* Returns whether @b is no axis beside @a.  A number of NPUs does not say which
 * workload or endpoint runs on them. */
static gboolean axis_makes_other_redundant(const SweepResults *results,
                                           const GPtrArray *axes, guint a,
                                           guint b)
{
    const ChartAxis *with = g_ptr_array_index(axes, a);
    const ChartAxis *without = g_ptr_array_index(axes, b);

    if (a == b || !axis_values_determine_other_axis(with, without))
        return FALSE;
    if (!axis_values_determine_other_axis(without, with))
        return TRUE;
    if (with->is_numeric != without->is_numeric)
        return (with->is_numeric ? with : without)->column == results->n_npus
                   ? !with->is_numeric
                   : with->is_numeric;
    return a < b;
}

static void drop_dependent_axes(const SweepResults *results, GPtrArray *axes)
{
    for (guint b = axes->len; b-- > 0;) {
        const ChartAxis *axis = g_ptr_array_index(axes, b);

        for (guint a = 0; a < axes->len; a++) {
            ChartAxis *with = g_ptr_array_index(axes, a);

            if (!axis_makes_other_redundant(results, axes, a, b))
                continue;
            g_ptr_array_add(with->together, (gpointer)axis->name);
            g_ptr_array_extend(with->together, axis->together, NULL, NULL);
            g_ptr_array_remove_index(axes, b);
            break;
        }
    }
}

GPtrArray *chart_list_axes(const SweepResults *results)
{
    const guint others[] = { results->workload, results->n_npus,
                             results->endpoint };
    GPtrArray *axes = g_ptr_array_new_with_free_func(axis_free);

    for (guint i = 0; i < results->keys->len + G_N_ELEMENTS(others); i++) {
        guint column = i < results->keys->len
                           ? g_array_index(results->keys, guint, i)
                           : others[i - results->keys->len];

        if (results_column_varies(results, column))
            g_ptr_array_add(axes, axis_new(results, column));
    }
    drop_dependent_axes(results, axes);
    return axes;
}

/* ---- texts --------------------------------------------------------------- */

/* Returns whether values have different units, such as KiB and MiB. */
static gboolean axis_value_units_may_differ(const ChartAxis *axis)
{
    return g_str_has_suffix(axis->name, "_bytes");
}

char *chart_axis_tick(const ChartAxis *axis, guint value)
{
    const char *text = g_ptr_array_index(axis->texts, value);

    if (axis->is_numeric && axis_value_units_may_differ(axis))
        return results_axis_value_text(axis->results, text, axis->column);
    return axis->is_numeric ? chart_value_text(chart_axis_number(axis, value))
                            : g_strdup(text);
}

/* Returns the unit that is not part of each tick, or "". */
static const char *unit_of_axis(const ChartAxis *axis)
{
    if (!axis->is_numeric || axis_value_units_may_differ(axis))
        return "";
    return chart_unit_for(axis->name, 0).name;
}

char *chart_axis_value_text(const ChartAxis *axis, guint value)
{
    g_autofree char *tick = chart_axis_tick(axis, value);
    g_autofree char *label = NULL;
    const char *unit = unit_of_axis(axis);

    if (g_str_equal(axis->name, "n_npus"))
        return g_strdup_printf("%s NPUs", tick);
    if (!axis->is_numeric && !g_str_equal(tick, "true") &&
        !g_str_equal(tick, "false"))
        return g_steal_pointer(&tick);
    label = chart_column_label(axis->name);
    return g_strconcat(label, " ", tick, *unit != '\0' ? " " : "", unit, NULL);
}

char *chart_axis_title(const ChartAxis *axis)
{
    g_autofree char *label = chart_column_label(axis->name);
    GString *out = g_string_new(label);
    const char *unit = unit_of_axis(axis);

    for (guint i = 0; i < axis->together->len; i++) {
        const char *name = g_ptr_array_index(axis->together, i);
        g_autofree char *other = chart_column_label(name);

        /* Only keys are set together by a sweep. */
        if (strchr(name, '.'))
            g_string_append_printf(out, " and %s", other);
    }
    if (*unit != '\0')
        g_string_append_printf(out, ", %s", unit);
    return g_string_free(out, FALSE);
}

gboolean chart_axis_is_log(const ChartAxis *axis)
{
    guint n = chart_axis_n_values(axis);
    double least = G_MAXDOUBLE, most = 0;

    if (chart_axis_number(axis, 0) <= 0 ||
        chart_axis_number(axis, n - 1) <
            MIN_LOG_RANGE * chart_axis_number(axis, 0))
        return FALSE;
    for (guint i = 1; i < n; i++) {
        double step =
            log(chart_axis_number(axis, i) / chart_axis_number(axis, i - 1));

        least = MIN(least, step);
        most = MAX(most, step);
    }
    return most <= MAX_STEP_RATIO * least;
}
