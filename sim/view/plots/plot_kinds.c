/* plot_kinds.c - the table of plots, and helpers that kinds share */
#include "sim/view/plots/plot_kinds_impl.h"

#include <string.h>

#include "sim/view/plots/chart_draw.h"

/* The table of the kinds of plots.  A new kind needs a file, a gnuplot script
 * and a line here. */
const PlotKind *const plot_kinds[] = {
    &plot_speedup,
    &plot_iteration_time,
    &plot_scaling,
    &plot_memory_bandwidth,
    &plot_bandwidth,
    &plot_sms,
    &plot_break_even,
    &plot_sram_fsm,
    &plot_utilisation,
    &plot_sensitivity,
    NULL,
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
    g_autoptr(Chart) chart =
        kind->chart ? chart_new(results, kind->chart, NULL) : NULL;

    if (chart)
        chart_draw(chart, canvas);
    else
        kind->draw(kind, results_drawn_by_kind(kind, results), canvas);
}

char *failure_reason_without_folder_path(const SweepResults *results,
                                         const GError *reason)
{
    g_autofree char *prefix = g_strconcat(results->path, ": ", NULL);

    return g_strdup(g_str_has_prefix(reason->message, prefix)
                        ? reason->message + strlen(prefix)
                        : reason->message);
}

static gboolean chart_fits_results(const ChartRequest *request,
                                   const SweepResults *results, char **why_not,
                                   GError **error)
{
    g_autoptr(GError) reason = NULL;
    g_autoptr(Chart) chart = chart_new(results, request, &reason);

    *why_not = NULL;
    if (chart)
        return TRUE;
    if (!g_error_matches(reason, CSV_ERROR, CSV_ERROR_COLUMN)) {
        g_propagate_error(error, g_steal_pointer(&reason));
        return FALSE;
    }
    *why_not = failure_reason_without_folder_path(results, reason);
    return TRUE;
}

gboolean plot_fits_results(const PlotKind *kind, const SweepResults *results,
                           char **why_not, GError **error)
{
    if (kind->chart)
        return chart_fits_results(kind->chart, results, why_not, error);
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
