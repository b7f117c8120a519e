/* measured_times_check.c - checks that measured times belong to the workload */
#include "workloads/measured_times_check.h"

#include <inttypes.h>

#include "sim/config/config_node.h"
#include "workloads/workload.h"

/* ---- keys that are not set in the file of the workload ----------------- */

static gboolean key_is_measured_time(const char *key)
{
    return g_str_has_suffix(key, "_time") || g_str_equal(key, "calibrated") ||
           g_str_equal(key, "samples_per_s");
}

/* Returns whether the configuration key @key has no effect on the work of
 * kernels. */
static gboolean key_is_irrelevant_to_work(const char *key)
{
    static const char *const others[] = { "kind",        "name",  "optimiser",
                                          "measured_on", "batch", "backward",
                                          "root",        NULL };

    return g_strv_contains(others, key);
}

typedef struct {
    const char *file; /* path of the file that defines the workload */
    /* Owned: path of the first key that is set in another file. */
    GString *path;
    gboolean of_times;
} Search;

/* Returns whether a value below @node was set outside the file of the workload
 * and is a time, or not a time, as .of_times says. */
static gboolean find_overridden_value(Search *search, const ConfigNode *node,
                                      gboolean is_time)
{
    gsize length = search->path->len;

    if (is_time == search->of_times &&
        g_strcmp0(config_node_file(node), search->file) != 0)
        return TRUE;
    for (guint i = 0; i < config_node_count(node); i++) {
        gboolean is_map = config_node_kind(node) == CONFIG_NODE_MAP;
        const char *key =
            is_map ? config_node_text(config_node_key(node, i)) : NULL;

        if (key && key_is_irrelevant_to_work(key))
            continue;
        if (key)
            g_string_append_printf(search->path, ".%s", key);
        else
            g_string_append_printf(search->path, ".%u", i);
        if (find_overridden_value(search, config_node_value(node, i),
                                  is_time ||
                                      (key && key_is_measured_time(key))))
            return TRUE;
        g_string_truncate(search->path, length);
    }
    return FALSE;
}

/* Returns the path of a value that was set outside the file of the workload: a
 * time if @of_times, else a shape.  Returns NULL if there is none.  The caller
 * owns the path. */
static char *find_overridden_key(const ConfigVariant *workload,
                                 gboolean of_times)
{
    Search search = { .file = config_node_file(workload->node),
                      .path = g_string_new("workload"),
                      .of_times = of_times };

    if (find_overridden_value(&search, workload->node, FALSE))
        return g_string_free(search.path, FALSE);
    g_string_free(search.path, TRUE);
    return NULL;
}

void measured_times_note_if_unused(const ConfigVariant *workload,
                                   OpGraph *graph)
{
    g_autofree char *key = find_overridden_key(workload, TRUE);

    if (key)
        op_graph_add_note(graph,
                          "%s has no effect under training.compute: roofline; "
                          "measured uses it",
                          key);
}

/* Returns FALSE if the batch was set outside the file of the workload, but the
 * measured times were not. */
static gboolean check_batch_override(const ConfigVariant *workload,
                                     uint64_t batch, gboolean are_times_set,
                                     GError **error)
{
    const ConfigNode *node = config_map_value(workload->node, "batch");

    if (!node || are_times_set ||
        g_strcmp0(config_node_file(node), config_node_file(workload->node)) ==
            0)
        return TRUE;
    config_set_error(error, node, CONFIG_ERROR_CONFLICT,
                     "batch: set to %" PRIu64 ", but the measured times of "
                     "%s are of a batch that it does not say; give "
                     "'workload.measured_on.batch', which rescales them, or "
                     "set 'training.compute' to roofline",
                     batch, config_node_file(workload->node));
    return FALSE;
}

/* Checks overridden shapes whose times were not overridden.  New layers with
 * the old totals are an error; other overrides only cause a note. */
static gboolean check_layer_overrides(const ConfigVariant *workload,
                                      gboolean are_times_set, OpGraph *graph,
                                      GError **error)
{
    const ConfigNode *layers = config_map_value(workload->node, "layers");
    const ConfigNode *totals = config_map_value(workload->node, "calibrated");
    g_autofree char *key = find_overridden_key(workload, FALSE);

    if (!key || are_times_set)
        return TRUE;
    if (totals && layers &&
        g_strcmp0(config_node_file(layers), config_node_file(workload->node))) {
        config_set_error(error, layers, CONFIG_ERROR_CONFLICT,
                         "layers: the totals of `calibrated` in %s are of "
                         "other layers; give 'workload.calibrated' too, or "
                         "set 'training.compute' to roofline",
                         config_node_file(workload->node));
        return FALSE;
    }
    op_graph_add_note(
        graph,
        "%s is set, but kernel times are those that were measured "
        "without it",
        key);
    return TRUE;
}

gboolean measured_times_check(const MeasuredOn *measured_on,
                              const ConfigVariant *workload, uint64_t batch,
                              int precision, gboolean is_used,
                              gboolean has_rate, OpGraph *graph, GError **error)
{
    g_autofree char *times = find_overridden_key(workload, TRUE);

    graph->measured_on = *measured_on;
    graph->measured_on.is_used = is_used;
    if (!is_used) {
        op_graph_add_note(graph,
                          "training.compute: measured has no effect: the "
                          "workload has no measured times");
        return TRUE;
    }
    if (!has_rate && measured_on->batch == 0 &&
        !check_batch_override(workload, batch, times != NULL, error))
        return FALSE;
    if (!has_rate && measured_on->batch > 0 && measured_on->batch != batch)
        op_graph_add_note(graph,
                          "kernel times are scaled by %" PRIu64 " / %" PRIu64
                          ": they were measured with a batch of %" PRIu64
                          ", and are assumed to grow with samples",
                          batch, measured_on->batch, measured_on->batch);
    if (measured_on->precision > 0 && measured_on->precision != precision + 1)
        op_graph_add_note(
            graph,
            "kernel times were measured in %s and are kept, though "
            "training.precision is %s",
            measured_on_precisions[measured_on->precision],
            precision_names[precision]);
    return check_layer_overrides(workload, times != NULL, graph, error);
}
