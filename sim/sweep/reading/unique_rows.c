/*
 * unique_rows.c - finds points of a sweep that runs.csv could not distinguish;
 * see unique_rows.h
 */
#include "sim/sweep/reading/unique_rows.h"

#include "sim/study/rows/run_rows.h"

struct UniqueRows {
    const SweepPlan *plan;
    GArray *hidden; /* owned, of guint: axes without a separate column */
    /* Maps the text at the beginning of a row (owned) to the first point that
     * has it. */
    GHashTable *first;
};

UniqueRows *unique_rows_new(const SweepPlan *plan)
{
    UniqueRows *unique_rows = g_new0(UniqueRows, 1);

    unique_rows->plan = plan;
    unique_rows->hidden = g_array_new(FALSE, FALSE, sizeof(guint));
    unique_rows->first =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < sweep_plan_count_axes(plan); i++)
        if (rows_has_column(sweep_plan_axis_key(plan, i)))
            g_array_append_val(unique_rows->hidden, i);
    return unique_rows;
}

void unique_rows_free(UniqueRows *unique_rows)
{
    if (!unique_rows)
        return;
    g_array_unref(unique_rows->hidden);
    g_hash_table_unref(unique_rows->first);
    g_free(unique_rows);
}

static gboolean is_axis_hidden(const UniqueRows *unique_rows, guint axis)
{
    for (guint i = 0; i < unique_rows->hidden->len; i++)
        if (g_array_index(unique_rows->hidden, guint, i) == axis)
            return TRUE;
    return FALSE;
}

/* Returns the number of NPUs, or 0 if no axis can change it.  Only cases can
 * change the platform without a column, and counting takes long. */
static guint n_npus_of_point(const UniqueRows *unique_rows, guint point,
                             const SystemConfig *config)
{
    g_autoptr(Topology) topology = NULL;

    for (guint i = 0; i < unique_rows->hidden->len && !topology; i++)
        if (!sweep_plan_value_node(
                unique_rows->plan, point,
                g_array_index(unique_rows->hidden, guint, i)))
            topology = topology_new(&config->platform.topology, NULL);
    return topology ? topology_n_npus(topology) : 0;
}

/* Returns the cells before the results, joined by a unit separator, which no
 * cell contains. */
static char *row_text_before_results(const UniqueRows *unique_rows, guint point,
                                     const SystemConfig *config)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < sweep_plan_count_axes(unique_rows->plan); i++)
        if (!is_axis_hidden(unique_rows, i))
            g_string_append_printf(
                out, "%s\x1f",
                sweep_plan_axis_cell(unique_rows->plan, point, i));
    g_string_append_printf(out, "%s\x1f%u\x1f%s",
                           workload_name(&config->workload),
                           n_npus_of_point(unique_rows, point, config),
                           rows_endpoint_name(config));
    return g_string_free(out, FALSE);
}

static void set_duplicate_row_error(const UniqueRows *unique_rows, guint point,
                                    guint other, guint axis,
                                    const SystemConfig *config, GError **error)
{
    const char *key = sweep_plan_axis_key(unique_rows->plan, axis);
    const char *here = sweep_plan_value_label(unique_rows->plan, point, axis);
    const char *there = sweep_plan_value_label(unique_rows->plan, other, axis);
    const ConfigNode *node =
        sweep_plan_value_node(unique_rows->plan, point, axis);
    gboolean is_endpoint = g_str_equal(key, "endpoint");
    const char *name = is_endpoint ? rows_endpoint_name(config)
                                   : workload_name(&config->workload);

    if (node)
        config_set_error(error, node, CONFIG_ERROR_CONFLICT,
                         "axis '%s': runs.csv would call '%s' and '%s' both "
                         "'%s'; give each its own `name`",
                         key, there, here, name);
    else
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
                    "cases: runs.csv has a column '%s' that would say the same "
                    "of '%s' and '%s'; call the axis otherwise",
                    key, there, here);
}

gboolean unique_rows_add_point(UniqueRows *unique_rows, guint point,
                               const SystemConfig *config, GError **error)
{
    g_autofree char *text = NULL;
    gpointer other;

    if (unique_rows->hidden->len == 0)
        return TRUE;
    text = row_text_before_results(unique_rows, point, config);
    if (!g_hash_table_lookup_extended(unique_rows->first, text, NULL, &other)) {
        g_hash_table_insert(unique_rows->first, g_steal_pointer(&text),
                            GUINT_TO_POINTER(point));
        return TRUE;
    }
    for (guint i = 0; i < unique_rows->hidden->len; i++) {
        guint axis = g_array_index(unique_rows->hidden, guint, i);

        if (sweep_plan_value_index(unique_rows->plan, point, axis) ==
            sweep_plan_value_index(unique_rows->plan, GPOINTER_TO_UINT(other),
                                   axis))
            continue;
        set_duplicate_row_error(unique_rows, point, GPOINTER_TO_UINT(other),
                                axis, config, error);
        return FALSE;
    }
    return TRUE; /* the lists of a zip may contain a value twice */
}
