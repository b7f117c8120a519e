/* plot_kinds.c - the table of plots, and helpers that kinds share */
#include "sim/view/plots/plot_kinds_impl.h"

/* The table of the kinds of plots.  A new kind needs a file, a gnuplot script
 * and a line here. */
const PlotKind *const plot_kinds[] = {
    &plot_speedup,     &plot_iteration_time,
    &plot_scaling,     &plot_memory_bandwidth,
    &plot_bandwidth,   &plot_sms,
    &plot_sram_fsm,    &plot_utilisation,
    &plot_sensitivity, NULL,
};

const PlotKind *plot_find_kind(const char *name)
{
    for (guint i = 0; plot_kinds[i]; i++)
        if (g_str_equal(plot_kinds[i]->name, name))
            return plot_kinds[i];
    return NULL;
}

/* Returns the results that @kind draws, or NULL if the sweep did not write
 * them. */
static const SweepResults *results_drawn_by_kind(const PlotKind *kind,
                                                 const SweepResults *results)
{
    if (kind->sensitivity)
        return results->sensitivity;
    return kind->over_time ? results->over_time : results;
}

static const char *missing_results_reason(const PlotKind *kind)
{
    return kind->sensitivity
               ? "no rows of sensitivity.csv, which sensitivity -o writes"
               : "no rows of utilisation.csv, which sweep --utilisation writes";
}

void plot_draw_kind(const PlotKind *kind, const SweepResults *results,
                    Canvas *canvas)
{
    kind->draw(kind, results_drawn_by_kind(kind, results), canvas);
}

char *plot_caption_text(const PlotKind *kind, const SweepResults *results)
{
    return kind->caption(kind, results_drawn_by_kind(kind, results));
}

gboolean plot_fits_results(const PlotKind *kind, const SweepResults *results,
                           char **why_not, GError **error)
{
    results = results_drawn_by_kind(kind, results);
    *why_not = results ? NULL : g_strdup(missing_results_reason(kind));
    if (!results)
        return TRUE;
    for (guint i = 0; kind->columns[i] && !*why_not; i++) {
        g_autoptr(GError) reason = NULL;

        if (results_check_number_column(results, kind->columns[i], &reason))
            continue;
        if (!g_error_matches(reason, CSV_ERROR, CSV_ERROR_COLUMN)) {
            g_propagate_error(error, g_steal_pointer(&reason));
            return FALSE;
        }
        *why_not = g_strdup_printf("no column %s", kind->columns[i]);
    }
    if (!*why_not && kind->axis &&
        plot_find_axis_column(results, kind->axis) == G_MAXUINT)
        *why_not = g_strdup_printf("%s does not vary", kind->axis);
    if (!*why_not)
        *why_not = kind->unfit_reason(kind, results);
    return TRUE;
}

char *plot_row_label(const SweepResults *results, guint row,
                     const GArray *columns)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < columns->len; i++) {
        g_string_append(out, i > 0 ? ", " : "");
        g_string_append(
            out,
            results_cell_label(results, row, g_array_index(columns, guint, i)));
    }
    return g_string_free(out, FALSE);
}

GArray *plot_panel_columns(const SweepResults *results, guint a, guint b)
{
    GArray *columns = g_array_new(FALSE, FALSE, sizeof(guint));

    if (results_column_varies(results, results->workload) &&
        a != results->workload)
        g_array_append_val(columns, results->workload);
    if (results_column_varies(results, results->n_npus) && a != results->n_npus)
        g_array_append_val(columns, results->n_npus);
    for (guint i = 0; i < results->keys->len; i++) {
        guint key = g_array_index(results->keys, guint, i);

        if (key != a && key != b)
            g_array_append_val(columns, key);
    }
    return columns;
}

guint plot_find_axis_column(const SweepResults *results, const char *name)
{
    for (guint i = 0; i < results->keys->len; i++) {
        guint key = g_array_index(results->keys, guint, i);
        g_autofree char *axis = results_axis_key(results, key);

        if (g_str_equal(axis, name))
            return key;
    }
    return G_MAXUINT;
}

gboolean plot_is_quantity_column(const SweepResults *results, guint column)
{
    double ignored;

    for (guint i = 0; i < results->rows->len; i++)
        if (!results_parse_number(
                results_cell_text(results, results_row_at(results, i), column),
                &ignored))
            return FALSE;
    return TRUE;
}

char *plot_describe_row(const SweepResults *results, guint row)
{
    g_autoptr(GArray) columns = g_array_new(FALSE, FALSE, sizeof(guint));

    g_array_append_val(columns, results->workload);
    g_array_append_val(columns, results->n_npus);
    g_array_append_vals(columns, results->keys->data, results->keys->len);
    return plot_row_label(results, row, columns);
}

double plot_time_unit_us(double max_us, const char **unit)
{
    static const struct {
        double us;
        const char *name;
    } units[] = { { 1e6, "s" }, { 1e3, "ms" }, { 1, "us" } };
    guint i = 0;

    while (i + 1 < G_N_ELEMENTS(units) && max_us < units[i].us)
        i++;
    *unit = units[i].name;
    return units[i].us;
}

char *plot_three_digits_text(double value)
{
    return g_strdup_printf("%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
}
