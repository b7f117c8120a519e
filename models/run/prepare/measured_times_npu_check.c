/* measured_times_npu_check.c - checks that kernel times were measured on the
 * simulated NPU; see measured_times_npu_check.h */
#include "models/run/prepare/measured_times_npu_check.h"

#include "sim/config/config_node.h"
#include "sim/config/quantity.h"

typedef struct {
    /* Section of the NPU configuration; NULL: the key is at its top level. */
    const char *section;
    const char *key;
    ConfigType type;
    /* Value that the workload states, 0: none; value of the simulated NPU. */
    uint64_t noted, configured;
} Compared;

static const ConfigNode *find_config_value(const ConfigNode *map,
                                           const char *wanted)
{
    for (guint i = 0; map && i < config_node_count(map); i++)
        if (config_node_kind(map) == CONFIG_NODE_MAP &&
            g_strcmp0(config_node_text(config_node_key(map, i)), wanted) == 0)
            return config_node_value(map, i);
    return NULL;
}

/* Returns whether the user set the key of @compared outside the file of the
 * NPU. */
static gboolean key_is_overridden(const PlatformConfig *platform,
                                  const Compared *compared)
{
    const ConfigNode *npu = platform->npu_node;
    const ConfigNode *map =
        compared->section ? find_config_value(npu, compared->section) : npu;
    const ConfigNode *value = find_config_value(map, compared->key);

    return value &&
           g_strcmp0(config_node_file(value), config_node_file(npu)) != 0;
}

static void append_compared_value(GString *text, const Compared *compared,
                                  uint64_t value)
{
    g_autofree char *quantity = quantity_format(value, compared->type);

    g_string_append_printf(text, "%s%s %s", text->len > 0 ? ", " : "",
                           compared->key, quantity);
}

gboolean measured_times_npu_check(const PlatformConfig *platform,
                                  OpGraph *graph, GError **error)
{
    const MeasuredOn *measured_on = &graph->measured_on;
    const NpuConfig *npu = &platform->npu;
    const Compared all[] = {
        { NULL, "sms", CONFIG_COUNT, measured_on->n_sms, npu->n_sms },
        { NULL, "clock", CONFIG_FREQUENCY, measured_on->clock_hz,
          npu->clock_hz },
        { NULL, "flops", CONFIG_FLOPS, measured_on->flop_per_s,
          npu->flop_per_s },
        { "hbm", "bandwidth", CONFIG_BANDWIDTH, measured_on->hbm_bytes_per_s,
          npu->hbm.bandwidth_bytes_per_s },
    };
    g_autoptr(GString) stated = g_string_new(NULL);
    g_autoptr(GString) is = g_string_new(NULL);

    if (!measured_on->is_used)
        return TRUE;
    if (!measured_on_has_npu(measured_on)) {
        op_graph_add_note(
            graph, "kernel times are measured; the workload does not say on "
                   "which NPU (workload.measured_on), so that they are taken "
                   "to be of this one");
        return TRUE;
    }
    for (guint i = 0; i < G_N_ELEMENTS(all); i++) {
        if (all[i].noted == 0 || all[i].noted == all[i].configured)
            continue;
        if (key_is_overridden(platform, &all[i])) {
            g_autofree char *was = quantity_format(all[i].noted, all[i].type);

            op_graph_add_note(
                graph,
                "platform.npu.%s%s%s is set, but kernel times with "
                "the whole NPU stay those measured with %s",
                all[i].section ? all[i].section : "", all[i].section ? "." : "",
                all[i].key, was);
            continue;
        }
        append_compared_value(stated, &all[i], all[i].noted);
        append_compared_value(is, &all[i], all[i].configured);
    }
    if (stated->len == 0)
        return TRUE;
    config_set_error(error, platform->npu_node, CONFIG_ERROR_CONFLICT,
                     "npu: kernel times of the workload were measured on "
                     "another NPU (%s; this one: %s); set 'training.compute' "
                     "to roofline, or give times and 'workload.measured_on' "
                     "of this NPU",
                     stated->str, is->str);
    return FALSE;
}
