/*
 * chart_set.c - the charts that show a sweep when none is named; see
 * chart_set.h
 */
#include "sim/view/plots/chart_set.h"

#include "sim/view/plots/plot_kinds.h"

/* Adds the chart that is asked for, unless its file is there already. */
static gboolean add_chart_to_set(GPtrArray *charts, const SweepResults *results,
                                 const ChartRequest *request, GString *left_out,
                                 GError **error)
{
    g_autoptr(GError) reason = NULL;
    g_autoptr(Chart) chart = chart_new(results, request, &reason);
    g_autofree char *name = NULL;
    g_autofree char *why = NULL;

    if (!chart && !g_error_matches(reason, CSV_ERROR, CSV_ERROR_COLUMN)) {
        g_propagate_error(error, g_steal_pointer(&reason));
        return FALSE;
    }
    if (!chart) {
        why = failure_reason_without_folder_path(results, reason);
        g_string_append_printf(
            left_out, "left out %s%s%s: %s\n",
            request->y ? request->y : chart_default_y(results),
            request->x ? " by " : "", request->x ? request->x : "", why);
        return TRUE;
    }
    name = chart_file_name(chart);
    for (guint i = 0; i < charts->len; i++) {
        g_autofree char *other = chart_file_name(g_ptr_array_index(charts, i));

        if (g_str_equal(name, other))
            return TRUE;
    }
    g_ptr_array_add(charts, g_steal_pointer(&chart));
    return TRUE;
}

GPtrArray *chart_set_new(const SweepResults *results, GString *left_out,
                         GError **error)
{
    g_autoptr(GPtrArray) charts =
        g_ptr_array_new_with_free_func((GDestroyNotify)chart_free);
    g_autoptr(GPtrArray) axes = chart_list_axes(results);

    if (results->comparison &&
        !add_chart_to_set(charts, results,
                          &(ChartRequest){ .y = CHART_SPEEDUP }, left_out,
                          error))
        return NULL;
    if (!add_chart_to_set(charts, results, &(ChartRequest){ 0 }, left_out,
                          error))
        return NULL;
    for (guint i = 0; i < axes->len; i++) {
        const ChartAxis *axis = g_ptr_array_index(axes, i);

        if (!add_chart_to_set(charts, results,
                              &(ChartRequest){ .x = axis->name }, left_out,
                              error))
            return NULL;
    }
    return g_steal_pointer(&charts);
}
