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
    UniqueRows *names = g_new0(UniqueRows, 1);

    names->plan = plan;
    names->hidden = g_array_new(FALSE, FALSE, sizeof(guint));
    names->first = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < sweep_plan_count_axes(plan); i++)
        if (rows_has_column(sweep_plan_axis_key(plan, i)))
            g_array_append_val(names->hidden, i);
    return names;
}

void unique_rows_free(UniqueRows *names)
{
    if (!names)
        return;
    g_array_unref(names->hidden);
    g_hash_table_unref(names->first);
    g_free(names);
}

static gboolean is_axis_hidden(const UniqueRows *names, guint axis)
{
    for (guint i = 0; i < names->hidden->len; i++)
        if (g_array_index(names->hidden, guint, i) == axis)
            return TRUE;
    return FALSE;
}

/* Returns the number of NPUs, or 0 if no axis can change it.  Only cases can
 * change the platform without a column, and counting takes long. */
static guint n_npus_of_point(const UniqueRows *names, guint point,
                             const SystemConfig *config)
{
    g_autoptr(Topology) topology = NULL;

    for (guint i = 0; i < names->hidden->len && !topology; i++)
        if (!sweep_plan_value_node(names->plan, point,
                                   g_array_index(names->hidden, guint, i)))
            topology = topology_new(&config->platform.topology, NULL);
    return topology ? topology_n_npus(topology) : 0;
}

/* Returns the cells before the results, joined by a unit separator, which no
 * cell contains. */
static char *row_text_before_results(const UniqueRows *names, guint point,
                                     const SystemConfig *config)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < sweep_plan_count_axes(names->plan); i++)
        if (!is_axis_hidden(names, i))
            g_string_append_printf(out, "%s\x1f",
                                   sweep_plan_axis_cell(names->plan, point, i));
    g_string_append_printf(
        out, "%s\x1f%u\x1f%s", workload_name(&config->workload),
        n_npus_of_point(names, point, config), rows_endpoint_name(config));
    return g_string_free(out, FALSE);
}

static void set_duplicate_row_error(const UniqueRows *names, guint point,
                                    guint other, guint axis,
                                    const SystemConfig *config, GError **error)
{
    const char *key = sweep_plan_axis_key(names->plan, axis);
    const char *here = sweep_plan_value_label(names->plan, point, axis);
    const char *there = sweep_plan_value_label(names->plan, other, axis);
    const ConfigNode *node = sweep_plan_value_node(names->plan, point, axis);
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

gboolean unique_rows_add_point(UniqueRows *names, guint point,
                               const SystemConfig *config, GError **error)
{
    g_autofree char *text = NULL;
    gpointer other;

    if (names->hidden->len == 0)
        return TRUE;
    text = row_text_before_results(names, point, config);
    if (!g_hash_table_lookup_extended(names->first, text, NULL, &other)) {
        g_hash_table_insert(names->first, g_steal_pointer(&text),
                            GUINT_TO_POINTER(point));
        return TRUE;
    }
    for (guint i = 0; i < names->hidden->len; i++) {
        guint axis = g_array_index(names->hidden, guint, i);

        if (sweep_plan_value_index(names->plan, point, axis) ==
            sweep_plan_value_index(names->plan, GPOINTER_TO_UINT(other), axis))
            continue;
        set_duplicate_row_error(names, point, GPOINTER_TO_UINT(other), axis,
                                config, error);
        return FALSE;
    }
    return TRUE; /* the lists of a zip may contain a value twice */
}
